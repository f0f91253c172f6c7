// One phase of a game with the words of the package `diplomacy`: for the Game class of the Python package.
import {
  adjudicate,
  adjustmentDue,
  builderAt,
  type Game,
  makeResults,
  orderLocation,
  phaseName,
} from '../../../engine/internal.js';
import * as T from '../../../engine/rules/types.js';
import { movementWords, retreatWords } from '../../formats/games/recorded-results.js';
import { zobristHash } from '../../formats/games/zobrist.js';
import { type ByPower, centersByPower, retreatsByPower, unitsByPower } from '../../notation/json/position.js';
import { formatUnit } from '../../notation/text/index.js';

const byPower = <T>(game: Game, make: (power: number) => T): Record<string, T> =>
  Object.fromEntries(game.map.powerNames.map((name, power) => [name, make(power)]));

const homesOf = (game: Game, power: number): string[] =>
  Array.from(game.map.centers)
    .filter((_, c) => game.map.homePower[c] === power)
    .map((p) => game.map.provinceTags[p])
    .sort();

const dislodgedOf = (game: Game, power: number): string[] => {
  const found: string[] = [];
  for (let i = 0; i < game.dislodgedCount; i++) {
    const { unit, location } = game.dislodged(i);
    if (T.unitPower(unit) === power) found.push(formatUnit(game.map, unit, location));
  }
  return found;
};

const buildsOf = (game: Game, power: number): { count: number; homes: string[] } => {
  const count = game.phase === T.ADJUSTMENT && game.status === T.PLAYING ? adjustmentDue(game, power) : 0;
  const sites = count <= 0 ? [] : Array.from(game.map.centers).filter((p) => builderAt(game, p) === power);
  return { count, homes: sites.map((p) => game.map.provinceTags[p]).sort() };
};

/** A position as the package says it, without its timestamp and influence. */
export const diplomacyState = (game: Game): object => {
  const { map } = game;
  const units = unitsByPower(game);
  const centers = centersByPower(game);
  const lists = (from: ByPower): string[][] => map.powerNames.map((name) => from[name]);
  const dislodged = map.powerNames.map((_, power) => dislodgedOf(game, power));
  const homes = map.powerNames.map((_, power) => homesOf(game, power));
  return {
    name: phaseName(game),
    zobrist_hash: zobristHash(map, lists(units), dislodged, lists(centers), homes).toString(),
    units: byPower(game, (power) => [...units[map.powerNames[power]], ...dislodged[power].map((unit) => `*${unit}`)]),
    retreats: { ...byPower(game, () => ({})), ...retreatsByPower(game) },
    centers,
    homes: byPower(game, (power) => homes[power]),
    builds: byPower(game, (power) => buildsOf(game, power)),
    winner: game.winner,
  };
};

/** Results by unit of the phase that a game stands at; the game itself is left as it was. */
export const diplomacyResults = (game: Game, orders: readonly number[]): Record<string, string[]> => {
  const { map } = game;
  const results = makeResults();
  const after = game.clone();
  adjudicate(after, Int32Array.from(orders), orders.length, results);
  const found: Record<string, string[]> = {};
  for (let p = 0; p < map.provinceCount; p++) {
    if (results.unit[p] === T.NO_UNIT) continue;
    const name = formatUnit(map, results.unit[p], orderLocation(results.order[p]));
    if (game.phase === T.ADJUSTMENT) found[name] = [''];
    else found[name] = game.phase === T.MOVEMENT ? movementWords(map, results, p) : retreatWords(results, p);
  }
  return found;
};
