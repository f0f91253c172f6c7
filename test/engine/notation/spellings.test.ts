// Tests spellings as data (test/data/spellings.json): of orders, of places, and those that could mean two things.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type CompiledMap, DATC_3_2, NONE, standard } from '../../../engine/internal.js';
import { compileMap } from '../../../engine/map/compile.js';
import { parsePosition } from '../../../engine/notation/json/position.js';
import {
  formatOrder,
  interpretOrders,
  orderedUnits,
  parseOrder,
  parsePlace,
} from '../../../engine/notation/text/index.js';
import { hasCode } from '../../../engine/rules/error.js';
import { readData } from '../../tools/data.js';
import { saying } from '../../tools/errors.js';

interface Spellings {
  readonly orders: readonly (readonly [source: string, text: string, wanted: string])[];
  readonly names: readonly (readonly [text: string, tag: string])[];
  readonly twoMeanings: readonly (readonly [text: string, said: string])[];
}
const data = readData<Spellings>('spellings.json');

const spellings = suite('spellings of public printouts');

const units = { FRANCE: ['A PAR', 'A BUR', 'F BRE'], ENGLAND: ['A LON', 'F NTH', 'F ENG'] };
const position = parsePosition({ phase: 'S1901M', units }, standard, DATC_3_2);
const meaning = (text: string, wanted: string): string => {
  const power = units.FRANCE.some((unit) => wanted.startsWith(unit)) ? 'FRANCE' : 'ENGLAND';
  const [{ order, reason }] = interpretOrders(position, [[standard.power(power), text]]);
  return order === NONE ? `no: ${reason}` : formatOrder(standard, order, orderedUnits(position.game));
};

spellings('orders in the manner of many programs are read', () => {
  assert.ok(data.orders.length + data.names.length >= 200);
  for (const [source, text, wanted] of data.orders) assert.is(meaning(text, wanted), wanted, `${source}: ${text}`);
});

spellings('names and beginnings of names are read', () => {
  for (const [text, tag] of data.names) {
    const { province, coast } = parsePlace(standard, text);
    assert.is(standard.locationTags[coast >= 0 ? coast : province], tag, text);
  }
});

spellings('what could mean two things is refused, and both are named', () => {
  for (const [text, said] of data.twoMeanings) assert.throws(() => parseOrder(standard, text), saying(said), text);
  const rows = standard.rows;
  const powers = rows.powers.map((power) => (power.name === 'TURKEY' ? { ...power, name: 'FRANKEN' } : power));
  const map: CompiledMap = compileMap({ ...rows, name: 'two', powers });
  assert.throws(() => parseOrder(map, 'Fra: A Par - Gas'), saying('got "Fra", which may be FRANCE or FRANKEN'));
});

spellings(
  'every beginning of a name of four letters or more is that place, or refused with all that it could be',
  () => {
    // 'Norw' is a name of Norway in the map of diplomacy, and begins that of a sea.
    const aliases = new Set(standard.rows.provinces.flatMap((row) => row.aliases ?? []));
    standard.provinceNames.forEach((name, province) => {
      for (let length = 4; length < name.length; length++) {
        const begin = name.slice(0, length);
        // A dash could be that of a move.
        if (!/\p{L}$/u.test(begin) || begin.includes('-') || aliases.has(begin)) continue;
        try {
          assert.is(parsePlace(standard, begin).province, province, begin);
        } catch (error) {
          if (!hasCode(error, 'notation')) throw error;
          // A last word of one letter may be that of an order: 'St P'.
          assert.ok(/may be/.test(error.message) || / \p{L}$/u.test(begin), `${begin}: ${error.message}`);
        }
      }
    });
  },
);

spellings('long texts are refused at once', () => {
  for (const part of ['&gt;', '&#62;', '(', 'west ', 'n ', 'FRA: ', 'Ａ', '\u200b', 'support ', 'move to '])
    assert.throws(() => parseOrder(standard, part.repeat(200_000)), saying(/got \d+ characters, wanted at most 200/));
});
spellings.run();
