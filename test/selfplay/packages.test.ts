// Tests where optional packages are looked for, by a copy of the module in a place without any, as after `pip install`.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { makeFolder } from '../tools/command.js';

const built = fileURLToPath(new URL('../../', import.meta.url));
const place = makeFolder('packages');
const site = join(place, 'site-packages/js');
for (const path of ['selfplay/packages.js', 'engine/rules/error.js'])
  cpSync(join(built, path), join(site, 'dist', path));
writeFileSync(join(site, 'package.json'), '{ "type": "module", "version": "1.0.0" }');

/** Makes a package whose main file is given. */
const install = (folder: string, main: string): void => {
  mkdirSync(join(folder, 'node_modules/wanted'), { recursive: true });
  writeFileSync(join(folder, 'node_modules/wanted/index.js'), main);
};

const load = (cwd: string, NODE_PATH = ''): string => {
  const program = `import { loadPackage } from ${JSON.stringify(join(site, 'dist/selfplay/packages.js'))};
    try { console.log(loadPackage('wanted', '--to wish', 'wanted more').name); } catch (error) { console.log(error.message); }`;
  mkdirSync(cwd, { recursive: true });
  const env = { ...process.env, NODE_PATH };
  const args = ['--input-type=module', '-e', program];
  return spawnSync(process.execPath, args, { cwd, encoding: 'utf8', env }).stdout.trim();
};

const packages = suite('packages');

packages('a package is found where the user works, in a directory above it and on NODE_PATH', () => {
  const [work, other, empty] = ['work', 'other', 'empty'].map((name) => join(place, name));
  install(work, "exports.name = 'of the working directory';");
  install(other, "exports.name = 'of NODE_PATH';");
  assert.is(load(work), 'of the working directory');
  assert.is(load(join(work, 'deep/down')), 'of the working directory');
  assert.is(load(empty, join(other, 'node_modules')), 'of NODE_PATH');
  assert.is(
    load(empty),
    `--to wish: got no package wanted, wanted it in ${empty}, a directory above it or one of NODE_PATH: npm install wanted more`,
  );
  install(site, "exports.name = 'of Lepanto';");
  assert.is(load(work), 'of Lepanto');
});

packages('a package that is there and cannot be loaded is not called missing', () => {
  const broken = join(place, 'broken');
  install(site, "throw new Error('built for another system');");
  assert.is(load(broken), '--to wish: cannot load package wanted: built for another system');
});

packages.run();
