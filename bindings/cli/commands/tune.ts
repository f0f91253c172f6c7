// Runs `lepanto tune`: looks for better options of an agent by games, and has a gate judge them.
import { scoreNames } from '../../../engine/internal.js';
import { fieldOf } from '../../../engine/rules/shape.js';
import { agentKinds } from '../../../selfplay/agents/registry.js';
import { type GateResult, gateGames, runGate } from '../../../selfplay/arena/gate.js';
import { KeptGames } from '../../../selfplay/arena/kept-games.js';
import type { GateSpec } from '../../../selfplay/arena/protocol.js';
import {
  runTune,
  type TunedOption,
  type TuneResult,
  type TuneSpec,
  type TuneStep,
  tuneGames,
  withOptions,
} from '../../../selfplay/arena/tune.js';
import { writeWhole } from '../../../selfplay/records/whole-file.js';
import { makeTeller, readWay } from '../../cluster/queue/tell.js';
import { BotUses, gateRecord, gateText } from '../shared/arena-report.js';
import { INTERRUPTED } from '../shared/interrupt.js';
import { readMap, readRules } from '../shared/map-and-rules.js';
import * as Options from '../shared/options.js';
import { columns, say } from '../shared/output.js';
import { linePlot } from '../shared/plots.js';
import { warnOfUnseen } from '../shared/run-arguments.js';
import { checkFile, MAX_CHOICE_MS, oneOf, parseWhole, UsageError } from '../shared/usage.js';
import { arenasBy, type Conditions, playUnderBar, readAgents, readOne, tell } from './play-arenas.js';

const YEARS = 8;
const MAX_GAMES = 1_000_000;
const MAX_STEPS = 100_000;
const GATE_LOOKS = 4;
const GATE_P = 0.05;
/** Rows of the curve in the text. */
const ROWS = 20;
const COLOURS = ['#0f4394', '#b8282d', '#2d7a2d', '#8a5a00', '#6a3d9a', '#00797d', '#555555', '#c2185b'];
const DASHES = ['', '8 3', '2 3'];

const options = {
  options: {
    takes: 'LIST',
    help: `what is tuned, separated by commas: NAME=LEAST..MOST, numbers that the agent takes. It begins with the value in
      AGENT, else with its default`,
  },
  against: { takes: 'LIST', help: 'opponents, separated by commas, six at a time (default: AGENT as it is)' },
  games: { takes: 'N', default: '56', help: 'games of each of the two agents in a step' },
  steps: { takes: 'N', default: '100', help: 'steps' },
  gate: {
    takes: 'N',
    default: '56',
    help: `games of a look each way of the gate at the end, 0 for none: ${GATE_LOOKS} looks, the opponents are its anchors`,
  },
  until: { takes: 'YEAR', help: `last year of a game (default: ${YEARS} years)` },
  out: {
    takes: 'DIR',
    help: 'keeps the games: the same command then plays the missing ones. FILE.json keeps how they ended alone',
  },
  svg: { takes: 'FILE', help: 'draws the curves to FILE: each option in its range, step by step' },
  scoring: { takes: 'NAME', default: 'sum_of_squares', help: scoreNames.join(', ') },
  ...Options.seedOption,
  ...Options.workersOption,
  ...Options.playerOptions('the game played again; the third time the tuning ends'),
  ...Options.mapOptions,
  ...Options.rulesOption('adjudication and of running games'),
  ...Options.queueOption('lets lepanto worker on other machines play the games'),
  store: {
    takes: 'STORE',
    help: 'where results are exchanged: redis, s3://BUCKET/PREFIX or a shared folder (default: redis)',
  },
  json: { help: 'one JSON object; with --queue each event as a line, the result last' },
  ...Options.quietOption,
} as const;

