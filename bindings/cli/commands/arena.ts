// Runs `lepanto arena`: plays agents against each other.

import type { CompiledMap } from '../../../engine/internal.js';
import { gateGames, runGate } from '../../../selfplay/arena/gate.js';
import { type GauntletSpec, gauntletArenas, gauntletFamilies, runGauntlet } from '../../../selfplay/arena/gauntlet.js';
import { KeptGames } from '../../../selfplay/arena/kept-games.js';
import { populationEnding, summarizePopulation } from '../../../selfplay/arena/population.js';
import {
  type ArenaSpec,
  arenaOptions,
  GATE_LOOKS,
  GATE_P,
  type GateSpec,
  gateOptions,
} from '../../../selfplay/arena/protocol.js';
import { workersOption } from '../../../selfplay/crew/pool.js';
import { type ChanceStep, endingOptions } from '../../../selfplay/games/ending.js';
import { roundsOption } from '../../../selfplay/question/message.js';
import { seedOption, type ValuesOf } from '../../../selfplay/question/option.js';
import type { Share } from '../../../selfplay/records/run.js';
import { statOf } from '../../../selfplay/records/whole-file.js';
import { makeQueueReport, readQueueChoice } from '../../cluster/queue/queue-report.js';
import { arenaReport, BotUses, gateReport, gauntletReport } from '../../reports/arena-report.js';
import { counted } from '../../reports/figures.js';
import { populationReport } from '../../reports/population-report.js';
import { readAgent, readAgents } from '../../terminal/agents.js';
import { INTERRUPTED } from '../../terminal/interrupt.js';
import { readShare } from '../../terminal/job-array.js';
import { lastYear, readMap, readRules } from '../../terminal/map-and-rules.js';
import {
  agentsHelp,
  mapOptions,
  optionText,
  playerOptions,
  queueOption,
  quietOption,
  readArguments,
  rulesOption,
  storeOption,
} from '../../terminal/options.js';
import { sayBeside } from '../../terminal/output.js';
import { warnOfUnseen } from '../../terminal/run-arguments.js';
import { checkInput, checkWritable, makeDirectory, orUsage, UsageError } from '../../terminal/usage.js';
import { arenasBy, type Conditions, playerOf, playUnderBar, printReport } from './play-arenas.js';

const DEFAULT_GAMES = 70;
const DEFAULT_YEARS = 10;
const POPULATION_GAMES = 1000;
const GAUNTLET_GAMES = 56;
/** Default number of years of gauntlets and gates. */
const GAUNTLET_YEARS = 8;
const GATE_GAMES = 28;
/** Default settings for kinds of bots. */
const presets = {
  // Bots that cost time and money: each power twice, to the end of 1909.
  'language-model': { protocol: '1v6', gamesAPower: 2, years: 9 },
} as const;
type PresetName = keyof typeof presets;
const presetNames = Object.keys(presets) as PresetName[];

export const options = {
  agents: {
    takes: 'LIST',
    help: `two or more agents, separated by commas: ${agentsHelp}`,
  },
  population: { takes: 'LIST', help: 'agents from which each seat is drawn' },
  gauntlet: { takes: 'AGENT', help: 'agent that meets the families' },
  families: { takes: 'LIST', help: `opponents of --gauntlet (default: ${gauntletFamilies.join(', ')})` },
  gate: { takes: 'NEW', help: 'agent under test' },
  against: { takes: 'BEST', help: 'agent that NEW must beat' },
  ...gateOptions,
  anchors: {
    takes: 'LIST',
    help: 'further opponents of --gate, one seat against six; gauntlet: its families (default: none)',
  },
  preset: {
    words: presetNames,
    help: `language-model: 14 games to the end of 1909, in which the first agent has each power twice against six of the
      second; --games, --protocol and --until override it`,
  },
  protocol: {
    ...arenaOptions.protocol,
    help: `seating: 1v6 (one seat of the first agent against six of each other), 6v1, round-robin (one seat of each against six
      of each), random-seats, mixed (one seat of the first, the others in turn), population (default: 1v6)`,
  },
  games: {
    ...arenaOptions.games,
    help: `number of games (default: ${DEFAULT_GAMES}); against each family with --gauntlet (${GAUNTLET_GAMES}), of one look each
      way with --gate (${GATE_GAMES}), of all with --population (${POPULATION_GAMES}). A multiple of the powers times the
      pairings gives every seat its turn`,
  },
  until: {
    ...endingOptions.until,
    help: `${endingOptions.until.help} (default: ${DEFAULT_YEARS} years, ${GAUNTLET_YEARS} with --gauntlet or --gate, 30 with
      --population)`,
  },
  chance: {
    takes: 'P|YEAR:P,...',
    help: `probability of a draw after each year, or from the given years on (default: 0; with --population 0.2 from the 9th
      year and 0.4 from the 13th)`,
  },
  out: {
    takes: 'DIR',
    help: `directory of the games, as runs that other commands read; the same command, also with more games, plays the missing
      ones. FILE.json stores the results only`,
  },
  shard: {
    takes: 'I/N',
    help: `part I of N for job arrays, stored in --out FILE.json (auto and auto/N as in lepanto selfplay)`,
  },
  with: { takes: 'FILES', help: 'files of such parts, separated by commas; plays the missing games' },
  scoring: arenaOptions.scoring,
  ...seedOption,
  ...workersOption,
  ...roundsOption,
  ...playerOptions,
  ...mapOptions,
  ...rulesOption('adjudication and of running games'),
  ...queueOption('play the games'),
  ...storeOption,
  json: { help: 'one JSON object; with --queue each event as a line, the result last' },
  markdown: { help: 'tables of --gauntlet and --population in Markdown' },
  ...quietOption,
} as const;

