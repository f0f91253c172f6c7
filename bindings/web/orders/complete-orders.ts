// Completes orders: finds the orders of other units without which an order has no effect.
import { type CompiledMap, cheapestChain } from '../../../engine/internal.js';
import { type Orderable, province } from './order-clicks.js';

export interface PowerOrder {
  readonly power: string;
  readonly order: string;
}

/**
 * Returns the orders of other units that an order needs: the move that it supports or convoys, and the convoys of a
 * move.
 * @param all units and centres that the players may order, with their legal orders
 * @param isFree returns true if the unit in a province has no order yet
 */
export const neededOrders = (
  map: CompiledMap,
  order: string,
  all: readonly Orderable[],
  isFree: (home: string) => boolean,
): readonly PowerOrder[] => {
  const words = order.replace(/^[AF] \S+ [SC] /, '').split(' ');
  if (words[2] !== '-' || words[3] === undefined) return [];
  const [unit, from, to] = [`${words[0]} ${words[1]}`, province(words[1]), province(words[3])];
  const move = `${unit} - ${words[3]}`;
  const mover = all.find(({ name }) => name === unit);
  const isOwn = order.startsWith(move);
  const helped = mover?.orders.find((one) => one === move) ?? mover?.orders.find((one) => one === `${move} VIA`);
  const given = isOwn ? order : helped;
  const found: PowerOrder[] = [];
  if (!isOwn && mover !== undefined && helped !== undefined && isFree(from))
    found.push({ power: mover.power, order: helped });
  if (given?.endsWith(' VIA') !== true) return found;
  // The route may use fleets that already have another order. These keep it.
  const fleets = new Map(
    all
      .filter(({ name, orders }) => orders.includes(`${name} C ${move}`))
      .map((fleet) => [map.provinceTags.indexOf(fleet.home), fleet]),
  );
  const [begin, end] = [from, to].map((tag) => map.provinceTags.indexOf(tag));
  const costOf = (p: number): number => (fleets.has(p) ? 1 : Number.POSITIVE_INFINITY);
  for (const { power, name, home } of (cheapestChain(map, begin, end, costOf) ?? []).flatMap(
    (p) => fleets.get(p) ?? [],
  ))
    if (isFree(home) && !order.startsWith(name)) found.push({ power, order: `${name} C ${move}` });
  return found;
};