export const help = `
usage: lepanto tune AGENT --options NAME=LEAST..MOST,... [OPTIONS]

Looks for better numbers in the options of an agent, by games, as chess engines
are tuned (SPSA). In each step all options change at once, each up or down by
chance; the agent with these changes and the one with the opposite ones play the
same seats and seeds, one seat against six of each opponent, and the options go
a little towards the better one. The answer is their mean over the last half of
the steps. A gate then says whether it is better than the agent as it was: exit
code 0 if it passes, 1 if not.

Some thousand games tell little of a small change: expect hours. Ctrl-C ends it;
the same command with --out goes on. The games do not depend on the number of
workers.

  lepanto tune reply:plans=8 --options free=0..3,pull=0..0.3 --against greedy

${Options.optionText(options)}
`;

type Values = Options.Values<typeof options>;

/** Where an option begins: as the agent has it, or as it is by default. */
const startOf = (agent: string, name: string, least: number, most: number): number => {
  const [kind, ...pairs] = agent.split(':');
  const given = pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
  const known = fieldOf(agentKinds.find((one) => one.name === kind)?.options ?? {}, name) as
    | { default?: unknown }
    | undefined;
  const start = Number(given ?? known?.default ?? Number.NaN);
  if (start >= least && start <= most) return start;
  throw new UsageError(
    `--options: ${name}: got ${least}..${most} where ${agent} has ${given ?? known?.default ?? 'no such option'}, wanted a range around it`,
  );
};

const readOptions = (text: string | undefined, agent: string): TunedOption[] => {
  if (text === undefined) throw new UsageError('--options: got nothing, wanted NAME=LEAST..MOST, separated by commas');
  const tuned = text.split(',').map((one): TunedOption => {
    const [, name = '', from = '', to = ''] = /^([^=:]+)=(-?[\d.]+)\.\.(-?[\d.]+)$/.exec(one.trim()) ?? [];
    const [least, most] = [Number(from), Number(to)];
    if (name === '' || !(least < most)) throw new UsageError(`--options: got "${one}", wanted NAME=LEAST..MOST`);
    return { name, least, most, start: startOf(agent, name, least, most) };
  });
  const twice = tuned.find(({ name }, i) => tuned.findIndex((one) => one.name === name) !== i);
  if (twice !== undefined) throw new UsageError(`--options: got ${twice.name} twice, wanted it once`);
  return tuned;
};

const readSpec = async (values: Values, asked: string, choiceMs: number): Promise<TuneSpec> => {
  const map = readMap(values);
  const agent = await readOne('AGENT', asked, choiceMs).catch(({ message }: Error) => {
    throw new UsageError(message.replace('--AGENT', 'AGENT'));
  });
  const tuned = readOptions(values.options, agent);
  // What the agent does not take is refused before anything is played.
  for (const end of ['least', 'most'] as const)
    await readOne(
      'options',
      withOptions(agent, Object.fromEntries(tuned.map((one) => [one.name, one[end]]))),
      choiceMs,
    );
  return {
    map: map.name,
    rules: readRules(values.rules).runName,
    scoring: oneOf('scoring', values.scoring, scoreNames),
    until: parseWhole('until', values.until ?? String(map.startYear + YEARS - 1), map.startYear, 9999),
    seed: Options.readSeed(values.seed),
    agent,
    options: tuned,
    against: values.against === undefined ? [agent] : await readAgents('against', values.against, choiceMs),
    games: parseWhole('games', values.games, 2, MAX_GAMES),
    steps: parseWhole('steps', values.steps, 1, MAX_STEPS),
  };
};

/** By step, at most so many rows: the gain, and the options. */
const curveText = ({ options: tuned }: TuneSpec, { steps }: TuneResult): string => {
  const every = Math.ceil(steps.length / ROWS);
  const rows = steps.flatMap(({ pairs, values }, i) =>
    (i + 1) % every === 0 || i === steps.length - 1
      ? [[i + 1, `${pairs.gain.toFixed(3)} +- ${pairs.error.toFixed(3)}`, ...values]]
      : [],
  );
  return columns([
    ['step', 'gain', ...tuned.map(({ name }) => name)],
    ['start', '', ...tuned.map(({ start }) => start)],
    ...rows,
  ]);
};

