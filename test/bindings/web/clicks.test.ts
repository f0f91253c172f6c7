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

const orderOf = (all: readonly Orderable[], ...places: string[]): string | null => {
  const click = clickAll(all, places);
  return click.kind === 'order' ? click.order : null;
};

const own = (phase: string, units: Placed['units'], power: string, more: Partial<Placed> = {}): Orderable[] =>
  orderablesIn({ ...{ phase, units, centers: {}, retreats: {} }, ...more }, standard, rules).filter(
    (one) => one.power === power,
  );

clicks('the second click moves, and a third one makes a support of it', () => {
  const german = own('S1902M', { FRANCE: ['A BUR', 'A PAR', 'F MAO'], GERMANY: ['A MUN'] }, 'FRANCE');
  assert.is(orderOf(german, 'BUR', 'MUN'), 'A BUR - MUN');
  assert.is(orderOf(german, 'BUR', 'MUN', 'MUN'), 'A BUR S A MUN');
  assert.is(orderOf(german, 'BUR', 'MUN', 'MUN', 'MUN'), 'A BUR - MUN');
  assert.is(orderOf(german, 'BUR', 'MUN', 'RUH'), 'A BUR S A MUN - RUH');
  assert.is(orderOf(german, 'BUR', 'S:MUN', 'MUN'), 'A BUR S A MUN');
  assert.is(orderOf(german, 'BUR', 'BUR'), 'A BUR H');
  // A unit that cannot be entered is helped: its own target comes next, and lights up.
  assert.is(orderOf(german, 'MAO', 'BUR'), null);
  assert.is(orderOf(german, 'PAR', 'MUN'), null);
  const helping = clickAll(german, ['PAR', 'MUN']);
  assert.equal(helping.kind === 'choice' && [...nextTargets(helping.choice).moves], ['BUR']);
  assert.is(orderOf(german, 'PAR', 'MUN', 'BUR'), 'A PAR S A MUN - BUR');
  const first = clickAll(german, ['PAR']);
  const { moves, helps } = nextTargets((first as { choice: Choice }).choice);
  assert.equal([...moves].sort(), ['BRE', 'BUR', 'GAS', 'PIC']);
  assert.ok(helps.has('MUN') && !helps.has('BUR'));
});

clicks('no click dies: another unit is chosen wherever the clicks before led', () => {
  const italian = own('S1902M', { ITALY: ['A PIE', 'F LYO', 'A ROM', 'A VEN'], FRANCE: ['A BUR'] }, 'ITALY');
  assert.is(orderOf(italian, 'LYO', 'PIE'), 'F LYO - PIE');
  assert.is(orderOf(italian, 'LYO', 'PIE', 'MAR'), 'F LYO S A PIE - MAR');
  assert.is(orderOf(italian, 'LYO', 'PIE', 'C:MAR'), 'F LYO C A PIE - MAR');
  const chosen = clickAll(italian, ['LYO', 'PIE', 'MAR', 'ROM']);
  assert.is(chosen.kind === 'choice' && chosen.choice.name, 'A ROM');
  assert.is(orderOf(italian, 'LYO', 'PIE', 'ROM', 'TUS'), 'A ROM - TUS');
  assert.is(orderOf(italian, 'PIE', 'ROM', 'VEN'), 'A PIE S A ROM - VEN');
  assert.is(orderOf(italian, 'PIE', 'ROM', 'LYO', 'TYS'), 'F LYO - TYS');
  assert.is(clickAll(italian, ['NWY']).kind, 'nothing');
  assert.is(clickAll(italian, ['ROM', 'NWY']).kind, 'nothing');
});

