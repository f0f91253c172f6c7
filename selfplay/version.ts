// Tells what made a record: the version of the package, and its commit if it runs from a git tree.
import { execFileSync } from 'node:child_process';
import { readFileSync, realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Folder of package.json. */
export const packageRoot = realpathSync(fileURLToPath(new URL('../../', import.meta.url)));

const readVersion = (): string => {
  const data: { version: string } = JSON.parse(readFileSync(`${packageRoot}/package.json`, 'utf8'));
  return data.version;
};

/** Version in package.json. */
export const lepantoVersion = readVersion();

const git = (...args: readonly string[]): string =>
  execFileSync('git', ['-C', packageRoot, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();

/** Commit that the package runs from, '-dirty' appended where tracked files differ from it; null outside a git tree of its own. */
export const findCommit = (): string | null => {
  try {
    // An installed package is inside another project's tree, whose commit means nothing here.
    if (realpathSync(git('rev-parse', '--show-toplevel')) !== packageRoot.replace(/\/$/, '')) return null;
    return git('describe', '--always', '--dirty', '--abbrev=40', '--exclude=*');
  } catch {
    return null;
  }
};
