// Models each opponent as a mixture of player types (player-types.ts) and a stranger (stranger.ts). The weights are
// updated with the orders seen in the game by Bayes' rule.
import {
  Game,
  hashGame,
  hold,
  NO_UNIT,
  ordererOf,
  orderLocation,
  type Power,
  Random,
  SPRING,
  unitPower,
} from '../../engine/internal.js';
import type { Candidates } from './candidates.js';
import { clock } from './match.js';
import type { OpponentParameters } from './opponent-parameters.js';
import type { SearchOptions, SeenPhase } from './options.js';
import { type Effort, PositionMemory, type Prediction, predict, typeNames, typePrior } from './player-types.js';
import {
  drawStranger,
  type Habits,
  KindsOfOrders,
  type LastOrder,
  type SeenOrder,
  Strangers,
  usualHabits,
} from './stranger.js';

/**
 * STRANGE: prior probability of a stranger, a player that fits none of the player types. STRANGER: index of the
 * stranger in lists of types, after all player types.
 */
const STRANGE = 0.1;
const STRANGER = typePrior.length;
/** Minimum probability of each type and of the stranger in a model. */
const LEAST = 0.005;
/** Probability that a unit of any type gets a uniformly random legal order. */
const SURPRISE = 0.25;
/**
 * Factor of the log likelihood of one unit's order. Below 1, because the orders of a power's units are not independent.
 */
const WEIGHT = 0.25;
/** Prior probability that all opponents are of the same type. */
const ALIKE = 0.5;

/**
 * Additional probability that an opponent fits none of the player types, in the first turn of a game; in turn n it is
 * divided by n. The types agree most about openings, where a bot with an opening book still surprises them.
 */
const DOUBT = 0.4;

/** Default parameters of the opponent model, for unknown opponents. */
export const usualParameters: OpponentParameters = {
  ...{ types: typePrior, stranger: STRANGE, doubt: DOUBT, surprise: SURPRISE },
  habits: usualHabits,
};

/** Returns the prior over the types, followed by that of the stranger. */
const priorOf = ({ types, stranger }: OpponentParameters): number[] => [
  ...types.map((x) => (1 - stranger) * x),
  stranger,
];

/**
 * Number of order sets drawn for an opponent as a stranger (a player that fits none of the types): LEAST_DRAWS if its
 * probability is 0, MOST_DRAWS if it is 1.
 */
const LEAST_DRAWS = 4;
const MOST_DRAWS = 64;

const UNIFORM_TYPE = typeNames.indexOf('uniform');

/**
 * Returns the orders of each power in a movement phase, indexed by power: one for every unit, sorted ascending. Units
 * without an order get a hold.
 */
export const ordersSeen = (game: Game, { orders }: Pick<SeenPhase, 'orders'>): Int32Array[] => {
  const { map } = game;
  const byUnit = map.powerNames.map(() => new Map<number, number>());
  for (let p = 0; p < map.provinceCount; p++) {
    const unit = game.unitAt(p);
    if (unit !== NO_UNIT) byUnit[unitPower(unit)].set(p, hold(game.unitLocation(p)));
  }
  for (const order of orders) {
    const own = byUnit[ordererOf(game, order)];
    const at = map.locationProvince[orderLocation(order)];
    if (own?.has(at)) own.set(at, order);
  }
  return byUnit.map((own) => Int32Array.from(own.values()).sort());
};

/** Returns the number of the current movement phase in the game, from 1. */
const turnOf = ({ year, season, map }: Game): number =>
  1 + 2 * Math.max(0, year - map.startYear) + (season === SPRING ? 0 : 1);

/** A movement phase of the past, with the orders given in it. */
interface SeenTurn {
  readonly phase: SeenPhase;
  /**
   * `seen`: orders of the phase. `lasts`: order of each unit in the turn before; null if the unit has moved since. Both
   * are indexed by power, then by unit.
   */
  readonly seen: readonly Int32Array[];
  readonly lasts: readonly (readonly (LastOrder | null)[])[];
}

