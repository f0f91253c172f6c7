// Completes orders: what an order needs of other units of the same players, as far as these have no order yet. Pure.
import { type CompiledMap, cheapestChain } from '../../../engine/internal.js';
import { type Orderable, province } from './order-clicks.js';

export interface PowerOrder {
  readonly power: string;
  readonly order: string;
}

/**
 * The orders that an order needs: the move that it supports or convoys, and the convoys of a move.
 * @param all what its players may order
 * @param isFree whether what is in a province has no order yet
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
  // One that has an order already may be among them: then it is its player's to know.
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
