// The chart of a game: the centres of each power by phase, with years, numbers and what wins.
import { roundTicks } from '../../draw/ticks.js';
import { phaseTitle, powerTitle } from '../../draw/titles.js';
import type { ReplayData } from '../page-data.js';
import { fittedPlot, yearPlaces } from './fitted-plot.js';
import type { LivePlot } from './line-plot.js';
import { byId } from './page.js';

/** @param go called with the place of a phase that is picked */
export const centersChart = (
  holder: Element,
  { phases, powers, victory }: ReplayData,
  go: (index: number) => void,
): Omit<LivePlot, 'figure'> => {
  const lines = powers.map(({ name }, q) => ({
    ...{ name: powerTitle(name), style: `power p${q}` },
    points: phases.map(({ centers }, x) => {
      const y = centers?.[name]?.length ?? 0;
      return { x, y, text: String(y) };
    }),
  }));
  const round = roundTicks(0, victory, 5, 1);
  const marks = [...round.filter((n) => victory - n > round[1] / 2), victory];
  return fittedPlot(holder, (width) => ({
    title: `Centres of each power by phase; ${victory} win`,
    ...{ unit: '', lines, go, isCounted: true, size: [width, 130] },
    limits: [{ y: victory, text: '' }],
    ticks: marks.map((y) => ({ y, text: String(y) })),
    places: yearPlaces(phases, width),
    xText: (x) => phaseTitle(phases[x].phase),
    teller: byId('counted'),
  }));
};
