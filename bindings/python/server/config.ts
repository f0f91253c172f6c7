// Reads and checks the settings of a batch server, which the client sends in the handshake.
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
  /** Directory of the recording. It must be empty or new. */
  const directory = field('directory', text);
  if (directory === '') refuseValue(where, directory, 'a directory');
  return {
    directory,
    /**
     * `name`: name of the client in records, for powers without an agent. `names`: other names of the client, keyed by
     * power.
     */
    name: field('name', text),
    names: field('names', byPower),
    /** Seed of the batch. The seed of a recorded game is derived from it and the game's number. */
    seed: field('seed', optionShape(seedOption.seed)),
  };
};
/** Settings of the recording of a batch: directory, names and seed. */
export type Recording = ReturnType<typeof readRecording>;

/** Reads the settings in the handshake. @throws LepantoError for the first invalid setting */
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
    /** When a finished game restarts: "same_step" at once, "next_step" in the next step, "disabled" only on a reset. */
    resetMode: field('reset_mode', oneOf(['same_step', 'next_step', 'disabled'])),
    /** Games end as draws after the winter of this year; 0: games end only by a solo. */
    until: field('until', optionShape(endingOptions.until)),
    /** Number of turns after which an episode is cut off, before its next movement phase; 0: never. */
    maxSteps: field('max_steps', orElse(wholeNumber(0, 2 ** 31 - 1), 0)),
    /** True if actions are vocabulary ids, false if they are indices in the legal list of their unit. */
    byVocabulary: field('actions', oneOf(['index', 'vocabulary'])) === 'vocabulary',
    /** True to write legal lists. Without lists, actions must be vocabulary ids. */
    lists: !is('lists', false),
    /** True to write the results of the last phase's orders to arrays. */
    results: is('results', true),
    /** True to write legal orders as masks over the vocabulary, whether or not lists are written. */
    masks: is('masks', true),
    /** True to write a number for the text of each legal order, with which clients cache texts (text-keys.ts). */
    textKeys: is('text_keys', true),
    /** Agents that play powers in the server, keyed by name of the power. */
    opponents: field('opponents', byPower),
    /** Time limit for one choice of a user's agent, in milliseconds; 0: no limit. */
    choiceMs: field('choice_ms', optionShape(choiceMsOption)),
    /** Settings of the recording of the games; null for none. */
    record: field('record', orElse(readRecording, null)),
    /** `fd`: file descriptor of the shared memory. `parent`: process id of the client. */
    fd: field('fd', memoryFile),
    parent: field('parent', wholeNumber(1, 2 ** 31)),
  };
};
export type ServerConfig = Readonly<ReturnType<typeof readConfig>>;

/**
 * Checks that all names are powers of a map.
 * @param option option that has the names, for the error
 * @throws LepantoError for an unknown power
 */
const checkPowers = ({ powerNames }: CompiledMap, option: string, names: readonly string[]): void => {
  for (const name of names)
    if (!powerNames.includes(name)) refuseValue(option, name, `a name, or one by power: ${powerNames.join(', ')}`);
};

/** Returns the map, rules, memory layout and seats of a config. @throws LepantoError for an invalid or unsupported value */
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
    /** True if games also end as draws by the rule LONG_GAME (selfplay/games/ending.ts). */
    longGameDraw,
    /** Numbers of the agents that the handshake names, indexed by power; CLIENT for a power that the client orders. */
    seats: usualSeats(map, config.opponents),
  };
};
export type Setup = Readonly<ReturnType<typeof setUp>>;
