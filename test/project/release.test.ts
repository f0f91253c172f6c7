// Tests what a release needs: one version everywhere, packages with the right content, no trace of the machine on which
// they were made.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const manifest: { version: string; files: string[]; engines: { node: string } } = JSON.parse(read('package.json'));

const release = suite('release');

release('one version stands in every manifest, and the change log has a section for it', () => {
  const { version } = manifest;
  assert.match(read('bindings/python/pyproject.toml'), new RegExp(`^version = "${version}"$`, 'm'));
  assert.match(read('bindings/python/src/lepanto/__init__.py'), new RegExp(`^__version__ = "${version}"$`, 'm'));
  assert.is(JSON.parse(read('package-lock.json')).version, version);
  assert.is(parse(read('CITATION.cff')).version, version);
  assert.match(read('CHANGELOG.md'), new RegExp(`^## ${version.replaceAll('.', '\\.')}\\b`, 'm'));
});

release('the citation has what citing needs', () => {
  const citation = parse(read('CITATION.cff'));
  for (const field of ['cff-version', 'message', 'title', 'authors', 'license', 'repository-code'])
    assert.ok(Object.hasOwn(citation, field), field);
  assert.match(citation['cff-version'], /^1\.2\./);
});

release('the command of CONTRIBUTING.md puts the name of the owner wherever it is missing', () => {
  const [, named = ''] = /sed -i 's\/OWNER\/name\/g' ([^`]+)`/.exec(read('CONTRIBUTING.md')) ?? [];
  const listed = spawnSync('git', ['grep', '-lE', 'OWNER(/lepanto|\\.github)'], { cwd: root, encoding: 'utf8' });
  if (listed.status !== 0) return;
  const names = listed.stdout.trim().split('\n');
  assert.equal(names.filter((name) => !/^(test\/|CONTRIBUTING\.md)/.test(name)).sort(), named.split(/\s+/).sort());
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
  const found = listed.status === 0 ? names.filter((name) => machine.test(read(name))) : [];
  assert.equal(found, []);
});

release.run();
