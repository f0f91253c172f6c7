// Plots that are drawn again for the width of their place, so that their letters keep one size.
import type { DrawnPhase } from '../../draw/drawn-phase.js';
import { type LinePlot, type LivePlot, livePlot } from './line-plot.js';

/** Pixels until the page is laid out. */
const UNKNOWN_WIDTH = 340;

/** Pixels of a year on an axis with the room around it. */
const YEAR = 38;

/** Ticks at the first phase of each year, or of every second or third year where a width has no room for all. */
export const yearPlaces = (
  phases: readonly Pick<DrawnPhase, 'phase'>[],
  width: number,
): { readonly x: number; readonly text: string }[] => {
  const yearOf = (phase: string): string | undefined => /\d+/.exec(phase)?.[0];
  const years = phases.flatMap(({ phase }, x) => {
    const text = yearOf(phase);
    return text === undefined || (x > 0 && yearOf(phases[x - 1].phase) === text) ? [] : [{ x, text }];
  });
  const every = Math.ceil((years.length * YEAR) / width);
  return years.filter((_, i) => i % every === 0);
};

/**
 * Adds a plot to an element and keeps it as wide as the element.
 * @param make returns the plot for a width in pixels
 */
export const fittedPlot = (holder: Element, make: (width: number) => LinePlot): Omit<LivePlot, 'figure'> => {
  let width = holder.clientWidth || UNKNOWN_WIDTH;
  let plot = livePlot(make(width));
  let [x, name]: [number | null, string | null] = [null, null];
  holder.append(plot.figure);
  new ResizeObserver(() => {
    const now = holder.clientWidth;
    if (now === width || now === 0) return;
    width = now;
    const old = plot.figure;
    plot = livePlot(make(width));
    old.replaceWith(plot.figure);
    if (x !== null) plot.show(x);
    plot.only(name);
  }).observe(holder);
  return {
    show: (wanted) => {
      x = wanted;
      plot.show(wanted);
    },
    only: (wanted) => {
      name = wanted;
      plot.only(wanted);
    },
  };
};
