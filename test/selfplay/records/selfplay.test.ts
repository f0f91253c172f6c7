// Tests agents, games, records and runs of self-play, and the commands that show them.

import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
  Game,
  hold,
  legalOrders,
  newGame,
  Random,
  scoreNames,
  standard,
  stateLayout,
} from '../../../engine/internal.js';
import { parseAgent, parseAgents } from '../../../selfplay/agents/registry.js';
import { type GameRecord, gameSeed, loadState, recordedSize, scoresOf } from '../../../selfplay/games/game-record.js';
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
import { makeCounters, runSelfplay } from '../../../selfplay/records/run.js';
import type { RunSpec } from '../../../selfplay/records/run-spec.js';
import { STEPS_PLAYED } from '../../../selfplay/records/shard.js';
import { fillStates, verifyGame } from '../../../selfplay/records/verify.js';
import { callLepanto, contentsOf, type Ended, entry, makeFolder, runLepanto } from '../../tools/command.js';
import { rejection, saying } from '../../tools/errors.js';
import { summarize } from '../../tools/recorded.js';
import { agentBy, ordersBy } from '../../tools/simple-agents.js';

const randomAgents = parseAgents('random', standard.powerCount);
const playRandom = (index: number, until = 1905): Promise<GameRecord> =>
  playGame({ seed: gameSeed(1, index), index, agents: randomAgents, until });

/** A position of a record as a game. */
const gameAt = (record: GameRecord, phase: number): Game => {
  const game = new Game(standard, DATC_3_2);
  loadState(game, record.phases[phase].state);
  return game;
};

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

agents('an unknown agent, option or value is refused with what there is', () => {
  const parse = (text: string) => () => parseAgent(text, [withOptions]);
  assert.throws(parse('serch'), saying('agent: got "serch", wanted one of search'));
  assert.throws(parse('search:deep=2'), saying('agent search, option: got "deep", wanted one of depth, value'));
  assert.throws(parse('search:__proto__=2'), saying('option: got "__proto__"'));
  assert.throws(parse('search:depth=ten'), saying('option depth: got "ten", wanted a number from 1 to 9'));
  assert.throws(parse('search:depth='), saying('option depth: got "", wanted a number'));
  assert.throws(parse('search:value=soc'), saying('option value: got "soc", wanted one of sos, dss'));
  assert.throws(() => parseAgent('random:x=1'), saying('agent random, option: got "x", wanted no options'));
  assert.throws(() => parseAgent(''), saying('agent: got "", wanted one of random'));
  // A command is no kind, even if it has the name of one.
  assert.throws(() => parseAgent('exec:hold'), saying('agent: got "exec:hold", wanted one of random'));
  assert.throws(() => parseAgent('./x.js:n=1'), saying('agent: got "./x.js", wanted one of random'));
});

agents('an agent as text says every option, and reads back', () => {
  const agent = parseAgent('search:depth=3', [withOptions]);
  assert.is(formatAgent(agent), 'search:depth=3:value=sos');
  assert.equal(parseAgent(formatAgent(agent), [withOptions]).options, agent.options);
  assert.is(formatAgent(randomAgents[0]), 'random');
});

agents('random draws every legal order of a unit about equally often', async () => {
  const game = newGame(standard, DATC_3_2);
  const legal = new Int32Array(1000);
  const bud = standard.provinceTags.indexOf('BUD');
  const count = legalOrders(game, bud, legal);
  const drawn = new Map<number, number>();
  const rounds = 500 * count;
  for (let i = 0; i < rounds; i++) {
    const orders = await ordersBy(randomAgents[0], game, 0, new Random(9, i, 0));
    assert.is(orders.length, 3);
    const order = orders.find((one) => legal.subarray(0, count).includes(one)) ?? 0;
    drawn.set(order, (drawn.get(order) ?? 0) + 1);
  }
  // Chi-square of a fixed seed; its mean is count - 1, its deviation sqrt(2 count - 2).
  let chi = 0;
  for (let k = 0; k < count; k++) chi += ((drawn.get(legal[k]) ?? 0) - 500) ** 2 / 500;
  assert.is(drawn.size, count);
  assert.ok(chi < count - 1 + 4 * Math.sqrt(2 * count - 2), `chi-square ${chi} for ${count} orders`);
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
  const record = await playRandom(0, 1903);
  assert.is(record.phases[0].phase, 'S1901M');
  assert.is(record.phases.at(-1)?.phase, COMPLETED);
  const end = gameAt(record, record.phases.length - 1);
  assert.is(end.status, DRAW);
  assert.is(end.year, 1904);
  const years = new Set(record.phases.slice(0, -1).map(({ phase }) => phase.slice(1, -1)));
  assert.equal([...years], ['1901', '1902', '1903']);
});

