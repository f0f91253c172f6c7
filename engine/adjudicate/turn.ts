// Plays the phases of a game on the board: moves, retreats, ownership, victory, builds and removals. adjudicate()
// (calendar.ts) uses it to play given orders, RandomGame (play/step.ts) to play drawn orders.
//
// GameOnBoard.load() puts a game on the board, and store() writes it back. Between them each phase is played on the
// board:
//
//   movement    orders on the board, then resolveMoves() and endMoves(), which takes the dislodged units off the board
//   retreat     destinations in `retreatTo`, then landRetreats()
//   both        endSeason(): after a fall, centres change owner and a power may win
//   adjustment  listAdjusting(), then putUnit() and removeAt(), finally toNextYear()
//
// A thread has one board, because its arrays are constants of modules (movement/board.ts says why). load() takes the
// board from the last GameOnBoard, which can then no longer be played. Single numbers are fields, which costs no time.

import { isBarredRetreat } from '../legal/lists.js';
import type { CompiledMap, SpecialTables } from '../map/compiled-map.js';
import type { Game } from '../position/game.js';
import { testBit } from '../rules/bitset.js';
import { LepantoError } from '../rules/error.js';
import type { Rules } from '../rules/options.js';
import * as O from '../rules/order.js';
import { scratch } from '../rules/scratch.js';
import * as T from '../rules/types.js';
import * as R from './movement/index.js';

// Imports are copied to constants of this module, which is faster (movement/passes.ts has measurements).
const { places, unit, order, success, dislodgedBy, byConvoy, destination } = R.board;
const { KEY_MASK, POWER_SHIFT } = R;
const { findContested, dislodgedUnits, resolveOrders, specialInput } = R;
const orderNextKey = O.orderNextKey;
const { MAX_LOCATIONS, MAX_POWERS, SPRING, FALL, WINTER, MOVEMENT, RETREAT, ADJUSTMENT } = T;

// ---- tables of the map in use ----
let mapInUse: CompiledMap | undefined;
const centers = scratch(MAX_LOCATIONS);
/** Index of a province in `centers`; NO_CENTER if the province is not a centre. */
const centerAt = scratch(MAX_LOCATIONS);
const NO_CENTER = MAX_LOCATIONS;
const provinceOf = scratch(MAX_LOCATIONS);
/** Provinces with coasts, ascending. */
const coastal = scratch(MAX_LOCATIONS);
/** Location of the first coast of each province in `coastal`, with the same index. */
const firstCoast = scratch(MAX_LOCATIONS);
const moveOffsets = scratch(2 * MAX_LOCATIONS + 1);
/** Centres where power q may build, as indices of `centers`: homes[homeOffsets[q] .. homeOffsets[q + 1]). */
const homes = scratch(MAX_LOCATIONS * MAX_POWERS);
/** Index in `homes` of the first centre of each power. */
const homeOffsets = scratch(MAX_POWERS + 1);
/** Word of a unit in province 0 (movement/board.ts), indexed by its byte in a game (types.ts); 0 for no unit. */
const wordInZero = scratch(256);

const useMap = (map: CompiledMap): void => {
  R.useMap(map);
  if (map === mapInUse) return;
  mapInUse = map;
  const { locationCount, provinceCount, powerCount, centerCount } = map;
  centers.set(map.centers);
  for (let p = 0; p < provinceCount; p++) centerAt[p] = map.centerIndex[p] < 0 ? NO_CENTER : map.centerIndex[p];
  provinceOf.set(map.locationProvince);
  for (const [k, p] of map.coastalProvinces.entries()) {
    coastal[k] = p;
    firstCoast[k] = map.firstCoast[p];
  }
  moveOffsets.set(map.moveOffsets);
  let n = 0;
  for (let q = 0; q < powerCount; q++) {
    homeOffsets[q] = n;
    for (let c = 0; c < centerCount; c++) if (map.buildAnywhere || map.homePower[c] === q) homes[n++] = c;
  }
  homeOffsets[powerCount] = n;
  // A fleet's key begins at locationCount, an army's at 0.
  for (let there = 2; there < wordInZero.length; there++)
    wordInZero[there] = ((there >> 1) << POWER_SHIFT) | (1 + (there & 1) * locationCount);
  // Units of another map may still be on the board.
  unit.fill(0);
};

