// A gate decides whether an agent is better than another, by games with paired seeds, in looks that end as soon as it is
// clear (a sequential test).
//
//   look 1, 2, ...:  one seat of the agent against six of the other, and one of the other against six of the agent, with
//                    the same seeds and seats; a gain is the difference of the two scores of one number
//   passes           at the first look where gains so high are luck with a probability below p divided by the looks
//                    (one-sided t-test), so that all looks together pass an equal agent with p at the most
//   does not pass    at the first look where gains so low are as improbable, or after the last look
//   anchors          then: six of each against one seat of either; with none may the agent lose two standard errors or more
import { LepantoError } from '../../engine/rules/error.js';
import { type PlayOne, playSeries, type SeriesOptions } from './arena.js';
import type { ArenaGame } from './arena-game.js';
import type { ArenaSpec, GateSpec } from './protocol.js';
import { seatScores } from './standings.js';

/** How many standard errors an agent may lose against an anchor. */
const ANCHOR_ERRORS = 2;

/** What games in pairs say of an agent and another, which had the same seeds and seats. */
export interface PairedScores {
  /** Pairs of games. */
  readonly games: number;
  /** Mean score of a seat of the agent. */
  readonly agent: number;
  /** The same of the other. */
  readonly against: number;
  /** What the agent has more, on the mean. */
  readonly gain: number;
  /** Standard error of the gain; NaN for fewer than two pairs. */
  readonly error: number;
}

/** The pairs of one seat against six of an anchor. */
export interface AnchorRow extends PairedScores {
  /** As the spec names it. */
  readonly anchor: string;
}

/** How a gate went. */
export interface GateResult {
  /** Null if it was stopped before it was decided. */
  readonly passed: boolean | null;
  /** In words. */
  readonly reason: string;
  /** Looks that were taken. */
  readonly looks: number;
  /** One seat against six both ways. */
  readonly pairs: PairedScores;
  /** How probable gains so high are for equal agents. */
  readonly chance: number;
  /** Those that were played. */
  readonly anchors: readonly AnchorRow[];
  /** Games played, those of both directions and of the anchors. */
  readonly games: number;
}

const STEPS = 2000;

/** The probability that a t of so many degrees of freedom is as high as this, or higher. */
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

/** Where a mean of so many values lies with 95 %, by its standard error (t distribution); null for fewer than two. */
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

/** What pairs of scores say. */
export const comparePairs = (agent: readonly number[], against: readonly number[]): PairedScores => {
  const games = agent.length;
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / games;
  const gains = agent.map((score, i) => score - against[i]);
  const gain = mean(gains);
  const error = Math.sqrt(gains.reduce((sum, value) => sum + (value - gain) ** 2, 0) / (games - 1) / games);
  return { games, agent: mean(agent), against: mean(against), gain, error };
};

/** How probable gains so high are for equal agents. */
export const chanceOfGain = ({ games, gain, error }: PairedScores): number =>
  games < 2 || (gain === 0 && error === 0) ? 0.5 : chanceOf(gain / error, games - 1);

/** The most games that a gate plays. */
export const gateGames = ({ games, looks, anchors }: GateSpec): number => 2 * games * (looks + anchors.length);

/** One seat of the first agent against six of the second. */
const arenaOf = (spec: GateSpec, agents: readonly string[], games: number): ArenaSpec => {
  const { map, rules, scoring, until, seed, rounds } = spec;
  return { map, rules, scoring, until, seed, ...(rounds !== undefined && { rounds }), agents, protocol: '1v6', games };
};

/** All that a gate may play: an agent that is an anchor as well has the games of the looks, the longer list of the two. */
const gateArenas = (spec: GateSpec): ArenaSpec[] => {
  const { agent, against, anchors, games, looks } = spec;
  return [
    ...anchors.flatMap((anchor) => [agent, against].map((one) => arenaOf(spec, [one, anchor], games))),
    arenaOf(spec, [agent, against], games * looks),
    arenaOf(spec, [against, agent], games * looks),
  ];
};

/** A gate as far as kept games go: its result, and what its test said after each pair. */
export interface KeptGate {
  readonly result: GateResult;
  /** Pairs of the two agents in their order, each with those before it; from the second on, and at most some hundreds. */
  readonly course: readonly (PairedScores & { readonly chance: number })[];
}

/** So many points of a course, and one for each look. */
const MOST_POINTS = 200;

