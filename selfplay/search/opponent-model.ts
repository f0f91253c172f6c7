// Models each opponent as a mixture of player types (player-types.ts), updated by the orders seen in the game (Bayes' rule).
import {
  Game,
  hashGame,
  hold,
  NO_UNIT,
  ordererOf,
  orderLocation,
  type Power,
  unitPower,
} from '../../engine/internal.js';
import type { Candidates } from './candidates.js';
import { clock } from './match.js';
import type { SearchOptions, SeenPhase } from './options.js';
import { type Effort, PositionMemory, type Prediction, predict, typeNames } from './player-types.js';

/** Prior over the types at a table of unknown bots: mostly players that maximise something. */
const PRIOR = [0.18, 0.1, 0.1, 0.1, 0.09, 0.08, 0.12, 0.18, 0.03, 0.02];
/** What each type keeps, whatever was seen: every type is a guess, and so is that they are all. */
const LEAST = 0.005;
/** How often a unit of any type gets just any order. */
const SURPRISE = 0.25;
/** The orders of a power hang together, so those of its units weigh less than so many independent ones. */
const WEIGHT = 0.25;
/** How likely all opponents are of one type, before any order is seen. */
const ALIKE = 0.5;

const UNIFORM_TYPE = typeNames.indexOf('uniform');

type Evidence = readonly number[];

const likelihood = ({ sets, likely, legal }: Prediction, seen: Int32Array): Evidence =>
  likely.map((weights, t) => {
    let sum = 0;
    for (let unit = 0; unit < seen.length; unit++) {
      const any = 1 / Math.max(1, legal[unit]);
      let share = t === UNIFORM_TYPE ? any : 0;
      if (t !== UNIFORM_TYPE)
        for (let c = 0; c < sets.length; c++) if (sets[c][unit] === seen[unit]) share += weights[c];
      sum += Math.log((1 - SURPRISE) * share + SURPRISE * any);
    }
    return sum;
  });

/** The orders of each power in a phase, one for every unit, each list ascending. */
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

const kept = new PositionMemory<readonly Evidence[]>(4096);

const evidenceOf = ({ map, rules }: Game, phase: SeenPhase, effort: Effort, deadline: number): readonly Evidence[] => {
  const game = new Game(map, rules);
  game.bytes.set(phase.state, game.offset);
  const key = [...hashGame(game), phase.orders.join(), effort.candidates, ...Object.values(rules)].join();
  const known = kept.get(map, key);
  if (known !== undefined) return known;
  const seen = ordersSeen(game, phase);
  const made = predict(game, effort, deadline).map((one, q) => likelihood(one, seen[q]));
  if (clock() < deadline) kept.set(map, key, made);
  return made;
};

/** Bayes' rule. @param evidence logarithm of how likely each type gives what was seen */
const update = (evidence: Float64Array): { readonly shares: Float64Array; readonly log: number } => {
  const logs = evidence.map((x, t) => x + Math.log(PRIOR[t]));
  const most = logs.reduce((max, x) => Math.max(max, x), Number.NEGATIVE_INFINITY);
  const shares = logs.map((x) => Math.exp(x - most));
  const sum = shares.reduce((all, x) => all + x, 0);
  return { shares: shares.map((x) => x / sum), log: most + Math.log(sum) };
};

/**
 * The mixture of types for each power: by power, then by type. Opponents may all be of one type, and then what one orders
 * tells about the others too.
 * @param powers that are searched for: they tell nothing about the others
 * @param deadline of clock(), after which no more of the past counts; the latest phases come first
 */
export const modelOpponents = (
  game: Game,
  { past, powers }: Pick<SearchOptions, 'past' | 'powers'>,
  effort: Effort,
  deadline: number = Number.POSITIVE_INFINITY,
): Float64Array[] => {
  const seen = game.map.powerNames.map(() => new Float64Array(PRIOR.length));
  for (const phase of (past?.phases ?? []).toReversed()) {
    if (!phase.phase.endsWith('M')) continue;
    if (clock() >= deadline) break;
    for (const [q, evidence] of evidenceOf(game, phase, effort, deadline).entries())
      for (let t = 0; t < evidence.length; t++) seen[q][t] += WEIGHT * evidence[t];
  }
  const each = seen.map(update);
  const others = [...seen.keys()].filter((q) => !powers.includes(q));
  const all = update(Float64Array.from(PRIOR, (_, t) => others.reduce((sum, q) => sum + seen[q][t], 0)));
  const apart = others.reduce((sum, q) => sum + each[q].log, 0);
  const alike = ALIKE / (ALIKE + (1 - ALIKE) * Math.exp(apart - all.log));
  return each.map(({ shares }, q) => {
    const mixed = others.includes(q) ? shares.map((x, t) => alike * all.shares[t] + (1 - alike) * x) : shares;
    return mixed.map((x) => LEAST + (1 - LEAST * mixed.length) * x);
  });
};

export const expectedOf = (power: Power, { sets, likely }: Prediction, mixture: Float64Array): Candidates => {
  const prior = new Float64Array(sets.length);
  for (const [t, weights] of likely.entries())
    for (let c = 0; c < prior.length; c++) prior[c] += mixture[t] * weights[c];
  return { power, sets, prior };
};
