// Caches the convoy orders of each army, by the fleets linked with it.
//
// The routes of an army depend only on the fleets at sea that are linked with it, from sea to adjacent sea. The same
// links recur often: in random play, 97 to 99 of 100 armies with routes are found in the cache, in some 50 ns instead
// of the microseconds that the search of routes.ts takes. New entries come from routes.ts.
// test/engine/legal/movement-lists.test.ts compares the resulting lists with test/oracle/plain-lists.ts, which uses
// routes.ts without a cache.
//
// An entry is a sequence of integers. A *list* in it is the number of its items, then the items:
//   army              province of the army
//   fleets            seaWords words: bitset of the linked fleets, by index of their sea
//   list              moves VIA of the army
//   list              targets of these moves that the army cannot reach over a border
//   for each fleet    list: convoys of the army by this fleet
//   (seas ascending)  list: provinces in reach of the fleet to which it may not support the army, because every route
//                     there needs this fleet; as indices of the second list

import type { CompiledMap, SpecialTables } from '../map/compiled-map.js';
import { countBits, lowestBit, testBit } from '../rules/bitset.js';
import * as O from '../rules/order.js';
import * as T from '../rules/types.js';
import { position } from './position.js';
import { routesOf } from './routes.js';

const { MAX_LOCATIONS, WORDS, SEA } = T;
/**
 * Length of arrays for sets of seas. Longer than needed, because V8 does not fold the addresses of arrays of up to 64
 * bytes: with these, counting legal orders took 3 % longer on Node 24 and 1 % on Node 20.
 */
const SEA_WORDS = 4 * WORDS;
const { keys } = position;

// ---- tables of the map in use ----
let map: CompiledMap | undefined;
let fleetKeys = 0;
let provinceWords = 0;
let seaCount = 0;
/** Number of words of a set of seas: 1 on maps with up to 32 seas. */
let seaWords = 0;
/** Provinces where fleets can convoy, called seas here, indexed by sea. Convoyable coastal provinces come last. */
const seas = new Int32Array(MAX_LOCATIONS);
/** Location of a convoying fleet, indexed by sea: the province, or one of its coasts, each of which is a sea here. */
const seaLocations = new Int32Array(MAX_LOCATIONS);
let openSeas = 0;
/** Seas closed by ice in fall, a bitset. */
const icy = new Int32Array(SEA_WORDS);
let hasIce = false;
/**
 * Bitset for each key, of seaWords words: seas where a fleet could pick up the army with that key. Empty for fleets.
 */
const seasByKey = new Int32Array(2 * MAX_LOCATIONS * WORDS);
/** seasByKey folded into one word for each key: sea i is bit i & 31. */
const seasNear = new Int32Array(2 * MAX_LOCATIONS);
/** Bitset for each sea, of seaWords words: adjacent seas. */
const seasBySea = new Int32Array(MAX_LOCATIONS * WORDS);

// ---- the cache ----
/** Base-2 logarithm of the length of the hash table. */
const SLOT_BITS = 13;
const SLOTS = 1 << SLOT_BITS;
/**
 * Hash table: index in `store` of an entry, by hash of army and linked fleets; 0 for a free slot. At most half full.
 */
const slots = new Int32Array(SLOTS);
let entryCount = 0;
/** The entries, one after another, from index 1 on. */
let store = new Int32Array(1 << 16);
let end = 1;
/** Greatest number of entries with which lookAtFleets() keeps the cache; if there are more, it clears the cache. */
const MOST_ENTRIES = SLOTS / 2 - MAX_LOCATIONS;
/** Greatest value of `end` with which lookAtFleets() keeps the cache; if it is greater, it clears the cache. */
const MOST_NUMBERS = 1 << 19;