// ---- the game on the board, without its units (movement/board.ts) ----

/** Owner + 1 of each centre. The element at NO_CENTER is read and ignored. */
const owners = scratch(MAX_LOCATIONS + 1);
/** Number of centres, indexed by power + 1. Element 0 counts the centres without an owner. */
const centersOf = scratch(MAX_POWERS + 1);
/** Number of units on the board, indexed by power + 1. */
const unitsOf = scratch(MAX_POWERS + 1);
/** Provinces that a standoff left empty, a bitset of one row. Valid only if a unit was dislodged. */
const contested = scratch(T.WORDS);
// Dislodged units that wait for a retreat, in parallel arrays: province, word, the province to which the unit may not
// retreat (-1 for none), and the location to which it retreats (-1 to disband).
const waiting = scratch(MAX_LOCATIONS);
const waitingWords = scratch(MAX_LOCATIONS);
const barred = scratch(MAX_LOCATIONS);
const retreatTo = scratch(MAX_LOCATIONS);
/** Locations to which a dislodged unit may retreat, written by openRetreats(). */
const ways = scratch(MAX_LOCATIONS);
/** 1 if a dislodged unit met another one and was disbanded. Indexed as `waiting`, written by landRetreats(). */
const met = scratch(MAX_LOCATIONS);

/** Arrays of the game on the board, for other modules. */
export const gameArrays = { owners, centersOf, unitsOf, contested, waiting, waitingWords, ways, retreatTo, met };

/** Powers with builds or removals due, each + 1, written by listAdjusting(). */
const adjusting = scratch(MAX_POWERS + 1);
/**
 * Centres minus units, indexed by power + 1: builds (> 0) or removals (< 0) due. There may be fewer sites than builds.
 */
const due = scratch(MAX_POWERS + 1);
/** Provinces where a power may build, written by listSites(). */
const sites = scratch(MAX_LOCATIONS + 1);

/** Arrays that listAdjusting() and listSites() write, for other modules. */
export const adjustments = { adjusting, due, sites };

// Scratch of the functions below.
/** Words of the units after the moves. */
const moved = scratch(MAX_LOCATIONS);
/** Sum of arrivalWeight() of the retreats into each province. */
const arrivals = scratch(MAX_LOCATIONS);
/** Centres that change owner, as indices of `centers`. */
const taken = scratch(MAX_LOCATIONS + 1);
/** New owner + 1 of each centre in `taken`, with the same index. */
const takenBy = scratch(MAX_LOCATIONS + 1);

// Arrays of the position saved by snapshot(): provinces and words of its units, and copies of owners, centersOf and
// unitsOf.
const startPlaces = scratch(MAX_LOCATIONS);
const startWords = scratch(MAX_LOCATIONS);
const startOwners = scratch(MAX_LOCATIONS + 1);
const startCentersOf = scratch(MAX_POWERS + 1);
const startUnitsOf = scratch(MAX_POWERS + 1);

/** Random stream of games that draw no random numbers. */
const noStream: Int32Array = new Int32Array(2);

/** Numbers of the position saved by snapshot(). */
interface Start {
  readonly count: number;
  readonly year: number;
  readonly season: number;
  readonly winner: number;
}

/** Game that has loaded the board; null if the units on the board belong to no game. */
let owner: GameOnBoard | null = null;

/**
 * Takes the board from the game that has loaded it, which must load() again before its next step. Makes the tables of a
 * map, and sets the rules of the resolver.
 */
export const takeBoard = (map: CompiledMap, rules: Rules): void => {
  owner = null;
  useMap(map);
  R.useRules(rules);
};

const refuseBoard = (what: string): never => {
  throw new LepantoError('argument', `${what}: got a board that another game has taken, wanted load() first`);
};

