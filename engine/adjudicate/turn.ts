// The calendar: moves, retreats, ownership, victory, builds and removals of the game on the board, for given and for
// drawn orders. adjudicate() (calendar.ts) plays given ones, and step() (play/step.ts) draws them.
//
// load() puts a game on the board and store() writes it back. In between each phase is played in place:
//
//   movement    orders on the board, then resolveMoves() and endMoves(), which takes the dislodged units off the board
//   retreat     where each of them goes in `retreatTo`, then landRetreats()
//   both        endSeason(): after a fall, centres change hands and a power may have won
//   adjustment  listAdjusting(), then putUnit() and removeAt(), at last toNextYear()

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

// Imports rebound, so that V8 folds them like constants of this module.
const { places, unit, order, success, dislodgedBy, byConvoy, destination } = R.board;
const { KEY_MASK, POWER_SHIFT } = R;
const { findContested, dislodgedUnits, resolveOrders, specialInput } = R;
const orderNextKey = O.orderNextKey;
const { MAX_LOCATIONS, MAX_POWERS, SPRING, FALL, WINTER, MOVEMENT, RETREAT, ADJUSTMENT } = T;

// ---- tables of the map in use ----
let map: CompiledMap | undefined;
let locationCount = 0;
let provinceCount = 0;
let powerCount = 0;
let centerCount = 0;
let victoryCenters = 0;
/** Rules of its own; null on most maps. */
let special: SpecialTables | null = null;
const centers = scratch(MAX_LOCATIONS);
/** By province: its place in `centers`, or NO_CENTER. */
const centerAt = scratch(MAX_LOCATIONS);
const NO_CENTER = MAX_LOCATIONS;
const provinceOf = scratch(MAX_LOCATIONS);
/** Provinces with coasts, and the first coast of each. */
const coastal = scratch(MAX_LOCATIONS);
const firstCoast = scratch(MAX_LOCATIONS);
let coastalCount = 0;
const moveOffsets = scratch(2 * MAX_LOCATIONS + 1);
let moveTargets = new Int32Array(0);
/** Where a power may build, as places in `centers`: homes[homeOffsets[q] .. homeOffsets[q + 1]). */
const homes = scratch(MAX_LOCATIONS * MAX_POWERS);
const homeOffsets = scratch(MAX_POWERS + 1);
/** The word of a unit in province 0, by the byte that a game has for it (types.ts); 0 for none. */
const wordInZero = scratch(256);

const useMap = (next: CompiledMap): void => {
  R.useMap(next);
  if (next === map) return;
  map = next;
  locationCount = next.locationCount;
  provinceCount = next.provinceCount;
  powerCount = next.powerCount;
  centerCount = next.centerCount;
  victoryCenters = next.victoryCenters;
  special = next.special;
  centers.set(next.centers);
  for (let p = 0; p < provinceCount; p++) centerAt[p] = next.centerIndex[p] < 0 ? NO_CENTER : next.centerIndex[p];
  provinceOf.set(next.locationProvince);
  coastalCount = next.coastalProvinces.length;
  for (let k = 0; k < coastalCount; k++) {
    coastal[k] = next.coastalProvinces[k];
    firstCoast[k] = next.firstCoast[coastal[k]];
  }
  moveOffsets.set(next.moveOffsets);
  moveTargets = Int32Array.from(next.moveTargets);
  let n = 0;
  for (let q = 0; q < powerCount; q++) {
    homeOffsets[q] = n;
    for (let c = 0; c < centerCount; c++) if (next.buildAnywhere || next.homePower[c] === q) homes[n++] = c;
  }
  homeOffsets[powerCount] = n;
  // A fleet's key begins at locationCount, an army's at 0.
  for (let there = 2; there < wordInZero.length; there++)
    wordInZero[there] = ((there >> 1) << POWER_SHIFT) | (1 + (there & 1) * locationCount);
  // Units of another map may still be on the board.
  unit.fill(0);
};

