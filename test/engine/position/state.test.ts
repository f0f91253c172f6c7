// Tests the layout of a game: sizes and offsets as engine/position/game.ts states them, batches, copies, hash, bytes for files.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { adjudicate } from '../../../engine/adjudicate/calendar.js';
import { loadMap, mapNames } from '../../../engine/map/index.js';
import { standard } from '../../../engine/map/standard.js';
import {
  checkGame,
  DISLODGED_COUNT,
  DISLODGED_SIZE,
  Game,
  hashGame,
  newGame,
  PHASE,
  readGame,
  resetGame,
  SEASON,
  STATE_VERSION,
  STATUS,
  stateLayout,
  UNITS,
  WINNER,
  writeGame,
  YEAR,
} from '../../../engine/position/game.js';
import { LepantoError } from '../../../engine/rules/error.js';
import { DATC_3_2, rulesByName } from '../../../engine/rules/options.js';
import { makeResults } from '../../../engine/rules/results.js';
import * as T from '../../../engine/rules/types.js';
import { saying } from '../../tools/errors.js';
import { families } from '../../tools/families.js';

const { stride, coasts, owners } = stateLayout(standard);
const at = (name: string): number => standard.locationTags.indexOf(name);

// ---- layout ----

const layout = suite('state: layout');

layout('the header says the layout, the map and the rules', () => {
  assert.equal([YEAR, SEASON, PHASE, STATUS, WINNER, DISLODGED_COUNT, UNITS], [0, 2, 3, 4, 5, 6, 8]);
  assert.is(DISLODGED_SIZE, 4);
});

layout('sections of the standard map are where the README says', () => {
  assert.equal(stateLayout(standard), {
    units: 8,
    coasts: 84,
    owners: 88,
    contested: 124,
    dislodged: 136,
    maxDislodged: 25,
    stride: 236,
  });
  assert.ok(stride <= 256);
});

layout('sections of every map are aligned, in order and long enough', () => {
  for (const name of mapNames) {
    const map = loadMap(name);
    const { units, coasts, owners, contested, dislodged, maxDislodged, stride: size } = stateLayout(map);
    const sections = [units, coasts, owners, contested, dislodged, size];
    assert.equal(
      sections,
      sections.map((offset) => offset & ~3),
      name,
    );
    assert.ok(coasts - units >= map.provinceCount && owners - coasts >= map.coastalProvinces.length, name);
    assert.ok(contested - owners >= map.centerCount && (dislodged - contested) * 8 >= map.provinceCount, name);
    assert.ok(size - dislodged >= 4 * maxDislodged && maxDislodged * 3 <= map.provinceCount, name);
  }
});

layout('every byte is where the table says', () => {
  const game = new Game(standard, DATC_3_2, new Uint8Array(2 * stride), stride);
  const byte = (offset: number): number => game.bytes[stride + offset];
  game.year = 1905;
  game.season = T.FALL;
  game.phase = T.RETREAT;
  assert.equal([byte(0), byte(1), byte(2), byte(3)], [1905 & 255, 1905 >> 8, T.FALL, T.RETREAT]);
  game.status = T.SOLO;
  game.winner = 6;
  assert.equal([byte(4), byte(5), byte(6), byte(7)], [T.SOLO, 7, 0, 0]);
  game.placeUnit(3, T.ARMY, at('MUN'));
  assert.is(byte(8 + at('MUN')), T.makeUnit(3, T.ARMY));
  game.placeUnit(5, T.FLEET, at('STP/SC'));
  assert.is(byte(8 + at('STP')), T.makeUnit(5, T.FLEET));
  assert.is(byte(84 + standard.coastalIndex[at('STP')]), 2);
  assert.is(game.unitLocation(at('STP')), at('STP/SC'));
  game.setOwner(standard.centerIndex[at('MUN')], 3);
  assert.is(byte(88 + standard.centerIndex[at('MUN')]), 4);
  game.setContested(at('GAS'));
  assert.is(byte(124 + (at('GAS') >> 3)), 1 << (at('GAS') & 7));
  game.addDislodged(T.makeUnit(0, T.ARMY), at('MUN'), at('BER'));
  game.addDislodged(T.makeUnit(4, T.FLEET), at('STP/NC'), -1);
  assert.is(byte(6), 2);
  assert.equal([...game.bytes.subarray(stride + 136, stride + 140)], [at('MUN'), T.makeUnit(0, T.ARMY), 0, at('BER')]);
  assert.equal([...game.bytes.subarray(stride + 140, stride + 144)], [at('STP'), T.makeUnit(4, T.FLEET), 1, at('STP')]);
  assert.equal(game.dislodged(1), {
    province: at('STP'),
    unit: T.makeUnit(4, T.FLEET),
    location: at('STP/NC'),
    attacker: -1,
  });
  assert.ok(
    game.bytes.subarray(0, stride).every((value) => value === 0),
    'the game before it is untouched',
  );
});

