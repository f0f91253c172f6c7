// What a batch server is asked for, checked; and the core that every thread makes of it.
import type { CompiledMap, Power } from '../../../engine/internal.js';
import { type RuleSet, ruleSetByName } from '../../../engine/notation/text/index.js';
import { LepantoError } from '../../../engine/rules/error.js';
import {
  byKey,
  fieldReader,
  oneOf,
  orElse,
  refuseValue,
  type Shape,
  text,
  wholeNumber,
} from '../../../engine/rules/shape.js';
import { workersOption } from '../../../selfplay/crew/pool.js';
import { choiceMsOption } from '../../../selfplay/crew/watchdog.js';
import { endingOptions } from '../../../selfplay/games/ending.js';
import { optionShape, seedOption } from '../../../selfplay/question/option.js';
import { type ObservationKind, observationKinds } from '../../formats/arrays/observations.js';
import { memoryFile } from '../../formats/arrays/shared-arrays.js';
import { openMap } from '../../formats/maps/open-map.js';
import { logWords } from './game-log.js';
import { type Layout, layOut } from './layout.js';
import { hasBots, opponentPowers } from './opponents.js';

/** What becomes of a game that has ended: it begins again in the same step, in the next one, or when it is reset. */
export const resetModes = ['same_step', 'next_step', 'disabled'] as const;
export type ResetMode = (typeof resetModes)[number];

/** What is recorded, and where. */
export interface Recording {
  /** An empty or a new directory. */
  readonly directory: string;
  /** Of the client, who orders the powers that no agent does; and by power, where it has another. */
  readonly name: string;
  readonly names: Readonly<Record<string, string>>;
  /** Of the batch. The seeds in the records follow from it by the number of the game, as in any run. */
  readonly seed: number;
}

/** The request of the handshake. */
export interface ServerConfig {
  readonly map: string;
  readonly rules: string;
  readonly games: number;
  readonly children: number;
  readonly workers: number;
  readonly observations: ObservationKind;
  readonly resetMode: ResetMode;
  /** Games end as draws after this year's winter; 0: only by a solo. */
  readonly until: number;
  /** Episodes are cut after this many turns, at the next movement phase; 0: never. */
  readonly maxSteps: number;
  /** Actions are vocabulary ids; else places in the legal list of their unit. */
  readonly byVocabulary: boolean;
  /** Legal lists are written; without them actions must be vocabulary ids. */
  readonly lists: boolean;
  /** Results of the orders of the last phase are written. */
  readonly results: boolean;
  /** Legal orders are written as masks over the vocabulary too. */
  readonly masks: boolean;
  /** Keys of the texts of legal orders (text-keys.ts) are written too. */
  readonly textKeys: boolean;
  /** Agent by power name: powers that the server plays. */
  readonly opponents: Readonly<Record<string, string>>;
  /** Milliseconds for one choice of a user's agent; 0 for as many as it takes. */
  readonly choiceMs: number;
  /** Where the games are recorded; null for nowhere. */
  readonly record: Recording | null;
  /** Open file of the shared memory, and the client's process. */
  readonly fd: number;
  readonly parent: number;
}

const MAX_GAMES = 1 << 20;

const byPower = orElse(byKey(text), {});

const readRecording: Shape<Recording> = (value, where) => {
  const field = fieldReader(value, where);
  const directory = field('directory', text);
  if (directory === '') refuseValue(where, directory, 'a directory');
  return {
    directory,
    name: field('name', text),
    names: field('names', byPower),
    seed: field('seed', optionShape(seedOption.seed)),
  };
};

/** @throws LepantoError that names what was got and what was wanted */
export const readConfig = (value: unknown): ServerConfig => {
  const field = fieldReader(value, 'handshake');
  const is = (name: string, wanted: unknown): boolean => field(name, (found) => found === wanted);
  return {
    map: field('map', text),
    rules: field('rules', text),
    games: field('games', wholeNumber(1, MAX_GAMES)),
    children: field('children', wholeNumber(0, MAX_GAMES)),
    workers: field('workers', optionShape(workersOption.workers)),
    observations: field('observations', oneOf(observationKinds)),
    resetMode: field('reset_mode', oneOf(resetModes)),
    until: field('until', optionShape(endingOptions.until)),
    maxSteps: field('max_steps', orElse(wholeNumber(0, 2 ** 31 - 1), 0)),
    byVocabulary: field('actions', oneOf(['index', 'vocabulary'])) === 'vocabulary',
    lists: !is('lists', false),
    results: is('results', true),
    masks: is('masks', true),
    textKeys: is('text_keys', true),
    opponents: field('opponents', byPower),
    choiceMs: field('choice_ms', optionShape(choiceMsOption)),
    record: field('record', orElse(readRecording, null)),
    fd: field('fd', memoryFile),
    parent: field('parent', wholeNumber(1, 2 ** 31)),
  };
};

/** What a config means. */
export interface Setup {
  readonly map: CompiledMap;
  readonly rules: RuleSet;
  readonly layout: Layout;
  /** Games end as draws by LONG_GAME too (selfplay/games/ending.ts). */
  readonly longGameDraw: boolean;
  /** Powers that agents play, in the order in which they were named. */
  readonly opponents: readonly Power[];
}

/** @throws LepantoError for a name that is no power's */
const checkPowers = ({ powerNames }: CompiledMap, option: string, names: readonly string[]): void => {
  for (const name of names)
    if (!powerNames.includes(name)) refuseValue(option, name, `a name, or one by power: ${powerNames.join(', ')}`);
};

/** @throws LepantoError that names what was got and what was wanted */
export const setUp = (config: ServerConfig): Setup => {
  const map = openMap(config.map);
  if (config.byVocabulary === false && !config.lists)
    throw new LepantoError('argument', 'lists: got false, wanted true where actions are places in a legal list');
  if (config.until !== 0 && config.until < map.startYear)
    refuseValue('until', config.until, `0 (games end only by a solo) or a year from ${map.startYear}`);
  if (config.record !== null) checkPowers(map, 'record_as', Object.keys(config.record.names));
  const rules = ruleSetByName(config.rules);
  const { observations, games, children, workers, masks, textKeys, results, opponents } = config;
  const longGameDraw = rules.running.longGameDraw === 'yes';
  const options = { longGameDraw, masks, textKeys, results, bots: hasBots(opponents) };
  return {
    map,
    rules,
    layout: layOut(map, options, observations, games, children, workers),
    longGameDraw,
    opponents: opponentPowers(map, config.opponents),
  };
};

/** Words of the phase log of a batch that records; 0 for another. */
export const logSize = ({ record }: ServerConfig, { map, layout }: Setup): number =>
  record === null ? 0 : layout.games * logWords(map);

/** Entries of the orders that the threads share: orders of all rows and their counts. */
export const givenSize = (map: CompiledMap, layout: Layout): number =>
  (layout.games + layout.children) * (map.powerCount * layout.maxOrders + 1);