/** @param gamesOf the games of an arena that are kept, from its first on */
export const readGate = async (
  spec: GateSpec,
  gamesOf: (arena: ArenaSpec) => readonly ArenaGame[],
): Promise<KeptGate> => {
  let played = 0;
  const play: PlayOne = async (arena) => {
    const games = gamesOf(arena).slice(0, arena.games);
    played += games.length;
    return { games, standings: [] };
  };
  const result = await new Gate(spec, AbortSignal.abort(), play, () => played).judge();
  const { agent, against, games, looks } = spec;
  const [ours, theirs] = [
    [agent, against],
    [against, agent],
  ].map((agents) => {
    const arena = arenaOf(spec, agents, games * looks);
    return seatScores(arena, gamesOf(arena).slice(0, arena.games), 0);
  });
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

type Say = (passed: boolean | null, reason: string, anchors?: readonly AnchorRow[]) => GateResult;

class Gate {
  constructor(
    private readonly spec: GateSpec,
    private readonly signal: AbortSignal | undefined,
    private readonly play: PlayOne,
    private readonly played: () => number,
  ) {}

  /** Scores of the first agent's seat in games 0 to games - 1 against six of the second; null if it was stopped. */
  private async scores(agents: readonly [string, string], games: number): Promise<number[] | null> {
    const arena = arenaOf(this.spec, agents, games);
    const { games: found } = await this.play(arena);
    if (found.length === games) return seatScores(arena, found, 0);
    if (this.signal?.aborted === true) return null;
    const lost = games - found.length;
    throw new LepantoError('agent', `gate: ${lost} games of ${agents.join(' against ')} could not be played`);
  }

  /** Plays two arenas at a time, so that many machines have enough to do; waits for both, whatever fails. */
  private async pair(one: [string, string], other: [string, string], games: number): Promise<PairedScores | null> {
    const ahead = this.scores(one, games);
    const both = await Promise.allSettled([ahead, `${one}` === `${other}` ? ahead : this.scores(other, games)]);
    for (const half of both) if (half.status === 'rejected') throw half.reason;
    const [ours, theirs] = both.map((half) => (half.status === 'fulfilled' ? half.value : null));
    return ours && theirs ? comparePairs(ours, theirs) : null;
  }

  async judge(): Promise<GateResult> {
    const { agent, against, games, looks, p } = this.spec;
    let look = 0;
    let pairs: PairedScores = { games: 0, agent: 0, against: 0, gain: 0, error: Number.NaN };
    let chance = 0.5;
    const say: Say = (passed, reason, anchors = []) => ({
      ...{ passed, reason, looks: look, pairs, chance, anchors, games: this.played() },
    });
    const limit = p / looks;
    while (look < looks && chance >= limit && 1 - chance >= limit) {
      const found = await this.pair([agent, against], [against, agent], (look + 1) * games);
      if (found === null) return say(null, 'stopped');
      look++;
      pairs = found;
      chance = chanceOfGain(found);
    }
    const isWorse = 1 - chance < limit;
    const odds = `p = ${(isWorse ? 1 - chance : chance).toPrecision(2)} at look ${look} of ${looks}, wanted below ${limit.toPrecision(2)}`;
    if (isWorse) return say(false, `worse than the other (${odds})`);
    if (chance >= limit) return say(false, `not clearly better than the other (${odds})`);
    return this.meetAnchors(say, odds);
  }

  private async meetAnchors(say: Say, odds: string): Promise<GateResult> {
    const { agent, against, anchors, games } = this.spec;
    const rows: AnchorRow[] = [];
    for (const anchor of anchors) {
      const found = await this.pair([agent, anchor], [against, anchor], games);
      if (found === null) return say(null, 'stopped', rows);
      rows.push({ anchor, ...found });
    }
    const worse = rows.find(({ gain, error }) => gain < -ANCHOR_ERRORS * error);
    if (worse === undefined) return say(true, `better than the other (${odds})`, rows);
    const [loss, error] = [-worse.gain, worse.error].map((value) => value.toFixed(3));
    return say(false, `worse against ${worse.anchor} by ${loss} +- ${error}`, rows);
  }
}

/**
 * Plays a gate. The result is the same for any number of workers, unless an agent's budget is in milliseconds.
 * @throws LepantoError for fewer than two games, no look, or a p that is none; LepantoError as runArena() does
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
  return playSeries({ ...options, onGame }, gateArenas(spec), (play) =>
    new Gate(spec, options.signal, play, () => played).judge(),
  );
};