export const help = `
usage: lepanto arena --agents A,B,... [OPTIONS]
       lepanto arena --population A,B,... [OPTIONS]
       lepanto arena --gauntlet AGENT [OPTIONS]
       lepanto arena --gate NEW --against BEST [OPTIONS]

Compares agents by games against each other. Seats rotate from game to game. The
same seed gives the same games for any number of workers, except for agents that
search by milliseconds. Ctrl-C stops with a table of the first finished games.

--population draws each seat of each game from all agents, with replacement, and
ends games by chance. It prints mean shares with errors by game, skills in Elo
with a term for each power, and gains of each agent from each other. Populations
with the same seed draw the same agents where both contain them. Games of
another build in --out are refused.

--gauntlet plays one agent in each seat in turn against six of each family, and
at a table of six different ones, with the same seeds and seats for every family
and agent. The worst families come first. By sum_of_squares an equal agent
scores 1/7.

--gate tests whether an agent is better than another (exit code 0 if it passes,
1 if not). In each look one seat of either meets six of the other, with the same
seeds and seats. NEW passes at the first look at which its gains have a p-value
below P / N (one-sided t-test; N looks pass an equal agent with probability P at
most), unless it is worse against an anchor by two standard errors.

In all tables "+-" is one standard error. "interval" of --json is the 95 %
interval of the mean score (t distribution).

${optionText(options)}
`;

/** Settings that arenas, gauntlets, gates and populations all have. */
type Common = Pick<ArenaSpec, 'map' | 'rules' | 'scoring' | 'games' | 'until' | 'chance' | 'seed' | 'rounds'>;

type Values = ValuesOf<typeof options>;

const readPreset = ({ preset }: Values) => (preset === undefined ? undefined : presets[preset]);

/** Returns the default number of games, and of years of a game, for the kind of arena that the options choose. */
const defaultsOf = (values: Values, map: CompiledMap): { readonly games: number; readonly years: number } => {
  if (isPopulation(values)) return { games: POPULATION_GAMES, years: populationEnding(map).until - map.startYear + 1 };
  if (values.gate !== undefined) return { games: GATE_GAMES, years: GAUNTLET_YEARS };
  if (values.gauntlet !== undefined) return { games: GAUNTLET_GAMES, years: GAUNTLET_YEARS };
  const preset = readPreset(values);
  if (preset !== undefined) return { games: preset.gamesAPower * map.powerCount, years: preset.years };
  return { games: DEFAULT_GAMES, years: DEFAULT_YEARS };
};

const isPopulation = ({ population, protocol }: Values): boolean =>
  population !== undefined || protocol === 'population';

const readChance = (values: Values, map: CompiledMap): readonly ChanceStep[] => {
  const { chance: text } = values;
  if (text === undefined) return isPopulation(values) ? populationEnding(map).chance : [];
  const steps = text.split(',').map((part): ChanceStep => {
    const found = /^(?:(\d{1,4}):)?(0|1|0?\.\d{1,9}|1\.0*)$/.exec(part.trim());
    if (found === null) throw new UsageError(`--chance: got "${part}", wanted P or YEAR:P with P from 0 to 1`);
    return { from: Number(found[1] ?? map.startYear), chance: Number(found[2]) };
  });
  const late = steps.findIndex(({ from }, i) => i > 0 && from <= steps[i - 1].from);
  if (late >= 0)
    throw new UsageError(`--chance: got ${steps[late].from} after ${steps[late - 1].from}, wanted years ascending`);
  return steps;
};

