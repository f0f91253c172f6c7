// Every public name has a docstring, and TypeDoc makes pages of them without a complaint.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const typedoc = join(root, 'test/docs/node_modules/typedoc/bin/typedoc');

/**
 * What lacks a docstring, of TypeDoc's warnings. A member of a family of constants (`Phase.MOVEMENT`) is documented at the
 * family, a setter at its getter, a rule option (which has no file) in the table of its kind.
 */
const undocumented = (warnings: string): string[] =>
  [...warnings.matchAll(/^\[warning\] (\S+) \((\w+)\), defined in (\S+), does not have any documentation$/gm)]
    .filter(([, name, kind, file]) => !name.includes('__type') && kind !== 'SetSignature' && !file.endsWith('/'))
    .map(([, name, , file]) => `${name} in ${file}`);

const docs = suite('docs');

docs('the filter keeps what lacks a docstring, and nothing else', () => {
  const line = (name: string, kind: string): string =>
    `[warning] ${name} (${kind}), defined in lepanto/engine/x.ts, does not have any documentation`;
  const warnings = [
    line('engine.play', 'CallSignature'),
    line('engine.Phase.__type.MOVEMENT', 'Property'),
    line('engine.Game.year', 'SetSignature'),
    '[warning] Found 0 errors and 3 warnings',
  ];
  assert.equal(undocumented(warnings.join('\n')), ['engine.play in lepanto/engine/x.ts']);
});

docs('every public name is documented', () => {
  assert.ok(existsSync(typedoc), 'got no TypeDoc, wanted it installed by npm ci');
  const args = [typedoc, '--options', 'test/docs/typedoc.json', '--emit', 'none'];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1' },
  });
  assert.is(status, 0, stderr);
  // The list is empty because all is documented, not because nothing was read.
  assert.match(stdout + stderr, /Found 0 errors and \d+ warnings/);
  assert.equal(undocumented(stdout + stderr), []);
});

docs.run();
