// Copies the built JavaScript, and the files that it loads from other packages, into the Python package.
//
//   node package.js                               into the sources, for this machine (`npm run build:python`)
//   node package.js --wheels DIR [PLATFORM]...    makes wheels (`npm run build:wheels`); default: for all platforms
//
// From another package it copies package.json, the licence, and only the files that Lepanto loads by import, by
// require() or by a path relative to the loading file, as esbuild finds them. The only native code is koffi, which is
// optional: a wheel for a platform has it, the wheel `any` does not.
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const project = join(root, 'bindings/python');
/** Directory of the JavaScript in the Python project. */
const inside = 'src/lepanto/js';
const NATIVE = '@koromix/koffi-';
/** Platforms with a separate wheel, by koffi's names. setup.py has their names in Python. */
const platforms = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'];
const ANY = 'any';
const folders = ['engine', 'selfplay', 'bindings', 'bench'];

interface Manifest {
  readonly name?: string;
  readonly version?: string;
  readonly type?: string;
  readonly license?: string;
  readonly homepage?: string;
  readonly bugs?: string;
  readonly repository?: object;
  readonly exports?: object;
  readonly files?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: object;
  readonly optionalDependencies?: object;
  readonly peerDependencies?: object;
}

const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;

/** Returns the directory of the package that a file belongs to. */
const packageOf = (file: string): string => {
  let folder = dirname(file);
  while (!existsSync(join(folder, 'package.json')) || manifestOf(folder).name === undefined) folder = dirname(folder);
  return folder;
};

/** Returns the existing .js files that a file names relative to `__dirname`, such as workers of pools. */
const filesBeside = (file: string): string[] =>
  Array.from(readFileSync(file, 'utf8').matchAll(/\b__dirname\s*,\s*['"]([^'"]+)['"]/g), ([, name = '']) =>
    join(dirname(file), name),
  ).filter((path) => path.endsWith('.js') && existsSync(path));

/** Returns all files in node_modules that the given files load, directly or indirectly. */
const filesInPackages = async (files: readonly string[], external: readonly string[]): Promise<string[]> => {
  const found = new Set<string>();
  for (let entryPoints = [...files]; entryPoints.length > 0; ) {
    const { metafile } = await build({
      ...{ entryPoints, external: [...external], absWorkingDir: root, outdir: project },
      ...{ bundle: true, metafile: true, write: false, platform: 'node', format: 'esm', logLevel: 'error' },
    });
    const reached = Object.keys(metafile.inputs).filter((path) => path.startsWith('node_modules/'));
    const fresh = reached.map((path) => join(root, path)).filter((path) => !found.has(path));
    for (const path of fresh) found.add(path);
    entryPoints = fresh.flatMap(filesBeside).filter((path) => !found.has(path));
  }
  return [...found];
};

/** Returns package names followed by the names of all their dependencies. */
const withNeeded = (names: readonly string[]): string[] =>
  names.flatMap((name) => [
    name,
    ...withNeeded(Object.keys(manifestOf(join(root, 'node_modules', name)).dependencies ?? {})),
  ]);

const isOurs = (path: string): boolean => !/\.(d\.[cm]?ts|map)$/.test(path);
/** Checks that a package has a licence file, which must be copied with it. @throws Error if it has none */
const expectLicence = (folder: string): void => {
  if (!readdirSync(folder).some((name) => /^(licen[cs]e|copying)/i.test(name)))
    throw new Error(`${folder}: got no file of its licence, wanted one`);
};

const isAbout = (name: string): boolean => name === 'package.json' || /^(licen[cs]e|copying|notice)/i.test(name);

/** Copies a file of the repository to the same place under a folder. */
const copyInto = (target: string, file: string): void => {
  const to = join(target, relative(root, file));
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(file, to);
};

/**
 * Copies the engine, and the files that it loads, into a directory. Creates the directory if it is missing.
 * @throws Error if a package that the engine needs is not installed
 */
