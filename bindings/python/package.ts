// Puts the built JavaScript, and the files of other packages that it loads, into the Python package: run by
// `npm run build:python`.
//
// Of another package it takes only the files that Lepanto's files reach by import, by require() and by paths relative to
// their own location, with the package.json and the licence. It takes only pure JavaScript, so that one wheel serves all
// machines, and leaves out optional native code (koffi, the extractor of msgpackr), which the server can do without.
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const target = join(root, 'bindings/python/src/lepanto/js');
const folders = ['engine', 'selfplay', 'bindings', 'bench'];

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly type?: string;
  readonly license?: string;
  readonly main?: string;
  readonly exports?: unknown;
  readonly dependencies?: Readonly<Record<string, string>>;
}

const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;

const isFile = (path: string): boolean => existsSync(path) && statSync(path).isFile();

/** The folder of the package that a file belongs to. */
const packageOf = (file: string): string => {
  let folder = dirname(file);
  while (!isFile(join(folder, 'package.json')) || manifestOf(folder).name === undefined) folder = dirname(folder);
  return folder;
};

/** How to resolve a name. */
type Kind = 'import' | 'require';

interface Wanted {
  readonly name: string;
  readonly kind: Kind;
}

const patterns: readonly (readonly [RegExp, Kind])[] = [
  [/\b(?:import|export)\b[^'"`;()]*?\bfrom\s*['"]([^'"]+)['"]/g, 'import'],
  [/\bimport\s*\(?\s*['"]([^'"]+)['"]/g, 'import'],
  [/\bnew URL\(\s*['"]([^'"]+)['"]\s*,\s*import\.meta\.url/g, 'import'],
  [/\brequire\(\s*['"]([^'"]+)['"]\s*\)/g, 'require'],
];
const BESIDE = /\b__dirname\s*,\s*['"]([^'"]+)['"]/g;

/** The names that a file loads. */
const findWanted = (file: string): Wanted[] => {
  const text = readFileSync(file, 'utf8');
  const found = patterns.flatMap(([pattern, kind]) =>
    Array.from(text.matchAll(pattern), ([, name]) => ({ name: name ?? '', kind })),
  );
  for (const [, name = ''] of text.matchAll(BESIDE)) found.push({ name: `./${name}`, kind: 'require' });
  return found;
};

const firstFile = (path: string): string | null =>
  [path, `${path}.js`, `${path}.cjs`, `${path}.json`, join(path, 'index.js')].find(isFile) ?? null;

/** The file that `exports` of a package.json names; conditions are tried in order. */
const followExports = (exports: unknown, key: string, kind: Kind): string | null => {
  if (typeof exports === 'string') return key === '.' ? exports : null;
  if (typeof exports !== 'object' || exports === null) return null;
  const table = exports as Record<string, unknown>;
  if (Object.hasOwn(table, key)) return followExports(table[key], '.', kind);
  if (Object.keys(table).some((name) => name.startsWith('.'))) return null;
  const condition = Object.keys(table).find((name) => ['node', kind, 'default'].includes(name));
  return condition === undefined ? null : followExports(table[condition], key, kind);
};

const findPackage = (name: string, from: string): string | null => {
  for (let folder = dirname(from); folder.startsWith(root.slice(0, -1)); folder = dirname(folder))
    if (isFile(join(folder, 'node_modules', name, 'package.json'))) return join(folder, 'node_modules', name);
  return null;
};

/** Null for a module that is built into Node, or for an optional one that is missing. */
const resolveWanted = ({ name, kind }: Wanted, from: string): string | null => {
  if (name.startsWith('.')) return firstFile(join(dirname(from), name));
  if (isBuiltin(name)) return null;
  const parts = name.split('/');
  const owner = parts.splice(0, name.startsWith('@') ? 2 : 1).join('/');
  const folder = findPackage(owner, from);
  if (folder === null) return null;
  const { exports, main } = manifestOf(folder);
  if (exports !== undefined) {
    const path = followExports(exports, ['.', ...parts].join('/'), kind);
    return path === null ? null : firstFile(join(folder, path));
  }
  return firstFile(join(folder, ...(parts.length > 0 ? parts : [main ?? 'index.js'])));
};

/** Optional packages of a file: those that it loads inside a try. */
const isOptional = (name: string, from: string): boolean => {
  const { optionalDependencies = {}, peerDependencies = {} } = manifestOf(packageOf(from)) as Manifest & {
    readonly optionalDependencies?: object;
    readonly peerDependencies?: object;
  };
  return Object.hasOwn(optionalDependencies, name) || Object.hasOwn(peerDependencies, name);
};

/** Every file that these files reach in packages. @throws LepantoError for a dependency of Lepanto that is not installed */
const trace = (roots: readonly string[]): string[] => {
  const found = new Set<string>();
  const queue = [...roots];
  for (const file of queue) {
    if (!/\.[cm]?js$/.test(file)) continue;
    for (const wanted of findWanted(file)) {
      if (isOptional(wanted.name, file)) continue;
      const path = resolveWanted(wanted, file);
      if (path === null || found.has(path) || !path.includes('node_modules')) continue;
      found.add(path);
      queue.push(path);
    }
  }
  for (const name of Object.keys(manifestOf(root).dependencies ?? {}))
    if (![...found].some((path) => path.startsWith(join(root, 'node_modules', name, '/'))))
      throw new Error(`${name}: got no file of node_modules/${name}, wanted it installed (npm ci)`);
  return [...found];
};

const copy = (file: string): void => {
  const to = join(target, relative(root, file));
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(file, to);
};

const isOurs = (path: string): boolean => !/\.(d\.[cm]?ts|map)$/.test(path);
const isAbout = (name: string): boolean => name === 'package.json' || /^(licen[cs]e|copying|notice)/i.test(name);

rmSync(target, { recursive: true, force: true });
for (const folder of folders)
  cpSync(join(root, 'dist', folder), join(target, 'dist', folder), { recursive: true, filter: isOurs });
const { name, version, type, license, exports, dependencies } = manifestOf(root);
writeFileSync(
  join(target, 'package.json'),
  `${JSON.stringify({ name, version, type, license, exports, dependencies }, null, 2)}\n`,
);
const ours = folders.flatMap((folder) =>
  readdirSync(join(root, 'dist', folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.js'))
    .map((path) => join(root, 'dist', folder, path)),
);
const files = trace(ours);
const packages = [...new Set(files.map(packageOf))].sort();
for (const folder of packages) for (const file of readdirSync(folder)) if (isAbout(file)) copy(join(folder, file));
for (const file of files) copy(file);
// The weights of the agent `net`.
copy(join(root, 'selfplay/nets/default.safetensors'));
process.stdout.write(
  `bindings/python: JavaScript of lepanto ${version}, with ${files.length} files of ${packages.length} packages\n`,
);
