// Tests recorded games of other programs: round trips of random games, and files that are cut, broken or hostile.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { formatDatc } from '../../../bindings/formats/games/notation.js';
import { parseSavedGame } from '../../../bindings/formats/games/read.js';
import type { Disagreement } from '../../../bindings/formats/games/replay-raw.js';
import { savedGame } from '../../../bindings/formats/games/write-saved.js';
import { standard } from '../../../engine/internal.js';
import { adjudicateRecord } from '../../../engine/notation/json/adjudicate-record.js';
import { MAX_DEPTH, parseStrict } from '../../../engine/notation/json/untrusted.js';
import { parseOrder } from '../../../engine/notation/text/index.js';
import { DEFAULT_RULES, ruleSetByName } from '../../../engine/notation/text/rule-set.js';
import { hasCode } from '../../../engine/rules/error.js';
import { callLepanto, type Ended, makeFolder } from '../../tools/command.js';
import { saying } from '../../tools/errors.js';
import { replay, type Saved } from '../../tools/saved-games.js';

const directory = makeFolder('formats');
const at = (name: string): string => join(directory, name);
const file = (name: string, text: string): string => {
  writeFileSync(at(name), text);
  return at(name);
};

const lepanto = (...args: string[]): Promise<Ended> => callLepanto([...args, '--quiet']);

/** Runs commands that must succeed. */
const succeed = async (...commands: readonly string[][]): Promise<void> => {
  for (const args of commands) {
    const { code, err } = await lepanto(...args);
    assert.is(code, 0, `${args.join(' ')}: ${err}`);
  }
};

/** Runs commands that must fail, each with an exit code and an error. */
const refused = async (
  ...cases: readonly (readonly [args: string[], code: number, wanted: RegExp])[]
): Promise<void> => {
  for (const [args, wantedCode, wanted] of cases) {
    const { code, err } = await lepanto(...args);
    assert.is(code, wantedCode, `${args.join(' ')}: ${err}`);
    assert.match(err, wanted);
  }
};

const runs = at('run');
await succeed(['selfplay', '--games', '6', '--until', '1906', '--out', runs], ['convert', runs, at('one.jsonl')]);
const [firstLine] = readFileSync(at('one.jsonl'), 'utf8').split('\n');
const savedLine = (): Saved => JSON.parse(firstLine);
const withoutIds = (path: string): string => readFileSync(path, 'utf8').replace(/"(game_)?id":"[^"]*"/g, '');

const formats = suite('formats');

formats('saved games of both dialects come back as they were', async () => {
  for (const dialect of ['diplomacy', 'dipcc']) {
    const [first, lep, second] = [at(`${dialect}1.jsonl`), at(`${dialect}.lep`), at(`${dialect}2.jsonl`)];
    await succeed(
      ['convert', runs, first, '--format', dialect],
      ['convert', first, lep],
      ['convert', lep, second, '--format', dialect],
      ['replay', lep, '--verify'],
    );
    assert.is(withoutIds(first), withoutIds(second));
    assert.is(readFileSync(first, 'utf8').trim().split('\n').length, 6);
  }
});

formats('results use the words of the package', () => {
  const orders = { FRANCE: ['A PAR - BUR'], GERMANY: ['A MUN - BUR'], ITALY: ['A VEN S A ROM'] };
  const { record, unfinished } = replay({ phases: [{ ...savedLine().phases[0], orders }] });
  const { phases } = savedGame(standard, DEFAULT_RULES.adjudication, record, {
    id: 'x',
    dialect: 'diplomacy',
  }) as Saved;
  const { 'A PAR': paris, 'A MUN': munich, 'A VEN': venice } = phases[0].results;
  assert.equal([paris, munich, venice], [['bounce'], ['bounce'], []]);
  assert.equal([unfinished, phases[1].name], [true, 'F1901M']);
});

