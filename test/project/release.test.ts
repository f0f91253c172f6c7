// Tests what a release needs: one version everywhere, packages with the right content, no trace of the machine on which
// they were made.
import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { topics } from '../../bindings/cli/topics.js';
import { callLepanto, makeFolder } from '../tools/command.js';
import { readText, root } from '../tools/data.js';

const manifest: { version: string; files: string[]; repository: { url: string }; bin: { lepanto: string } } =
  JSON.parse(readText('package.json'));

const release = suite('release');

release('one version stands in every manifest, and the change log has a section for it', () => {
  const { version } = manifest;
  assert.match(readText('bindings/python/pyproject.toml'), new RegExp(`^version = "${version}"$`, 'm'));
  assert.match(readText('bindings/python/src/lepanto/__init__.py'), new RegExp(`^__version__ = "${version}"$`, 'm'));
  assert.is(JSON.parse(readText('package-lock.json')).version, version);
  assert.is(parse(readText('CITATION.cff')).version, version);
  assert.match(readText('CHANGELOG.md'), new RegExp(`^## ${version.replaceAll('.', '\\.')}\\b`, 'm'));
});

release('the citation has what citing needs', () => {
  const citation = parse(readText('CITATION.cff'));
  const published = manifest.repository.url.includes('/OWNER/') ? [] : ['repository-code', 'url'];
  for (const field of ['cff-version', 'message', 'title', 'authors', 'license', ...published])
    assert.ok(Object.hasOwn(citation, field), field);
  assert.match(citation['cff-version'], /^1\.2\./);
});

release('the name of the owner is missing in one file, and one script raises every version', () => {
  const place = makeFolder('release');
  const names = ['package.json', 'package-lock.json', 'CHANGELOG.md', 'CITATION.cff'];
  names.push('bindings/python/pyproject.toml', 'bindings/python/src/lepanto/__init__.py', '.ci/version.mjs');
  for (const name of names) cpSync(join(root, name), join(place, name), { recursive: true });
  const run = (...args: string[]): string =>
    spawnSync(process.execPath, [join(place, '.ci/version.mjs'), ...args], { encoding: 'utf8' }).stderr;
  assert.is(run('9.8.7', 'somebody'), '');
  for (const name of names.slice(0, -1)) {
    const text = readFileSync(join(place, name), 'utf8');
    assert.match(text, /\b9\.8\.7\b/, name);
    assert.not.match(text, /\bOWNER\b/, name);
  }
  assert.is(
    parse(readFileSync(join(place, 'CITATION.cff'), 'utf8'))['repository-code'],
    'https://github.com/somebody/lepanto',
  );
  const lock = JSON.parse(readFileSync(join(place, 'package-lock.json'), 'utf8'));
  assert.equal([lock.version, lock.packages[''].version], ['9.8.7', '9.8.7']);
  assert.match(readFileSync(join(place, 'CHANGELOG.md'), 'utf8'), /^## Unreleased\n\n## 9\.8\.7 - \d{4}-\d\d-\d\d$/m);
  assert.match(run('9.8'), /wanted a version like/);
  const listed = spawnSync('git', ['grep', '-lE', 'OWNER(/lepanto|\\.github)'], { cwd: root, encoding: 'utf8' });
  if (listed.status !== 0) return;
  const lacking = listed.stdout
    .trim()
    .split('\n')
    .filter((name) => !name.startsWith('test/'));
  assert.equal(lacking, ['package.json']);
});

release('packing builds first, so that no package is empty', () => {
  const { scripts } = JSON.parse(readText('package.json'));
  assert.is(scripts.prepack, 'npm run --silent build');
  // npm can pack without scripts, and then a clone that was not built: what is released is looked into.
  const steps = readText('.github/workflows/release.yml');
  assert.match(steps, `tar -tf packages/npm/*.tgz | grep -qx package/${manifest.bin.lepanto.slice(2)}\n`);
  assert.not.match(steps, 'ignore-scripts');
});

release('documents that help prints are in the package', async () => {
  for (const [topic, { path }] of Object.entries(topics)) {
    assert.ok(manifest.files.includes(path), path);
    const { code, out } = await callLepanto(['help', topic]);
    assert.equal([code, out], [0, readText(path)], topic);
  }
});

release('the npm package holds the compiled folders and documents, no tests and no sources', () => {
  const packed = spawnSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: root, encoding: 'utf8' });
  assert.is(packed.status, 0, packed.stderr);
  const [{ files }]: [{ files: { path: string }[] }] = JSON.parse(packed.stdout);
  const names = files.map(({ path }) => path);
  for (const wanted of ['LICENSE', 'README.md', 'CHANGELOG.md', 'dist/engine/index.js', 'dist/engine/index.d.ts'])
    assert.ok(names.includes(wanted), wanted);
  const foreign = names.filter(
    (name) => name.startsWith('dist/test') || (name.endsWith('.ts') && !name.endsWith('.d.ts')),
  );
  assert.equal(foreign, []);
});

release('no document names a folder of the machine it was written on', () => {
  const listed = spawnSync('git', ['ls-files', '*.md', '*.json', '*.yml', '*.toml'], { cwd: root, encoding: 'utf8' });
  const names = listed.stdout
    .trim()
    .split('\n')
    .filter((name) => name !== 'package-lock.json');
  assert.ok(listed.status !== 0 || names.length > 10, listed.stderr);
  const machine = /(^|[^\w./-])\/(tmp|root|home|Users)\/[a-z]/;
  const found = listed.status === 0 ? names.filter((name) => machine.test(readText(name))) : [];
  assert.equal(found, []);
});

release.run();
