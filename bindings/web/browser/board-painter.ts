// Draws positions into the board of a page, with the drawing of the map.
import type { CompiledMap } from '../../../engine/internal.js';
import { powerStyle, styleOf, withPatterns } from '../../draw/colours.js';
import { drawLayers, scopeOf } from '../../draw/draw-board.js';
import { type Board, boardOf } from '../../draw/drawn-board.js';
import type { DrawnPhase } from '../../draw/drawn-phase.js';
import { phaseTitle } from '../../draw/titles.js';
import type { BoardView } from './board-view.js';
import { drawing, useStyle } from './page.js';

/** Radius around a coast's label in which a click selects the coast, in drawing units. */
const COAST_RADIUS = 11;

/** Returns clickable circles over the labels of the coasts. */
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

/** Returns a function that draws a phase on a map into the board. */
export const boardPainter = (view: BoardView): ((map: CompiledMap, phase: DrawnPhase) => void) => {
  let scope = '';
  return (map, phase) => {
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
    view.svg.innerHTML = drawLayers(board, phase);
    view.svg.querySelector('.unit, .mark')?.before(coastSpots(board));
    view.refit();
  };
};
