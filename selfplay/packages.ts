// Loads optional packages, which users install themselves.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { LepantoError } from '../engine/rules/error.js';

/** True in a clone of the repository, whose optional packages npm counts as installed although they are not there. */
const isClone = (): boolean => existsSync(new URL('../../tsconfig.json', import.meta.url));

/**
 * Loads a package from the node_modules next to Lepanto or in a folder above it, else from that of the working directory or
 * a folder above it, else from a folder that NODE_PATH names. So a package is found after `pip install lepanto`, or after
 * a global `npm install`, if it is installed where the user works.
 * @param purpose what needs the package, for the error: "--png"
 * @param install names of the packages to install together
 * @throws LepantoError that says where the package was looked for and how to install it, or why it cannot be loaded
 */
export const loadPackage = <T>(name: string, purpose: string, install = name): T => {
  const here = process.cwd();
  let why: Error | undefined;
  for (const place of [import.meta.url, pathToFileURL(join(here, 'package.json')).href]) {
    try {
      return createRequire(place)(name) as T;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') why = error as Error;
    }
  }
  if (why !== undefined)
    throw new LepantoError('package', `${purpose}: cannot load package ${name}: ${why.message}`, { cause: why });
  const option = isClone() ? ' --no-save --save-dev' : '';
  throw new LepantoError(
    'package',
    `${purpose}: got no package ${name}, wanted it in ${here}, a folder above it or one of NODE_PATH: npm install${option} ${install}`,
  );
};
