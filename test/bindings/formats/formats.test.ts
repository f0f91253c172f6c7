// Tests recorded games of other programs: round trips of random games, and files that are cut, broken or hostile.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { formatDatc } from '../../../bindings/formats/games/notation.js';
import { parseSavedGame } from '../../../bindings/formats/games/read.js';
import { type Disagreement, replayRaw } from '../../../bindings/formats/games/replay-raw.js';
import { savedGame } from '../../../bindings/formats/games/write-saved.js';
import { DATC_3_2, Random, standard } from '../../../engine/internal.js';
import { adjudicateRecord } from '../../../engine/notation/json/adjudicate-record.js';
import { MAX_DEPTH, parseStrict } from '../../../engine/notation/json/untrusted.js';
import { parseOrder } from '../../../engine/notation/text/index.js';
import { DEFAULT_RULES, ruleSetByName } from '../../../engine/notation/text/rule-set.js';
import { hasCode } from '../../../engine/rules/error.js';
import { callLepanto, type Ended, makeFolder } from '../../tools/command.js';
import { saying } from '../../tools/errors.js';

const directory = makeFolder('formats');

const lepanto = (...args: string[]): Promise<Ended> => callLepanto(args);

interface Saved {
  phases: {
    name: string;
    state: { zobrist_hash: string; units: Record<string, string[]> };
    orders: Record<string, string[]>;
    results: Record<string, string[]>;
  }[];
}

const file = (name: string, text: string): string => {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
};

await lepanto('selfplay', '--games', '6', '--until', '1906', '--out', join(directory, 'run'), '--quiet');
const runs = join(directory, 'run');

const formats = suite('formats');

formats('saved games of both dialects come back as they were', async () => {
  for (const dialect of ['diplomacy', 'dipcc']) {
    const [first, lep, second] = [`${dialect}1.jsonl`, `${dialect}.lep`, `${dialect}2.jsonl`].map((name) =>
      join(directory, name),
    );
    assert.is((await lepanto('convert', runs, first, '--to', dialect, '--quiet')).code, 0);
    assert.is((await lepanto('convert', first, lep, '--quiet')).code, 0);
    assert.is((await lepanto('convert', lep, second, '--to', dialect, '--quiet')).code, 0);
    assert.is(
      readFileSync(first, 'utf8').replace(/"id":"[^"]*"/g, ''),
      readFileSync(second, 'utf8').replace(/"id":"[^"]*"/g, ''),
    );
    assert.is(readFileSync(first, 'utf8').trim().split('\n').length, 6);
    assert.is((await lepanto('replay', lep, '--verify')).code, 0);
  }
});

formats('the first position has the hash that the package gives it', () => {
  const saved = savedLine();
  assert.is(saved.phases[0].name, 'S1901M');
  assert.is(saved.phases[0].state.zobrist_hash, '1919110489198082658');
  assert.equal(saved.phases[0].state.units.RUSSIA, ['A MOS', 'F SEV', 'F STP/SC', 'A WAR']);
});

await lepanto('convert', runs, join(directory, 'one.jsonl'), '--quiet');
const [firstLine] = readFileSync(join(directory, 'one.jsonl'), 'utf8').split('\n');
const savedLine = (): Saved => JSON.parse(firstLine) as Saved;

formats('a recorded position that does not come about is named, and the game goes on', async () => {
  const saved = savedLine();
  const last = saved.phases.length - 1;
  saved.phases[1].state.units.FRANCE = [];
  const replayed = replayRaw(standard, DEFAULT_RULES, parseSavedGame(JSON.stringify(saved)));
  assert.ok(replayed.disagreements.length > 0);
  assert.is(replayed.disagreements[0].phase, saved.phases[1].name);
  assert.ok(replayed.record.phases.length >= last);
  const shown = await lepanto('convert', file('wrong.json', JSON.stringify(saved)));
  assert.is(shown.code, 1);
  assert.match(shown.err, new RegExp(`${saved.phases[1].name} .*recorded`));
});

