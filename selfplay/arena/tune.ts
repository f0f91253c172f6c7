// Looks for better options of an agent by games: simultaneous perturbation (SPSA, Spall 1992), as chess engines are tuned.
//
//   a step:  all options are changed at once, each up or down by chance, and the other way round; both agents play the same
//            seats and seeds, one seat against six of each opponent; the options go towards the better one, the farther
//            the clearer it was
//   answer:  the mean over the last half of the steps
//
// Changes and strides shrink with the steps. Whether the answer is better than the start is for a gate to say (gate.ts).
import { Random } from '../../engine/internal.js';
import { LepantoError } from '../../engine/rules/error.js';
import { type PlayOne, playSeries, type SeriesOptions } from './arena.js';
import { comparePairs, type PairedScores } from './gate.js';
import type { ArenaSpec } from './protocol.js';
import { seatScores } from './standings.js';

/** An option that is tuned: a number between two. */
export interface TunedOption {
  /** As the agent has it. */
  readonly name: string;
  /** The least that it is set to. */
  readonly least: number;
  /** The most that it is set to; more than the least. */
  readonly most: number;
  /** Where it begins. */
  readonly start: number;
}

/** Everything that determines the games of a tuning, and what it comes to. */
export interface TuneSpec extends Omit<ArenaSpec, 'agents' | 'protocol' | 'rounds'> {
  /** The agent, as formatAgent() writes it. */
  readonly agent: string;
  /** What is tuned; every other option stays. */
  readonly options: readonly TunedOption[];
  /** Its opponents, likewise. */
  readonly against: readonly string[];
  /** Games of each of the two agents in a step, 2 or more; a multiple of powers and opponents gives every seat its turn. */
  readonly games: number;
  /** How many steps; from 1. */
  readonly steps: number;
}

/** A step as it was played. */
export interface TuneStep {
  /** What the agent with the changes won more than the one with the opposite changes. */
  readonly pairs: PairedScores;
  /** By option, after the step. */
  readonly values: readonly number[];
}

/** How a tuning went. */
export interface TuneResult {
  /** Those that were played, in their order. */
  readonly steps: readonly TuneStep[];
  /** By option: the answer. */
  readonly values: readonly number[];
  /** The agent with them. */
  readonly agent: string;
  /** Games played. */
  readonly games: number;
}

// Of the range of an option: the first change, and the first stride for gains of one standard error.
const CHANGE = 0.15;
const STRIDE = 0.06;
// How fast both shrink, as Spall recommends, counted in tenths of all steps.
const CHANGE_DECAY = 0.101;
const STRIDE_DECAY = 0.602;
const EARLY = 10;
/** A gain of more standard errors than this counts as so many. */
const CLEAREST = 3;
const DIGITS = 4;

const within = (x: number): number => Math.min(1, Math.max(0, x));

/** The text of an agent with other values of some options. */
export const withOptions = (agent: string, values: Readonly<Record<string, number>>): string => {
  const [name, ...pairs] = agent.split(':');
  const others = pairs.filter((pair) => !Object.hasOwn(values, pair.split('=')[0]));
  return [name, ...others, ...Object.entries(values).map(([key, value]) => `${key}=${value}`)].join(':');
};

/** The most games that a tuning plays. */
export const tuneGames = ({ games, steps }: TuneSpec): number => 2 * games * steps;

class Tuning {
  private readonly steps: TuneStep[] = [];
  /** By option: where it is in its range, from 0 to 1. */
  private readonly at = this.spec.options.map(({ least, most, start }) => (start - least) / (most - least));

  constructor(
    private readonly spec: TuneSpec,
    private readonly onStep: (step: TuneStep) => void,
  ) {}

  private values(at: readonly number[]): number[] {
    return this.spec.options.map(({ least, most }, i) => Number((least + at[i] * (most - least)).toPrecision(DIGITS)));
  }

  private agent(values: readonly number[]): string {
    const { agent, options } = this.spec;
    return withOptions(agent, Object.fromEntries(options.map(({ name }, i) => [name, values[i]])));
  }