// ---- the game on the board, apart from its units ----
let count = 0;
let year = 0;
let season: number = SPRING;
let phase: number = MOVEMENT;
let winner = -1;
/** Owner + 1 by centre; NO_CENTER has a place that is read and means nothing. */
const owners = scratch(MAX_LOCATIONS + 1);
/** Centers and units by power + 1, kept up to date; [0] is for centres without an owner. */
const centersOf = scratch(MAX_POWERS + 1);
const unitsOf = scratch(MAX_POWERS + 1);
/** Provinces left empty by a standoff: a bitset of one row. Set only if a unit was dislodged. */
const contested = scratch(T.WORDS);
/** The dislodged units: province, word, the province to which it may not retreat (-1: none), and where it goes (-1: off). */
const waiting = scratch(MAX_LOCATIONS);
const waitingWords = scratch(MAX_LOCATIONS);
const barred = scratch(MAX_LOCATIONS);
const retreatTo = scratch(MAX_LOCATIONS);
let waitingCount = 0;
/** Locations where one of them may go, the first so many of openRetreats(). */
const ways = scratch(MAX_LOCATIONS);
/** Of each dislodged unit, after landRetreats(): 1 if it met another and was disbanded. */
const met = scratch(MAX_LOCATIONS);
/** Rules in use: retreats to where a convoyed attacker came from (DATC 4.A.5). */
let originIsOpen = true;

/** What is on the board besides units and orders (movement/board.ts). Other modules rebind the arrays. */
export const loaded = { owners, centersOf, unitsOf, contested, waiting, waitingWords, ways, retreatTo, met };
/** The year, season, phase and winner (-1: none) of the game on the board. */
export const boardYear = (): number => year;
export const boardSeason = (): number => season;
export const boardPhase = (): number => phase;
export const boardWinner = (): number => winner;
/** Units on the board: board.places lists them. */
export const boardCount = (): number => count;
/** Dislodged units that wait for a retreat. */
export const waitingUnits = (): number => waitingCount;

// ---- the owner of the board ----

/** True between load() or restore() and release(). */
let isHeld = false;
/** Games that were put on the board since the program began. */
let loads = 0;

const refuseBoard = (what: string): never => {
  throw new LepantoError(
    'argument',
    `${what}: got a board that was taken or released since load(), wanted load() right before`,
  );
};

/** One compare a call. @throws LepantoError if the board is another's by now */
export const checkBoard = (what: string): void => {
  if (!isHeld) refuseBoard(what);
};

/** Gives the board up: until the next load() or restore() nothing can be played on it. */
export const release = (): void => {
  isHeld = false;
};

// ---- a game to the board and back ----

/** Takes the board for units of a map and orders by some rules. No game is on it then. */
export const takeBoard = (next: CompiledMap, rules: Rules): void => {
  isHeld = false;
  loads++;
  useMap(next);
  R.useRules(rules);
};

/** Puts a game on the board, which belongs to it until release() or until another game is loaded. */
export const load = (game: Game): void => {
  takeBoard(game.map, game.rules);
  isHeld = true;
  originIsOpen = game.rules.retreatToConvoyOrigin === 0;
  for (let q = 0; q <= powerCount; q++) {
    unitsOf[q] = 0;
    centersOf[q] = 0;
  }
  const { bytes, offset, layout } = game;
  const unitBytes = offset + layout.units;
  const coastBytes = offset + layout.coasts;
  let n = 0;
  // Locals: a variable of the module would be read again after every word that is written.
  const provinces = provinceCount;
  for (let p = 0; p < provinces; p++) {
    const there = bytes[(unitBytes + p) | 0];
    const isThere = (0 - there) >> 31;
    // Coasts come below.
    unit[p] = wordInZero[there] + (p & isThere);
    places[n] = p;
    n = (n - isThere) | 0;
  }
  count = n;
  for (let i = 0; i < n; i++) unitsOf[unit[places[i]] >>> POWER_SHIFT]++;
  const coastals = coastalCount;
  for (let k = 0; k < coastals; k++) {
    const coast = bytes[(coastBytes + k) | 0];
    if (coast !== 0) unit[coastal[k]] += firstCoast[k] + coast - 1 - coastal[k];
  }
  const ownerBytes = offset + layout.owners;
  const all = centerCount;
  for (let c = 0; c < all; c++) {
    const there = bytes[(ownerBytes + c) | 0];
    owners[c] = there;
    centersOf[there]++;
  }
  year = game.year;
  season = game.season;
  phase = game.phase;
  winner = game.winner;
  waitingCount = 0;
  if (phase === RETREAT) loadWaiting(game);
};

