// Plots lines over years, and bars, as SVG text. Needs no font but the reader's own.
import { looksOf, type Pattern, strokeOf } from '../../draw/colours.js';
import { escapeXml } from '../../draw/escape-xml.js';

const WIDTH = 720;
const HEIGHT = 400;
const LEFT = 56;
const RIGHT = 120;
const TOP = 40;
const BOTTOM = 44;
const BAR_COLOUR = '#0f4394';
/** How lines of one colour are told apart, by the pattern of their power's land. */
const dashes: Readonly<Record<Pattern, string>> = { plain: '', stripes: '8 3', dots: '2 3', waves: '8 3 2 3' };

const text = (x: number, y: number, what: string, anchor: 'start' | 'middle' | 'end', extra = ''): string =>
  `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}"${extra}>${escapeXml(what)}</text>`;

const frame = (title: string, body: readonly string[]): string =>
  [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">`,
    `<title>${escapeXml(title)}</title>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="white"/>`,
    text(LEFT, 22, title, 'start', ' font-size="15"'),
    ...body,
    '</svg>',
    '',
  ].join('\n');

/** A step of 1, 2 or 5 times a power of ten that divides a range into at most eight. */
const stepFor = (range: number): number => {
  const rough = range / 8 || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 5, 10].find((one) => one * power >= rough) ?? 10;
  return factor * power;
};

interface Axis {
  readonly least: number;
  readonly most: number;
  readonly at: (value: number) => number;
}

const axis = (least: number, most: number, from: number, to: number): Axis => ({
  least,
  most,
  at: (value) => from + ((value - least) / (most - least || 1)) * (to - from),
});

const grid = (y: Axis): string[] => {
  const step = stepFor(y.most - y.least);
  const lines: string[] = [];
  for (let value = y.least; value <= y.most + 1e-9; value += step) {
    const at = y.at(value).toFixed(1);
    lines.push(`<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${at}" y2="${at}" stroke="#ddd"/>`);
    lines.push(text(LEFT - 6, y.at(value) + 4, String(Number(value.toPrecision(6))), 'end'));
  }
  return lines;
};

export interface PlotLine {
  readonly name: string;
  readonly values: readonly number[];
}

/** Lines over the same years, one for each power of a map, in the colours of its boards. */
export const linePlot = (title: string, years: readonly number[], lines: readonly PlotLine[], unit: string): string => {
  const most = Math.max(1, ...lines.flatMap(({ values }) => values));
  const x = axis(years[0] ?? 0, years[years.length - 1] ?? 1, LEFT, WIDTH - RIGHT);
  const y = axis(0, most, HEIGHT - BOTTOM, TOP);
  const step = Math.max(1, stepFor(x.most - x.least));
  const ticks = years
    .filter((year) => (year - x.least) % step === 0)
    .map((year) => text(x.at(year), HEIGHT - BOTTOM + 18, String(year), 'middle'));
  const looks = looksOf(
    lines.map(({ name }) => name),
    [],
  );
  const drawn = lines.flatMap(({ name, values }, i) => {
    const colour = strokeOf(looks[i], 'light');
    const dashed = looks[i].pattern === 'plain' ? '' : ` stroke-dasharray="${dashes[looks[i].pattern]}"`;
    const points = values.map((value, k) => `${x.at(years[k]).toFixed(1)},${y.at(value).toFixed(1)}`).join(' ');
    const legend = TOP + 8 + 18 * i;
    return [
      `<polyline points="${points}" fill="none" stroke="${colour}" stroke-width="2"${dashed}/>`,
      `<rect x="${WIDTH - RIGHT + 14}" y="${legend - 8}" width="12" height="4" fill="${colour}"/>`,
      text(WIDTH - RIGHT + 32, legend, name, 'start'),
    ];
  });
  return frame(title, [...grid(y), ...ticks, ...drawn, text(LEFT, HEIGHT - 8, unit, 'start')]);
};

export interface Bar {
  readonly name: string;
  readonly value: number;
}

export const barPlot = (title: string, bars: readonly Bar[], unit: string): string => {
  const y = axis(0, Math.max(1e-9, ...bars.map(({ value }) => value)), HEIGHT - BOTTOM, TOP);
  const width = (WIDTH - LEFT - 20) / Math.max(1, bars.length);
  const drawn = bars.flatMap(({ name, value }, i) => {
    const left = LEFT + i * width + width * 0.1;
    const top = y.at(value);
    const every = Math.ceil(bars.length / 16);
    return [
      `<rect x="${left.toFixed(1)}" y="${top.toFixed(1)}" width="${(width * 0.8).toFixed(1)}" ` +
        `height="${(HEIGHT - BOTTOM - top).toFixed(1)}" fill="${BAR_COLOUR}"/>`,
      ...(i % every === 0 ? [text(left + width * 0.4, HEIGHT - BOTTOM + 18, name, 'middle', ' font-size="10"')] : []),
    ];
  });
  return frame(title, [...grid(y), ...drawn, text(LEFT, HEIGHT - 8, unit, 'start')]);
};
