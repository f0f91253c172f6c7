// Shows the board of a page, with zoom and pan by wheel, pinch, drag, keys and buttons.
//
// Names, units, arrowheads and marks keep a readable size at any zoom, as far as the map has room for them. On a small
// screen they are smaller until the user zooms in.
import { boxOf, overlap, placeNames } from './name-places.js';
import { button, drawing, element, takesKeys } from './page.js';
import { applyTheme, followTheme } from './theme.js';

/**
 * NAME_PX: least size of names, in pixels. UNIT_PX, CODED_PX: least radius of units, and of units with letters for
 * their powers.
 */
const NAME_PX = 9;
const UNIT_PX = 8;
const CODED_PX = 11.5;
/**
 * Sizes in drawing units. NAME, UNIT: size of names and radius of units without zoom. MOST_NAME, MOST_UNIT: the largest
 * ones that do not overlap.
 */
const NAME = 9;
const MOST_NAME = 13.5;
const UNIT = 9.8;
const MOST_UNIT = 14;
/** Width of the zoomed board below which units are drawn as discs and triangles, in pixels. */
const FAR_PX = 500;

const MOST_ZOOM = 8;
const STEP = 1.5;
/** Distance from which a press that moves is a drag instead of a click, in pixels. */
const DRAG_PX = 5;

/** Width and height of the column of zoom buttons in a corner of the board, in pixels. */
const TOOLS_PX = [46, 160] as const;
/** Height of a unit above the name of its province, in drawing units. */
const UNIT_ROOM = 26;
const CORNERS = [
  ['left', 'top'],
  ['left', 'bottom'],
  ['right', 'top'],
  ['right', 'bottom'],
] as const;

interface Spot {
  readonly x: number;
  readonly y: number;
}

/** Frame of a board: what BoardView must know of its map. */
export interface ShownBoard {
  /** CSS class of the board's root element, to which its styles are limited. */
  readonly scope: string;
  /** `width`, `height`: size of the map in drawing units. */
  readonly width: number;
  readonly height: number;
  /** True if units have letters for their powers. */
  readonly isCoded: boolean;
}

export interface BoardView {
  readonly svg: SVGElement;
  /** Sets the map of the board, and shows all of it, without zoom. */
  useMap(board: ShownBoard): void;
  /**
   * Adapts layers that were drawn again to the size of the board: widths of lines, and places of names that units would
   * cover.
   */
  refit(): void;
}

const clamp = (value: number, least: number, most: number): number => Math.min(Math.max(value, least), most);

/** The user's choice of patterns instead of colours, stored in the browser if possible. */
const kept = {
  wanted: false,
  has(): boolean {
    try {
      return (localStorage.getItem('patterns') ?? '') !== '';
    } catch {
      return this.wanted;
    }
  },
  set(wanted: boolean): void {
    this.wanted = wanted;
    try {
      localStorage.setItem('patterns', wanted ? 'yes' : '');
    } catch {}
  },
};