const readCommon = (values: Values, map: CompiledMap): Common => {
  const usual = defaultsOf(values, map);
  const { scoring, seed, rounds, games = usual.games } = values;
  const chance = readChance(values, map);
  if (values.gate !== undefined && games < 2)
    throw new UsageError(`--games: got "${games}", wanted a whole number from 2`);
  return {
    map: map.name,
    rules: readRules(values.rules).runName,
    ...{ scoring, games, seed },
    until: lastYear(map, values.until, usual.years),
    ...(chance.length > 0 && { chance }),
    ...(rounds > 0 && { rounds }),
  };
};

/**
 * Refuses options that the chosen kind of arena does not have.
 * @param names names of these options
 * @param why rest of the message, after the option
 * @throws UsageError if one of them is given
 */
const refuseOthers = (values: Values, names: readonly (keyof Values)[], why: string): void => {
  for (const name of names)
    if (values[name] !== undefined && values[name] !== false) throw new UsageError(`--${name}: got it ${why}`);
};

const ofGauntlet = ['families', 'markdown'] as const;
const ofGate = ['against', 'looks', 'p', 'anchors'] as const;

const readArena = async (values: Values, common: Common, choiceMs: number): Promise<ArenaSpec> => {
  const { population, json, markdown } = values;
  const isOfPopulation = isPopulation(values);
  refuseOthers(values, ['families'], 'without --gauntlet, wanted it only with --gauntlet');
  refuseOthers(values, ofGate, 'without --gate, wanted it only with --gate');
  if (population !== undefined)
    refuseOthers(values, ['agents', 'protocol'], 'with --population, wanted one of the two');
  if (isOfPopulation) refuseOthers(values, ['preset'], 'with a population, wanted one of the two');
  if (!isOfPopulation) refuseOthers(values, ['markdown'], 'without --gauntlet or --population, wanted one of them');
  if (json && markdown) throw new UsageError('--markdown: got it with --json, wanted one of the two');
  const name = population === undefined ? 'agents' : 'population';
  const list = population ?? values.agents;
  if (list === undefined) throw new UsageError('--agents: got nothing, wanted two or more, separated by commas');
  const agents = await readAgents(name, list.split(','), choiceMs);
  if (agents.length < 2) throw new UsageError(`--${name}: got ${agents.length}, wanted at least 2`);
  const twice = agents.find((agent, i) => agents.indexOf(agent) !== i);
  if (isOfPopulation && twice !== undefined)
    throw new UsageError(`--${name}: got ${twice} twice, wanted each agent once`);
  const protocol = values.protocol ?? readPreset(values)?.protocol ?? '1v6';
  return { ...common, agents, protocol: isOfPopulation ? 'population' : protocol };
};

const readGauntlet = async (values: Values, agent: string, common: Common, choiceMs: number): Promise<GauntletSpec> => {
  refuseOthers(
    values,
    ['agents', 'population', 'preset', 'protocol', 'gate'],
    'with --gauntlet, wanted one of the two',
  );
  refuseOthers(values, ofGate, 'without --gate, wanted it only with --gate');
  if (values.json && values.markdown) throw new UsageError('--markdown: got it with --json, wanted one of the two');
  const one = await readAgent('gauntlet', agent, choiceMs);
  const families = await readAgents('families', values.families?.split(',') ?? gauntletFamilies, choiceMs);
  return { ...common, agent: one, families };
};

const readGate = async (values: Values, agent: string, common: Common, choiceMs: number): Promise<GateSpec> => {
  refuseOthers(values, ['agents', 'population', 'preset', 'protocol'], 'with --gate, wanted one of the two');
  refuseOthers(values, ofGauntlet, 'without --gauntlet, wanted it only with --gauntlet');
  if (values.against === undefined) throw new UsageError('--against: got nothing, wanted the agent that NEW must beat');
  const anchors = values.anchors === 'gauntlet' ? gauntletFamilies : (values.anchors?.split(',') ?? []);
  return {
    ...common,
    agent: await readAgent('gate', agent, choiceMs),
    against: await readAgent('against', values.against, choiceMs),
    anchors: await readAgents('anchors', anchors, choiceMs),
    looks: values.looks ?? GATE_LOOKS,
    p: values.p ?? GATE_P,
  };
};

/** Part of an arena that this command plays (`share`), and files with games that other commands played (`files`). */
interface Division {
  readonly share: Share;
  readonly files: readonly string[];
}

const readDivision = ({ shard, with: files, out, queue }: Values): Division => {
  const share = readShare(shard);
  if (shard !== undefined && !out?.endsWith('.json'))
    throw new UsageError(`--out: got ${out ?? 'nothing'} with --shard, wanted FILE.json`);
  if (shard !== undefined && queue !== undefined)
    throw new UsageError('--shard: got it with --queue, wanted one of the two');
  const named = files === undefined ? [] : files.split(',');
  for (const file of named) orUsage('with', () => checkInput(file));
  return { share, files: named };
};

