// Tests orders by clicks: what each click leads to, and how many legal orders of played games need more than clicks.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type CheckedOrders, checkOrders, troublesIn } from '../../../bindings/web/orders/check-orders.js';
import {
  type Choice,
  type Click,
  clickAt,
  dragTo,
  nextTargets,
  type Orderable,
  ordersLeft,
  partsOf,
  province,
} from '../../../bindings/web/orders/order-clicks.js';
import { orderablesIn, type Placed } from '../../../bindings/web/orders/written-position.js';
import { type CompiledMap, Game, loadMap, newGame, standard } from '../../../engine/internal.js';
import { formatPosition } from '../../../engine/notation/json/position.js';
import { ruleSetByName } from '../../../engine/notation/text/index.js';
import { parseAgent } from '../../../selfplay/agents/registry.js';
import { loadState } from '../../../selfplay/games/game-record.js';
import { playGame } from '../../../selfplay/games/play.js';

const clicks = suite('clicks');
const rules = ruleSetByName('datc-3.2').adjudication;

/** Clicks on places, 'S:MUN' with the key for support, 'C:YOR' with that for convoy. */
const clickAll = (all: readonly Orderable[], places: readonly string[]): Click => {
  let choice: Choice | null = null;
  let last: Click = { kind: 'cancel' };
  const written = new Map<string, string>();
  for (const each of places) {
    const [key, place] = each.includes(':') ? each.split(':') : [null, each];
    if (choice !== null && key !== null) choice = { ...choice, help: key as 'S' | 'C' };
    last = clickAt(all, choice, place, (home) => written.get(home) ?? null);
    choice = last.kind === 'choice' || last.kind === 'order' ? last.choice : null;
    if (last.kind === 'clear') written.delete(last.home);
    if (last.kind === 'order') written.set(choice?.home ?? '', last.order);
  }
  return last;
};

/** The order that some clicks give; otherwise what they lead to: '(choice)'. */
const orderOf = (all: readonly Orderable[], places: readonly string[]): string => {
  const click = clickAll(all, places);
  return click.kind === 'order' ? click.order : `(${click.kind})`;
};

const own = (phase: string, units: Placed['units'], power: string, more: Partial<Placed> = {}): Orderable[] =>
  orderablesIn({ ...{ phase, units, centers: {}, retreats: {} }, ...more }, standard, rules).filter(
    (one) => one.power === power,
  );

interface Ways {
  readonly phase: string;
  readonly power: string;
  readonly units: Placed['units'];
  readonly more?: Partial<Placed>;
  /** Orders by the clicks that give them. */
  readonly orders: Readonly<Record<string, string>>;
}

const WAYS: Readonly<Record<string, Ways>> = {
  'the second click moves, and a third one makes a support of it': {
    phase: 'S1902M',
    power: 'FRANCE',
    units: { FRANCE: ['A BUR', 'A PAR', 'F MAO'], GERMANY: ['A MUN'] },
    orders: {
      'BUR MUN': 'A BUR - MUN',
      'BUR MUN MUN': 'A BUR S A MUN',
      'BUR MUN MUN MUN': 'A BUR - MUN',
      'BUR MUN RUH': 'A BUR S A MUN - RUH',
      'BUR S:MUN MUN': 'A BUR S A MUN',
      'BUR BUR': 'A BUR H',
      'MAO BUR': '(choice)',
      'PAR MUN': '(choice)',
      'PAR MUN BUR': 'A PAR S A MUN - BUR',
    },
  },
  'no click dies: another unit is chosen wherever the clicks before led': {
    phase: 'S1902M',
    power: 'ITALY',
    units: { ITALY: ['A PIE', 'F LYO', 'A ROM', 'A VEN'], FRANCE: ['A BUR'] },
    orders: {
      'LYO PIE': 'F LYO - PIE',
      'LYO PIE MAR': 'F LYO S A PIE - MAR',
      'LYO PIE C:MAR': 'F LYO C A PIE - MAR',
      'LYO PIE ROM TUS': 'A ROM - TUS',
      'PIE ROM VEN': 'A PIE S A ROM - VEN',
      'PIE ROM LYO TYS': 'F LYO - TYS',
      NWY: '(nothing)',
      'ROM NWY': '(nothing)',
    },
  },
  'a neighbour is reached by land first, and then by a convoy': {
    phase: 'S1902M',
    power: 'FRANCE',
    units: { FRANCE: ['A SPA', 'F MAO'] },
    orders: { 'SPA POR': 'A SPA - POR', 'SPA POR POR': 'A SPA - POR VIA' },
  },
  'a coast is chosen by its label, or by more clicks': {
    phase: 'S1902M',
    power: 'FRANCE',
    units: { FRANCE: ['F MAO'] },
    orders: {
      'MAO SPA': '(choice)',
      'MAO SPA SPA/SC': 'F MAO - SPA/SC',
      'MAO SPA/NC': 'F MAO - SPA/NC',
      'MAO SPA SPA SPA': 'F MAO - SPA/SC',
    },
  },
  'builds go by clicks on their provinces, and are taken back by one more': {
    phase: 'W1901A',
    power: 'RUSSIA',
    units: {},
    more: { centers: { RUSSIA: ['MOS', 'STP'] } },
    orders: {
      STP: 'A STP B',
      'STP STP': 'F STP/NC B',
      'STP STP STP': 'F STP/SC B',
      'STP/SC': 'F STP/SC B',
      'STP STP STP STP': '(clear)',
      'STP MOS': 'A MOS B',
    },
  },
  'removals go by clicks on their provinces, and are taken back by one more': {
    phase: 'W1901A',
    power: 'ITALY',
    units: { ITALY: ['A ROM', 'A VEN'] },
    more: { centers: { ITALY: ['ROM'] } },
    orders: { VEN: 'A VEN D', 'VEN VEN': '(clear)' },
  },
  'retreats go by clicks on their provinces': {
    phase: 'S1901R',
    power: 'ITALY',
    units: { AUSTRIA: ['A VEN', 'A PIE'] },
    more: { retreats: { ITALY: { 'A VEN': ['TUS', 'APU'], 'A PIE': [] } } },
    orders: { 'VEN TUS': 'A VEN R TUS', 'VEN VEN': 'A VEN D', PIE: 'A PIE D' },
  },
};

