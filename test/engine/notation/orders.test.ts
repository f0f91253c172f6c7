// Tests orders() and outcomes() around adjudicate(): text in, text out.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  adjudicate,
  type Game,
  isLegal,
  legalByPower,
  loadMap,
  mapNames,
  newGame,
  PLAYING,
  phaseName,
  Random,
  resetGame,
  rulesByName,
  standard,
} from '../../../engine/internal.js';
import { adjudicateRecord } from '../../../engine/notation/json/adjudicate-record.js';
import { legalRecord } from '../../../engine/notation/json/legal-record.js';
import { outcomes } from '../../../engine/notation/json/outcomes.js';
import { formatPosition, orders, parsePosition, type RefusedOrder } from '../../../engine/notation/json/position.js';
import { orderText, ruleSetByName } from '../../../engine/notation/text/index.js';
import { hasCode } from '../../../engine/rules/error.js';
import { errorOf } from '../../tools/errors.js';

const text = suite('orders as text');

const shown = (game: Game, results: Parameters<typeof outcomes>[1]): string[] =>
  outcomes(game, results).map(({ power, order, result, fate, reason }) =>
    [power, order, result, fate, reason].filter((part) => part !== null).join('; '),
  );

text('three lines adjudicate a phase', () => {
  const game = newGame();
  const results = adjudicate(game, orders(game, { FRANCE: ['A PAR - BUR', 'mar s par-bur'], germany: ['Mun - Bur'] }));
  assert.equal(
    shown(game, results).filter((line) => /^(FRANCE|GERMANY)/.test(line)),
    [
      'FRANCE; F BRE H; stands',
      'FRANCE; A MAR S A PAR - BUR; given',
      'FRANCE; A PAR - BUR; succeeds',
      'GERMANY; A BER H; stands',
      'GERMANY; F KIE H; stands',
      'GERMANY; A MUN - BUR; fails; bounced with A PAR',
    ],
  );
  assert.is(phaseName(game), 'F1901M');
  assert.is(outcomes(game, results).length, 22);
});

text('retreats and adjustments are read and told in the same way', () => {
  const { game } = parsePosition(
    {
      phase: 'F1901M',
      units: { AUSTRIA: ['A TYR', 'F TRI'], ITALY: ['A VEN', 'F ADR'] },
      centers: { AUSTRIA: ['TRI', 'BUD', 'VIE'], ITALY: ['VEN', 'ROM', 'NAP'] },
    },
    standard,
    rulesByName('datc-3.2'),
  );
  const moves = adjudicate(game, orders(game, { ITALY: ['A VEN - TRI', 'F ADR S A VEN - TRI'] }));
  assert.equal(shown(game, moves), [
    'AUSTRIA; F TRI H; stands; dislodged',
    'AUSTRIA; A TYR H; stands',
    'ITALY; F ADR S A VEN - TRI; given',
    'ITALY; A VEN - TRI; succeeds',
  ]);
  assert.is(phaseName(game), 'F1901R');
  const retreats = adjudicate(game, orders(game, { AUSTRIA: ['F TRI R ALB'] }));
  assert.equal(shown(game, retreats), ['AUSTRIA; F TRI R ALB; succeeds']);
  assert.is(phaseName(game), 'W1901A');
  const builds = adjudicate(game, orders(game, { ITALY: ['A ROM B', 'F NAP B', 'A VEN B', 'WAIVE'] }, []));
  assert.equal(shown(game, builds), ['ITALY; F NAP B; succeeds', 'ITALY; A ROM B; succeeds']);
  assert.is(phaseName(game), 'S1902M');
});

