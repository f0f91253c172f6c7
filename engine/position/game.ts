// Stores one game in a few hundred bytes. A buffer can hold many games at a fixed stride.
//
//   offset                  bytes     what
//   0                       2         year, little-endian
//   2                       1         season (SPRING, FALL, WINTER)
//   3                       1         phase (MOVEMENT, RETREAT, ADJUSTMENT)
//   4                       1         status (PLAYING, SOLO, DRAW)
//   5                       1         winner + 1; 0 for none
//   6                       1         number of dislodged units, D
//   7                       1         0
//   units                   P         unit in each province (types.ts); 0 for none
//   coasts                  K         coast of the fleet in each province with coasts, from 1; 0 for none
//   owners                  C         owner of each centre, + 1; 0 for no owner
//   contested               P/8 up    one bit for each province: 1 if a standoff in the last moves left it empty
//   dislodged               4 x P/3   D entries, ascending by province: province, unit, coast, attacker's province (the
//                                     unit's own province if the attacker's origin is open to retreat, DATC 4.A.5)
//
// P is the number of provinces, K of provinces with coasts, C of centres. Each section begins at a multiple of 4. Each
// dislodgement needs an attacker and a supporter that serve no other dislodgement, so D is at most P / 3. Unused bytes
// are 0, so that equal games have equal bytes.

import type { CompiledMap } from '../map/compiled-map.js';
import { perMap } from '../map/per-map.js';
import { standard } from '../map/standard.js';
import { LepantoError } from '../rules/error.js';
import { DATC_3_2, type Rules } from '../rules/options.js';
import { mix } from '../rules/random.js';
import * as T from '../rules/types.js';

/**
 * Offsets, in bytes from the beginning of a game, of the header fields (YEAR to DISLODGED_COUNT) and of the units
 * (UNITS).
 */
export const YEAR = 0;
export const SEASON = 2;
export const PHASE = 3;
export const STATUS = 4;
export const WINNER = 5;
export const DISLODGED_COUNT = 6;
export const UNITS = 8;
/** Size of one entry of the dislodged list, in bytes. */
export const DISLODGED_SIZE = 4;

const MAGIC = 0x4e41_504c; // 'LPAN'
/** Version of the format of writeGame(). */
export const STATE_VERSION = 1;
const HEADER_SIZE = 16;

/** Layout of a game on one map. Offsets are in bytes from the beginning of the game. */
export interface StateLayout {
  /** Offset of the units: one byte for each province (types.ts). */
  readonly units: number;
  /** Offset of the coasts: one byte for each province with coasts. Number of the fleet's coast from 1; 0 for none. */
  readonly coasts: number;
  /** Offset of the owners: one byte for each centre. Power + 1; 0 for no owner. */
  readonly owners: number;
  /** Offset of the contested provinces: one bit for each province. */
  readonly contested: number;
  /** Offset of the dislodged units, four bytes each: province, unit, coast, attacker's province. */
  readonly dislodged: number;
  /** Greatest number of dislodged units. */
  readonly maxDislodged: number;
  /** Size of a game, and distance from one game to the next in a buffer, in bytes. */
  readonly stride: number;
}

const align = (n: number): number => (n + 3) & ~3;

/** Returns the layout of games on a map. */
export const stateLayout = perMap((map): StateLayout => {
  const coasts = align(UNITS + map.provinceCount);
  const owners = align(coasts + map.coastalProvinces.length);
  const contested = align(owners + map.centerCount);
  const dislodged = align(contested + ((map.provinceCount + 7) >> 3));
  const maxDislodged = Math.floor(map.provinceCount / 3);
  const stride = align(dislodged + DISLODGED_SIZE * maxDislodged);
  return { units: UNITS, coasts, owners, contested, dislodged, maxDislodged, stride };
});

/** A dislodged unit in a retreat phase. */
export interface Dislodged {
  /** Province from which it was dislodged. */
  readonly province: T.Province;
  /** Location from which it was dislodged: a coast for a fleet on a coast, otherwise the province. */
  readonly location: T.Location;
  /** Type and power of the unit (types.ts). */
  readonly unit: T.Unit;
  /** Province from which its attacker came, to which it may not retreat; -1 if the attacker's origin is not barred. */
  readonly attacker: T.Province;
}

/**
 * A view of one game in a buffer of games. Adding `layout.stride` to `offset` moves the view to the next game without
 * copying. Methods do not check their arguments. Use checkGame() to check a game from an untrusted source.
 */
