// Tests order text: every usual spelling reads as one order, every order has one canonical spelling. The tables are in
// test/data/spellings.json.
import * as fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { DATC_3_2, NONE, standard, standardRows } from '../../../engine/internal.js';
import { compileMap } from '../../../engine/map/compile.js';
import { loadMap, mapNames } from '../../../engine/map/index.js';
import { parsePosition } from '../../../engine/notation/json/position.js';
import {
  formatOrder,
  interpretOrders,
  namesOf,
  orderedUnits,
  type Position,
  parseOrder,
  parsePlace,
  parseUnit,
  plainWord,
} from '../../../engine/notation/text/index.js';
import { hasCode } from '../../../engine/rules/error.js';
import { readData } from '../../tools/data.js';

type Place = 'everyone' | 'retreating' | 'winter';

interface Tables {
  readonly positions: Readonly<Record<Place, object>>;
  readonly equal: readonly (readonly [Place, power: string, canonical: string, others: readonly string[]])[];
  readonly unreadable: readonly (readonly [text: string, message: string])[];
  /** `meaning`: the canonical order, or 'no: ' and why it cannot be obeyed. */
  readonly refused: readonly (readonly [Place, power: string, text: string, meaning: string])[];
  readonly sequences: readonly (readonly [title: string, Place, power: string, texts: string[], meanings: string[]])[];
}
const tables = readData<Tables>('spellings.json');

const positions = new Map<Place, Position>(
  Object.entries(tables.positions).map(([name, record]) => [name as Place, parsePosition(record, standard, DATC_3_2)]),
);

/** What several orders of one power come to, from top to bottom. */
const meanings = (place: Place, power: string, texts: readonly string[]): string[] => {
  const position = positions.get(place);
  if (position === undefined) throw new RangeError(`no position ${place}`);
  const { game } = position;
  const given = texts.map((text) => [game.map.power(power), text] as const);
  return interpretOrders(position, given).map(({ order, reason }) =>
    order === NONE ? `no: ${reason}` : formatOrder(game.map, order, orderedUnits(game)),
  );
};

/** What a text means to a power: the canonical order, or why it is none. */
const meaning = (place: Place, power: string, text: string): string => meanings(place, power, [text])[0];

// ---- spellings ----

const parsing = suite('text: spellings');
for (const [place, power, canonical, others] of tables.equal)
  parsing(`${others.length} other spellings of ${power} are read as ${canonical}`, () => {
    for (const text of [canonical, ...others]) assert.is(meaning(place, power, text), canonical, text);
  });
parsing.run();

// ---- texts that are no order ----

const refusals = suite('text: refusals');
for (const [text, message] of [...tables.unreadable, ['A'.repeat(201), 'got 201 characters, wanted at most 200']])
  refusals(`"${text.slice(0, 40)}" is refused: ${message}`, () => {
    assert.throws(
      () => parseOrder(standard, text),
      (error: unknown) => hasCode(error, 'notation') && error.message === message,
    );
  });

refusals('units and places are read, and refused where something is left', () => {
  assert.equal(parseUnit(standard, 'F St Petersburg (south coast)'), { type: 1, province: 74, coast: 80 });
  assert.equal(parsePlace(standard, 'north sea'), { province: standard.provinceTags.indexOf('NTH'), coast: -1 });
  for (const text of ['BUD', 'A', 'A BUD H', 'X BUD', '']) assert.throws(() => parseUnit(standard, text), /^got /);
  for (const text of ['', 'A BUD', 'BUD VIE', '/SC']) assert.throws(() => parsePlace(standard, text), /^got /);
});

refusals('tags, which are known without reading, mean what is read', () => {
  for (const name of mapNames) {
    const map = loadMap(name);
    // A space more is another text: it is read.
    for (const tag of map.locationTags) {
      assert.equal(parsePlace(map, tag), parsePlace(map, `${tag} `));
      for (const type of ['A', 'F']) assert.equal(parseUnit(map, `${type} ${tag}`), parseUnit(map, `${type}  ${tag}`));
    }
  }
});

refusals('random text is read or refused, and nothing else', () => {
  const vocabulary =
    'A F PAR MAR STP SPA NTH NAO Mid - – -> / ( ) [ ; . , sc nc south coast of S C H M R D B via convoy to Build Disband waive French English the by hold x 7 é 𝔸 \u0000 constructor __proto__';
  const word = fc.constantFrom(...vocabulary.split(' '));
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 220 }),
    fc.array(word, { maxLength: 14 }).map((a) => a.join(' ')),
  );
  fc.assert(
    fc.property(text, (order) => {
      try {
        const { kind } = parseOrder(standard, order);
        return typeof kind === 'string';
      } catch (error) {
        return hasCode(error, 'notation') && error.message.length < 200;
      }
    }),
    { numRuns: 20_000, seed: 1 },
  );
});
refusals.run();

