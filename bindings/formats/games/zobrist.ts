// Computes the position hash of the package `diplomacy`: Zobrist keys from Python's Mersenne Twister, seeded by the
// map.
import { type CompiledMap, perMap } from '../../../engine/internal.js';
import { type ByPower, emptyByPower } from '../../../engine/notation/json/position.js';
import type { RawPhase } from './raw.js';

const N = 624;
const M = 397;

/** Generates the same numbers as Python's random.Random(seed), as far as keys need them. @param seed less than 2^32 */
class PythonRandom {
  private readonly state = new Uint32Array(N);
  private at: number = N;

  constructor(seed: number) {
    this.begin(19650218);
    this.mixIn(seed);
  }
  private begin(seed: number): void {
    const { state } = this;
    state[0] = seed;
    for (let i = 1; i < N; i++) state[i] = Math.imul(1812433253, state[i - 1] ^ (state[i - 1] >>> 30)) + i;
  }
  /** Mixes the key into the state, as init_by_array() with a key of one word. */
  private mixIn(key: number): void {
    const { state } = this;
    let i = 1;
    const step = (): void => {
      i++;
      if (i < N) return;
      state[0] = state[N - 1];
      i = 1;
    };
    const before = (): number => state[i - 1] ^ (state[i - 1] >>> 30);
    for (let k = N; k > 0; k--) {
      state[i] = (state[i] ^ Math.imul(before(), 1664525)) + key;
      step();
    }
    for (let k = N - 1; k > 0; k--) {
      state[i] = (state[i] ^ Math.imul(before(), 1566083941)) - i;
      step();
    }
    state[0] = 0x8000_0000;
  }
  private refill(): void {
    const { state } = this;
    for (let k = 0; k < N; k++) {
      const y = (state[k] & 0x8000_0000) | (state[(k + 1) % N] & 0x7fff_ffff);
      state[k] = state[(k + M) % N] ^ (y >>> 1) ^ ((y & 1) === 0 ? 0 : 0x9908_b0df);
    }
    this.at = 0;
  }
  private word(): number {
    if (this.at === N) this.refill();
    let y = this.state[this.at++];
    y ^= y >>> 11;
    y ^= (y << 7) & 0x9d2c_5680;
    y ^= (y << 15) & 0xefc6_0000;
    return (y ^ (y >>> 18)) >>> 0;
  }
  /** Returns the next key, as Python's randint(1, 2^63 - 1). */
  key(): bigint {
    for (;;) {
      const low = BigInt(this.word());
      const value = (BigInt(this.word() >>> 1) << 32n) | low;
      if (value < 0x7fff_ffff_ffff_ffffn) return value + 1n;
    }
  }
}

/** Keys of one kind, by power and text: 'A PAR' for units, 'PAR' for centres and homes. */
type Keys = Readonly<Record<string, ReadonlyMap<string, bigint>>>;

/** Returns the seed of a map, computed from its number of locations and the tags of its centres. */
const seedOf = (map: CompiledMap): number => {
  const centers = Array.from(map.centers, (p) => map.provinceTags[p])
    .sort()
    .join('-');
  let sum = BigInt(12345 + map.locationCount);
  let power = 1n;
  for (const letter of centers) {
    sum += BigInt(letter.charCodeAt(0)) * power;
    power *= 7n;
  }
  return Number(sum % 0x1_0000_0000n);
};

/** Returns the keys of a map: for units, dislodged units, centres and homes. */
export const positionKeys = perMap((map): readonly Keys[] => {
  const random = new PythonRandom(seedOf(map));
  const tags = [...map.locationTags].sort();
  const rows = (count: number): bigint[][] => Array.from({ length: count }, () => Array.from(tags, () => random.key()));
  /**
   * Returns keys for each power.
   * @param kinds keys of armies, then of fleets, indexed as `tags`; the key of a unit combines such a key with a key
   *   of its power. Without kinds: keys of centres or homes
   */
  const byPower = (kinds?: readonly bigint[][]): Keys => {
    const own = rows(map.powerCount);
    const entries = (keys: readonly bigint[]): [string, bigint][] =>
      tags.flatMap((tag, i) =>
        kinds === undefined
          ? [[tag, keys[i]]]
          : kinds.map((of, kind): [string, bigint] => [`${'AF'[kind]} ${tag}`, keys[i] ^ of[i]]),
      );
    return Object.fromEntries(map.powerNames.map((name, power) => [name, new Map(entries(own[power]))]));
  };
  return [byPower(rows(2)), byPower(rows(2)), byPower(), byPower()];
});

/** Returns the list of a power, or an empty list. Keys may have the name of the power in any case. */
const listOf = (byPower: ByPower, power: string): readonly string[] => {
  const key = Object.hasOwn(byPower, power) ? power : Object.keys(byPower).find((name) => name.toUpperCase() === power);
  return key === undefined ? [] : byPower[key];
};

/**
 * Returns the hash of a position: the exclusive or of its keys. Units are given as 'A PAR', centres and homes as 'PAR'.
 */
export const zobristHash = (
  map: CompiledMap,
  ...lists: [units: ByPower, dislodged: ByPower, centers: ByPower, homes: ByPower]
): bigint => {
  const keys = positionKeys(map);
  let hash = 0n;
  lists.forEach((byPower, kind) => {
    for (const name of map.powerNames)
      for (const text of listOf(byPower, name)) hash ^= keys[kind][name].get(text) ?? 0n;
  });
  return hash;
};

/** Returns the tags of each power's home centres in alphabetical order, as `diplomacy` and dipcc list them. */
export const homesOf = (map: CompiledMap): ByPower => {
  const homes = emptyByPower(map);
  map.centers.forEach((province, c) => {
    if (map.homePower[c] >= 0) homes[map.powerNames[map.homePower[c]]].push(map.provinceTags[province]);
  });
  for (const list of Object.values(homes)) list.sort();
  return homes;
};

/**
 * Returns the hash of the recorded units and centres, whose position need not be possible. Null if they are not
 * recorded.
 */
export const recordedHash = (map: CompiledMap, { units, dislodged, centers, homes }: RawPhase): bigint | null =>
  units === null || centers === null ? null : zobristHash(map, units, dislodged, centers, homes ?? homesOf(map));