const curvePlot = (spec: TuneSpec, { steps }: TuneResult): string =>
  linePlot({
    title: `lepanto tune ${spec.agent}`,
    unit: 'place in its range, by step',
    from: 0,
    lines: spec.options.map(({ name, least, most, start }, i) => ({
      name: `${name} ${least}..${most}`,
      colour: COLOURS[i % COLOURS.length],
      dashes: DASHES[Math.floor(i / COLOURS.length) % DASHES.length],
      points: [start, ...steps.map(({ values }) => values[i])].map((value, step) => [
        step,
        (value - least) / (most - least),
      ]),
    })),
  });

const gateOf = (spec: TuneSpec, { agent }: TuneResult, games: number): GateSpec => {
  const { options: tuned, steps, against, ...common } = spec;
  const anchors = against.filter((one) => one !== spec.agent);
  return { ...common, agent, against: spec.agent, anchors, games, looks: GATE_LOOKS, p: GATE_P };
};

const playGate = (spec: GateSpec, conditions: Conditions): Promise<GateResult> =>
  playUnderBar(
    gateGames(spec),
    conditions,
    (signal, onGame) => runGate(spec, { ...arenasBy(conditions), signal, onGame }),
    ({ passed }) => passed !== null,
  );

const sayStep =
  (spec: TuneSpec, quiet: boolean) =>
  (step: TuneStep): void => {
    if (quiet) return;
    const values = spec.options.map(({ name }, i) => `${name}=${step.values[i]}`);
    say(`gain ${step.pairs.gain.toFixed(3)} +- ${step.pairs.error.toFixed(3)}: ${values.join(' ')}`);
  };

export const run = async (args: string[]): Promise<number> => {
  const { values, positionals } = Options.readArguments(args, options);
  const { out, json, quiet, svg } = values;
  const [asked, ...more] = positionals;
  if (asked === undefined || more.length > 0)
    throw new UsageError(`got ${positionals.length} agents, wanted one: lepanto tune AGENT --options ...`);
  if (svg !== undefined) checkFile('--svg', svg);
  const choiceMs = parseWhole('choice-ms', values['choice-ms'], 0, MAX_CHOICE_MS);
  const spec = await readSpec(values, asked, choiceMs);
  const games = parseWhole('gate', values.gate, 0, MAX_GAMES);
  if (games === 1) throw new UsageError('--gate: got 1, wanted 0, or at least 2');
  const workers = Options.readWorkers(values.workers);
  const kept = out === undefined ? undefined : new KeptGames(out, values['bot-version']);
  kept?.save();
  if (out !== undefined && !quiet) warnOfUnseen([spec.agent, ...spec.against], values['bot-version']);
  const teller = makeTeller(json, 'task');
  const bots = new BotUses();
  const conditions: Conditions = { workers, choiceMs, kept, ...readWay(values, ''), teller, bots, json, quiet };
  const begin = performance.now();
  const result = await playUnderBar(tuneGames(spec), conditions, (signal, onGame) =>
    runTune(spec, { ...arenasBy(conditions), signal, onGame }, sayStep(spec, quiet || json)),
  );
  if (svg !== undefined) writeWhole(svg, curvePlot(spec, result));
  const isWhole = result.steps.length === spec.steps;
  const gateSpec = gateOf(spec, result, games);
  const gate = isWhole && games > 0 ? await playGate(gateSpec, conditions) : null;
  tell(
    conditions,
    begin,
    (threads, seconds) => ({
      tune: spec,
      ...result,
      gate: gate && gateRecord(gateSpec, gate, threads, seconds),
      seconds,
    }),
    (seconds) =>
      `${result.games} games, ${result.steps.length} steps, to the end of ${spec.until}, seed ${spec.seed}, ` +
      `${seconds.toFixed(1)} s\n\n${curveText(spec, result)}\n\n${result.agent}\n` +
      (gate === null ? '' : `\n${gateText(gateSpec, gate, seconds, bots)}`),
  );
  if (!isWhole || gate?.passed === null) return INTERRUPTED;
  return gate?.passed === false ? 1 : 0;
};
