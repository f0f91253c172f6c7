// One training run: how far it is, what was measured last, its gates and its curves.
import type { TrainingRow } from '../page-data.js';
import { clock, figure, plusMinus } from './figures.js';
import { byId, cell, element, listenTo, pageData, renew, row, showText } from './page.js';

const words: Readonly<Record<TrainingRow['state'], string>> = {
  whole: 'done',
  running: 'running',
  stopped: 'not done',
  damaged: 'damaged',
};

const showGates = ({ gates }: TrainingRow): void => {
  const anchors = [...new Set(gates.flatMap(({ shares }) => shares.map(([anchor]) => anchor)))];
  const heads = ['After', ...anchors].map((text) => element('th', { class: 'n' }, text));
  byId('anchors').replaceChildren(row(element('th', {}, 'Net'), ...heads, element('th', {}, 'Gate')));
  const rows = gates.map(({ net, seconds, passed, reason, shares }) => {
    const known = new Map(shares.map(([anchor, ...share]) => [anchor, plusMinus(share, 3)]));
    const verdict = element('span', { class: passed && 'good' }, passed ? 'passed' : 'kept out');
    const numbers = [clock(seconds), ...anchors.map((anchor) => known.get(anchor) ?? '')];
    return row(cell('', net), ...numbers.map((text) => cell('n', text)), cell('', verdict, `: ${reason}`));
  });
  renew(byId('gates'), rows);
  byId('none').hidden = gates.length > 0;
};

let drawn = 0;

const showCurves = ({ name, drawn: now }: TrainingRow): void => {
  if (now === 0 || now === drawn) return;
  drawn = now;
  const picture = byId('curves');
  picture.setAttribute('src', `curves?run=${encodeURIComponent(name)}&at=${Math.round(now)}`);
  picture.hidden = false;
};

const show = (training: TrainingRow): void => {
  const { stage, seconds, limit, rounds, positions, games, measured, gates, state, error } = training;
  // The first gate judges the net that only imitates.
  const done = limit === null ? Math.max(0, gates.length - 1) / Math.max(1, rounds ?? 1) : seconds / limit;
  byId('progress').setAttribute('value', String(state === 'whole' ? 1 : Math.min(1, done)));
  const left = limit === null || state !== 'running' ? '' : `, ${clock(Math.max(0, limit - seconds))} left`;
  const of = limit === null ? '' : ` of ${clock(limit)}`;
  byId('state').textContent =
    `${stage}, ${clock(seconds)}${of}${left}, ${words[state]}; ${figure(games)} games, ${figure(positions)} positions`;
  byId('measured').textContent = measured.map(([name, value]) => `${name} ${Number(value.toPrecision(4))}`).join(', ');
  showText('faults', error ?? '');
  showGates(training);
  showCurves(training);
};

const first = pageData<TrainingRow>();
show(first);
listenTo(`events?training=${encodeURIComponent(first.name)}`, (news) => {
  const training = news as TrainingRow;
  if (training.name !== undefined) show(training);
});