const loadWaiting = (game: Game): void => {
  waitingCount = game.dislodgedCount;
  for (let i = 0; i < waitingCount; i++) {
    const { province, location, unit: there, attacker } = game.dislodged(i);
    const key = (there & 1) === T.FLEET ? locationCount + location : location;
    waiting[i] = province;
    waitingWords[i] = ((there >> 1) << POWER_SHIFT) | (key + 1);
    barred[i] = attacker;
  }
  contested.fill(0);
  for (let p = 0; p < provinceCount; p++) if (game.isContested(p)) contested[p >> 5] |= 1 << (p & 31);
};

/** Writes the game on the board over the game that was loaded, or over another of its map. The board keeps it. */
export const store = (game: Game): void => {
  const { bytes, offset, layout } = game;
  const unitBytes = offset + layout.units;
  const coastBytes = offset + layout.coasts;
  // Locals: a variable of the module would be read again after every byte that is written.
  const provinces = provinceCount;
  const armyKeys = locationCount;
  for (let p = 0; p < provinces; p++) {
    const there = unit[p];
    bytes[(unitBytes + p) | 0] = ((there >>> POWER_SHIFT) << 1) | (((armyKeys - (there & KEY_MASK)) | 0) >>> 31);
  }
  const coastals = coastalCount;
  for (let k = 0; k < coastals; k++) {
    const key = (unit[coastal[k]] & KEY_MASK) - 1;
    bytes[(coastBytes + k) | 0] = key >= armyKeys ? key - armyKeys - firstCoast[k] + 1 : 0;
  }
  const ownerBytes = offset + layout.owners;
  const all = centerCount;
  for (let c = 0; c < all; c++) bytes[(ownerBytes + c) | 0] = owners[c];
  if (game.phase === RETREAT) game.clearRetreats();
  if (waitingCount > 0) storeWaiting(game);
  game.year = year;
  game.season = season;
  game.phase = phase;
  game.status = winner < 0 ? T.PLAYING : T.SOLO;
  game.winner = winner;
};

const storeWaiting = (game: Game): void => {
  for (let p = 0; p < provinceCount; p++) if (testBit(contested, 0, p) === 1) game.setContested(p);
  for (let i = 0; i < waitingCount; i++) {
    const word = waitingWords[i];
    const fleet = (word & KEY_MASK) > locationCount ? 1 : 0;
    game.addDislodged(((word >>> POWER_SHIFT) << 1) | fleet, R.locationOfWord(word), barred[i]);
  }
};

// ---- the same start many times ----

const startPlaces = scratch(MAX_LOCATIONS);
const startWords = scratch(MAX_LOCATIONS);
const startOwners = scratch(MAX_LOCATIONS + 1);
const startCentersOf = scratch(MAX_POWERS + 1);
const startUnitsOf = scratch(MAX_POWERS + 1);
let startCount = 0;
let startYear = 0;
let startSeason: number = SPRING;
let startWinner = -1;
/** True once the game has changed since snapshot(). */
let isPlayedOn = false;

/**
 * Keeps the game on the board for restore(). Call it right after load(), for a game that waits for a movement phase.
 * @returns a number for restore()
 */
export const snapshot = (): number => {
  checkBoard('snapshot()');
  isPlayedOn = false;
  startCount = count;
  startYear = year;
  startSeason = season;
  startWinner = winner;
  for (let i = 0; i < count; i++) {
    startPlaces[i] = places[i];
    startWords[i] = unit[places[i]];
  }
  startOwners.set(owners);
  startCentersOf.set(centersOf);
  startUnitsOf.set(unitsOf);
  return loads;
};

