// Plots lines and bars as SVG. Uses system fonts only.
import { mixColours, paper } from './colours.js';
import { escapeXml } from './escape-xml.js';
import { roundTicks } from './ticks.js';

const WIDTH = 720;
const HEIGHT = 400;
const LEFT = 56;
const TOP = 40;
const BOTTOM = 44;
/** Maximum width of a bar in pixels, so that a single bar does not fill the plot. */
const MOST_BAR = 64;

const { light, dark } = paper;
/** CSS rules of a plot's dark theme. The light theme is in attributes, because some viewers ignore style sheets. */
const DARK_RULES = [
  `text{fill:${dark.text}}`,
  `.back{fill:${dark.page}}`,
  '.rule{stroke:#3a444d}',
  '.bar{fill:#7db0ff}',
].join('');

const text = (x: number, y: number, what: string, anchor: 'start' | 'middle' | 'end', extra = ''): string =>
  `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}"${extra}>${escapeXml(what)}</text>`;

/**
 * Returns a plot as an SVG document with a title.
 * @param unit text below the plot
 * @param body SVG elements of the plot
 * @param rules further CSS rules for the dark theme
 */
const frame = (title: string, unit: string, body: readonly string[], rules = ''): string =>
  [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12" fill="${light.text}">`,
    `<title>${escapeXml(title)}</title><style>@media(prefers-color-scheme:dark){${DARK_RULES}${rules}}</style>`,
    `<rect class="back" width="${WIDTH}" height="${HEIGHT}" fill="white"/>`,
    text(LEFT, 22, title, 'start', ' font-size="15"'),
    ...body,
    text(LEFT, HEIGHT - 8, unit, 'start'),
    '</svg>',
    '',
  ].join('\n');

/** An axis of a plot. ticks: values with a label; at: returns the position of a value in pixels. */
interface Axis {
  readonly ticks: readonly number[];
  readonly at: (value: number) => number;
}

/** Maximum number of steps on an axis. */
const PARTS = 8;

/**
 * Returns the axis for values from `least` to `most`. The third parameter has the pixels of both ends.
 * @param leastStep minimum step between ticks, in the unit of the values
 */
const axis = (least: number, most: number, [from, to]: readonly [number, number], leastStep = 0): Axis => {
  return {
    ticks: roundTicks(least, most, PARTS, leastStep),
    at: (value) => from + ((value - least) / (most - least || 1)) * (to - from),
  };
};

const label = (value: number): string =>
  value >= 1e6 ? `${Number((value / 1e6).toPrecision(3))} M` : Number(value.toPrecision(6)).toLocaleString('en-US');

const grid = (y: Axis, right: number): string[] =>
  y.ticks.flatMap((value) => {
    const at = y.at(value).toFixed(1);
    return [
      `<line class="rule" x1="${LEFT}" x2="${right}" y1="${at}" y2="${at}" stroke="#ddd"/>`,
      text(LEFT - 6, y.at(value) + 4, label(value), 'end'),
    ];
  });

/** A line of a plot. points: x and y of each point, in the units of the axes. */
export interface PlotLine {
  readonly name: string;
  readonly colour: string;
  /** Colour in the dark theme. Default: a lighter one. */
  readonly dark?: string;
  /** Value of stroke-dasharray: '8 3'. '' for a solid line. */
  readonly dashes: string;
  readonly points: readonly (readonly [x: number, y: number])[];
}

/** Contents of a line plot. */
export interface LinePlot {
  readonly title: string;
  /** Meaning of both axes: 'mean over games, by year'. */
  readonly unit: string;
  readonly lines: readonly PlotLine[];
  /** Whole number at the start of the x axis, such as the first year. */
  readonly from: number;
}

/** Returns a plot of lines over whole numbers as SVG, with a legend. */
export const linePlot = ({ title, unit, lines, from }: LinePlot): string => {
  const all = lines.flatMap(({ points }) => points);
  const right = WIDTH - Math.max(120, ...lines.map(({ name }) => 44 + 6.5 * name.length));
  const x = axis(from, Math.max(from, ...all.map(([at]) => at)), [LEFT, right], 1);
  const y = axis(0, Math.max(1, ...all.map(([, value]) => value)), [HEIGHT - BOTTOM, TOP]);
  const drawn = lines.flatMap(({ name, colour, dashes, points }, i) => {
    const line = points.map(([at, value]) => `${x.at(at).toFixed(1)},${y.at(value).toFixed(1)}`).join(' ');
    const dashed = dashes === '' ? '' : ` stroke-dasharray="${dashes}"`;
    const legend = TOP + 8 + 18 * i;
    return [
      `<polyline points="${line}" fill="none" class="l${i}" stroke="${colour}" stroke-width="2"${dashed}/>`,
      `<rect class="m${i}" x="${right + 14}" y="${legend - 8}" width="12" height="4" fill="${colour}"/>`,
      text(right + 32, legend, name, 'start'),
    ];
  });
  const ticks = x.ticks.map((value) => text(x.at(value), HEIGHT - BOTTOM + 18, String(value), 'middle'));
  const rules = lines.map(
    ({ colour, dark = mixColours(colour, '#ffffff', 0.4) }, i) => `.l${i}{stroke:${dark}}.m${i}{fill:${dark}}`,
  );
  return frame(title, unit, [...grid(y, right), ...ticks, ...drawn], rules.join(''));
};

/** Returns a plot of bars as SVG. bars: name and value of each; at most 16 names are shown. */
export const barPlot = (title: string, bars: readonly (readonly [string | number, number])[], unit: string): string => {
  const y = axis(0, Math.max(1e-9, ...bars.map(([, value]) => value)), [HEIGHT - BOTTOM, TOP]);
  const width = (WIDTH - LEFT - 20) / Math.max(1, bars.length);
  const every = Math.ceil(bars.length / 16);
  const drawn = bars.flatMap(([name, value], i) => {
    const wide = Math.min(MOST_BAR, width * 0.8);
    const left = LEFT + i * width + (width - wide) / 2;
    const top = y.at(value);
    const bar =
      `<rect class="bar" x="${left.toFixed(1)}" y="${top.toFixed(1)}" width="${wide.toFixed(1)}" ` +
      `height="${(HEIGHT - BOTTOM - top).toFixed(1)}" fill="#0f4394"/>`;
    if (i % every !== 0) return [bar];
    return [bar, text(left + wide / 2, HEIGHT - BOTTOM + 18, String(name), 'middle', ' font-size="10"')];
  });
  return frame(title, unit, [...grid(y, WIDTH - 20), ...drawn]);
};
