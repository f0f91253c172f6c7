// Tests agents, games, records and runs of self-play, and the commands that show them.

import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Packr } from 'msgpackr';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { progressLine } from '../../../bindings/terminal/progress.js';
import {
  COMPLETED,
  DATC_3_2,
  DRAW,
  hold,
  newGame,
  scoreNames,
  standard,
  stateLayout,
} from '../../../engine/internal.js';
import { parseAgent, parseAgents } from '../../../selfplay/agents/registry.js';
import { type GameRecord, gameSeed, recordedSize, scoresOf } from '../../../selfplay/games/game-record.js';
import { playGame } from '../../../selfplay/games/play.js';
import type { AgentKind } from '../../../selfplay/question/agent.js';
import { formatAgent } from '../../../selfplay/question/parse-kind.js';
import {
  decodeGame,
  decodeShard,
  encodeGame,
  encodeShard,
  type StoredGame,
  splitShard,
  withoutStates,
} from '../../../selfplay/records/record.js';
import { makeCounters } from '../../../selfplay/records/run.js';
import { STEPS_PLAYED } from '../../../selfplay/records/shard.js';
import { fillStates, verifyGame } from '../../../selfplay/records/verify.js';
import { callLepanto, contentsOf, makePlaces, runLepanto } from '../../tools/command.js';
import { rejection, saying } from '../../tools/errors.js';
import { gameOfState } from '../../tools/positions.js';
import { summarize } from '../../tools/recorded.js';
import { playRun, runOf } from '../../tools/runs.js';
import { agentBy } from '../../tools/simple-agents.js';

const randomAgents = parseAgents('random', standard.powerCount);
const playRandom = (index: number, until = 1905): Promise<GameRecord> =>
  playGame({ seed: gameSeed(1, index), index, agents: randomAgents, until });

// ---- agents ----

const agents = suite('agents');

const holding = agentBy(() => []);

const withOptions: AgentKind = {
  name: 'search',
  help: '',
  options: {
    depth: { default: 2, least: 1, most: 9, help: '' },
    value: { default: 'sos', words: ['sos', 'dss'], help: '' },
  },
  make: (options) => ({ ...holding, name: 'search', options }),
};

agents('one name fills all seats, seven stand for the powers', () => {
  assert.is(randomAgents.length, 7);
  const mixed = parseAgents('a,b,b,b,b,b,a', 7, [
    { ...withOptions, name: 'a', make: (options) => ({ ...holding, name: 'a', options }) },
    { ...withOptions, name: 'b', make: (options) => ({ ...holding, name: 'b', options }) },
  ]);
  assert.equal(
    mixed.map(({ name }) => name),
    ['a', 'b', 'b', 'b', 'b', 'b', 'a'],
  );
});

agents('another number of agents is refused', () => {
  for (const count of [2, 6, 8])
    assert.throws(
      () => parseAgents(new Array(count).fill('random').join(','), 7),
      saying(`agents: got ${count}, wanted 1 for all powers or 7, one for each`),
    );
});

/** Texts of no agent, and what is said of them where `search` is the only kind. */
const wrongAgents: readonly (readonly [text: string, message: string])[] = [
  ['serch', 'agent: got "serch", wanted one of search'],
  ['search:deep=2', 'agent search, option: got "deep", wanted one of depth, value'],
  ['search:__proto__=2', 'option: got "__proto__"'],
  ['search:depth=ten', 'option depth: got "ten", wanted a number from 1 to 9'],
  ['search:depth=', 'option depth: got "", wanted a number'],
  ['search:value=soc', 'option value: got "soc", wanted one of sos, dss'],
];
/** The same where the kinds are those that ship. A command is no kind, even if it has the name of one. */
const wrongKinds: typeof wrongAgents = [
  ['random:x=1', 'agent random, option: got "x", wanted no options'],
  ['', 'agent: got "", wanted one of random'],
  ['exec:hold', 'agent: got "exec:hold", wanted one of random'],
  ['./x.js:n=1', 'agent: got "./x.js", wanted one of random'],
];
agents('an unknown agent, option or value is refused with what there is', () => {
  for (const [text, message] of wrongAgents) assert.throws(() => parseAgent(text, [withOptions]), saying(message));
  for (const [text, message] of wrongKinds) assert.throws(() => parseAgent(text), saying(message));
});

