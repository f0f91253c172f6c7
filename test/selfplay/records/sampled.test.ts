// Tests that `random` and `policy` play the same game for a seed alone and in a run, and when a rule ends it early, and
// that they draw with the same chances when they are asked power by power.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  DATC_3_2,
  DRAW,
  type Game,
  hashSeed,
  legalByPower,
  loadMap,
  MOVEMENT,
  Random,
  RETREAT,
  rulesByName,
  standard,
} from '../../../engine/internal.js';
import { played, RandomGame } from '../../../engine/play/step.js';
import { parseAgent } from '../../../selfplay/agents/registry.js';
import type { Ending } from '../../../selfplay/games/ending.js';
import { GameLog } from '../../../selfplay/games/game-log.js';
import { type GameRecord, gameSeed } from '../../../selfplay/games/game-record.js';
import { keyOf } from '../../../selfplay/games/phase-key.js';
import { playGame } from '../../../selfplay/games/play.js';
import { beginSampled, commonSampler, playSampled } from '../../../selfplay/games/sampled-steps.js';
import { type Agent, type Answer, NO_PAST, UNBOUNDED } from '../../../selfplay/question/agent.js';
import { ShardReplay } from '../../../selfplay/records/game-table.js';
import { decodeGame, encodeGame, encodeShard, withoutStates } from '../../../selfplay/records/record.js';
import { makeCounters } from '../../../selfplay/records/run.js';
import { playShard, runShard } from '../../../selfplay/records/shard.js';
import { verifyGame } from '../../../selfplay/records/verify.js';
import { makeFolder } from '../../tools/command.js';
import { gameOfState, position, textsOf } from '../../tools/positions.js';
import { runOf } from '../../tools/runs.js';

const agents = (name: string, powers: number): Agent[] => new Array<Agent>(powers).fill(parseAgent(name));

// ---- the same games ----

const games = suite('sampled games');

const kinds: readonly (readonly [string, string, string, number, Ending])[] = [
  ['random', 'standard', 'datc-3.2', 12, { until: 1915 }],
  ['policy', 'standard', '1971', 40, { until: 1930 }],
  ['random', 'ancmed', 'datc-3.2', 12, { until: 12 }],
  ['policy', 'standard', 'datc-3.2', 40, { until: 1940, stalemate: 2 }],
  ['random', 'standard', 'datc-3.2', 40, { until: 1940, chance: 0.2 }],
  ['policy', '1898', 'datc-3.2', 40, { until: 1960, stalemate: 3, chance: 0.05 }],
];

for (const [name, mapName, rulesName, count, ending] of kinds)
  games(
    `${name}, ${mapName}, ${rulesName}, ${JSON.stringify(ending)}: games alone and those of a run have the same bytes`,
    async () => {
      const map = loadMap(mapName);
      const rules = rulesByName(rulesName);
      const all = agents(name, map.powerCount);
      const records: GameRecord[] = [];
      for (let index = 0; index < count; index++)
        records.push(await playGame({ map, rules, seed: gameSeed(3, index), index, agents: all, ...ending }));
      assert.ok(commonSampler(all, map, rules) !== undefined);
      const run = { map: mapName, rules: rulesName, agents: all.map(() => name), games: count, shardGames: count };
      const task = { shard: 0, path: 'none', counters: makeCounters(), own: makeCounters() };
      const shard = await playShard({ ...task, spec: { ...run, ...ending, seed: 3 } });
      assert.ok(Buffer.from(encodeShard(records.map(withoutStates))).equals(shard.bytes));
      assert.equal(
        records.map((record) => verifyGame(map, rules, record)),
        new Array(count).fill(null),
      );
      const years = new Set(records.map(({ phases }) => phases[phases.length - 2].phase.slice(1, -1)));
      if ('stalemate' in ending || 'chance' in ending) assert.ok(years.size > 3);
    },
  );

