// Orders by clicks: a unit, then where it goes; a further click makes a support or convoy of a move. Pure: a page keeps the
// choice and shows it.

/** What may be ordered in a province: its unit, or its centre that builds. */
export interface Orderable {
  readonly power: string;
  /** 'A PAR'; of a centre that builds its tag. */
  readonly name: string;
  readonly home: string;
  /** All its legal orders. */
  readonly orders: readonly string[];
}

/** A kind of help that the player has asked for: support, convoy, or null for none. */
export type Help = 'S' | 'C' | null;

/** A unit or centre that is being ordered. */
export interface Choice extends Orderable {
  /** The province of the second click; null before it. */
  readonly first: string | null;
  readonly help: Help;
  /** The order that these clicks have given; null for none. */
  readonly given: string | null;
}

/** What a click leads to: an order (and the choice that further clicks refine), a choice, an order taken back, or nothing. */
export type Click =
  | { readonly kind: 'order'; readonly power: string; readonly order: string; readonly choice: Choice | null }
  | { readonly kind: 'choice'; readonly choice: Choice }
  | { readonly kind: 'clear'; readonly home: string }
  | { readonly kind: 'cancel' }
  | { readonly kind: 'nothing' };

/** 'STP' of 'STP/SC'. */
export const province = (place: string): string => place.split('/')[0];

/** The words of an order that clicks are about. */
interface Parts {
  /** '-', 'R', 'S', 'C', 'H', 'D', 'B', or 'WAIVE' */
  readonly kind: string;
  /** The province of the unit that is helped; null where none is. */
  readonly helped: string | null;
  /** Where the unit, or the unit that is helped, goes; null where it stays. */
  readonly goal: string | null;
  /** 0 for a way by land, 1 by rail, 2 by convoy. */
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

/** True if a click on a place, 'SPA' or its coast 'SPA/NC', means a goal. */
const isAt = (goal: string | null, place: string): boolean =>
  goal !== null && (place.includes('/') ? goal === place : province(goal) === place);

/** Moves to a place: by land first, then by rail, then by convoy. */
const movesTo = (orders: readonly string[], place: string): string[] =>
  orders
    .filter((order) => isMove(partsOf(order)) && isAt(partsOf(order).goal, place))
    .sort((a, b) => partsOf(a).way - partsOf(b).way);

/** Supports and convoys of the unit in a province, supports first. @param help the only kind that is wanted; null for both */
const helpsOf = (orders: readonly string[], tag: string, help: Help): string[] =>
  orders
    .filter((order) => partsOf(order).helped === tag && (help ?? partsOf(order).kind) === partsOf(order).kind)
    .sort((a, b) => Number(partsOf(a).kind === 'C') - Number(partsOf(b).kind === 'C'));

/** Orders that have the same second click: what further clicks on it give, one after the other. */
const singles = ({ orders, first, help }: Choice): string[] => {
  const [tag, byHelp] = [first ?? '', helpsOf(orders, first ?? '', help)];
  const stays = byHelp.filter((order) => partsOf(order).goal === null);
  if (help !== null) return stays;
  const [now, later] = [movesTo(orders, tag), [] as string[]];
  // A convoy to where the unit can also walk is the rarest wish: it comes last.
  while (now.length > 1 && partsOf(now[now.length - 1]).way > partsOf(now[0]).way) later.unshift(now.pop() as string);
  return [...now, ...stays, ...later];
};

/** Orders that the choice still leads to, as buttons show them. */
export const ordersLeft = (choice: Choice): readonly string[] => {
  const { orders, first, help } = choice;
  if (first === null) return help === null ? orders : orders.filter((order) => partsOf(order).kind === help);
  return [...new Set([...singles(choice), ...helpsOf(orders, first, help)])];
};

/** What the next click may be on. */
export interface Targets {
  /** Provinces to go to, to hold in, or to build in. */
  readonly moves: ReadonlySet<string>;
  /** Provinces of units to support or convoy, where no move is legal. */
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

/** @param among those that are left; several of them need another click */
const choosing = (choice: Choice, among: readonly string[]): Click =>
  among.length === 1 ? giving(choice, among[0]) : { kind: 'choice', choice };

/** The next order of a list; the first one where the present one is not in it. */
const after = (list: readonly string[], present: string | null): string | undefined =>
  list[list.indexOf(present ?? '') + 1];

/** The first click: on a unit, or where something is built or removed. @param written the order that is there already */
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
  // A dislodged unit with nowhere to go has only its disbandment, and keeps it.
  return next === undefined ? { kind: 'clear', home: tag } : giving(choice, next);
};

/** The second click. */
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
 * @param all what may be ordered
 * @param choice what is chosen, if anything
 * @param place the province clicked, or a coast by its label: 'SPA', 'SPA/NC'
 * @param written returns the order that a province has already; null for none
 */
export const clickAt = (
  all: readonly Orderable[],
  choice: Choice | null,
  place: string,
  written: (home: string) => string | null = () => null,
): Click => {
  const tag = province(place);
  const anew = (): Click => begin(all, place, written(tag));
  // What is built or removed is all in its first click.
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

/** A unit that is dragged: it moves, whatever stands where it goes. */
export const dragTo = (all: readonly Orderable[], from: string, place: string): Click => {
  const begun = begin(all, from, null);
  if (begun.kind !== 'choice') return { kind: 'nothing' };
  const moves = movesTo(begun.choice.orders, place);
  if (moves.length === 0) return { kind: 'nothing' };
  const easy = moves.filter((order) => partsOf(order).way === partsOf(moves[0]).way);
  return choosing({ ...begun.choice, first: province(place) }, easy);
};
