// Moves the units of a board that was drawn anew from where they were.
import type { DrawnOrder } from '../../draw/drawn-phase.js';
import { unitAt } from './order-links.js';

const MOVE_MS = 700;

type Spot = readonly [x: number, y: number];

const spotOf = (unit: Element): Spot | null => {
  const found = /translate\(([-\d.]+)[ ,]+([-\d.]+)/.exec(unit.getAttribute('transform') ?? '');
  return found === null ? null : [Number(found[1]), Number(found[2])];
};

export const wantsMotion = (): boolean => !matchMedia('(prefers-reduced-motion: reduce)').matches;

/** Where the units of a board are: 'FRANCE A PAR'. */
export const spotsOn = (board: Element): ReadonlyMap<string, Spot> =>
  new Map(
    [...board.querySelectorAll('.unit')].flatMap((unit): [string, Spot][] => {
      const spot = spotOf(unit);
      return spot === null ? [] : [[unitAt(unit) ?? '', spot]];
    }),
  );

/** @param before where units were @param origin of a unit that has moved: where it was, 'FRANCE A PAR' */
export const animateMoves = (
  board: Element,
  before: ReadonlyMap<string, Spot>,
  origin: ReadonlyMap<string, string>,
): void => {
  if (!wantsMotion()) return;
  for (const unit of board.querySelectorAll('.unit')) {
    const key = unitAt(unit) ?? '';
    const [from, to] = [before.get(origin.get(key) ?? key), spotOf(unit)];
    if (from === undefined || to === null || (from[0] === to[0] && from[1] === to[1])) continue;
    const at = ([x, y]: Spot): Keyframe => ({ transform: `translate(${x}px,${y}px)` });
    unit.animate([at(from), at(to)], { duration: MOVE_MS, easing: 'ease-in-out' });
  }
};

/** Units that have moved by orders, by where they are now: where they were. Both as 'FRANCE A PAR'. */
export const originsIn = (orders: readonly DrawnOrder[]): Map<string, string> => {
  const origins = new Map<string, string>();
  for (const { power, unit, order, result } of orders) {
    const to = /^[AF] \S+ (?:-|R) (\S+)/.exec(order ?? '')?.[1];
    if (unit && to !== undefined && result === 'succeeds') origins.set(`${power} ${unit[0]} ${to}`, `${power} ${unit}`);
  }
  return origins;
};