const playCustom = (choose: Parameters<typeof agentBy>[0]): Promise<GameRecord> =>
  playGame({ seed: 1, index: 0, agents: new Array(7).fill(agentBy(choose)), until: 1901 });

games('an agent may answer later, and units without orders hold', async () => {
  const record = await playCustom(() => Promise.resolve(new Int32Array(0)));
  assert.equal(
    record.phases.map(({ phase }) => phase),
    ['S1901M', 'F1901M', COMPLETED],
  );
  const end = gameAt(record, 2);
  const start = newGame(standard, DATC_3_2);
  for (let p = 0; p < standard.provinceCount; p++) assert.is(end.unitAt(p), start.unitAt(p));
});

games('orders of an agent from outside are checked', async () => {
  const give =
    (...orders: number[]) =>
    (): number[] =>
      orders;
  const par = standard.provinceTags.indexOf('PAR');
  const bud = standard.provinceTags.indexOf('BUD');
  const where = 'agent custom for AUSTRIA in S1901M of game 0: ';
  assert.is(await rejection(playCustom(give(-1))), `${where}got unknown order at no location, which is not legal`);
  assert.is(await rejection(playCustom(give(hold(par)))), `${where}got hold at PAR, which is another power's`);
  assert.is(
    await rejection(playCustom(give(hold(bud), hold(bud)))),
    `${where}got hold at BUD, which is a second order there`,
  );
  const count = { ...agentBy(() => []), answer: () => [] };
  const agents = new Array(7).fill(count);
  assert.is(await rejection(playGame({ agents, seed: 1, until: 1901 })), `${where}got 0 answers, wanted a list of 1`);
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
  const back = decodeGame(first);
  assert.is(back.index, 5);
  assert.is(back.seed, record.seed);
  assert.equal(back.scores, record.scores);
  for (const [i, phase] of record.phases.entries()) {
    assert.equal([...back.phases[i].orders], [...phase.orders]);
    assert.equal([...back.phases[i].results], [...phase.results]);
    assert.equal([...(back.phases[i].state ?? [])], [...phase.state]);
    assert.is(back.phases[i].phase, phase.phase);
  }
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

records('orders are little-endian bytes in the file', async () => {
  const record = await playRandom(5);
  const orders = Buffer.alloc(record.phases[0].orders.length * 4);
  for (const [i, order] of record.phases[0].orders.entries()) orders.writeInt32LE(order, i * 4);
  assert.ok(Buffer.from(encodeGame(record)).includes(orders));
});

records('a position is cut behind the owners outside retreats', async () => {
  const { contested, stride } = stateLayout(standard);
  const record = await playRandom(2);
  for (const [i, { phase, state }] of record.phases.entries()) {
    assert.is(state.length, phase.endsWith('R') ? stride : contested, phase);
    assert.is(recordedSize(gameAt(record, i)), state.length);
  }
});

records('a shard that is not what it should be is refused, with the offset', async () => {
  const shard = encodeShard([await playRandom(0), await playRandom(1)]);
  const second = 8 + 4 + Buffer.from(shard).readUInt32LE(8);
  const change = (edit: (bytes: Buffer) => Uint8Array | undefined): Uint8Array => {
    const bytes = Buffer.from(shard);
    return edit(bytes) ?? bytes;
  };
  const refused = (edit: (bytes: Buffer) => Uint8Array | undefined, message: string): void =>
    assert.throws(() => decodeShard(change(edit), 'x.lep'), saying(message));
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

records('a game of another shape is refused', async () => {
  const packr = new Packr({ useRecords: false });
  const good = packr.unpack(encodeGame(await playRandom(0)));
  /** The keys of a record have one order: new ones, like agents and map, come first. */
  const refused = (change: object, message: string): void => {
    const added = Object.fromEntries(Object.entries(change).filter(([key]) => !(key in good)));
    assert.throws(() => decodeGame(packr.pack({ ...added, ...good, ...change })), saying(message));
  };
  refused({ index: -1 }, 'game, index: got -1, wanted a whole number from 0');
  refused({ seed: 'x' }, 'got the type 0xa1, wanted a number');
  refused({ agents: 'x' }, 'got the type 0xa1, wanted bytes');
  refused({ agents: Buffer.alloc(12) }, 'got 12 bytes of agents, wanted 14');
  refused({ map: 'a\nb' }, 'game, map: got "a\\nb", wanted a name of at most 1024 printable characters');
  refused({ phases: [] }, 'got no phases, wanted at least one');
  refused({ phases: [3] }, 'got the type 0x03, wanted a map');
  const [phase] = good.phases;
  refused({ phases: [{ ...phase, orders: Buffer.alloc(7) }] }, 'got 7 bytes of orders, wanted a multiple of 4');
  refused({ phases: [{ ...phase, results: Buffer.alloc(3) }] }, 'phase 0, results: got 3 bytes, wanted 22 bytes');
  refused({ phases: [{ ...phase, phase: 1 }] }, 'got the type 0x01, wanted a text');
  refused({ phases: [{ ...phase, state: null }, phase] }, 'phase 0, state: got null, wanted bytes');
  refused({ phases: [phase, { ...phase, state: null }] }, 'phase 1, state: got null, wanted bytes');
  refused({ phases: [{ ...phase, state: 'x' }] }, 'got the type 0xa1, wanted bytes');
  refused({ scores: {} }, 'got a map of 0 keys, wanted');
  refused({ more: 1 }, 'wanted the key "index"');
  assert.throws(() => decodeGame(packr.pack([1])), saying('game: got 2 bytes, wanted one recorded game (offset 0: '));
});

records('what was played adjudicates to the same again', async () => {
  for (let index = 0; index < 30; index++)
    assert.is(verifyGame(standard, DATC_3_2, await playRandom(index, 1910)), null);
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

records('of a record that its orders do not lead through, no positions are made', async () => {
  const stored = withoutStates(await playRandom(4));
  const refused = (index: number, change: object, message: RegExp): void => {
    const phases = stored.phases.map((phase, i) => (i === index ? { ...phase, ...change } : phase));
    assert.throws(() => fillStates(standard, DATC_3_2, { ...stored, phases }, 'x.lep at offset 12'), saying(message));
    assert.is.not(verifyGame(standard, DATC_3_2, { ...stored, phases }), null);
  };
  const { orders, results } = stored.phases[1];
  refused(
    1,
    { orders: orders.map((order, i) => (i === 0 ? -1 : order)) },
    /^x\.lep at offset 12, F1901M: the order is/,
  );
  refused(1, { results: results.map((byte, i) => byte ^ Number(i === 3)) }, /, F1901M: recorded as \w+, wanted \w+$/);
  refused(1, { phase: 'F1902M' }, /, F1902M: the position is that of F1901M$/);
  const last = stored.phases.length - 1;
  const state = stored.phases[last].state?.map((byte, i) => (i === stateLayout(standard).owners ? byte ^ 1 : byte));
  refused(last, { state }, /the centre has another owner afterwards$/);
});

records('a record that was changed is found out', async () => {
  const record = await playRandom(4);
  const changed = (index: number, change: object): GameRecord => ({
    ...record,
    phases: record.phases.map((phase, i) => (i === index ? { ...phase, ...change } : phase)),
  });
  const found = (altered: GameRecord) => verifyGame(standard, DATC_3_2, altered);
  const results = record.phases[1].results.slice();
  results[2] ^= 1;
  const wrongResult = found(changed(1, { results }));
  assert.is(wrongResult?.phase, 'F1901M');
  assert.is(wrongResult?.order, record.phases[1].orders[2]);
  assert.match(wrongResult?.what ?? '', /^recorded as \w+, wanted \w+$/);

  const orders = record.phases[0].orders.slice();
  orders[0] = -1;
  assert.is(found(changed(0, { orders }))?.what, 'the order is not legal');
  orders[0] = orders[1];
  assert.is(found(changed(0, { orders }))?.what, 'a second order for the unit');

  const state = record.phases[2].state.slice();
  const owners = stateLayout(standard).owners;
  state[owners] = 3;
  const wrongOwner = found(changed(2, { state }));
  assert.is(wrongOwner?.what, 'the centre has another owner afterwards');
  assert.is(wrongOwner?.location, standard.centers[0]);
  assert.match(found(changed(2, { state: state.subarray(1) }))?.what ?? '', /^state: got \d+ bytes, wanted/);

  assert.match(found({ ...record, scores: { ...record.scores, draw_size: [1] } })?.what ?? '', /^score draw_size/);
  assert.is(found({ ...record, phases: record.phases.slice(0, -1) })?.what, 'the game has no end');
});

records('sums over games come from their last positions', async () => {
  const played = [await playRandom(0), await playRandom(1), await playRandom(2)];
  const summary = summarize(standard, DATC_3_2, played);
  assert.is(summary.games, 3);
  assert.is(summary.years, 15);
  assert.is(summary.phaseSteps, 30);
  assert.is(summary.draws, 3);
  assert.is(
    summary.phases,
    played.reduce((total, { phases }) => total + phases.length - 1, 0),
  );
  const first = new Int32Array(7);
  let russia = 0;
  for (const record of played) {
    gameAt(record, record.phases.length - 1).countCenters(first);
    russia += first[5];
  }
  assert.is(summary.centers[5], russia);
});

records.run();

// ---- runs ----

const runs = suite('runs');

const spec: RunSpec = {
  map: 'standard',
  rules: 'datc-3.2',
  agents: randomAgents.map(formatAgent),
  games: 600,
  until: 1902,
  seed: 11,
};

const runInto = (directory: string, workers: number, change: Partial<RunSpec> = {}) =>
  runSelfplay({ spec: { ...spec, ...change }, directory, commit: null, workers, counters: makeCounters() });

const first = makeFolder('selfplay');

runs('the files are the same for any number of workers', async () => {
  const result = await runInto(first, 1);
  assert.is(result.summary.games, 600);
  assert.is(result.kept, 0);
  const expected = contentsOf(first);
  const shards = ['games-00000.lep', 'games-00001.lep', 'games-00002.lep'];
  const tables = shards.map((name) => name.replace('.lep', '.table'));
  assert.equal(Object.keys(expected), [...tables, ...shards, 'manifest.json'].sort());
  assert.equal(
    shards.map((name) => splitShard(readFileSync(join(first, name))).length),
    [256, 256, 88],
  );
  for (const workers of [2, 4]) {
    const other = makeFolder('selfplay');
    assert.equal((await runInto(other, workers)).summary, result.summary);
    const got = contentsOf(other);
    for (const [name, text] of Object.entries(expected)) assert.ok(got[name] === text, `${name}, ${workers} workers`);
  }
});

runs('the same run again keeps what is finished and plays what is missing or damaged', async () => {
  const again = makeFolder('selfplay');
  cpSync(first, again, { recursive: true });
  const damaged = join(again, 'games-00002.lep');
  rmSync(join(again, 'games-00001.lep'));
  writeFileSync(damaged, readFileSync(damaged).subarray(0, -5));
  writeFileSync(`${join(again, 'games-00001.lep')}.part`, 'half of it');
  const damage: string[] = [];
  const counters = makeCounters();
  const onDamage = (file: string): number => damage.push(file);
  const result = await runSelfplay({ spec, directory: again, commit: null, workers: 2, counters, onDamage });
  assert.equal(damage, [damaged]);
  assert.is(result.kept, 256);
  assert.is(Number(counters[STEPS_PLAYED]), (600 - 256) * 4);
  assert.equal(contentsOf(again), contentsOf(first));
});

runs('a directory with another run, or with anything else, is refused and left alone', async () => {
  const before = contentsOf(first);
  assert.is(await rejection(runInto(first, 1, { seed: 12 })), `${first} holds another run: its seed is 11, wanted 12`);
  assert.match(await rejection(runInto(first, 1, { until: 1903 })), 'its until is 1902, wanted 1903');
  assert.equal(contentsOf(first), before);
  const foreign = makeFolder('selfplay');
  writeFileSync(join(foreign, 'thesis.txt'), 'years of work');
  assert.match(await rejection(runInto(foreign, 1)), 'got a directory with thesis.txt but no manifest.json');
  assert.equal(contentsOf(foreign), { 'thesis.txt': 'years of work' });
});

runs('a failing agent ends the run with its message, and leaves no worker', async () => {
  const directory = makeFolder('selfplay');
  assert.match(await rejection(runInto(directory, 2, { agents: new Array(7).fill('nobody') })), 'got "nobody"');
  // It is refused before anything is written.
  assert.equal(readdirSync(directory), []);
});

// ---- the commands ----

const lepanto = (...args: string[]): Ended => runLepanto(args, { cwd: tmpdir() });

runs('lepanto selfplay prints a table, or one JSON object, and ends', () => {
  const out = join(makeFolder('selfplay'), 'run');
  const args = ['selfplay', '--games', '20', '--until', '1902', '--workers', '2', '--agents', 'random', '--out', out];
  const played = lepanto(...args, '--quiet', '--json');
  assert.is(played.code, 0);
  assert.is(played.err, '');
  const report = JSON.parse(played.out);
  assert.is(report.games, 20);
  assert.is(report.phase_steps, 80);
  assert.is(report.powers.TURKEY.survived <= 20, true);
  assert.is(Object.keys(report.powers).length, 7);
  const again = lepanto(...args);
  assert.is(again.code, 0);
  assert.match(again.out, /games +20, 20 of them already recorded/);
  assert.match(again.out, /^AUSTRIA +0 /m);
  assert.match(again.out, `npx lepanto replay ${out} --game 0`);
  const manifest = JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8'));
  assert.equal(
    Object.keys(manifest),
    'format versions commit map rules agents seed games until shardGames command check'.split(' '),
  );
  assert.is(lepanto(...args, '--seed', '9').code, 1);
});

runs('lepanto replay prints a game and verifies all', () => {
  const text = lepanto('replay', first, '--game', '300');
  assert.is(text.code, 0);
  assert.match(text.out, /^game 300, seed -?\d+, map standard, random plays all powers\n\nS1901M\n {2}AUSTRIA\n {4}A /);
  assert.match(text.out, / {4}[AF] .* {2}(fails, [AF] \S+ held|invalid, order was [AF] )/);
  assert.match(text.out, /\nstart +3 +3 +3 +3 +3 +4 +3\n1901 /);
  assert.match(text.out, /\ndraw\n$/);
  const games = lepanto('replay', join(first, 'games-00001.lep'), '--json').out.trim().split('\n');
  const [json] = games.map((line) => JSON.parse(line));
  assert.equal([games.length, json.index], [256, 256]);
  assert.is(json.phases[0].orders.length, 22);
  assert.is(json.phases.at(-1).phase, COMPLETED);
  const verified = lepanto('replay', first, '--verify');
  assert.is(verified.code, 0);
  assert.match(verified.out, /^600 games, \d+ phases: no difference\n$/);
});

runs('lepanto replay --verify names the first difference', async () => {
  const [record] = decodeShard(readFileSync(join(first, 'games-00000.lep')));
  record.phases[0].results[0] ^= 3;
  const path = join(makeFolder('selfplay'), 'games-00000.lep');
  writeFileSync(path, encodeShard([record]));
  const { code, out, err } = lepanto('replay', path, '--verify');
  assert.is(code, 1);
  assert.is(out, '');
  assert.match(err, /^lepanto: game 0, S1901M, A BUD .*: recorded as \w+, wanted \w+\n$/);
});

runs('what is called wrongly gets one line and exit code 2, what fails exit code 1', async () => {
  const check = async (code: number, pattern: RegExp, ...args: string[]): Promise<void> => {
    const result = await callLepanto(args);
    assert.is(result.code, code, args.join(' '));
    assert.is(result.out, '', args.join(' '));
    assert.match(result.err, pattern);
    if (args.length > 0) assert.is(result.err.split('\n').length, 2, result.err);
  };
  await check(2, /^lepanto: a simulation engine/);
  await check(2, /^lepanto: unknown command "selfpaly"; did you mean selfplay\?/, 'selfpaly');
  await check(2, /^lepanto: unknown command "__proto__"; wanted one of /, '__proto__');
  await check(2, /^lepanto: got the option --gmaes, did you mean --games\?/, 'selfplay', '--gmaes', '3');
  await check(2, /^lepanto: --games: got "0", wanted a whole number from 1/, 'selfplay', '--games', '0');
  await check(2, /^lepanto: --until: got "1900", wanted a whole number from 1901/, 'selfplay', '--until', '1900');
  await check(2, /^lepanto: --seed: got "1e3"/, 'selfplay', '--seed', '1e3');
  await check(2, /^lepanto: --workers: got "-1"/, 'selfplay', '--workers=-1');
  await check(2, /^lepanto: --agents: got "alphazero", wanted one of random/, 'selfplay', '--agents', 'alphazero');
  await check(2, /^lepanto: --agents: got "dumbot", .*; did you mean dumbbot\?$/m, 'selfplay', '--agents', 'dumbot');
  await check(2, /^lepanto: --map: .*wanted one of standard/, 'selfplay', '--map', 'moon');
  await check(2, /^lepanto: replay: got 0 paths/, 'replay');
  await check(1, /^lepanto: cannot read .*: there is no such file or directory/, 'replay', 'no/such/file');
  await check(1, /: got another file, wanted recorded games$/m, 'replay', entry);
  await check(1, /no game 999/, 'replay', first, '--game', '999');
});

runs('lepanto has a version', () => {
  assert.match(lepanto('--version').out, /^lepanto \d+\.\d+\.\d+\n$/);
});

runs('a progress line says how far it is', () => {
  const line = progressLine({ done: 512, note: '31,000 phase-steps/s' }, 2048, 'games', 2);
  assert.is(line, '512 of 2,048 games, 25 %, 31,000 phase-steps/s, 6 s left');
});

runs.run();
