// Loads optional npm packages, which users install themselves.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { LepantoError } from '../engine/rules/error.js';

/** True in a clone of the repository, where npm counts optional packages as installed although they are missing. */
const isClone = (): boolean => existsSync(new URL('../../tsconfig.json', import.meta.url));

/**
 * Loads an optional package and returns its exports. Searches node_modules next to Lepanto and in the folders above it,
 * then in the working directory and the folders above it, then the folders of NODE_PATH. So packages in the user's
 * project are found even if Lepanto was installed with pip or globally with npm.
 * @param purpose feature that needs the package, for the error message: "--png"
 * @param install packages to install together, separated by spaces; by default only the package itself
 * @throws LepantoError with the folders searched and the install command, or with the reason why loading failed
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
    `${purpose}: got no package ${name}, wanted it in ${here}, a directory above it or one of NODE_PATH: npm install${option} ${install}`,
  );
};
