// The list of runs under a directory, with the progress of those that are running.
import type { ArenaRow, ImportRow, RunList, RunRow, Scores } from '../page-data.js';
import { agentsText, ago, figure } from './figures.js';
import { byId, cell, control, element, listenTo, pageData, row } from './page.js';
import { sortable } from './sortable.js';

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

const linkTo = (page: string, { name, title }: { readonly name: string; readonly title: string }): HTMLElement =>
  element('a', { href: `${page}?run=${encodeURIComponent(name)}` }, title);

/** A row with its link first, and its state and time last. */
const rowOf = (page: string, of: ArenaRow | RunRow, ...cells: HTMLElement[]): HTMLElement => {
  const { title, state, changed, error } = of;
  const link = error === null ? linkTo(page, of) : title;
  const made = row(cell('long', link), ...cells, cell('dim n later', changed === 0 ? '' : ago(changed)));
  made.setAttribute('data-state', state);
  return made;
};

const stateCell = (state: RunRow['state']): HTMLElement =>
  cell('', element('span', { class: state === 'running' ? 'good' : 'dim' }, states[state]));

const scoresCell = (scores: Scores | null): HTMLElement =>
  cell('long later', (scores ?? []).map(([agent, score]) => `${agent} ${score.toFixed(3)}`).join(', '));
const bestOf = (scores: Scores | null): number | null =>
  scores === null || scores.length === 0 ? null : Math.max(...scores.map(([, score]) => score));
const seedCell = (seed: number | null): HTMLElement => cell('n later', seed === null ? '' : String(seed));

const byName = { title: 'Run', by: ({ title }: { readonly title: string }) => title };
const byState = { title: 'State', by: ({ state }: { readonly state: RunRow['state'] }) => states[state] };
const bySeed = { title: 'Seed', kind: 'n later', by: ({ seed }: { readonly seed: number | null }) => seed };
const byScore = {
  ...{ title: 'Score of a seat', kind: 'later', isDown: true },
  by: ({ scores }: { readonly scores: Scores | null }) => bestOf(scores),
};
const byChange = {
  ...{ title: 'Changed', kind: 'n later', isDown: true },
  by: ({ changed }: { readonly changed: number }) => changed,
};

const showRuns = sortable<RunRow>(
  'runs',
  [
    byName,
    { title: 'Agents', by: ({ briefs }) => agentsText(briefs) },
    { title: 'Games', by: ({ done }) => done, isDown: true },
    byState,
    byScore,
    bySeed,
    { title: 'Played by', kind: 'later', by: ({ map, rules, until }) => `${map}, ${rules}, until ${until}` },
    byChange,
  ],
  (run) => {
    const { agents, briefs, map, rules, until, state, scores, seed, error } = run;
    const playedBy = cell('dim later', error === null ? `${map}, ${rules}, until ${until}` : '');
    const who = cell('long', element('span', { title: agentsText(agents) }, agentsText(briefs)));
    const about = [progressCell(run), stateCell(state), scoresCell(scores), seedCell(seed), playedBy];
    return [rowOf('run', run, who, ...about)];
  },
);

let list = pageData<RunList>();

const showArenas = sortable<ArenaRow>(
  'arenas',
  [
    { ...byName, title: 'Arena' },
    { title: 'Agents', by: ({ briefs }) => briefs?.join(', ') ?? null },
    { title: 'Games', kind: 'n', by: ({ games }) => games, isDown: true },
    byScore,
    bySeed,
    byChange,
  ],
  (arena) => {
    const { briefs, games, scores, seed, error } = arena;
    const who = cell(error === null ? 'long' : 'bad', error ?? briefs?.join(', ') ?? '');
    return [
      rowOf('arena', arena, who, cell('n', games === null ? '' : figure(games)), scoresCell(scores), seedCell(seed)),
    ];
  },
);

const sizeText = (bytes: number | null): string => (bytes === null ? '' : `${figure(Math.ceil(bytes / 1000))} kB`);

const showImports = sortable<ImportRow>(
  'imports',
  [
    { ...byName, title: 'Games' },
    { title: 'Kind', by: ({ kind }) => kind },
    { title: 'Size', kind: 'n', by: ({ bytes }) => bytes, isDown: true },
    byChange,
  ],
  (games) => {
    const { kind, bytes, changed } = games;
    const about = [cell('', kind), cell('n', sizeText(bytes)), cell('dim n later', ago(changed))];
    return [row(cell('long', linkTo('run', games)), ...about)];
  },
);

const show = (): void => {
  const words = control('wanted').value.toLowerCase().split(/\s+/);
  const fits = (...texts: readonly string[]): boolean => {
    const text = texts.join(' ').toLowerCase();
    return words.every((word) => text.includes(word));
  };
  const { arenas, imports, runs } = list;
  const shown = runs.filter(({ title, agents, map }) => fits(title, ...agents, map));
  showRuns(shown);
  showArenas(arenas.filter(({ title, briefs }) => fits(title, ...(briefs ?? []))));
  showImports(imports.filter(({ title, kind }) => fits(title, kind)));
  const more = list.cut ? '; more directories than are searched' : '';
  byId('count').textContent = `${shown.length} of ${runs.length} runs${more}`;
  const others = arenas.length + imports.length;
  byId('none').hidden = runs.length + others > 0;
  byId('games').hidden = others === 0 || runs.length === 0;
  byId('runs-table').hidden = runs.length === 0 && others > 0;
  byId('arena').hidden = arenas.length === 0;
  byId('imported').hidden = imports.length === 0;
};

byId('wanted').addEventListener('input', show);
show();
listenTo('events', (news) => {
  list = news as RunList;
  show();
});
