// Puts the built JavaScript, and the files of other packages that it loads, into the Python package: run by
// `npm run build:python`.
//
// Of another package it takes only the files that Lepanto's files reach by import, by require() and by paths relative to
// their own location, as esbuild finds them, with the package.json and the licence. It takes only pure JavaScript, so that
// one wheel serves all machines, and leaves out optional native code, which the server can do without.
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const target = join(root, 'bindings/python/src/lepanto/js');
const folders = ['engine', 'selfplay', 'bindings', 'bench'];

interface Manifest {
  readonly name?: string;
  readonly version?: string;
  readonly type?: string;
  readonly license?: string;
  readonly exports?: object;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: object;
  readonly optionalDependencies?: object;
  readonly peerDependencies?: object;
}

const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;

/** The folder of the package that a file belongs to. */
const packageOf = (file: string): string => {
  let folder = dirname(file);
  while (!existsSync(join(folder, 'package.json')) || manifestOf(folder).name === undefined) folder = dirname(folder);
  return folder;
};

/** Files that a file names beside itself in a path: the workers of pools. */
const filesBeside = (file: string): string[] =>
  Array.from(readFileSync(file, 'utf8').matchAll(/\b__dirname\s*,\s*['"]([^'"]+)['"]/g), ([, name = '']) =>
    join(dirname(file), name),
  ).filter((path) => path.endsWith('.js') && existsSync(path));

/** The files of packages that these files reach, and those that these reach in turn. */
const filesInPackages = async (files: readonly string[], external: readonly string[]): Promise<string[]> => {
  const found = new Set<string>();
  for (let entryPoints = [...files]; entryPoints.length > 0; ) {
    const { metafile } = await build({
      ...{ entryPoints, external: [...external], absWorkingDir: root, outdir: target },
      ...{ bundle: true, metafile: true, write: false, platform: 'node', format: 'esm', logLevel: 'error' },
    });
    const reached = Object.keys(metafile.inputs).filter((path) => path.startsWith('node_modules/'));
    const fresh = reached.map((path) => join(root, path)).filter((path) => !found.has(path));
    for (const path of fresh) found.add(path);
    entryPoints = fresh.flatMap(filesBeside).filter((path) => !found.has(path));
  }
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
const { name, version, type, license, exports, dependencies = {}, ...others } = manifestOf(root);
writeFileSync(
  join(target, 'package.json'),
  `${JSON.stringify({ name, version, type, license, exports, dependencies }, null, 2)}\n`,
);
const ours = folders.flatMap((folder) =>
  readdirSync(join(root, 'dist', folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.js'))
    .map((path) => join(root, 'dist', folder, path)),
);
const native = ['msgpackr-extract', '@napi-rs/*'];
const files = await filesInPackages(ours, [
  ...Object.keys({ ...others.devDependencies, ...others.optionalDependencies, ...others.peerDependencies }),
  ...native,
]);
for (const wanted of Object.keys(dependencies))
  if (!files.some((path) => path.startsWith(join(root, 'node_modules', wanted, '/'))))
    throw new Error(`${wanted}: got no file of node_modules/${wanted}, wanted it installed (npm ci)`);
const packages = [...new Set(files.map(packageOf))].sort();
for (const folder of packages) for (const file of readdirSync(folder)) if (isAbout(file)) copy(join(folder, file));
for (const file of files) copy(file);
// The weights of the agent `net`.
copy(join(root, 'selfplay/nets/default.safetensors'));
process.stdout.write(
  `bindings/python: JavaScript of lepanto ${version}, with ${files.length} files of ${packages.length} packages\n`,
);