/** No snapshot() returns it. */
export const NO_SNAPSHOT = -1;

/**
 * Puts the game of the last snapshot() back on the board, in half the time of load(): only what is occupied and owned can
 * differ, because the board still has the map, the rules and the empty provinces of that load().
 * @returns false if another game has been on the board since: the board is not held then
 */
export const restore = (number: number): boolean => {
  if (number !== loads) return false;
  isHeld = true;
  if (!isPlayedOn) return true;
  isPlayedOn = false;
  const before = count;
  for (let i = 0; i < before; i++) unit[places[i]] = 0;
  const n = startCount;
  for (let i = 0; i < n; i++) {
    const p = startPlaces[i];
    places[i] = p;
    unit[p] = startWords[i];
  }
  const all = centerCount;
  for (let c = 0; c < all; c++) owners[c] = startOwners[c];
  const powers = powerCount;
  for (let q = 0; q <= powers; q++) {
    centersOf[q] = startCentersOf[q];
    unitsOf[q] = startUnitsOf[q];
  }
  count = n;
  year = startYear;
  season = startSeason;
  phase = MOVEMENT;
  winner = startWinner;
  waitingCount = 0;
  return true;
};

// ---- movement ----

/** Resolves the orders on the board. @param leave as orderLeave() has it; returns the number of dislodged units */
export const resolveMoves = (leave: number): number => {
  if (special !== null) setSpecialInput(special, leave);
  return resolveOrders(count);
};

/** What the resolver must know of a railroad and a canal: lost centres, and who lets whom through. */
const setSpecialInput = ({ line, railPower }: SpecialTables, leave: number): void => {
  for (let place = 0; place < line.length; place++) {
    const there = owners[centerAt[line[place]]];
    specialInput.lost[place] = centerAt[line[place]] !== NO_CENTER && there > 0 && there !== railPower + 1 ? 1 : 0;
  }
  specialInput.leave[0] = leave;
};

/** Moves the units, once their orders are resolved, and takes the dislodged off the board. They wait. */
export const endMoves = (): void => {
  isPlayedOn = true;
  if (dislodgedUnits() > 0) takeDislodged();
  moveUnits();
};

const takeDislodged = (): void => {
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
    // The province of a convoyed attacker is not barred, by most rules (DATC 4.A.5).
    barred[n++] = byConvoy[attacker] === 1 && originIsOpen ? -1 : attacker;
    unitsOf[unit[p] >>> POWER_SHIFT]--;
    unit[p] = 0;
  }
  waitingCount = n;
  count = left;
};

/** What is where after the moves, before it is put there. */
const words = scratch(MAX_LOCATIONS);

// Here and below bounds are locals, because a variable of the module would be read again after every word that is
// written, and 0 - a stands for -a, because that is -0 for a = 0 and V8 leaves the integers for it.
const moveUnits = (): void => {
  const n = count;
  const at = places;
  const on = unit;
  const moved = words;
  for (let i = 0; i < n; i++) {
    const p = at[i];
    const there = on[p];
    const moves = (0 - success[p]) | 0;
    const o = order[p];
    on[p] = 0;
    // A unit that does not move keeps its key in its order too.
    moved[i] = there ^ ((there ^ orderNextKey(o)) & KEY_MASK & moves);
    at[i] = p ^ ((p ^ destination[p]) & moves);
  }
  for (let i = 0; i < n; i++) on[at[i]] = moved[i];
};

// ---- retreats ----