// ---- the position ----
/** Seas with fleets, a bitset. */
const fleets = new Int32Array(SEA_WORDS);
/** Seas with fleets linked with the current army, a bitset. */
const linked = new Int32Array(SEA_WORDS);
/** Scratch of link(): the seas of `linked` whose neighbours are not yet added, a bitset. */
const open = new Int32Array(SEA_WORDS);
/** Number of armies linked with the fleet in a sea, indexed by the fleet's province. */
const linkCount = new Int32Array(MAX_LOCATIONS);
/** Provinces of the armies linked with a fleet, ascending, from index (fleet's province) * MAX_LOCATIONS on. */
const linkedArmies = new Int32Array(MAX_LOCATIONS * MAX_LOCATIONS);
/** Index in `store` of the fleet's two lists for each army of `linkedArmies`, at the same index. */
const linkedLists = new Int32Array(MAX_LOCATIONS * MAX_LOCATIONS);
/** Number of legal convoy orders of a fleet, indexed by its province. 0 without a fleet at sea. */
const convoyCount = new Int32Array(MAX_LOCATIONS);
/**
 * Number of supports that a fleet may not give because the supported convoy needs the fleet itself, indexed by the
 * fleet's province. 0 without a fleet at sea.
 */
const deniedCount = new Int32Array(MAX_LOCATIONS);

/** Arrays of this module that movement.ts and the sampler read. */
export const fleetLists = { seasNear, linkCount, linkedArmies, linkedLists, convoyCount, deniedCount };

/** Removes all entries from the cache. */
const forget = (): void => {
  slots.fill(0);
  entryCount = 0;
  end = 1;
};

const addSea = (province: T.Province, location: T.Location): void => {
  seas[seaCount] = province;
  seaLocations[seaCount++] = location;
};

/** Makes the tables of this module for a map and clears the cache. Returns at once if the map is in use already. */
export const useSeas = (next: CompiledMap): void => {
  if (next === map) return;
  map = next;
  fleetKeys = next.locationCount;
  provinceWords = (next.provinceCount + 31) >> 5;
  seaCount = 0;
  for (let p = 0; p < next.provinceCount; p++) if (next.kind[p] === SEA) addSea(p, p);
  openSeas = seaCount;
  for (let l = 0; l < next.locationCount; l++) {
    const p = next.locationProvince[l];
    if (next.kind[p] !== SEA && testBit(next.seas, 0, p) === 1 && (l !== p || next.coastCount[p] === 0)) addSea(p, l);
  }
  hasIce = next.special?.hasIce === true;
  icy.fill(0);
  for (let i = 0; i < seaCount; i++)
    if (hasIce && testBit((next.special as SpecialTables).ice, 0, seas[i]) === 1) icy[i >> 5] |= 1 << (i & 31);
  seaWords = (seaCount + 31) >> 5;
  seasByKey.fill(0);
  seasBySea.fill(0);
  seasNear.fill(0);
  const addSeas = (sets: Int32Array, set: number, province: T.Location): void => {
    for (let i = 0; i < seaCount; i++)
      if (testBit(next.seaNeighbours, province, seaLocations[i]) === 1)
        sets[set * seaWords + (i >> 5)] |= 1 << (i & 31);
  };
  for (let p = 0; p < next.provinceCount; p++) if (next.kind[p] !== SEA) addSeas(seasByKey, p, p);
  for (let p = 0; p < next.provinceCount; p++)
    for (let w = 0; w < seaWords; w++) seasNear[p] |= seasByKey[p * seaWords + w];
  for (let i = 0; i < seaCount; i++) addSeas(seasBySea, i, seaLocations[i]);
  convoyCount.fill(0);
  deniedCount.fill(0);
  forget();
};

/**
 * Finds the fleets at sea among the units of position.ts. Returns their seas folded into one word, as in `seasNear`. An
 * army can have routes only if its word in `seasNear` has a bit in common with this one.
 * @param isFall true in fall, when ice closes seas
 */
export const lookAtFleets = (isFall: boolean): number => {
  if (entryCount > MOST_ENTRIES || end > MOST_NUMBERS) forget();
  const count = openSeas;
  const armyKeys = fleetKeys - 1;
  const provinces = seas;
  const keyOf = keys;
  const links = linkCount;
  const convoys = convoyCount;
  const denied = deniedCount;
  const words = fleets;
  let any = 0;
  let word = 0;
  for (let i = 0; i < count; i++) {
    const sea = provinces[i];
    links[sea] = 0;
    convoys[sea] = 0;
    denied[sea] = 0;
    word |= ((armyKeys - keyOf[sea]) >>> 31) << (i & 31);
    words[i >> 5] = word;
    any |= word;
    // A new word begins.
    if ((i & 31) === 31) word = 0;
  }
  const isFrozen = hasIce && isFall;
  return seaCount > count || isFrozen ? lookAtCoasts(isFrozen) : any;
};

