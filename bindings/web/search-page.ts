// Makes the page of a search: a self-contained board page with the order sets that the search found for each power.
import { type Game, loadMap, mapNames } from '../../engine/internal.js';
import { type ByPower, formatPosition } from '../../engine/notation/json/position.js';
import type { RuleSet } from '../../engine/notation/text/index.js';
import { escapeXml } from '../draw/escape-xml.js';
import { phaseTitle } from '../draw/titles.js';
import type { SearchRecord } from '../reports/search-record.js';
import type { PageParts } from './document.js';
import type { PositionPageData } from './page-data.js';

/**
 * Makes the page of a search. It first shows the most probable orders of all powers.
 * @param game the searched position
 * @param record result of the search
 */
export const searchPage = (game: Game, rules: RuleSet, record: SearchRecord): PageParts => {
  const { map } = game;
  const { phase, units, centers, retreats } = formatPosition(game);
  const title = `Search in ${phaseTitle(phase)}`;
  const rows = map.rows.base ?? map.rows;
  const ships = mapNames.includes(rows.name) && loadMap(rows.name).rows === rows;
  const { powers, replies } = record;
  const orders: ByPower = {};
  for (const [power, [best]] of Object.entries({ ...replies, ...powers })) if (best) orders[power] = [...best.orders];
  const placed = { phase, units, centers, ...(phase.endsWith('R') && { retreats }) };
  const data: PositionPageData = {
    ...{ run: null, own: ships ? null : { name: map.name, rows } },
    ...{ ownAgents: [], agents: [], saves: false, isStatic: false },
    position: { map: map.name, rules: rules.name, retreats, ...placed, orders },
    found: { powers, replies },
  };
  const about = `${record.rollouts} rollouts of ${record.depth} phase-step${record.depth === 1 ? '' : 's'} on the map ${map.name}, rules ${rules.name}`;
  const below = `<p class="dim">${escapeXml(about)}. Choose an order set of each power: the page adjudicates them.</p>`;
  return { title, script: 'board-page', data, below, isStage: true };
};
