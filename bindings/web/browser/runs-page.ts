// The list of runs under a directory, with the progress of those that go on.
import type { RunList, RunRow, TrainingRow } from '../run-library.js';
import { byId, element, listenTo, type PageElement, pageData } from './dom.js';
import { agentsText, ago, clock, figure, plusMinus } from './figures.js';

const states: Readonly<Record<RunRow['state'], string>> = {
  whole: 'whole',
  running: 'running',
  stopped: 'not whole',
  damaged: 'damaged',
};

const progressOf = ({ done, games, state, error }: RunRow): PageElement => {
  if (error !== null) return element('td', { class: 'bad' }, error);
  const text = `${figure(done)} of ${figure(games)} games`;
  const bar = element('progress', { max: Math.max(1, games), value: done, 'aria-label': text });
  return element('td', {}, ...(state === 'whole' ? [`${figure(games)} games`] : [bar, ` ${text}`]));
};

const rowOf = (run: RunRow): PageElement => {
  const { name, title, agents, map, rules, until, state, changed, error } = run;
  const link = error === null ? element('a', { href: `run?run=${encodeURIComponent(name)}` }, title) : title;
  return element(
    'tr',
    { 'data-state': state },
    element('td', { class: 'long' }, link),
    element('td', { class: 'long' }, agentsText(agents)),
    progressOf(run),
    element('td', {}, element('span', { class: state === 'running' ? 'good' : 'dim' }, states[state])),
    element('td', { class: 'dim later' }, error === null ? `${map}, ${rules}, until ${until}` : ''),
    element('td', { class: 'dim n later' }, changed === 0 ? '' : ago(changed)),
  );
};

const trainingRow = (training: TrainingRow): PageElement => {
  const { name, title, stage, seconds, limit, gates, state, changed, error } = training;
  const link = error === null ? element('a', { href: `training?run=${encodeURIComponent(name)}` }, title) : title;
  const best = gates.filter(({ passed }) => passed).at(-1);
  const shares = best?.shares.map(([anchor, share, wrong]) => `${anchor} ${plusMinus([share, wrong], 3)}`) ?? [];
  const time = `${clock(seconds)}${limit === null ? '' : ` of ${clock(limit)}`}`;
  return element(
    'tr',
    { 'data-state': state },
    element('td', { class: 'long' }, link),
    element('td', error === null ? {} : { class: 'bad' }, error ?? stage),
    element('td', {}, time),
    element('td', { class: 'long' }, shares.join(', ')),
    element('td', {}, element('span', { class: state === 'running' ? 'good' : 'dim' }, states[state])),
    element('td', { class: 'dim n later' }, changed === 0 ? '' : ago(changed)),
  );
};

let list = pageData<RunList>();

const show = (): void => {
  const words = byId('wanted').value.toLowerCase().split(/\s+/);
  const fits = ({ title, agents, map }: RunRow): boolean => {
    const text = [title, ...agents, map].join(' ').toLowerCase();
    return words.every((word) => text.includes(word));
  };
  const shown = list.runs.filter(fits);
  byId('runs').replaceChildren(...shown.map(rowOf));
  const more = list.cut ? '; there are more directories than are looked at' : '';
  byId('count').textContent = `${shown.length} of ${list.runs.length} runs${more}`;
  byId('none').hidden = list.runs.length + list.trainings.length > 0;
  byId('training').hidden = list.trainings.length === 0;
  byId('trainings').replaceChildren(...list.trainings.map(trainingRow));
};

byId('wanted').addEventListener('input', show);
show();
listenTo(
  'events',
  (news) => {
    list = news as RunList;
    show();
  },
  (lost) => {
    byId('lost').hidden = !lost;
  },
);