/**
 * Completes lookAtFleets() on maps where fleets convoy from coasts or ice closes seas. Returns the seas with fleets
 * folded into one word, as in `seasNear`.
 */
const lookAtCoasts = (isFrozen: boolean): number => {
  for (let i = openSeas; i < seaCount; i++) {
    const province = seas[i];
    linkCount[province] = 0;
    convoyCount[province] = 0;
    deniedCount[province] = 0;
    if ((i & 31) === 0) fleets[i >> 5] = 0;
    if (keys[province] === fleetKeys + seaLocations[i]) fleets[i >> 5] |= 1 << (i & 31);
  }
  let any = 0;
  for (let w = 0; w < seaWords; w++) {
    if (isFrozen) fleets[w] &= ~icy[w];
    any |= fleets[w];
  }
  return any;
};

const firstHash = (army: T.Province): number => Math.imul(army + 1, 0x85eb_ca6b);
const addToHash = (hash: number, word: number): number => Math.imul(hash ^ word ^ (hash >>> 15), 0x9e37_79b1);

/** Writes the fleets linked with an army to `linked`; returns a hash of the fleets and the army. */
const link = (army: T.Province): number => {
  for (let w = 0; w < seaWords; w++) {
    linked[w] = seasByKey[army * seaWords + w] & fleets[w];
    open[w] = linked[w];
  }
  for (let w = 0; w < seaWords; ) {
    if (open[w] === 0) {
      w++;
      continue;
    }
    const sea = 32 * w + lowestBit(open[w]);
    open[w] &= open[w] - 1;
    for (let v = 0; v < seaWords; v++) {
      const more = seasBySea[sea * seaWords + v] & fleets[v] & ~linked[v];
      linked[v] |= more;
      open[v] |= more;
      // Continues at the first word with seas to add.
      if (more !== 0 && v < w) w = v;
    }
  }
  let hash = firstHash(army);
  for (let w = 0; w < seaWords; w++) hash = addToHash(hash, linked[w]);
  return hash;
};

/**
 * Writes the fleets linked with an army to `linked`; returns a hash of the fleets and the army. Only for maps where a
 * set of seas is one word.
 */
const linkInWord = (army: T.Province): number => {
  const all = fleets[0];
  const neighbours = seasBySea;
  let found = seasByKey[army] & all;
  for (let rest = found; rest !== 0; ) {
    const more = neighbours[lowestBit(rest)] & all & ~found;
    found |= more;
    rest = (rest & (rest - 1)) | more;
  }
  linked[0] = found;
  return addToHash(firstHash(army), found);
};

/** Returns the index in `store` of the entry of an army and its linked fleets. Adds the entry if it is missing. */
const findEntry = (army: T.Province): number => {
  const places = slots;
  const numbers = store;
  const set = linked;
  const words = seaWords;
  const hash = words === 1 ? linkInWord(army) : link(army);
  for (let slot = hash >>> (32 - SLOT_BITS); ; slot = (slot + 1) & (SLOTS - 1)) {
    const entry = places[slot];
    if (entry === 0) return remember(army, slot);
    let other = numbers[entry] ^ army;
    for (let w = 0; w < words; w++) other |= numbers[(entry + 1 + w) | 0] ^ set[w];
    if (other === 0) return entry;
  }
};

/**
 * Looks up the routes of an army, and adds its lists to `fleetLists` for each fleet linked with it. Must be called for
 * armies in ascending order. Returns the index in entries() of the army's first list, valid until the next
 * lookAtFleets().
 */