games('a file that is written while its games are played has the bytes of its games', async () => {
  const spec = { ...runOf('random', 200, { until: 1904 }), shardGames: 200 };
  const path = join(makeFolder('sampled'), 'games-00000.lep');
  const task = { spec, shard: 0, path, counters: makeCounters(), own: makeCounters() };
  const written = await runShard(task);
  const bytes = readFileSync(path);
  assert.is(written.bytes, bytes.length);
  assert.ok(bytes.length > 1 << 17);
  const played = await playShard(task);
  assert.ok(bytes.equals(played.bytes));
  assert.equal([played.table.size, played.table.crc], [bytes.length, crc32(bytes)]);
  assert.equal(written.table, played.table.bytes);
  // The table that is made from the file again is the same.
  const again = new ShardReplay(standard, DATC_3_2, 0, false).takeAll(bytes, path).finish();
  assert.equal(again.bytes, played.table.bytes);
});

/** All but the end: name, orders and results of each phase. */
const phasesOf = ({ phases }: GameRecord): unknown[] =>
  phases.slice(0, -1).map(({ phase, orders, results }) => [phase, [...orders], [...results]]);

games('a rule that ends games cuts them short, and changes nothing before', async () => {
  const limits: readonly Partial<Ending>[] = [{ stalemate: 2 }, { chance: 0.2 }, { longGameDraw: true }];
  for (const name of ['random', 'policy'])
    for (let index = 0; index < 8; index++) {
      const options = { agents: agents(name, 7), until: 1945 };
      const whole = await playGame({ seed: gameSeed(6, index), index, ...options });
      for (const limit of limits) {
        const cut = await playGame({ seed: gameSeed(6, index), index, ...options, ...limit });
        assert.equal(phasesOf(cut), phasesOf(whole).slice(0, cut.phases.length - 1));
        assert.is(verifyGame(standard, DATC_3_2, cut), null);
      }
    }
});

games('a map that begins with builds, and rules that steps do not follow, give games that verify', async () => {
  const chaos = loadMap('chaos');
  for (const name of ['random', 'policy'])
    for (let index = 0; index < 4; index++) {
      const seed = gameSeed(2, index);
      const options = { agents: agents(name, chaos.powerCount), until: chaos.startYear + 8 };
      const record = await playGame({ map: chaos, seed, index, ...options });
      assert.match(record.phases[0].phase, /^W\d+A$/);
      assert.is(verifyGame(chaos, DATC_3_2, record), null);
      assert.equal(encodeGame(await playGame({ map: chaos, seed, index, ...options })), encodeGame(record));
      // Expedited removal takes units off the board that the engine's steps leave there.
      const expedited = rulesByName('strict-2003');
      const other = await playGame({ rules: expedited, seed, index, agents: agents(name, 7), until: 1930 });
      assert.is(verifyGame(standard, expedited, other), null);
      assert.is(verifyGame(standard, expedited, decodeGame(encodeGame(withoutStates(other)))), null);
    }
});

games('games are drawn together only where all seats draw by the same sampler', async () => {
  const seats = agents('random', 7);
  const options = { until: 1903 };
  const together = await playGame({ seed: 5, index: 0, ...options, agents: seats });
  // The same choices, but it does not say that it is nothing but a sampler.
  const { sampler: _, ...silent } = seats[0];
  const alone = await playGame({ seed: 5, index: 0, ...options, agents: [silent, ...seats.slice(1)] });
  assert.not.equal(phasesOf(alone), phasesOf(together));
  for (const record of [together, alone]) {
    assert.is(gameOfState(record.phases[record.phases.length - 1].state).status, DRAW);
    assert.is(verifyGame(standard, DATC_3_2, record), null);
  }
});

games.run();

// ---- the same chances ----

const chances = suite('what random and policy draw');

const ROUNDS = 40_000;

