// The page of a search: the order sets of each power with share, value and error, drawn on the board.

import type { Game } from '../../engine/internal.js';
import type { RankedRecord, SearchRecord } from '../cli/shared/search-record.js';
import { drawLayers } from '../draw/draw-board.js';
import type { Board } from '../draw/drawn-board.js';
import type { DrawnPhase } from '../draw/drawn-phase.js';
import { escapeXml } from '../draw/escape-xml.js';
import { drawOrders } from '../draw/order-lines.js';
import { phaseTitle } from '../draw/titles.js';
import { formatPosition } from '../notation/json/position.js';
import { deflated, type PageParts } from './document.js';
import type { DrawnCandidate, SearchPageData } from './page-data.js';
import { boardStyle, pageBoard, shownBoard } from './replay-page.js';

const drawCandidate = (board: Board, position: DrawnPhase, power: string, candidate: RankedRecord): DrawnCandidate => {
  const orders = candidate.orders.map((order) => ({ power, order, unit: order.split(' ').slice(0, 2).join(' ') }));
  return { ...candidate, ...drawOrders(board, { ...position, orders }) };
};

/** The page of a search. @param game as it was searched in */
export const searchPage = (game: Game, record: SearchRecord): PageParts => {
  const board = pageBoard(game.map);
  const { phase, units, centers, retreats } = formatPosition(game);
  const position: DrawnPhase = { phase, units, centers, retreats };
  const told = { ...record.replies, ...record.powers };
  const title = `Search in ${phaseTitle(phase)}`;
  const data: SearchPageData = {
    board: shownBoard(board),
    layers: drawLayers(board, position),
    label: `Board in ${phaseTitle(phase)}`,
    powers: game.map.powerNames.flatMap((name, place) => {
      const candidates = (told[name] ?? []).filter(({ orders }) => orders.length > 0);
      if (candidates.length === 0) return [];
      const drawn = candidates.map((candidate) => drawCandidate(board, position, name, candidate));
      return [{ name, place, searched: Object.hasOwn(record.powers, name), candidates: drawn }];
    }),
  };
  const about = `${record.rollouts} rollouts of ${record.depth} phase-steps on the map ${game.map.name}`;
  return {
    title,
    style: boardStyle(board),
    script: 'search-page',
    data: deflated(data),
    body: `<main class="stage"><div class="head"><h1>${escapeXml(title)}</h1><p class="dim">${escapeXml(about)}. Choose an order set of each power to see it on the board.</p></div>
<div id="board"></div>
<div class="side" id="powers"></div></main>`,
  };
};