agents('an agent as text says every option, and reads back', () => {
  const agent = parseAgent('search:depth=3', [withOptions]);
  assert.is(formatAgent(agent), 'search:depth=3:value=sos');
  assert.equal(parseAgent(formatAgent(agent), [withOptions]).options, agent.options);
  assert.is(formatAgent(randomAgents[0]), 'random');
});

agents.run();

// ---- games ----

const games = suite('games');

games('the same seed gives the same game, another one another', async () => {
  const first = encodeGame(await playRandom(3));
  assert.ok(first.equals(encodeGame(await playRandom(3))));
  const other = await playGame({ seed: gameSeed(2, 3), index: 3, agents: randomAgents, until: 1905 });
  assert.not.ok(first.equals(encodeGame(other)));
});

games('seeds of one run are all different', () => {
  const seeds = new Set(Array.from({ length: 100_000 }, (_, index) => gameSeed(7, index)));
  assert.is(seeds.size, 100_000);
});

games('a game ends with the winter of its last year, as a draw', async () => {
  const { phases } = await playRandom(0, 1903);
  assert.equal([phases[0].phase, phases.at(-1)?.phase], ['S1901M', COMPLETED]);
  const end = gameOfState(phases[phases.length - 1].state);
  assert.equal([end.status, end.year], [DRAW, 1904]);
  const years = new Set(phases.slice(0, -1).map(({ phase }) => phase.slice(1, -1)));
  assert.equal([...years], ['1901', '1902', '1903']);
});

const playCustom = (choose: Parameters<typeof agentBy>[0]): Promise<GameRecord> =>
  playGame({ seed: 1, index: 0, agents: new Array(7).fill(agentBy(choose)), until: 1901 });

games('an agent may answer later, and units without orders hold', async () => {
  const { phases } = await playCustom(() => Promise.resolve(new Int32Array(0)));
  assert.equal(
    phases.map(({ phase }) => phase),
    ['S1901M', 'F1901M', COMPLETED],
  );
  const end = gameOfState(phases[2].state);
  const start = newGame(standard, DATC_3_2);
  for (let p = 0; p < standard.provinceCount; p++) assert.is(end.unitAt(p), start.unitAt(p));
});

games('orders of an agent from outside are checked', async () => {
  const [par, bud] = ['PAR', 'BUD'].map((tag) => hold(standard.provinceTags.indexOf(tag)));
  for (const [orders, message] of [
    [[-1], 'got unknown order at no location, which is not legal'],
    [[par], "got hold at PAR, which is another power's"],
    [[bud, bud], 'got hold at BUD, which is a second order there'],
  ] as [number[], string][])
    assert.is(await rejection(playCustom(() => orders)), `agent custom for AUSTRIA in S1901M of game 0: ${message}`);
  const agents = new Array(7).fill({ ...agentBy(() => []), answer: () => [] });
  assert.is(
    await rejection(playGame({ agents, seed: 1, until: 1901 })),
    'agent custom for AUSTRIA in S1901M of game 0: got 0 answers, wanted a list of 1',
  );
});

games.run();

// ---- scores ----

const scoring = suite('scores');

scoring('by centres, when nobody has won', () => {
  const scores = scoresOf([12, 6, 6, 0], -1);
  assert.equal(scores.sum_of_squares, [144 / 216, 36 / 216, 36 / 216, 0]);
  assert.equal(scores.draw_size, [1 / 3, 1 / 3, 1 / 3, 0]);
  assert.equal(scores.sum_of_centers, [0.5, 0.25, 0.25, 0]);
  assert.equal(scores.survivors, [1, 1, 1, 0]);
  // 38 for the first, (14 + 7) / 2 for the two that follow.
  assert.equal(scores.c_diplo_100, [51, 17.5, 17.5, 1]);
});