formats('results use the words of the package', () => {
  const orders = { FRANCE: ['A PAR - BUR'], GERMANY: ['A MUN - BUR'], ITALY: ['A VEN S A ROM'] };
  const start = savedLine().phases[0];
  const text = JSON.stringify({ id: 'x', map: 'standard', phases: [{ ...start, orders }] });
  const { record, unfinished } = replayRaw(standard, DEFAULT_RULES, parseSavedGame(text));
  const saved = savedGame(standard, DATC_3_2, record, { id: 'x', dialect: 'diplomacy' }) as Saved;
  assert.ok(unfinished);
  assert.equal(saved.phases[0].results['A PAR'], ['bounce']);
  assert.equal(saved.phases[0].results['A MUN'], ['bounce']);
  assert.equal(saved.phases[0].results['A VEN'], []);
  assert.is(saved.phases[1].name, 'F1901M');
});

formats('histories by phase are read: dipcc’s older form, and games as the server of the package keeps them', () => {
  const saved = savedLine();
  // dipcc writes keys in alphabetical order: 'F1901M' comes before 'S1901M'.
  const by = (key: 'state' | 'orders' | 'results'): object =>
    Object.fromEntries(
      saved.phases
        .slice(0, -1)
        .flatMap((phase) => [[phase.name, phase[key]]])
        .sort(),
    );
  const histories = { state_history: by('state'), order_history: by('orders'), message_history: {} };
  const old = { id: 'old', map: 'standard', ...histories, state: saved.phases.at(-1)?.state };
  const { disagreements, record } = replayRaw(standard, DEFAULT_RULES, parseSavedGame(JSON.stringify(old)));
  assert.equal(disagreements, []);
  assert.equal(
    record.phases.slice(0, -1).map(({ phase }) => phase),
    saved.phases.slice(0, -1).map(({ name }) => name),
  );
  const kept = {
    ...{ game_id: 'kept', map_name: 'standard', phase: 'SPRING 1906 MOVEMENT', status: 'active' },
    ...{ powers: {}, messages: [], ...histories, result_history: by('results') },
  };
  const raw = parseSavedGame(JSON.stringify(kept));
  assert.equal([raw.id, raw.map], ['kept', 'standard']);
  assert.equal(replayRaw(standard, DEFAULT_RULES, raw).disagreements, []);
  assert.ok(raw.phases[0].results.length > 20);
  assert.is(parseSavedGame(JSON.stringify({ ...kept, map_name: 'ancmed' })).map, 'ancmed');
});

/** A success of webDiplomacy. */
const webOrder = (countryID: number, terrID: number, unitType: string, toTerrID: number | null): object => ({
  ...{ countryID, terrID, unitType, toTerrID, type: toTerrID === null ? 'Hold' : 'Move' },
  ...{ fromTerrID: null, viaConvoy: 'No', success: 'Yes', dislodged: 'No' },
});

/** The first turn of a game as webDiplomacy has it. */
const history = {
  phases: [
    {
      ...{ turn: 0, phase: 'Diplomacy', units: [], centers: [] },
      orders: [webOrder(2, 47, 'Army', 48), webOrder(1, 6, 'Fleet', 53), webOrder(1, 4, 'Army', null)],
    },
  ],
};

formats('a history of webDiplomacy is read', () => {
  const raw = parseSavedGame(JSON.stringify(history));
  assert.equal(raw.phases[0].orders.FRANCE, ['A PAR - BUR']);
  assert.equal(raw.phases[0].orders.ENGLAND, ['F LON - NTH', 'A YOR H']);
  assert.is(raw.phases[0].name, 'S1901M');
  assert.throws(
    () => parseSavedGame(JSON.stringify({ phases: [{ turn: 0, phase: 'Diplomacy', orders: [{ countryID: 9 }] }] })),
    /countryID|phase 0/,
  );
});

formats('hostile JSON is refused with a position', async () => {
  const refused = (text: string, wanted: RegExp): void => {
    assert.throws(
      () => parseSavedGame(text),
      (error: unknown) => error instanceof Error && wanted.test(error.message),
    );
  };
  for (const text of ['{"phases": [', '{"phases": [}', '{"phases": [tru]}', '{"phases": [1 2]}', '{"phases": [1]} x'])
    await refused(text, /^not JSON: /);
  for (const text of ['{"phases": [-]}', '{phases: []}', `{"phases": [${'1,'.repeat(500_000)}x]}`, '{"id": "unended'])
    await refused(text, /^not JSON: .{1,200}$/);
  await refused('{"id": "a", "id": "b", "phases": []}', /^got a key twice/);
  await refused(`{"phases": ${'['.repeat(100_000)}`, new RegExp(`^got more than ${MAX_DEPTH} levels`));
  await refused('{"phases": {}}', /phases: got object, wanted a list/);
  await refused('{"phases": []}', /phases: got 0, wanted 1 to/);
  await refused('{"phases": [{"name": 5}]}', /phase 0, name/);
  await refused('{"phases": [{"name": "S1901M", "state": []}]}', /phase 0, state/);
  await refused('[]', /wanted an object/);
  assert.throws(
    () => parseStrict('{"a": tru}'),
    (error: unknown) => hasCode(error, 'json'),
  );
});

