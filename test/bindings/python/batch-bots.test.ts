// Tests bots in processes of their own as opponents in a batch: they are asked for many games together, and told the past.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { PastLog, pastWords } from '../../../bindings/python/server/game-log.js';
import { adjudicate, makeResults, newGame, orderLocation, phaseName, standard } from '../../../engine/internal.js';
import { dumbbotOrders } from '../../../selfplay/heuristics/dumbbot.js';
import { openShare } from '../../tools/batch-kit.js';
import { makeFolder } from '../../tools/command.js';
import { linesIn } from '../../tools/running.js';
import { writeBot } from '../../tools/script-bots.js';

const scratch = makeFolder('batch-bots');

/** A bot that writes down what it is asked. */
const bot = (name: string, batch: number): { readonly agent: string; readonly told: () => Asked[][] } => {
  const told = join(scratch, `${name}.jsonl`);
  const agent = writeBot(join(scratch, `${name}.mjs`), {
    own: `{ batch: ${batch}, wants: ['legal', 'history'] }`,
    before: `
       if (line.hello === undefined && line.end === undefined) {
         const seen = [line].flat().map(({ game, phase, powers, history }) => ({ game, phase, power: powers[0],
           history: history.map((one) => [one.phase, Object.keys(one.orders).length, Object.keys(one.units).length]) }));
         appendFileSync(${JSON.stringify(told)}, JSON.stringify(seen) + '\\n');
       }`,
  });
  return { agent, told: () => linesIn(readFileSync(told, 'utf8')).map((line) => JSON.parse(line)) };
};

interface Asked {
  readonly game: string;
  readonly phase: string;
  readonly power: string;
  readonly history: readonly (readonly [string, number, number])[];
}

const GAMES = 12;

/** One thread's share of a batch in which a bot plays two powers, and the client gives no orders. */
const openBatch = async (agent: string, steps: number) => {
  const opponents = { FRANCE: agent, TURKEY: agent };
  const changes = { games: GAMES, max_steps: steps, opponents };
  const { setup, memory, core } = await openShare(changes, new Int32Array(pastWords(GAMES)));
  memory.int32('actions').fill(-1);
  const { chunk } = setup.layout;
  for (let first = 0; first < GAMES; first += chunk) core.perform('reset', first, first + chunk);
  const step = async (): Promise<void> => {
    for (let first = 0; first < GAMES; first += chunk) {
      core.perform('decode', first, first + chunk);
      await core.perform('apply', first, first + chunk);
    }
  };
  return { memory, chunk, step };
};

const bots = suite('bots in a batch');

bots('are asked for the games of a chunk together, told each phase once, and play the same alone', async () => {
  const [many, few] = [bot('many', 4096), bot('few', 1)];
  const states: Uint8Array[][] = [];
  for (const { agent } of [many, few]) {
    const { memory, chunk, step } = await openBatch(agent, 4);
    assert.is(chunk, 3);
    const seen: Uint8Array[] = [];
    for (let i = 0; i < 14; i++) {
      await step();
      seen.push(memory.bytes('state').slice());
    }
    states.push(seen);
  }
  assert.equal(states[0], states[1]);
  const lines = many.told();
  assert.is(lines[0].length, 6, 'three games, two powers');
  assert.ok(lines.every((line) => line.length <= 6));
  assert.ok(few.told().every((line) => line.length === 1));
  const games = new Map<string, string[]>();
  for (const { game, phase, history } of lines.flat()) {
    const before = games.get(game) ?? [];
    for (const [name, ordered, standing] of history) {
      assert.ok(ordered > 0 && standing > 0, `${game} ${name}: got nothing that was ordered`);
      before.push(name);
    }
    games.set(game, before);
    assert.is(before.includes(phase), false, 'the phase at hand is not told');
    if (before.length > 0) assert.is(before[0], 'S1901M');
    assert.is(new Set(before).size, before.length, `${game}: each phase once`);
  }
  // Episodes of four phase-steps: each game has begun more than once, under another name.
  assert.ok(games.size >= 2 * GAMES, `${games.size} names`);
  assert.ok([...games.values()].some((phases) => phases.includes('F1901M') && phases.includes('S1902M')));
});

bots('the past of a game is rewound, forgotten, and cut where it is too long', () => {
  const log = new PastLog(new Int32Array(2 * 4096), 2);
  const other = new PastLog(new Int32Array(0), 2);
  const results = makeResults();
  const orders = new Int32Array(standard.provinceCount);
  const game = newGame();
  const names: string[] = [];
  let phases = 0;
  const play = (row: number): void => {
    const count = [...standard.powerNames.keys()].reduce((n, q) => {
      const own = orders.subarray(n);
      return n + dumbbotOrders(game, q, own, phases + q);
    }, 0);
    names.push(phaseName(game));
    const given = orders.slice(0, count);
    for (const one of [log, other]) one.before(row, game, given);
    adjudicate(game, given, count, results);
    for (const one of [log, other]) one.after(row, game, results, phases);
    phases++;
  };
  log.begin(0, 0);
  for (let i = 0; i < 5; i++) play(0);
  const { game: name, phases: told } = log.of(0, 5);
  assert.is(name, '0.1');
  assert.equal(
    told.map(({ phase }) => phase),
    names,
  );
  for (const { orders: given, results: outcome, state } of told) {
    assert.is(outcome.length, given.length);
    assert.ok(state.length > standard.provinceCount);
    assert.ok(given.length > 0 && given.every((order) => orderLocation(order) < standard.locationCount));
  }
  assert.equal(other.of(0, 5), { game: '0', phases: [] });
  // A step that was cut short is played again.
  const last = structuredClone(told[4]);
  assert.is(log.of(0, 4).phases.length, 4);
  phases = 4;
  log.before(0, game, last.orders);
  log.after(0, game, results, 4);
  assert.equal(log.of(0, 5).phases[4].orders, last.orders);
  assert.is(log.of(0, 5).game, '0.1');
  // What was not told, and a game that begins anew, is another game.
  assert.equal(log.of(0, 9), { game: '0.2', phases: [] });
  log.begin(0, 0);
  assert.equal(log.of(0, 0), { game: '0.3', phases: [] });
  assert.equal(log.of(1, 0), { game: '1.0', phases: [] });
  assert.equal(log.of(2, 0), { game: '2', phases: [] }, 'children have no past');
  // 16 KiB are not enough for all: the game goes on under another name.
  phases = 0;
  for (let i = 0; i < 80; i++) {
    play(1);
    const past = log.of(1, phases);
    assert.is(past.phases[past.phases.length - 1].phase, names[names.length - 1]);
  }
  assert.ok(log.of(1, phases).phases.length < 80);
  assert.is.not(log.of(1, phases).game, '1.0');
});

bots.run();
