// Moves the names of provinces out from under units. On a small board, units and names are enlarged relative to the
// map, so they overlap more than in a drawing.

/** A box: its upper left corner and its size, in drawing units. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly wide: number;
  readonly high: number;
}

/** Returns the common area of two boxes, in square drawing units. */
export const overlap = (a: Box, b: Box): number =>
  Math.max(0, Math.min(a.x + a.wide, b.x + b.wide) - Math.max(a.x, b.x)) *
  Math.max(0, Math.min(a.y + a.high, b.y + b.high) - Math.max(a.y, b.y));

/** Height of capital letters, relative to the font size. */
const CAPITAL = 0.73;
/** Extent of a unit around its place, in drawing units at scale 1. DISC: armies. SHIP: fleets. */
const DISC = { x: 10.4, up: 10.4, down: 10.4 };
const SHIP = { x: 13, up: 10.4, down: 10 };
/** Value of `down` for a ship that has its power's code on a plate. */
const PLATE = 12;
/** Free room on each side of a name, in drawing units. */
const GAP = 0.6;
/** Moves that are tried for a name, in drawing units: their step (STEP), and their greatest length (MOST). */
const STEP = 1.5;
const MOST = 27;

const widths = new Map<string, number>();
let ruler: CanvasRenderingContext2D | null = null;

/** Returns the width of a word in the font of the board, relative to the font size. */
const widthOf = (word: string): number => {
  const known = widths.get(word);
  if (known !== undefined) return known;
  ruler ??= document.createElement('canvas').getContext('2d');
  if (ruler === null) return 0.75 * word.length;
  ruler.font = '600 100px "Helvetica Neue",Helvetica,Arial,"DejaVu Sans",sans-serif';
  const wide = ruler.measureText(word).width / 100 + 0.04 * word.length;
  widths.set(word, wide);
  return wide;
};

/** Returns the box of a province's name at its original place. @param size font size, in drawing units */
export const boxOf = (text: Element, size: number): Box => {
  const [x, y] = [Number(text.getAttribute('x')), Number(text.getAttribute('y'))];
  const [wide, high] = [widthOf(text.textContent ?? '') * size + 2 * GAP, CAPITAL * size + 2 * GAP];
  return { x: x - wide / 2, y: y - CAPITAL * size - GAP, wide, high };
};

const moved = (box: Box, [x, y]: readonly [number, number]): Box => ({ ...box, x: box.x + x, y: box.y + y });

/**
 * Moves that are tried for a name, as [right, down] in drawing units, the cheapest first. Down costs least, then up,
 * then sideways.
 */
const moves = ((): readonly (readonly [number, number])[] => {
  const found: { readonly by: readonly [number, number]; readonly length: number }[] = [];
  for (let x = -MOST; x <= MOST; x += STEP)
    for (let y = -MOST; y <= MOST; y += STEP) {
      const length = Math.hypot(1.4 * x, y > 0 ? y : 1.5 * y);
      if (length <= MOST) found.push({ by: [x, y], length });
    }
  return found.sort((a, b) => a.length - b.length).map(({ by }) => by);
})();

/** Returns the boxes of the units on a board. @param scale scale of the units; 1 for their size in a drawing */
const unitBoxes = (svg: Element, scale: number): Box[] =>
  [...svg.querySelectorAll('.unit, .planned')].flatMap((unit) => {
    const [, x, y] = /translate\(([-\d.]+)[ ,]+([-\d.]+)/.exec(unit.getAttribute('transform') ?? '') ?? [];
    if (y === undefined) return [];
    const half = unit.getAttribute('data-unit')?.startsWith('A') ? DISC : SHIP;
    // The code of a ship is on a plate at its foot.
    const foot = half === SHIP && unit.querySelector('rect') !== null ? PLATE : half.down;
    const high = (half.up + foot) * scale;
    return [{ x: Number(x) - half.x * scale, y: Number(y) - half.up * scale, wide: 2 * half.x * scale, high }];
  });

/**
 * Moves each name that a unit covers to the closest free place, or to the place with the least overlap. Puts other
 * names back to their original places.
 * @param svg the board
 * @param size font size of the names, in drawing units
 * @param scale scale of the units; 1 for their size in a drawing
 */
export const placeNames = (svg: Element, size: number, scale: number): void => {
  const [tops, unders] = ['.names>text', '.under>text'].map((names) => [...svg.querySelectorAll(names)]);
  const isFar = svg.matches('.far');
  const units = unitBoxes(svg, scale);
  const names = tops.map((text, i) => ({ text, under: unders[i], box: boxOf(text, size), isCovered: false }));
  const shown = names.filter(({ text }) => !(isFar && text.matches('.side')));
  for (const name of shown) name.isCovered = units.some((unit) => overlap(unit, name.box) > 0);
  // Moved names must also avoid names that are not moved.
  const taken = [...units, ...shown.filter(({ isCovered }) => !isCovered).map(({ box }) => box)];
  for (const { text, under, box, isCovered } of names) {
    let best: readonly [number, number] = [0, 0];
    if (isCovered) {
      let least = Number.POSITIVE_INFINITY;
      for (const by of moves) {
        const there = moved(box, by);
        const cost = taken.reduce((sum, other) => sum + overlap(other, there), 0);
        if (cost < least) [best, least] = [by, cost];
        if (cost === 0) break;
      }
      taken.push(moved(box, best));
    }
    for (const one of [text, under])
      if (best[0] === 0 && best[1] === 0) one?.removeAttribute('transform');
      else one?.setAttribute('transform', `translate(${best.join(' ')})`);
  }
};