// ---- steps that need only the board ----

// Loop bounds are local variables, because V8 would read a module variable again after each write to an array. 0 - a
// replaces -a, as in movement/passes.ts.

/**
 * Gives the resolver the lost centres on the railroad line and the leave to pass the canal.
 * @param leave end of the canal that has leave, as orderLeave() returns it; 0 for none
 */
const setSpecialInput = ({ line, railPower }: SpecialTables, leave: number): void => {
  for (let place = 0; place < line.length; place++) {
    const there = owners[centerAt[line[place]]];
    specialInput.lost[place] = centerAt[line[place]] !== NO_CENTER && there > 0 && there !== railPower + 1 ? 1 : 0;
  }
  specialInput.leave = leave;
};

/**
 * Moves the units whose moves succeeded, in `places` and `unit`. Dislodged units must be off the board.
 * @param count number of units: places[0 .. count)
 */
const moveUnits = (count: number): void => {
  const at = places;
  const on = unit;
  const words = moved;
  for (let i = 0; i < count; i++) {
    const p = at[i];
    const there = on[p];
    const moves = (0 - success[p]) | 0;
    const o = order[p];
    on[p] = 0;
    // orderNextKey() of a unit that does not move is its current key.
    words[i] = there ^ ((there ^ orderNextKey(o)) & KEY_MASK & moves);
    at[i] = p ^ ((p ^ destination[p]) & moves);
  }
  for (let i = 0; i < count; i++) on[at[i]] = words[i];
};

/** Weight of the retreat of an army over a difficult border, in the sum of retreats into a province. */
const CROSSING = 1;
/** Weight of any other retreat in the sum of retreats into a province. */
const ORDINARY = 256;

/**
 * True if a retreat succeeds: it is the only ordinary retreat into its province, or a crossing of a difficult border
 * without any other retreat there (DATC 2.4, case 10.K).
 * @param weight weight of the retreat: CROSSING or ORDINARY
 * @param all sum of the weights of all retreats into the province
 */
const getsIn = (weight: number, all: number): boolean => (weight === CROSSING ? all === CROSSING : all < 2 * ORDINARY);

const changeOwner = (center: number, powerPlusOne: number): void => {
  centersOf[owners[center]]--;
  owners[center] = powerPlusOne;
  centersOf[powerPlusOne]++;
};

/** Gives each occupied centre to the power of the unit there. */
const takeCenters = (centerCount: number): void => {
  let n = 0;
  for (let c = 0; c < centerCount; c++) {
    const there = unit[centers[c]] >>> POWER_SHIFT;
    taken[n] = c;
    // Counts the centre if a unit of another power than its owner is there.
    n += ((0 - there) & (0 - (there ^ owners[c]))) >>> 31;
  }
  for (let i = 0; i < n; i++) changeOwner(taken[i], unit[centers[taken[i]]] >>> POWER_SHIFT);
};

/**
 * Gives centres to the units that will be in them after the moves, with the same result as moveUnits() and
 * takeCenters(). The moves must be resolved but not played, and no unit may be dislodged.
 * @param count number of units on the board: places[0 .. count)
 */
const takeByMoves = (count: number): void => {
  const none = NO_CENTER;
  let changed = 0;
  for (let i = 0; i < count; i++) {
    const p = places[i];
    const there = unit[p] >>> POWER_SHIFT;
    const c = centerAt[p ^ ((p ^ destination[p]) & ((0 - success[p]) | 0))];
    taken[changed] = c;
    takenBy[changed] = there;
    changed += ((0 - (there ^ owners[c])) & (c - none)) >>> 31;
  }
  for (let i = 0; i < changed; i++) changeOwner(taken[i], takenBy[i]);
};

/**
 * Returns power + 1 of the power that owns a centre that does not count for it; 0 if the map has no such centre or
 * another power owns it.
 */
