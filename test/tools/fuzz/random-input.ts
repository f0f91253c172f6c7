// What all generators draw from: strange values, and small changes to text, bytes and JSON.
import { chance, pick } from '../../../bench/corpus/dense-orders.js';
import { Random } from '../../../engine/rules/random.js';

export { chance, pick };

/** A stream of its own for a round of a campaign. */
export const streamFor = (seed: number, campaign: string, round: number): Random =>
  new Random(
    seed,
    round,
    Array.from(campaign).reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) | 0, 7),
  );

const LETTERS = 'ABCFHSWMR-/*.,:;"\'\\{}[]()0129 \t\n\r\u0000\u001b\u00e9\u202e\ud800💥_$%<>|&';

/** A text with one thing in it changed. */
export const changeText = (random: Random, text: string): string => {
  const at = random.below(text.length + 1);
  switch (random.below(6)) {
    case 0:
      return text.slice(0, at);
    case 1:
      return text.slice(0, at) + text.slice(at + 1 + random.below(4));
    case 2:
      return text.slice(0, at) + pick(random, [...LETTERS]) + text.slice(at + random.below(2));
    case 3:
      return text.slice(0, at) + text.slice(random.below(text.length + 1)).slice(0, 12) + text.slice(at);
    case 4:
      return chance(random, 50) ? text.toLowerCase() : text.toUpperCase();
    default:
      return text.split(' ').reverse().join(' ');
  }
};

const nested = (depth: number, open: string, close: string): unknown =>
  JSON.parse(open.repeat(depth) + (open === '[' ? '' : '0') + close.repeat(depth));

/** A value that nobody expects. */
export const strangeValue = (random: Random): unknown =>
  pick<() => unknown>(random, [
    () => null,
    () => true,
    () => random.below(3) - 1,
    () => 0.5,
    () => 1e308,
    () => 2 ** 53,
    () => -(2 ** 31),
    () => '',
    () => '__proto__',
    () => 'constructor',
    () => '\ud800',
    () => String(random.below(100)),
    () => 'x'.repeat(pick(random, [40, 300, 5000])),
    () => [],
    () => ({}),
    () => [[]],
    () => nested(pick(random, [3, 40, 500]), '[', ']'),
    () => nested(pick(random, [3, 40, 500]), '{"a":', '}'),
    () => Array.from({ length: pick(random, [2, 80, 1500]) }, () => 'A PAR H'),
    () => Object.fromEntries(Array.from({ length: pick(random, [2, 80, 1500]) }, (_, i) => [`k${i}`, i])),
  ])();

/** A place in a value: an entry of a list, or of an object. */
interface Place {
  readonly holder: Record<string, unknown> | unknown[];
  readonly key: string | number;
}

/** As many places as are enough to choose from, those near the root first. */
const MOST_PLACES = 3000;

const placesIn = (root: unknown): Place[] => {
  const places: Place[] = [];
  const open: unknown[] = [root];
  for (let i = 0; i < open.length && places.length < MOST_PLACES; i++) {
    const holder = open[i];
    if (typeof holder !== 'object' || holder === null) continue;
    const keys = Array.isArray(holder) ? holder.map((_, k) => k) : Object.keys(holder);
    for (const key of keys) {
      const place = { holder: holder as Place['holder'], key };
      places.push(place);
      open.push(at(place));
    }
  }
  return places;
};

const at = ({ holder, key }: Place): unknown => (holder as Record<string | number, unknown>)[key];

/** Not by assignment: '__proto__' is a key like any other here. */
const put = ({ holder, key }: Place, value: unknown): void => {
  Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });
};

const remove = ({ holder, key }: Place): void => {
  if (Array.isArray(holder)) holder.splice(Number(key), 1);
  else delete holder[key];
};

const changeAt = (random: Random, place: Place, other: Place): void => {
  const { holder, key } = place;
  const value = at(place);
  switch (random.below(8)) {
    case 0:
      remove(place);
      return;
    case 1:
      // A copy: what is put into itself would have no end.
      put(place, JSON.parse(JSON.stringify(at(other) ?? null)));
      return;
    case 2:
      if (Array.isArray(holder)) {
        const times = pick(random, [1, 2, 20, 900, 1200]);
        holder.splice(Number(key), 0, ...Array.from({ length: times }, () => value));
      } else {
        remove(place);
        put({ holder, key: pick(random, ['__proto__', 'X', '', String(key).toLowerCase(), `${key} `]) }, value);
      }
      return;
    case 3:
    case 4:
      put(place, strangeValue(random));
      return;
    default:
      if (typeof value === 'string') put(place, changeText(random, value));
      else if (typeof value === 'number') put(place, pick(random, [-value, value + 1, value * 1e9, value / 3, -1]));
      else put(place, strangeValue(random));
  }
};

/** A copy of a value of JSON, with some things in it changed. */
export const changeJson = (random: Random, value: unknown, changes: number): unknown => {
  const copy: unknown = JSON.parse(JSON.stringify(value));
  for (let i = 0; i < changes; i++) {
    const places = placesIn(copy);
    if (places.length === 0) return strangeValue(random);
    changeAt(random, pick(random, places), pick(random, places));
  }
  return copy;
};

/** Bytes with some of them changed, gone, doubled, or cut off. */
export const changeBytes = (random: Random, bytes: Uint8Array, changes: number): Buffer => {
  let changed: Buffer = Buffer.from(bytes);
  for (let i = 0; i < changes; i++) {
    const at = random.below(changed.length + 1);
    const kind = random.below(10);
    if (kind < 5 && at < changed.length) changed[at] ^= 1 << random.below(8);
    else if (kind === 5 && at < changed.length)
      changed[at] = pick(random, [0, 0x7f, 0x80, 0xc0, 0xc7, 0xdd, 0xdf, 0xff]);
    else if (kind === 6) changed = changed.subarray(0, at);
    else if (kind === 7) changed = Buffer.concat([changed.subarray(0, at), changed.subarray(at + 1 + random.below(8))]);
    else {
      const more =
        kind === 8 ? changed.subarray(at, at + random.below(64)) : Buffer.alloc(1 + random.below(8), random.next());
      changed = Buffer.concat([changed.subarray(0, at), more, changed.subarray(at)]);
    }
  }
  return changed;
};
