// Tests that agents of the registry and of a user's module give legal orders in every phase, determined by their seed.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  adjustmentDue,
  DATC_3_2,
  type Game,
  hasOrders,
  isLegal,
  loadMap,
  newGame,
  ordererOf,
  Random,
  standard,
} from '../../../engine/internal.js';
import * as O from '../../../engine/rules/order.js';
import * as T from '../../../engine/rules/types.js';
import { agentKinds, loadAgent, loadAgents, parseAgent } from '../../../selfplay/agents/registry.js';
import { gameSeed } from '../../../selfplay/games/game-record.js';
import { playGame } from '../../../selfplay/games/play.js';
import type { Agent } from '../../../selfplay/question/agent.js';
import { checkOrders } from '../../../selfplay/question/check-orders.js';
import { formatAgent } from '../../../selfplay/question/parse-kind.js';
import { makeFolder } from '../../tools/command.js';
import { rejection } from '../../tools/errors.js';
import { positionsOf } from '../../tools/positions.js';
import { ordersBy, writeAgent } from '../../tools/simple-agents.js';

/** Positions of games that the random agent has played, so many of each kind of phase. */
const somePositions = async (mapName: string, each: number): Promise<Game[]> => {
  const map = loadMap(mapName);
  const agents = map.powerNames.map(() => parseAgent('random'));
  const found: Game[] = [];
  const left = [each, each, each];
  for (let index = 0; left.some((n) => n > 0); index++) {
    const { phases } = await playGame({ map, seed: gameSeed(77, index), index, agents, until: map.startYear + 12 });
    for (const game of positionsOf(phases, map)) if (left[game.phase]-- > 0) found.push(game);
  }
  return found;
};

const legality = suite('agents: legal orders');

/** The orders of an agent, which leave the game as it was and are the same again. */
const chosen = async (agent: Agent, game: Game, power: number, i: number, again: boolean): Promise<Int32Array> => {
  const before = game.clone();
  const orders = await ordersBy(agent, game, power, new Random(5, i, power));
  const where = `${agent.name}, position ${i}, ${game.map.powerNames[power]}`;
  assert.ok(game.equals(before), `${where}: the game has changed`);
  assert.is(checkOrders(game, power, orders), null, where);
  if (again) assert.equal(await ordersBy(agent, game, power, new Random(5, i, power)), orders);
  return orders;
};

const checkAgent = async (text: string, positions: readonly Game[]): Promise<void> => {
  const agent = parseAgent(text);
  for (const [i, game] of positions.entries())
    for (let power = 0; power < game.map.powerCount; power++)
      if (hasOrders(game, power)) await chosen(agent, game, power, i, true);
};

const phases = [T.MOVEMENT, T.RETREAT, T.ADJUSTMENT];

legality('built-in agents order legally on 402 positions of all phases', async () => {
  const positions = await somePositions('standard', 134);
  assert.is(positions.length, 402);
  for (const phase of phases) assert.is(positions.filter((game) => game.phase === phase).length, 134);
  for (const text of ['random', 'hold', 'policy', 'guard', 'dumbbot', 'net']) await checkAgent(text, positions);
});

/** What is said of an order of a power that is not legal, or of a second one for the same unit; written out here. */
const findFault = (game: Game, power: number, orders: Int32Array): string | null => {
  const ordered = new Set<number>();
  for (const order of orders) {
    if (!isLegal(game, order)) return `${order} is not legal`;
    if (ordererOf(game, order) !== power) return `${order} is another power's`;
    const province = game.map.locationProvince[O.orderLocation(order)];
    if (O.orderType(order) !== O.WAIVE && ordered.has(province))
      return `two orders in ${game.map.provinceTags[province]}`;
    ordered.add(province);
  }
  if (game.phase === T.ADJUSTMENT && orders.length > Math.abs(adjustmentDue(game, power)))
    return 'more orders than are due';
  return null;
};

/** Agents that take their time: one power a position, each in turn; each tenth choice again. */
const checkSlowAgent = async (text: string, positions: readonly Game[]): Promise<void> => {
  const agent = parseAgent(text);
  for (const [i, game] of positions.entries()) {
    const { powerCount } = game.map;
    const powers = Array.from({ length: powerCount }, (_, k) => (i + k) % powerCount);
    const [power] = powers.filter((q) => hasOrders(game, q));
    assert.ok(power !== undefined, `position ${i}: nobody has anything to order`);
    const orders = await chosen(agent, game, power, i, i % 10 === 0);
    const where = `${text}, position ${i}, ${game.map.powerNames[power]}`;
    assert.ok(orders.length > 0, `${where}: no orders`);
    assert.is(findFault(game, power, orders), null, where);
  }
};

