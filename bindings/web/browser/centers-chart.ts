// The chart of a game: the centres of each power by phase, with years, numbers and what wins.

import { roundTicks } from '../../draw/ticks.js';
import { phaseTitle, powerTitle } from '../../draw/titles.js';
import type { ReplayData } from '../page-data.js';
import { byId, drawing } from './page.js';

const WIDTH = 340;
const HEIGHT = 118;
const LEFT = 20;
const RIGHT = 6;
const TOP = 6;
const FOOT = 16;

export interface GameChart {
  /** Marks a phase. */
  show(index: number): void;
  /** Shows one power's line before the others. */
  only(power: string | null): void;
}

/** @param go called with the place of a phase that is clicked */
export const centersChart = (
  holder: Element,
  { phases, powers, victory }: ReplayData,
  go: (index: number) => void,
): GameChart => {
  const counts = powers.map(({ name }) => phases.map(({ centers }) => centers?.[name]?.length ?? 0));
  const most = Math.max(victory, ...counts.flat());
  const last = Math.max(1, phases.length - 1);
  const x = (index: number): number => LEFT + (index / last) * (WIDTH - LEFT - RIGHT);
  const y = (count: number): number => HEIGHT - FOOT - (count / most) * (HEIGHT - FOOT - TOP);
  const across = (cls: string, count: number): SVGElement =>
    drawing('path', { class: cls, d: `M${LEFT} ${y(count).toFixed(1)}H${WIDTH - RIGHT}` });
  const text = (at: number, down: number, anchor: string, words: string): SVGElement =>
    drawing('text', { x: at.toFixed(1), y: down.toFixed(1), 'text-anchor': anchor }, words);

  const ticks = roundTicks(0, victory, 5, 1);
  const marks = ticks.filter((n) => victory - n > ticks[1] / 2);
  const numbers = [...marks, victory].map((n) => text(LEFT - 4, y(n) + 3.5, 'end', String(n)));
  const yearOf = (phase: string): string | undefined => /\d+/.exec(phase)?.[0];
  const begins = phases.flatMap(({ phase }, i) => {
    const year = yearOf(phase);
    return year === undefined || (i > 0 && yearOf(phases[i - 1].phase) === year) ? [] : [{ year, at: x(i) }];
  });
  const every = Math.ceil((begins.length * 34) / (WIDTH - LEFT));
  const years = begins.filter((_, i) => i % every === 0).map(({ year, at }) => text(at, HEIGHT - 4, 'middle', year));

  const lines = powers.map(({ name }, q) => {
    // Equal counts lie side by side.
    const aside = ((q + 0.5) / powers.length - 0.5) * Math.min(8, powers.length * 1.1);
    const d = counts[q]
      .map((n, i) => `${i === 0 ? 'M' : 'H'}${x(i).toFixed(1)}${i === 0 ? ' ' : 'V'}${(y(n) + aside).toFixed(1)}`)
      .join('');
    const title = drawing('title', {}, powerTitle(name));
    return drawing(
      'g',
      { class: `p${q}` },
      title,
      drawing('path', { class: 'edge', d }),
      drawing('path', { class: 'count', d }),
    );
  });
  const [then, now] = ['then', 'now'].map((id) => drawing('path', { id }));
  const label = `Centres of each power by phase; ${victory} win`;
  const slider = { role: 'slider', tabindex: 0, 'aria-label': label, 'aria-valuemin': 0, 'aria-valuemax': last };
  const grid = [...marks.map((n) => across('grid', n)), across('victory', victory)];
  const chart = drawing(
    'svg',
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, ...slider },
    ...grid,
    ...numbers,
    ...years,
    ...lines,
  );
  chart.append(then, now);
  holder.append(chart);

  const told = (index: number): string => {
    const owned = powers.flatMap(({ name }, q) =>
      counts[q][index] > 0 ? [[powerTitle(name), counts[q][index]] as const] : [],
    );
    const list = owned.sort((a, b) => b[1] - a[1]).map(([name, n]) => `${name} ${n}`);
    return `${phaseTitle(phases[index].phase)}: ${list.join(', ')}`;
  };
  const place = (line: SVGElement, index: number): void =>
    line.setAttribute('d', `M${x(index).toFixed(1)} ${TOP}V${HEIGHT - FOOT}`);
  const indexAt = ({ clientX }: MouseEvent): number => {
    const { left, width } = chart.getBoundingClientRect();
    const part = (((clientX - left) / width) * WIDTH - LEFT) / (WIDTH - LEFT - RIGHT);
    return Math.round(Math.min(1, Math.max(0, part)) * (phases.length - 1));
  };
  chart.addEventListener('click', (event) => go(indexAt(event)));
  chart.addEventListener('pointermove', (event) => {
    place(then, indexAt(event));
    byId('counted').hidden = false;
    byId('counted').textContent = told(indexAt(event));
  });
  chart.addEventListener('pointerleave', () => {
    then.removeAttribute('d');
    byId('counted').hidden = true;
  });
  return {
    show: (index) => {
      place(now, index);
      chart.setAttribute('aria-valuenow', String(index));
      chart.setAttribute('aria-valuetext', told(index));
    },
    only: (power) => {
      for (const [q, line] of lines.entries())
        line.classList.toggle('faint', power !== null && powers[q].name !== power);
    },
  };
};