text('an order that cannot be read or obeyed is refused by name, or collected', () => {
  const game = newGame();
  const refusal = (byPower: Record<string, string[]>): string => errorOf(() => orders(game, byPower));
  assert.is(
    refusal({ FRANCE: ['A PAR - LON'] }),
    'orders of FRANCE: got "A PAR - LON" (A PAR does not border LON), wanted orders that can be obeyed',
  );
  assert.match(refusal({ FRANCE: ['A PAR - BUR', 'A PAR H'] }), /"A PAR H" \(already ordered\)/);
  assert.match(refusal({ FRANCE: ['whatever'] }), /^orders of FRANCE: got "whatever" \(got "whatever", wanted/);
  assert.match(refusal({ ENGLAND: ['A PAR - BUR'] }), /A PAR belongs to FRANCE/);
  const refused: RefusedOrder[] = [];
  const packed = orders(game, { ENGLAND: ['A PAR - BUR'], FRANCE: ['A PAR - BUR', 'A PAR'] }, refused);
  assert.equal(
    Array.from(packed, (order) => orderText(game, order)),
    ['A PAR - BUR'],
  );
  assert.equal(refused, [
    { power: 'ENGLAND', text: 'A PAR - BUR', reason: 'A PAR belongs to FRANCE' },
    { power: 'FRANCE', text: 'A PAR', reason: refused[1].reason },
  ]);
  assert.match(refused[1].reason, /^got "A PAR"|wanted/);
  // What is no list of orders by power is an error of the program, and never collected.
  for (const wrong of [{ FRANKREICH: [] }, { FRANCE: 'A PAR H' }, { FRANCE: [1] }, []])
    assert.throws(
      () => orders(game, wrong as unknown as Record<string, string[]>, []),
      (error: Error) => hasCode(error, 'record') && /got .*wanted/.test(error.message),
    );
});

text('an order that some rules take as a hold or as a move that fails counts as they say', () => {
  const refused: RefusedOrder[] = [];
  const { adjudication, reading } = ruleSetByName('dptg');
  const game = newGame(standard, adjudication);
  const packed = orders(game, { GERMANY: ['A BER - PAR', 'A MUN S A BER'] }, refused, reading);
  assert.is(refused.length, 1);
  const results = adjudicate(game, packed);
  assert.ok(shown(game, results).includes('GERMANY; A MUN S A BER; invalid; order was A BER - PAR VIA'));
});

text('of two orders for a unit the one counts that the reading says', () => {
  const game = newGame();
  const taken = (name: string): string[] => {
    const packed = orders(game, { FRANCE: ['A PAR - BUR', 'A PAR - PIC'] }, [], ruleSetByName(name).reading);
    return Array.from(packed, (order) => orderText(game, order));
  };
  assert.equal(taken('datc-3.2'), ['A PAR - BUR']);
  assert.equal(taken('twoOrders=last'), ['A PAR - PIC']);
  assert.equal(taken('datc-2.4'), []);
});

for (const name of mapNames)
  text(`random games on ${name}: orders come back as they were, and records in step with the engine`, () => {
    const map = loadMap(name);
    const game = newGame(map);
    const random = new Random(17);
    let told = 0;
    let texts = 0;
    for (let step = 0; step < 200; step++) {
      if (game.status !== PLAYING) resetGame(game);
      const before = formatPosition(game);
      const byPower: Record<string, string[]> = {};
      map.powerNames.forEach((power, q) => {
        const lists = legalByPower(game, q);
        for (const legal of step < 40 ? lists : [])
          for (let i = 0; i < legal.length; i += 1 + random.below(8)) {
            const one = orderText(game, legal[i]);
            assert.equal(Array.from(orders(game, { [power]: [one] })), [legal[i]], one);
            texts++;
          }
        const due = game.phase === 2 ? lists.slice(0, 1) : lists;
        // Some get no order.
        const ordered = due.filter(() => random.below(8) > 0);
        byPower[power] = ordered.map((legal) => orderText(game, legal[random.below(legal.length)]));
      });
      const packed = orders(game, byPower);
      assert.equal(
        Array.from(packed, (order) => orderText(game, order)),
        Object.values(byPower).flat(),
      );
      for (const order of packed) assert.ok(isLegal(game, order));
      assert.equal(Object.keys(legalRecord(before, map).orders).length, map.powerCount);
      const record = adjudicateRecord({ ...before, id: step, orders: byPower }, map);
      assert.is(record.id, step);
      assert.not(record.orders.some(({ result }) => result === 'illegal'));
      const entries = outcomes(game, adjudicate(game, packed));
      const keyOf = (entry: { power: string; unit: string | null }): string => `${entry.power} ${entry.unit}`;
      const ours = new Map(entries.map((entry) => [keyOf(entry), entry]));
      for (const entry of record.orders) {
        if (entry.unit === null || entry.order === null) continue;
        assert.equal(ours.get(keyOf(entry)), entry);
        told++;
      }
      assert.equal(formatPosition(game), { ...before, ...pick(record) });
    }
    assert.ok(told > 200 && texts > 500, `${told} results, ${texts} texts`);
  });

const pick = (record: ReturnType<typeof adjudicateRecord>): object => ({
  phase: record.next_phase,
  units: record.units,
  centers: record.centers,
  retreats: record.retreats,
});

text.run();