export class Game {
  /** Map of the game. */
  declare readonly map: CompiledMap;
  /** Rules of the game. */
  declare readonly rules: Rules;
  /** Layout of the game in `bytes`. */
  declare readonly layout: StateLayout;
  /** Buffer that contains the game. It may contain other games too. */
  declare readonly bytes: Uint8Array;
  /** Offset of the game's first byte in `bytes`. Set it to view another game of the same map. */
  declare offset: number;

  /**
   * Makes a view of a game. Does not change the bytes.
   * @param bytes at least `offset + stateLayout(map).stride` long, on an ArrayBuffer or a SharedArrayBuffer. Default: a
   *   new buffer for one game, filled with 0
   * @throws LepantoError if `bytes` is too short
   */
  constructor(map: CompiledMap, rules: Rules, bytes?: Uint8Array, offset = 0) {
    this.map = map;
    this.rules = rules;
    this.layout = stateLayout(map);
    this.bytes = bytes ?? new Uint8Array(this.layout.stride);
    this.offset = offset;
    if (this.bytes.length < offset + this.layout.stride)
      throw new LepantoError(
        'argument',
        `game buffer too small: got ${this.bytes.length} bytes, wanted ${offset + this.layout.stride}`,
      );
  }

  /** Year of the phase. The standard map starts in 1901. */
  get year(): number {
    return this.bytes[this.offset + YEAR] | (this.bytes[this.offset + YEAR + 1] << 8);
  }
  set year(value: number) {
    this.bytes[this.offset + YEAR] = value & 255;
    this.bytes[this.offset + YEAR + 1] = value >> 8;
  }
  /** Season of the phase: SPRING, FALL or WINTER. */
  get season(): T.Season {
    return this.bytes[this.offset + SEASON] as T.Season;
  }
  set season(value: number) {
    this.bytes[this.offset + SEASON] = value;
  }
  /** Kind of the current phase: MOVEMENT, RETREAT or ADJUSTMENT. */
  get phase(): T.Phase {
    return this.bytes[this.offset + PHASE] as T.Phase;
  }
  set phase(value: number) {
    this.bytes[this.offset + PHASE] = value;
  }
  /** Status of the game: PLAYING, SOLO or DRAW. */
  get status(): T.Status {
    return this.bytes[this.offset + STATUS] as T.Status;
  }
  set status(value: number) {
    this.bytes[this.offset + STATUS] = value;
  }
  /** Power that won a solo; -1 for none. */
  get winner(): T.Power {
    return this.bytes[this.offset + WINNER] - 1;
  }
  set winner(value: T.Power) {
    this.bytes[this.offset + WINNER] = value + 1;
  }

  /** Returns the unit in a province (types.ts); 0 if there is none. Ignores dislodged units. */
  unitAt(province: T.Province): T.Unit {
    return this.bytes[this.offset + UNITS + province];
  }
  /**
   * Returns the location of the unit in a province: the coast for a fleet on a coast, otherwise the province. Returns
   * the province if it is empty.
   */
  unitLocation(province: T.Province): T.Location {
    const k = this.map.coastalIndex[province];
    const coast = k < 0 ? 0 : this.bytes[this.offset + this.layout.coasts + k];
    return coast === 0 ? province : this.map.firstCoast[province] + coast - 1;
  }
  /**
   * Puts a unit on a location. Replaces any unit in the province.
   * @param type ARMY or FLEET
   */
  placeUnit(power: T.Power, type: number, location: T.Location): void {
    const province = this.map.locationProvince[location];
    this.bytes[this.offset + UNITS + province] = T.makeUnit(power, type === T.FLEET ? 1 : 0);
    const k = this.map.coastalIndex[province];
    if (k >= 0)
      this.bytes[this.offset + this.layout.coasts + k] =
        location === province ? 0 : location - this.map.firstCoast[province] + 1;
  }
  /** Removes the unit from a province. Has no effect on an empty province. */
  removeUnit(province: T.Province): void {
    this.bytes[this.offset + UNITS + province] = T.NO_UNIT;
    const k = this.map.coastalIndex[province];
    if (k >= 0) this.bytes[this.offset + this.layout.coasts + k] = 0;
  }

  /** Returns the owner of a centre; -1 for no owner. @param center index in map.centers */
  owner(center: T.Center): T.Power {
    return this.bytes[this.offset + this.layout.owners + center] - 1;
  }
  /**
   * Sets the owner of a centre.
   * @param center index in map.centers
   * @param power new owner; -1 for no owner
   */
  setOwner(center: T.Center, power: T.Power): void {
    this.bytes[this.offset + this.layout.owners + center] = power + 1;
  }