  /** The next step: by option which way it is changed, and the arenas of both agents. */
  next(): { readonly signs: readonly number[]; readonly arenas: readonly ArenaSpec[] } {
    const { map, rules, scoring, games, until, seed, against } = this.spec;
    const random = new Random(seed, this.steps.length);
    const common = { map, rules, scoring, games, until, seed: random.next(), protocol: '1v6' } as const;
    const signs = this.at.map(() => 2 * random.below(2) - 1);
    const change = CHANGE / this.late() ** CHANGE_DECAY;
    const arenas = [change, -change].map((by) => {
      const values = this.values(this.at.map((x, i) => within(x + by * signs[i])));
      return { ...common, agents: [this.agent(values), ...against] };
    });
    return { signs, arenas };
  }

  /** What changes and strides are divided by a power of: 1 at the first step. */
  private late(): number {
    return 1 + (EARLY * this.steps.length) / this.spec.steps;
  }

  /** Goes towards the better of the two. */
  private move(signs: readonly number[], pairs: PairedScores): void {
    const clear = pairs.error > 0 ? Math.min(CLEAREST, Math.max(-CLEAREST, pairs.gain / pairs.error)) : 0;
    const stride = (STRIDE / this.late() ** STRIDE_DECAY) * clear;
    for (const [i, sign] of signs.entries()) this.at[i] = within(this.at[i] + stride * sign);
    const step = { pairs, values: this.values(this.at) };
    this.steps.push(step);
    this.onStep(step);
  }

  async run(play: PlayOne, signal: AbortSignal | undefined): Promise<TuneResult> {
    const { spec, steps } = this;
    while (steps.length < spec.steps) {
      const { signs, arenas } = this.next();
      const halves = await Promise.allSettled(arenas.map(play));
      const [up, down] = halves.map((half, i) => {
        if (half.status === 'rejected') throw half.reason;
        return seatScores(arenas[i], half.value.games, 0);
      });
      const lost = 2 * spec.games - up.length - down.length;
      if (lost > 0 && signal?.aborted === true) break;
      if (lost > 0)
        throw new LepantoError('agent', `tune: ${lost} games of step ${steps.length + 1} could not be played`);
      this.move(signs, comparePairs(up, down));
    }
    const values = this.mean();
    return { steps, values, agent: this.agent(values), games: 2 * spec.games * steps.length };
  }

  /** Of the last half of the steps. */
  private mean(): number[] {
    const last = this.steps.slice(this.steps.length >> 1);
    if (last.length === 0) return this.values(this.at);
    return this.values(
      this.spec.options.map(({ least, most }, i) => {
        const sum = last.reduce((all, { values }) => all + values[i], 0);
        return within((sum / last.length - least) / (most - least));
      }),
    );
  }
}

/**
 * Tunes options of an agent. The result is the same for any number of workers, unless an agent's budget is in
 * milliseconds; it has fewer steps if it was stopped.
 * @param onStep called after each step
 * @throws LepantoError for an option without a range or with a start outside, fewer than two games, or no step;
 *   LepantoError as runArena() does
 */
export const runTune = async (
  spec: TuneSpec,
  options: SeriesOptions,
  onStep: (step: TuneStep) => void = () => {},
): Promise<TuneResult> => {
  for (const { name, least, most, start } of spec.options)
    if (!(least < most && start >= least && start <= most))
      throw new LepantoError(
        'argument',
        `option ${name}: got ${start} in ${least}..${most}, wanted a number in a range`,
      );
  if (spec.games < 2) throw new LepantoError('argument', `games: got ${spec.games}, wanted at least 2`);
  if (spec.steps < 1) throw new LepantoError('argument', `steps: got ${spec.steps}, wanted at least 1`);
  // Games of steps that are done, whether they were played now or kept; and what was played before the step at hand.
  let done = 0;
  let before = 0;
  let played = 0;
  const tuning = new Tuning(spec, (step) => {
    done += 2 * spec.games;
    before = played;
    onStep(step);
  });
  const onGame = (count: number): void => {
    played = count;
    options.onGame?.(done + played - before);
  };
  return playSeries({ ...options, onGame }, tuning.next().arenas, (play) => tuning.run(play, options.signal));
};
