// The page of a search: the order sets of each power with share, value and error. The engine in the page adjudicates those
// that one picks, and draws them.

import { type Game, loadMap, mapNames } from '../../engine/internal.js';
import { formatPosition } from '../../engine/notation/json/position.js';
import type { RuleSet } from '../../engine/notation/text/index.js';
import { escapeXml } from '../draw/escape-xml.js';
import { phaseTitle } from '../draw/titles.js';
import type { SearchRecord } from '../reports/search-record.js';
import { browserFile, deflated, type PageParts } from './document.js';
import type { SearchPageData } from './page-data.js';

/** The page of a search. @param game as it was searched in */
export const searchPage = (game: Game, rules: RuleSet, record: SearchRecord): PageParts => {
  const { map } = game;
  const { phase, units, centers, retreats } = formatPosition(game);
  const title = `Search in ${phaseTitle(phase)}`;
  const rows = map.rows.base ?? map.rows;
  const ships = mapNames.includes(rows.name) && loadMap(rows.name).rows === rows;
  const data: SearchPageData = {
    map: map.name,
    own: ships ? null : { name: map.name, rows },
    rules: rules.name,
    position: { phase, units, centers, retreats },
    powers: record.powers,
    replies: record.replies,
  };
  const about = `${record.rollouts} rollouts of ${record.depth} phase-steps on the map ${map.name}, rules ${rules.name}`;
  return {
    title,
    script: 'search-page',
    style: browserFile('order-page.css'),
    data: deflated(data),
    below: `<p class="dim">${escapeXml(about)}. Choose an order set of each power: the page adjudicates them.</p>`,
    isStage: true,
  };
};
