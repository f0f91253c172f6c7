// Turns clicks into orders: the first click chooses a unit, the second its destination. A further click makes a support
// or convoy of a move. Functions are pure: the page keeps the choice and shows it.

/** A unit that can be ordered, or a centre that can build. */
export interface Orderable {
  readonly power: string;
  /** The unit, such as 'A PAR'; the tag of the centre for a build. */
  readonly name: string;
  /** Tag of the province of the unit or centre. */
  readonly home: string;
  /** All legal orders of the unit or centre. */
  readonly orders: readonly string[];
}

/** Kind of order that the player has asked for by a button or key: support ('S') or convoy ('C'); null for none. */
export type Help = 'S' | 'C' | null;

/** The unit or centre that the player has chosen by a first click, with the clicks since. */
export interface Choice extends Orderable {
  /** Province of the second click; null before it. */
  readonly first: string | null;
  readonly help: Help;
  /** Order that the clicks so far have given; null for none. */
  readonly given: string | null;
}

/**
 * Result of a click: an order, with the choice that further clicks refine (null for none); a choice that needs another
 * click; an order of a province to remove; the end of a choice; or nothing.
 */
export type Click =
  | { readonly kind: 'order'; readonly power: string; readonly order: string; readonly choice: Choice | null }
  | { readonly kind: 'choice'; readonly choice: Choice }
  | { readonly kind: 'clear'; readonly home: string }
  | { readonly kind: 'cancel' }
  | { readonly kind: 'nothing' };

/** Returns the province of a location: 'STP' for 'STP/SC'. */
export const province = (place: string): string => place.split('/')[0];

/** Parts of an order by which clicks select it. */
interface Parts {
  /** Letter or word of the order: '-', 'R', 'S', 'C', 'H', 'D', 'B' or 'WAIVE'. */
  readonly kind: string;
  /** Province of the supported or convoyed unit; null for other orders. */
  readonly helped: string | null;
  /** Destination of the unit, or of the supported or convoyed unit; the location of a build; null if there is none. */
  readonly goal: string | null;
  /** Route of a move or retreat: 0 by land or sea, 1 by rail, 2 by convoy. */
  readonly way: number;
}

export const partsOf = (order: string): Parts => {
  const [, place = '', kind = order, ...rest] = order.split(' ');
  const isVia = rest.at(-1) === 'VIA';
  const words = isVia ? rest.slice(0, -1) : rest;
  const helps = kind === 'S' || kind === 'C';
  const goal = kind === '-' || kind === 'R' || (helps && words.length > 2) ? (words.at(-1) ?? null) : null;
  const way = isVia ? 2 : Number(!helps && words.length > 1);
  return { kind, helped: helps ? province(words[1] ?? '') : null, goal: kind === 'B' ? place : goal, way };
};

const isMove = ({ kind }: Parts): boolean => kind === '-' || kind === 'R';

/**
 * True if a click on a place selects a destination. The province 'SPA' selects each of its coasts, the coast 'SPA/NC'
 * only itself.
 * @param goal the destination; null for none
 */
const isAt = (goal: string | null, place: string): boolean =>
  goal !== null && (place.includes('/') ? goal === place : province(goal) === place);

/** Returns the moves and retreats to a place: by land first, then by rail, then by convoy. */
const movesTo = (orders: readonly string[], place: string): string[] =>
  orders
    .filter((order) => isMove(partsOf(order)) && isAt(partsOf(order).goal, place))
    .sort((a, b) => partsOf(a).way - partsOf(b).way);

/**
 * Returns the orders that support or convoy the unit in a province, supports first.
 * @param tag the province
 * @param help only orders of this kind; null for both
 */
const helpsOf = (orders: readonly string[], tag: string, help: Help): string[] =>
  orders
    .filter((order) => partsOf(order).helped === tag && (help ?? partsOf(order).kind) === partsOf(order).kind)
    .sort((a, b) => Number(partsOf(a).kind === 'C') - Number(partsOf(b).kind === 'C'));

/** Returns the orders that repeated clicks on the second province of a choice give in turn. */
const singles = ({ orders, first, help }: Choice): string[] => {
  const [tag, byHelp] = [first ?? '', helpsOf(orders, first ?? '', help)];
  const stays = byHelp.filter((order) => partsOf(order).goal === null);
  if (help !== null) return stays;
  const [now, later] = [movesTo(orders, tag), [] as string[]];
  // Convoys to a destination that the unit can also reach by land are rarely wanted, so they come last.
  while (now.length > 1 && partsOf(now[now.length - 1]).way > partsOf(now[0]).way) later.unshift(now.pop() as string);
  return [...now, ...stays, ...later];
};

/** Returns the orders that are still possible with the clicks so far, to show them as buttons. */
export const ordersLeft = (choice: Choice): readonly string[] => {
  const { orders, first, help } = choice;
  if (first === null) return help === null ? orders : orders.filter((order) => partsOf(order).kind === help);
  return [...new Set([...singles(choice), ...helpsOf(orders, first, help)])];
};

/** Provinces to mark because the next click may select them. */
export interface Targets {
  /**
   * Provinces to which the chosen unit can move or retreat. After a second click: destinations of the unit that it
   * supports or convoys.
   */
  readonly moves: ReadonlySet<string>;
  /** Provinces of units that can be supported or convoyed. Without those in `moves`. */
  readonly helps: ReadonlySet<string>;
}