for (const [title, { phase, power, units, more, orders }] of Object.entries(WAYS))
  clicks(title, () => {
    const all = own(phase, units, power, more);
    for (const [way, order] of Object.entries(orders)) assert.is(orderOf(all, way.split(' ')), order, way);
  });

clicks('a stop of the railroad is reached by its name', () => {
  const map = loadMap('colonial,tsr,suez');
  const all = orderablesIn(formatPosition(newGame(map, rules)), map, rules).filter(({ power }) => power === 'RUSSIA');
  for (const [way, order] of Object.entries({
    'MOS IRK': 'A MOS - TSR - IRK',
    'MOS VLA': 'A MOS - TSR - VLA',
    'MOS PRM': 'A MOS - PRM',
    'MOS PRM PRM': 'A MOS - TSR - PRM',
    'MOS S:VLA PRM': 'A MOS S A VLA - PRM',
  }))
    assert.is(orderOf(all, way.split(' ')), order, way);
});

clicks('a choice lights up its targets and the units that it can help, and lists the orders that are left', () => {
  const choose = (all: readonly Orderable[], ...places: string[]): Choice =>
    (clickAll(all, places) as { choice: Choice }).choice;
  const french = own('S1902M', { FRANCE: ['A BUR', 'A PAR', 'F MAO'], GERMANY: ['A MUN'] }, 'FRANCE');
  const { moves, helps } = nextTargets(choose(french, 'PAR'));
  assert.equal([...moves].sort(), ['BRE', 'BUR', 'GAS', 'PIC']);
  assert.ok(helps.has('MUN') && !helps.has('BUR'));
  // A unit that cannot be entered is helped: its own target comes next.
  assert.equal([...nextTargets(choose(french, 'PAR', 'MUN')).moves], ['BUR']);
  const italian = own('S1902M', { ITALY: ['A PIE', 'F LYO', 'A ROM', 'A VEN'], FRANCE: ['A BUR'] }, 'ITALY');
  assert.is(choose(italian, 'LYO', 'PIE', 'MAR', 'ROM').name, 'A ROM');
  const left = ordersLeft(choose(own('S1902M', { FRANCE: ['A SPA', 'F MAO'] }, 'FRANCE'), 'SPA', 'POR'));
  assert.equal(left.slice(0, 2), ['A SPA - POR', 'A SPA - POR VIA']);
});

clicks('dragging moves, whatever stands there', () => {
  const french = own('S1902M', { FRANCE: ['A BUR', 'A PAR', 'F MAO'], GERMANY: ['A MUN'] }, 'FRANCE');
  for (const [from, to, order] of [
    ['BUR', 'MUN', 'A BUR - MUN'],
    ['PAR', 'BUR', 'A PAR - BUR'],
    ['PAR', 'MUN', 'nothing'],
    ['MAO', 'SPA', 'choice'],
    ['MAO', 'SPA/NC', 'F MAO - SPA/NC'],
  ]) {
    const click = dragTo(french, from, to);
    assert.is(click.kind === 'order' ? click.order : click.kind, order);
  }
});

