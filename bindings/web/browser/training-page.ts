// One training run: how far it is, what was measured last, its gates, and its curves, also over those of other runs.
import type {
  CurveName,
  TrainingCurves,
  TrainingGate,
  TrainingPageData,
  TrainingPlace,
  TrainingRow,
} from '../page-data.js';
import { clock, figure, plusMinus } from './figures.js';
import { linePlot, type PlotLine, type PlotPoint, shortNumber } from './line-plot.js';
import { byId, cell, control, element, listenTo, pageData, renew, row, showText } from './page.js';

const words: Readonly<Record<TrainingRow['state'], string>> = {
  whole: 'done',
  running: 'running',
  stopped: 'not done',
  damaged: 'damaged',
};

const { training: first, others } = pageData<TrainingPageData>();

// ---- progress and gates ----

/** Units by what was measured; what differs between the stages is in units of imitation and of play. */
const units: Readonly<Record<string, string>> = {
  ...{
    policy: 'nats a unit',
    value: 'nats a position',
    same: 'of units',
    entropy: 'nats a unit',
    score: 'of the board',
  },
  ...{ staleness: 'steps of learning', staleness_largest: 'steps of learning', dropped: 'positions' },
};
const ofPlay: Readonly<Record<string, string>> = { policy: 'without unit', value: 'squared shares' };

const gamesOf = ({ arena }: TrainingGate): HTMLElement =>
  arena === null
    ? element('span', { class: 'dim' }, 'not kept')
    : element('a', { href: `arena?run=${encodeURIComponent(arena)}&sort=score#games` }, 'the worst first');

const showGates = ({ gates }: TrainingRow): void => {
  const anchors = [...new Set(gates.flatMap(({ shares }) => shares.map(([anchor]) => anchor)))];
  const heads = ['After, min:s', ...anchors.map((anchor) => `${anchor}, share`)];
  byId('anchors').replaceChildren(
    row(
      element('th', {}, 'Net'),
      ...heads.map((text) => element('th', { class: 'n' }, text)),
      element('th', {}, 'Games'),
      element('th', {}, 'Gate'),
    ),
  );
  const rows = gates.map((gate) => {
    const { net, seconds, passed, reason, shares } = gate;
    const known = new Map(shares.map(([anchor, ...share]) => [anchor, plusMinus(share, 3)]));
    const verdict = element('span', { class: passed && 'good' }, passed ? 'passed' : 'kept out');
    const numbers = [clock(seconds), ...anchors.map((anchor) => known.get(anchor) ?? '')];
    const cells = numbers.map((text) => cell('n', text));
    return row(cell('', net), ...cells, cell('', gamesOf(gate)), cell('', verdict, `: ${reason}`));
  });
  renew(byId('gates'), rows);
  byId('none').hidden = gates.length > 0;
};

const showPicture = ({ name, drawn }: TrainingRow): void => {
  byId('curves').setAttribute('href', `curves?run=${encodeURIComponent(name)}`);
  byId('curves').hidden = drawn === 0;
};

const show = (training: TrainingRow): void => {
  const { stage, seconds, limit, rounds, positions, speed, games, measured, gates, state, error } = training;
  // The first gate judges the net that only imitates.
  const done = limit === null ? Math.max(0, gates.length - 1) / Math.max(1, rounds ?? 1) : seconds / limit;
  byId('progress').setAttribute('value', String(state === 'whole' ? 1 : Math.min(1, done)));
  const left = limit === null || state !== 'running' ? '' : `, ${clock(Math.max(0, limit - seconds))} left`;
  const of = limit === null ? '' : ` of ${clock(limit)}`;
  const fast = speed === null ? '' : `, ${figure(Math.round(speed))} positions/s`;
  byId('state').textContent =
    `${stage}, ${clock(seconds)}${of}${left}, ${words[state]}; ${figure(games)} games, ${figure(positions)} positions${fast}`;
  const unitOf = (name: string): string => (stage === 'play' ? ofPlay[name] : undefined) ?? units[name] ?? '';
  byId('measured').textContent = measured
    .map(([name, value]) => `${name} ${Number(value.toPrecision(4))} ${unitOf(name)}`.trim())
    .join(', ');
  showText('faults', error ?? '');
  showGates(training);
  showPicture(training);
};