/** Finds `ways` of a dislodged unit; returns their number. @param i place of the unit in `waiting` */
export const openRetreats = (i: number): number => {
  const key = (waitingWords[i] & KEY_MASK) - 1;
  let open = 0;
  for (let k = moveOffsets[key]; k < moveOffsets[key + 1]; k++) {
    const to = provinceOf[moveTargets[k]];
    if (unit[to] !== 0 || to === barred[i] || ((contested[to >> 5] >>> (to & 31)) & 1) === 1) continue;
    if (special !== null && isBarredRetreat(special, waiting[i], to, season)) continue;
    ways[open++] = moveTargets[k];
  }
  return open;
};

/** Destroys the dislodged units with 1 in `gone`. */
export const dropWaiting = (gone: Int32Array): void => {
  let n = 0;
  for (let i = 0; i < waitingCount; i++) {
    waiting[n] = waiting[i];
    waitingWords[n] = waitingWords[i];
    barred[n] = barred[i];
    n += gone[i] ^ 1;
  }
  waitingCount = n;
};

/** The moves of the season are over, but for retreats. */
export const awaitRetreats = (): void => {
  phase = RETREAT;
};

/** Retreats by province: ORDINARY for each, but CROSSING for an army over a difficult border. */
const arrivals = scratch(MAX_LOCATIONS);
const CROSSING = 1;
const ORDINARY = 256;

const arrivalWeight = (i: number): number => {
  const fleet = (waitingWords[i] & KEY_MASK) > locationCount;
  if (special === null || fleet) return ORDINARY;
  return testBit(special.difficult, waiting[i], provinceOf[retreatTo[i]]) === 1 ? CROSSING : ORDINARY;
};

/** One ordinary retreat, or one crossing and no other retreat (DATC 2.4, case 10.K). */
const getsIn = (weight: number, all: number): boolean => (weight === CROSSING ? all === CROSSING : all < 2 * ORDINARY);

/** Plays the retreats in `retreatTo`: those that meet are disbanded. */
export const landRetreats = (): void => {
  const n = waitingCount;
  for (let i = 0; i < n; i++) if (retreatTo[i] >= 0) arrivals[provinceOf[retreatTo[i]]] += arrivalWeight(i);
  for (let i = 0; i < n; i++) {
    const to = retreatTo[i];
    met[i] = 0;
    if (to < 0) continue;
    const p = provinceOf[to];
    const word = waitingWords[i];
    const key = (word & KEY_MASK) > locationCount ? locationCount + to : to;
    if (getsIn(arrivalWeight(i), arrivals[p])) putUnit(p, ((word >>> POWER_SHIFT) << POWER_SHIFT) | (key + 1));
    else met[i] = 1;
  }
  for (let i = 0; i < n; i++) if (retreatTo[i] >= 0) arrivals[provinceOf[retreatTo[i]]] = 0;
  waitingCount = 0;
};

/** Puts a unit into an empty province. @param word as the board has it */
export const putUnit = (p: number, word: number): void => {
  unit[p] = word;
  places[count++] = p;
  unitsOf[word >>> POWER_SHIFT]++;
};

/** Takes a unit off the board. The last of `places` takes its place there. @param i its place in `places` */
export const removeAt = (i: number): void => {
  const p = places[i];
  unitsOf[unit[p] >>> POWER_SHIFT]--;
  unit[p] = 0;
  places[i] = places[--count];
};

// ---- ownership and victory ----

/** Centers that changed hands this year, by place in `centers`; and their owners + 1. */
const taken = scratch(MAX_LOCATIONS + 1);
const takenBy = scratch(MAX_LOCATIONS + 1);

const changeOwner = (center: number, powerPlusOne: number): void => {
  centersOf[owners[center]]--;
  owners[center] = powerPlusOne;
  centersOf[powerPlusOne]++;
};

/** A power with a unit in a centre owns it. */
const takeCenters = (): void => {
  const all = centerCount;
  let n = 0;
  for (let c = 0; c < all; c++) {
    const there = unit[centers[c]] >>> POWER_SHIFT;
    taken[n] = c;
    // Another power's unit is there: neither 0 nor the owner.
    n += ((0 - there) & (0 - (there ^ owners[c]))) >>> 31;
  }
  for (let i = 0; i < n; i++) changeOwner(taken[i], unit[centers[taken[i]]] >>> POWER_SHIFT);
};