scoring('a solo takes the pot', () => {
  const scores = scoresOf([18, 10, 6, 0], 0);
  assert.equal(scores.sum_of_squares, [1, 0, 0, 0]);
  assert.equal(scores.draw_size, [1, 0, 0, 0]);
  assert.equal(scores.c_diplo_100, [100, 0, 0, 0]);
  assert.equal(scores.c_diplo_73, [73, 0, 0, 0]);
  assert.equal(scores.sum_of_centers, [18 / 34, 10 / 34, 6 / 34, 0]);
  assert.equal(scores.survivors, [1, 1, 1, 0]);
});

scoring('C-Diplo of seven powers adds up to 100', () => {
  const total = scoresOf([9, 7, 7, 5, 4, 2, 0], -1).c_diplo_100.reduce((a, b) => a + b);
  assert.is(total, 100);
});

scoring.run();

// ---- records ----

const records = suite('records');

records('values above 255 pack to the same bytes twice, and read back', async () => {
  const record = await playRandom(5);
  assert.ok(record.phases.some(({ orders }) => orders.some((order) => order > 255)));
  const first = Buffer.from(encodeGame(record));
  // Something else through the same packer in between: a typed array would pick up its memory.
  encodeGame(await playRandom(6));
  assert.ok(first.equals(encodeGame(record)));
  assert.equal(decodeGame(first), record);
});

records('the bytes are those of a general msgpack packer, for sizes of every class', async () => {
  const packr = new Packr({ useRecords: false, variableMapSize: true });
  const pack = ({ agents, index, seed, phases, scores }: StoredGame): Buffer =>
    packr.pack({
      ...(agents !== undefined && { agents: Buffer.from(Uint16Array.from(agents).buffer) }),
      index,
      seed,
      phases: phases.map(({ phase, state, orders, results: outcomes }) => ({
        phase,
        state: state === null ? null : Buffer.from(state),
        orders: Buffer.from(Int32Array.from(orders).buffer),
        results: Buffer.from(outcomes),
      })),
      scores: Object.fromEntries(scoreNames.map((name) => [name, Buffer.from(Float64Array.from(scores[name]).buffer)])),
    });
  const check = (record: StoredGame): void => assert.ok(encodeGame(record).equals(pack(record)));
  const whole = await playRandom(7, 1910);
  const stored = withoutStates(whole);
  for (const record of [whole, stored]) check(record);
  for (const powers of [7, 127, 128])
    check({ ...stored, agents: Uint16Array.from({ length: powers }, (_, q) => 300 * q) });
  for (const index of [0, 127, 128, 255, 256, 65_535, 65_536, 2 ** 32 - 1, 2 ** 32, Number.MAX_SAFE_INTEGER])
    check({ ...stored, index });
  for (const seed of [-1, -32, -33, -128, -129, -32_768, -32_769, -(2 ** 31), 2 ** 31 - 1]) check({ ...stored, seed });
  const [first, second] = stored.phases;
  for (const count of [1, 15, 16, 70_000]) check({ ...stored, phases: new Array(count).fill(second) });
  for (const length of [0, 31, 32, 255, 256]) check({ ...stored, phases: [{ ...first, phase: 'é'.repeat(length) }] });
  for (const count of [0, 63, 64, 255, 256, 512, 513, 70_000])
    check({
      ...stored,
      phases: [{ ...first, orders: new Int32Array(count).fill(-7), results: new Uint8Array(count) }],
    });
  for (const size of [0, 255, 256, 70_000]) check({ ...stored, phases: [{ ...first, state: new Uint8Array(size) }] });
  const results = first.results.subarray(1);
  const message = /^S1901M: got 21 results, wanted 22, one for each order$/;
  assert.throws(() => encodeGame({ ...stored, phases: [{ ...first, results }] }), saying(message));
});