const uncountedOwner = (special: SpecialTables | null): number =>
  special !== null && special.uncounted >= 0 && owners[special.uncounted] === special.uncountedPower + 1
    ? special.uncountedPower + 1
    : 0;

/** Returns the only power with `most` centres; -1 if several powers, or none, have that number. */
const soleLeader = (powerCount: number, most: number): number => {
  let leader = -1;
  for (let q = 1; q <= powerCount; q++) {
    if (centersOf[q] !== most) continue;
    if (leader >= 0) return -1;
    leader = q - 1;
  }
  return leader;
};

/**
 * Writes the provinces where a power may build to `sites`: its own centres that are empty, of its home centres or, on
 * maps that allow builds anywhere, of all centres. Returns their number.
 * @param powerPlusOne number of the power, + 1
 */
export const listSites = (powerPlusOne: number): number => {
  let n = 0;
  for (let k = homeOffsets[powerPlusOne - 1]; k < homeOffsets[powerPlusOne]; k++) {
    const c = homes[k];
    const p = centers[c];
    sites[n] = p;
    // Counts the province if the power owns it and it is empty.
    n += (((owners[c] ^ powerPlusOne) - 1) & (unit[p] - 1)) >>> 31;
  }
  return n;
};

/** A game on the board. load() takes the board, which stays with this object until another one calls load(). */
export class GameOnBoard {
  declare map: CompiledMap;
  /** Number of units on the board, listed in board.places. */
  count = 0;
  year = 0;
  season: number = SPRING;
  phase: number = MOVEMENT;
  /** Power that has won; -1 if none has. */
  winner = -1;
  /** Number of dislodged units that wait for a retreat. */
  waitingCount = 0;
  /** State of the random stream, two int32 words. */
  protected streamLow = 0;
  protected streamHigh = 0;
  /** Numbers of the last snapshot(); null if there is none since load(). */
  private start: Start | null = null;
  /** True if units have moved since snapshot(). */
  private isPlayedOn = false;
  /** True if a dislodged unit may retreat to the origin of an attacker that came by convoy (DATC 4.A.5). */
  private originIsOpen = true;

  /**
   * Checks that the board still belongs to this object.
   * @param what name of the caller, for the message
   * @throws LepantoError if another object has taken the board
   */
  protected check(what: string): void {
    if (owner !== this) refuseBoard(what);
  }

  // ---- loading and storing a game ----

  /**
   * Takes the board and puts a game on it.
   * @param stream array with the game's random stream, two words from index `at` on. Default: a game without random
   *   numbers
   */
  load(game: Game, stream = noStream, at = 0): void {
    const { bytes, offset, layout, map } = game;
    takeBoard(map, game.rules);
    owner = this;
    this.map = map;
    this.start = null;
    this.streamLow = stream[at];
    this.streamHigh = stream[at + 1];
    this.originIsOpen = game.rules.retreatToConvoyOrigin === 0;
    for (let q = 0; q <= map.powerCount; q++) {
      unitsOf[q] = 0;
      centersOf[q] = 0;
    }
    const unitBytes = offset + layout.units;
    const coastBytes = offset + layout.coasts;
    let n = 0;
    const { provinceCount, centerCount } = map;
    for (let p = 0; p < provinceCount; p++) {
      const there = bytes[(unitBytes + p) | 0];
      const isThere = (0 - there) >> 31;
      // Gives each unit the key of its province. A fleet on a coast gets the key of that coast below.
      unit[p] = wordInZero[there] + (p & isThere);
      places[n] = p;
      n = (n - isThere) | 0;
    }
    this.count = n;
    for (let i = 0; i < n; i++) unitsOf[unit[places[i]] >>> POWER_SHIFT]++;
    const coastals = map.coastalProvinces.length;
    for (let k = 0; k < coastals; k++) {
      const coast = bytes[(coastBytes + k) | 0];
      if (coast !== 0) unit[coastal[k]] += firstCoast[k] + coast - 1 - coastal[k];
    }
    const ownerBytes = offset + layout.owners;
    for (let c = 0; c < centerCount; c++) {
      const there = bytes[(ownerBytes + c) | 0];
      owners[c] = there;
      centersOf[there]++;
    }
    this.year = game.year;
    this.season = game.season;
    this.phase = game.phase;
    this.winner = game.winner;
    this.waitingCount = 0;
    if (game.phase === RETREAT) this.loadWaiting(game);
  }

