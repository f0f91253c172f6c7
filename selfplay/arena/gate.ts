// Plays a gate: a sequential test, by games with paired seeds, of whether an agent is better than another.
//
//   look 1, 2, ...   plays one seat of the agent against six of the other, and one of the other against six of the agent,
//                    with the same seeds and seats; the gain of a pair is the difference of the two scores
//   passes           at the first look with a one-sided t-test below p divided by the number of looks, so that an equal
//                    agent passes with a probability of at most p over all looks
//   does not pass    at the first look at which the agent is worse by the same test, or after the last look
//   anchors          after passing: one seat of either agent against six of each anchor; the agent fails if it loses more
//                    than two standard errors against any anchor
import { LepantoError } from '../../engine/rules/error.js';
import { playSeries, type SeriesOptions } from './arena.js';
import type { ArenaGame } from './arena-game.js';
import type { ArenaSpec, GateSpec } from './protocol.js';
import { seatScores } from './standings.js';

/** Maximum loss against an anchor, in standard errors. */
const ANCHOR_ERRORS = 2;

/** Scores of two agents in pairs of games. The games of a pair have the same seeds and seats. */
export interface PairedScores {
  /** Number of pairs. */
  readonly games: number;
  /** Mean score of a seat of the agent. */
  readonly agent: number;
  /** Mean score of a seat of the other agent. */
  readonly against: number;
  /** Mean difference: `agent` - `against`. */
  readonly gain: number;
  /** Standard error of the gain; NaN for fewer than two pairs. */
  readonly error: number;
}

/** Scores of two agents in pairs of games, each in one seat against six seats of an anchor. */
export interface AnchorRow extends PairedScores {
  /** Name of the anchor in the spec. */
  readonly anchor: string;
}

/** Result of a gate. */
export interface GateResult {
  /** True if the agent passed; null if the gate is undecided. */
  readonly passed: boolean | null;
  /** Reason for the decision, in words. */
  readonly reason: string;
  /** Number of looks taken. A look is a test after a further part of the games. */
  readonly looks: number;
  /** Scores of the tested agent and the other one, each in one seat against six of the other. */
  readonly pairs: PairedScores;
  /** One-sided p-value of the gain: probability of a gain at least this high between equal agents. */
  readonly chance: number;
  /** Results against the anchors played so far. */
  readonly anchors: readonly AnchorRow[];
  /** Number of games played, in both directions and against anchors. */
  readonly games: number;
}

/**
 * Games of one seat of an agent (`one`) against six seats of another (`six`). Both are indices in [agent, against,
 * ...anchors].
 */
export type Match = readonly [one: number, six: number];

/** The first `games` games of a match. */
export interface NeededGames {
  readonly match: Match;
  readonly games: number;
}

/** State of a gate after the games played so far. */
export interface GateState {
  readonly result: GateResult;
  /** Games needed next; empty once the gate is decided. */
  readonly needed: readonly NeededGames[];
}

const STEPS = 2000;

/** Returns the probability that Student's t is at least `t`; 1 if `t` is NaN. @param freedom degrees of freedom */
export const chanceOf = (t: number, freedom: number): number => {
  if (Number.isNaN(t)) return 1;
  // The density of atan(t / sqrt(freedom)) is cos to the power of (freedom - 1): a finite integral, by Simpson's rule.
  const end = Math.min(Math.PI / 2, 12 / Math.sqrt(freedom));
  const integral = (from: number): number => {
    const step = (end - from) / STEPS;
    let sum = 0;
    for (let i = 0; i <= STEPS; i++)
      sum += (i === 0 || i === STEPS ? 1 : 2 + 2 * (i % 2)) * Math.cos(from + i * step) ** (freedom - 1);
    return (sum * step) / 3;
  };
  const at = Math.min(end, Math.atan(Math.abs(t) / Math.sqrt(freedom)));
  const above = integral(at) / (2 * integral(0));
  return t < 0 ? 1 - above : above;
};

const HALF_OF_FIVE_PERCENT = 0.025;

/**
 * Returns the 95 % confidence interval of a mean of `count` values (t distribution); null for fewer than two values.
 * @param error standard error of the mean
 */
export const intervalOf = (mean: number, error: number, count: number): readonly [number, number] | null => {
  if (count < 2 || Number.isNaN(error)) return null;
  let [low, high] = [0, 1000];
  for (let i = 0; i < 60; i++) {
    const t = (low + high) / 2;
    if (chanceOf(t, count - 1) > HALF_OF_FIVE_PERCENT) low = t;
    else high = t;
  }
  return [mean - high * error, mean + high * error];
};