export const nextTargets = (choice: Choice): Targets => {
  const { orders, first, help } = choice;
  const all = (first === null ? orders : helpsOf(orders, first, help)).map(partsOf);
  const goals = (of: readonly Parts[]): string[] => of.flatMap(({ goal }) => (goal === null ? [] : [province(goal)]));
  if (first !== null) return { moves: new Set(goals(all)), helps: new Set() };
  const moves = new Set(help === null ? goals(all.filter(isMove)) : []);
  const helps = all.flatMap(({ kind, helped }) => (helped !== null && (help ?? kind) === kind ? [helped] : []));
  return { moves, helps: new Set(helps.filter((tag) => !moves.has(tag))) };
};

const giving = (choice: Choice, order: string): Click => ({
  ...{ kind: 'order', power: choice.power, order },
  choice: { ...choice, given: order },
});

/**
 * Returns the only order that is left as the result of a click; if there are several, the choice, which needs another
 * click.
 * @param among remaining orders, at least one
 */
const choosing = (choice: Choice, among: readonly string[]): Click =>
  among.length === 1 ? giving(choice, among[0]) : { kind: 'choice', choice };

/**
 * Returns the order after `present` in a list: the first one if `present` is not in the list, undefined after the last
 * one.
 */
const after = (list: readonly string[], present: string | null): string | undefined =>
  list[list.indexOf(present ?? '') + 1];

/**
 * Returns the result of a first click: on a unit, or on the place of a build or removal.
 * @param all units and centres that can be ordered
 * @param written existing order of the clicked unit or centre; null for none
 */
const begin = (all: readonly Orderable[], place: string, written: string | null): Click => {
  const tag = province(place);
  const found = all.find(({ home, orders }) => home === tag && orders.length > 0);
  if (found === undefined) return { kind: 'nothing' };
  const choice: Choice = { ...found, first: null, help: null, given: null };
  const isDue = (order: string): boolean => ['B', 'D'].includes(partsOf(order).kind);
  if (!found.orders.every((order) => order === 'WAIVE' || isDue(order))) return { kind: 'choice', choice };
  const list = found.orders.filter(isDue);
  const onCoast = place.includes('/') ? list.filter((order) => isAt(partsOf(order).goal, place)) : [];
  const next = onCoast.length > 0 && written !== onCoast[0] ? onCoast[0] : after(list, written);
  // A click after the last possible order removes the order.
  return next === undefined ? { kind: 'clear', home: tag } : giving(choice, next);
};

/** Returns the result of a second click; null if the chosen unit has no order for the place. */
const aim = (choice: Choice, place: string): Click | null => {
  const tag = province(place);
  const { orders, home, help } = choice;
  const next = { ...choice, first: tag };
  if (help === null && tag === home) {
    const stay = orders.find((order) => ['H', 'D'].includes(partsOf(order).kind));
    return stay === undefined ? { kind: 'cancel' } : { kind: 'order', power: choice.power, order: stay, choice: null };
  }
  if (help === null) {
    const moves = movesTo(orders, place);
    const easy = moves.filter((order) => partsOf(order).way === partsOf(moves[0]).way);
    if (easy.length > 0) return choosing(next, easy);
  }
  const helped = helpsOf(orders, tag, help);
  if (helped.length === 0) return null;
  return help === null ? { kind: 'choice', choice: next } : choosing(next, helped);
};

/**
 * Returns the result of a click on the board. Changes nothing itself.
 * @param all units and centres that can be ordered
 * @param choice current choice; null for none
 * @param place clicked province, or a coast by its label: 'SPA', 'SPA/NC'
 * @param written returns the existing order of the unit or centre in a province; null for none
 */
export const clickAt = (
  all: readonly Orderable[],
  choice: Choice | null,
  place: string,
  written: (home: string) => string | null = () => null,
): Click => {
  const tag = province(place);
  const anew = (): Click => begin(all, place, written(tag));
  // Builds and removals need only one click, so the next click begins another choice.
  if (choice === null || (choice.first === null && choice.given !== null)) return anew();
  if (choice.first === null) return aim(choice, place) ?? anew();
  const helps = helpsOf(choice.orders, choice.first, choice.help).filter((order) => isAt(partsOf(order).goal, place));
  const isOther = all.some(({ home, orders }) => home === tag && orders.length > 0);
  if (tag === choice.first) {
    const list = place.includes('/') ? movesTo(choice.orders, place) : singles(choice);
    const next = after(list, choice.given) ?? list[0];
    if (next !== undefined) return giving(choice, next);
  }
  if (helps.length > 0 && (choice.given === null || !isOther || choice.help !== null)) return giving(choice, helps[0]);
  if (choice.given !== null || isOther) return anew();
  return aim({ ...choice, first: null }, place) ?? anew();
};

/**
 * Returns the result of dragging a unit to a place: a move or retreat, even if there is a unit that it could support;
 * 'nothing' if it may not go there.
 * @param all units and centres that can be ordered
 * @param from province of the unit
 * @param place province or coast
 */
export const dragTo = (all: readonly Orderable[], from: string, place: string): Click => {
  const begun = begin(all, from, null);
  if (begun.kind !== 'choice') return { kind: 'nothing' };
  const moves = movesTo(begun.choice.orders, place);
  if (moves.length === 0) return { kind: 'nothing' };
  const easy = moves.filter((order) => partsOf(order).way === partsOf(moves[0]).way);
  return choosing({ ...begun.choice, first: province(place) }, easy);
};
