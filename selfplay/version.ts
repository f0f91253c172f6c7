// Identifies the program that made a record: the version of the package, and its commit in a clone.
import { execFileSync } from 'node:child_process';
import { readFileSync, realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Absolute path of the folder of package.json. */
export const packageRoot = realpathSync(fileURLToPath(new URL('../../', import.meta.url)));

const readVersion = (): string => {
  const data: { version: string } = JSON.parse(readFileSync(`${packageRoot}/package.json`, 'utf8'));
  return data.version;
};

/** Version of Lepanto, from package.json. */
export const lepantoVersion = readVersion();

const git = (...args: readonly string[]): string =>
  execFileSync('git', ['-C', packageRoot, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();

/**
 * Returns the 40-digit commit of the package, with '-dirty' appended if tracked files differ from it. Returns null if
 * the package is not the root of a git repository, or if git is not available.
 */
export const findCommit = (): string | null => {
  try {
    // An installed package may be inside another project's repository, whose commit is not Lepanto's.
    if (realpathSync(git('rev-parse', '--show-toplevel')) !== packageRoot.replace(/\/$/, '')) return null;
    return git('describe', '--always', '--dirty', '--abbrev=40', '--exclude=*');
  } catch {
    return null;
  }
};
