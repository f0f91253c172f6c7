// A plot of lines with axes, which tells the values at the mouse or, by arrow keys, point by point.
import { roundTicks } from '../../draw/ticks.js';
import { drawing, element } from './page.js';

export interface PlotPoint {
  readonly x: number;
  readonly y: number;
  /** What is told of it: '0.250 ± 0.013'. */
  readonly text: string;
  /** Of y; drawn as a bar. */
  readonly error?: number | null;
  /** Draws a dot; 'drop' is one that stands out. */
  readonly dot?: 'full' | 'drop';
}

export interface PlotLine {
  readonly name: string;
  /** Class of its colour. Default: one of those that a page has for lines. */
  readonly style?: string;
  readonly points: readonly PlotPoint[];
}

export interface LinePlot {
  /** With what is measured and its unit. */
  readonly title: string;
  /** What x is, with its unit. */
  readonly unit: string;
  readonly lines: readonly PlotLine[];
  /** Horizontal lines that are named. */
  readonly limits?: readonly { readonly y: number; readonly text: string }[];
  /** Ticks of y. Default: round numbers. */
  readonly ticks?: readonly { readonly y: number; readonly text: string }[];
  /** Ticks of x. Default: round numbers. */
  readonly places?: readonly { readonly x: number; readonly text: string }[];
  readonly xText: (x: number) => string;
  /** Lines are of whole numbers: they go in steps, equal ones side by side; the greatest is told first, 0 is not. */
  readonly isCounted?: boolean;
  /** Tells what is under the mouse, and is hidden without it. Default: a line below the plot; then there is a legend too. */
  readonly teller?: HTMLElement;
  /** In units of its text, 12 of which are a letter's height. Default: 720 x 230. */
  readonly size?: readonly [width: number, height: number];
  /** What a click at an x does. */
  readonly go?: (x: number) => void;
}

export interface LivePlot {
  readonly figure: HTMLElement;
  /** Tells the values at an x, or those before it. */
  readonly show: (x: number) => void;
  /** Shows one line before the others, by its name; null for all alike. */
  readonly only: (name: string | null) => void;
}

const RIGHT = 12;
const TOP = 10;
/** Number of colours that a page has for lines. */
const COLOURS = 7;

export const shortNumber = (value: number): string => String(Number(value.toPrecision(4)));

/** Steps on an axis, at most. */
const PARTS = 5;

const rangeOf = ({ lines, limits = [] }: LinePlot): [number, number] => {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { points } of lines)
    for (const { y, error } of points) {
      least = Math.min(least, y - (error ?? 0));
      most = Math.max(most, y + (error ?? 0));
    }
  for (const { y } of limits) [least, most] = [Math.min(least, y), Math.max(most, y)];
  // From 0, where that is not far.
  if (least > 0 && least < 0.6 * most) least = 0;
  const pad = Math.max((most - least) * 0.04, Math.abs(most) * 1e-3, 1e-9);
  return [least === 0 ? 0 : least - pad, most + pad];
};

/** The number of the value that is nearest to a wanted one. @param values ascending */
const nearest = (values: readonly number[], wanted: number): number => {
  let [low, high] = [0, values.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (values[middle] <= wanted) low = middle;
    else high = middle;
  }
  return wanted - values[low] <= values[high] - wanted ? low : high;
};

/** A figure with the plot, its legend and a line that tells what is under the mouse. */
export const linePlot = (plot: LinePlot): HTMLElement => livePlot(plot).figure;