  /** True if a standoff in the moves before this retreat phase left the province empty. No unit may retreat there. */
  isContested(province: T.Province): boolean {
    return ((this.bytes[this.offset + this.layout.contested + (province >> 3)] >> (province & 7)) & 1) === 1;
  }
  /** Marks a province as contested: no unit may retreat there. */
  setContested(province: T.Province): void {
    this.bytes[this.offset + this.layout.contested + (province >> 3)] |= 1 << (province & 7);
  }

  /** Number of dislodged units. 0 outside retreat phases. */
  get dislodgedCount(): number {
    return this.bytes[this.offset + DISLODGED_COUNT];
  }
  /** Returns a dislodged unit. @param index 0 to dislodgedCount - 1, ascending by province */
  dislodged(index: number): Dislodged {
    const at = this.offset + this.layout.dislodged + DISLODGED_SIZE * index;
    const province = this.bytes[at];
    const coast = this.bytes[at + 2];
    return {
      province,
      unit: this.bytes[at + 1],
      location: coast === 0 ? province : this.map.firstCoast[province] + coast - 1,
      attacker: this.bytes[at + 3] === province ? -1 : this.bytes[at + 3],
    };
  }
  /**
   * Appends a dislodged unit. Units must be added in ascending order of province, at most layout.maxDislodged.
   * @param location location from which it was dislodged
   * @param attacker province to which it may not retreat; -1 for none
   */
  addDislodged(unit: T.Unit, location: T.Location, attacker: T.Province): void {
    const province = this.map.locationProvince[location];
    const at = this.offset + this.layout.dislodged + DISLODGED_SIZE * this.dislodgedCount;
    this.bytes[at] = province;
    this.bytes[at + 1] = unit;
    this.bytes[at + 2] = location === province ? 0 : location - this.map.firstCoast[province] + 1;
    this.bytes[at + 3] = attacker < 0 ? province : attacker;
    this.bytes[this.offset + DISLODGED_COUNT]++;
  }
  /** Removes all dislodged units and marks no province as contested. The units on the board stay. */
  clearRetreats(): void {
    const begin = this.offset + this.layout.contested;
    for (let i = begin; i < this.offset + this.layout.stride; i++) this.bytes[i] = 0;
    this.bytes[this.offset + DISLODGED_COUNT] = 0;
  }

  /** Overwrites this game with another game, which must have the same map. Copies all bytes, not the rules. */
  copyFrom(other: Game): void {
    const stride = this.layout.stride;
    if (this.bytes === other.bytes) this.bytes.copyWithin(this.offset, other.offset, other.offset + stride);
    else this.bytes.set(other.bytes.subarray(other.offset, other.offset + stride), this.offset);
  }
  /** Returns a copy of the game in a new buffer. */
  clone(): Game {
    const copy = new Game(this.map, this.rules);
    copy.copyFrom(this);
    return copy;
  }
  /** True if the other game has the same map and the same bytes. Does not compare the rules. */
  equals(other: Game): boolean {
    if (this.map !== other.map) return false;
    for (let i = 0; i < this.layout.stride; i++)
      if (this.bytes[this.offset + i] !== other.bytes[other.offset + i]) return false;
    return true;
  }

  /** Writes the number of centres of each power to `out`, which must be at least map.powerCount long. */
  countCenters(out: Uint8Array | Int32Array): void {
    out.fill(0, 0, this.map.powerCount);
    for (let c = 0; c < this.map.centerCount; c++) {
      const power = this.owner(c);
      if (power >= 0) out[power]++;
    }
  }
  /**
   * Writes the number of units of each power to `out`, which must be at least map.powerCount long. Does not count
   * dislodged units.
   */
  countUnits(out: Uint8Array | Int32Array): void {
    out.fill(0, 0, this.map.powerCount);
    for (let p = 0; p < this.map.provinceCount; p++) {
      const unit = this.unitAt(p);
      if (unit !== T.NO_UNIT) out[T.unitPower(unit)]++;
    }
  }
}

/** Returns a new game at the start position of a map. Default: spring 1901 on the standard map under DATC 3.2. */
export const newGame = (map: CompiledMap = standard, rules: Rules = DATC_3_2): Game => {
  const game = new Game(map, rules);
  resetGame(game);
  return game;
};

