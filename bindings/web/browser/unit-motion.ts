// Animates the moves of units on a board that was redrawn.
import type { DrawnOrder } from '../../draw/drawn-phase.js';
import { unitAt } from './order-links.js';

const MOVE_MS = 700;

type Spot = readonly [x: number, y: number];

const spotOf = (unit: Element): Spot | null => {
  const found = /translate\(([-\d.]+)[ ,]+([-\d.]+)/.exec(unit.getAttribute('transform') ?? '');
  return found === null ? null : [Number(found[1]), Number(found[2])];
};

export const wantsMotion = (): boolean => !matchMedia('(prefers-reduced-motion: reduce)').matches;

/**
 * Returns the positions of the units on a board, as [x, y] in drawing units, keyed by power and unit ('FRANCE A PAR').
 */
export const spotsOn = (board: Element): ReadonlyMap<string, Spot> =>
  new Map(
    [...board.querySelectorAll('.unit')].flatMap((unit): [string, Spot][] => {
      const spot = spotOf(unit);
      return spot === null ? [] : [[unitAt(unit) ?? '', spot]];
    }),
  );

/**
 * Moves the units on a board from their old positions to their new ones, animated. Does nothing if the user wants less
 * motion.
 * @param before old positions, from spotsOn()
 * @param origin for units that moved, their name before the move, keyed by their name after it; both as 'FRANCE A PAR'
 */
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

/**
 * Returns the names of units before their moves, keyed by their names after them, both as 'FRANCE A PAR'. Has only
 * units whose move or retreat succeeded.
 */
export const originsIn = (orders: readonly DrawnOrder[]): Map<string, string> => {
  const origins = new Map<string, string>();
  for (const { power, unit, order, result } of orders) {
    const to = /^[AF] \S+ (?:-|R) (\S+)/.exec(order ?? '')?.[1];
    if (unit && to !== undefined && result === 'succeeds') origins.set(`${power} ${unit[0]} ${to}`, `${power} ${unit}`);
  }
  return origins;
};

/** Resolves after a number of milliseconds, or earlier with the first key or click. */
export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      for (const type of ['keydown', 'pointerdown']) removeEventListener(type, end, true);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    for (const type of ['keydown', 'pointerdown']) addEventListener(type, end, true);
  });