/** The orders of all powers as a sampler that has all seats draws them. */
const drawTogether = (game: Game, sampler: number, seed: number): Int32Array => {
  if (game.phase === MOVEMENT) {
    const log = new GameLog(false);
    log.begin(game, keyOf(game.year, game.season, game.phase));
    beginSampled(game, seed);
    playSampled(standard, sampler, log);
    return log.phase(0).orders;
  }
  const onBoard = new RandomGame();
  onBoard.load(game, Int32Array.of(hashSeed(seed, 1), hashSeed(seed, 2)));
  onBoard.playOpen(sampler);
  const { retreats, adjustments, counts } = played;
  return game.phase === RETREAT ? retreats.slice(0, counts[0]) : adjustments.slice(0, counts[1]);
};

/** How often each set of orders of a power comes up: asked alone, and drawn together with all others. */
const drawSets = (name: string, game: Game, power: number): readonly Map<string, number>[] => {
  const agent = parseAgent(name);
  const { sampler } = agent;
  assert.ok(sampler !== undefined);
  const legal = legalByPower(game, power).flatMap((list) => [...list]);
  const counted = (draw: (round: number) => Int32Array): Map<string, number> => {
    const counts = new Map<string, number>();
    for (let round = 0; round < ROUNDS; round++) {
      const own = draw(round).filter((order) => legal.includes(order));
      const set = textsOf(game, own).sort().join();
      counts.set(set, (counts.get(set) ?? 0) + 1);
    }
    return counts;
  };
  return [
    counted((round) => {
      const question = { game, power, random: new Random(4, round, power), budget: UNBOUNDED, past: NO_PAST };
      return (agent.answer([question]) as readonly Answer[])[0].orders;
    }),
    counted((round) => drawTogether(game, sampler, gameSeed(4, round))),
  ];
};

const sumOf = (list: Iterable<number>): number => [...list].reduce((sum, x) => sum + x, 0);

/** Chi-squared over all sets that can come up; no other may. */
const checkChances = (name: string, game: Game, power: number, expected: ReadonlyMap<string, number>): void => {
  const total = sumOf(expected.values());
  assert.ok(Math.abs(total - 1) < 1e-12, `chances sum to ${total}`);
  for (const counts of drawSets(name, game, power)) {
    assert.equal(
      [...counts.keys()].filter((set) => !expected.has(set)),
      [],
    );
    const chi = sumOf(
      Array.from(expected, ([set, chance]) => ((counts.get(set) ?? 0) - ROUNDS * chance) ** 2 / (ROUNDS * chance)),
    );
    const freedom = expected.size - 1;
    assert.ok(chi < freedom + 4 * Math.sqrt(2 * freedom), `${name}: chi-squared ${chi} with ${freedom} degrees`);
  }
};

/** Every choice of one from each list, with the product of their chances; the parts of a set sorted. */
const productOf = (lists: readonly ReadonlyMap<string, number>[]): Map<string, number> => {
  let sets = new Map<string, number>([['', 1]]);
  for (const list of lists) {
    const next = new Map<string, number>();
    for (const [set, chance] of sets)
      for (const [one, more] of list) {
        const joined = [...set.split(',').filter((part) => part !== ''), one].sort().join();
        next.set(joined, (next.get(joined) ?? 0) + chance * more);
      }
    sets = next;
  }
  return sets;
};

type Chances = ReadonlyMap<string, number>;
const evenly = (orders: readonly string[]): Chances => new Map(orders.map((order) => [order, 1 / orders.length]));
/** One in sixteen is the order that ends like this, all others are equally likely. */
const butRarely =
  (end: string) =>
  (orders: readonly string[]): Chances =>
    new Map(orders.map((order) => [order, order.endsWith(end) ? 1 / 16 : 15 / 16 / (orders.length - 1)]));

const textsByUnit = (game: Game, power: number): string[][] =>
  legalByPower(game, power).map((list) => textsOf(game, list));

