// Tests the exact best replies (selfplay/agents/exact-response.ts) against all combinations of legal orders.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { orders, parsePosition } from '../../../bindings/notation/json/position.js';
import {
  COAST,
  DATC_3_2,
  type Game,
  isLegal,
  legalByPower,
  loadMap,
  newGame,
  ordererOf,
  Random,
  SEA,
} from '../../../engine/internal.js';
import { exactResponse, valuesOfOrders } from '../../../selfplay/agents/exact-response.js';

const map = loadMap('france-austria');
const [AUSTRIA, FRANCE] = [0, 1];

/** Where five units meet: inland, at a peninsula, at a channel with convoys, at provinces with coasts. */
const regions = [
  'PAR BUR MAR GAS PIC BEL MUN RUH',
  'ROM VEN TUS APU NAP ADR ION TYS PIE',
  'ENG LON BRE PIC NTH BEL WAL MAO',
  'CON BUL GRE AEG BLA ANK SMY RUM',
].map((tags) => tags.split(' '));

const drawPosition = (random: Random, region: readonly string[]): Game => {
  const left = [...region];
  const units: Record<string, string[]> = { AUSTRIA: [], FRANCE: [] };
  for (let i = 0; i < 5; i++) {
    const [tag] = left.splice(random.below(left.length), 1);
    const province = map.provinceTags.indexOf(tag);
    const isFleet = map.kind[province] === SEA || (map.kind[province] === COAST && random.below(2) === 1);
    const coasts = isFleet && map.coastCount[province] > 0;
    units[i % 2 === 0 ? 'AUSTRIA' : 'FRANCE'].push(
      `${isFleet ? 'F' : 'A'} ${coasts ? map.locationTags[map.firstCoast[province]] : tag}`,
    );
  }
  const phase = random.below(2) === 0 ? 'S1902M' : 'F1902M';
  return parsePosition({ phase, units, centers: { AUSTRIA: ['VIE'], FRANCE: ['PAR', 'MAR'] } }, map, DATC_3_2).game;
};

/** All combinations of one order from each list. */
const product = (lists: readonly Int32Array[]): Int32Array[] =>
  lists.reduce<Int32Array[]>(
    (sets, list) => sets.flatMap((set) => Array.from(list, (order) => Int32Array.of(...set, order))),
    [new Int32Array(0)],
  );

const exact = suite('exact best replies');

exact('the best of all legal order sets, and no set is tried that changes nothing', () => {
  let all = 0;
  let tried = 0;
  for (let seed = 1; seed <= 80; seed++) {
    const random = new Random(seed);
    const game = drawPosition(random, regions[seed % regions.length]);
    const power = random.below(2);
    const others = legalByPower(game, 1 - power);
    const draw = (): Int32Array => Int32Array.from(others, (list) => list[random.below(list.length)]);
    const samples = Array.from({ length: 1 + random.below(3) }, draw);
    const sets = product(legalByPower(game, power));
    const found = exactResponse(game, power, samples, 1e6, 1);
    const values = valuesOfOrders(game, power, sets, samples);
    const best = values.reduce((a, b) => Math.max(a, b));
    assert.ok(Math.abs(found.value - best) < 1e-12, `seed ${seed}: got ${found.value}, wanted ${best}`);
    assert.is(found.isExact, true);
    assert.ok([...found.orders].every((order) => isLegal(game, order) && ordererOf(game, order) === power));
    const [again] = valuesOfOrders(game, power, [found.orders], samples);
    assert.is(again, found.value);
    all += sets.length;
    tried += found.tried;
  }
  assert.ok(tried < all / 4, `${tried} of ${all}`);
});

exact('a prize behind a wall: the supported attack that one sample lets through, the other not', () => {
  const units = { AUSTRIA: ['A MUN'], FRANCE: ['A BUR', 'A RUH'] };
  const { game } = parsePosition(
    { phase: 'F1902M', units, centers: { AUSTRIA: ['MUN'], FRANCE: ['PAR'] } },
    map,
    DATC_3_2,
  );
  const given = (text: string): Int32Array => orders(game, { AUSTRIA: [text] });
  const attacks = ['A BUR - MUN, A RUH S A BUR - MUN', 'A BUR S A RUH - MUN, A RUH - MUN'].map((text) =>
    orders(game, { FRANCE: text.split(', ') })
      .slice()
      .sort()
      .join(),
  );
  const alone = exactResponse(game, FRANCE, [given('A MUN H')], 1000, 1);
  assert.ok(attacks.includes(alone.orders.join()));
  // Once in four it walks out to Burgundy, whoever leaves that: samples count by how often they are drawn.
  const often = [given('A MUN H'), given('A MUN - KIE'), given('A MUN H'), given('A MUN H')];
  const mixed = exactResponse(game, FRANCE, often, 1000, 1);
  const values = often.map((sample) => valuesOfOrders(game, FRANCE, [mixed.orders], [sample])[0]);
  assert.ok(Math.abs(mixed.value - values.reduce((sum, x) => sum + x, 0) / 4) < 1e-12);
});

exact('with more sets than may be tried: a lower bound, the same for the same seed', () => {
  const game = newGame(map, DATC_3_2);
  const samples = [new Int32Array(0)];
  const whole = exactResponse(game, AUSTRIA, samples, 144, 1);
  // Five moves or none of each army, three or none of the fleet; nobody is near enough for supports.
  assert.equal([whole.tried, whole.isExact], [144, true]);
  const part = exactResponse(game, AUSTRIA, samples, 20, 7);
  assert.equal([part.tried, part.isExact], [20, false]);
  assert.ok(part.value <= whole.value);
  assert.equal(exactResponse(game, AUSTRIA, samples, 20, 7), part);
  const [drawn] = valuesOfOrders(game, AUSTRIA, [part.orders], samples);
  assert.is(drawn, part.value);
  const [holds] = valuesOfOrders(game, AUSTRIA, [new Int32Array(0)], samples);
  assert.ok(part.value > holds);
});

exact('a power without units has one set, and nothing to order', () => {
  const { game } = parsePosition({ phase: 'S1902M', units: { FRANCE: ['A PAR'] }, centers: {} }, map, DATC_3_2);
  const found = exactResponse(game, AUSTRIA, [new Int32Array(0)], 10, 1);
  assert.equal([found.orders.length, found.tried, found.isExact], [0, 1, true]);
});

exact.run();