const playArena = async (spec: ArenaSpec, conditions: Conditions, { share, files }: Division): Promise<number> => {
  const { workers, choiceMs, bots, quiet } = conditions;
  const kept = conditions.kept ?? (files.length > 0 ? new KeptGames() : undefined);
  for (const file of files) kept?.take(file, spec);
  const begin = performance.now();
  const known = kept?.of(spec) ?? [];
  const before = known.filter((game) => game !== undefined).length;
  const total = share.count === 1 ? spec.games : Math.ceil((spec.games - share.index) / share.count);
  let here = before;
  const { games, ended, standings } = await playUnderBar(total, conditions, async (signal, onGame) => {
    onGame(before);
    const result = await playerOf(conditions)(spec, {
      ...{ workers, choiceMs, known, share, signal, onWarning: sayBeside, onBots: bots.add },
      whole: kept?.isWhole ?? false,
      onGame: (played, index, game, record) => {
        kept?.add(spec, index, game, record);
        here = before + played;
        onGame(here);
      },
    }).finally(() => kept?.save());
    const { games: all, standings: found } = result;
    return { standings: found, ended: all, games: share.count === 1 ? all.length : here };
  });
  if (games === 0) return INTERRUPTED;
  if (share.count > 1) {
    if (!quiet)
      process.stderr.write(
        `${here} of ${counted(total, 'game')} of part ${share.index + 1} of ${share.count} are kept\n`,
      );
    return here === total ? 0 : INTERRUPTED;
  }
  const done = { ...spec, games };
  const report =
    spec.protocol === 'population'
      ? populationReport(done, summarizePopulation(done, ended), bots)
      : arenaReport(done, standings, bots);
  printReport(conditions, begin, report);
  return games === spec.games ? 0 : INTERRUPTED;
};

const playGauntlet = async (spec: GauntletSpec, conditions: Conditions): Promise<number> => {
  const begin = performance.now();
  const total = gauntletArenas(spec).length * spec.games;
  const result = await playUnderBar(total, conditions, (signal, onGame) =>
    runGauntlet(spec, { ...arenasBy(conditions), signal, onGame }),
  );
  if (result.games === 0) return INTERRUPTED;
  printReport(conditions, begin, gauntletReport(spec, result, conditions.bots));
  return result.games === total ? 0 : INTERRUPTED;
};

const playGate = async (spec: GateSpec, conditions: Conditions): Promise<number> => {
  const begin = performance.now();
  const play = (signal: AbortSignal, onGame: (played: number) => void) =>
    runGate(spec, { ...arenasBy(conditions), signal, onGame });
  const result = await playUnderBar(gateGames(spec), conditions, play, ({ passed }) => passed !== null);
  if (result.passed === null) return INTERRUPTED;
  printReport(conditions, begin, gateReport(spec, result, conditions.bots));
  return result.passed ? 0 : 1;
};

export const run = async (args: string[]): Promise<number> => {
  const { values } = readArguments(args, options, false);
  const map = readMap(values);
  const common = readCommon(values, map);
  const way = readQueueChoice(values, '');
  const { gauntlet, gate, out, json, markdown, quiet, workers, 'choice-ms': choiceMs } = values;
  const gauntletSpec = gauntlet === undefined ? null : await readGauntlet(values, gauntlet, common, choiceMs);
  const gateSpec = gate === undefined ? null : await readGate(values, gate, common, choiceMs);
  const spec = gauntletSpec === null && gateSpec === null ? await readArena(values, common, choiceMs) : null;
  const division = readDivision(values);
  if (spec === null) refuseOthers(values, ['shard', 'with'], 'with --gauntlet or --gate, wanted it without');
  if (out !== undefined) (statOf(out)?.isFile() || out.endsWith('.json') ? checkWritable : makeDirectory)('--out', out);
  const kept = out === undefined ? undefined : new KeptGames(out, values['bot-version']);
  // Reports a file that cannot be written before any game is played.
  kept?.save();
  if (out !== undefined && !quiet) {
    const all = spec?.agents ?? [gauntletSpec?.agent ?? '', gateSpec?.agent ?? '', gateSpec?.against ?? ''];
    warnOfUnseen([...all, ...(gauntletSpec?.families ?? []), ...(gateSpec?.anchors ?? [])], values['bot-version']);
  }
  const queueReport = makeQueueReport(json, 'task');
  const bots = new BotUses();
  const conditions: Conditions = { workers, choiceMs, kept, ...way, queueReport, bots, json, markdown, quiet };
  if (gateSpec !== null) return playGate(gateSpec, conditions);
  if (gauntletSpec !== null) return playGauntlet(gauntletSpec, conditions);
  return spec === null ? 1 : playArena(spec, conditions, division);
};
