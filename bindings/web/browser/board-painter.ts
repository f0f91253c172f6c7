// Draws positions into the board of a page, with the drawing of the map.
import type { CompiledMap } from '../../../engine/internal.js';
import { powerStyle, styleOf, withPatterns } from '../../draw/colours.js';
import { type DrawOptions, drawLayers, scopeOf } from '../../draw/draw-board.js';
import type { Board } from '../../draw/drawn-board.js';
import type { DrawnOrder, DrawnPhase } from '../../draw/drawn-phase.js';
import { drawOrders } from '../../draw/order-lines.js';
import { phaseTitle } from '../../draw/titles.js';
import type { BoardView } from './board-view.js';
import { drawing, useStyle } from './page.js';

/** Radius around a coast's label within which a click selects the coast, in drawing units. */
const COAST_RADIUS = 11;

/** Returns clickable circles over the labels of a board's coasts. */
const coastSpots = ({ spots }: Board): SVGElement => {
  const made = [...spots].flatMap(
    ([
      tag,
      {
        unit: [x, y],
      },
    ]) =>
      tag.includes('/')
        ? [drawing('circle', { class: 'coast-spot', 'data-coast': tag, cx: x, cy: y, r: COAST_RADIUS })]
        : [],
  );
  return drawing('g', {}, ...made);
};

/**
 * Draws a phase on the board, in place of the previous drawing.
 * @param weighed orders of searches with their shares, drawn pale below the orders of the phase
 */
export type Painter = (
  map: CompiledMap,
  phase: DrawnPhase,
  options?: Pick<DrawOptions, 'influence'> & { readonly weighed?: readonly DrawnOrder[] },
) => void;

/** Returns a function that draws phases into the board. @param boardOf returns the drawing of a map */
export const boardPainter = (view: BoardView, boardOf: (map: CompiledMap) => Board): Painter => {
  let scope = '';
  return (map, phase, { weighed = [], ...options } = {}) => {
    const plain = boardOf(map);
    const board = { ...plain, looks: withPatterns(plain.looks) };
    const wanted = scopeOf(board, 'auto');
    if (scope !== wanted) {
      useStyle(powerStyle(board.looks) + styleOf(board.looks, wanted, 'auto'));
      const { width, height } = board.geometry;
      view.useMap({ scope: wanted, width, height, isCoded: board.looks[0].code !== null });
      scope = wanted;
    }
    view.svg.setAttribute('aria-label', `Board in ${phaseTitle(phase.phase)}`);
    view.svg.innerHTML = drawLayers(board, phase, options);
    const pale = drawing('g', { class: 'weighed' });
    pale.innerHTML = drawOrders(board, { ...phase, orders: weighed }).lines;
    view.svg.querySelector('.orders')?.before(pale);
    view.svg.querySelector('.unit, .mark')?.before(coastSpots(board));
    view.refit();
  };
};