legality('greedy, reply and search order legally on 180 positions of all phases and two maps', async () => {
  const positions = [...(await somePositions('standard', 50)), ...(await somePositions('ancmed', 10))];
  assert.is(positions.length, 180);
  for (const phase of phases) assert.is(positions.filter((game) => game.phase === phase).length, 60);
  for (const text of ['greedy', 'reply', 'search:rollouts=40']) await checkSlowAgent(text, positions);
});

legality('search orders legally where its candidates grow, and where its opponents learn', async () => {
  const positions = await somePositions('standard', 4);
  for (const text of ['search:rollouts=3000:depth=1', 'search:rollouts=300:opponents=learning'])
    await checkSlowAgent(text, positions);
});

legality('built-in agents order legally on maps with rules of their own', async () => {
  for (const name of ['loeb9', 'colonial,tsr,suez,hongKong', 'standard,convoyable=BER+DEN,fleetBorders=BER-DEN']) {
    const positions = await somePositions(name, 15);
    for (const text of ['random', 'hold', 'policy', 'guard', 'dumbbot']) await checkAgent(text, positions);
    for (const text of ['greedy', 'reply:plans=4', 'search:rollouts=40'])
      await checkSlowAgent(text, positions.slice(0, 20));
  }
});

legality('built-in agents order legally on other maps', async () => {
  for (const map of ['ancmed', '1898']) {
    const positions = await somePositions(map, 4);
    for (const text of ['random', 'policy', 'guard', 'greedy', 'dumbbot', 'reply:plans=4', 'search:rollouts=40'])
      await checkAgent(text, positions);
  }
});

const modules = suite("agents: users' modules");
const directory = makeFolder('agents');

modules('a module with options plays; its name and options come back', async () => {
  const options = `{ width: { help: 'a number', default: 3, least: 1, most: 9 } }`;
  const methods = 'count: 0, answer() { this.count++; return [{ orders: [] }]; }';
  const path = writeAgent(join(directory, 'mine.mjs'), methods, '', options);
  assert.is(formatAgent(await loadAgent(`${path}:width=4`)), `${path}:width=4`);
  const agents = await loadAgents([path, ...new Array(6).fill('dumbbot')].join(','), 7);
  const { scores } = await playGame({ seed: 1, index: 0, agents, until: 1902 });
  assert.is(scores.survivors.length, 7);
});

const refusal = (text: string): Promise<string> => rejection(loadAgent(text));

modules('modules that are no agents are refused, and say why', async () => {
  assert.match(await refusal(join(directory, 'none.mjs')), /none\.mjs: got no file .*none\.mjs, wanted a module$/);
  const empty = join(directory, 'empty.mjs');
  writeFileSync(empty, 'export const x = 1;');
  assert.match(await refusal(empty), /wanted a default export/);
  const path = writeAgent(join(directory, 'other.mjs'), '');
  assert.match(await refusal(path), /got no answer\(\)/);
  assert.match(await refusal(`${path}:x=1`), /option: got "x"/);
  assert.match(await refusal('nobody'), /wanted one of random/);
});

modules('orders of a module that are not legal are refused by name', async () => {
  const answer = 'answer: (questions) => questions.map(() => ({ orders: [12345] }))';
  const path = writeAgent(join(directory, 'wrong.mjs'), answer);
  const agents = await loadAgents(path, 7);
  const refused = await rejection(playGame({ seed: 1, index: 0, agents, until: 1901 }));
  assert.match(refused, /wrong\.mjs for AUSTRIA in S1901M of game 0: got .* not legal/);
});

const registry = suite('agents: registry');

registry('every agent says what it is and what its options are', () => {
  for (const { name, help, options } of agentKinds) {
    assert.ok(help.length > 10, name);
    for (const [key, option] of Object.entries(options)) assert.ok(option.help.length > 5, `${name}, ${key}`);
    assert.is(formatAgent(parseAgent(formatAgent(parseAgent(name)))), formatAgent(parseAgent(name)));
  }
});

registry('a bot in a process of its own loads without an import for its side effect', async () => {
  const agent = await loadAgent('exec:cat');
  assert.is(agent.name, 'exec:cat');
  // What it is asked comes back as its answer, which has no orders.
  assert.is((await ordersBy(agent, newGame(standard, DATC_3_2), 0, new Random(1))).length, 0);
});

legality.run();
modules.run();
registry.run();
