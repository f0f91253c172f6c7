// Tests orders that cannot be obeyed under every preset: an army sent by a convoy that no fleet could give (DATC 4.A.3),
// and what an adjudicator refuses alone or with the whole set (4.D.3, 4.E.1).
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { standard } from '../../../engine/map/standard.js';
import { adjudicateRecord } from '../../../engine/notation/json/adjudicate-record.js';
import { ruleSetByName } from '../../../engine/notation/text/rule-set.js';
import { presetNames } from '../../../engine/rules/rule-text.js';

type Lists = Readonly<Record<string, readonly string[]>>;

const play = (rules: string, units: Lists, orders: Lists, more: object = {}) =>
  adjudicateRecord({ phase: 'S1901M', units, centers: {}, orders, ...more }, standard, ruleSetByName(rules));

/** Order, result and reason of each order and of each unit without one. */
const rowsOf = ({ orders }: ReturnType<typeof play>): readonly (readonly (string | null)[])[] =>
  orders.map(({ order, result, reason }) => [order, result, reason]);

// ---- a convoy that no fleet could give ----

const via = suite('by a convoy that no fleet could give');

/** Rulebooks that go by land where no route is ordered, and those that do not heed the words at all. */
const BY_LAND = ['datc-2.4', '1971', '1982', '2000', '2023', 'strict-2003'];

for (const preset of presetNames) {
  const byLand = BY_LAND.includes(preset);
  via(`${preset}: an army ${byLand ? 'goes to an adjacent province by land' : 'stays'}`, () => {
    const inland = play(preset, { FRANCE: ['A MAR'] }, { FRANCE: ['A MAR - BUR VIA'] });
    assert.equal(rowsOf(inland), [
      byLand
        ? ['A MAR - BUR', 'succeeds', null]
        : ['A MAR - BUR VIA', 'illegal', 'no chain of fleets can take A MAR to BUR'],
    ]);
    assert.equal(inland.units.FRANCE, [byLand ? 'A BUR' : 'A MAR']);

    // Two coasts, and a fleet that is not between them.
    const coastal = { FRANCE: ['A BEL'], ENGLAND: ['F HEL'] };
    const sailed = play(preset, coastal, { FRANCE: ['A BEL - HOL VIA'], ENGLAND: ['F HEL H'] });
    assert.equal([sailed.units.FRANCE, sailed.units.ENGLAND], [[byLand ? 'A HOL' : 'A BEL'], ['F HEL']]);
    assert.is(sailed.orders[0].result, byLand ? 'succeeds' : 'illegal');
  });

  via(`${preset}: it is a move over land for its supports and for the unit that it meets`, () => {
    const units = { FRANCE: ['A MAR', 'A PAR'], GERMANY: ['A BUR'] };
    const given = { FRANCE: ['A MAR - BUR VIA', 'A PAR S A MAR - BUR'] };
    const taken = play(preset, units, { ...given, GERMANY: ['A BUR - MAR'] });
    const moves = taken.orders.map(({ result }) => result);
    if (byLand) {
      assert.equal(moves, ['succeeds', 'given', 'fails']);
      assert.equal(taken.dislodged, { 'A BUR': 'MAR' });
    } else {
      // Where an impossible move refuses support in place (4.E.1), what is given to it matches.
      assert.equal(moves, ['illegal', preset === 'dptg' ? 'given' : 'invalid', 'fails']);
      assert.equal(taken.dislodged, {});
    }
    const met = play(preset, units, { FRANCE: ['A MAR - BUR VIA'], GERMANY: ['A BUR - MAR'] });
    assert.equal(
      met.orders.map(({ result }) => result),
      [byLand ? 'fails' : 'illegal', 'fails', 'stands'],
    );
    assert.equal(met.dislodged, {});
  });

  via(`${preset}: there is no way to a province that is not adjacent`, () => {
    const far = play(preset, { FRANCE: ['A PAR'] }, { FRANCE: ['A PAR - LON VIA'] });
    assert.equal(rowsOf(far), [['A PAR - LON VIA', 'illegal', 'no chain of fleets can take A PAR to LON']]);
  });
}

via('each option that heeds no convoy, or falls back from it, goes by land on its own', () => {
  const under = (rules: string): string =>
    play(rules, { FRANCE: ['A MAR'] }, { FRANCE: ['A MAR - BUR VIA'] }).orders[0].result;
  for (const option of ['convoyFallback=unordered', 'convoyFallback=broken'])
    assert.is(under(`datc-3.2,${option}`), 'succeeds', option);
  for (const way of ['always', 'opposite', 'oppositeIntact', 'landFirst'])
    assert.is(under(`datc-3.2,adjacentConvoy=${way}`), 'succeeds', way);
  assert.is(under('2000,adjacentConvoy=written'), 'illegal');
  assert.is(under('2000,convoyFallback=none'), 'illegal');
});

// ---- refused alone, or with the whole set ----

const refused = suite('refused by the system');

refused('an impossible move is refused alone: its unit is supported in place, and the others keep their orders', () => {
  const units = { RUSSIA: ['A MOS', 'A UKR', 'A SEV'], GERMANY: ['A WAR', 'A LVN'] };
  const attack = { GERMANY: ['A WAR - MOS', 'A LVN S A WAR - MOS'] };
  const held = play('strict-2003', units, { RUSSIA: ['A MOS - MUN', 'A UKR S A MOS', 'A SEV - RUM'], ...attack });
  assert.equal(rowsOf(held), [
    ['A MOS - MUN', 'illegal', 'A MOS does not border MUN'],
    ['A UKR S A MOS', 'given', null],
    ['A SEV - RUM', 'succeeds', null],
    ['A WAR - MOS', 'fails', held.orders[3].reason],
    ['A LVN S A WAR - MOS', 'given', null],
  ]);
  assert.equal(held.dislodged, {});
});

