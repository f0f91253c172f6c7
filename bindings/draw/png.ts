// Makes a PNG of an SVG by @resvg/resvg-js, which users install themselves.
import { loadPackage } from '../../selfplay/packages.js';

/** The part of the package that is used. */
interface Renderer {
  readonly Resvg: new (svg: string, options: object) => { render(): { asPng(): Uint8Array } };
}

/**
 * A PNG of an SVG. What follows the reader's system is drawn light.
 * @param width in pixels
 * @throws LepantoError that says how to install the package, if it is not there
 */
export const renderPng = async (svg: string, width: number): Promise<Uint8Array> => {
  const { Resvg } = loadPackage<Renderer>('@resvg/resvg-js', '--png');
  return new Resvg(svg, { fitTo: { mode: 'width', value: width }, font: { loadSystemFonts: true } }).render().asPng();
};
