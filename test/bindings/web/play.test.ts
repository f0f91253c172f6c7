// Tests what a page to play on is made of, without a browser: branches, saved games, orders that complete others, and agents that answer
// in a page as they do in a run.
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { formatSavedGame } from '../../../bindings/formats/games/write-saved.js';
import { type AskedGame, askOrders, openGame, recordOf } from '../../../bindings/web/orders/asked-game.js';
import { neededOrders } from '../../../bindings/web/orders/complete-orders.js';
import {
  differencesOf,
  orderShares,
  setShares,
  unitDistances,
  wholeOrders,
} from '../../../bindings/web/orders/order-shares.js';
import { openPlay } from '../../../bindings/web/orders/saved-play.js';
import {
  firstTurn,
  lineOver,
  lineTo,
  openTimeline,
  playTurn,
  storeTimeline,
} from '../../../bindings/web/orders/timeline.js';
import { valueOrders } from '../../../bindings/web/orders/value-orders.js';
import { orderablesIn, type Placed } from '../../../bindings/web/orders/written-position.js';
import { savePlay } from '../../../bindings/web/save-play.js';
import { ServerAgents } from '../../../bindings/web/server-agents.js';
import { Game, loadMap, newGame, ordererOf, standard } from '../../../engine/internal.js';
import { formatPosition } from '../../../engine/notation/json/position.js';
import { formatOrder, orderedUnits, ruleSetByName } from '../../../engine/notation/text/index.js';
import { parseAgent } from '../../../selfplay/agents/registry.js';
import { loadState } from '../../../selfplay/games/game-record.js';
import { playGame } from '../../../selfplay/games/play.js';
import type { PlayedPhase } from '../../../selfplay/question/agent.js';
import { makeFolder } from '../../tools/command.js';
import { rejection } from '../../tools/rejection.js';
import { saying } from '../../tools/saying.js';

const play = suite('play');

const rules = ruleSetByName('datc-3.2');
const start: Placed = formatPosition(newGame());
const asked = (played: AskedGame['played'], more: Partial<AskedGame> = {}): AskedGame => ({
  ...{ map: 'standard', rules: 'datc-3.2', own: null, seed: 7, start, played },
  ...more,
});

/** What a position needs for an order of a power that has no orders yet. */
const needed = (units: Placed['units'], order: string, taken: readonly string[] = []): string[] => {
  const placed = { ...start, units };
  const own = orderablesIn(placed, standard, rules.adjudication).filter(({ power }) => power === 'ENGLAND');
  return neededOrders(standard, order, own, (home) => !taken.includes(home)).map((one) => one.order);
};

play('an order brings those that it needs of other units, along the shortest way', () => {
  const units = { ENGLAND: ['A LON', 'F ENG', 'F MAO', 'F NTH', 'F WES', 'A YOR'], FRANCE: ['A BRE'] };
  assert.equal(needed(units, 'A LON - TUN VIA'), ['F ENG C A LON - TUN', 'F MAO C A LON - TUN', 'F WES C A LON - TUN']);
  assert.equal(needed(units, 'A LON - TUN VIA', ['MAO']), ['F ENG C A LON - TUN', 'F WES C A LON - TUN']);
  assert.equal(needed(units, 'F NTH C A LON - NWY'), ['A LON - NWY VIA']);
  assert.equal(needed(units, 'F MAO C A LON - TUN'), ['A LON - TUN VIA', 'F ENG C A LON - TUN', 'F WES C A LON - TUN']);
  assert.equal(needed(units, 'F ENG S A LON - YOR'), ['A LON - YOR']);
  assert.equal(needed(units, 'F ENG S A LON - YOR', ['LON']), []);
  assert.equal(needed(units, 'F ENG S A BRE - PIC'), []);
  assert.equal(needed(units, 'F ENG S A LON'), []);
  assert.equal(needed(units, 'A LON H'), []);
});

play('a game has branches, which are played again as they were kept', () => {
  const root = firstTurn(start);
  const first = playTurn(root, { FRANCE: ['A PAR - BUR', 'A MAR - SPA'] }, standard, rules);
  assert.is(playTurn(root, { ITALY: [], FRANCE: ['A MAR - SPA', 'A PAR - BUR'] }, standard, rules), first);
  const second = playTurn(root, { FRANCE: ['A PAR - GAS'] }, standard, rules);
  const third = playTurn(second, {}, standard, rules);
  assert.equal(root.children, [first, second]);
  assert.equal(lineTo(third), [root, second, third]);
  assert.equal(lineOver(root), [root, second, third]);
  assert.equal(lineOver(first), [root, first]);
  const kept = JSON.parse(JSON.stringify(storeTimeline(first)));
  const again = openTimeline(start, kept, standard, rules);
  assert.equal(again.units.FRANCE, ['F BRE', 'A BUR', 'A SPA']);
  assert.equal(again.parent?.children[1].children[0].phase, 'S1902M');
  assert.equal(lineOver(lineTo(again)[0]).length, 2);
  for (const wrong of [
    { turns: {}, shown: 0 },
    { turns: [], shown: 1 },
    { turns: [{ parent: 1, given: {} }], shown: 0 },
    { turns: [{ parent: 0, given: { HOLLAND: [] } }], shown: 0 },
    { turns: [{ parent: 0, given: { FRANCE: 'A PAR H' } }], shown: 0 },
  ])
    assert.throws(() => openTimeline(start, wrong as never, standard, rules), /got/);
});

