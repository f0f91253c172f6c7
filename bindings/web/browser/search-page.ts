// What a search found: for each power its order sets, with the chosen one of each drawn on the board.
import { powerTitle } from '../../draw/titles.js';
import type { SearchPageData } from '../page-data.js';
import { boardView } from './board-view.js';
import { percent, worthText } from './figures.js';
import { byId, element, inflated, swatch } from './page.js';

const { powers, board: frame, layers, label } = await inflated<SearchPageData>();
const view = boardView(byId('board'));
view.useMap(frame);
const board = view.svg;
board.setAttribute('aria-label', label);
board.innerHTML = layers;
/** By power the place of the set that is drawn; -1 for none. */
const drawn = powers.map(() => 0);

const paint = (): void => {
  const chosen = powers.flatMap(({ candidates }, i) => candidates[drawn[i]] ?? []);
  for (const layer of board.querySelectorAll('.orders')) layer.innerHTML = chosen.map(({ lines }) => lines).join('');
  view.refit();
  for (const layer of board.querySelectorAll('.marks')) layer.innerHTML = chosen.map(({ marks }) => marks).join('');
};

const choice = (power: number, place: number, ...content: (Node | string)[]): HTMLElement => {
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
    const played = rollouts > 0 ? ` (${rollouts} rollouts)` : '';
    const head = element('b', {}, percent(probability, 1));
    return choice(power, i, head, `${worthText(value, error, 4)}${played}`, bar, orders.join(', '));
  });
  const title = element('h2', {}, swatch(place), powerTitle(name));
  if (!searched) title.append(element('span', { class: 'dim' }, ' (expected replies)'));
  return element('section', {}, title, ...rows, choice(power, -1, 'nothing drawn'));
});
byId('powers').replaceChildren(...blocks);
paint();