/** Orders of the last turn, keyed by the unit (nameOf()). */
type LastOrders = ReadonlyMap<number, LastOrder>;
/**
 * Returns a number that identifies the unit of an order by its location, type and power.
 * @param order packed order of a unit in the position of `game`
 */
const nameOf = (game: Game, order: number): number => {
  const at = orderLocation(order);
  return (at << 8) | game.unitAt(game.map.locationProvince[at]);
};

const lastsOf = (game: Game, orders: readonly Int32Array[], known: LastOrders): (LastOrder | null)[][] =>
  orders.map((list) => Array.from(list, (order) => known.get(nameOf(game, order)) ?? null));

/** Returns the movement phases of a game so far, and the orders of the last one by unit. */
const readPast = ({ map, rules }: Game, past: SearchOptions['past']): [SeenTurn[], LastOrders] => {
  const game = new Game(map, rules);
  let known: LastOrders = new Map();
  const turns: SeenTurn[] = [];
  for (const phase of past?.phases ?? []) {
    if (!phase.phase.endsWith('M')) continue;
    game.bytes.set(phase.state, game.offset);
    const seen = ordersSeen(game, phase);
    const lasts = lastsOf(game, seen, known);
    turns.push({ phase, seen, lasts });
    known = new Map(
      seen.flatMap((orders, q) =>
        Array.from(orders, (order, unit): [number, LastOrder] => {
          const last = lasts[q][unit];
          return [nameOf(game, order), { order, run: last?.order === order ? last.run + 1 : 1 }];
        }),
      ),
    );
  }
  return [turns, known];
};

/** Orders of a power in one phase, as evidence about its type and habits, indexed by unit. */
type Evidence = readonly SeenOrder[];

/**
 * Returns the logarithm of the likelihood of the orders of some units under each player type, in the order of
 * typeNames.
 */
const typeLogs = (units: Evidence, { surprise }: OpponentParameters): number[] =>
  typeNames.map((_, t) =>
    units.reduce((sum, { chosen, legal }) => {
      const any = 1 / legal;
      const share = t === UNIFORM_TYPE ? any : chosen[t];
      return sum + Math.log((1 - surprise) * share + surprise * any);
    }, 0),
  );

/** Cache of the evidence in a phase. Large enough for the concurrent games of a shard. A phase takes about 20 kB. */
const kept = new PositionMemory<readonly Evidence[]>(4096);

const evidenceOf = (
  { map, rules }: Game,
  { phase, seen, lasts }: SeenTurn,
  effort: Effort,
  deadline: number,
): readonly Evidence[] => {
  const game = new Game(map, rules);
  game.bytes.set(phase.state, game.offset);
  const before = lasts.map((list) => list.map((last) => last?.order ?? 0).join());
  const key = [...hashGame(game), phase.orders.join(), ...before, effort.candidates, ...Object.values(rules)].join();
  const known = kept.get(map, key);
  if (known !== undefined) return known;
  const made = predict(game, effort, deadline).map((prediction, q): Evidence => {
    const orders = new KindsOfOrders(map, prediction);
    return Array.from(seen[q], (order, unit) => orders.seen(unit, order, lasts[q][unit]?.order ?? null));
  });
  if (clock() < deadline) kept.set(map, key, made);
  return made;
};

/**
 * Applies Bayes' rule. Returns the posterior probability of each type, and the logarithm of the total likelihood.
 * @param evidence log likelihood of the orders under each type
 * @param prior prior probability of each type
 */
const update = (
  evidence: Float64Array,
  prior: readonly number[],
): { readonly shares: Float64Array; readonly log: number } => {
  const logs = evidence.map((x, t) => x + Math.log(prior[t]));
  const most = logs.reduce((max, x) => Math.max(max, x), Number.NEGATIVE_INFINITY);
  const shares = logs.map((x) => Math.exp(x - most));
  const sum = shares.reduce((all, x) => all + x, 0);
  return { shares: shares.map((x) => x / sum), log: most + Math.log(sum) };
};

