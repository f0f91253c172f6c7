// Tests that runs recorded by version 0.2.0 are read, resumed and converted. Each is a run of one game:
// lepanto selfplay --seed 7 --until 1901 --agents random, but
//
//   records-2-s004       --rules s004, the former name of strict-2003
//   records-2-long-game  --until 1910 --agents hold --rules dptg,cutFromOrigin=no
//   records-3-targets    --agents search:rollouts=50 --targets
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Manifest, readManifest, rulesOfRun } from '../../../selfplay/records/manifest.js';
import { type Ended, makeFolder, runLepanto } from '../../tools/command.js';

const folder = fileURLToPath(new URL('../../../../test/data/former/', import.meta.url));
const runs = suite('runs of version 0.2.0');
const temporary = makeFolder('former');

const lepanto = (...args: readonly string[]): Ended => runLepanto(args);

/** Name of the rules that a run was played by, as it is read today. */
const recorded: Readonly<Record<string, string>> = {
  'records-2-long-game': 'dptg,cutFromOrigin=no',
  'records-2-s004': 'strict-2003',
  'records-3-targets': 'datc-3.2',
};

runs('each is there', () => assert.equal(readdirSync(folder).sort(), Object.keys(recorded)));

for (const [name, rules] of Object.entries(recorded)) {
  runs(`${name}: every phase is the same today`, () => {
    const directory = join(folder, name);
    assert.is(rulesOfRun(readManifest(directory)).name, rules);
    assert.match(lepanto('replay', directory, '--verify', '--quiet').out, /^1 games, \d+ phases: no difference$/m);
  });

  // Search has lost the option `version` since.
  if (name !== 'records-3-targets')
    runs(`${name}: the command in its manifest resumes it`, () => {
      const directory = join(temporary, name);
      cpSync(join(folder, name), directory, { recursive: true });
      const [, ...args] = (readManifest(directory).command ?? '').split(' ');
      const resumed = lepanto(...args, '--out', directory, '--resume', '--workers', '1', '--quiet');
      assert.match(resumed.out, /^games +1, 1 of them found finished$/m, resumed.err);
    });
}

runs('stats, replay and convert read them', () => {
  const directory = join(folder, 'records-2-s004');
  assert.match(lepanto('stats', directory, '--quiet').out, /^games +1$/m);
  assert.is(JSON.parse(lepanto('replay', directory, '--json').out).rules, 'strict-2003');
  const { code, err } = lepanto('convert', directory, join(temporary, 'changed.jsonl'), '--quiet');
  assert.equal([code, err], [0, '']);
});

runs('an id of other rules, or a name that says nothing, is refused', () => {
  const source = join(folder, 'records-2-s004');
  const manifest = readManifest(source);
  const refused = (rules: Manifest['rules'], message: string): void =>
    assert.throws(() => rulesOfRun({ ...manifest, rules }), message);
  refused({ name: '1971', id: manifest.rules.id }, `rules 1971: got id ${manifest.rules.id}, wanted `);
  refused({ name: 'datc-3.2', id: 5 }, 'rules datc-3.2: got id 5, wanted 12800');
  refused({ name: 'datc-3.2,waive=no', id: 12_800 }, 'got option "waive", wanted one of convoyRoutes');
  const directory = join(temporary, 'other');
  cpSync(source, directory, { recursive: true });
  const path = join(directory, 'manifest.json');
  writeFileSync(path, readFileSync(path, 'utf8').replace(String(manifest.rules.id), '7'));
  for (const command of [
    ['replay', directory, '--verify'],
    ['stats', directory],
    ['convert', directory],
  ])
    assert.match(lepanto(...command).err, `rules s004: got id 7, wanted ${manifest.rules.id}`, command[0]);
});

runs.run();
