// Puts the built JavaScript and the packages that it needs at run time into the Python package: `npm run build:python`.
//
// Only pure JavaScript goes in, so that one wheel serves all machines. What is native and optional (koffi, the extractor
// of msgpackr) is left out; the server does without it.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const target = join(root, 'bindings/python/src/lepanto/js');

const manifestOf = (folder: string): Record<string, unknown> =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<string, unknown>;

/** Packages that a package needs, and those that they need. Optional ones are native ones. */
const needed = (folder: string, found: Set<string>): Set<string> => {
  for (const name of Object.keys((manifestOf(folder).dependencies ?? {}) as object)) {
    if (found.has(name)) continue;
    found.add(name);
    const nested = join(root, 'node_modules', name);
    if (!existsSync(nested)) throw new Error(`${name}: got no node_modules/${name}, wanted it installed (npm ci)`);
    needed(nested, found);
  }
  return found;
};

const isWanted = (path: string): boolean =>
  !/\.(d\.[cm]?ts|map|md|ts|node|py)$/i.test(path) && !/^(test|tests|docs|benchmark|examples)$/.test(basename(path));

rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
for (const folder of ['engine', 'selfplay', 'bindings', 'bench'])
  cpSync(join(root, 'dist', folder), join(target, 'dist', folder), { recursive: true, filter: isWanted });
const { name, version, type, license, dependencies } = manifestOf(root);
writeFileSync(
  join(target, 'package.json'),
  `${JSON.stringify({ name, version, type, license, dependencies }, null, 2)}\n`,
);
const packages = [...needed(root, new Set())].sort();
for (const one of packages)
  cpSync(join(root, 'node_modules', one), join(target, 'node_modules', one), { recursive: true, filter: isWanted });
process.stdout.write(`bindings/python: JavaScript of lepanto ${String(version)} with ${packages.join(', ')}\n`);