  private loadWaiting(game: Game): void {
    const { locationCount, provinceCount } = game.map;
    this.waitingCount = game.dislodgedCount;
    for (let i = 0; i < this.waitingCount; i++) {
      const { province, location, unit: there, attacker } = game.dislodged(i);
      const key = (there & 1) === T.FLEET ? locationCount + location : location;
      waiting[i] = province;
      waitingWords[i] = ((there >> 1) << POWER_SHIFT) | (key + 1);
      barred[i] = attacker;
    }
    contested.fill(0);
    for (let p = 0; p < provinceCount; p++) if (game.isContested(p)) contested[p >> 5] |= 1 << (p & 31);
  }

  /**
   * Writes the position on the board to a game of the same map, usually the loaded one. The position stays on the
   * board.
   * @param stream array for the two words of the random stream, from index `at` on. Default: not written
   * @throws LepantoError if another game has taken the board since load()
   */
  store(game: Game, stream?: Int32Array, at = 0): void {
    this.check('store()');
    const { bytes, offset, layout, map } = game;
    const unitBytes = offset + layout.units;
    const coastBytes = offset + layout.coasts;
    const { provinceCount, centerCount, locationCount: armyKeys } = map;
    for (let p = 0; p < provinceCount; p++) {
      const there = unit[p];
      bytes[(unitBytes + p) | 0] = ((there >>> POWER_SHIFT) << 1) | (((armyKeys - (there & KEY_MASK)) | 0) >>> 31);
    }
    const coastals = map.coastalProvinces.length;
    for (let k = 0; k < coastals; k++) {
      const key = (unit[coastal[k]] & KEY_MASK) - 1;
      bytes[(coastBytes + k) | 0] = key >= armyKeys ? key - armyKeys - firstCoast[k] + 1 : 0;
    }
    const ownerBytes = offset + layout.owners;
    for (let c = 0; c < centerCount; c++) bytes[(ownerBytes + c) | 0] = owners[c];
    if (game.phase === RETREAT) game.clearRetreats();
    if (this.waitingCount > 0) this.storeWaiting(game);
    game.year = this.year;
    game.season = this.season;
    game.phase = this.phase;
    game.status = this.winner < 0 ? T.PLAYING : T.SOLO;
    game.winner = this.winner;
    if (stream === undefined) return;
    stream[at] = this.streamLow;
    stream[at + 1] = this.streamHigh;
  }

  private storeWaiting(game: Game): void {
    const { provinceCount, locationCount } = game.map;
    for (let p = 0; p < provinceCount; p++) if (testBit(contested, 0, p) === 1) game.setContested(p);
    for (let i = 0; i < this.waitingCount; i++) {
      const word = waitingWords[i];
      const fleet = (word & KEY_MASK) > locationCount ? 1 : 0;
      game.addDislodged(((word >>> POWER_SHIFT) << 1) | fleet, R.locationOfWord(word), barred[i]);
    }
  }

  // ---- repeated starts from one position ----

  /**
   * Saves the position for restore(). Call it right after load(), for a game in a movement phase.
   * @throws LepantoError if another game has taken the board
   */
  snapshot(): void {
    this.check('snapshot()');
    const { count, year, season, winner } = this;
    this.start = { count, year, season, winner };
    this.isPlayedOn = false;
    for (let i = 0; i < count; i++) {
      startPlaces[i] = places[i];
      startWords[i] = unit[places[i]];
    }
    startOwners.set(owners);
    startCentersOf.set(centersOf);
    startUnitsOf.set(unitsOf);
  }