const copyEngine = async (target: string): Promise<void> => {
  for (const folder of folders)
    cpSync(join(root, 'dist', folder), join(target, 'dist', folder), { recursive: true, filter: isOurs });
  const {
    name,
    version,
    type,
    license,
    homepage,
    bugs,
    repository,
    exports,
    dependencies = {},
    files: shipped = [],
    ...others
  } = manifestOf(root);
  const about = { name, version, type, license, homepage, bugs, repository, exports, dependencies };
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(about, null, 2)}\n`);
  const ours = folders.flatMap((folder) =>
    readdirSync(join(root, 'dist', folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.js'))
      .map((path) => join(root, 'dist', folder, path)),
  );
  const native = ['@napi-rs/*'];
  const installed = withNeeded(Object.keys(dependencies));
  const notInstalled = Object.keys({
    ...others.devDependencies,
    ...others.optionalDependencies,
    ...others.peerDependencies,
  }).filter((name) => !installed.includes(name));
  const files = await filesInPackages(ours, [...notInstalled, ...native]);
  for (const wanted of Object.keys(dependencies))
    if (!files.some((path) => path.startsWith(join(root, 'node_modules', wanted, '/'))))
      throw new Error(`${wanted}: got no file of node_modules/${wanted}, wanted it installed (npm ci)`);
  const packages = [...new Set(files.map(packageOf))].sort();
  packages.forEach(expectLicence);
  for (const folder of packages)
    for (const file of readdirSync(folder)) if (isAbout(file)) copyInto(target, join(folder, file));
  for (const file of files) copyInto(target, file);
  for (const document of shipped.filter((name) => name.endsWith('.md') && name.includes('/')))
    copyInto(target, join(root, document));
  // Weights of the agent `net`.
  copyInto(target, join(root, 'selfplay/nets/default.safetensors'));
  process.stdout.write(
    `bindings/python: JavaScript of lepanto ${version}, with ${files.length} files of ${packages.length} packages\n`,
  );
};

/**
 * Returns the directory of koffi's native package for a platform. Fetches the lock file's version if it is missing.
 * @param scratch directory for the fetched package
 * @throws Error if the hash of the fetched package is not that of the lock file
 */
const nativeFolder = (platform: string, scratch: string): string => {
  const name = `${NATIVE}${platform}`;
  const installed = join(root, 'node_modules', name);
  if (existsSync(installed)) return installed;
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const { version, integrity } = packages[`node_modules/${name}`];
  const said = execFileSync('npm', ['pack', `${name}@${version}`, '--json', '--prefer-offline'], {
    cwd: scratch,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  const [packed]: { filename: string; integrity: string }[] = JSON.parse(said);
  if (packed.integrity !== integrity)
    throw new Error(`${name}@${version}: got ${packed.integrity}, wanted ${integrity} as in package-lock.json`);
  execFileSync('tar', ['-xzf', packed.filename], { cwd: scratch });
  return join(scratch, 'package');
};

/** Adds koffi for a platform to a copy of the engine. */
const addKoffi = async (target: string, platform: string): Promise<void> => {
  const scratch = mkdtempSync(join(tmpdir(), 'lepanto-koffi-'));
  try {
    const koffi = join(root, 'node_modules/koffi');
    const native = join(target, 'node_modules', `${NATIVE}${platform}`);
    cpSync(nativeFolder(platform, scratch), native, { recursive: true });
    // Koffi's native packages are built from its sources and contain no licence file, so copy koffi's.
    for (const file of readdirSync(koffi))
      if (/^licen[cs]e/i.test(file)) copyFileSync(join(koffi, file), join(native, file));
    expectLicence(native);
    for (const file of readdirSync(koffi)) if (isAbout(file)) copyInto(target, join(koffi, file));
    for (const file of await filesInPackages([join(koffi, 'index.cjs')], [`${NATIVE}*`])) copyInto(target, file);
  } finally {
    rmSync(scratch, { recursive: true });
  }
};

/**
 * Writes a wheel for each platform to a directory. Builds in copies of the project, because setuptools leaves files
 * next to the sources.
 */
const makeWheels = async (folder: string, wanted: readonly string[]): Promise<void> => {
  const scratch = mkdtempSync(join(tmpdir(), 'lepanto-wheels-'));
  try {
    const own = join(project, inside);
    const isSource = (path: string): boolean =>
      path !== own && !/\/(build|dist|[^/]+\.egg-info|__pycache__)$/.test(path);
    const copy = join(scratch, 'project');
    cpSync(project, copy, { recursive: true, filter: isSource });
    await copyEngine(join(copy, inside));
    const wheels = join(scratch, 'wheels');
    // Build tools, installed once for all wheels.
    const tools = join(scratch, 'tools');
    const pip = (...args: string[]): Buffer =>
      execFileSync('python3', ['-m', 'pip', ...args, '--quiet'], {
        stdio: 'inherit',
        env: { ...process.env, PYTHONPATH: tools, PIP_ROOT_USER_ACTION: 'ignore' },
      });
    pip('install', '--target', tools, 'setuptools>=70.1');
    for (const platform of wanted) {
      for (const left of ['build', join(inside, 'node_modules/@koromix'), join(inside, 'node_modules/koffi')])
        rmSync(join(copy, left), { recursive: true, force: true });
      if (platform !== ANY) await addKoffi(join(copy, inside), platform);
      pip('wheel', '--no-build-isolation', '--no-deps', '--wheel-dir', wheels, copy);
    }
    mkdirSync(folder, { recursive: true });
    for (const name of readdirSync(wheels)) {
      // Copies before renaming, because the directory may be on another disk.
      const part = join(folder, `.${name}.part`);
      copyFileSync(join(wheels, name), part);
      renameSync(part, join(folder, name));
      process.stdout.write(`${join(folder, name)}\n`);
    }
  } finally {
    rmSync(scratch, { recursive: true });
  }
};

const [option, folder, ...named] = process.argv.slice(2);
if (option === undefined) {
  const target = join(project, inside);
  rmSync(target, { recursive: true, force: true });
  await copyEngine(target);
  const here = `${process.platform}-${process.arch}`;
  if (platforms.includes(here) && existsSync(join(root, 'node_modules', `${NATIVE}${here}`)))
    await addKoffi(target, here);
} else {
  const unknown = named.find((name) => name !== ANY && !platforms.includes(name));
  if (option !== '--wheels' || folder === undefined || unknown !== undefined)
    throw new Error(`got ${unknown ?? option}, wanted --wheels DIR and some of ${[...platforms, ANY].join(', ')}`);
  await makeWheels(resolve(folder), named.length > 0 ? named : [...platforms, ANY]);
}