formats('a game that is cut is named with its line, and the others are converted', async () => {
  const text = JSON.stringify(savedLine());
  const { code, err } = await lepanto(
    'convert',
    file('cut.jsonl', `${text}\n${text.slice(0, 500)}\n`),
    join(directory, 'cut.lep'),
  );
  assert.is(code, 1);
  assert.match(err, /^line 2: not JSON/m);
  assert.match(err, '1 game, 1 not readable');
});

formats('a power with a name of an object is refused, not dropped', () => {
  for (const name of ['__proto__', 'constructor'])
    assert.throws(
      () => parseSavedGame(JSON.stringify(savedLine()).replace('"AUSTRIA":', `"${name}":`)),
      new RegExp(`units: got the power ${name}, wanted one of a map`),
    );
});

formats('the command says how it is used, and leaves no half file', async () => {
  assert.is((await lepanto('convert')).code, 2);
  assert.is((await lepanto('convert', runs, join(directory, 'x.txt'))).code, 2);
  assert.is((await lepanto('convert', runs, join(directory, 'x.jsonl'), '--to', 'nobody')).code, 2);
  assert.is((await lepanto('convert', join(directory, 'nowhere'))).code, 1);
  assert.match((await lepanto('convert', runs, join(directory, 'x.json'))).err, 'wanted .jsonl');
  assert.throws(() => readFileSync(join(directory, 'x.json')));
  assert.match((await lepanto('convert', '--help')).out, 'webDiplomacy');
  const { code, out } = await lepanto('convert', runs, '-', '--quiet');
  assert.is(code, 0);
  assert.is(out.trim().split('\n').length, 6);
});

formats('replay --verify plays saved games of both dialects and of webDiplomacy', async () => {
  for (const dialect of ['diplomacy', 'dipcc']) {
    const path = join(directory, `verified-${dialect}.jsonl`);
    assert.is((await lepanto('convert', runs, path, '--to', dialect, '--quiet')).code, 0);
    const { code, out } = await lepanto('replay', path, '--verify', '--quiet');
    assert.is(code, 0);
    assert.is(out, (await lepanto('replay', runs, '--verify', '--quiet')).out);
    const one = JSON.parse((await lepanto('replay', path, '--verify', '--game', '2', '--json')).out);
    assert.equal([one.games, one.difference], [1, null]);
    assert.match((await lepanto('replay', path, '--verify', '--game', '6')).err, 'no game 6');
  }
  const whole = file('verified.json', JSON.stringify(savedLine(), null, 1));
  assert.match((await lepanto('replay', whole, '--verify')).out, /^1 game, \d+ phases: no difference/);
  const text = JSON.stringify(history);
  const web = [
    await lepanto('replay', file('verified-web.json', text), '--verify'),
    await lepanto('convert', file('w.json', text)),
  ];
  assert.equal([web[0].code, web[1].code], [1, 1]);
  assert.match(web[0].err, `lepanto: ${web[1].err.split('\n')[0]}`);
});