// ---- what is made of an order ----

const interpretation = suite('text: interpretation');
for (const [place, power, text, said] of tables.refused)
  interpretation(`${power} ${text} is ${said.startsWith('no: ') ? 'refused' : `taken as ${said}`}`, () =>
    assert.is(meaning(place, power, text), said),
  );

for (const [title, place, power, texts, said] of tables.sequences)
  interpretation(title, () => assert.equal(meanings(place, power, texts), said));
interpretation.run();

// ---- names ----

const names = suite('text: names');
/** Words of the notation, none of which may be the name of a province: it would never be read. The article is not one. */
const RESERVED =
  'a f army fleet h hold holds stand m move moves s support supports c convoy convoys r retreat retreats d disband ' +
  'remove b build waive decline to via by in of nc sc ec wc north south east west coast';

for (const name of mapNames)
  names(`every name of ${name} is read as its province`, () => {
    const map = loadMap(name);
    let count = 0;
    map.rows.provinces.forEach((row, province) => {
      for (const one of [row.tag, row.name, row.name.toUpperCase(), ...(row.aliases ?? [])]) {
        assert.equal(parsePlace(map, one).province, province, one);
        assert.not(RESERVED.split(' ').includes(plainWord(one)), `${one} is a word of the notation`);
        count++;
      }
    });
    assert.ok(count > 3 * map.provinceCount - 1);
  });

for (const name of mapNames)
  names(`no two names of ${name} side by side read as a third`, () => {
    const map = loadMap(name);
    const single = [...namesOf(map).places].filter(([, { words }]) => words === 1).map(([key]) => key);
    for (const first of single)
      for (const second of single) {
        const joined = namesOf(map).places.get(first + second);
        assert.ok(joined === undefined || joined.words === 1, `${first} - ${second}`);
      }
  });

const AMBIGUOUS: readonly (readonly [map: string, text: string, provinces: string])[] = [
  ['chaos', 'ANKARA A CON - BUL', 'CON -'],
  ['chaos', 'ANKARA - CON', 'ANK -'],
  ['chaos', 'A BUD S ANKARA A CON - BUL', 'BUD CON'],
  ['chaos', 'A BUD S ANKARA - BUL', 'BUD ANK'],
  ['chaos', 'ANKARA WAIVE', '- -'],
  ['ancmed', 'ROME: A ROM S Carthaginian A CAR - THA', 'ROM CAR'],
  ['ancmed', 'CARTHAGE A CARTHAGE H', 'CAR -'],
  // Tags that other programs use on this map, one of them an article.
  ['ancmed', 'A THE S A SII - ALE', 'THB SIN'],
];

names('a power that is named like a province is told from it by what follows', () => {
  for (const [name, text, wanted] of AMBIGUOUS) {
    const map = loadMap(name);
    const { unit, helped } = parseOrder(map, text);
    const found = [unit, helped].map((one) => (one === null ? '-' : map.provinceTags[one.province]));
    assert.is(found.join(' '), wanted, text);
  }
});
names('a province may have the tag of an article', () => {
  const rename = (text: string): string => text.replace(/\bLON\b/g, 'THE');
  const rows: unknown = JSON.parse(rename(JSON.stringify(standardRows)).replace('"London"', '"The Hague"'));
  const map = compileMap({ ...(rows as typeof standardRows), name: 'hague' });
  const place = map.provinceTags.indexOf('THE');
  for (const text of ['THE', 'the', 'The Hague', 'Hague', 'the Hague', 'the THE'])
    assert.is(parsePlace(map, text).province, place, text);
  const order = parseOrder(map, 'A THE - YOR');
  for (const text of ['THE - YOR', 'the army in The Hague to the Yorkshire', 'A the - YOR', 'Army Hague - YOR'])
    assert.equal({ ...parseOrder(map, text), unit: null }, { ...order, unit: null }, text);
  for (const text of ['A YOR S A THE', 'A YOR S THE', 'YOR supports the army in the Hague', 'YOR s the'])
    assert.is(parseOrder(map, text).helped?.province, place, text);
  assert.is(parseOrder(map, 'THE S A YOR').unit?.province, place);
  assert.is(parseOrder(map, 'the C A YOR - BEL').unit?.province, place);
  assert.throws(() => parsePlace(standard, 'the'), /^got nothing more/);
});
names('the tags that other programs use on ancmed are read', () => {
  const ancmed = loadMap('ancmed');
  for (const [text, tag] of [
    ['SII', 'SIN'],
    ['TYS', 'TYN'],
    ['THE', 'THB'],
    ['the', 'THB'],
  ] as const)
    assert.is(ancmed.provinceTags[parsePlace(ancmed, text).province], tag);
});

names.run();
