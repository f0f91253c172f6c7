// Finds the rules under which a recorded game replays without a disagreement.
//
// A game that disagrees under one set of rules is played again by each of the others, from the last moves before its
// first disagreement: most of them end there. Where they find what the first replay found, they agree with the record
// as it did, so that little of the record is compared again.
import {
  adjudicate,
  type CompiledMap,
  MOVEMENT,
  makeResults,
  phaseName,
  presetNames,
} from '../../../engine/internal.js';
import { hasCode } from '../../../engine/rules/error.js';
import { type RuleSet, ruleSetByName } from '../../notation/text/index.js';
import type { RawGame, RawPhase, Wording } from './raw.js';
import {
  type Arrival,
  areSame,
  DIFFERENT,
  EQUAL,
  hasOutcome,
  Replay,
  type Replayed,
  SKIPPED,
  type Step,
  stepsOf,
  wordsByProvince,
} from './replay-raw.js';

/**
 * The rules of the package `diplomacy`: an army without its convoy goes by land if it can, and civil disorder removes the
 * units farthest from home.
 */
export const PACKAGE_RULES = 'datc-3.2,convoyFallback=unordered,disorderGoal=home,disorderMeasure=d';

/** A replay of a game by other rules, up to its first disagreement. */
class OtherReplay extends Replay {
  /** True if the last moves did what they did in the first replay. */
  private isInStep = true;

  /** Goes to the position of a step. */
  goTo({ before }: Step): void {
    this.game.bytes.set(before, this.game.offset);
  }

  private isAt({ before }: Step): boolean {
    const { bytes, offset } = this.game;
    for (let i = 0; i < before.length; i++) if (bytes[offset + i] !== before[i]) return false;
    return true;
  }

  arriveAs(raw: RawPhase, step: Step): Arrival {
    if (step.follows && this.isInStep && this.isAt(step)) return step.isSkipped ? SKIPPED : EQUAL;
    return this.arrive(raw);
  }

  playAs(raw: RawPhase, wording: Wording, step: Step): void {
    const { game, map, results } = this;
    const { phase } = game;
    const name = phaseName(game);
    const played = this.isAt(step) ? step.played : null;
    const recorded = played?.recorded ?? wordsByProvince(game, raw.results, wording);
    const orders = this.readOrders(raw);
    adjudicate(game, orders.packed, orders.packed.length, results);
    // On a map with rules of its own an outcome has more to it.
    const isSame =
      played !== null && map.special === null && areSame(orders, played.orders) && hasOutcome(results, played.outcome);
    if (!isSame) this.compareResults(raw, phase, recorded, orders, wording);
    else if (!played.agrees) this.found++;
    if (phase !== MOVEMENT) return;
    this.isInStep = isSame;
    this.noteDestroyed(name);
  }
}

/** Where to begin so that the first disagreement is met soon: with moves, which depend on nothing but the board. */
const beginOf = (raw: RawGame, steps: readonly Step[], wrong: number): number => {
  const isKnown = ({ name, units, centers }: RawPhase): boolean =>
    name.endsWith('M') && units !== null && centers !== null;
  for (let i = steps[wrong].follows ? wrong : wrong - 1; i > 0; i--) if (isKnown(raw.phases[i])) return i;
  return 0;
};

/** True if nothing disagrees in the phases from `begin` to before `end`, from the position of the first. */
const agreesFrom = (replay: OtherReplay, raw: RawGame, steps: readonly Step[], begin: number, end: number): boolean => {
  replay.goTo(steps[begin]);
  for (let i = begin; i < end; i++) {
    const phase = raw.phases[i];
    // The position of the first is the recorded one.
    const isHere = i === begin && !steps[i].isSkipped;
    const arrival = isHere ? EQUAL : replay.arriveAs(phase, steps[i]);
    if (arrival === DIFFERENT || replay.found > 0) return false;
    if (arrival === SKIPPED || !replay.isOpen(phase, i === raw.phases.length - 1)) continue;
    replay.playAs(phase, raw.wording, steps[i]);
    if (replay.found > 0) return false;
  }
  return true;
};

/**
 * Presets, and rules of programs that record games, under which a game replays without a disagreement. Hashes of
 * positions have no part in it.
 * @param replayed the game by the rules `tried`
 */
export const fittingRules = (map: CompiledMap, raw: RawGame, replayed: Replayed, tried: RuleSet): string[] => {
  const steps = stepsOf(replayed);
  const wrong = steps.findIndex(({ follows, played }) => !follows || played?.agrees === false);
  if (wrong < 0) return [];
  const begin = beginOf(raw, steps, wrong);
  const results = makeResults();
  const fits = (rules: RuleSet): boolean => {
    const agrees = (first: number, end: number): boolean =>
      agreesFrom(new OtherReplay(map, rules, results), raw, steps, first, end);
    try {
      return (begin === 0 || agrees(begin, wrong + 1)) && agrees(0, steps.length);
    } catch (error) {
      // A phase that was not played before, and cannot be read.
      if (hasCode(error, 'record')) return false;
      throw error;
    }
  };
  return [...presetNames, PACKAGE_RULES].filter((name) => name !== tried.name && fits(ruleSetByName(name)));
};