/** takeCenters() by where the units will be: no unit is dislodged, and the moves are resolved and not played. */
const takeByMoves = (): void => {
  const n = count;
  const none = NO_CENTER;
  let changed = 0;
  for (let i = 0; i < n; i++) {
    const p = places[i];
    const there = unit[p] >>> POWER_SHIFT;
    const c = centerAt[p ^ ((p ^ destination[p]) & ((0 - success[p]) | 0))];
    taken[changed] = c;
    takenBy[changed] = there;
    changed += ((0 - (there ^ owners[c])) & (c - none)) >>> 31;
  }
  for (let i = 0; i < changed; i++) changeOwner(taken[i], takenBy[i]);
};

/** Power + 1 that owns the one centre that does not count for it; 0 for none. */
const uncountedOwner = (): number =>
  special !== null && special.uncounted >= 0 && owners[special.uncounted] === special.uncountedPower + 1
    ? special.uncountedPower + 1
    : 0;

/** A power with enough centres, and more than any other, has won. */
const findVictory = (): void => {
  const idle = uncountedOwner();
  centersOf[idle]--;
  const powers = powerCount;
  let most = 0;
  for (let q = 1; q <= powers; q++) most = Math.max(most, centersOf[q]);
  if (most >= victoryCenters) findWinner(most);
  centersOf[idle]++;
};

const findWinner = (most: number): void => {
  let leaders = 0;
  for (let q = 1; q <= powerCount; q++) {
    if (centersOf[q] !== most) continue;
    leaders++;
    winner = leaders === 1 ? q - 1 : -1;
  }
};

/**
 * Ends a spring or fall, once no unit waits for a retreat. After a fall centres change hands, and a power may have won.
 * @returns true if adjustments follow
 */
export const endSeason = (): boolean => {
  phase = MOVEMENT;
  if (season === SPRING) {
    season = FALL;
    return false;
  }
  takeCenters();
  findVictory();
  season = WINTER;
  phase = ADJUSTMENT;
  return winner < 0;
};

/** endMoves() and endSeason() of a fall in which no unit is dislodged, as far as centres and winner go. */
export const endFallByMoves = (): void => {
  isPlayedOn = true;
  takeByMoves();
  findVictory();
};

// ---- adjustments ----

/** Powers + 1 that build or remove, the first so many of listAdjusting(). */
const adjusting = scratch(MAX_POWERS + 1);
/** By power + 1: builds (> 0) or removals (< 0) due, by centres and units; there may be fewer sites. */
const due = scratch(MAX_POWERS + 1);

/** Finds what is due; returns the number of powers with adjustments. No branches: nothing can predict which they are. */
export const listAdjusting = (): number => {
  const idle = uncountedOwner();
  centersOf[idle]--;
  const powers = powerCount;
  let n = 0;
  for (let q = 1; q <= powers; q++) {
    adjusting[n] = q;
    due[q] = centersOf[q] - unitsOf[q];
    n += (0 - (centersOf[q] ^ unitsOf[q])) >>> 31;
  }
  centersOf[idle]++;
  return n;
};

/** Provinces where a power may build, the first so many of listSites(). */
const sites = scratch(MAX_LOCATIONS + 1);

/** Finds them: free home centres that it owns; returns their number. */
export const listSites = (powerPlusOne: number): number => {
  let n = 0;
  for (let k = homeOffsets[powerPlusOne - 1]; k < homeOffsets[powerPlusOne]; k++) {
    const c = homes[k];
    const p = centers[c];
    sites[n] = p;
    // Owned, and empty.
    n += (((owners[c] ^ powerPlusOne) - 1) & (unit[p] - 1)) >>> 31;
  }
  return n;
};

/** What listAdjusting() and listSites() find. */
export const adjustments = { adjusting, due, sites };

/** The winter is over. */
export const toNextYear = (): void => {
  year++;
  season = SPRING;
  phase = MOVEMENT;
};