layout('a unit is a byte, for 64 powers', () => {
  for (const power of [0, 6, 63])
    for (const type of [T.ARMY, T.FLEET] as const) {
      const unit = T.makeUnit(power, type);
      assert.ok(unit > T.NO_UNIT && unit < 256);
      assert.is(T.unitPower(unit), power);
      assert.is(T.unitType(unit), type);
    }
});

layout.run();

// ---- many games ----

const games = suite('state: games side by side');

/** The next positions of a family, each after its orders were played: every phase comes up. */
const positions = (count: number): Game[] => {
  const storm = families.find(({ name }) => name === 'storm');
  assert.ok(storm !== undefined);
  const next = storm.open(8);
  const results = makeResults();
  return Array.from({ length: count }, () => {
    const { game, orders, count: n } = next();
    const copy = game.clone();
    adjudicate(copy, orders, n, results);
    return copy;
  });
};

games('lie in a SharedArrayBuffer as in an ArrayBuffer', () => {
  const all = positions(50);
  const shared = new Uint8Array(new SharedArrayBuffer(50 * stride));
  const view = new Game(standard, DATC_3_2, shared);
  all.forEach((game, i) => {
    view.offset = i * stride;
    view.copyFrom(game);
  });
  all.forEach((game, i) => {
    view.offset = i * stride;
    assert.ok(view.equals(game));
    assert.equal(hashGame(view), hashGame(game));
    assert.is(checkGame(view), null);
    assert.equal(writeGame(view), writeGame(game));
  });
});

games('copies within one buffer, and are cleared alone', () => {
  const [game] = positions(1);
  const bytes = new Uint8Array(3 * stride);
  const first = new Game(standard, DATC_3_2, bytes);
  const last = new Game(standard, DATC_3_2, bytes, 2 * stride);
  first.copyFrom(game);
  last.copyFrom(first);
  assert.ok(last.equals(game));
  resetGame(first);
  assert.ok(last.equals(game) && first.equals(newGame(standard, DATC_3_2)));
  assert.not(first.equals(last));
  assert.not(first.equals(newGame(loadMap('ancmed'), DATC_3_2)), 'another map');
});

games('a buffer that is too small is refused', () => {
  assert.throws(
    () => new Game(standard, DATC_3_2, new Uint8Array(2 * stride), stride + 1),
    saying(`game buffer too small: got ${2 * stride} bytes, wanted ${2 * stride + 1}`),
  );
});

games('the hash tells positions apart by any byte, and not by the place in the buffer', () => {
  const seen = new Set<string>();
  const [game] = positions(1);
  seen.add(hashGame(game).join());
  for (let i = 0; i < stride; i++)
    for (const value of [1, 128]) {
      const other = game.clone();
      other.bytes[i] ^= value;
      seen.add(hashGame(other).join());
    }
  assert.is(seen.size, 1 + 2 * stride);
  const [low, high] = hashGame(game);
  assert.ok(low === (low | 0) && high === (high | 0));
});

games.run();

// ---- the check ----

const checks = suite('state: check');

/** Changes to a start position, by name. `value` is that of a byte, the power of a unit, or the province of an attacker. */
const CHANGES: Readonly<Record<string, (game: Game, at: number, value: number) => void>> = {
  byte: (game, offset, value) => game.bytes.fill(value, offset, offset + 1),
  army: (game, place, power) => game.bytes.fill(T.makeUnit(power, T.ARMY), UNITS + place, UNITS + place + 1),
  fleet: (game, place, power) => game.bytes.fill(T.makeUnit(power, T.FLEET), UNITS + place, UNITS + place + 1),
  coast: (game, place, value) => CHANGES.byte(game, coasts + standard.coastalIndex[place], value),
  owner: (game, place, value) => CHANGES.byte(game, owners + standard.centerIndex[place], value),
  contested: (game, place) => game.setContested(place),
  'dislodged army': (game, place, attacker) => game.addDislodged(T.makeUnit(1, T.ARMY), place, attacker),
  'dislodged fleet': (game, place, attacker) => game.addDislodged(T.makeUnit(1, T.FLEET), place, attacker),
  'dislodged nothing': (game, place, attacker) => game.addDislodged(T.NO_UNIT, place, attacker),
};

