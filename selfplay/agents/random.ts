// The agent that knows nothing: every unit draws one of its legal orders, all equally likely.
import {
  ADJUSTMENT,
  allLegalOrders,
  balance,
  type Game,
  MAX_LOCATIONS,
  ordererOf,
  type Power,
  type Random,
  waive,
} from '../../engine/internal.js';
import type { Agent, AgentKind } from './agent.js';

/** One build in so many is waived. A draw among army, fleet and waive would leave a third of all builds undone. */
export const WAIVED_ONE_IN = 16;

/** The last position that was asked about, and its orders: seven powers ask about the same one in turn. */
let known = new Uint8Array(0);
let knownMap: unknown = null;
let provinceCount = 0;
/** Power of the k-th province with orders. */
const powers = new Int32Array(MAX_LOCATIONS);
const offsets = new Int32Array(MAX_LOCATIONS + 1);
/** 2,000 orders a unit on average is several times what positions full of convoys have. */
let orders = new Int32Array(0);

const isKnown = (game: Game): boolean => {
  const { bytes, offset, layout, map } = game;
  if (knownMap !== map) return false;
  for (let i = 0; i < layout.stride; i++) if (known[i] !== bytes[offset + i]) return false;
  return true;
};

const listOrders = (game: Game): void => {
  if (isKnown(game)) return;
  if (orders.length < game.map.provinceCount * 2000) orders = new Int32Array(game.map.provinceCount * 2000);
  provinceCount = allLegalOrders(game, orders, offsets);
  for (let k = 0; k < provinceCount; k++) powers[k] = ordererOf(game, orders[offsets[k]]);
  known = game.bytes.slice(game.offset, game.offset + game.layout.stride);
  knownMap = game.map;
};

const drawOrder = (k: number, length: number, source: Random): number => orders[offsets[k] + source.below(length)];

const sites = new Int32Array(MAX_LOCATIONS);

const chooseAdjustments = (game: Game, power: Power, out: Int32Array, source: Random): number => {
  let count = 0;
  for (let k = 0; k < provinceCount; k++) if (powers[k] === power) sites[count++] = k;
  const due = balance(game, power);
  const wanted = Math.min(Math.abs(due), count);
  for (let n = 0; n < wanted; n++) {
    if (due > 0 && source.below(WAIVED_ONE_IN) === 0) {
      out[n] = waive(power);
      continue;
    }
    const i = source.below(count);
    const k = sites[i];
    sites[i] = sites[--count];
    // The last order of a free centre is its waive.
    out[n] = drawOrder(k, offsets[k + 1] - offsets[k] - (due > 0 ? 1 : 0), source);
  }
  return wanted;
};

const choose = (game: Game, power: Power, out: Int32Array, source: Random): number => {
  listOrders(game);
  if (game.phase === ADJUSTMENT) return chooseAdjustments(game, power, out, source);
  let n = 0;
  for (let k = 0; k < provinceCount; k++)
    if (powers[k] === power) out[n++] = drawOrder(k, offsets[k + 1] - offsets[k], source);
  return n;
};

/**
 * Movement and retreats: one of the unit's legal orders, all equally likely, a disband among the retreats. Builds: each
 * build due is waived once in WAIVED_ONE_IN times, else a site is drawn among the free ones, no site twice, and then
 * army or fleet (and its coast) with equal chances. Removals: units drawn one after another, all equally likely.
 */
const agent: Agent = { name: 'random', options: {}, choose };

export const random: AgentKind = {
  name: 'random',
  help: 'every unit draws one of its legal orders, all equally likely',
  options: {},
  make: () => agent,
};
