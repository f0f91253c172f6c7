// Converts SVG to PNG with @resvg/resvg-js, which users install themselves.
import { loadPackage } from '../../selfplay/packages.js';

/** Types of the part of the package @resvg/resvg-js that renderPng() uses. */
interface Renderer {
  readonly Resvg: new (svg: string, options: object) => { render(): { asPng(): Uint8Array } };
}

/**
 * Returns an SVG document converted to a PNG file. The theme `auto` becomes light.
 * @param width width in pixels
 * @throws LepantoError with installation instructions if the package is missing
 */
export const renderPng = async (svg: string, width: number): Promise<Uint8Array> => {
  const { Resvg } = loadPackage<Renderer>('@resvg/resvg-js', '--png');
  return new Resvg(svg, { fitTo: { mode: 'width', value: width }, font: { loadSystemFonts: true } }).render().asPng();
};