records('a position is cut behind the owners outside retreats', async () => {
  const { contested, stride } = stateLayout(standard);
  for (const { phase, state } of (await playRandom(2)).phases) {
    assert.is(state.length, phase.endsWith('R') ? stride : contested, phase);
    assert.is(recordedSize(gameOfState(state)), state.length);
  }
});

records('a shard that is not what it should be is refused, with the offset', async () => {
  const shard = encodeShard([await playRandom(0), await playRandom(1)]);
  const second = 8 + 4 + Buffer.from(shard).readUInt32LE(8);
  const refused = (edit: (bytes: Buffer) => Uint8Array | undefined, message: string): void => {
    const bytes = Buffer.from(shard);
    const edited = edit(bytes) ?? bytes;
    assert.throws(() => decodeShard(edited, 'x.lep'), saying(message));
  };
  assert.is(decodeShard(shard).length, 2);
  refused((b) => b.subarray(0, 5), 'x.lep at offset 0: got 5 bytes, wanted at least 8 bytes');
  refused((b) => void b.write('JUNK'), 'x.lep at offset 0, magic: got "JUNK", wanted "LEPG"');
  refused((b) => void b.writeUInt32LE(9, 4), 'x.lep at offset 4, version: got 9, wanted 2 to 5');
  const left = shard.length - second - 4;
  refused((b) => b.subarray(0, second + 2), `x.lep at offset ${second}, length of a game: got 0, wanted 1 to 1`);
  refused((b) => b.subarray(0, -1), `offset ${second}, length of a game: got ${left}, wanted 1 to ${left - 1}`);
  refused((b) => void b.writeUInt32LE(0, 8), 'x.lep at offset 8, length of a game: got 0, wanted 1 to');
  refused((b) => void b.fill(0xc1, 12, 20), 'x.lep at offset 12: got');
});

/** Fields of a game in place of the right ones, and what is said of them. */
const wrongFields: readonly (readonly [fields: object, message: string])[] = [
  [{ index: -1 }, 'game, index: got -1, wanted a whole number from 0'],
  [{ seed: 'x' }, 'got the type 0xa1, wanted a number'],
  [{ agents: 'x' }, 'got the type 0xa1, wanted bytes'],
  [{ agents: Buffer.alloc(12) }, 'got 12 bytes of agents, wanted 14'],
  [{ map: 'a\nb' }, 'game, map: got "a\\nb", wanted a name of at most 1024 printable characters'],
  [{ phases: [] }, 'got no phases, wanted at least one'],
  [{ phases: [3] }, 'got the type 0x03, wanted a map'],
  [{ scores: {} }, 'got a map of 0 keys, wanted'],
  [{ more: 1 }, 'wanted the key "index"'],
];
/** The same for fields of its first phase. */
const wrongPhases: typeof wrongFields = [
  [{ orders: Buffer.alloc(7) }, 'got 7 bytes of orders, wanted a multiple of 4'],
  [{ results: Buffer.alloc(3) }, 'phase 0, results: got 3 bytes, wanted 22 bytes'],
  [{ phase: 1 }, 'got the type 0x01, wanted a text'],
  [{ state: 'x' }, 'got the type 0xa1, wanted bytes'],
];
records('a game of another shape is refused', async () => {
  const packr = new Packr({ useRecords: false });
  const good = packr.unpack(encodeGame(await playRandom(0)));
  const [phase] = good.phases;
  const without = { ...phase, state: null };
  const wrong = [
    ...wrongFields,
    ...wrongPhases.map(([fields, message]) => [{ phases: [{ ...phase, ...fields }] }, message] as const),
    [{ phases: [without, phase] }, 'phase 0, state: got null, wanted bytes'],
    [{ phases: [phase, without] }, 'phase 1, state: got null, wanted bytes'],
  ] as const;
  for (const [fields, message] of wrong) {
    // The keys of a record have one order: new ones, like agents and map, come first.
    const added = Object.fromEntries(Object.entries(fields).filter(([key]) => !(key in good)));
    assert.throws(() => decodeGame(packr.pack({ ...added, ...good, ...fields })), saying(message));
  }
  assert.throws(() => decodeGame(packr.pack([1])), saying('game: got 2 bytes, wanted one recorded game (offset 0: '));
});