/**
 * Compares two lists of scores in pairs: score i of one list with score i of the other. Both must have the same length.
 */
export const comparePairs = (agent: readonly number[], against: readonly number[]): PairedScores => {
  const games = agent.length;
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / games;
  const gains = agent.map((score, i) => score - against[i]);
  const gain = mean(gains);
  const error = Math.sqrt(gains.reduce((sum, value) => sum + (value - gain) ** 2, 0) / (games - 1) / games);
  return { games, agent: mean(agent), against: mean(against), gain, error };
};

/** Returns the one-sided p-value of a gain; 0.5 for fewer than two pairs or if all pairs are equal. */
export const chanceOfGain = ({ games, gain, error }: PairedScores): number =>
  games < 2 || (gain === 0 && error === 0) ? 0.5 : chanceOf(gain / error, games - 1);

/** Returns the maximum number of games that a gate may play. */
export const gateGames = ({ games, looks, anchors }: GateSpec): number => 2 * games * (looks + anchors.length);

/**
 * Returns the arena of a match: one seat of the first agent against six of the second.
 * @param agents names of the two agents
 */
const arenaOf = (spec: GateSpec, agents: readonly string[], games: number): ArenaSpec => {
  const { map, rules, scoring, until, seed, rounds } = spec;
  return { map, rules, scoring, until, seed, ...(rounds !== undefined && { rounds }), agents, protocol: '1v6', games };
};

/** Returns the names of the agents of a match. */
const playersOf = ({ agent, against, anchors }: GateSpec, match: Match): string[] =>
  match.map((place) => [agent, against, ...anchors][place]);

/** Matches of a look: one seat of the agent against six of the other, and the reverse. */
const BOTH_WAYS: readonly Match[] = [
  [0, 1],
  [1, 0],
];

/**
 * Returns all arenas that a gate may play. The arenas of the looks come last: if `against` is also an anchor, they are
 * the same arenas as those of the anchor, with more games.
 */
const gateArenas = (spec: GateSpec): ArenaSpec[] => {
  const { agent, against, anchors, games, looks } = spec;
  return [
    ...anchors.flatMap((anchor) => [agent, against].map((one) => arenaOf(spec, [one, anchor], games))),
    arenaOf(spec, [agent, against], games * looks),
    arenaOf(spec, [against, agent], games * looks),
  ];
};

/**
 * Judges a gate by the games played so far.
 * @param scoresOf returns the score of the single seat in each game of a match, from game 0 on
 * @param played number of games played, for the result
 */
export const judgeGate = (spec: GateSpec, scoresOf: (match: Match) => readonly number[], played: number): GateState => {
  const { games, looks, p, anchors } = spec;
  const limit = p / looks;
  const rows: AnchorRow[] = [];
  let look = 0;
  let pairs: PairedScores = { games: 0, agent: 0, against: 0, gain: 0, error: Number.NaN };
  let chance = 0.5;
  const state = (passed: boolean | null, reason: string, needed: readonly NeededGames[] = []): GateState => ({
    result: { passed, reason, looks: look, pairs, chance, anchors: rows, games: played },
    needed,
  });
  /** Compares the first `count` games of two matches in pairs. Returns an undecided state if games are missing. */
  const compare = (matches: readonly Match[], count: number): PairedScores | GateState => {
    const [ours, theirs] = matches.map((match) => scoresOf(match).slice(0, count));
    if (ours.length === count && theirs.length === count) return comparePairs(ours, theirs);
    return state(
      null,
      'stopped',
      matches.map((match) => ({ match, games: count })),
    );
  };
  while (look < looks && chance >= limit && 1 - chance >= limit) {
    const found = compare(BOTH_WAYS, (look + 1) * games);
    if ('needed' in found) return found;
    look++;
    pairs = found;
    chance = chanceOfGain(found);
  }
  const isWorse = 1 - chance < limit;
  const odds = `p = ${(isWorse ? 1 - chance : chance).toPrecision(2)} at look ${look} of ${looks}, wanted below ${limit.toPrecision(2)}`;
  if (isWorse) return state(false, `worse than the other (${odds})`);
  if (chance >= limit) return state(false, `not clearly better than the other (${odds})`);
  for (const [i, anchor] of anchors.entries()) {
    const found = compare(
      [
        [0, 2 + i],
        [1, 2 + i],
      ],
      games,
    );
    if ('needed' in found) return found;
    rows.push({ anchor, ...found });
  }
  const worse = rows.find(({ gain, error }) => gain < -ANCHOR_ERRORS * error);
  if (worse === undefined) return state(true, `better than the other (${odds})`);
  const [loss, error] = [-worse.gain, worse.error].map((value) => value.toFixed(3));
  return state(false, `worse against ${worse.anchor} by ${loss} +- ${error}`);
};

