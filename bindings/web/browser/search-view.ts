// What a search found: for each power its order sets, with the chosen one of each drawn on the board.
import { powerTitle } from '../../draw/titles.js';
import type { SearchPageData } from '../write-search.js';
import { byId, element, inflated, type PageElement } from './dom.js';
import { percent } from './figures.js';

const { powers, board: picture } = await inflated<SearchPageData>();
const board = byId('board');
board.innerHTML = picture;
const lines = board.querySelector('.orders');
const marks = board.querySelector('.marks');
/** By power the place of the set that is drawn; -1 for none. */
const drawn = powers.map(() => 0);

const paint = (): void => {
  const chosen = powers.flatMap(({ candidates }, i) => candidates[drawn[i]] ?? []);
  if (lines !== null) lines.innerHTML = chosen.map((one) => one.lines).join('');
  if (marks !== null) marks.innerHTML = chosen.map((one) => one.marks).join('');
};

const choice = (power: number, place: number, ...content: (PageElement | string)[]): PageElement => {
  const input = element('input', { type: 'radio', name: `power-${power}`, checked: place === drawn[power] });
  input.addEventListener('change', () => {
    drawn[power] = place;
    paint();
  });
  return element('label', { class: 'candidate' }, input, element('span', {}, ...content));
};

const blocks = powers.map(({ name, place, searched, candidates }, power) => {
  const rows = candidates.map(({ orders, probability, value, error, rollouts }, i) => {
    const bar = element('span', { class: `share p${place}` });
    bar.style.width = `${Math.max(0.5, 100 * probability).toFixed(1)}%`;
    const worth = value === null ? '' : `, value ${value.toFixed(4)}${error === null ? '' : ` ± ${error.toFixed(4)}`}`;
    const head = element('b', {}, percent(probability, 1));
    const played = rollouts > 0 ? ` (${rollouts} rollouts)` : '';
    return choice(power, i, head, `${worth}${played}`, bar, orders.join(', '));
  });
  const title = element('h2', {}, element('span', { class: `swatch p${place}` }), powerTitle(name));
  if (!searched) title.append(element('span', { class: 'dim' }, ' (expected replies)'));
  return element('section', {}, title, ...rows, choice(power, -1, 'nothing drawn'));
});
byId('powers').replaceChildren(...blocks);
paint();