formats('a map that is no name is refused, and a hash that is not that of its position is named', async () => {
  const whole = savedLine();
  const replayed = (change: (saved: Saved) => object): readonly Disagreement[] =>
    replayRaw(standard, DEFAULT_RULES, parseSavedGame(JSON.stringify(change(structuredClone(whole))))).disagreements;
  assert.equal(
    replayed((saved) => saved),
    [],
  );
  for (const [map, got] of [
    [7, '7'],
    [['standard'], 'a list of 1'],
    [true, 'true'],
    [{}, 'an object'],
  ])
    assert.throws(() => replayed((saved) => ({ ...saved, map })), saying(`map: got ${got}, wanted a name`));
  const hashed = (phase: number, hash: unknown): readonly Disagreement[] =>
    replayed((saved) => {
      Object.assign(saved.phases[phase].state, { zobrist_hash: hash });
      return saved;
    });
  for (const hash of [7, '', 'x', '-1', '1e9', {}, '1'.repeat(30)])
    assert.throws(() => hashed(2, hash), /^phase 2, zobrist_hash: got .*, wanted a text of digits$/);
  for (const [phase, { name, state }] of whole.phases.entries()) {
    assert.equal(hashed(phase, null), []);
    const what = `zobrist_hash: recorded 12, that of the recorded position is ${state.zobrist_hash}`;
    assert.equal(hashed(phase, '12'), [{ phase: name, unit: '', what }]);
  }
  // All hashes of another table are one thing to say, behind what is wrong with the game.
  const others = replayed((saved) => {
    for (const { state } of saved.phases) state.zobrist_hash = '12';
    saved.phases[1].state.units.FRANCE = [];
    return saved;
  });
  const all = `zobrist_hash: those of all ${whole.phases.length} phases are of another table`;
  assert.is(others.filter(({ what }) => what.startsWith('zobrist_hash')).length, 1);
  assert.equal(others.at(-1), { phase: 'S1901M', unit: '', what: all });
  assert.match(others[0].what, 'unit: recorded none, here FRANCE');
  const path = file('hashed.jsonl', JSON.stringify(whole).replace(/("zobrist_hash":")\d/, '$10'));
  for (const command of ['convert', 'replay']) {
    const { code, err } = await lepanto(command, path, ...(command === 'replay' ? ['--verify'] : []), '--quiet');
    assert.is(code, 1);
    assert.match(
      err,
      /line 1: S1901M: zobrist_hash: recorded \d+, that of the recorded position is 1919110489198082658/,
    );
  }
});

/** DPTG.D.1: of two routes of a convoy one is broken. Played by the rules of 1971 the army stays. */
const savedBy1971 = (): string => {
  const orders = {
    ENGLAND: ['A LON - BEL', 'F NTH C A LON - BEL', 'F ENG C A LON - BEL'],
    GERMANY: ['F HEL - NTH', 'F DEN S F HEL - NTH'],
  };
  const units = { ENGLAND: ['A LON', 'F NTH', 'F ENG'], GERMANY: ['F HEL', 'F DEN'] };
  const text = JSON.stringify({ id: 'x', map: 'standard', phases: [{ name: 'S1901M', state: { units }, orders }] });
  const rules = ruleSetByName('1971');
  const { record } = replayRaw(standard, rules, parseSavedGame(text));
  return JSON.stringify(savedGame(standard, rules.adjudication, record, { id: 'old', dialect: 'diplomacy' }));
};

formats('replay --verify names each game that differs, and the rules that fit it', async () => {
  const path = file('presets.jsonl', `${JSON.stringify(savedLine())}\n${savedBy1971()}\n{"phases": 1}\n`);
  const { code, out, err } = await lepanto('replay', path, '--verify', '--quiet');
  assert.is(code, 1);
  assert.is(out, '');
  assert.match(
    err,
    /^lepanto: line 2: S1901M A LON: result: recorded no convoy, here succeeds, and .*; it fits the rules 1971 or dptg$/m,
  );
  assert.match(err, /^lepanto: line 3: .*wanted a list/m);
  assert.match(err, /^lepanto: 2 games, 1 that differ, 1 not readable$/m);
  const lines = (await lepanto('replay', path, '--verify', '--json', '--quiet')).out.trim().split('\n');
  const [misfit, unread, all] = lines.map((line) => JSON.parse(line));
  assert.equal([misfit.where, misfit.id, misfit.fits], ['line 2', 'old', ['1971', 'dptg']]);
  assert.is(unread.where, 'line 3');
  assert.is(all.games, 2);
  assert.match(all.difference, /^line 2: S1901M A LON/);
  const old = file('old.json', savedBy1971());
  for (const rules of ['1971', 'dptg']) assert.is((await lepanto('replay', old, '--verify', '--rules', rules)).code, 0);
  assert.match((await lepanto('replay', old, '--rules', '1971')).out, /A LON - BEL VIA +fails/);
});

formats('records are verified by other rules, and printed by their own', async () => {
  assert.is((await lepanto('replay', runs, '--verify', '--rules', 'datc-3.2')).code, 0);
  const other = await lepanto('replay', runs, '--rules', '1971');
  assert.is(other.code, 2);
  assert.match(other.err, '--rules: got "1971" without --verify');
  assert.is((await lepanto('replay', runs, '--verify', '--rules', 'nobody')).code, 2);
  assert.match((await lepanto('replay', runs, '--map', 'ancmed')).err, '--map: got "ancmed", wanted standard');
});

formats('records that are cut or broken are passed over, and said', async () => {
  const whole = join(directory, 'whole.lep');
  await lepanto('convert', runs, whole, '--quiet');
  const bytes = readFileSync(whole);
  const random = new Random(3);
  let read = 0;
  for (let i = 0; i < 8; i++) {
    const broken = Buffer.from(bytes);
    const at = 8 + random.below(bytes.length - 16);
    if (i % 2 === 0) for (let k = 0; k < 4; k++) broken[at + k] ^= 1 + random.below(255);
    const path = join(directory, 'broken.lep');
    writeFileSync(path, i % 2 === 0 ? broken : bytes.subarray(0, at));
    const { code, err, out } = await lepanto('convert', path, '-', '--quiet');
    assert.ok(code === 0 || code === 1, err);
    assert.ok(!/ at |node:/.test(err.replace(/ at offset/g, '')), err);
    if (code === 1) assert.match(err, /broken\.lep/, err);
    read += out.split('\n').length - 1;
  }
  assert.ok(read > 8, `${read} games`);
  writeFileSync(join(directory, 'endless.lep'), Buffer.concat([bytes.subarray(0, 8), Buffer.alloc(64, 0xff)]));
  assert.match(
    (await lepanto('convert', join(directory, 'endless.lep'))).err,
    /at offset 8, length of a game: got 4294967295, wanted/,
  );
});

formats('a run keeps its map and its rules when it is converted', async () => {
  const run = join(directory, 'ancmed');
  await lepanto(...'selfplay --games 2 --until 3 --map ancmed --rules 1971 --out'.split(' '), run, '--quiet');
  const path = join(directory, 'ancmed.jsonl');
  assert.is((await lepanto('convert', run, path, '--quiet')).code, 0);
  const [line] = readFileSync(path, 'utf8').split('\n');
  const { map, phases } = JSON.parse(line);
  assert.equal([map, phases[0].name], ['ancmed', 'S0001M']);
  assert.is((await lepanto('replay', path, '--verify', '--rules', '1971')).code, 0);
  assert.is((await lepanto('convert', path, join(directory, 'ancmed2.jsonl'), '--rules', '1971', '--quiet')).code, 0);
  const again = readFileSync(join(directory, 'ancmed2.jsonl'), 'utf8').replace(/"(game_)?id":"[^"]*"/g, '');
  assert.is(again, readFileSync(path, 'utf8').replace(/"(game_)?id":"[^"]*"/g, ''));
  // A .lep alone says its map and its rules itself.
  const lep = join(directory, 'ancmed.lep');
  assert.is((await lepanto('convert', run, lep, '--quiet')).code, 0);
  const back = await lepanto('convert', lep, '-');
  assert.equal([back.code, back.out], [0, readFileSync(path, 'utf8')], back.err);
  const named = readFileSync(lep).toString('latin1');
  const renamed = async (rules: string): Promise<string> => {
    writeFileSync(lep, named.replaceAll('1971', rules), 'latin1');
    return (await lepanto('convert', lep)).err;
  };
  assert.match(await renamed('1970'), /ancmed\.lep, first game: rules: got preset "1970", wanted/);
  assert.match(
    await renamed('1\x1b[2'),
    /rules: got "1\\u001b\[2", wanted a name of at most 1024 printable characters/,
  );
});

formats('no file of a run is overwritten, and a file beside a game is no table of it', async () => {
  const shard = join(runs, 'games-00000.lep');
  const before = readFileSync(shard);
  const refused = await lepanto('convert', runs, shard);
  assert.is(refused.code, 2);
  assert.match(refused.err, /OUT: got .*, which is a file of a run, wanted another name/);
  assert.ok(before.equals(readFileSync(shard)));
  const [json, lep] = [join(directory, 'one.json'), join(directory, 'one.lep')];
  const [first] = JSON.parse(`[${(await lepanto('convert', runs, '-', '--quiet')).out.trim().split('\n').join()}]`);
  writeFileSync(json, JSON.stringify(first));
  assert.is((await lepanto('convert', json, lep, '--quiet')).code, 0);
  assert.is((await lepanto('replay', lep, '--verify')).code, 0);
});

formats('what a killed conversion has left goes with the next one', async () => {
  const dead = spawnSync(process.execPath, ['--eval', '']).pid;
  const host = hostname().replace(/[^\w.-]/g, '_');
  const tables = join(directory, 'tables');
  mkdirSync(tables);
  const left = [join(tables, 'phases.parquet'), join(directory, 'left.jsonl')].map(
    (path) => `${path}.${host}-${dead}-0.part`,
  );
  for (const path of left) writeFileSync(path, 'half');
  assert.is((await lepanto('convert', runs, tables, '--to', 'parquet', '--quiet')).code, 0);
  assert.is((await lepanto('convert', runs, join(directory, 'left.jsonl'), '--quiet')).code, 0);
  for (const path of left) assert.not.ok(existsSync(path), path);
});

formats('output that cannot be written is refused with the way out', async () => {
  const refused = async (wanted: RegExp, ...args: string[]): Promise<void> => {
    const { code, err } = await lepanto(...args);
    assert.is(code, 2, err);
    assert.match(err, wanted);
  };
  await refused(
    /OUT: got ".*x\.jsonl", but .*nowhere is not a directory, wanted a file/,
    'convert',
    runs,
    join(directory, 'nowhere/x.jsonl'),
  );
  await refused(
    /OUT: got ".*run\.lep", which is a directory, wanted a file/,
    'convert',
    runs,
    makeDirectory('run.lep'),
  );
  await refused(/--out: got ".*blocked", but a file is in the way/, 'selfplay', '--out', file('blocked', ''));
  await refused(
    /--out: got ".*blocked\/b", but a file is in the way/,
    'selfplay',
    '--out',
    join(directory, 'blocked/b'),
  );
  for (const command of ['selfplay', 'arena --agents random,random --games 2'])
    await refused(
      /--out: got "\/proc\/x", but (it cannot be made there|permission is denied)/,
      ...command.split(' '),
      '--out',
      '/proc/x',
    );
  assert.match((await lepanto('convert', file('empty.jsonl', ''))).err, 'got an empty file');
});

const makeDirectory = (name: string): string => {
  mkdirSync(join(directory, name));
  return join(directory, name);
};

formats('replay prints a saved game as it prints the record of it', async () => {
  const path = join(directory, 'shown.jsonl');
  await lepanto('convert', runs, path, '--to', 'dipcc', '--quiet');
  const shown = async (from: string) => JSON.parse((await lepanto('replay', from, '--game', '3', '--json')).out);
  const [saved, record] = [await shown(path), await shown(runs)];
  assert.is(saved.index, 3);
  // dipcc has no waives.
  const isOrder = ({ order }: { order: string }): boolean => order !== 'WAIVE';
  for (const phase of record.phases) phase.orders = phase.orders.filter(isOrder);
  assert.equal(saved.phases, record.phases);
  const { code, out } = await lepanto('replay', path, '--game', '3');
  assert.is(code, 0);
  assert.match(out, /^game 3 \(.+\), map standard\n\nS1901M\n {2}AUSTRIA\n/);
  assert.match(out, /\ncentres +AUSTRIA/);
  const open = await lepanto('replay', file('open.json', savedBy1971()));
  assert.is(open.code, 0);
  assert.match(open.err, 'fits the rules 1971 or dptg');
  assert.match(open.err, 'no end');
});

/** Every result that a phase can have, with a line that is no position among them. */
const positions = [
  {
    id: 1,
    phase: 'F1901M',
    units: {
      AUSTRIA: ['A TYR', 'F TRI', 'A BOH'],
      ENGLAND: ['F STP/NC', 'A LON', 'F NTH'],
      ITALY: ['A VEN', 'F ADR'],
      TURKEY: ['F AEG', 'A SMY', 'A CON'],
      RUSSIA: ['F BLA', 'F BUL/EC'],
    },
    orders: {
      AUSTRIA: ['Army Tyrolia -> Venice', 'F TRI S A TYR - VEN'],
      ENGLAND: ['F STP/NC - BAR', 'A LON - NWY', 'F NTH C LON - BEL', 'X foo'],
      ITALY: ['A VEN - TRI', 'F ADR s A VEN - TRI; (cut)'],
      TURKEY: ['F AEG - BUL(sc)', 'A CON S F AEG - BUL', 'A SMY - CON'],
      RUSSIA: ['F BLA C A RUM - ANK', 'F BUL/EC - CON'],
    },
  },
  { id: 2, phase: 'X' },
  {
    id: 'r',
    phase: 'F1901R',
    units: { FRANCE: ['A PAR'] },
    retreats: { FRANCE: { 'A BUR': ['GAS'] }, GERMANY: { 'A RUH': ['BEL'], 'A HOL': ['BEL'] } },
    orders: { GERMANY: ['A RUH R BEL', 'A HOL - BEL'] },
  },
];

const asShown = async (format: string): Promise<string[]> => {
  const path = file('positions.jsonl', positions.map((position) => JSON.stringify(position)).join('\n'));
  const { code, out } = await lepanto('adjudicate', '--format', format, '--quiet', path);
  assert.is(code, 1, 'one line is no position');
  return out.trimEnd().split('\n');
};

formats('adjudicate writes the notation of an adjudicator, and reads it', async () => {
  const shown = await asShown('marked');
  const [head, ...lines] = shown.slice(0, shown.indexOf(''));
  assert.is(head, '1, F1901M');
  assert.equal(
    lines.filter((line) => line.startsWith('  ')).map((line) => line.trim()),
    [
      'A TYR - VEN',
      'F TRI s A TYR - VEN; (cut) (dislodged)',
      'A BOH H',
      'F STP/NC - BAR',
      'A LON - NWY VIA; (failed)',
      'F NTH c A LON - BEL; (invalid) [A LON - NWY VIA]',
      'X foo; (invalid)',
      'A VEN - TRI',
      'F ADR S A VEN - TRI',
      'F BLA c A RUM - ANK; (invalid)',
      'F BUL/EC - CON; (failed) (dislodged)',
      'F AEG - BUL/SC',
      'A CON S F AEG - BUL',
      'A SMY - CON; (failed)',
    ],
  );
  const rest = shown.slice(shown.indexOf('') + 1);
  assert.match(rest[0], /^2, line 2: phase: got "X"/);
  assert.equal(rest.slice(2), [
    'r, F1901R',
    'FRANCE',
    '  A BUR D',
    'GERMANY',
    '  A RUH r BEL; (failed)',
    '  A HOL r BEL; (failed)',
  ]);
  readAgain(lines);
});

/** Orders that were shown by power mean the same when they are read again. */
const readAgain = (lines: readonly string[]): void => {
  const orders: Record<string, string[]> = {};
  let power = '';
  for (const line of lines) {
    if (!line.startsWith('  ')) power = line;
    else if (!line.includes('foo')) orders[power] = [...(orders[power] ?? []), line.trim()];
  }
  const [position] = positions;
  const results = (record: object): unknown[] =>
    adjudicateRecord(record).orders.map(({ unit, result, fate }) => [unit, result === 'stands' ? '' : result, fate]);
  const sorted = (rows: readonly unknown[]): unknown[] => rows.map((row) => JSON.stringify(row)).sort();
  const given = results(position).filter((row) => (row as unknown[])[0] !== null);
  assert.equal(sorted(results({ ...position, orders })), sorted(given));
};

formats('adjudicate writes the words of the test cases, and reads them', async () => {
  const shown = await asShown('datc');
  const lines = shown.slice(1, shown.indexOf(''));
  assert.ok(lines.includes('  F Trieste Supports A Tyrolia - Venice; cut, dislodged: dislodged by A Venice'));
  assert.ok(lines.includes('  F Aegean Sea - Bulgaria(sc); succeeds'));
  assert.ok(lines.includes('  A London - Norway via Convoy; invalid: no convoy was ordered'));
  readAgain(lines);
  assert.is((await lepanto('adjudicate', '--format', 'judge')).code, 2);
  assert.match((await lepanto('adjudicate', '--help')).out, '--format');
});

formats('text in the words of the DATC is read as the order it was written from', () => {
  const orders = [
    'F NTH C A YOR - BEL',
    'A WAL S F MAO - IRI',
    'F SPA/SC - LYO',
    'A YOR - NWY VIA',
    'A PAR H',
    'F STP/NC B',
    'A BUR R PAR',
    'A BUR D',
    'WAIVE',
  ];
  assert.is(formatDatc(standard, orders[0]), 'F North Sea Convoys A Yorkshire - Belgium');
  for (const order of orders) {
    const again = parseOrder(standard, formatDatc(standard, order));
    const given = parseOrder(standard, order);
    assert.equal({ ...again, kind: '' }, { ...given, kind: '' }, order);
  }
});

formats.run();