/** Resets a game to the start position of its map. */
export const resetGame = (game: Game): void => {
  const { map, bytes, offset, layout } = game;
  for (let i = offset; i < offset + layout.stride; i++) bytes[i] = 0;
  game.year = map.startYear;
  game.season = map.startSeason;
  game.phase = map.startPhase;
  for (const unit of map.startUnits) game.placeUnit(unit.power, unit.type, unit.location);
  for (let c = 0; c < map.centerCount; c++) game.setOwner(c, map.startOwners[c]);
};

/** Returns a 64-bit hash of the bytes of a game as two int32 words, [low, high]. Equal games have equal hashes. */
export const hashGame = (game: Game): [number, number] => {
  const { bytes, offset, layout } = game;
  let low = 0x1234_5678;
  let high = 0x2bcd_ef01;
  const end = offset + layout.stride;
  // | 0 saves V8 an overflow check of the sum.
  for (let i = offset; i < end; i = (i + 4) | 0) {
    const word = bytes[i] | (bytes[(i + 1) | 0] << 8) | (bytes[(i + 2) | 0] << 16) | (bytes[(i + 3) | 0] << 24);
    low = Math.imul(low ^ word, 0x9e37_79b1);
    low ^= low >>> 15;
    high = Math.imul(high + word, 0x85eb_ca77) ^ low;
    high ^= high >>> 13;
  }
  return [mix(low), mix(high ^ low)];
};

/**
 * Checks a game from an untrusted source. Returns a message about the first error, or null if there is none. Unit types
 * must fit their provinces. Coasts must exist, and be given for every fleet in a province with coasts and for no other
 * unit. Owners and powers must exist. Dislodged units and contested provinces are allowed in a retreat phase only.
 */
export const checkGame = (game: Game): string | null => {
  const { map, bytes, offset, layout } = game;
  if (game.season > T.WINTER) return `season: got ${game.season}, wanted 0 to ${T.WINTER}`;
  if (game.phase > T.ADJUSTMENT) return `phase: got ${game.phase}, wanted 0 to ${T.ADJUSTMENT}`;
  if ((game.phase === T.ADJUSTMENT) !== (game.season === T.WINTER))
    return `season and phase: got season ${game.season} with phase ${game.phase}, wanted winter with adjustment only`;
  if (game.status > 2) return `status: got ${game.status}, wanted 0 to 2`;
  if (game.winner >= map.powerCount) return `winner: got ${game.winner}, wanted below ${map.powerCount}`;
  if (game.status === T.PLAYING && game.winner >= 0) return 'winner: got one in a game that is being played';
  if (bytes[offset + 7] !== 0) return `byte 7: got ${bytes[offset + 7]}, wanted 0`;
  const checkUnit = (unit: number, province: T.Province, coast: number): string | null => {
    const where = map.provinceTags[province];
    if (unit === 1 || T.unitPower(unit) >= map.powerCount)
      return `unit in ${where}: got power ${T.unitPower(unit)}, wanted below ${map.powerCount}`;
    const kind = map.kind[province];
    if (T.unitType(unit) === T.FLEET) {
      if (kind === T.LAND) return `unit in ${where}: got a fleet inland`;
      if (map.coastCount[province] > 0 && coast === 0) return `fleet in ${where}: got no coast, wanted one`;
    } else {
      if (kind === T.SEA) return `unit in ${where}: got an army at sea`;
      if (coast !== 0) return `army in ${where}: got a coast, wanted none`;
    }
    if (coast > map.coastCount[province])
      return `unit in ${where}: got coast ${coast}, wanted at most ${map.coastCount[province]}`;
    return null;
  };
  for (let p = 0; p < map.provinceCount; p++) {
    const unit = game.unitAt(p);
    const k = map.coastalIndex[p];
    const coast = k < 0 ? 0 : bytes[offset + layout.coasts + k];
    if (unit === T.NO_UNIT) {
      if (coast !== 0) return `coast of ${map.provinceTags[p]}: got ${coast} without a unit, wanted 0`;
      continue;
    }
    const wrong = checkUnit(unit, p, coast);
    if (wrong !== null) return wrong;
  }
  for (let c = 0; c < map.centerCount; c++)
    if (game.owner(c) >= map.powerCount)
      return `owner of ${map.provinceTags[map.centers[c]]}: got ${game.owner(c)}, wanted below ${map.powerCount}`;
  if (game.phase !== T.RETREAT) {
    for (let i = layout.contested; i < layout.stride; i++)
      if (bytes[offset + i] !== 0) return `byte ${i}: got retreats outside a retreat phase, wanted 0`;
    return game.dislodgedCount === 0 ? null : `dislodged: got ${game.dislodgedCount} outside a retreat phase, wanted 0`;
  }
  if (game.dislodgedCount > layout.maxDislodged)
    return `dislodged: got ${game.dislodgedCount}, wanted at most ${layout.maxDislodged}`;
  for (let p = 0; p < map.provinceCount; p++)
    if (game.isContested(p) && game.unitAt(p) !== T.NO_UNIT)
      return `contested ${map.provinceTags[p]}: got a unit in it`;
  let last = -1;
  for (let i = 0; i < game.dislodgedCount; i++) {
    const at = offset + layout.dislodged + DISLODGED_SIZE * i;
    const province = bytes[at];
    if (province >= map.provinceCount || province <= last)
      return `dislodged ${i}: got province ${province} after ${last}`;
    last = province;
    if (game.unitAt(province) === T.NO_UNIT)
      return `dislodged in ${map.provinceTags[province]}: got no unit in its place`;
    if (bytes[at + 3] >= map.provinceCount)
      return `dislodged in ${map.provinceTags[province]}: got attacker ${bytes[at + 3]}`;
    const wrong = bytes[at + 1] === T.NO_UNIT ? 'got no unit' : checkUnit(bytes[at + 1], province, bytes[at + 2]);
    if (wrong !== null) return `dislodged ${wrong}`;
  }
  return null;
};