records('positions that are not recorded are made from the orders', async () => {
  for (let index = 0; index < 30; index++) {
    const record = await playRandom(index, 1908);
    const stored = withoutStates(record);
    const kept = stored.phases.filter(({ state }) => state !== null);
    assert.equal(kept, [record.phases[0], record.phases[record.phases.length - 1]]);
    assert.is(verifyGame(standard, DATC_3_2, stored), null);
    const back = decodeGame(encodeGame(stored));
    assert.is(back.phases[1].state, null);
    const filled = fillStates(standard, DATC_3_2, back);
    for (const [i, { phase, state }] of record.phases.entries()) {
      assert.is(filled.phases[i].phase, phase);
      assert.equal([...filled.phases[i].state], [...state], `game ${index}, ${phase}`);
    }
  }
});

/** A game with a phase changed. */
const changed = <Game extends StoredGame>(game: Game, index: number, change: object): Game => ({
  ...game,
  phases: game.phases.map((phase, i) => (i === index ? { ...phase, ...change } : phase)),
});
const flip = (bytes: Uint8Array, at: number): Uint8Array => bytes.map((byte, i) => byte ^ Number(i === at));
const { owners } = stateLayout(standard);

records('of a record that its orders do not lead through, no positions are made', async () => {
  const stored = withoutStates(await playRandom(4));
  const { orders, results } = stored.phases[1];
  const last = stored.phases.length - 1;
  for (const [index, change, message] of [
    [1, { orders: orders.with(0, -1) }, /^x\.lep at offset 12, F1901M: the order is/],
    [1, { results: flip(results, 3) }, /, F1901M: recorded as \w+, wanted \w+$/],
    [1, { phase: 'F1902M' }, /, F1902M: the position is that of F1901M$/],
    [last, { state: flip(stored.phases[last].state ?? results, owners) }, /the centre has another owner afterwards$/],
  ] as [number, object, RegExp][]) {
    const wrong = changed(stored, index, change);
    assert.throws(() => fillStates(standard, DATC_3_2, wrong, 'x.lep at offset 12'), saying(message));
    assert.is.not(verifyGame(standard, DATC_3_2, wrong), null);
  }
});

records('a record that was changed is found out', async () => {
  const record = await playRandom(4);
  const found = (altered: GameRecord) => verifyGame(standard, DATC_3_2, altered);
  const { orders, results } = record.phases[1];
  const wrongResult = found(changed(record, 1, { results: flip(results, 2) }));
  assert.equal([wrongResult?.phase, wrongResult?.order], ['F1901M', orders[2]]);
  const opening = record.phases[0].orders;
  const { state } = record.phases[2];
  const wrongOwner = changed(record, 2, { state: state.with(owners, 3) });
  assert.is(found(wrongOwner)?.location, standard.centers[0]);
  for (const [altered, what] of [
    [changed(record, 1, { results: flip(results, 2) }), /^recorded as \w+, wanted \w+$/],
    [changed(record, 0, { orders: opening.with(0, -1) }), /^the order is not legal$/],
    [changed(record, 0, { orders: opening.with(0, opening[1]) }), /^a second order for the unit$/],
    [wrongOwner, /^the centre has another owner afterwards$/],
    [changed(record, 2, { state: state.subarray(1) }), /^state: got \d+ bytes, wanted/],
    [{ ...record, scores: { ...record.scores, draw_size: [1] } }, /^score draw_size/],
    [{ ...record, phases: record.phases.slice(0, -1) }, /^the game has no end$/],
  ] as [GameRecord, RegExp][])
    assert.match(found(altered)?.what ?? '', what);
});