refused('so is whatever else is wrong about an order for an own unit, and what cannot be read', () => {
  const units = { FRANCE: ['A PAR', 'F SPA/SC', 'A MAR'], ENGLAND: ['F LON'] };
  for (const wrong of [
    'F SPA/NC - WES',
    'A SPA - POR',
    'PAR H',
    'A PAR - LON',
    'A PAR C A MAR - SPA',
    'A PAR -- ???',
  ]) {
    const { orders } = play('strict-2003', units, { FRANCE: ['A MAR - PIE', wrong] });
    assert.is(orders[0].result, 'succeeds', wrong);
    assert.is(orders[1].result, 'illegal', wrong);
  }
});

refused('the set is refused for an order that was not asked for', () => {
  const units = { FRANCE: ['A PAR', 'A MAR'], ENGLAND: ['F LON'] };
  for (const [extra, reason] of [
    ['F LON - ENG', 'F LON belongs to ENGLAND'],
    ['F BRE - ENG', 'no unit in BRE'],
    ['A MAR - GAS', 'the whole set is refused'],
  ]) {
    const { orders } = play('strict-2003', units, {
      FRANCE: ['A MAR - PIE', 'A PAR - BUR', extra],
      ENGLAND: ['F LON - WAL'],
    });
    assert.equal(
      orders.map(({ result }) => result),
      ['illegal', 'illegal', 'illegal', 'succeeds'],
      extra,
    );
    assert.equal([orders[0].reason, orders[2].reason], ['the whole set is refused', reason]);
  }
});

const adjust = (units: Lists, centers: Lists, orders: Lists) =>
  play('strict-2003', units, orders, { phase: 'W1901A', centers });

refused('one build or removal too many refuses the set, an impossible one is refused alone', () => {
  const france = { FRANCE: ['PAR', 'BRE', 'MAR'] };
  const many = adjust({ FRANCE: ['A BUR'] }, france, { FRANCE: ['A PAR B', 'F BRE B', 'A MAR B'] });
  assert.equal(many.built, []);
  const twice = adjust({ FRANCE: ['A BUR'] }, france, { FRANCE: ['F BRE B', 'A BRE B'] });
  assert.equal(twice.built, []);
  const inland = adjust({ FRANCE: ['A BUR'] }, france, { FRANCE: ['F PAR B', 'F BRE B'] });
  assert.equal(inland.built, ['F BRE']);
  const italy = { ITALY: ['ROM', 'NAP'] };
  const removed = adjust({ ITALY: ['A ROM', 'A BUR', 'A NAP'] }, italy, { ITALY: ['A ROM D', 'A NAP D'] });
  assert.equal(removed.disbanded, ['A BUR']);
});

refused('an order for a unit that was not dislodged refuses the set of retreats', () => {
  const units = { GERMANY: ['A BUR', 'A MUN'], FRANCE: ['A GAS'] };
  const more = { phase: 'S1901R', retreats: { FRANCE: { 'A BUR': ['PAR', 'MAR'] } } };
  const alone = play('strict-2003', units, { FRANCE: ['A BUR - PIC'] }, more);
  assert.equal(alone.disbanded, ['A BUR']);
  const set = play('strict-2003', units, { FRANCE: ['A BUR - PAR', 'A GAS - SPA'] }, more);
  assert.equal(set.orders.map(({ result, reason }) => [result, reason]).slice(0, 2), [
    ['illegal', 'the whole set is refused'],
    ['illegal', 'A GAS was not dislodged'],
  ]);
});

via('a convoy that was ordered in part names the fleets that it lacks', () => {
  const reasonOf = (units: Lists, orders: readonly string[], more: Lists = {}): string | null =>
    play('datc-3.2', units, { ENGLAND: orders, ...more }).orders[0].reason;
  const units = { ENGLAND: ['A YOR', 'F NTH', 'F ENG'] };
  for (const move of ['A YOR - WAL', 'A YOR - WAL VIA']) {
    const lacking = 'convoy incomplete: F ENG was not ordered to convoy';
    assert.is(reasonOf(units, [move, 'F NTH C A YOR - WAL']), lacking);
    assert.is(reasonOf(units, [move, 'F NTH C A YOR - WAL', 'F ENG C A YOR - BEL']), lacking);
    assert.is(reasonOf(units, [move, 'F NTH C A YOR - WAL', 'F ENG C A YOR - WAL']), null);
  }
  assert.is(reasonOf(units, ['A YOR - WAL VIA']), 'no convoy was ordered');
  const far = { ENGLAND: ['A YOR', 'F NTH'], FRANCE: ['F ENG', 'F IRI'] };
  assert.is(
    reasonOf(far, ['A YOR - LVP VIA', 'F NTH C A YOR - LVP']),
    'convoy incomplete: F ENG and F IRI were not ordered to convoy',
  );
  assert.is(
    reasonOf(far, ['A YOR - LVP VIA'], { FRANCE: ['F IRI C A YOR - LVP', 'F ENG H'] }),
    'convoy incomplete: F NTH and F ENG were not ordered to convoy',
  );
  // Of two routes the one that lacks fewer fleets.
  const two = { ENGLAND: ['A NAP', 'F TYS', 'F LYO', 'F WES'] };
  assert.is(
    reasonOf(two, ['A NAP - SPA VIA', 'F WES C A NAP - SPA']),
    'convoy incomplete: F TYS was not ordered to convoy',
  );
});

via.run();
refused.run();
