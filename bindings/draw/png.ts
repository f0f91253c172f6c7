// Makes a PNG of an SVG by @resvg/resvg-js, which users install themselves.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { LepantoError } from '../../engine/rules/error.js';

/** The part of the package that is used. */
interface Renderer {
  readonly Resvg: new (svg: string, options: object) => { render(): { asPng(): Uint8Array } };
}

const PACKAGE = '@resvg/resvg-js';

/** @throws LepantoError that says how to install the package, if it is not there */
const loadRenderer = async (name: string): Promise<Renderer> => {
  try {
    // Next to this package, or on NODE_PATH.
    const path = createRequire(import.meta.url).resolve(name);
    return (await import(pathToFileURL(path).href)) as Renderer;
  } catch (error) {
    throw new LepantoError('package', `--png: got no package ${name}, wanted it installed: npm install ${name}`, {
      cause: error,
    });
  }
};

/**
 * A PNG of an SVG. What follows the reader's system is drawn light.
 * @param width in pixels
 * @param name of the package
 * @throws LepantoError that says how to install the package, if it is not there
 */
export const renderPng = async (svg: string, width: number, name = PACKAGE): Promise<Uint8Array> => {
  const { Resvg } = await loadRenderer(name);
  return new Resvg(svg, { fitTo: { mode: 'width', value: width }, font: { loadSystemFonts: true } }).render().asPng();
};
