// Tests what the search expects of its opponents: legal order sets for every type of player, and from the orders seen in a
// game the belief which type sits in each seat.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compileMap, DATC_3_2, type Game, MOVEMENT, newGame, Random, standard } from '../../../engine/internal.js';
import { parseAgent } from '../../../selfplay/agents/registry.js';
import { playGame } from '../../../selfplay/games/play.js';
import type { Past } from '../../../selfplay/question/agent.js';
import { checkOrders } from '../../../selfplay/question/check-orders.js';
import { modelOpponents, ordersSeen } from '../../../selfplay/search/opponent-model.js';
import { FULL, predict, QUICK, typeNames } from '../../../selfplay/search/player-types.js';
import { gameOfState, positionsOf } from '../../tools/positions.js';
import { ordersBy } from '../../tools/simple-agents.js';

const opponents = suite('search: opponents');

/** A game of one agent in all seats, or of several in turn, as its past at the end. */
const pastOf = async (agent: string, until: number): Promise<Past> => {
  const names = agent.split(',');
  const agents = standard.powerNames.map((_, q) => parseAgent(names[q % names.length]));
  const { phases } = await playGame({ seed: 5, index: 0, agents, until });
  return { game: agent, phases: phases.slice(0, -1) };
};

const movesOf = ({ phases }: Past): Game[] => positionsOf(phases).filter(({ phase }) => phase === MOVEMENT);

const sumOf = (list: Float64Array): number => list.reduce((sum, x) => sum + x, 0);

opponents('every type gives legal orders, each unit one in its place', async () => {
  for (const game of movesOf(await pastOf('policy', 1904)))
    for (const [power, { sets, likely, legal, worth }] of predict(game, QUICK).entries()) {
      assert.is(new Set(sets.map((set) => set.join())).size, sets.length);
      for (const set of sets) {
        assert.is(checkOrders(game, power, set), null);
        assert.is(set.length, legal.length);
      }
      assert.is(worth.length, sets.length);
      assert.is(likely.length, typeNames.length);
      for (const [t, list] of likely.entries())
        assert.ok(Math.abs(sumOf(list) - 1) < 1e-9, `${typeNames[t]} of ${standard.powerNames[power]}: ${sumOf(list)}`);
    }
});

opponents('a prediction follows from the position alone', () => {
  const first = predict(newGame(standard, DATC_3_2));
  const again = predict(newGame(compileMap(standard.rows), DATC_3_2));
  assert.is.not(again, first);
  assert.equal(again, first);
});

opponents('with nothing seen every opponent has the same prior', () => {
  const [one, ...others] = modelOpponents(newGame(standard, DATC_3_2), { powers: [] }, FULL);
  assert.ok(Math.abs(sumOf(one.shares) - 1) < 1e-9);
  for (const { shares } of others) assert.equal(shares, one.shares);
});

opponents('a type gives the orders of its player more often than other types do', async () => {
  for (const agent of ['dumbbot', 'guard', 'greedy', 'reply'] as const) {
    const { phases } = await pastOf(agent, 1905);
    const found = typeNames.map(() => 0);
    let units = 0;
    for (const phase of phases.filter((one) => one.phase.endsWith('M'))) {
      const game = gameOfState(phase.state);
      const seen = ordersSeen(game, phase);
      for (const [q, { sets, likely }] of predict(game, QUICK).entries())
        for (const [unit, order] of seen[q].entries()) {
          units++;
          for (const [c, set] of sets.entries())
            if (set[unit] === order) for (const [t, list] of likely.entries()) found[t] += list[c];
        }
    }
    const own = found[typeNames.indexOf(agent)];
    assert.ok(own / units > 0.5, `${agent}: got ${own / units} of its orders, wanted more than 0.5`);
    // Taker does what greedy does, by another search.
    const others = found.filter((_, t) => typeNames[t] !== agent && typeNames[t] !== 'taker');
    assert.ok(own > Math.max(...others), `${agent}: another type gives more of its orders`);
  }
});

opponents('orders tell who sits there, and no type is ever ruled out', async () => {
  for (const agent of ['dumbbot', 'guard', 'greedy'] as const) {
    const past = await pastOf(agent, 1903);
    const beliefs = modelOpponents(newGame(standard, DATC_3_2), { past, powers: [] }, QUICK);
    let sum = 0;
    for (const { shares: list } of beliefs) {
      assert.ok(Math.abs(sumOf(list) - 1) < 1e-9);
      assert.ok(Math.min(...list) >= 0.005);
      sum += list[typeNames.indexOf(agent)];
    }
    assert.ok(sum / 7 > 0.8, `${agent}: got ${sum / 7}, wanted more than 0.8`);
  }
});

opponents('a table of two kinds is not taken for one of a kind', async () => {
  const kinds = ['guard', 'dumbbot'] as const;
  const past = await pastOf(kinds.join(), 1904);
  const models = modelOpponents(newGame(standard, DATC_3_2), { past, powers: [] }, QUICK);
  for (const [q, { shares: list }] of models.entries()) {
    const [own, other] = [q, q + 1].map((k) => list[typeNames.indexOf(kinds[k % 2])]);
    assert.ok(own > 2 * other, `${standard.powerNames[q]}: got ${own} and ${other}`);
  }
});

opponents('a choice follows from the past that is told, whatever else the thread has played', async () => {
  const past = await pastOf('guard', 1902);
  const game = movesOf(past).at(-1) ?? newGame(standard, DATC_3_2);
  const told = { ...past, phases: past.phases.slice(0, 6) };
  const choose = async (given: Past | undefined): Promise<number[]> => {
    const orders = await ordersBy(parseAgent('search:rollouts=60'), game, 0, new Random(9), given);
    assert.is(checkOrders(game, 0, orders), null);
    return [...orders];
  };
  const before = await choose(told);
  await choose(undefined);
  assert.equal(await choose({ ...told, game: 'other' }), before);
});

opponents.run();