/** A movement phase of the past, prepared for OpponentLearner.learn(). */
export interface WatchedTurn {
  /** Number of the movement phase in its game, from 1. */
  readonly turn: number;
  /** Orders of each power as evidence about its type and habits, indexed by power. */
  readonly evidence: readonly Evidence[];
  /** Order of each unit in the turn before, indexed by power, then by unit; null if the unit has moved since. */
  readonly lasts: readonly (readonly (LastOrder | null)[])[];
}

/**
 * Reads the movement phases of a game for OpponentLearner.
 * @param game any game with the same map and rules
 * @param past phases of the game
 */
export const watchTurns = (game: Game, past: SearchOptions['past'], effort: Effort): WatchedTurn[] =>
  readPast(game, past)[0].map((seen): WatchedTurn => {
    const now = new Game(game.map, game.rules);
    now.bytes.set(seen.phase.state, now.offset);
    const evidence = evidenceOf(game, seen, effort, Number.POSITIVE_INFINITY);
    return { turn: turnOf(now), evidence, lasts: seen.lasts };
  });

/** Expected behaviour of one power. */
export interface OpponentModel {
  /** Probability of each player type in the order of typeNames, then that the power fits none of them (stranger). */
  readonly shares: Float64Array;
  /** Habits of the power in case it fits none of the player types. */
  readonly habits: Habits;
  /** Order of each unit in the turn before, indexed like the power's order sets; null if the unit has moved since. */
  readonly lasts: readonly (LastOrder | null)[];
}

/** Learns the types and habits of all powers in a game, turn by turn. */
export class OpponentLearner {
  private readonly prior: readonly number[];
  private readonly strangers: Strangers;
  /**
   * Weighted log likelihood of the orders learned so far under each type and the stranger, indexed by power, then by
   * type.
   */
  private readonly seen: readonly Float64Array[];
  private turns = 0;

  /**
   * Begins without orders.
   * @param powers number of powers
   * @param others powers whose orders are evidence about each other's type
   */
  constructor(
    powers: number,
    private readonly others: readonly Power[],
    private readonly parameters: OpponentParameters,
  ) {
    this.prior = priorOf(parameters);
    this.strangers = new Strangers(powers, others, parameters.habits);
    this.seen = Array.from({ length: powers }, () => new Float64Array(this.prior.length));
  }

  /**
   * Learns from the orders of a turn.
   * @param evidence orders of the units, indexed by power
   * @param lasts order of each unit in the turn before, indexed by power, then by unit; null if the unit has moved
   *   since
   */
  learn(evidence: readonly Evidence[], lasts: readonly (readonly (LastOrder | null)[])[]): void {
    const { strangers, seen, parameters } = this;
    const habits = evidence.map((_, q) => strangers.habits(q));
    for (const [q, units] of evidence.entries()) {
      for (const [t, log] of typeLogs(units, parameters).entries()) seen[q][t] += WEIGHT * log;
      const runs = lasts[q].map((last) => last?.run ?? 0);
      seen[q][STRANGER] += WEIGHT * strangers.learn(q, habits[q], units, runs);
    }
    this.turns++;
  }