  /**
   * Restores the position of the last snapshot(), in half the time of load(). It writes only occupied provinces and
   * owned centres, because map, rules and empty provinces on the board have not changed.
   * @param stream array with a random stream to start from, two words from index `at` on. Default: no random numbers
   * @returns false if there was no snapshot(), or if another game has been loaded since: call load() again
   */
  restore(stream = noStream, at = 0): boolean {
    const { start } = this;
    if (start === null || owner !== this) return false;
    this.streamLow = stream[at];
    this.streamHigh = stream[at + 1];
    if (!this.isPlayedOn) return true;
    this.isPlayedOn = false;
    const before = this.count;
    for (let i = 0; i < before; i++) unit[places[i]] = 0;
    const n = start.count;
    for (let i = 0; i < n; i++) {
      const p = startPlaces[i];
      places[i] = p;
      unit[p] = startWords[i];
    }
    const { centerCount, powerCount } = this.map;
    for (let c = 0; c < centerCount; c++) owners[c] = startOwners[c];
    for (let q = 0; q <= powerCount; q++) {
      centersOf[q] = startCentersOf[q];
      unitsOf[q] = startUnitsOf[q];
    }
    this.count = n;
    this.year = start.year;
    this.season = start.season;
    this.phase = MOVEMENT;
    this.winner = start.winner;
    this.waitingCount = 0;
    return true;
  }

  // ---- movement ----

  /**
   * Resolves the orders on the board.
   * @param leave end of the canal that has leave, as orderLeave() returns it; 0 for none
   * @returns the number of dislodged units
   */
  resolveMoves(leave: number): number {
    const { special } = this.map;
    if (special !== null) setSpecialInput(special, leave);
    return resolveOrders(this.count);
  }

  /** Moves the units after resolveMoves(). Takes the dislodged units off the board and adds them to `waiting`. */
  endMoves(): void {
    this.isPlayedOn = true;
    if (dislodgedUnits() > 0) this.takeDislodged();
    moveUnits(this.count);
  }

  private takeDislodged(): void {
    const { count, originIsOpen } = this;
    findContested(count, contested);
    let n = 0;
    let left = 0;
    for (let i = 0; i < count; i++) {
      const p = places[i];
      if (dislodgedBy[p] === 0) {
        places[left++] = p;
        continue;
      }
      const attacker = dislodgedBy[p] - 1;
      waiting[n] = p;
      waitingWords[n] = unit[p];
      // Under most rules a unit may retreat to the origin of an attacker that came by convoy (DATC 4.A.5).
      barred[n++] = byConvoy[attacker] === 1 && originIsOpen ? -1 : attacker;
      unitsOf[unit[p] >>> POWER_SHIFT]--;
      unit[p] = 0;
    }
    this.waitingCount = n;
    this.count = left;
  }

  // ---- retreats ----

  /** Writes the open retreats of a dislodged unit to `ways`; returns their number. @param i index in `waiting` */
  openRetreats(i: number): number {
    const { moveTargets, special } = this.map;
    const key = (waitingWords[i] & KEY_MASK) - 1;
    let open = 0;
    for (let k = moveOffsets[key]; k < moveOffsets[key + 1]; k++) {
      const to = provinceOf[moveTargets[k]];
      if (unit[to] !== 0 || to === barred[i] || ((contested[to >> 5] >>> (to & 31)) & 1) === 1) continue;
      if (special !== null && isBarredRetreat(special, waiting[i], to, this.season)) continue;
      ways[open++] = moveTargets[k];
    }
    return open;
  }

  /** Removes the dislodged units with 1 in `gone`, which is indexed as `waiting`. */
  dropWaiting(gone: Int32Array): void {
    let n = 0;
    for (let i = 0; i < this.waitingCount; i++) {
      waiting[n] = waiting[i];
      waitingWords[n] = waitingWords[i];
      barred[n] = barred[i];
      n += gone[i] ^ 1;
    }
    this.waitingCount = n;
  }