/** A gate read from stored games: its result, and how its test developed. */
export interface KeptGate {
  readonly result: GateResult;
  /**
   * Comparison of the first k pairs for ascending k, from k = 2, with the p-value `chance`. Reduced to a few hundred
   * points.
   */
  readonly course: readonly (PairedScores & { readonly chance: number })[];
}

/** Approximate maximum number of points in KeptGate.course, besides one for each look. */
const MOST_POINTS = 200;

/** Judges a gate by stored games. @param gamesOf returns the stored games of an arena, from game 0 on */
export const readGate = (spec: GateSpec, gamesOf: (arena: ArenaSpec) => readonly ArenaGame[]): KeptGate => {
  const { games, looks } = spec;
  const scoresOf = (match: Match): number[] => {
    const arena = arenaOf(spec, playersOf(spec, match), games * looks);
    return seatScores(arena, gamesOf(arena), 0);
  };
  const played = gateArenas(spec).reduce((sum, arena) => sum + gamesOf(arena).length, 0);
  const { result } = judgeGate(spec, scoresOf, played);
  const [ours, theirs] = BOTH_WAYS.map(scoresOf);
  const pairs = Math.min(ours.length, theirs.length, result.passed === null ? games * looks : games * result.looks);
  const every = Math.ceil(pairs / MOST_POINTS);
  const course = Array.from({ length: pairs }, (_, i) => i + 1)
    .filter((count) => count >= 2 && (count % every === 0 || count % games === 0 || count === pairs))
    .map((count) => {
      const found = comparePairs(ours.slice(0, count), theirs.slice(0, count));
      return { ...found, chance: chanceOfGain(found) };
    });
  return { result, course };
};

/**
 * Plays a gate. The result is the same for any number of workers, unless an agent has a budget in milliseconds.
 * @throws LepantoError for fewer than two games, no looks or a p outside 0 to 0.5, if games cannot be played, or if an
 *   agent fails or gives illegal orders
 */
export const runGate = async (spec: GateSpec, options: SeriesOptions): Promise<GateResult> => {
  if (spec.games < 2) throw new LepantoError('argument', `games: got ${spec.games}, wanted at least 2`);
  if (spec.looks < 1) throw new LepantoError('argument', `looks: got ${spec.looks}, wanted at least 1`);
  if (!(spec.p > 0 && spec.p <= 0.5))
    throw new LepantoError('argument', `p: got ${spec.p}, wanted more than 0, and 0.5 at the most`);
  options.kept?.addGate(spec);
  let played = 0;
  const onGame = (count: number): void => {
    played = count;
    options.onGame?.(count);
  };
  return playSeries({ ...options, onGame }, gateArenas(spec), async (play) => {
    const scores = new Map<string, readonly number[]>();
    let isStopped = false;
    const playMatch = async (agents: readonly string[], games: number): Promise<void> => {
      const arena = arenaOf(spec, agents, games);
      const { games: found } = await play(arena);
      scores.set(agents.join(), seatScores(arena, found, 0));
      if (found.length === games) return;
      isStopped = options.signal?.aborted === true;
      const names = agents.join(' against ');
      if (!isStopped)
        throw new LepantoError('agent', `gate: ${games - found.length} games of ${names} could not be played`);
    };
    for (;;) {
      const state = judgeGate(spec, (match) => scores.get(playersOf(spec, match).join()) ?? [], played);
      if (state.needed.length === 0 || isStopped) return state.result;
      // Matches are keyed by their agents, so that an agent against itself plays only one match. All matches are
      // awaited, even if one fails.
      const needed = new Map(
        state.needed.map(({ match, games }) => {
          const agents = playersOf(spec, match);
          return [agents.join(), () => playMatch(agents, games)];
        }),
      );
      const ends = await Promise.allSettled([...needed.values()].map((start) => start()));
      for (const end of ends) if (end.status === 'rejected') throw end.reason;
    }
  });
};