/** The same for a page that moves its cursor. */
export const livePlot = (plot: LinePlot): LivePlot => {
  const { title, unit, lines, limits = [], xText, isCounted = false, teller, go } = plot;
  const left = isCounted ? 24 : 64;
  const [wide, high] = plot.size ?? [720, 230];
  const foot = unit === '' ? 24 : 40;
  const styleOf = (i: number): string => lines[i].style ?? `c${i % COLOURS}`;
  const xs = [...new Set(lines.flatMap(({ points }) => points.map(({ x }) => x)))].sort((a, b) => a - b);
  const [least, most] = rangeOf(plot);
  const [begin, end] = [Math.min(0, xs[0]), Math.max(xs[xs.length - 1], 1e-9)];
  const across = (value: number): number => left + ((value - begin) / (end - begin)) * (wide - left - RIGHT);
  const down = (value: number): number => high - foot - ((value - least) / (most - least)) * (high - foot - TOP);
  const roundPlaces = (): LinePlot['places'] => roundTicks(begin, end, PARTS).map((x) => ({ x, text: xText(x) }));
  const words = (x: number, y: number, anchor: string, text: string): SVGElement =>
    drawing('text', { x: x.toFixed(1), y: y.toFixed(1), 'text-anchor': anchor }, text);
  const level = (kind: string, y: number): SVGElement =>
    drawing('path', { class: kind, d: `M${left} ${down(y).toFixed(1)}H${wide - RIGHT}` });
  const ticks = (plot.ticks ?? roundTicks(least, most, PARTS).map((y) => ({ y, text: shortNumber(y) }))).filter(
    ({ y }) => y >= least && y <= most,
  );
  const grid = [
    ...ticks.flatMap(({ y, text }) => [level('grid', y), words(left - 6, down(y) + 4, 'end', text)]),
    ...(plot.places ?? roundPlaces() ?? []).map(({ x, text }) => {
      const isLast = across(x) > wide - 4 * RIGHT;
      return words(isLast ? wide : across(x), high - foot + 16, isLast ? 'end' : 'middle', text);
    }),
    words((left + wide - RIGHT) / 2, high - 6, 'middle', unit),
    ...limits.flatMap(({ y, text }) => [
      level('limit', y),
      words(left + 4, down(y) + (down(y) < TOP + 14 ? 13 : -4), 'start', text),
    ]),
  ];
  const drawn = lines.map(({ points }, i) => {
    const aside = isCounted ? ((i + 0.5) / lines.length - 0.5) * Math.min(8, lines.length * 1.1) : 0;
    const at = points.map(({ x, y }) => [across(x).toFixed(1), (down(y) + aside).toFixed(1)] as const);
    const steps = at.map(([x, y], k) => (k === 0 ? `M${x} ${y}` : `H${x}V${y}`)).join('');
    const line = isCounted ? steps : `M${at.map((one) => one.join(' ')).join('L')}`;
    const bars = points.flatMap(({ x, y, error }) =>
      error ? [`M${across(x).toFixed(1)} ${down(y - error).toFixed(1)}V${down(y + error).toFixed(1)}`] : [],
    );
    const dots = points.flatMap(({ x, y, dot }) =>
      dot === undefined && points.length > 1
        ? []
        : [drawing('circle', { class: dot ?? 'full', cx: across(x).toFixed(1), cy: down(y).toFixed(1), r: 3.5 })],
    );
    return drawing(
      'g',
      { class: styleOf(i) },
      drawing('title', {}, lines[i].name),
      drawing('path', { class: 'line', d: at.length === 0 ? 'M0 0' : line }),
      drawing('path', { class: 'error', d: bars.length === 0 ? 'M0 0' : bars.join('') }),
      ...dots,
    );
  });
  const [cursor, hovered] = ['cursor', 'cursor hovered'].map((kind) => drawing('path', { class: kind }));
  const slider = {
    role: 'slider',
    tabindex: 0,
    'aria-label': title,
    'aria-valuemin': 0,
    'aria-valuemax': xs.length - 1,
  };
  const picture = drawing(
    'svg',
    { viewBox: `0 0 ${wide} ${high}`, ...slider, 'aria-valuenow': xs.length - 1 },
    ...grid,
    ...drawn,
    hovered,
    cursor,
  );
  const told = teller ?? element('p', { class: 'told' });
  let at = xs.length - 1;
  const place = (mark: SVGElement, index: number): void =>
    mark.setAttribute('d', `M${across(xs[index]).toFixed(1)} ${TOP}V${high - foot}`);
  const textAt = (index: number): string => {
    const x = xs[index];
    const found = lines.flatMap(({ name, points }) => {
      const point = points.find((one) => one.x === x);
      return point === undefined || (isCounted && point.y === 0) ? [] : [{ name, ...point }];
    });
    if (isCounted) found.sort((a, b) => b.y - a.y);
    return `${`${xText(x)} ${unit}`.trim()}: ${found.map(({ name, text }) => `${name} ${text}`).join(', ')}`;
  };
  const show = (index: number): void => {
    at = Math.max(0, Math.min(xs.length - 1, index));
    place(cursor, at);
    picture.setAttribute('aria-valuenow', String(at));
    picture.setAttribute('aria-valuetext', textAt(at));
    told.replaceChildren(textAt(at));
  };
  const indexAt = ({ clientX }: MouseEvent): number => {
    const { left: start, width } = picture.getBoundingClientRect();
    const part = (((clientX - start) / width) * wide - left) / (wide - left - RIGHT);
    return nearest(xs, begin + part * (end - begin));
  };
  picture.addEventListener('pointermove', (event) => {
    place(hovered, indexAt(event));
    told.replaceChildren(textAt(indexAt(event)));
    told.hidden = false;
  });
  picture.addEventListener('pointerleave', () => {
    hovered.removeAttribute('d');
    told.hidden = teller !== undefined;
    told.replaceChildren(textAt(at));
  });
  picture.addEventListener('click', (event) => {
    show(indexAt(event));
    go?.(xs[at]);
  });
  picture.addEventListener('keydown', (event) => {
    const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, PageUp: 10, PageDown: -10 };
    const step = steps[event.key];
    if (step === undefined && event.key !== 'Home' && event.key !== 'End') return;
    event.preventDefault();
    show(step === undefined ? (event.key === 'Home' ? 0 : xs.length - 1) : at + step);
    go?.(xs[at]);
  });
  show(at);
  const legend = lines.map(({ name }, i) => {
    const sample = drawing(
      'svg',
      { viewBox: '0 0 24 8', class: styleOf(i), 'aria-hidden': 'true' },
      drawing('path', { class: 'line', d: 'M0 4H24' }),
    );
    return element('span', {}, sample, ` ${name}`);
  });
  const figure = element(
    'figure',
    { class: 'plot' },
    ...(teller === undefined ? [element('figcaption', {}, title)] : []),
    ...(teller === undefined && lines.length > 1 ? [element('p', { class: 'legend' }, ...legend)] : []),
    picture,
    ...(teller === undefined ? [told] : []),
  );
  return {
    figure,
    show: (x) => show(xs.filter((one) => one <= x).length - 1),
    only: (name) => {
      for (const [i, line] of drawn.entries()) line.classList.toggle('faint', name !== null && lines[i].name !== name);
    },
  };
};
