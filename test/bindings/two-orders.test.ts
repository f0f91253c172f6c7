// Two orders for a unit, and what else an order set may hold, as the rules differ (DATC 4.D.3, 4.D.7).
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { adjudicateRecord } from '../../bindings/json/adjudicate-record.js';
import { standard } from '../../engine/map/standard.js';
import { rulesByName } from '../../engine/rules.js';

const resultsUnder = (rules: string, orders: readonly string[]): readonly (readonly [string, string | null])[] => {
  const record = { phase: 'S1901M', units: { FRANCE: ['A PAR', 'A MAR'] }, centers: {}, orders: { FRANCE: orders } };
  return adjudicateRecord(record, standard, rulesByName(rules)).orders.map(({ result, reason }) => [result, reason]);
};

const orders = ['A PAR - BUR', 'A MAR - SPA', 'A PAR - PIC'];
const twice = suite('two orders for a unit');

twice('the first counts', () => {
  assert.equal(resultsUnder('datc-3.2', orders), [
    ['succeeds', null],
    ['succeeds', null],
    ['illegal', 'already ordered'],
  ]);
});

twice('the last counts', () => {
  assert.equal(resultsUnder('twoOrders=last', orders), [
    ['illegal', 'ordered again'],
    ['succeeds', null],
    ['succeeds', null],
  ]);
});

twice('none counts', () => {
  assert.equal(resultsUnder('datc-2.4', orders), [
    ['illegal', 'ordered twice'],
    ['succeeds', null],
    ['illegal', 'ordered twice'],
  ]);
});

twice('the set is refused', () => {
  const refused = orders.map((): [string, string] => ['illegal', 'the whole set is refused']);
  assert.equal(resultsUnder('s004', orders), refused);
  assert.equal(resultsUnder('s004', ['A PAR - BUR', 'A MAR - SPA']), [
    ['succeeds', null],
    ['succeeds', null],
  ]);
});

twice('the same order twice is one order', () => {
  for (const rules of ['datc-2.4', 'twoOrders=last'])
    assert.equal(resultsUnder(rules, ['A PAR - BUR', 'A PAR - BUR'])[0], ['succeeds', null], rules);
});

twice('a build is waived, or not', () => {
  const record = { phase: 'W1901A', units: {}, centers: { FRANCE: ['PAR'] }, orders: { FRANCE: ['WAIVE'] } };
  const resultOf = (rules: string): string => adjudicateRecord(record, standard, rulesByName(rules)).orders[0].result;
  assert.is(resultOf('datc-3.2'), 'succeeds');
  assert.is(resultOf('waive=no'), 'fails');
});

const adjust = (rules: string, power: string, orders: readonly string[], more: object): readonly string[] => {
  const record = { phase: 'W1901A', orders: { [power]: orders }, ...more };
  const answer = adjudicateRecord(record, standard, rulesByName(rules));
  return [...answer.built, ...answer.disbanded].sort();
};

twice('more builds than are due: the first, the last, none', () => {
  const france = { units: { FRANCE: ['A BUR'] }, centers: { FRANCE: ['PAR', 'BRE', 'MAR'] } };
  const builds = ['A PAR B', 'F BRE B', 'A MAR B'];
  assert.equal(adjust('datc-3.2', 'FRANCE', builds, france), ['A PAR', 'F BRE']);
  assert.equal(adjust('surplusBuilds=last', 'FRANCE', builds, france), ['A MAR', 'F BRE']);
  assert.equal(adjust('surplusBuilds=none', 'FRANCE', builds, france), []);
  assert.equal(adjust('surplusBuilds=none', 'FRANCE', builds.slice(1), france), ['A MAR', 'F BRE']);
});

twice('two builds in one centre: the first, the last, none', () => {
  const russia = { units: {}, centers: { RUSSIA: ['STP', 'MOS'] } };
  const builds = ['F STP/NC B', 'F STP/SC B'];
  assert.equal(adjust('datc-3.2', 'RUSSIA', builds, russia), ['F STP/NC']);
  assert.equal(adjust('doubleBuilds=last', 'RUSSIA', builds, russia), ['F STP/SC']);
  assert.equal(adjust('doubleBuilds=none', 'RUSSIA', builds, russia), []);
});

twice('more removals than are due: the first, the last, those of civil disorder', () => {
  const italy = { units: { ITALY: ['A ROM', 'A BUR', 'A NAP'] }, centers: { ITALY: ['ROM', 'NAP'] } };
  const removals = ['A ROM D', 'A NAP D'];
  assert.equal(adjust('datc-3.2', 'ITALY', removals, italy), ['A ROM']);
  assert.equal(adjust('surplusRemovals=last', 'ITALY', removals, italy), ['A NAP']);
  assert.equal(adjust('surplusRemovals=disorder', 'ITALY', removals, italy), ['A BUR']);
});

twice.run();
