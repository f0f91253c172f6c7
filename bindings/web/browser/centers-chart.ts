// The chart of a game: the centres of each power by phase, with years, numbers and what wins.
import { roundTicks } from '../../draw/ticks.js';
import { phaseTitle, powerTitle } from '../../draw/titles.js';
import type { ReplayData } from '../page-data.js';
import { type LivePlot, livePlot } from './line-plot.js';
import { byId } from './page.js';

const WIDTH = 340;
/** A year on the axis with the room around it. */
const YEAR = 34;

/** @param go called with the place of a phase that is picked */
export const centersChart = (
  holder: Element,
  { phases, powers, victory }: ReplayData,
  go: (index: number) => void,
): LivePlot => {
  const lines = powers.map(({ name }, q) => ({
    ...{ name: powerTitle(name), style: `power p${q}` },
    points: phases.map(({ centers }, x) => {
      const y = centers?.[name]?.length ?? 0;
      return { x, y, text: String(y) };
    }),
  }));
  const round = roundTicks(0, victory, 5, 1);
  const marks = [...round.filter((n) => victory - n > round[1] / 2), victory];
  const yearOf = (phase: string): string | undefined => /\d+/.exec(phase)?.[0];
  const years = phases.flatMap(({ phase }, x) => {
    const text = yearOf(phase);
    return text === undefined || (x > 0 && yearOf(phases[x - 1].phase) === text) ? [] : [{ x, text }];
  });
  const every = Math.ceil((years.length * YEAR) / WIDTH);
  const chart = livePlot({
    title: `Centres of each power by phase; ${victory} win`,
    ...{ unit: '', lines, go, isCounted: true, size: [WIDTH, 126] },
    limits: [{ y: victory, text: '' }],
    ticks: marks.map((y) => ({ y, text: String(y) })),
    places: years.filter((_, i) => i % every === 0),
    xText: (x) => phaseTitle(phases[x].phase),
    teller: byId('counted'),
  });
  holder.append(chart.figure);
  return chart;
};
