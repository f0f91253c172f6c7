// Every public name has a docstring, and TypeDoc makes pages of them without a complaint.
import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { makeFolder } from '../tools/command.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const typedoc = join(root, 'test/docs/node_modules/typedoc/bin/typedoc');

const run = (...args: string[]): SpawnSyncReturns<string> =>
  spawnSync(process.execPath, [typedoc, '--emit', 'none', ...args], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1' },
  });

const docs = suite('docs');

docs('every public name is documented', () => {
  assert.ok(existsSync(typedoc), 'got no TypeDoc, wanted it installed by npm ci');
  const { status, stdout, stderr } = run('--options', 'test/docs/typedoc.json', '--treatWarningsAsErrors');
  assert.not.match(stdout + stderr, /warning\]/);
  assert.is(status, 0, stderr);
});

docs('what lacks a docstring is named, but for members of families', () => {
  const place = makeFolder('docs');
  const source = join(place, 'x.ts');
  writeFileSync(
    source,
    'export const play = (): void => {};\n/** Documented. */\nexport const Kind: { readonly A: 0 } = { A: 0 };\n',
  );
  writeFileSync(join(place, 'package.json'), '{"name": "x"}');
  writeFileSync(
    join(place, 'tsconfig.json'),
    '{"files": ["x.ts"], "compilerOptions": {"skipLibCheck": true, "types": []}}',
  );
  const kinds = ['Function', 'Variable', 'Property'].flatMap((kind) => ['--requiredToBeDocumented', kind]);
  const { stdout, stderr } = run(
    ...['--plugin', join(root, 'test/docs/plugin.mjs'), '--validation.notDocumented', ...kinds],
    ...['--entryPoints', source, '--tsconfig', join(place, 'tsconfig.json'), '--packagesRequiringDocumentation', 'x'],
  );
  const warnings = [...(stdout + stderr).matchAll(/^\[warning\] (\S+) .*not have any documentation$/gm)];
  assert.equal(
    warnings.map(([, name]) => name),
    ['play'],
  );
});

docs.run();