  /**
   * Returns the model of each power, indexed by power.
   * @param turn number of the next movement phase in the game, from 1
   */
  models(turn: number): Omit<OpponentModel, 'lasts'>[] {
    const { others, seen, prior, strangers } = this;
    const each = seen.map((evidence) => update(evidence, prior));
    const sums = Float64Array.from(prior, (_, t) => others.reduce((sum, q) => sum + seen[q][t], 0));
    const all = update(sums, prior);
    const apart = others.reduce((sum, q) => sum + each[q].log, 0);
    const alike = ALIKE / (ALIKE + (1 - ALIKE) * Math.exp(apart - all.log));
    const doubt = this.parameters.doubt / Math.max(turn, 1 + this.turns);
    return each.map(({ shares }, q) => {
      const known = others.includes(q) ? shares.map((x, t) => alike * all.shares[t] + (1 - alike) * x) : shares;
      const mixed = known.map((x, t) => (1 - doubt) * x + (t === STRANGER ? doubt : 0));
      return { shares: mixed.map((x) => LEAST + (1 - LEAST * mixed.length) * x), habits: strangers.habits(q) };
    });
  }
}

/**
 * Returns the model of each power, indexed by power, learned from the past phases. Opponents may all be of one type, so
 * the orders of each opponent are evidence about the others. Orders of the searched powers (`powers`) are not.
 * @param deadline time of clock() after which no more past phases are read; the latest phases are read first
 */
export const modelOpponents = (
  game: Game,
  { past, powers, model }: Pick<SearchOptions, 'past' | 'powers' | 'model'>,
  effort: Effort,
  deadline: number = Number.POSITIVE_INFINITY,
): OpponentModel[] => {
  const count = game.map.powerCount;
  const others = Array.from({ length: count }, (_, q) => q).filter((q) => !powers.includes(q));
  const [turns, lastOrders] = readPast(game, past);
  const read: [SeenTurn, readonly Evidence[]][] = [];
  for (const turn of turns.toReversed()) {
    if (clock() >= deadline) break;
    read.unshift([turn, evidenceOf(game, turn, effort, deadline)]);
  }
  const learner = new OpponentLearner(count, others, model ?? usualParameters);
  for (const [{ lasts }, evidence] of read) learner.learn(evidence, lasts);
  const lasts = lastsOf(game, ordersSeen(game, { orders: new Int32Array(0) }), lastOrders);
  return learner.models(turnOf(game)).map((one, q) => ({ ...one, lasts: lasts[q] }));
};

/**
 * Returns the order sets of a power, each with its probability under a mixture of types.
 * @param shares probability of each type
 */
const typesOf = (power: Power, { sets, likely }: Prediction, shares: Float64Array): Candidates => {
  const prior = new Float64Array(sets.length);
  for (const [t, weights] of likely.entries())
    for (let c = 0; c < prior.length; c++) prior[c] += shares[t] * weights[c];
  return { power, sets, prior };
};

/**
 * Returns the order sets expected of a searched power, with their probabilities by its player types. The possibility
 * that it fits none of the types is left out.
 */
export const expectedOfOwn = (power: Power, prediction: Prediction, { shares }: OpponentModel): Candidates =>
  typesOf(
    power,
    prediction,
    shares.map((x) => x / (1 - shares[STRANGER])),
  );

/**
 * Returns the order sets expected of an opponent, with their probabilities.
 * @param seed seed of the order sets drawn in case the opponent fits none of the player types
 */
export const expectedOf = (
  { map }: Game,
  power: Power,
  prediction: Prediction,
  { shares, habits, lasts }: OpponentModel,
  seed: number,
): Candidates => {
  const known = typesOf(power, prediction, shares);
  if (prediction.legal.length === 0) return known;
  const count = LEAST_DRAWS + Math.round((MOST_DRAWS - LEAST_DRAWS) * shares[STRANGER]);
  const drawn = drawStranger(map, prediction, habits, lasts, count, new Random(seed, power, 0x4eb));
  const sets = [...known.sets];
  const prior = [...known.prior];
  const places = new Map(sets.map((set, c) => [set.join(), c]));
  for (const set of drawn) {
    const key = set.join();
    const c = places.get(key) ?? sets.push(set) - 1;
    places.set(key, c);
    prior[c] = (prior[c] ?? 0) + shares[STRANGER] / count;
  }
  return { power, sets, prior: Float64Array.from(prior) };
};
