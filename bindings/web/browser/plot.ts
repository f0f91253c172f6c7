// Draws charts with uPlot. They fill the width of their element, use the colours of the page and have a cursor that
// keys can move. The values at the cursor are shown as text too.
import UPlot from 'uplot';
import { element } from './page.js';

export interface PlotPoint {
  readonly x: number;
  readonly y: number;
  /** The value in words, such as '0.250 ± 0.013'. */
  readonly text: string;
  /** Standard error of y, drawn as a bar above and below the point. Default: none. */
  readonly error?: number | null;
  /** Draws a dot at the point: 'full', or 'drop' for a highlighted one. Default: none. */
  readonly dot?: 'full' | 'drop';
}

export interface PlotLine {
  readonly name: string;
  /** CSS class that gives the line its colour. Default: one of the page's colours for lines. */
  readonly style?: string;
  readonly points: readonly PlotPoint[];
}

/** A mark of an axis, or a limit: its value and its text. */
export interface Tick {
  readonly at: number;
  readonly text: string;
}

export interface Plot {
  /** Title of the chart: the quantity on the y axis and its unit. */
  readonly title: string;
  /** Title of the x axis, with its unit; '' for none. */
  readonly unit: string;
  readonly lines: readonly PlotLine[];
  /** Values of y at which a named horizontal line is drawn. Default: none. */
  readonly limits?: readonly Tick[];
  /** Marks of the y axis. Default: round numbers. */
  readonly ticks?: readonly Tick[];
  /** Returns the marks of the x axis for its width in pixels. Default: round numbers. */
  readonly places?: (width: number) => readonly Tick[];
  readonly xText: (x: number) => string;
  /**
   * 'steps' for whole numbers: lines are stepped, equal lines are drawn side by side, and the text lists the greatest
   * value first and leaves out 0. 'bars': each point is a bar from 0. Default: 'line'.
   */
  readonly kind?: 'line' | 'steps' | 'bars';
  /**
   * Element for the text at the cursor, shown only while the mouse is on the chart. Default: a line below the chart,
   * which also has a title and a legend.
   */
  readonly teller?: HTMLElement;
  /** Height of the chart in pixels. Default: 230. */
  readonly height?: number;
  /** Called with the x of a click, and of the cursor when a key moves it. */
  readonly go?: (x: number) => void;
}

export interface LivePlot {
  readonly figure: HTMLElement;
  /** Moves the cursor to an x, or to the closest smaller x that has a point. */
  readonly show: (x: number) => void;
  /** Makes all lines except the one with a name faint. null: shows all lines in full. */
  readonly only: (name: string | null) => void;
}

/** Number of the page's colours for lines. */
const COLOURS = 7;
const FONT = '12px "Helvetica Neue",Helvetica,Arial,"DejaVu Sans",sans-serif';
/** Room for the text of the axes, in pixels. LEFT, FOOT, TOP: left of the chart, below it and above it. */
const LEFT = 56;
const FOOT = 24;
const TOP = 12;
/**
 * Lines of 'steps' that would coincide are drawn side by side. ASIDE: distance between neighbours, MOST_ASIDE: greatest
 * total distance, in pixels.
 */
const ASIDE = 1.1;
const MOST_ASIDE = 8;
const FAINT = 0.12;
/** Radius of a dot, in pixels. */
const DOT = 3.5;
/** Allowed distances between the marks of an axis of whole numbers. */
const WHOLE = [1, 2, 5, 10, 20, 50, 100];
/** Height of an axis's title, in pixels. */
const LABEL = 18;
/** Options of uPlot's lines for each kind of chart. */
const builders = {
  line: {},
  steps: { paths: UPlot.paths.stepped?.({ align: 1 }) as UPlot.Series.PathBuilder },
  bars: { paths: UPlot.paths.bars?.({ size: [0.8, 60] }) as UPlot.Series.PathBuilder },
};

export const shortNumber = (value: number): string => String(Number(value.toPrecision(4)));

/**
 * Charts to redraw after a change of colours, which may come from the system, the site's theme switch, patterns or
 * printing.
 */
const drawn = new Set<UPlot>();
const restyle = (): void => {
  for (const one of drawn)
    if (one.root.isConnected) one.redraw(false);
    else drawn.delete(one);
};
for (const query of ['(prefers-color-scheme: dark)', 'print']) matchMedia(query).addEventListener('change', restyle);
addEventListener('restyle', restyle);

const rangeOf = ({ lines, limits = [], kind }: Plot): [number, number] => {
  const ends = lines.flatMap(({ points }) => points.flatMap(({ y, error }) => [y - (error ?? 0), y + (error ?? 0)]));
  const all = [...ends, ...limits.map(({ at }) => at)];
  const [low, most] = [all.reduce((a, b) => Math.min(a, b)), all.reduce((a, b) => Math.max(a, b))];
  // The axis starts at 0 if the least value is not far from 0.
  const least = kind === 'bars' || (low > 0 && low < 0.6 * most) ? 0 : low;
  const pad = Math.max((most - least) * 0.04, Math.abs(most) * 1e-3, 1e-9);
  return [least === 0 ? 0 : least - pad, most + pad];
};