/**
 * Returns a game as bytes for a file or a socket. A header of 16 bytes (magic, version, bytes per game, map id, rules
 * id) is followed by the bytes of the game. readGame() reads them.
 */
export const writeGame = (game: Game): Uint8Array => {
  const { layout, map, rules } = game;
  const out = new Uint8Array(HEADER_SIZE + layout.stride);
  const view = new DataView(out.buffer);
  view.setUint32(0, MAGIC, true);
  view.setUint16(4, STATE_VERSION, true);
  view.setUint16(6, layout.stride, true);
  view.setInt32(8, map.id, true);
  view.setUint32(12, rules.id, true);
  out.set(game.bytes.subarray(game.offset, game.offset + layout.stride), HEADER_SIZE);
  return out;
};

/**
 * Returns the game in bytes from writeGame().
 * @throws LepantoError if the bytes are damaged, are of another map or other rules, or fail checkGame()
 */
export const readGame = (map: CompiledMap, rules: Rules, data: Uint8Array): Game => {
  const game = new Game(map, rules);
  const size = HEADER_SIZE + game.layout.stride;
  if (data.length !== size) throw new LepantoError('record', `saved game: got ${data.length} bytes, wanted ${size}`);
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const want = (what: string, got: number, wanted: number): void => {
    if (got !== wanted) throw new LepantoError('record', `saved game, ${what}: got ${got}, wanted ${wanted}`);
  };
  want('magic', view.getUint32(0, true), MAGIC);
  want('version', view.getUint16(4, true), STATE_VERSION);
  want('bytes per game', view.getUint16(6, true), game.layout.stride);
  want(`id of map ${map.name}`, view.getInt32(8, true), map.id);
  const rulesId = view.getUint32(12, true);
  if (rulesId !== rules.id) want(`id of rules ${rules.name}`, rulesId, rules.id);
  game.bytes.set(data.subarray(HEADER_SIZE));
  const wrong = checkGame(game);
  if (wrong !== null) throw new LepantoError('record', `saved game: ${wrong}`);
  return game;
};

// ---- names of phases ----

/** Phase name of a finished game. */
export const COMPLETED = 'COMPLETED';

/** Letters of the seasons in a phase name, indexed by Season. */
export const SEASON_LETTERS = 'SFW';
/** Letters of the kinds of phase in a phase name, indexed by Phase. */
export const PHASE_LETTERS = 'MRA';

/** Returns the name of a phase from its codes: nameOfPhase(1901, SPRING, T.MOVEMENT) is 'S1901M'. */
export const nameOfPhase = (year: number, season: number, phase: number): string =>
  SEASON_LETTERS[season] + String(year) + PHASE_LETTERS[phase];

/**
 * Returns the name of the current phase: season (S, F or W), year, and M for movement, R for retreats or A for
 * adjustments, as in 'S1901M'. Returns 'COMPLETED' if the game is over. The package `diplomacy` uses the same names.
 */
export const phaseName = (game: Game): string =>
  game.status === T.PLAYING ? nameOfPhase(game.year, game.season, game.phase) : COMPLETED;
