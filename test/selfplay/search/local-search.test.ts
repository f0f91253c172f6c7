// Tests the neighbours of order sets in the search: legal sets of the same power, without useless own supports or
// convoys.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { DATC_3_2, type Game, newGame, Random, standard } from '../../../engine/internal.js';
import * as O from '../../../engine/rules/order.js';
import * as T from '../../../engine/rules/types.js';
import { parseAgent } from '../../../selfplay/agents/registry.js';
import { gameSeed } from '../../../selfplay/games/game-record.js';
import { playGame } from '../../../selfplay/games/play.js';
import { checkOrders } from '../../../selfplay/question/check-orders.js';
import { findCandidates } from '../../../selfplay/search/candidates.js';
import { LocalSearch } from '../../../selfplay/search/local-search.js';
import { positionsOf } from '../../tools/positions.js';

const NEIGHBOURS = 12;

const provinceOf = (location: number): number => standard.locationProvince[location];

/** The own support or convoy that matches nothing, if there is one. */
const findLeftOver = (set: Int32Array): O.Order | undefined => {
  const byProvince = new Map(
    Array.from(set, (order): [number, O.Order] => [provinceOf(O.orderLocation(order)), order]),
  );
  const isLeftOver = (order: O.Order): boolean => {
    const type = O.orderType(order);
    const to = provinceOf(O.orderTarget(order));
    if (type === O.SUPPORT_HOLD) return byProvince.has(to) && O.orderType(byProvince.get(to) ?? 0) === O.MOVE;
    if (type !== O.SUPPORT_MOVE && type !== O.CONVOY) return false;
    const helped = byProvince.get(O.orderHelped(order));
    if (helped === undefined) return false;
    const goes = O.orderType(helped) === O.MOVE && provinceOf(O.orderTarget(helped)) === to;
    return !goes || (type === O.CONVOY && O.orderVia(helped) === 0);
  };
  return set.find(isLeftOver);
};

const neighbours = suite('search: neighbours');

/** Positions of some games among dumbbots. */
const positions = async (games: number): Promise<Game[]> => {
  const agents = standard.powerNames.map((_, q) => parseAgent(q % 3 === 0 ? 'policy' : 'dumbbot'));
  const found: Game[] = [];
  for (let index = 0; index < games; index++) {
    const { phases } = await playGame({ seed: gameSeed(8, index), index, agents, until: 1908 });
    found.push(...positionsOf(phases));
  }
  return found;
};

neighbours('are legal, new and consistent in every phase', async () => {
  let changed = 0;
  let convoyed = 0;
  for (const [i, game] of (await positions(6)).entries()) {
    const power = i % 7;
    const random = new Random(3, i);
    const { sets } = findCandidates(game, power, random, 30);
    if (sets.length < 2) continue;
    const around = new LocalSearch(game, power, random);
    const keys = new Set(sets.map((set) => set.join()));
    for (let k = 0; k < NEIGHBOURS; k++) {
      const set = around.next(sets, (one) => keys.has(one.join()), random);
      if (set === null) break;
      assert.not.ok(keys.has(set.join()), 'known already');
      keys.add(set.join());
      assert.is(set.length, sets[0].length);
      assert.is(checkOrders(game, power, set), null, `position ${i}`);
      if (game.phase === T.MOVEMENT) assert.is(findLeftOver(set), undefined, `position ${i}: ${set.join()}`);
      if (set.some((order) => O.orderType(order) === O.CONVOY)) convoyed++;
      changed++;
    }
  }
  assert.ok(changed > 800, `${changed} neighbours`);
  assert.ok(convoyed > 5, `${convoyed} with convoys`);
});

neighbours('follow from their stream', async () => {
  const game = newGame(standard, DATC_3_2);
  const draw = (): string[] => {
    const random = new Random(11);
    const { sets } = findCandidates(game, 5, random, 30);
    const around = new LocalSearch(game, 5, random);
    return Array.from({ length: NEIGHBOURS }, () => around.next(sets, () => false, random)?.join() ?? 'none');
  };
  assert.equal(draw(), draw());
  assert.ok(new Set(draw()).size > NEIGHBOURS / 2);
});

neighbours.run();