play('a saved game is opened with its branches, and one of others by its orders', async () => {
  const root = firstTurn(start);
  playTurn(root, { FRANCE: ['A PAR - GAS'] }, standard, rules);
  const shown = playTurn(root, { FRANCE: ['A PAR - BUR'] }, standard, rules);
  const { phase, units, centers } = start;
  const kept = {
    map: 'standard',
    rules: '1971',
    seed: 7,
    seats: { FRANCE: 'human' },
    start: { phase, units, centers },
  };
  const lepanto = { ...kept, ...storeTimeline(shown) };
  const own = openPlay(JSON.stringify({ phases: [], lepanto }), loadMap);
  assert.equal([own.start.rules, own.seed, own.seats], ['1971', 7, kept.seats]);
  assert.equal(own.turn.units, shown.units);
  assert.is(own.turn.parent?.children.length, 2);
  const record = await playGame({ agents: standard.powerNames.map(() => parseAgent('dumbbot')), until: 1902, seed: 3 });
  const saved = formatSavedGame(record) as { phases: { name: string; state: { units: object } }[] };
  const other = openPlay(JSON.stringify(saved), loadMap);
  assert.equal(
    lineTo(other.turn).map((turn) => turn.phase),
    saved.phases.map(({ name }) => name),
  );
  const { phases } = saved;
  const wrong: [object | string, RegExp][] = [
    ['{', /JSON/],
    ['7', /game: got 7/],
    [{ phases: [7] }, /phase 0: got 7, wanted an object/],
    [{ phases: [phases[0], phases[2]] }, /phase 1: got \w+, wanted F1901M/],
    [{ ...saved, map: '../../etc/passwd' }, /got "..\/..\/etc/],
    ['['.repeat(99), /got more than 32 levels/],
    ...[
      { rules: '<b>' },
      { start: { phase: 'S1901M', units: { FRANCE: ['A XXX'] } } },
      { turns: [{ parent: 7, given: {} }] },
      { turns: [{ parent: 0, given: { FRANCE: 7 } }] },
      { turns: new Array(10_001).fill(null) },
      { shown: -1 },
    ].map((change): [object, RegExp] => [{ lepanto: { ...lepanto, ...change } }, /got .*wanted/s]),
  ];
  for (const [game, why] of wrong)
    assert.throws(() => openPlay(typeof game === 'string' ? game : JSON.stringify(game), loadMap), saying(why));
  // Saved among the runs: new files of this folder alone.
  const folder = makeFolder('saved');
  const save = (name: unknown, game: unknown = saved) => savePlay(folder, { name, game });
  assert.is(save('my game 1.2'), 'my game 1.2.json');
  assert.equal(JSON.parse(readFileSync(join(folder, 'my game 1.2.json'), 'utf8')), saved);
  symlinkSync(join(folder, 'elsewhere'), join(folder, 'link.json'));
  for (const name of ['my game 1.2', 'link']) assert.throws(() => save(name), /which exists, wanted a new one/);
  for (const name of ['', '.x', '../x', 'a/b', 'a\\b', 'a\0', '<b>', 'x'.repeat(81), 7])
    assert.throws(() => save(name), /^(?=.*name: got)|wanted text/);
  assert.throws(() => save('none', { phases: [7] }), /phase 0: got 7/);
  assert.throws(() => save('none', { lepanto }), /phases: got nothing/);
  assert.equal(readdirSync(folder).sort(), ['link.json', 'my game 1.2.json']);
  writeFileSync(join(folder, 'manifest.json'), '{}');
  assert.throws(() => save('other'), /got the directory of a run, wanted one that has runs/);
});

const statesOf = (phases: readonly PlayedPhase[]): string =>
  phases.map(({ state }) => Buffer.from(state).toString('hex')).join(' ');

play('agents that a page asks give the orders that they give in a run', async () => {
  const agents = standard.powerNames.map((_, power) => parseAgent(['dumbbot', 'reply:plans=4', 'net'][power % 3]));
  const { phases } = await playGame({ agents, until: 1901, seed: 7 });
  const game = new Game(standard, rules.adjudication);
  const played = phases.map(({ state, orders }) => {
    loadState(game, state);
    const units = orderedUnits(game);
    const texts = (power: number): string[] =>
      [...orders].filter((one) => ordererOf(game, one) === power).map((one) => formatOrder(standard, one, units));
    return Object.fromEntries(standard.powerNames.map((name, power) => [name, texts(power)]));
  });
  for (let at = 0; at < phases.length - 1; at++) {
    const open = openGame(asked(played.slice(0, at)));
    assert.is(statesOf(open.phases), statesOf(phases.slice(0, at)));
    const seats = Object.fromEntries(standard.powerNames.map((name, power) => [name, agents[power]]));
    assert.equal(await askOrders(open, seats), played[at], phases[at].phase);
  }
  // The end of a run is a draw; a page goes on.
  const record = recordOf(openGame(asked(played.slice(0, -1))));
  assert.is(statesOf(record.phases.slice(0, -1)), statesOf(phases.slice(0, -1)));
});

play('answers of agents are counted, and compared unit by unit', () => {
  const placed = { ...start, units: { FRANCE: ['A PAR', 'F STP/SC'] } };
  assert.equal(wholeOrders(placed, 'FRANCE', ['A PAR - BUR']), ['A PAR - BUR', 'F STP/SC H']);
  const retreat = { ...placed, phase: 'S1901R', retreats: { FRANCE: { 'A BUR': ['GAS'] } } };
  assert.equal(wholeOrders(retreat, 'FRANCE', []), ['A BUR D']);
  assert.equal(wholeOrders({ ...placed, phase: 'W1901A' }, 'FRANCE', ['WAIVE']), ['WAIVE']);
  const a = [['A PAR - BUR', 'F BRE H'], ['A PAR - GAS', 'F BRE H'], ...Array(2).fill(['A PAR - BUR', 'F BRE H'])];
  const b = [['A PAR - GAS', 'F BRE H']];
  assert.equal([...orderShares(a)], [...Object.entries({ 'F BRE H': 1, 'A PAR - BUR': 0.75, 'A PAR - GAS': 0.25 })]);
  assert.equal(setShares(a)[0], { orders: ['A PAR - BUR', 'F BRE H'], share: 0.75 });
  assert.equal(unitDistances(a, b).sort(), [0, 0.75]);
  // A province where only one of them builds, or nobody always does.
  assert.equal(unitDistances([['A PAR B'], ['WAIVE']], [['F BRE B']]).sort(), [0.5, 0.5, 1]);
  assert.equal(differencesOf([a, b, b], 0.1), [
    { order: 'A PAR - BUR', shares: [0.75, 0, 0], only: 0 },
    { order: 'A PAR - GAS', shares: [0.25, 1, 1], only: null },
  ]);
  assert.equal(differencesOf([a, a], 0.1), []);
});

play('order sets are worth what the search expects of them, in every phase', () => {
  const worth = (sets: string[][], power: string, more: object = {}) =>
    valueOrders({ game: asked([], { start: { ...start, ...more } }), power, sets });
  const fall = { phase: 'F1901M', units: { ...start.units, FRANCE: ['A SPA', 'A BUR', 'F MAO'] } };
  const [gains, waits] = worth([['A SPA H', 'F MAO - POR'], ['F MAO - NAO']], 'FRANCE', fall).values;
  assert.ok(gains.value > waits.value + 5 * (gains.error + waits.error), JSON.stringify([gains, waits]));
  const { expected, values } = worth([['A PAR - BUR']], 'FRANCE');
  assert.equal(worth([['A PAR - BUR']], 'FRANCE'), { expected, values });
  assert.is(expected.RUSSIA.length, 4);
  const winter = { phase: 'W1901A', units: { ...start.units, FRANCE: ['A MAR'] } };
  const [built] = worth([['F BRE B', 'A PAR B'], []], 'FRANCE', winter).values;
  assert.ok(built.value > 0 && built.error > 0, JSON.stringify(built));
  assert.throws(() => worth([['A PAR - BUR']], 'constructor'), /power: got "constructor"/);
});

play('the server plays only what its command line names, in games that are games', async () => {
  const agents = await ServerAgents.load(['hold']);
  const ask = (seats: unknown, game: unknown = asked([])): Promise<string> => rejection(agents.ask({ seats, game }));
  assert.equal(await agents.ask({ seats: { ITALY: 'hold' }, game: asked([]) }), { ITALY: [] });
  assert.match(await ask({ ITALY: 'exec:touch hacked' }), /got "exec:touch hacked", wanted "hold"/);
  assert.match(await ask({ ITALY: './evil.js' }), /wanted "hold"/);
  assert.match(await ask({ constructor: 'hold' }), /got power "constructor"/);
  assert.match(await ask({ ITALY: 'hold' }, asked([{ FRANCE: 1 } as never])), /orders of FRANCE: got 1/);
  assert.match(await ask({ ITALY: 'hold' }, asked([], { seed: '1' as never })), /seed: got/);
  assert.match(await ask({ ITALY: 'hold' }, asked([], { map: '../../etc/passwd' })), /got/);
  assert.match(await ask({ ITALY: 'hold' }, asked([], { own: { name: 'x', rows: {} as never } })), /got|undefined/);
  assert.match(await ask(7), /got 7/);
  assert.match(await rejection(ServerAgents.load(['nonsense'])), /agent: got "nonsense"/);
});

play.run();