/**
 * Makes a chart as a figure with its legend and the text at its cursor. The chart is drawn once the figure has a width.
 */
export const plotOf = (plot: Plot): LivePlot => {
  const { title, unit, lines, limits = [], ticks, places, xText, kind = 'line', teller, height = 230, go } = plot;
  const [isStepped, isBars] = [kind === 'steps', kind === 'bars'];
  const xs = [...new Set(lines.flatMap(({ points }) => points.map(({ x }) => x)))].sort((a, b) => a - b);
  const range = rangeOf(plot);
  const foot = unit === '' ? FOOT : FOOT + LABEL;
  const pixel = (range[1] - range[0]) / (height - foot - TOP);
  const rows = lines.map(({ points }, i) => {
    const place = (i + 0.5) / lines.length - 0.5;
    const aside = isStepped ? place * Math.min(MOST_ASIDE, lines.length * ASIDE) * pixel : 0;
    const byX = new Map(points.map(({ x, y }) => [x, y - aside]));
    return xs.map((x) => byX.get(x) ?? null);
  });

  // ---- colours, read from elements ----

  const swatches = lines.map(({ style }, i) => element('i', { class: style ?? `c${i % COLOURS}` }));
  const legend = element('p', { class: 'legend' });
  legend.append(...lines.map(({ name }, i) => element('span', {}, swatches[i], name)));
  const colour = (of: Element, name: string): string => getComputedStyle(of).getPropertyValue(name).trim();
  const ink = (line: number): string => colour(swatches[line], '--ink');

  // ---- the chart ----

  const picture = element('div', {
    ...{ class: 'picture', role: 'slider', tabindex: 0, 'aria-label': title },
    ...{ 'aria-valuemin': 0, 'aria-valuemax': xs.length - 1 },
  });
  picture.style.height = `${height}px`;
  let chart: UPlot | null = null;
  let at = xs.length - 1;
  let shown: string | null = null;
  const alphaOf = (i: number): number => (shown !== null && lines[i].name !== shown ? FAINT : 1);

  /** Draws parts that uPlot lacks: limits, errors, highlighted dots, and the cursor. */
  const draw = (u: UPlot): void => {
    const { ctx, bbox } = u;
    const ratio = UPlot.pxRatio;
    const [right, bottom] = [bbox.left + bbox.width, bbox.top + bbox.height];
    const dim = colour(picture, '--dim');
    const stroke = (style: string, [x0, y0, x1, y1]: readonly number[], dashes: readonly number[] = []): void => {
      ctx.strokeStyle = style;
      ctx.setLineDash(dashes.map((length) => length * ratio));
      ctx.beginPath();
      ctx.moveTo(x0, y0);
      ctx.lineTo(x1, y1);
      ctx.stroke();
    };
    const xAt = (x: number): number => u.valToPos(x, 'x', true);
    const yAt = (y: number): number => u.valToPos(y, 'y', true);
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left - DOT * ratio, 0, bbox.width + 2 * DOT * ratio, bottom);
    ctx.clip();
    ctx.lineWidth = ratio;
    ctx.font = FONT.replace('12', String(12 * ratio));
    for (const { at: y, text } of limits) {
      stroke(teller === undefined ? dim : colour(picture, '--bad'), [bbox.left, yAt(y), right, yAt(y)], [6, 4]);
      ctx.fillStyle = dim;
      ctx.textAlign = 'left';
      const above = yAt(y) - bbox.top > 14 * ratio;
      ctx.fillText(text, bbox.left + 4, yAt(y) + (above ? -4 : 14) * ratio);
    }
    for (const [i, { points }] of lines.entries()) {
      ctx.globalAlpha = alphaOf(i);
      const own = ink(i);
      for (const { x, y, error, dot = points.length === 1 && !isBars ? 'full' : null } of points) {
        if (error) stroke(own, [xAt(x), yAt(y - error), xAt(x), yAt(y + error)]);
        if (dot === null) continue;
        ctx.setLineDash([]);
        ctx.beginPath();
        ctx.arc(xAt(x), yAt(y), DOT * ratio, 0, 7);
        ctx.fillStyle = dot === 'drop' ? colour(picture, '--page') : own;
        ctx.strokeStyle = dot === 'drop' ? colour(picture, '--bad') : own;
        ctx.fill();
        ctx.stroke();
      }
    }
    ctx.globalAlpha = 1;
    if (!isBars) stroke(dim, [xAt(xs[at]), bbox.top, xAt(xs[at]), bottom]);
    ctx.restore();
  };

  /** Updates the dashes and the opacity of each line before it is drawn. */
  const prepare = ({ series }: UPlot): void => {
    for (const i of lines.keys()) {
      const dashes = colour(swatches[i], '--dashes').split(/[\s,]+/);
      series[i + 1].dash = isBars || dashes.length < 2 ? [] : dashes.map(Number.parseFloat);
      series[i + 1].alpha = alphaOf(i);
    }
  };

  const axis: UPlot.Axis = { stroke: () => colour(picture, '--dim'), font: FONT, ticks: { show: false }, gap: 4 };
  const across: UPlot.Axis = { ...axis, grid: { show: false }, size: FOOT };
  const down: UPlot.Axis = { ...axis, grid: { stroke: () => colour(picture, '--line'), width: 1 } };
  const textOf = (of: readonly Tick[], value: number): string => of.find((one) => one.at === value)?.text ?? '';
  const make = (width: number): UPlot => {
    const options: UPlot.Options = {
      ...{ width, height, legend: { show: false }, padding: [TOP, 12, 0, 0] },
      scales: {
        x: { time: false, range: (_, low, high) => (isBars ? [xs[0] - 0.5, xs[xs.length - 1] + 0.5] : [low, high]) },
        y: { range },
      },
      axes: [
        {
          ...{ ...across, ...(unit !== '' && { label: unit, labelSize: LABEL, labelFont: FONT }) },
          ...(isBars && { incrs: WHOLE }),
          ...(places && { splits: (u) => places(u.width).map((one) => one.at) }),
          // All x are whole numbers. Marks between them would repeat their texts, so they get none.
          values: (u, values) =>
            values.map((x) => (places ? textOf(places(u.width), x) : Number.isInteger(x) ? xText(x) : '')),
        },
        {
          ...{ ...down, size: isStepped ? 24 : LEFT, ...(isStepped && { incrs: WHOLE }) },
          ...(ticks && { splits: () => ticks.map((one) => one.at).filter((y) => y >= range[0] && y <= range[1]) }),
          values: (_, values) => values.map((y) => (ticks ? textOf(ticks, y) : shortNumber(y))),
        },
      ],
      series: [
        {},
        ...lines.map(
          ({ name }, i): UPlot.Series => ({
            ...{ label: name, stroke: () => ink(i), width: 2, points: { show: false }, spanGaps: true },
            ...{ ...builders[kind], ...(isBars && { fill: () => ink(i) }) },
          }),
        ),
      ],
      cursor: { y: false, points: { show: false }, drag: { x: !isBars && xs.length > 2, y: false } },
      hooks: { drawClear: [prepare], draw: [draw] },
    };
    const made = new UPlot(options, [xs, ...rows] as UPlot.AlignedData, picture);
    made.over.addEventListener('pointermove', () => tell(made.cursor.idx ?? at, true));
    made.over.addEventListener('pointerleave', () => tell(at, false));
    made.over.addEventListener('click', () => move(made.cursor.idx ?? at));
    restyle();
    drawn.add(made);
    return made;
  };

  // ---- the cursor ----

  const told = teller ?? element('p', { class: 'told' });
  const textAt = (index: number): string => {
    const x = xs[index];
    const found = lines.flatMap(({ name, points }) => {
      const point = points.find((one) => one.x === x);
      return point === undefined || (isStepped && point.y === 0) ? [] : [{ name, ...point }];
    });
    if (isStepped) found.sort((a, b) => b.y - a.y);
    return `${`${xText(x)} ${unit}`.trim()}: ${found.map(({ name, text }) => `${name} ${text}`.trim()).join(', ')}`;
  };
  const tell = (index: number, isHovered: boolean): void => {
    told.replaceChildren(textAt(index));
    told.hidden = teller !== undefined && !isHovered;
  };
  const show = (index: number): void => {
    at = Math.max(0, Math.min(xs.length - 1, index));
    picture.setAttribute('aria-valuenow', String(at));
    picture.setAttribute('aria-valuetext', textAt(at));
    tell(at, !told.hidden);
    chart?.redraw(false);
  };
  const move = (index: number): void => {
    show(index);
    go?.(xs[at]);
  };
  picture.addEventListener('keydown', (event) => {
    const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, PageUp: 10, PageDown: -10 };
    const by = { ...steps, Home: -xs.length, End: xs.length }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    move(at + by);
  });
  show(at);

  new ResizeObserver(([{ contentRect }]) => {
    const width = Math.floor(contentRect.width);
    if (width === 0) return;
    if (chart === null) chart = make(width);
    else chart.setSize({ width, height });
  }).observe(picture);
  const figure = element('figure', { class: 'plot' });
  legend.hidden = teller !== undefined || lines.length < 2 || isBars;
  if (teller === undefined) figure.append(element('figcaption', {}, title), legend, picture, told);
  else figure.append(legend, picture);
  return {
    figure,
    show: (x) => show(xs.filter((one) => one <= x).length - 1),
    only: (name) => {
      shown = name;
      chart?.redraw(false);
    },
  };
};
