// Describes positions and results in the fields and words of the package `diplomacy` and of dipcc.
import {
  adjustmentDue,
  builderAt,
  type CompiledMap,
  type Game,
  orderLocation,
  type Results,
} from '../../../engine/internal.js';
import {
  type ByPower,
  centersByPower,
  emptyByPower,
  type RetreatsByPower,
  retreatsByPower,
  unitsByPower,
} from '../../../engine/notation/json/position.js';
import { formatUnit } from '../../../engine/notation/text/index.js';
import * as T from '../../../engine/rules/types.js';
import { mapValues } from './raw.js';
import { movementWords, retreatWords } from './recorded-results.js';
import { zobristHash } from './zobrist.js';

/** Returns the dislodged units as text, keyed by power name. */
const dislodgedByPower = (game: Game): ByPower => {
  const found = emptyByPower(game.map);
  for (let i = 0; i < game.dislodgedCount; i++) {
    const { unit, location } = game.dislodged(i);
    found[game.map.powerNames[T.unitPower(unit)]].push(formatUnit(game.map, unit, location));
  }
  return found;
};

/**
 * Returns for each power, keyed by name, the builds (> 0) or removals (< 0) due, and the home centres where the power
 * can build.
 */
const buildsByPower = (game: Game): Record<string, { count: number; homes: string[] }> =>
  Object.fromEntries(
    game.map.powerNames.map((name, power) => {
      const count = game.phase === T.ADJUSTMENT && game.status === T.PLAYING ? adjustmentDue(game, power) : 0;
      const homes = count <= 0 ? [] : Array.from(game.map.centers).filter((p) => builderAt(game, p) === power);
      return [name, { count, homes: homes.map((p) => game.map.provinceTags[p]).sort() }];
    }),
  );

/** Fields of a position that `diplomacy` and dipcc both store. */
interface StatedPosition {
  /** Units of each power. Dislodged units come last, as '*A PAR'. */
  readonly units: ByPower;
  readonly retreats: RetreatsByPower;
  readonly centers: ByPower;
  readonly builds: ReturnType<typeof buildsByPower>;
  /** Returns the Zobrist hash that `diplomacy` would compute, in decimal digits. */
  readonly hash: () => string;
}

/** Returns the fields of a position that `diplomacy` and dipcc both store. @param homes home centres from homesOf() */
export const statedPosition = (game: Game, homes: ByPower): StatedPosition => {
  const { map } = game;
  const units = unitsByPower(game);
  const dislodged = dislodgedByPower(game);
  const centers = centersByPower(game);
  return {
    units: mapValues(units, (list, power) => [...list, ...dislodged[power].map((unit) => `*${unit}`)]),
    retreats: { ...Object.fromEntries(map.powerNames.map((power) => [power, {}])), ...retreatsByPower(game) },
    centers,
    builds: buildsByPower(game),
    hash: () => zobristHash(map, units, dislodged, centers, homes).toString(),
  };
};

/**
 * Returns the words of `diplomacy` for the results of a phase, keyed by unit. In an adjustment phase each unit has one
 * empty word.
 */
export const resultWords = (map: CompiledMap, phase: number, results: Results): Record<string, string[]> => {
  const found: Record<string, string[]> = {};
  for (let p = 0; p < map.provinceCount; p++) {
    if (results.unit[p] === T.NO_UNIT) continue;
    const name = formatUnit(map, results.unit[p], orderLocation(results.order[p]));
    if (phase === T.ADJUSTMENT) found[name] = [''];
    else found[name] = phase === T.MOVEMENT ? movementWords(map, results, p) : retreatWords(results, p);
  }
  return found;
};