records('sums over games come from their last positions', async () => {
  const played = [await playRandom(0), await playRandom(1), await playRandom(2)];
  const summary = summarize(standard, DATC_3_2, played);
  const { games: count, years, phaseSteps, draws, phases } = summary;
  const all = played.reduce((total, game) => total + game.phases.length - 1, 0);
  assert.equal([count, years, phaseSteps, draws, phases], [3, 15, 30, 3, all]);
  const counts = new Int32Array(7);
  let russia = 0;
  for (const game of played) {
    gameOfState(game.phases[game.phases.length - 1].state).countCenters(counts);
    russia += counts[5];
  }
  assert.is(summary.centers[5], russia);
});

records.run();

// ---- runs ----

const runs = suite('runs');

const place = makePlaces('selfplay');
const spec = runOf('random', 600, { seed: 11 });
const first = place();

runs('the files are the same for any number of workers', async () => {
  const result = await playRun(spec, first, { workers: 1 });
  assert.equal([result.summary.games, result.kept], [600, 0]);
  const expected = contentsOf(first);
  const shards = ['games-00000.lep', 'games-00001.lep', 'games-00002.lep'];
  const tables = shards.map((name) => name.replace('.lep', '.table'));
  assert.equal(Object.keys(expected), [...tables, ...shards, 'manifest.json'].sort());
  assert.equal(
    shards.map((name) => splitShard(readFileSync(join(first, name))).length),
    [256, 256, 88],
  );
  for (const workers of [2, 4]) {
    const other = place();
    assert.equal((await playRun(spec, other, { workers })).summary, result.summary);
    const got = contentsOf(other);
    for (const [name, text] of Object.entries(expected)) assert.ok(got[name] === text, `${name}, ${workers} workers`);
  }
});

runs('the same run again keeps what is finished and plays what is missing or damaged', async () => {
  const again = place();
  cpSync(first, again, { recursive: true });
  const damaged = join(again, 'games-00002.lep');
  rmSync(join(again, 'games-00001.lep'));
  writeFileSync(damaged, readFileSync(damaged).subarray(0, -5));
  writeFileSync(`${join(again, 'games-00001.lep')}.part`, 'half of it');
  const damage: string[] = [];
  const counters = makeCounters();
  const { kept } = await playRun(spec, again, { counters, onDamage: (file) => damage.push(file) });
  assert.equal([damage, kept, Number(counters[STEPS_PLAYED])], [[damaged], 256, (600 - 256) * 4]);
  assert.equal(contentsOf(again), contentsOf(first));
});

runs('a directory with another run, or with anything else, is refused and left alone', async () => {
  const before = contentsOf(first);
  const refusal = (change: object, directory = first) => rejection(playRun({ ...spec, ...change }, directory));
  assert.is(await refusal({ seed: 12 }), `${first} holds another run: its seed is 11, wanted 12`);
  assert.match(await refusal({ until: 1903 }), 'its until is 1902, wanted 1903');
  assert.equal(contentsOf(first), before);
  const foreign = place();
  mkdirSync(foreign);
  writeFileSync(join(foreign, 'thesis.txt'), 'years of work');
  assert.match(await refusal({}, foreign), 'got a directory with thesis.txt but no manifest.json');
  assert.equal(contentsOf(foreign), { 'thesis.txt': 'years of work' });
});

runs('an unknown agent is refused before anything is written', async () => {
  const directory = place();
  mkdirSync(directory);
  assert.match(await rejection(playRun(runOf('nobody', 600), directory)), 'got "nobody"');
  assert.equal(readdirSync(directory), []);
});

// ---- the commands ----

