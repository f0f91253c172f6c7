// Tests files written by commit 576c1e3 (records-1-dptg: commit e37a2e1, the last one of record version 1), when the id
// of rules still covered the options of reading orders and of running games. Rules that adjudicate alike must read
// them.
//
//   games.json      writeGame() of the start, and the id, under some rules
//   ids.json        ids by the text of the rules
//   records-*       runs of one game: lepanto selfplay --seed 7 --until 1901 --agents random --rules ...
//                   records-2-long-game: --until 1910 --agents hold --rules dptg
//                   records-3-targets: --agents search:rollouts=50 --targets, the first commit of record version 3
//   batch-*.bin     Batch.save() of the Python package (bindings/python/tests/test_batch.py reads them)
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ruleSetByName } from '../../../bindings/notation/text/rule-set.js';
import { DATC_3_2, hashGame, newGame, readGame, standard, writeGame } from '../../../engine/internal.js';
import { isFormerId } from '../../../engine/rules/former-rules.js';
import { presetNames } from '../../../engine/rules/rule-text.js';
import { type Manifest, readManifest, rulesOfRun } from '../../../selfplay/records/manifest.js';

const folder = fileURLToPath(new URL('../../../../test/data/former/', import.meta.url));
const readJson = (name: string): unknown => JSON.parse(readFileSync(join(folder, name), 'utf8'));

const ids = suite('ids of rules before 0.2.0');
const formerIds = Object.entries(readJson('ids.json') as Record<string, number>);

ids('each is known to the rules of its text, and to no preset that adjudicates otherwise', () => {
  assert.ok(formerIds.length > 140);
  const presets = presetNames.map((name) => ruleSetByName(name).adjudication);
  for (const [text, id] of formerIds) {
    const { adjudication } = ruleSetByName(text);
    assert.ok(isFormerId(adjudication, id), text);
    const others = presets.filter((other) => other.id !== adjudication.id);
    // Trying out all former options takes its time: single options are held against one preset, presets against all.
    for (const other of presetNames.some((name) => name === text) ? others : [others[id % others.length]])
      assert.not(isFormerId(other, id), `${text} as ${other.name}`);
  }
});

ids('the ids of today belong to no other rules', () => {
  const all = [...new Set(formerIds.map(([text]) => ruleSetByName(text).adjudication))];
  assert.is(new Set(all.map(({ id }) => id)).size, all.length);
  for (const { id, name } of all) if (id !== DATC_3_2.id) assert.not(isFormerId(DATC_3_2, id), name);
});

ids('options of adjudication alone make the same id as ever', () => {
  for (const [text, id] of formerIds) {
    const rules = ruleSetByName(text);
    if (/^datc-3\.2,/.test(text) && rules.name === rules.adjudication.name) assert.is(rules.adjudication.id, id, text);
  }
});

ids.run();

// ---- games ----

const games = suite('games written before 0.2.0');

games('are read under the options of adjudication that they were written under, and no others', () => {
  const rows = readJson('games.json') as { rules: string; id: number; bytes: string }[];
  assert.is(rows.length, 6);
  for (const { rules: text, id, bytes } of rows) {
    const data = Buffer.from(bytes, 'base64');
    const rules = ruleSetByName(text).adjudication;
    const game = readGame(standard, rules, data);
    assert.equal(hashGame(game), hashGame(newGame(standard, rules)));
    // Read again under rules that differ in nothing but the reading of orders.
    for (const more of ['proxyOrders=announced', 'waive=no', 'longGameDraw=yes'])
      readGame(standard, ruleSetByName(`${rules.name},${more}`).adjudication, writeGame(game));
    const other = ruleSetByName(rules.name.startsWith('1982') ? '2000' : '1982').adjudication;
    assert.throws(
      () => readGame(standard, other, data),
      `saved game, id of rules ${other.name}: got ${id}, wanted ${other.id}`,
    );
  }
});

games.run();

// ---- runs ----

const runs = suite('runs recorded before 0.2.0');
const temporary = mkdtempSync(join(tmpdir(), 'lepanto-former-'));
runs.after(() => rmSync(temporary, { recursive: true, force: true }));

const entry = fileURLToPath(new URL('../../../bindings/cli/lepanto.js', import.meta.url));
const lepanto = (...args: readonly string[]): { out: string; talk: string; code: number | null } => {
  const child = spawnSync(process.execPath, [entry, ...args], { encoding: 'utf8', timeout: 60_000 });
  return { out: child.stdout, talk: child.stderr, code: child.status };
};

/** Name of the rules that a run was played by, as it is read today. */
const recorded: Readonly<Record<string, string>> = {
  'records-1-dptg': 'dptg',
  'records-2-changed': '2000,paradox=allHold',
  'records-2-long-game': 'dptg',
  'records-2-proxy-orders': 'datc-3.2',
  'records-2-s004': 's004',
  'records-3-targets': 'datc-3.2',
};

runs('each is there', () => {
  const names = readdirSync(folder).filter((name) => name.startsWith('records-'));
  assert.equal(names.sort(), Object.keys(recorded));
});

for (const [name, rules] of Object.entries(recorded)) {
  runs(`${name}: every phase is the same today`, () => {
    const directory = join(folder, name);
    assert.is(rulesOfRun(readManifest(directory)).name, rules);
    assert.match(lepanto('replay', directory, '--verify', '--quiet').out, /^1 games, \d+ phases: no difference$/m);
  });

  if (!name.startsWith('records-1'))
    runs(`${name}: the command in its manifest resumes it`, () => {
      const directory = join(temporary, name);
      cpSync(join(folder, name), directory, { recursive: true });
      const [, ...args] = readManifest(directory).command.split(' ');
      const resumed = lepanto(...args, '--out', directory, '--resume', '--workers', '1', '--quiet');
      assert.match(resumed.out, /^games +1, 1 of them found finished$/m, resumed.talk);
    });
}

runs('stats, replay and convert read them', () => {
  const directory = join(folder, 'records-2-changed');
  assert.match(lepanto('stats', directory, '--quiet').out, /^games +1$/m);
  assert.is(JSON.parse(lepanto('replay', directory, '--json').out).rules, '2000,paradox=allHold');
  const { code, talk } = lepanto('convert', directory, join(temporary, 'changed.jsonl'), '--quiet');
  assert.equal([code, talk], [0, '']);
});

runs('an id of other rules, or a name that says nothing, is refused', () => {
  const manifest = readManifest(join(folder, 'records-2-proxy-orders'));
  const refused = (rules: Manifest['rules'], message: string): void =>
    assert.throws(() => rulesOfRun({ ...manifest, rules }), message);
  refused({ name: '1971', id: manifest.rules.id }, `rules 1971: got id ${manifest.rules.id}, wanted `);
  refused({ name: 'datc-3.2', id: 5 }, 'rules datc-3.2: got id 5, wanted 12800');
  refused({ name: 'datc-3.2,proxyVotes=set', id: 12_800 }, 'got option "proxyVotes", wanted one of convoyRoutes');
  const directory = join(temporary, 'other');
  cpSync(join(folder, 'records-2-proxy-orders'), directory, { recursive: true });
  const path = join(directory, 'manifest.json');
  writeFileSync(path, readFileSync(path, 'utf8').replace(String(manifest.rules.id), '7'));
  for (const command of [
    ['replay', directory, '--verify'],
    ['stats', directory],
    ['convert', directory],
  ])
    assert.match(lepanto(...command).talk, 'rules datc-3.2,proxyOrders=set: got id 7, wanted 12800', command[0]);
});

runs.run();
