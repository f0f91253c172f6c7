// What an agent leaves to the best reply there is, by one-turn lookahead: a measurement, not a test.
//
//   node dist/bench/strength/exploitability.js --exact AGENT [MAP france-austria] [GAMES 8] [UNTIL 1902] [SEED 1] [SAMPLES 8]
//     [SETS 1000000] [WORKERS 2]
//
// The agent plays GAMES against itself. In each movement phase, for each power, the others' orders are drawn SAMPLES times
// from the agent, and all order sets of the power that differ in effect are valued against them by the static evaluation
// (selfplay/agents/exact-response.ts). `gain` is what the best set has above the agent's own orders, drawn as often, against
// the same samples; `fresh` is the same against as many other ones, and so no gain of hindsight: a lower bound of what there
// is to be gained. Where there are more than SETS sets, so many are drawn: the `exact` are the share without such a bound.
// Early positions of a map for two are those with few sets.
import { DATC_3_2, Game, hashSeed, hasOrders, loadMap, MOVEMENT } from '../../engine/internal.js';
import type { Agent } from '../../selfplay/agents/agent.js';
import { exactResponse, valuesOfOrders } from '../../selfplay/agents/exact-response.js';
import { formatAgent, loadAgent } from '../../selfplay/agents/registry.js';
import { clusteredMean } from '../../selfplay/arena/population.js';
import { gameSeed, loadState } from '../../selfplay/games/game-record.js';
import { play } from '../../selfplay/games/play.js';
import { askAll, joined, type Sample } from './draws.js';
import { playEach } from './play-each.js';

/** What is measured. */
export interface ExactSpec {
  readonly agent: string;
  readonly map: string;
  readonly games: number;
  readonly until: number;
  readonly seed: number;
  /** Draws of what the others do, of what the agent does, and of what the others do anew. */
  readonly samples: number;
  /** Order sets that are tried, at most. */
  readonly sets: number;
}

/** One power in one movement phase. Values are shares of the board, 0 to 1. */
export interface ExactPosition {
  readonly game: number;
  readonly phase: string;
  readonly power: string;
  /** Order sets that were tried. */
  readonly tried: number;
  readonly isExact: boolean;
  /** Of the best reply. */
  readonly reply: number;
  /** Of the agent's own orders, on average. */
  readonly own: number;
  readonly gain: number;
  /** The gain against fresh samples. */
  readonly fresh: number;
}

const mean = (values: readonly number[]): number => values.reduce((sum, x) => sum + x, 0) / values.length;

/** What the others order, in each sample. */
const othersIn = (samples: readonly Sample[], power: number): Int32Array[] =>
  samples.map((sample) => joined(sample.filter((_, q) => q !== power)));

/** A game to be measured, by its number. */
interface ExactTask {
  readonly spec: ExactSpec;
  readonly index: number;
}

/** Measures a position for all powers. */
const measurePosition = async (
  agent: Agent,
  game: Game,
  { samples, sets }: ExactSpec,
  seed: number,
): Promise<Omit<ExactPosition, 'game' | 'phase'>[]> => {
  const draw = async (which: number): Promise<Sample[]> => {
    const drawn: Sample[] = [];
    for (let k = 0; k < samples; k++) drawn.push(await askAll(agent, game, hashSeed(seed, k, which)));
    return drawn;
  };
  const [others, own, fresh] = [await draw(0), await draw(1), await draw(2)];
  const powers = [...game.map.powerNames.keys()].filter((power) => hasOrders(game, power));
  return powers.map((power) => {
    const { orders, value, tried, isExact } = exactResponse(game, power, othersIn(others, power), sets, seed);
    const all = [orders, ...own.map((sample) => sample[power])];
    const gainOver = (against: readonly Sample[]): number => {
      const [best, ...usual] = valuesOfOrders(game, power, all, othersIn(against, power));
      return best - mean(usual);
    };
    const gain = gainOver(others);
    return {
      ...{ power: game.map.powerNames[power], tried, isExact, reply: value, own: value - gain, gain },
      fresh: gainOver(fresh),
    };
  });
};

/** Plays one game and measures its movement phases. Called in a worker. */
export const measureExactGame = async ({ spec, index }: ExactTask): Promise<ExactPosition[]> => {
  const agent = await loadAgent(spec.agent);
  const map = loadMap(spec.map);
  const seed = gameSeed(spec.seed, index);
  const agents = map.powerNames.map(() => agent);
  const { phases } = await play(map, DATC_3_2, seed, index, { agents, until: spec.until });
  const found: ExactPosition[] = [];
  for (const [at, { phase, state }] of phases.slice(0, -1).entries()) {
    const game = new Game(map, DATC_3_2);
    loadState(game, state);
    if (game.phase !== MOVEMENT) continue;
    const powers = await measurePosition(agent, game, spec, hashSeed(seed, at));
    found.push(...powers.map((one) => ({ game: index, phase, ...one })));
  }
  return found;
};

/** A mean over positions, and its standard error over games. */
interface Mean {
  readonly mean: number;
  readonly error: number;
}

/** What an agent leaves to the best reply. */
export interface ExactReplies extends ExactSpec {
  readonly gain: Mean;
  readonly fresh: Mean;
  /** Share of the positions in which no order set is better. */
  readonly exact: number;
  /** By game, phase and power. */
  readonly positions: readonly ExactPosition[];
}

const meanByGame = (games: readonly (readonly ExactPosition[])[], read: (one: ExactPosition) => number): Mean => {
  // Positions of one game are alike: games are what is drawn.
  const found = clusteredMean(games.map((game) => [game.reduce((sum, one) => sum + read(one), 0), game.length]));
  return { mean: found.mean, error: found.error };
};

/** Measures it. The same for any number of workers. @param onGame called with the number of games measured */
export const measureExactReplies = async (
  given: ExactSpec,
  workers: number,
  onGame?: (measured: number) => void,
): Promise<ExactReplies> => {
  const spec = { ...given, agent: formatAgent(await loadAgent(given.agent)), map: loadMap(given.map).name };
  const games = await playEach<ExactPosition[]>(import.meta.url, 'measureExactGame', spec, workers, onGame);
  const positions = games.flat();
  return {
    ...spec,
    gain: meanByGame(games, ({ gain }) => gain),
    fresh: meanByGame(games, ({ fresh }) => fresh),
    exact: positions.filter(({ isExact }) => isExact).length / positions.length,
    positions,
  };
};

/** @param args what follows --exact @throws RangeError that says what was given and what was wanted */
export const exactMain = async (args: readonly string[]): Promise<void> => {
  const [agent, map = 'france-austria'] = args;
  if (agent === undefined) throw new RangeError('agent: got nothing, wanted its name');
  const whole = (place: number, name: string, otherwise: number, least = 1): number => {
    const value = Number(args[place] ?? otherwise);
    if (Number.isSafeInteger(value) && value >= least) return value;
    throw new RangeError(`${name}: got "${args[place]}", wanted a whole number from ${least}`);
  };
  const spec: ExactSpec = {
    ...{ agent, map, games: whole(2, 'games', 8), until: whole(3, 'until', 1902) },
    seed: whole(4, 'seed', 1, -(2 ** 31)),
    samples: whole(5, 'samples', 8),
    sets: whole(6, 'sets', 1_000_000),
  };
  const begin = performance.now();
  const result = await measureExactReplies(spec, whole(7, 'workers', 2), (measured) =>
    process.stderr.write(`${measured} of ${spec.games} games\n`),
  );
  console.log(JSON.stringify({ ...result, seconds: (performance.now() - begin) / 1000 }));
};
