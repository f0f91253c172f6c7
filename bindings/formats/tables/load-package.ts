// Loads packages that users install themselves.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { LepantoError } from '../../../engine/rules/error.js';

/**
 * A package next to this one, or on NODE_PATH.
 * @param flag what it is needed for
 * @throws LepantoError that says how to install it, if it is not there
 */
export const loadPackage = async <T>(name: string, flag: string): Promise<T> => {
  try {
    return (await import(pathToFileURL(createRequire(import.meta.url).resolve(name)).href)) as T;
  } catch (cause) {
    const message = `${flag}: got no package ${name}, wanted it installed: npm install ${name}`;
    throw new LepantoError('package', message, { cause });
  }
};
