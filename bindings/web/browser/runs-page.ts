// Script of the list of runs under a directory. Shows the progress of active runs.
import type { ArenaRow, ImportRow, RunList, RunRow, Scores } from '../page-data.js';
import { type Column, tableAt } from './data-table.js';
import { agentsText, ago, figure } from './figures.js';
import { offerKeys } from './keys.js';
import { byId, control, element, listenTo, type Made, pageData } from './page.js';

const states: Readonly<Record<RunRow['state'], string>> = {
  whole: 'complete',
  running: 'running',
  stopped: 'incomplete',
  damaged: 'damaged',
};

const linkTo = (page: string, { name, title }: { readonly name: string; readonly title: string }): Made =>
  element('a', { href: `${page}?run=${encodeURIComponent(name)}` }, title);

const progressOf = ({ done, games, state, error }: RunRow): Made[] => {
  if (error !== null || state === 'whole') return [figure(games)];
  const text = `${figure(done)} of ${figure(games)} games`;
  return [element('progress', { max: Math.max(1, games), value: done, 'aria-label': text }), ` ${text}`];
};

const scoresText = (scores: Scores | null): string =>
  (scores ?? []).map(([agent, score]) => `${agent} ${score.toFixed(3)}`).join(', ');

/** Columns of several lists. All lists have `changed` and nameOf(). Only runs and arenas have `score` and `seed`. */
const changed = {
  ...{ title: 'Changed', kind: 'n later', isDown: true },
  by: (row: { readonly changed: number }) => row.changed,
  show: (row: { readonly changed: number }) => [row.changed === 0 ? '' : ago(row.changed)],
};
const nameOf = <T extends { readonly name: string; readonly title: string; readonly error?: string | null }>(
  title: string,
  page: string,
): Column<T> => ({
  ...{ title, kind: 'long', by: (row) => row.title },
  show: (row) => (row.error ? [row.title, element('div', { class: 'bad' }, row.error)] : [linkTo(page, row)]),
});
const score = {
  ...{ title: 'Score of a seat', kind: 'long later' },
  by: ({ scores }: { readonly scores: Scores | null }) => scoresText(scores),
};
const seed = { title: 'Seed', kind: 'n later', by: (row: { readonly seed: number | null }) => row.seed };

const showRuns = tableAt<RunRow>(
  'runs-table',
  [
    nameOf('Run', 'run'),
    {
      ...{ title: 'Agents', kind: 'long', by: ({ briefs }) => agentsText(briefs) },
      show: ({ agents, briefs }) => [element('span', { title: agentsText(agents) }, agentsText(briefs))],
    },
    { title: 'Games', kind: 'n', by: ({ done }) => done, show: progressOf, isDown: true },
    {
      ...{ title: 'State', by: ({ state }) => states[state] },
      show: ({ state }) => [element('span', { class: state === 'running' ? 'good' : 'dim' }, states[state])],
    },
    score,
    seed,
    {
      ...{ title: 'Played by', kind: 'long dim later' },
      by: ({ map, rules, until, error }) => (error === null ? `${map}, ${rules}, until ${until}` : ''),
    },
    changed,
  ],
  { name: 'runs', hasFilter: false, attributes: ({ state }) => ({ 'data-state': state }) },
);

const showArenas = tableAt<ArenaRow>(
  'arenas-table',
  [
    nameOf('Arena', 'arena'),
    { title: 'Agents', kind: 'long', by: ({ briefs }) => briefs?.join(', ') ?? null },
    {
      title: 'Games',
      kind: 'n',
      by: ({ games }) => games,
      show: ({ games }) => [games === null ? '' : figure(games)],
      isDown: true,
    },
    score,
    seed,
    changed,
  ],
  { name: 'arenas', hasFilter: false },
);

const showImports = tableAt<ImportRow>(
  'imports-table',
  [
    nameOf('Games', 'run'),
    { title: 'Kind', by: ({ kind }) => kind },
    {
      ...{ title: 'Size', kind: 'n', by: ({ bytes }) => bytes, isDown: true },
      show: ({ bytes }) => [bytes === null ? '' : `${figure(Math.ceil(bytes / 1000))} kB`],
    },
    changed,
  ],
  { name: 'imports', hasFilter: false },
);

let list = pageData<RunList>();

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
offerKeys();