formats('histories by phase are read: dipcc’s older form, and games as the server of the package keeps them', () => {
  const saved = savedLine();
  // dipcc writes keys in alphabetical order: 'F1901M' comes before 'S1901M'.
  const by = (key: 'state' | 'orders' | 'results'): object =>
    Object.fromEntries(
      saved.phases
        .slice(0, -1)
        .map((phase) => [phase.name, phase[key]] as const)
        .sort(),
    );
  const histories = { state_history: by('state'), order_history: by('orders'), message_history: {} };
  const old = { id: 'old', map: 'standard', ...histories, state: saved.phases.at(-1)?.state };
  const { disagreements, record } = replay(old);
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
  assert.equal(replay(kept).disagreements, []);
  assert.ok(raw.phases[0].results.length > 20);
  assert.is(parseSavedGame(JSON.stringify({ ...kept, map_name: 'ancmed' })).map, 'ancmed');
});

const notJson = [
  '{"phases": [',
  '{"phases": [}',
  '{"phases": [tru]}',
  '{"phases": [1 2]}',
  '{"phases": [1]} x',
  '{"phases": [-]}',
  '{phases: []}',
  `{"phases": [${'1,'.repeat(500_000)}x]}`,
  '{"id": "unended',
];

const BARRED = /--out: got "\/proc\/x", but (it cannot be made there|permission is denied)/;

/** Texts that are JSON, and what is said of each. */
const hostile: readonly (readonly [text: string, wanted: RegExp])[] = [
  ['{"id": "a", "id": "b", "phases": []}', /^got a key twice/],
  [`{"phases": ${'['.repeat(100_000)}`, new RegExp(`^got more than ${MAX_DEPTH} levels`)],
  ['{"phases": {}}', /phases: got object, wanted a list/],
  ['{"phases": []}', /phases: got 0, wanted 1 to/],
  ['{"phases": [{"name": 5}]}', /phase 0, name/],
  ['{"phases": [{"name": "S1901M", "state": []}]}', /phase 0, state/],
  ['[]', /wanted an object/],
  [firstLine.replace('"AUSTRIA":', '"__proto__":'), /units: got the power __proto__, wanted one of a map/],
  [firstLine.replace('"AUSTRIA":', '"constructor":'), /units: got the power constructor, wanted one of a map/],
];

formats('hostile JSON is refused with a position, and a power with a name of an object is not dropped', () => {
  for (const text of notJson) assert.throws(() => parseSavedGame(text), /^not JSON: .{1,200}$/);
  for (const [text, wanted] of hostile) assert.throws(() => parseSavedGame(text), wanted);
  assert.throws(
    () => parseStrict('{"a": tru}'),
    (error: unknown) => hasCode(error, 'json'),
  );
});

formats('a game that is cut is named with its line, and the others are converted', async () => {
  const path = file('cut.jsonl', `${firstLine}\n${firstLine.slice(0, 500)}\n`);
  const { code, err } = await callLepanto(['convert', path, at('cut.lep')]);
  assert.is(code, 1);
  assert.match(err, /^line 2: not JSON/m);
  assert.match(err, '1 game, 1 not readable');
});

formats('convert writes to standard output, and refuses what it cannot write, without half a file', async () => {
  const { code, out } = await lepanto('convert', runs, '-');
  assert.equal([code, out.trim().split('\n').length], [0, 6]);
  assert.match((await lepanto('convert', '--help')).out, 'webDiplomacy');
  mkdirSync(at('run.lep'));
  await refused(
    [['convert'], 2, /wanted/],
    [['convert', runs, at('x.txt')], 2, /wanted/],
    [['convert', runs, at('x.jsonl'), '--format', 'nobody'], 2, /nobody/],
    [['convert', at('nowhere')], 1, /nowhere/],
    [['convert', runs, at('x.json')], 2, /wanted .jsonl/],
    [['convert', file('empty.jsonl', '')], 1, /got an empty file/],
    [
      ['convert', runs, at('nowhere/x.jsonl')],
      2,
      /OUT: got ".*x\.jsonl", but .*nowhere is not a directory, wanted a file/,
    ],
    [['convert', runs, at('run.lep')], 2, /OUT: got ".*run\.lep", which is a directory, wanted a file/],
    [['selfplay', '--out', file('blocked', '')], 2, /--out: got ".*blocked", but a file is in the way/],
    [['selfplay', '--out', at('blocked/b')], 2, /--out: got ".*blocked\/b", but a file is in the way/],
    [['selfplay', '--out', '/proc/x'], 2, BARRED],
    ['arena --agents random,random --games 2 --out /proc/x'.split(' '), 2, BARRED],
  );
  for (const name of ['x.txt', 'x.json', 'x.jsonl']) assert.not.ok(existsSync(at(name)), name);
});

