// Makes the charts of a replay: centres of each power by phase, and the value that each power's agent saw in the
// position, if it was recorded.
import type { CompiledMap } from '../../../engine/internal.js';
import type { DrawnPhase } from '../../draw/drawn-phase.js';
import { phaseTitle, powerTitle } from '../../draw/titles.js';
import type { ReplayPhase, ShownCandidate } from '../page-data.js';
import { byId, element } from './page.js';
import { type LivePlot, type PlotLine, plotOf, type Tick } from './plot.js';

/** Height of each chart, in pixels. */
const HEIGHT = 130;

/** Width of a year's label with the room around it, in pixels. */
const YEAR = 38;

/**
 * Returns axis marks at the first phases of years. Leaves out a mark that is too close to the mark before. A mark is at
 * the index of its phase. @param width width of the axis, in pixels
 */
const yearPlaces = (phases: readonly Pick<DrawnPhase, 'phase'>[], width: number): Tick[] => {
  const places: Tick[] = [];
  for (const [at, { phase }] of phases.entries()) {
    const [text] = /\d+/.exec(phase) ?? [];
    const last = places.at(-1);
    const room = last && ((at - last.at) / phases.length) * width;
    if (text !== undefined && last?.text !== text && (room === undefined || room >= YEAR)) places.push({ at, text });
  }
  return places;
};

/**
 * Makes the chart of the number of centres of each power by phase, and adds it to an element.
 * @param go called with the index of a phase that the user chooses
 */
export const centersChart = (
  holder: Element,
  { powerNames, victoryCenters: victory }: CompiledMap,
  phases: readonly ReplayPhase[],
  go: (index: number) => void,
): LivePlot => {
  const lines = powerNames.map((name, q) => ({
    ...{ name: powerTitle(name), style: `power p${q}` },
    points: phases.map(({ centers }, x) => {
      const y = centers?.[name]?.length ?? 0;
      return { x, y, text: String(y) };
    }),
  }));
  const most = Math.max(...lines.flatMap(({ points }) => points.map(({ y }) => y)));
  const chart = plotOf({
    title: `Centres of each power by phase; ${victory} win`,
    ...{ unit: '', lines, go, kind: 'steps', height: HEIGHT },
    // If no power is close to victory, as on the map chaos, the axis ends at the greatest number of centres.
    limits: 2 * most < victory ? [] : [{ at: victory, text: `${victory} win` }],
    places: (width) => yearPlaces(phases, width),
    xText: (x) => phaseTitle(phases[x].phase),
    teller: byId('counted'),
  });
  holder.append(chart.figure);
  return chart;
};

/** MOST_DROPS: largest number of drops of a value that are marked. LEAST_DROP: least drop that is marked. */
const MOST_DROPS = 3;
const LEAST_DROP = 0.01;

/**
 * Returns the value of a position to a power: the mean over the power's order sets, weighted by probability; null if a
 * value is missing.
 */
const worthOf = (sets: readonly ShownCandidate[]): number | null => {
  const played = sets.filter(({ probability }) => probability > 0);
  if (played.length === 0 || played.some(({ value }) => value === null)) return null;
  const all = played.reduce((sum, { probability }) => sum + probability, 0);
  return played.reduce((sum, { probability, value }) => sum + (probability / all) * (value ?? 0), 0);
};

/**
 * Makes the chart of the values that agents saw in the positions, with links to its biggest drops. Returns null for a
 * game without values.
 * @param go called with the index of a phase that the user chooses
 */
export const valueChart = (
  holder: HTMLElement,
  { powerNames }: CompiledMap,
  phases: readonly ReplayPhase[],
  go: (index: number) => void,
): LivePlot | null => {
  const courses = powerNames.flatMap((name, q) => {
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
  const chart = plotOf({
    title: 'Value to each power, as its agent judged it',
    ...{ unit: '', height: HEIGHT, lines, go },
    xText: (x) => phaseTitle(phases[x]?.phase ?? '').split(',')[0],
    places: (width) => yearPlaces(phases, width),
  });
  const links = drops.map(({ power, index, from, to }) => {
    const { phase } = phases[index];
    const text = `${powerTitle(power)} in ${phaseTitle(phase)}, ${from.toFixed(3)} to ${to.toFixed(3)}`;
    return element('li', {}, element('a', { href: `#${phase}&only=${encodeURIComponent(power)}` }, text));
  });
  const list = element('ul', {}, element('li', {}, 'Biggest drops:'), ...links);
  holder.append(chart.figure, ...(links.length > 0 ? [list] : []));
  return chart;
};