export const addArmy = (army: T.Province): number => {
  const entry = findEntry(army);
  const numbers = store;
  const provinces = seas;
  const links = linkCount;
  const armies = linkedArmies;
  const lists = linkedLists;
  const convoys = convoyCount;
  const denied = deniedCount;
  const words = seaWords;
  const first = (entry + 1 + words) | 0;
  let list = first;
  list = (list + numbers[list] + 1) | 0;
  list = (list + numbers[list] + 1) | 0;
  for (let w = 0; w < words; w++)
    for (let rest = numbers[(entry + 1 + w) | 0]; rest !== 0; rest &= rest - 1) {
      const sea = provinces[32 * w + lowestBit(rest)];
      const link = links[sea];
      const place = (Math.imul(sea, MAX_LOCATIONS) + link) | 0;
      links[sea] = link + 1;
      armies[place] = army;
      lists[place] = list;
      const convoyed = numbers[list];
      convoys[sea] += convoyed;
      list = (list + convoyed + 1) | 0;
      const unhelped = numbers[list];
      denied[sea] += unhelped;
      list = (list + unhelped + 1) | 0;
    }
  return first;
};

/** Returns the array with all entries. addArmy() may replace it. */
export const entries = (): Int32Array => store;

/** Copies the list at an index of entries() to `out` from `begin` on; returns where it ends. */
export const copyList = (list: number, out: Int32Array, begin: number): number => {
  const numbers = store;
  const count = numbers[list];
  for (let i = 0; i < count; i++) out[(begin + i) | 0] = numbers[(list + 1 + i) | 0];
  return (begin + count) | 0;
};

// ---- new entries ----

/**
 * Appends the entry of an army and of the fleets in `linked`, made by routes.ts, to the cache. Returns its index in
 * `store`.
 * @param slot free slot of the hash table for the entry
 */
const remember = (army: T.Province, slot: number): number => {
  const m = map as CompiledMap;
  const most = 1 + seaWords + 2 * (seaCount + 1) * (m.provinceCount + 1);
  while (end + most > store.length) {
    const larger = new Int32Array(2 * store.length);
    larger.set(store);
    store = larger;
  }
  const entry = end;
  slots[slot] = entry;
  entryCount++;
  const isLinked = (i: number): boolean => ((linked[i >> 5] >>> (i & 31)) & 1) === 1;
  const routes = routesOf(m);
  routes.begin();
  for (let i = 0; i < seaCount; i++) if (isLinked(i)) routes.addFleet(seaLocations[i]);
  routes.find(army);
  store[end++] = army;
  for (let w = 0; w < seaWords; w++) store[end++] = linked[w];
  for (let w = 0; w < provinceWords; w++) convoyOnly[w] = routes.to(army, w) & ~m.reach[army * WORDS + w];
  addList(
    (w) => routes.to(army, w),
    (to) => O.moveVia(army, to),
  );
  addList(
    (w) => convoyOnly[w],
    (to) => to,
  );
  for (let i = 0; i < seaCount; i++) {
    if (!isLinked(i)) continue;
    const sea = seaLocations[i];
    const own = (fleetKeys + sea) * WORDS;
    addList(
      (w) => routes.toWith(army, sea, w),
      (to) => O.convoy(sea, army, to),
    );
    addList((w) => convoyOnly[w] & ~routes.toWithout(army, sea, w) & m.reach[own + w], indexConvoyOnly);
  }
  return entry;
};

/** Provinces that the current army can enter only by convoy, a bitset of one row. */
const convoyOnly = new Int32Array(WORDS);
/** Returns the number of provinces in `convoyOnly` below `to`: its index in the second list of an entry. */
const indexConvoyOnly = (to: T.Province): number => {
  let n = countBits(convoyOnly[to >> 5] & ((1 << (to & 31)) - 1));
  for (let w = 0; w < to >> 5; w++) n += countBits(convoyOnly[w]);
  return n;
};

/**
 * Appends a list to `store`: its length, then one item for each province of a set.
 * @param word returns word w of the set
 * @param of returns the item of a province
 */
const addList = (word: (w: number) => number, of: (to: T.Province) => number): void => {
  const place = end++;
  for (let w = 0; w < provinceWords; w++)
    for (let rest = word(w); rest !== 0; rest &= rest - 1) store[end++] = of(32 * w + lowestBit(rest));
  store[place] = end - place - 1;
};