formats('replay --verify plays saved games of both dialects', async () => {
  const wanted = await lepanto('replay', runs, '--verify');
  for (const dialect of ['diplomacy', 'dipcc']) {
    const path = at(`verified-${dialect}.jsonl`);
    await succeed(['convert', runs, path, '--format', dialect]);
    assert.equal(await lepanto('replay', path, '--verify'), wanted);
    const one = JSON.parse((await lepanto('replay', path, '--verify', '--game', '2', '--json')).out);
    assert.equal([one.games, one.difference], [1, null]);
    assert.match((await lepanto('replay', path, '--verify', '--game', '6')).err, 'no game 6');
  }
  const whole = file('verified.json', JSON.stringify(savedLine(), null, 1));
  assert.match((await lepanto('replay', whole, '--verify')).out, /^1 game, \d+ phases: no difference/);
});

formats('a map that is no name is refused, and a hash that is not that of its position is named', async () => {
  const whole = savedLine();
  assert.equal(replay(whole).disagreements, []);
  const maps: readonly (readonly [unknown, string])[] = [
    [7, '7'],
    [['standard'], 'a list of 1'],
    [true, 'true'],
    [{}, 'an object'],
  ];
  for (const [map, got] of maps)
    assert.throws(() => replay({ ...whole, map }), saying(`map: got ${got}, wanted a name`));
  const hashed = (phase: number, hash: unknown): readonly Disagreement[] => {
    const saved = savedLine();
    Object.assign(saved.phases[phase].state, { zobrist_hash: hash });
    return replay(saved).disagreements;
  };
  for (const hash of [7, '', 'x', '-1', '1e9', {}, '1'.repeat(30)])
    assert.throws(() => hashed(2, hash), /^phase 2, zobrist_hash: got .*, wanted a text of digits$/);
  for (const [phase, { name, state }] of whole.phases.entries()) {
    assert.equal(hashed(phase, null), []);
    const what = `zobrist_hash: recorded 12, that of the recorded position is ${state.zobrist_hash}`;
    assert.equal(hashed(phase, '12'), [{ phase: name, unit: '', what }]);
  }
  // The first position has the units and the hash that the package gives it.
  assert.equal(whole.phases[0].state.units.RUSSIA, ['A MOS', 'F SEV', 'F STP/SC', 'A WAR']);
  const path = file('hashed.jsonl', firstLine.replace(/("zobrist_hash":")\d/, '$10'));
  const said = /line 1: S1901M: zobrist_hash: recorded \d+, that of the recorded position is 1919110489198082658/;
  await refused([['convert', path], 1, said], [['replay', path, '--verify'], 1, said]);
});

formats('all hashes of another table are one thing to say, behind what is wrong with the game, which goes on', () => {
  const saved = savedLine();
  for (const { state } of saved.phases) state.zobrist_hash = '12';
  saved.phases[1].state.units.FRANCE = [];
  const { disagreements, record } = replay(saved);
  const what = `zobrist_hash: those of all ${saved.phases.length} phases are of another table`;
  assert.is(disagreements.filter((one) => one.what.startsWith('zobrist_hash')).length, 1);
  assert.equal(disagreements.at(-1), { phase: 'S1901M', unit: '', what });
  assert.is(disagreements[0].phase, saved.phases[1].name);
  assert.match(disagreements[0].what, 'unit: recorded none, adjudicated FRANCE');
  assert.ok(record.phases.length >= saved.phases.length - 1);
});

/** DPTG.D.1: of two routes of a convoy one is broken. Played by the rules of 1971 the army stays. */
const savedBy1971 = (): string => {
  const orders = {
    ENGLAND: ['A LON - BEL', 'F NTH C A LON - BEL', 'F ENG C A LON - BEL'],
    GERMANY: ['F HEL - NTH', 'F DEN S F HEL - NTH'],
  };
  const units = { ENGLAND: ['A LON', 'F NTH', 'F ENG'], GERMANY: ['F HEL', 'F DEN'] };
  const rules = ruleSetByName('1971');
  const { record } = replay({ phases: [{ name: 'S1901M', state: { units }, orders }] }, rules);
  return JSON.stringify(savedGame(standard, rules.adjudication, record, { id: 'old', dialect: 'diplomacy' }));
};

formats('replay --verify names each game that differs, and the rules that fit it', async () => {
  const path = file('presets.jsonl', `${firstLine}\n${savedBy1971()}\n{"phases": 1}\n`);
  const { code, out, err } = await lepanto('replay', path, '--verify');
  assert.equal([code, out], [1, '']);
  assert.match(
    err,
    /^lepanto: line 2: S1901M A LON: result: recorded no convoy, adjudicated succeeds, and .*; it fits the rules 1971 or dptg$/m,
  );
  assert.match(err, /^lepanto: line 3: .*wanted a list/m);
  assert.match(err, /^lepanto: 2 games, 1 that differ, 1 not readable$/m);
  const lines = (await lepanto('replay', path, '--verify', '--json')).out.trim().split('\n');
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
  await succeed(['replay', runs, '--verify', '--rules', 'datc-3.2']);
  await refused(
    [['replay', runs, '--rules', '1971'], 2, /--rules: got "1971" without --verify/],
    [['replay', runs, '--verify', '--rules', 'nobody'], 2, /nobody/],
    [['replay', runs, '--map', 'ancmed'], 2, /--map: got "ancmed", wanted standard/],
  );
});

formats('a run keeps its map and its rules when it is converted', async () => {
  const [run, path, again, lep] = [at('ancmed'), at('ancmed.jsonl'), at('ancmed2.jsonl'), at('ancmed.lep')];
  await succeed(
    ['selfplay', '--games', '2', '--until', '3', '--map', 'ancmed', '--rules', '1971', '--out', run],
    ['convert', run, path],
    ['replay', path, '--verify', '--rules', '1971'],
    ['convert', path, again, '--rules', '1971'],
    ['convert', run, lep],
  );
  const { map, phases } = JSON.parse(readFileSync(path, 'utf8').split('\n')[0]);
  assert.equal([map, phases[0].name], ['ancmed', 'S0001M']);
  assert.is(withoutIds(again), withoutIds(path));
  // A .lep alone says its map and its rules itself.
  assert.equal(await lepanto('convert', lep, '-'), { code: 0, out: readFileSync(path, 'utf8'), err: '' });
  const named = readFileSync(lep).toString('latin1');
  for (const [rules, wanted] of [
    ['1970', /ancmed\.lep, first game: rules: got preset "1970", wanted/],
    ['1\x1b[2', /rules: got "1\\u001b\[2", wanted a name of at most 1024 printable characters/],
  ] as const) {
    writeFileSync(lep, named.replaceAll('1971', rules), 'latin1');
    assert.match((await lepanto('convert', lep)).err, wanted);
  }
});

formats('a file beside a game is no table of it', async () => {
  const json = file('beside.json', firstLine);
  await succeed(['convert', json, at('beside.lep')], ['replay', at('beside.lep'), '--verify']);
});

formats('what a killed conversion has left goes with the next one', async () => {
  const dead = spawnSync(process.execPath, ['--eval', '']).pid;
  const host = hostname().replace(/[^\w.-]/g, '_');
  const tables = at('tables');
  mkdirSync(tables);
  const left = [join(tables, 'phases.parquet'), at('left.jsonl')].map((path) => `${path}.${host}-${dead}-0.part`);
  for (const path of left) writeFileSync(path, 'half');
  await succeed(['convert', runs, tables, '--format', 'parquet'], ['convert', runs, at('left.jsonl')]);
  for (const path of left) assert.not.ok(existsSync(path), path);
});

formats('replay prints a saved game as it prints the record of it', async () => {
  const path = at('shown.jsonl');
  await succeed(['convert', runs, path, '--format', 'dipcc']);
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
  const open = await callLepanto(['replay', file('open.json', savedBy1971())]);
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
  const { code, out } = await lepanto('adjudicate', '--format', format, path);
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
