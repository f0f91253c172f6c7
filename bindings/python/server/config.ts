// What a batch server is asked for, checked; and the core that every thread makes of it.
import type { CompiledMap } from '../../../engine/internal.js';
import { ruleSetByName } from '../../../engine/notation/text/index.js';
import { LepantoError } from '../../../engine/rules/error.js';
import { byKey, fieldReader, oneOf, orElse, refuseValue, text, wholeNumber } from '../../../engine/rules/shape.js';
import { workersOption } from '../../../selfplay/crew/pool.js';
import { choiceMsOption } from '../../../selfplay/crew/watchdog.js';
import { endingOptions } from '../../../selfplay/games/ending.js';
import { isCommandName } from '../../../selfplay/question/agent-name.js';
import { optionShape, seedOption } from '../../../selfplay/question/option.js';
import { observationKinds } from '../../formats/arrays/observations.js';
import { memoryFile } from '../../formats/arrays/shared-arrays.js';
import { openMap } from '../../formats/maps/open-map.js';
import { layOut } from './layout.js';
import { usualSeats } from './named-agents.js';

const MAX_GAMES = 1 << 20;

const byPower = orElse(byKey(text), {} as Readonly<Record<string, string>>);

const readRecording = (value: unknown, where: string) => {
  const field = fieldReader(value, where);
  /** An empty or a new directory. */
  const directory = field('directory', text);
  if (directory === '') refuseValue(where, directory, 'a directory');
  return {
    directory,
    /** Of the client, who orders the powers that no agent does; and by power, where it has another. */
    name: field('name', text),
    names: field('names', byPower),
    /** Of the batch. The seeds in the records follow from it by the number of the game, as in any run. */
    seed: field('seed', optionShape(seedOption.seed)),
  };
};
/** What is recorded, and where. */
export type Recording = ReturnType<typeof readRecording>;

/** Reads the request of the handshake. @throws LepantoError that names what was got and what was wanted */
export const readConfig = (value: unknown) => {
  const field = fieldReader(value, 'handshake');
  const is = (name: string, wanted: unknown): boolean => field(name, (found) => found === wanted);
  return {
    map: field('map', text),
    rules: field('rules', text),
    games: field('games', wholeNumber(1, MAX_GAMES)),
    children: field('children', wholeNumber(0, MAX_GAMES)),
    workers: field('workers', optionShape(workersOption.workers)),
    observations: field('observations', oneOf(observationKinds)),
    /** What becomes of a game that has ended: it begins again in the same step, in the next one, or when it is reset. */
    resetMode: field('reset_mode', oneOf(['same_step', 'next_step', 'disabled'])),
    /** Games end as draws after this year's winter; 0: only by a solo. */
    until: field('until', optionShape(endingOptions.until)),
    /** Episodes are cut after this many turns, at the next movement phase; 0: never. */
    maxSteps: field('max_steps', orElse(wholeNumber(0, 2 ** 31 - 1), 0)),
    /** Actions are vocabulary ids; else places in the legal list of their unit. */
    byVocabulary: field('actions', oneOf(['index', 'vocabulary'])) === 'vocabulary',
    /** Legal lists are written; without them actions must be vocabulary ids. */
    lists: !is('lists', false),
    /** Results of the orders of the last phase are written. */
    results: is('results', true),
    /** Legal orders are written as masks over the vocabulary too. */
    masks: is('masks', true),
    /** Keys of the texts of legal orders (text-keys.ts) are written too. */
    textKeys: is('text_keys', true),
    /** Agent by power name: powers that the server plays. */
    opponents: field('opponents', byPower),
    /** Milliseconds for one choice of a user's agent; 0 for as many as it takes. */
    choiceMs: field('choice_ms', optionShape(choiceMsOption)),
    /** Where the games are recorded; null for nowhere. */
    record: field('record', orElse(readRecording, null)),
    /** Open file of the shared memory, and the client's process. */
    fd: field('fd', memoryFile),
    parent: field('parent', wholeNumber(1, 2 ** 31)),
  };
};
export type ServerConfig = Readonly<ReturnType<typeof readConfig>>;

/** @throws LepantoError for a name that is no power's */
const checkPowers = ({ powerNames }: CompiledMap, option: string, names: readonly string[]): void => {
  for (const name of names)
    if (!powerNames.includes(name)) refuseValue(option, name, `a name, or one by power: ${powerNames.join(', ')}`);
};

/** What a config means. @throws LepantoError that names what was got and what was wanted */
export const setUp = (config: ServerConfig) => {
  const map = openMap(config.map);
  if (config.byVocabulary === false && !config.lists)
    throw new LepantoError('argument', 'lists: got false, wanted true where actions are places in a legal list');
  if (config.until !== 0 && config.until < map.startYear)
    refuseValue('until', config.until, `0 (games end only by a solo) or a year from ${map.startYear}`);
  if (config.record !== null) checkPowers(map, 'record_as', Object.keys(config.record.names));
  const rules = ruleSetByName(config.rules);
  const { observations, games, children, workers, masks, textKeys, results, opponents } = config;
  const longGameDraw = rules.running.longGameDraw === 'yes';
  const options = { longGameDraw, masks, textKeys, results, bots: Object.values(opponents).some(isCommandName) };
  return {
    map,
    rules,
    layout: layOut(map, options, observations, games, children, workers),
    /** Games end as draws by LONG_GAME too (selfplay/games/ending.ts). */
    longGameDraw,
    /** By power: see usualSeats(). */
    seats: usualSeats(map, config.opponents),
  };
};
export type Setup = Readonly<ReturnType<typeof setUp>>;
