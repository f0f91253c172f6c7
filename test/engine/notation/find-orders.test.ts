// Tests the work of looking for orders in answers of language models: it grows as the length does, whatever the text is.
// What is found is tested in bindings/python/tests/test_llm.py, by a table of answers.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { rulesByName } from '../../../engine/internal.js';
import { standard } from '../../../engine/map/standard.js';
import { parsePosition } from '../../../engine/notation/json/position.js';
import { findOrders } from '../../../engine/notation/text/find-orders.js';
import { namesOf } from '../../../engine/notation/text/parse.js';
import { DATC_READING } from '../../../engine/notation/text/reading-options.js';

const MOVES = { phase: 'S1901M', units: { FRANCE: ['A PAR', 'F BRE', 'A MAR'] } };
const BUILDS = { phase: 'W1901A', units: { FRANCE: ['A BUR'] }, centers: { FRANCE: ['PAR', 'BRE', 'MAR'] } };

/** Number of names that are looked up while orders are found in a text of some length that repeats a few words. */
const work = (record: object, words: string, length: number): number => {
  const position = parsePosition(record, standard, rulesByName('datc-3.2'));
  const places = namesOf(standard).places as Map<string, { value: number; words: number }>;
  let lookups = 0;
  places.get = (key) => {
    lookups++;
    return Map.prototype.get.call(places, key) as { value: number; words: number } | undefined;
  };
  try {
    findOrders(position, standard.power('FRANCE'), words.repeat(length).slice(0, length), DATC_READING);
  } finally {
    delete (places as { get?: unknown }).get;
  }
  return lookups;
};

/** Phrases that look like the beginning of an order. The texts repeat one of them. */
const WORDS = [
  'A PAR ',
  'A PAR S ',
  'a ',
  'the ',
  'in the ',
  'type ',
  'A PAR (',
  'Paris ',
  'PAR type ',
  'A PAR - BUR, ',
  'waive ',
  '### A PAR\n',
  'A PAR\n\n',
  'A PAR\nMove ',
  'Build 1: ',
  'Build A PAR, ',
  'and ',
  '<think>',
  '</think>A PAR H\n',
  'unit: ',
  'mid atlantic ',
  'A PAR S A MAR - ',
  'armies in Paris and Brest, ',
];

const growth = suite('work for answers');

for (const [name, record] of Object.entries({ MOVES, BUILDS }))
  growth(`${name}: ten times the text is ten times the work`, () => {
    for (const words of WORDS) {
      const [short, long] = [work(record, words, 1_000), work(record, words, 10_000)];
      assert.ok(
        long <= 11 * short + 1_000,
        `${JSON.stringify(words)}: ${short} lookups, ${long} for ten times the text`,
      );
      assert.ok(long <= 60 * 10_000, `${JSON.stringify(words)}: ${long} lookups for 10,000 characters`);
    }
  });

growth.run();
