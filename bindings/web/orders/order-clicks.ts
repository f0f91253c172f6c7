// Orders by clicks: a unit, then its target; or the unit that it helps, then the target of that one. Pure: a page keeps
// the choice and shows it.

/** What may be ordered in a province: its unit, or its centre that builds. */
export interface Orderable {
  readonly power: string;
  /** 'A PAR'; of a centre that builds its tag. */
  readonly name: string;
  readonly home: string;
  /** All its legal orders. */
  readonly orders: readonly string[];
}

/** Something to be ordered, and the provinces clicked since. */
export interface Choice extends Orderable {
  readonly clicks: readonly string[];
}

/** What a click leads to: an order, a choice with the orders that are left, or nothing. */
export type Click =
  | { readonly kind: 'order'; readonly power: string; readonly order: string }
  | { readonly kind: 'choice'; readonly choice: Choice; readonly left: readonly string[] }
  | { readonly kind: 'cancel' }
  | { readonly kind: 'nothing' };

/** 'STP' of 'STP/SC'. */
export const province = (place: string): string => place.split('/')[0];

/** Provinces that an order names after its unit: PAR and BUR of 'A MAR S A PAR - BUR'. */
const targetsIn = (order: string): string[] =>
  order
    .split(' ')
    .slice(2)
    .filter((word) => /^[A-Z0-9]{3}(\/|$)/.test(word) && word !== 'VIA')
    .map(province);

/** The orders that fit the provinces clicked. A second click on a unit means to support it where it stays. */
const fitting = (orders: readonly string[], [first, second]: readonly string[]): string[] => {
  const begun = orders.filter((order) => targetsIn(order)[0] === first);
  if (second === undefined) return begun;
  if (second !== first) return begun.filter((order) => targetsIn(order)[1] === second);
  const short = begun.filter((order) => targetsIn(order).length === 1);
  const helping = short.filter((order) => order.split(' ')[2] === 'S');
  return helping.length > 0 ? helping : short;
};

/** The orders that are left of a choice. */
export const ordersLeft = ({ orders, clicks }: Choice): readonly string[] =>
  clicks.length === 0 ? orders : fitting(orders, clicks);

/** Provinces that the next click may be on. */
export const nextTargets = (choice: Choice): ReadonlySet<string> =>
  new Set(ordersLeft(choice).flatMap((order) => targetsIn(order)[choice.clicks.length] ?? []));

/** @param all what may be ordered @param choice what is chosen, if anything @param tag the province clicked */
export const clickAt = (all: readonly Orderable[], choice: Choice | null, tag: string): Click => {
  const choose = (next: Choice): Click => {
    const left = ordersLeft(next);
    return left.length === 1 && next.clicks.length > 0
      ? { kind: 'order', power: next.power, order: left[0] }
      : { kind: 'choice', choice: next, left };
  };
  if (choice !== null && tag === choice.home && choice.clicks.length === 0) {
    const hold = choice.orders.find((order) => order.endsWith(' H'));
    return hold === undefined ? { kind: 'cancel' } : { kind: 'order', power: choice.power, order: hold };
  }
  if (choice !== null)
    for (const clicks of [[...choice.clicks, tag].slice(0, 2), [tag]])
      if (fitting(choice.orders, clicks).length > 0) return choose({ ...choice, clicks });
  const other = all.find(({ home, orders }) => home === tag && orders.length > 0);
  return other === undefined ? { kind: 'nothing' } : choose({ ...other, clicks: [] });
};
