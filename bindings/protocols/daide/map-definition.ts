// Writes a map as DAIDE's map definition: its powers, its home centres, its adjacencies.
import { type CompiledMap, LAND, type Location, type Province, SEA } from '../../../engine/internal.js';
import { diplomacyFrame } from './framing.js';
import { BRA, KET, list, Word } from './language.js';
import type { Representation } from './representation.js';

/** Where a unit goes in one move. @param key as in CompiledMap */
const targetsOf = (map: CompiledMap, key: number): Location[] =>
  Array.from(map.moveTargets.subarray(map.moveOffsets[key], map.moveOffsets[key + 1]));

const adjacencies = (rep: Representation, province: Province): number[] => {
  const { map } = rep;
  const { kind, locationCount } = map;
  const places = (key: number): number[] => targetsOf(map, key).flatMap((location) => rep.place(location));
  const parts: number[][] = [];
  if (kind[province] !== SEA) parts.push(list(Word.AMY, places(province)));
  if (kind[province] !== LAND && map.coastCount[province] === 0)
    parts.push(list(Word.FLT, places(locationCount + province)));
  for (let i = 0; i < map.coastCount[province]; i++) {
    const location = map.firstCoast[province] + i;
    parts.push(list(BRA, Word.FLT, rep.coast(location), KET, places(locationCount + location)));
  }
  return list(rep.provinces[province], ...parts);
};

/** Centres by power, then neutral ones. On a map with builds anywhere every centre is home to all powers. */
const centers = (rep: Representation): number[][] => {
  const { map } = rep;
  const tokens = Array.from(map.centers, (province) => rep.provinces[province]);
  if (map.buildAnywhere) return [list(BRA, rep.powers, KET, tokens)];
  const homesOf = (power: number): number[] => tokens.filter((_, center) => map.homePower[center] === power);
  const homes = rep.powers.map((token, power) => list(token, homesOf(power)));
  return [...homes, list(Word.UNO, homesOf(-1))];
};

/** MDF (powers) (provinces) (adjacencies) */
export const mapDefinition = (rep: Representation): number[] => {
  const { map, provinces } = rep;
  const others = provinces.filter((_, province) => map.centerIndex[province] < 0);
  return [
    Word.MDF,
    ...list(rep.powers),
    ...list(list(...centers(rep)), list(others)),
    ...list(...provinces.map((_, province) => adjacencies(rep, province))),
  ];
};

const definitions = new WeakMap<Representation, Buffer>();

/** MDF with its header. @throws LepantoError for a map that is too large for one message */
export const definitionFrame = (rep: Representation): Buffer => {
  const known = definitions.get(rep) ?? diplomacyFrame(mapDefinition(rep));
  definitions.set(rep, known);
  return known;
};