runs('lepanto selfplay prints a table, or one JSON object, and ends', () => {
  const out = place();
  const lepanto = (...more: string[]) =>
    runLepanto([...'selfplay --games 20 --until 1902 --workers 2 --out'.split(' '), out, ...more], { cwd: tmpdir() });
  const played = lepanto('--quiet', '--json');
  assert.equal([played.code, played.err], [0, '']);
  const { games, phase_steps, powers } = JSON.parse(played.out);
  assert.equal([games, phase_steps, Object.keys(powers).length, powers.TURKEY.survived <= 20], [20, 80, 7, true]);
  const again = lepanto();
  assert.is(again.code, 0);
  assert.match(again.out, /games +20, 20 of them already recorded/);
  assert.match(again.out, /^AUSTRIA +0 /m);
  assert.match(again.out, `npx lepanto replay ${out} --game 0`);
  assert.equal(
    Object.keys(JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8'))),
    'format versions commit map rules agents seed games until shardGames command check'.split(' '),
  );
  assert.is(lepanto('--seed', '9').code, 1);
});

runs('lepanto replay prints a game as text or JSON', async () => {
  const text = await callLepanto(['replay', first, '--game', '300']);
  assert.is(text.code, 0);
  assert.match(text.out, /^game 300, seed -?\d+, map standard, random plays all powers\n\nS1901M\n {2}AUSTRIA\n {4}A /);
  assert.match(text.out, / {4}[AF] .* {2}(fails, [AF] \S+ held|invalid, order was [AF] )/);
  assert.match(text.out, /\nstart +3 +3 +3 +3 +3 +4 +3\n1901 /);
  assert.match(text.out, /\ndraw\n$/);
  const lines = (await callLepanto(['replay', join(first, 'games-00001.lep'), '--json'])).out.trim().split('\n');
  const { index, phases } = JSON.parse(lines[0]);
  assert.equal([lines.length, index, phases[0].orders.length, phases.at(-1).phase], [256, 256, 22, COMPLETED]);
});

/** Commands that are called wrongly, and the one line that each is answered with; exit code 2. */
const wrongCalls: readonly (readonly [command: string, line: RegExp])[] = [
  ['selfpaly', /^lepanto: unknown command "selfpaly"; did you mean selfplay\?/],
  ['__proto__', /^lepanto: unknown command "__proto__"; wanted one of /],
  ['selfplay --gmaes 3', /^lepanto: got the option --gmaes, did you mean --games\?/],
  ['selfplay --games 0', /^lepanto: --games: got "0", wanted a whole number from 1/],
  ['selfplay --until 1900', /^lepanto: --until: got "1900", wanted a whole number from 1901/],
  ['selfplay --seed 1e3', /^lepanto: --seed: got "1e3"/],
  ['selfplay --workers=-1', /^lepanto: --workers: got "-1"/],
  ['selfplay --agents alphazero', /^lepanto: --agents: got "alphazero", wanted one of random/],
  ['selfplay --agents dumbot', /^lepanto: --agents: got "dumbot", .*; did you mean dumbbot\?$/m],
  ['selfplay --map moon', /^lepanto: --map: .*wanted one of standard/],
  ['replay', /^lepanto: replay: got 0 paths/],
];
for (const [command, line] of wrongCalls)
  runs(`lepanto ${command}: one line says what is wrong`, async () => {
    const { code, out, err } = await callLepanto(command.split(' '));
    assert.equal([code, out, err.split('\n').length], [2, '', 2], err);
    assert.match(err, line);
  });

runs('lepanto without a command says what it is', async () => {
  const { code, out, err } = await callLepanto([]);
  assert.equal([code, out], [2, '']);
  assert.match(err, /^lepanto: a simulation engine/);
});

runs('a progress line says how far it is', () => {
  const line = progressLine({ done: 512, note: '31,000 phase-steps/s' }, 2048, 'games', 2);
  assert.is(line, '512 of 2,048 games, 25 %, 31,000 phase-steps/s, 6 s left');
});

runs.run();
