// The list of runs under a directory, with the progress of those that are running.
import type { ArenaRow, RunList, RunRow, TrainingRow } from '../page-data.js';
import { agentsText, ago, clock, figure, plusMinus } from './figures.js';
import { byId, cell, control, element, listenTo, pageData, renew, row } from './page.js';

const states: Readonly<Record<RunRow['state'], string>> = {
  whole: 'whole',
  running: 'running',
  stopped: 'not whole',
  damaged: 'damaged',
};

const progressCell = ({ done, games, state, error }: RunRow): HTMLElement => {
  if (error !== null) return cell('bad', error);
  if (state === 'whole') return cell('', `${figure(games)} games`);
  const text = `${figure(done)} of ${figure(games)} games`;
  return cell('', element('progress', { max: Math.max(1, games), value: done, 'aria-label': text }), ` ${text}`);
};

/** A row with its link first, and its state and time last. */
const rowOf = (page: string, of: ArenaRow | RunRow | TrainingRow, ...cells: HTMLElement[]): HTMLElement => {
  const { name, title, state, changed, error } = of;
  const link = error === null ? element('a', { href: `${page}?run=${encodeURIComponent(name)}` }, title) : title;
  const made = row(cell('long', link), ...cells, cell('dim n later', changed === 0 ? '' : ago(changed)));
  made.setAttribute('data-state', state);
  return made;
};

const stateCell = (state: RunRow['state']): HTMLElement =>
  cell('', element('span', { class: state === 'running' ? 'good' : 'dim' }, states[state]));

const runRow = (run: RunRow): HTMLElement => {
  const { agents, briefs, map, rules, until, state, error } = run;
  const playedBy = cell('dim later', error === null ? `${map}, ${rules}, until ${until}` : '');
  return rowOf(
    'run',
    run,
    cell('long', element('span', { title: agentsText(agents) }, agentsText(briefs))),
    progressCell(run),
    stateCell(state),
    playedBy,
  );
};

const trainingRow = (training: TrainingRow): HTMLElement => {
  const { stage, seconds, limit, gates, state, error } = training;
  const best = gates.findLast(({ passed }) => passed);
  const shares = best?.shares.map(([anchor, ...share]) => `${anchor} ${plusMinus(share, 3)}`) ?? [];
  const time = `${clock(seconds)}${limit === null ? '' : ` of ${clock(limit)}`}`;
  const stageCell = cell(error === null ? '' : 'bad', error ?? stage);
  return rowOf('training', training, stageCell, cell('', time), cell('long', shares.join(', ')), stateCell(state));
};

const arenaRow = (arena: ArenaRow): HTMLElement =>
  rowOf('arena', arena, cell(arena.error === null ? '' : 'bad', arena.error ?? ''));

let list = pageData<RunList>();

const show = (): void => {
  const words = control('wanted').value.toLowerCase().split(/\s+/);
  const fits = ({ title, agents, map }: RunRow): boolean => {
    const text = [title, ...agents, map].join(' ').toLowerCase();
    return words.every((word) => text.includes(word));
  };
  const shown = list.runs.filter(fits);
  renew(byId('runs'), shown.map(runRow));
  const more = list.cut ? '; more directories than are searched' : '';
  byId('count').textContent = `${shown.length} of ${list.runs.length} runs${more}`;
  const others = list.arenas.length + list.trainings.length;
  byId('none').hidden = list.runs.length + others > 0;
  byId('games').hidden = others === 0;
  byId('arena').hidden = list.arenas.length === 0;
  renew(byId('arenas'), list.arenas.map(arenaRow));
  byId('training').hidden = list.trainings.length === 0;
  renew(byId('trainings'), list.trainings.map(trainingRow));
};

byId('wanted').addEventListener('input', show);
show();
listenTo('events', (news) => {
  list = news as RunList;
  show();
});
