// One training run: how far it is, what was measured last, its gates and its curves.
import type { TrainingRow } from '../run-library.js';
import { byId, element, listenTo, type PageElement, pageData } from './dom.js';
import { clock, figure, plusMinus } from './figures.js';

const words: Readonly<Record<TrainingRow['state'], string>> = {
  whole: 'done',
  running: 'running',
  stopped: 'not done',
  damaged: 'damaged',
};

const cell = (text: string): PageElement => element('td', { class: 'n' }, text);

const showGates = ({ gates }: TrainingRow): void => {
  const anchors = [...new Set(gates.flatMap(({ shares }) => shares.map(([anchor]) => anchor)))];
  const head = anchors.map((anchor) => element('th', { class: 'n' }, anchor));
  byId('anchors').replaceChildren(
    element(
      'tr',
      {},
      element('th', {}, 'Net'),
      element('th', { class: 'n' }, 'After'),
      ...head,
      element('th', {}, 'Gate'),
    ),
  );
  const rows = gates.map(({ net, seconds, passed, reason, shares }) => {
    const known = new Map(shares.map(([anchor, share, error]) => [anchor, plusMinus([share, error], 3)]));
    return element(
      'tr',
      {},
      element('td', {}, net),
      cell(clock(seconds)),
      ...anchors.map((anchor) => cell(known.get(anchor) ?? '')),
      element(
        'td',
        {},
        element('span', passed ? { class: 'good' } : {}, passed ? 'passed' : 'kept out'),
        `: ${reason}`,
      ),
    );
  });
  byId('gates').replaceChildren(...rows);
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

const show = (row: TrainingRow): void => {
  const { stage, seconds, limit, rounds, positions, games, measured, gates, state, error } = row;
  const bar = byId('progress');
  // The first gate judges what was imitated.
  const done = limit === null ? Math.max(0, gates.length - 1) / Math.max(1, rounds ?? 1) : seconds / limit;
  bar.setAttribute('value', String(state === 'whole' ? 1 : Math.min(1, done)));
  const left = limit === null || state !== 'running' ? '' : `, ${clock(Math.max(0, limit - seconds))} left`;
  const of = limit === null ? '' : ` of ${clock(limit)}`;
  byId('state').textContent =
    `${stage}, ${clock(seconds)}${of}${left}, ${words[state]}; ${figure(games)} games, ${figure(positions)} positions`;
  byId('measured').textContent = measured.map(([name, value]) => `${name} ${Number(value.toPrecision(4))}`).join(', ');
  byId('faults').textContent = error ?? '';
  byId('faults').hidden = error === null;
  showGates(row);
  showCurves(row);
};

const first = pageData<TrainingRow>();
show(first);
listenTo(
  `events?training=${encodeURIComponent(first.name)}`,
  (news) => {
    const row = news as TrainingRow;
    if (row.name !== undefined) show(row);
  },
  (lost) => {
    byId('lost').hidden = !lost;
  },
);