// ---- curves ----

const axes: Readonly<Record<string, { title: string; unit: string; of: (place: TrainingPlace) => number }>> = {
  minutes: { title: 'minutes', unit: 'minutes', of: ({ seconds }) => seconds / 60 },
  batches: { title: 'batches', unit: 'batches of imitation and iterations of play', of: ({ steps }) => steps },
  games: { title: 'games', unit: 'games', of: ({ games }) => games },
  positions: { title: 'positions', unit: 'positions', of: ({ positions }) => positions },
};

interface Panel {
  readonly title: string;
  /** '' for all. */
  readonly stage: string;
  readonly lines: readonly (readonly [name: CurveName, title: string])[];
  readonly unit: string;
}

const panels: readonly Panel[] = [
  {
    ...{ title: 'Imitation: losses, nats', stage: 'bootstrap', unit: 'nats' },
    lines: [
      ['policy', 'orders, a unit'],
      ['value', 'shares, a position'],
    ],
  },
  {
    ...{
      title: 'Imitation: the recorded order is the likeliest, share of units',
      stage: 'bootstrap',
      unit: 'of units',
    },
    lines: [['same', 'same order']],
  },
  {
    ...{ title: 'Play: loss of the policy, without unit', stage: 'play', unit: '' },
    lines: [['policy', 'policy']],
  },
  {
    ...{ title: 'Play: loss of the value, squared shares', stage: 'play', unit: 'squared shares' },
    lines: [['value', 'value']],
  },
  {
    ...{ title: 'Play: entropy, nats a unit', stage: 'play', unit: 'nats a unit' },
    lines: [['entropy', 'entropy']],
  },
  {
    ...{ title: 'Play: score of a learning seat in games that ended, share', stage: 'play', unit: 'of the board' },
    lines: [['score', 'score']],
  },
  {
    ...{ title: 'Play: age of the games that are learned from, steps of learning', stage: 'play', unit: 'steps' },
    lines: [['staleness', 'age']],
  },
  { ...{ title: 'Speed, positions/s', stage: '', unit: 'positions/s' }, lines: [['speed', 'speed']] },
];

/** By name; those that are shown, this one first. */
const known = new Map<string, TrainingCurves>();

/** Means over so many neighbours around each point. */
const smoothed = (values: readonly number[], window: number): number[] => {
  const sums = [0];
  for (const value of values) sums.push(sums[sums.length - 1] + value);
  const half = Math.floor(window / 2);
  return values.map((_, i) => {
    const [from, to] = [Math.max(0, i - half), Math.min(values.length, i + half + 1)];
    return (sums[to] - sums[from]) / (to - from);
  });
};

const axis = () => axes[control('x').value] ?? axes.minutes;
const xText = (x: number): string => (control('x').value === 'minutes' ? shortNumber(x) : figure(Math.round(x)));
const among = ({ title }: TrainingCurves, line: string, runs: number): string =>
  runs > 1 ? `${title}: ${line}` : line;

const shownPanel = ({ title, stage, lines, unit }: Panel, runs: readonly TrainingCurves[]): HTMLElement[] => {
  const window = Number(control('smooth').value);
  const drawn = runs.flatMap((run) =>
    lines.flatMap(([name, line]): PlotLine[] => {
      const points = run.points.filter((point) => (stage === '' || point.stage === stage) && name in point.values);
      const values = smoothed(
        points.map((point) => point.values[name] ?? 0),
        window,
      );
      const shown = points.map((point, i): PlotPoint => {
        const text = `${shortNumber(values[i])} ${unit}`.trim();
        return { x: axis().of(point), y: values[i], text };
      });
      return shown.length === 0 ? [] : [{ name: among(run, line, runs.length), points: shown }];
    }),
  );
  if (drawn.length === 0) return [];
  const ofTeachers = (): (Node | string)[] => [
    '; it learns from ',
    element('a', { href: './' }, 'the games of its teachers'),
  ];
  const more =
    stage === 'bootstrap' ? ofTeachers : stage === 'play' ? () => ['; games of play are not kept'] : undefined;
  return [linePlot({ title, unit: axis().unit, lines: drawn, xText, ...(more && { more }) })];
};

