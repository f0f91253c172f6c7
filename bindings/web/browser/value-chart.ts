// The chart of what a game was worth to each power, as its agent judged it before its orders: where the record says it.
import { phaseTitle, powerTitle } from '../../draw/titles.js';
import type { ReplayData, ShownCandidate } from '../page-data.js';
import { fittedPlot, yearPlaces } from './fitted-plot.js';
import type { LivePlot, PlotLine } from './line-plot.js';
import { element } from './page.js';

/** Drops that are marked, and the least that is one. */
const MOST_DROPS = 3;
const LEAST_DROP = 0.01;

/** What a position is worth: the mean of its order sets by their probabilities; null where that is unknown. */
const worthOf = (sets: readonly ShownCandidate[]): number | null => {
  const played = sets.filter(({ probability }) => probability > 0);
  if (played.length === 0 || played.some(({ value }) => value === null)) return null;
  const all = played.reduce((sum, { probability }) => sum + probability, 0);
  return played.reduce((sum, { probability, value }) => sum + (probability / all) * (value ?? 0), 0);
};

/** @param go called with the place of a phase that is picked @returns null for a game without values */
export const valueChart = (
  holder: HTMLElement,
  { phases, powers }: ReplayData,
  go: (index: number) => void,
): Omit<LivePlot, 'figure'> | null => {
  const courses = powers.flatMap(({ name }, q) => {
    const values = phases.flatMap(({ search }, index) => {
      const value = worthOf(search[name] ?? []);
      return value === null ? [] : [{ index, value }];
    });
    return values.length === 0 ? [] : [{ name, q, values }];
  });
  if (courses.length === 0) return null;
  const falls = courses.flatMap(({ name: power, values }) =>
    values.slice(1).map(({ value: to }, i) => ({ power, index: values[i].index, from: values[i].value, to })),
  );
  const drops = falls.filter(({ from, to }) => from - to >= LEAST_DROP);
  drops.sort((a, b) => b.from - b.to - (a.from - a.to)).splice(MOST_DROPS);
  const lines = courses.map(({ name, q, values }): PlotLine => {
    const isDrop = (at: number): boolean => drops.some(({ power, index }) => power === name && index === at);
    const points = values.map(({ index, value }) => ({
      ...{ x: index, y: value, text: value.toFixed(3) },
      ...(isDrop(index) && { dot: 'drop' as const }),
    }));
    return { name: powerTitle(name), style: `power p${q}`, points };
  });
  holder.hidden = false;
  const chart = fittedPlot(holder, (width) => ({
    title: 'Value to each power, as its agent judged it',
    ...{ unit: '', lines, go },
    xText: (x) => phaseTitle(phases[x]?.phase ?? '').split(',')[0],
    places: yearPlaces(phases, width),
    size: [width, 130],
  }));
  const links = drops.map(({ power, index, from, to }) => {
    const { phase } = phases[index];
    const text = `${powerTitle(power)} in ${phaseTitle(phase)}, ${from.toFixed(3)} to ${to.toFixed(3)}`;
    return element('li', {}, element('a', { href: `#${phase}&only=${encodeURIComponent(power)}` }, text));
  });
  const list = element('ul', {}, element('li', {}, 'Biggest drops:'), ...links);
  if (links.length > 0) holder.append(list);
  return chart;
};