clicks('a neighbour is reached by land, a coast by its label, a stop of the railroad by its name', () => {
  const french = own('S1902M', { FRANCE: ['A SPA', 'F MAO'] }, 'FRANCE');
  assert.is(orderOf(french, 'SPA', 'POR'), 'A SPA - POR');
  assert.is(orderOf(french, 'SPA', 'POR', 'POR'), 'A SPA - POR VIA');
  const left = clickAll(french, ['SPA', 'POR']);
  assert.equal(left.kind === 'order' && left.choice && ordersLeft(left.choice).slice(0, 2), [
    'A SPA - POR',
    'A SPA - POR VIA',
  ]);
  const fleet = own('S1902M', { FRANCE: ['F MAO'] }, 'FRANCE');
  assert.is(clickAll(fleet, ['MAO', 'SPA']).kind, 'choice');
  assert.is(orderOf(fleet, 'MAO', 'SPA', 'SPA/SC'), 'F MAO - SPA/SC');
  assert.is(orderOf(fleet, 'MAO', 'SPA/NC'), 'F MAO - SPA/NC');
  assert.is(orderOf(fleet, 'MAO', 'SPA', 'SPA', 'SPA'), 'F MAO - SPA/SC');
  const map = loadMap('colonial,tsr,suez');
  const russian = orderablesIn(formatPosition(newGame(map, rules)), map, rules).filter(
    ({ power }) => power === 'RUSSIA',
  );
  assert.is(orderOf(russian, 'MOS', 'IRK'), 'A MOS - TSR - IRK');
  assert.is(orderOf(russian, 'MOS', 'VLA'), 'A MOS - TSR - VLA');
  assert.is(orderOf(russian, 'MOS', 'PRM'), 'A MOS - PRM');
  assert.is(orderOf(russian, 'MOS', 'PRM', 'PRM'), 'A MOS - TSR - PRM');
  assert.is(orderOf(russian, 'MOS', 'S:VLA', 'PRM'), 'A MOS S A VLA - PRM');
});

clicks('dragging moves, whatever stands there', () => {
  const french = own('S1902M', { FRANCE: ['A BUR', 'A PAR', 'F MAO'], GERMANY: ['A MUN'] }, 'FRANCE');
  const dragged = (from: string, to: string): string => {
    const click = dragTo(french, from, to);
    return click.kind === 'order' ? click.order : click.kind;
  };
  assert.equal(
    [
      dragged('BUR', 'MUN'),
      dragged('PAR', 'BUR'),
      dragged('PAR', 'MUN'),
      dragged('MAO', 'SPA'),
      dragged('MAO', 'SPA/NC'),
    ],
    ['A BUR - MUN', 'A PAR - BUR', 'nothing', 'choice', 'F MAO - SPA/NC'],
  );
});

clicks('builds, removals and retreats go by clicks on their provinces, and are taken back by one more', () => {
  const russian = own('W1901A', {}, 'RUSSIA', { centers: { RUSSIA: ['MOS', 'STP'] } });
  assert.is(orderOf(russian, 'STP'), 'A STP B');
  assert.is(orderOf(russian, 'STP', 'STP'), 'F STP/NC B');
  assert.is(orderOf(russian, 'STP', 'STP', 'STP'), 'F STP/SC B');
  assert.is(orderOf(russian, 'STP/SC'), 'F STP/SC B');
  assert.is(clickAll(russian, ['STP', 'STP', 'STP', 'STP']).kind, 'clear');
  assert.is(orderOf(russian, 'STP', 'MOS'), 'A MOS B');
  const removing = own('W1901A', { ITALY: ['A ROM', 'A VEN'] }, 'ITALY', { centers: { ITALY: ['ROM'] } });
  assert.is(orderOf(removing, 'VEN'), 'A VEN D');
  assert.is(clickAll(removing, ['VEN', 'VEN']).kind, 'clear');
  const retreats = { ITALY: { 'A VEN': ['TUS', 'APU'], 'A PIE': [] } };
  const retreating = own('S1901R', { AUSTRIA: ['A VEN', 'A PIE'] }, 'ITALY', { retreats });
  assert.is(orderOf(retreating, 'VEN', 'TUS'), 'A VEN R TUS');
  assert.is(orderOf(retreating, 'VEN', 'VEN'), 'A VEN D');
  assert.is(orderOf(retreating, 'PIE'), 'A PIE D');
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
            let got = orderOf(mine, ...way);
            bySecond += Number(isAttack && got === order);
            for (let more = 0; more < 3 && got !== order; more++)
              got = orderOf(mine, ...way, ...Array(more + 1).fill(way.at(-1)));
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
