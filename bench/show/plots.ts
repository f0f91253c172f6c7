// Plots a full result as SVG files: phase-steps a second against workers, cost against units and horizon.
//
//   node dist/bench/show/plots.js RESULT.json [FOLDER]
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../selfplay/records/version.js';
import { runMain } from '../run/child.js';
import { type BenchResult, readResult } from '../run/result.js';

interface Line {
  readonly name: string;
  readonly points: readonly (readonly [number, number])[];
  readonly dashed?: boolean;
}

interface Plot {
  readonly title: string;
  readonly x: string;
  readonly y: string;
  readonly lines: readonly Line[];
  /** Small print below: machine and commit. */
  readonly note: string;
}

const WIDTH = 640;
const HEIGHT = 400;
const LEFT = 84;
const RIGHT = 24;
const TOP = 44;
const BOTTOM = 76;
const COLORS = ['#1f5f99', '#b5542a', '#4a7c3a'];
const INK = '#24292f';
const GRID = '#d8dee4';

const escapeText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Ticks at steps of 1, 2 or 5 times a power of ten, at most eight up to the greatest value. */
const tickStep = (greatest: number): number => {
  const power = 10 ** Math.floor(Math.log10(greatest / 8));
  return [1, 2, 5, 10].map((n) => n * power).find((step) => greatest / step <= 8) ?? greatest;
};

const ticksTo = (greatest: number, step: number): number[] =>
  Array.from({ length: Math.ceil(greatest / step - 1e-9) + 1 }, (_, i) => i * step);

const label = (value: number): string =>
  value >= 1e6 ? `${Number((value / 1e6).toPrecision(3))} M` : Number(value.toPrecision(3)).toLocaleString('en-US');

const text = (x: number, y: number, what: string, attributes = ''): string =>
  `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" ${attributes}>${escapeText(what)}</text>`;

/** An SVG file; both axes begin at 0. */
export const drawPlot = ({ title, x, y, lines, note }: Plot): string => {
  const all = lines.flatMap((line) => line.points);
  const greatestX = Math.max(...all.map(([at]) => at));
  const greatestY = Math.max(...all.map(([, value]) => value));
  const stepX = Math.max(1, tickStep(greatestX));
  const ticksX = ticksTo(greatestX, stepX);
  const ticksY = ticksTo(greatestY, tickStep(greatestY));
  const endX = ticksX[ticksX.length - 1];
  const endY = ticksY[ticksY.length - 1];
  const toX = (value: number): number => LEFT + (value / endX) * (WIDTH - LEFT - RIGHT);
  const toY = (value: number): number => HEIGHT - BOTTOM - (value / endY) * (HEIGHT - TOP - BOTTOM);
  const grid = ticksY.map(
    (tick) =>
      `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${toY(tick).toFixed(1)}" y2="${toY(tick).toFixed(1)}" stroke="${GRID}"/>` +
      text(LEFT - 8, toY(tick) + 4, label(tick), 'text-anchor="end"'),
  );
  const below = ticksX.map((tick) => text(toX(tick), HEIGHT - BOTTOM + 18, label(tick), 'text-anchor="middle"'));
  const drawn = lines.map(({ points, dashed, name }, i) => {
    const color = COLORS[i % COLORS.length];
    const path = points.map(([at, value]) => `${toX(at).toFixed(1)},${toY(value).toFixed(1)}`);
    const dots = path.map((point) => {
      const [cx, cy] = point.split(',');
      return `<circle cx="${cx}" cy="${cy}" r="3.5" fill="${color}"/>`;
    });
    const stroke = `fill="none" stroke="${color}" stroke-width="2"${dashed === true ? ' stroke-dasharray="6 4"' : ''}`;
    const legend = text(LEFT + 12, TOP + 14 + 18 * i, name, `fill="${color}"`);
    return `<polyline points="${path.join(' ')}" ${stroke}/>${dashed === true ? '' : dots.join('')}${legend}`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" font-family="sans-serif" font-size="13" fill="${INK}">
<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>
${text(WIDTH / 2, 24, title, 'text-anchor="middle" font-size="15" font-weight="bold"')}
${grid.join('\n')}
${below.join('\n')}
<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${toY(0)}" y2="${toY(0)}" stroke="${INK}"/>
${drawn.join('\n')}
${text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - BOTTOM + 40, x, 'text-anchor="middle"')}
${text(18, (TOP + HEIGHT - BOTTOM) / 2, y, `text-anchor="middle" transform="rotate(-90 18 ${(TOP + HEIGHT - BOTTOM) / 2})"`)}
${text(WIDTH / 2, HEIGHT - 10, note, 'text-anchor="middle" font-size="10"')}
</svg>
`;
};

/** Writes the plots of a result to a folder; returns their names, none for a result without curves. */
export const writePlots = (result: BenchResult, folder: string): string[] => {
  const { curves, machine, node, commit } = result;
  if (curves === null) return [];
  const note = `${machine.cpu}, ${machine.cores} cores, Node ${node}, commit ${(commit ?? 'unknown').slice(0, 10)}, ${result.command}`;
  const one = curves.workers[0].phase_steps_per_second;
  const most = curves.workers.filter(({ workers }) => workers <= result.threads);
  const plots: Readonly<Record<string, Plot>> = {
    'workers.svg': {
      title: 'Phase-steps a second against workers',
      x: 'workers',
      y: 'phase-steps/s',
      lines: [
        { name: 'measured', points: curves.workers.map((point) => [point.workers, point.phase_steps_per_second]) },
        {
          name: 'as many times one worker',
          dashed: true,
          points: [0, ...most.map(({ workers }) => workers)].map((n) => [n, n * one]),
        },
      ],
      note,
    },
    'units.svg': {
      title: 'Cost of a phase-step against units on the board',
      x: 'units (one-year rollouts, loading included)',
      y: 'ns a phase-step',
      lines: [
        { name: 'heuristic sampler', points: curves.units.map((point) => [point.units, point.policy]) },
        { name: 'uniform sampler', points: curves.units.map((point) => [point.units, point.uniform]) },
      ],
      note,
    },
    'horizon.svg': {
      title: 'Cost of a rollout against its horizon',
      x: 'phase-steps from spring 1901 (heuristic sampler, loading and valuing included)',
      y: 'ns a rollout',
      lines: [{ name: 'measured', points: curves.horizon.map((point) => [point.horizon, point.nanoseconds]) }],
      note,
    },
  };
  for (const [name, plot] of Object.entries(plots)) writeFileSync(join(folder, name), drawPlot(plot));
  return Object.keys(plots);
};

const main = ([file, folder = join(packageRoot, 'bench')]: readonly string[]): void => {
  if (file === undefined) throw new Error('got no file, wanted the JSON of lepanto bench --full --json');
  const names = writePlots(readResult(file), folder);
  if (names.length === 0) throw new Error(`${file}: has no curves, which --full measures`);
  console.log(names.map((name) => join(folder, name)).join('\n'));
};

await runMain(import.meta.url, main);