const shownGates = (runs: readonly TrainingCurves[]): HTMLElement[] => {
  const drawn = runs.flatMap((run) => {
    const anchors = [...new Set(run.gates.flatMap(({ shares }) => shares.map(([anchor]) => anchor)))];
    return anchors.map((anchor): PlotLine => {
      const points = run.gates.flatMap((gate) =>
        gate.shares
          .filter(([name]) => name === anchor)
          .map(([, y, error]): PlotPoint => {
            const dot = gate.passed ? 'full' : 'open';
            return { x: axis().of(gate), y, error, dot, text: plusMinus([y, error], 3) };
          }),
      );
      return { name: among(run, anchor, runs.length), points };
    });
  });
  if (drawn.length === 0) return [];
  const more = (x: number): (Node | string)[] =>
    runs
      .flatMap(({ gates }) => gates.filter((gate) => axis().of(gate) === x))
      .flatMap((gate) => [`; games of ${gate.net}: `, gamesOf(gate)]);
  const title = 'Gates: share of one seat with an anchor in all others, with standard errors; open dots did not pass';
  return [linePlot({ title, unit: axis().unit, lines: drawn, xText, more })];
};

const showCurves = (): void => {
  const runs = [...known.values()];
  const plots = [...shownGates(runs), ...panels.flatMap((panel) => shownPanel(panel, runs))];
  byId('plots').replaceChildren(...plots);
  byId('empty').hidden = plots.length > 0;
};

const load = async (name: string): Promise<void> => {
  const response = await fetch(`api/curves?run=${encodeURIComponent(name)}`);
  if (!response.ok) return showText('faults', await response.text());
  known.set(name, (await response.json()) as TrainingCurves);
};

const chosen = (): string[] =>
  [...document.querySelectorAll<HTMLInputElement>('#others input:checked')].map(({ value }) => value);

/** Loads what is not there yet, and shows it. @param anew a run that has changed */
const settle = async (anew?: string): Promise<void> => {
  const wanted = [first.name, ...chosen()];
  for (const name of known.keys()) if (!wanted.includes(name)) known.delete(name);
  for (const name of wanted) if (!known.has(name) || name === anew) await load(name);
  showCurves();
};

const settleOrSay = (anew?: string): void => {
  settle(anew).catch(() => {
    byId('lost').hidden = false;
  });
};

const remember = (): void => {
  const parts = ['x', 'smooth'].map((id) => `${id}=${control(id).value}`);
  const runs = chosen().map((name) => `with=${encodeURIComponent(name)}`);
  history.replaceState(null, '', `training?run=${encodeURIComponent(first.name)}#${[...parts, ...runs].join('&')}`);
};

const given = new URLSearchParams(location.hash.slice(1));
byId('x').append(...Object.entries(axes).map(([value, { title }]) => element('option', { value }, title)));
for (const id of ['x', 'smooth']) {
  const options = [...byId<HTMLSelectElement>(id).options].map(({ value }) => value);
  const value = given.get(id);
  if (value !== null && options.includes(value)) control(id).value = value;
}
byId('others').hidden = others.length === 0;
for (const { name, title } of others) {
  const box = element('input', { type: 'checkbox', value: name, checked: given.getAll('with').includes(name) });
  byId('others').append(element('label', {}, box, ` ${title}`));
}
for (const id of ['x', 'smooth', 'others'])
  byId(id).addEventListener('change', () => {
    remember();
    settleOrSay();
  });

show(first);
settleOrSay();
let changed = first.changed;
listenTo(`events?training=${encodeURIComponent(first.name)}`, (news) => {
  const training = news as TrainingRow;
  if (training.name === undefined) return;
  show(training);
  if (training.changed === changed) return;
  changed = training.changed;
  settleOrSay(first.name);
});
