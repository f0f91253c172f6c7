// Compares recorded units and centres with those of a game, without making text of the game. Serves the usual case, in
// which they are equal: what differs is for others to find.
import type { Game } from '../../../engine/internal.js';
import * as T from '../../../engine/rules/types.js';
import { perMap } from '../../../selfplay/evaluation/per-map.js';
import type { ByPower } from '../../notation/json/position.js';

interface Texts {
  readonly powers: ReadonlyMap<string, number>;
  /** By canonical text: 'F STP/SC'. */
  readonly units: ReadonlyMap<string, readonly [T.Location, T.UnitType]>;
  /** Place in map.centers by tag. */
  readonly centers: ReadonlyMap<string, number>;
}

const textsOf = perMap((map): Texts => {
  const units = new Map<string, readonly [T.Location, T.UnitType]>();
  map.locationTags.forEach((tag, location) => {
    units.set(`A ${tag}`, [location, T.ARMY]);
    units.set(`F ${tag}`, [location, T.FLEET]);
  });
  return {
    powers: new Map(map.powerNames.map((name, power) => [name, power])),
    units,
    centers: new Map(Array.from(map.centers, (province, center) => [map.provinceTags[province], center])),
  };
});

/** By province or centre: 1 if it was listed already. */
const listed = new Uint8Array(256);

/** True if the listed units are exactly those on the board, in canonical text. False may also mean other text. */
export const hasUnits = (game: Game, recorded: ByPower): boolean => {
  const { map } = game;
  const { powers, units } = textsOf(map);
  listed.fill(0);
  let count = 0;
  for (const [name, list] of Object.entries(recorded)) {
    const power = powers.get(name);
    if (power === undefined) return false;
    for (const text of list) {
      const found = units.get(text);
      if (found === undefined) return false;
      const [location, type] = found;
      const province = map.locationProvince[location];
      if (listed[province] === 1 || game.unitAt(province) !== T.makeUnit(power, type)) return false;
      if (game.unitLocation(province) !== location) return false;
      listed[province] = 1;
      count++;
    }
  }
  for (let p = 0; p < map.provinceCount; p++) if (game.unitAt(p) !== T.NO_UNIT) count--;
  return count === 0;
};

/** The same for owned centres. */
export const hasCenters = (game: Game, recorded: ByPower): boolean => {
  const { map } = game;
  const { powers, centers } = textsOf(map);
  listed.fill(0);
  let count = 0;
  for (const [name, list] of Object.entries(recorded)) {
    const power = powers.get(name);
    if (power === undefined) return false;
    for (const tag of list) {
      const center = centers.get(tag);
      if (center === undefined || listed[center] === 1 || game.owner(center) !== power) return false;
      listed[center] = 1;
      count++;
    }
  }
  for (let c = 0; c < map.centerCount; c++) if (game.owner(c) >= 0) count--;
  return count === 0;
};