/** Makes the board, with its buttons, in an element of the page. */
export const boardView = (holder: HTMLElement): BoardView => {
  const svg = drawing('svg', {});
  let { width, height, isCoded }: Omit<ShownBoard, 'scope'> = { width: 1, height: 1, isCoded: false };
  let [zoom, left, top] = [1, 0, 0];
  /** `fitted`: last scale of units. `named`: last size of names, in drawing units. */
  let [fitted, named] = [0, 0];

  const scale = (): number => (svg.clientWidth * zoom) / width;

  const refit = (): void => {
    placeNames(svg, named, fitted);
    const size = fitted;
    for (const line of svg.querySelectorAll<SVGElement>('.orders [stroke-width]:not(.pin *)')) {
      line.style.strokeWidth = String(size * Number(line.getAttribute('stroke-width')));
      const dashes = line.getAttribute('stroke-dasharray');
      if (dashes !== null) line.style.strokeDasharray = dashes.replace(/[\d.]+/g, (n) => String(size * Number(n)));
    }
  };

  const apply = (): void => {
    const [wide, high] = [width / zoom, height / zoom];
    left = clamp(left, 0, width - wide);
    top = clamp(top, 0, height - high);
    svg.setAttribute('viewBox', `${left.toFixed(2)} ${top.toFixed(2)} ${wide.toFixed(2)} ${high.toFixed(2)}`);
    const [now, whole] = [scale(), scale() / zoom];
    if (now === 0) return;
    const name = Math.min(Math.max(NAME_PX, NAME * whole) / now, MOST_NAME);
    const unit = Math.min(Math.max(isCoded ? CODED_PX : UNIT_PX, UNIT * whole) / now, MOST_UNIT) / UNIT;
    svg.style.setProperty('--name', `${name.toFixed(3)}px`);
    svg.style.setProperty('--pin', unit.toFixed(4));
    svg.style.setProperty('--neck', Math.max(0, 1 - unit).toFixed(4));
    svg.classList.toggle('far', svg.clientWidth * zoom < FAR_PX);
    holder.classList.toggle('zoomed', zoom > 1);
    placeTools();
    if (Math.abs(unit - fitted) + Math.abs(name - named) < 1e-4) return;
    [fitted, named] = [unit, name];
    refit();
  };

  /** Zooms by a factor around a point of the screen, which stays in place. */
  const zoomAt = (factor: number, { x, y }: Spot): void => {
    const { left: x0, top: y0 } = svg.getBoundingClientRect();
    const [mapX, mapY] = [left + (x - x0) / scale(), top + (y - y0) / scale()];
    zoom = clamp(zoom * factor, 1, MOST_ZOOM);
    left = mapX - (x - x0) / scale();
    top = mapY - (y - y0) / scale();
    apply();
  };

  /** Moves the map on the screen. @param dx pixels to the right @param dy pixels down */
  const panBy = (dx: number, dy: number): void => {
    left -= dx / scale();
    top -= dy / scale();
    apply();
  };

  const middle = (): Spot => {
    const { x, y, width: wide, height: high } = svg.getBoundingClientRect();
    return { x: x + wide / 2, y: y + high / 2 };
  };

  const pan = (right: number, down: number) => (): void => panBy(-right * svg.clientWidth, -down * svg.clientHeight);
  const commands: readonly (readonly [keys: string, name: string, sign: string, run: () => void])[] = [
    ['+=', 'Zoom in', '+', () => zoomAt(STEP, middle())],
    ['-_', 'Zoom out', '−', () => zoomAt(1 / STEP, middle())],
    ['0', 'Whole board', '⤢', () => zoomAt(0, middle())],
    ['ArrowLeft', 'Move left', '←', pan(-0.25, 0)],
    ['ArrowUp', 'Move up', '↑', pan(0, -0.25)],
    ['ArrowDown', 'Move down', '↓', pan(0, 0.25)],
    ['ArrowRight', 'Move right', '→', pan(0.25, 0)],
  ];

  // ---- touch and mouse ----

  const fingers = new Map<number, Spot>();
  let begun: Spot = { x: 0, y: 0 };
  let dragged = false;

  const between = (): { readonly at: Spot; readonly apart: number } => {
    const [a, b] = [...fingers.values()];
    return { at: { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 }, apart: Math.hypot(a.x - b.x, a.y - b.y) };
  };

  const press = ({ pointerId, clientX: x, clientY: y }: PointerEvent): void => {
    if (fingers.size === 0) {
      begun = { x, y };
      dragged = false;
    }
    fingers.set(pointerId, { x, y });
  };

  const move = ({ pointerId, clientX: x, clientY: y }: PointerEvent): void => {
    const before = fingers.get(pointerId);
    if (before === undefined) return;
    if (fingers.size === 2) {
      const { at, apart } = between();
      fingers.set(pointerId, { x, y });
      const now = between();
      panBy(now.at.x - at.x, now.at.y - at.y);
      if (apart > 0) zoomAt(now.apart / apart, now.at);
      dragged = true;
      return;
    }
    fingers.set(pointerId, { x, y });
    if (zoom === 1) return;
    if (!dragged && Math.hypot(x - begun.x, y - begun.y) < DRAG_PX) return;
    if (!dragged) svg.setPointerCapture(pointerId);
    dragged = true;
    panBy(x - before.x, y - before.y);
  };

  const release = ({ pointerId }: PointerEvent): void => {
    fingers.delete(pointerId);
  };

  svg.addEventListener('pointerdown', press);
  svg.addEventListener('pointermove', move);
  for (const type of ['pointerup', 'pointercancel'] as const) addEventListener(type, release);
  // Two fingers zoom the board. One finger scrolls the page unless the board is zoomed.
  svg.addEventListener('touchmove', (event) => event.touches.length > 1 && event.preventDefault(), { passive: false });
  svg.addEventListener('click', (event) => dragged && event.stopPropagation(), { capture: true });
  svg.addEventListener(
    'wheel',
    (event) => {
      const { deltaY, deltaMode, ctrlKey, clientX: x, clientY: y } = event;
      if (zoom === 1 && deltaY > 0 && !ctrlKey) return;
      event.preventDefault();
      const pixels = clamp(deltaMode === 0 ? deltaY : deltaY * 30, -240, 240);
      zoomAt(Math.exp(-pixels * (ctrlKey ? 0.01 : 0.002)), { x, y });
    },
    { passive: false },
  );
  addEventListener('keydown', (event) => {
    const { key, shiftKey, altKey, ctrlKey, metaKey, target } = event;
    if (altKey || ctrlKey || metaKey || takesKeys(target)) return;
    const found = commands.find(([keys]) => (keys.length > 2 ? shiftKey && keys === key : keys.includes(key)));
    if (found === undefined) return;
    event.preventDefault();
    found[3]();
  });

  const tools = commands.map(([keys, name, sign, run]) => {
    const key = keys.startsWith('Arrow') ? `Shift ${sign}` : keys[0];
    return button(sign, run, { title: `${name} (${key})`, 'aria-label': name });
  });
  const says = { title: 'Patterns for print and without colours', 'aria-label': 'Patterns' };
  const patterns = button('▨', () => usePatterns(!kept.has()), says);
  const usePatterns = (wanted: boolean): void => {
    kept.set(wanted);
    patterns.setAttribute('aria-pressed', String(wanted));
    holder.classList.toggle('patterned', wanted || isCoded);
    dispatchEvent(new Event('restyle'));
  };
  const group = { role: 'group', class: 'zoom' };
  const corner = element(
    'div',
    { class: 'corner' },
    element('div', { ...group, 'aria-label': 'Zoom' }, ...tools.slice(0, 3), patterns),
    element('div', { ...group, 'aria-label': 'Move the board' }, ...tools.slice(3)),
  );
  /**
   * Moves the buttons to the corner of the board where they cover the fewest provinces. Does nothing while the board is
   * zoomed.
   */
  const placeTools = (): void => {
    if (zoom > 1) return;
    const side = width / svg.clientWidth;
    const [wide, high] = [TOOLS_PX[0] * side, TOOLS_PX[1] * side];
    const names = [...svg.querySelectorAll('.names>text')].map((text) => boxOf(text, named));
    const covered = ([across, down]: readonly [string, string]): number => {
      const [x, y] = [across === 'left' ? 0 : width - wide, down === 'top' ? 0 : height - high];
      // The box of the buttons is extended downwards by the height of a unit, because a unit is drawn above a name.
      return names.filter((box) => overlap(box, { x, y, wide, high: high + UNIT_ROOM }) > 0).length;
    };
    const [best] = CORNERS.map((one) => ({ one, count: covered(one) })).sort((a, b) => a.count - b.count);
    corner.dataset.corner = best.one.join(' ');
  };
  holder.append(svg, corner);
  new ResizeObserver(apply).observe(svg);
  followTheme();

  const useMap = (board: ShownBoard): void => {
    ({ width, height, isCoded } = board);
    [zoom, left, top] = [1, 0, 0];
    svg.setAttribute('class', board.scope);
    // The role is set here, because an empty image needs no label.
    svg.setAttribute('role', 'img');
    patterns.hidden = isCoded;
    usePatterns(kept.has());
    applyTheme();
    holder.parentElement?.style.setProperty('--ratio', String(width / height));
    apply();
  };
  return { svg, useMap, refit };
};
