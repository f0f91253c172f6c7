// What a search found: for each power its order sets. Those that one picks are adjudicated, and drawn with what comes of
// them.

import { adjudicateRecord } from '../../../engine/notation/json/adjudicate-record.js';
import type { ByPower } from '../../../engine/notation/json/position.js';
import { ruleSetByName } from '../../../engine/notation/text/index.js';
import { answeredOrders } from '../../draw/read-phase.js';
import { phaseTitle, powerTitle } from '../../draw/titles.js';
import { positionIn } from '../orders/written-position.js';
import type { SearchPageData } from '../page-data.js';
import { boardPainter } from './board-painter.js';
import { boardView } from './board-view.js';
import { percent, worthText } from './figures.js';
import { linkOrders } from './order-links.js';
import { orderedIn, readWritten, showUnread } from './order-text.js';
import { byId, control, element, inflated, swatch } from './page.js';
import { pageMaps } from './page-maps.js';
import { phaseEnd, resultBlocks, setTeller } from './result-list.js';

const { map: name, own, rules: rulesName, position, powers, replies } = await inflated<SearchPageData>();
const map = pageMaps(own).mapNamed(name);
const rules = ruleSetByName(rulesName);
const view = boardView(byId('board'));
const draw = boardPainter(view);
const sets = { ...powers, ...replies };
const tell = setTeller(position, map, rules, sets);
const ordering = Object.keys(sets).filter((power) => sets[power].some(({ orders }) => orders.length > 0));
/** By power the place of the set that is picked; -1 for none. */
const picked = new Map(ordering.map((power) => [power, 0]));

/** The sets that are picked; orders that are written count instead of those of their units. */
const chosen = (): ByPower => {
  const written = readWritten(map, control('orders').value, position);
  const { orders } = written;
  showUnread(written);
  const units = new Set(Object.values(orders).flatMap((own) => own.map((order) => orderedIn(map, order))));
  units.delete(null);
  const all = map.powerNames.map((power): [string, string[]] => {
    const set = sets[power]?.[picked.get(power) ?? -1]?.orders ?? [];
    return [power, [...set.filter((order) => !units.has(orderedIn(map, order))), ...(orders[power] ?? [])]];
  });
  return Object.fromEntries(all);
};

const paint = (): void => {
  const answer = adjudicateRecord({ ...positionIn(position), orders: chosen() }, map, rules);
  const given = answeredOrders(position.units, answer);
  const { next_phase: phase, units, centers, retreats, contested } = answer;
  draw(map, control('after').checked ? { phase, units, centers, retreats } : { ...position, orders: given, contested });
  byId('results').replaceChildren(...resultBlocks(map, given, () => {}));
  byId('end').textContent = `${phaseTitle(position.phase)}, ${phaseEnd(answer)}.`;
};

const choice = (power: string, place: number, ...content: (Node | string)[]): HTMLElement => {
  const input = element('input', { type: 'radio', name: power, checked: place === picked.get(power) });
  input.addEventListener('change', () => {
    picked.set(power, place);
    paint();
  });
  return element('label', { class: 'candidate' }, input, element('span', {}, ...content));
};

const blocks = ordering.map((power) => {
  const q = map.powerNames.indexOf(power);
  const rows = sets[power].map((set, i) => {
    const { probability, value, error, rollouts } = set;
    const bar = element('span', { class: `share p${q}` });
    bar.style.width = `${Math.max(0.5, 100 * probability).toFixed(1)}%`;
    const played = rollouts > 0 ? ` (${rollouts} rollouts)` : '';
    const head = element('b', {}, percent(probability, 1));
    return choice(power, i, head, `${worthText(value, error, 4)}${played}`, bar, ...tell(power, set));
  });
  const title = element('h2', {}, swatch(q), powerTitle(power));
  if (Object.hasOwn(replies, power)) title.append(element('span', { class: 'dim' }, ' (expected replies)'));
  return element('section', {}, title, ...rows, choice(power, -1, 'no orders'));
});
byId('powers').replaceChildren(...blocks);
byId('after').addEventListener('change', paint);
byId('orders').addEventListener('input', paint);
linkOrders(view.svg, byId('results'));
paint();