const sea = position({
  phase: 'S1905M',
  units: { TURKEY: ['A SYR', 'F EAS'], ITALY: ['F TYS'] },
  centers: { TURKEY: ['CON'], ITALY: ['ROM'] },
});
const turkey = standard.power('TURKEY');

chances('random, moves: every legal order of each unit equally likely, convoys among them', () => {
  const lists = textsByUnit(sea, turkey);
  assert.ok(lists.flat().some((order) => order.endsWith('VIA')));
  checkChances('random', sea, turkey, productOf(lists.map(evenly)));
});

const retreats = position({
  phase: 'F1902R',
  units: { GERMANY: ['A MUN', 'A KIE'], FRANCE: ['A BUR'] },
  centers: { GERMANY: ['MUN', 'KIE'], FRANCE: ['PAR'] },
  retreats: { FRANCE: { 'A RUH': ['BEL', 'HOL'], 'F BRE': ['MAO', 'ENG', 'PIC', 'GAS'] } },
});
const france = standard.power('FRANCE');

for (const [name, title, weigh] of [
  ['random', 'a disband as likely as each way out', evenly],
  ['policy', 'one in sixteen is a disband', butRarely(' D')],
] as const)
  chances(`${name}, retreats: ${title}`, () => {
    const lists = textsByUnit(retreats, france);
    assert.equal(
      lists.map(({ length }) => length),
      [3, 5],
    );
    checkChances(name, retreats, france, productOf(lists.map(weigh)));
  });

const builds = position({
  phase: 'W1902A',
  units: { RUSSIA: ['A GAL', 'A UKR'] },
  centers: { RUSSIA: ['MOS', 'STP', 'SEV', 'WAR'] },
});
const russia = standard.power('RUSSIA');

for (const [name, title, weigh] of [
  ['random', 'two sites, and at each every legal order equally likely, the waive among them', evenly],
  ['policy', 'two sites, and at each one in sixteen is waived', butRarely('WAIVE')],
] as const)
  chances(`${name}, builds: ${title}`, () => {
    const sites = textsByUnit(builds, russia);
    assert.equal(sites.map(({ length }) => length).sort(), [2, 2, 3, 4]);
    // Two of the four free sites, all pairs equally likely.
    const expected = new Map<string, number>();
    for (const [i, site] of sites.entries())
      for (const other of sites.slice(0, i))
        for (const [set, chance] of productOf([weigh(site), weigh(other)]))
          expected.set(set, (expected.get(set) ?? 0) + chance / 6);
    checkChances(name, builds, russia, expected);
  });

chances('random and policy, removals: every pair of units equally likely', () => {
  const game = position({
    phase: 'W1902A',
    units: { FRANCE: ['A PAR', 'A PIC', 'A BUR', 'F ENG'] },
    centers: { FRANCE: ['PAR', 'MAR'] },
  });
  const units = textsByUnit(game, france).flat();
  const pairs = units.flatMap((one, i) => units.slice(0, i).map((other) => [one, other].sort().join()));
  assert.is(pairs.length, 6);
  for (const name of ['random', 'policy']) checkChances(name, game, france, evenly(pairs));
});

chances('policy, moves: alone and together every order comes up as often', () => {
  const [alone, together] = drawSets('policy', sea, turkey);
  // Two samples of one distribution: sets that are too rare for the approximation are left out.
  const sets = [...new Set([...alone.keys(), ...together.keys()])];
  const counts = sets.map((set) => [alone.get(set) ?? 0, together.get(set) ?? 0]);
  const often = counts.filter(([a, b]) => a + b >= 20);
  const chi = sumOf(often.map(([a, b]) => (a - b) ** 2 / (a + b)));
  assert.ok(often.length > 20, `${often.length} sets`);
  assert.ok(chi < often.length + 4 * Math.sqrt(2 * often.length), `chi-squared ${chi} for ${often.length} sets`);
});

chances.run();