  /**
   * Plays the retreats in `retreatTo`, and clears the list of waiting units. Units that meet are disbanded and marked
   * in `met`.
   */
  landRetreats(): void {
    const n = this.waitingCount;
    for (let i = 0; i < n; i++) if (retreatTo[i] >= 0) arrivals[provinceOf[retreatTo[i]]] += this.arrivalWeight(i);
    for (let i = 0; i < n; i++) {
      const to = retreatTo[i];
      met[i] = 0;
      if (to < 0) continue;
      const p = provinceOf[to];
      const word = waitingWords[i];
      const armyKeys = this.map.locationCount;
      const key = (word & KEY_MASK) > armyKeys ? armyKeys + to : to;
      if (getsIn(this.arrivalWeight(i), arrivals[p]))
        this.putUnit(p, ((word >>> POWER_SHIFT) << POWER_SHIFT) | (key + 1));
      else met[i] = 1;
    }
    for (let i = 0; i < n; i++) if (retreatTo[i] >= 0) arrivals[provinceOf[retreatTo[i]]] = 0;
    this.waitingCount = 0;
  }

  private arrivalWeight(i: number): number {
    const { special, locationCount } = this.map;
    const isFleet = (waitingWords[i] & KEY_MASK) > locationCount;
    if (special === null || isFleet) return ORDINARY;
    return testBit(special.difficult, waiting[i], provinceOf[retreatTo[i]]) === 1 ? CROSSING : ORDINARY;
  }

  /**
   * Puts a unit into an empty province of the board.
   * @param word power and key of the unit in one number (movement/board.ts)
   */
  putUnit(p: number, word: number): void {
    unit[p] = word;
    places[this.count++] = p;
    unitsOf[word >>> POWER_SHIFT]++;
  }

  /** Takes a unit off the board, and moves the last entry of `places` to its index. @param i index in `places` */
  removeAt(i: number): void {
    const p = places[i];
    unitsOf[unit[p] >>> POWER_SHIFT]--;
    unit[p] = 0;
    places[i] = places[--this.count];
  }

  // ---- ownership and victory ----

  /**
   * Ends a spring or fall when no unit waits for a retreat. After a fall, centres change owner and a power may win.
   * @returns true if an adjustment phase follows
   */
  endSeason(): boolean {
    this.phase = MOVEMENT;
    if (this.season === SPRING) {
      this.season = FALL;
      return false;
    }
    takeCenters(this.map.centerCount);
    this.findVictory();
    this.season = WINTER;
    this.phase = ADJUSTMENT;
    return this.winner < 0;
  }

  /**
   * Updates centres and winner as endMoves() and endSeason() do, but does not move units. For a fall without dislodged
   * units.
   */
  endFallByMoves(): void {
    this.isPlayedOn = true;
    takeByMoves(this.count);
    this.findVictory();
  }

  /** Sets the winner: a power with enough centres to win, and with more than any other. */
  private findVictory(): void {
    const { powerCount, victoryCenters, special } = this.map;
    const idle = uncountedOwner(special);
    centersOf[idle]--;
    let most = 0;
    for (let q = 1; q <= powerCount; q++) most = Math.max(most, centersOf[q]);
    if (most >= victoryCenters) this.winner = soleLeader(powerCount, most);
    centersOf[idle]++;
  }

  // ---- adjustments ----

  /**
   * Writes the powers with builds or removals due to `adjusting` and their numbers to `due`. Returns the number of
   * powers. Has no branches, because a processor cannot predict these powers.
   */
  listAdjusting(): number {
    const { powerCount, special } = this.map;
    const idle = uncountedOwner(special);
    centersOf[idle]--;
    let n = 0;
    for (let q = 1; q <= powerCount; q++) {
      adjusting[n] = q;
      due[q] = centersOf[q] - unitsOf[q];
      n += (0 - (centersOf[q] ^ unitsOf[q])) >>> 31;
    }
    centersOf[idle]++;
    return n;
  }

  /** Ends the winter: sets spring of the next year. */
  toNextYear(): void {
    this.year++;
    this.season = SPRING;
    this.phase = MOVEMENT;
  }
}