clicks('what is wrong with orders is told before the phase is played', () => {
  const check = (placed: Partial<Placed>, orders: Record<string, string[]>, power: string): CheckedOrders => {
    const whole = { phase: 'S1901M', units: {}, centers: {}, retreats: {}, ...placed };
    const open = orderablesIn(whole, standard, rules).filter((one) => one.power === power);
    return checkOrders(whole, orders, open, standard, ruleSetByName('datc-3.2'));
  };
  const units = { ENGLAND: ['F LON', 'F NTH', 'A LVP'], FRANCE: ['A PAR'] };
  const spring = check({ units }, { ENGLAND: ['F LON - MUN', 'F NTH S A NWY - SWE', 'nonsense'] }, 'ENGLAND');
  assert.equal(troublesIn(spring), [
    'F LON - MUN: a fleet cannot enter MUN',
    'F NTH S A NWY - SWE: no unit in NWY to support',
    'nonsense: got "nonsense", wanted an order',
    'no order for A LVP',
  ]);
  const winter = { phase: 'W1901A', units: { FRANCE: ['A SPA', 'A POR'] }, centers: { FRANCE: ['PAR', 'BRE', 'SPA'] } };
  const told = (orders: string[], more: object = {}): string[] =>
    troublesIn(check({ ...winter, ...more }, { FRANCE: orders }, 'FRANCE'));
  assert.equal(told(['A PAR B', 'F BRE B']), ['F BRE B: no build left']);
  assert.equal(told([]), ['1 build not used']);
  assert.equal([told(['WAIVE']), told(['A PAR B'])], [[], []]);
  const removing = { centers: { FRANCE: [] }, units: { FRANCE: ['A SPA', 'A POR'] } };
  assert.equal(told(['A SPA D'], removing), ['1 removal missing']);
  assert.equal(told(['A SPA D', 'A POR D'], removing), []);
});

/** Clicks that should give an order. */
const wayTo = (name: string, order: string): string[] => {
  const { kind, helped, goal } = partsOf(order);
  const home = province(name.split(' ').at(-1) ?? '');
  if (kind === 'H') return [home, home];
  if (helped === null) return [home, goal ?? home];
  return [home, `${kind}:${helped}`, goal === null ? helped : goal];
};

clicks('clicks give every legal order of played games: none needs a button', async () => {
  let [phases, attacks, bySecond, all, given] = [0, 0, 0, 0, 0];
  const missed: string[] = [];
  const maps = [...Array(5).fill([standard, 1909]), [loadMap('colonial,tsr,suez'), 1874]] as [CompiledMap, number][];
  for (const [seed, [map, until]] of maps.entries()) {
    const agents = map.powerNames.map(() => parseAgent('dumbbot'));
    const record = await playGame({ agents, until, seed, map });
    const game = new Game(map, rules);
    for (const { state } of record.phases) {
      loadState(game, state);
      const placed = formatPosition(game);
      if (!placed.phase.endsWith('M')) continue;
      phases++;
      const occupied = new Set(
        Object.values(placed.units).flatMap((list) => list.map((unit) => province(unit.slice(2)))),
      );
      for (const power of map.powerNames) {
        const mine = orderablesIn(placed, map, rules).filter((one) => one.power === power);
        for (const { name, orders } of mine)
          for (const order of orders) {
            const way = wayTo(name, order);
            const { kind, goal } = partsOf(order);
            const isAttack = kind === '-' && occupied.has(province(goal ?? ''));
            attacks += Number(isAttack);
            all++;
            let got = orderOf(mine, way);
            bySecond += Number(isAttack && got === order);
            for (let more = 0; more < 3 && got !== order; more++)
              got = orderOf(mine, [...way, ...Array(more + 1).fill(way.at(-1))]);
            if (got === order) given++;
            else missed.push(`${way.join(' ')}: ${got}, wanted ${order}`);
          }
      }
    }
  }
  assert.ok(phases >= 100, String(phases));
  assert.equal(missed.slice(0, 10), []);
  assert.is(given, all);
  // The others are by convoy or rail to where the unit may also walk: they take more clicks on the same province.
  assert.ok(attacks > 5000 && bySecond >= 0.94 * attacks, `${bySecond} of ${attacks} attacks, ${all} orders`);
});

clicks.run();
