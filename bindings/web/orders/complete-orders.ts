// Completes orders: what an order needs of other units of the same players, as far as these have no order yet. Pure.
import type { Orderable } from './order-clicks.js';

export interface PowerOrder {
  readonly power: string;
  readonly order: string;
}

const province = (place: string): string => place.split('/')[0];

/** Whether something of a list has an order that ends in a province without help: 'F NTH - NWY/...'. */
const reaches = ({ name, orders }: Orderable, tag: string): boolean =>
  orders.some((order) => order.startsWith(`${name} - `) && province(order.split(' ')[3]) === tag);

/** The shortest way by fleets that may convoy an army; null if there is none. */
const convoyWay = (fleets: readonly Orderable[], from: string, to: string): readonly Orderable[] | null => {
  const open = fleets.filter((fleet) => reaches(fleet, from)).map((fleet) => [fleet]);
  const seen = new Set(open.map(([fleet]) => fleet));
  for (const way of open) {
    const last = way[way.length - 1];
    if (reaches(last, to)) return way;
    for (const next of fleets) {
      if (seen.has(next) || !reaches(last, next.home)) continue;
      seen.add(next);
      open.push([...way, next]);
    }
  }
  return null;
};

/**
 * The orders that an order needs: the move that it supports or convoys, and the convoys of a move.
 * @param all what its players may order
 * @param isFree whether what is in a province has no order yet
 */
export const neededOrders = (
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
  const fleets = all.filter(({ name, orders }) => orders.includes(`${name} C ${move}`));
  for (const { power, name, home } of convoyWay(fleets, from, to) ?? [])
    if (isFree(home) && !order.startsWith(name)) found.push({ power, order: `${name} C ${move}` });
  return found;
};