/** Rows of message, phase, and the name and arguments of a change: an offset in bytes or a tag, and a value. */
const FAULTS: readonly (readonly [string, 'M' | 'R', string, number | string, number, 'twice'?])[] = [
  ['season: got 3, wanted 0 to 2', 'M', 'byte', SEASON, 3],
  ['phase: got 3, wanted 0 to 2', 'M', 'byte', PHASE, 3],
  ['season and phase: got season 0 with phase 2, wanted winter with adjustment only', 'M', 'byte', PHASE, 2],
  ['season and phase: got season 2 with phase 0, wanted winter with adjustment only', 'M', 'byte', SEASON, 2],
  ['status: got 3, wanted 0 to 2', 'M', 'byte', STATUS, 3],
  ['winner: got 7, wanted below 7', 'M', 'byte', WINNER, 8],
  ['winner: got one in a game that is being played', 'M', 'byte', WINNER, 1],
  ['byte 7: got 1, wanted 0', 'M', 'byte', 7, 1],
  ['unit in MUN: got power 7, wanted below 7', 'M', 'army', 'MUN', 7],
  ['unit in MUN: got a fleet inland', 'M', 'fleet', 'MUN', 3],
  ['unit in NTH: got an army at sea', 'M', 'army', 'NTH', 3],
  ['fleet in SPA: got no coast, wanted one', 'M', 'fleet', 'SPA', 3],
  ['army in STP: got a coast, wanted none', 'M', 'army', 'STP', 5],
  ['unit in STP: got coast 3, wanted at most 2', 'M', 'coast', 'STP', 3],
  ['coast of SPA: got 1 without a unit, wanted 0', 'M', 'coast', 'SPA', 1],
  ['owner of ANK: got 7, wanted below 7', 'M', 'owner', 'ANK', 8],
  ['byte 124: got retreats outside a retreat phase, wanted 0', 'M', 'contested', 'BOH', 1],
  ['dislodged: got 1 outside a retreat phase, wanted 0', 'M', 'byte', DISLODGED_COUNT, 1],
  ['dislodged: got 26, wanted at most 25', 'R', 'byte', DISLODGED_COUNT, 26],
  ['contested MUN: got a unit in it', 'R', 'contested', 'MUN', 1],
  ['dislodged in RUH: got no unit in its place', 'R', 'dislodged army', 'RUH', -1],
  ['dislodged unit in MUN: got a fleet inland', 'R', 'dislodged fleet', 'MUN', -1],
  ['dislodged got no unit', 'R', 'dislodged nothing', 'MUN', -1],
  ['dislodged in MUN: got attacker 75', 'R', 'dislodged army', 'MUN', 75],
  ['dislodged 1: got province 9 after 9', 'R', 'dislodged army', 'MUN', -1, 'twice'],
];

for (const [wanted, phase, what, place, value, again] of FAULTS)
  checks(wanted, () => {
    const game = newGame(standard, DATC_3_2);
    game.phase = phase === 'R' ? T.RETREAT : T.MOVEMENT;
    assert.is(checkGame(game), null);
    for (let n = again === 'twice' ? 2 : 1; n > 0; n--)
      CHANGES[what](game, typeof place === 'string' ? at(place) : place, value);
    assert.is(checkGame(game), wanted);
  });

checks('spring 1901 is sound on every map', () => {
  for (const name of mapNames) assert.is(checkGame(newGame(loadMap(name), DATC_3_2)), null, name);
  assert.is(newGame(standard, DATC_3_2).season, T.SPRING);
});

checks.run();

// ---- bytes for files ----

const files = suite('state: written out');

files('reads back the same, wherever the game stood', () => {
  for (const game of positions(20)) {
    const bytes = writeGame(game);
    const back = readGame(standard, DATC_3_2, bytes);
    assert.ok(back.equals(game));
    assert.equal(writeGame(back), bytes);
  }
});

files('begins with magic, version, size, map and rules', () => {
  const bytes = writeGame(newGame(standard, DATC_3_2));
  const view = new DataView(bytes.buffer);
  assert.is(String.fromCharCode(...bytes.subarray(0, 4)), 'LPAN');
  assert.is(view.getUint16(4, true), STATE_VERSION);
  assert.is(view.getUint16(6, true), stride);
  assert.is(view.getInt32(8, true), standard.id);
  assert.is(view.getInt32(12, true), DATC_3_2.id);
  assert.is(bytes.length, 16 + stride);
});

const size = 16 + stride;
const start = writeGame(newGame(standard, DATC_3_2));
const [other, rules] = [loadMap('1898'), rulesByName('1971')];

for (const [what, bytes, message, map, by] of [
  ['a byte less', start.subarray(1), `saved game: got ${size - 1} bytes, wanted ${size}`, standard, DATC_3_2],
  ['no bytes', new Uint8Array(0), `saved game: got 0 bytes, wanted ${size}`, standard, DATC_3_2],
  ['another magic', start.with(0, 0), 'saved game, magic: got 1312903168, wanted 1312903244', standard, DATC_3_2],
  ['version 99', start.with(4, 99), `saved game, version: got 99, wanted ${STATE_VERSION}`, standard, DATC_3_2],
  ['another size', start.with(6, 0), 'saved game, bytes per game: got 0, wanted 236', standard, DATC_3_2],
  ['a bad position', start.with(16 + SEASON, 9), 'saved game: season: got 9, wanted 0 to 2', standard, DATC_3_2],
  ['another map', start, `saved game, id of map 1898: got ${standard.id}, wanted ${other.id}`, other, DATC_3_2],
  ['other rules', start, `saved game, id of rules 1971: got ${DATC_3_2.id}, wanted ${rules.id}`, standard, rules],
] as const)
  files(`refuses ${what}`, () => {
    const isRefusal = (error: Error): boolean => error instanceof LepantoError && error.message === message;
    assert.throws(() => readGame(map, by, bytes), isRefusal);
  });

files.run();
