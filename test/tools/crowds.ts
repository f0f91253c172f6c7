// Positions that are more crowded than those of play, and maps that are other than those that ship.
import type { CompiledMap, MapRows, ProvinceRow } from '../../engine/map/compiled-map.js';
import { Game } from '../../engine/position/game.js';
import { DATC_3_2 } from '../../engine/rules/options.js';
import type { Random } from '../../engine/rules/random.js';
import { ARMY, FLEET, LAND, SEA } from '../../engine/rules/types.js';

/** Types of units that can stand in a province. */
export const unitTypesFor = (map: CompiledMap, province: number): number[] =>
  map.kind[province] === LAND ? [ARMY] : map.kind[province] === SEA ? [FLEET] : [ARMY, FLEET];

/**
 * Units all over the board: by default seas often, so that convoys are long.
 * @param atSea how many of 100 seas have a fleet; `elsewhere` how many of 100 other provinces have a unit
 */
export const crowd = (map: CompiledMap, random: Random, atSea = 65, elsewhere = 45): Game => {
  const game = new Game(map, DATC_3_2);
  game.year = 1901;
  for (let p = 0; p < map.provinceCount; p++) {
    if (random.below(100) >= (map.kind[p] === SEA ? atSea : elsewhere)) continue;
    const types = unitTypesFor(map, p);
    const type = types[random.below(types.length)] === FLEET ? FLEET : ARMY;
    const coasts = map.coastCount[p];
    const location = type === FLEET && coasts > 0 ? map.firstCoast[p] + random.below(coasts) : p;
    game.placeUnit(random.below(map.powerCount), type, location);
  }
  return game;
};

/** Neighbours by name. */
type Borders = Map<string, Set<string>>;

const join = (borders: Borders, a: string, b: string): void => {
  borders.set(a, (borders.get(a) ?? new Set()).add(b));
  borders.set(b, (borders.get(b) ?? new Set()).add(a));
};

/** A lattice of seas with a coast at each sea of the rim. */
export const lattice = (rows: number, columns: number): MapRows => {
  const borders: Borders = new Map();
  const tag = (letter: string, r: number, c: number): string => `${letter}${'ABCDEFGHIJ'[r]}${'ABCDEFGHIJ'[c]}`;
  for (let r = 0; r < rows; r++)
    for (let c = 0; c < columns; c++) {
      if (r + 1 < rows) join(borders, tag('S', r, c), tag('S', r + 1, c));
      if (c + 1 < columns) join(borders, tag('S', r, c), tag('S', r, c + 1));
      if (r === 0 || c === 0 || r === rows - 1 || c === columns - 1) join(borders, tag('S', r, c), tag('C', r, c));
    }
  const provinces = [...borders].map(
    ([name, next]): ProvinceRow => ({
      tag: name,
      name,
      kind: name.startsWith('S') ? 'sea' : 'coast',
      center: true,
      fleet: [...next].join(' '),
    }),
  );
  return { name: 'lattice', start: 'S1901M', powers: [{ name: 'RED', homes: '', units: '' }], provinces };
};

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const tagOf = (p: number): string => `P${LETTERS[Math.floor(p / 26)]}${LETTERS[p % 26]}`;

/**
 * A map of random borders, most of them between provinces whose rows are near.
 * @param size provinces, up to 256; some of them have two coasts while that leaves room
 * @param borders tried for each province: it has about twice as many
 */
export const patchwork = (random: Random, size: number, borders: number): MapRows => {
  const pick = <T>(list: readonly T[]): T => list[random.below(list.length)];
  const kinds = Array.from({ length: size }, () => pick(['sea', 'sea', 'coast', 'coast', 'coast', 'land'] as const));
  const hasCoasts = kinds.map((kind, p) => kind === 'coast' && p % 6 === 0 && size <= 200);
  const [army, fleet]: [Borders, Borders] = [new Map(), new Map()];
  const port = (p: number): string => (hasCoasts[p] ? `${tagOf(p)}/${pick(['EC', 'WC'])}` : tagOf(p));
  for (let p = 0; p < size; p++)
    for (let i = 0; i < borders; i++) {
      const q = (p + 1 + random.below(i === 0 ? size - 1 : Math.min(10, size - 1))) % size;
      if (kinds[p] !== 'sea' && kinds[q] !== 'sea' && random.below(4) > 0) join(army, tagOf(p), tagOf(q));
      if (kinds[p] !== 'land' && kinds[q] !== 'land' && random.below(4) > 0) join(fleet, port(p), port(q));
    }
  const listed = (sets: Borders, tag: string): string => [...(sets.get(tag) ?? [])].join(' ');
  const provinces = kinds.map((kind, p): ProvinceRow => {
    const tag = tagOf(p);
    const coasts = { EC: listed(fleet, `${tag}/EC`), WC: listed(fleet, `${tag}/WC`) };
    return {
      tag,
      name: tag,
      kind,
      center: true,
      ...(kind === 'sea' ? {} : { army: listed(army, tag) }),
      ...(kind === 'land' ? {} : { fleet: hasCoasts[p] ? coasts : listed(fleet, tag) }),
    };
  });
  const powers = ['BLUE', 'RED'].map((name) => ({ name, homes: '', units: '' }));
  return { name: `patchwork of ${size}`, start: 'S1901M', powers, provinces };
};
