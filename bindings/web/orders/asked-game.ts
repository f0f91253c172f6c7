// Asks agents for orders in a game that a page sends, in a browser worker or on the server. The game is played from its
// start, so that agents see the same game and the same past as in a run.
import {
  type CompiledMap,
  changeMap,
  compileMap,
  type Game,
  hasOrders,
  loadMap,
  type MapRows,
  PLAYING,
  type Power,
  phaseName,
  Random,
  readMapChanges,
} from '../../../engine/internal.js';
import { type ByPower, orders, type PositionRecord, parsePosition } from '../../../engine/notation/json/position.js';
import { formatOrder, orderedUnits, type RuleSet, ruleSetByName } from '../../../engine/notation/text/index.js';
import { LepantoError } from '../../../engine/rules/error.js';
import { anything, asObject, fieldReader, listOf, numberIn, optional, text } from '../../../engine/rules/shape.js';
import {
  endPhase,
  type GameRecord,
  gameScores,
  type PhaseRecord,
  playPhase,
} from '../../../selfplay/games/game-record.js';
import { type Agent, type Past, type Question, type Round, UNBOUNDED } from '../../../selfplay/question/agent.js';
import { findStrangers, type Message, mayRead, messageOf } from '../../../selfplay/question/message.js';
import { QuestionLists } from '../../../selfplay/question/question-lists.js';

/** Upper bounds for the game of a request. MOST_SEEDS: for the absolute value of the seed. */
const MOST_PHASES = 10_000;
const MOST_SEEDS = 2 ** 31;
const MOST_MESSAGES = 10_000;

/** A map that is not part of Lepanto: its name, followed by options, and its rows. */
export interface OwnMap {
  readonly name: string;
  readonly rows: MapRows;
}

/** A game up to its current phase, as a page sends it. */
export interface AskedGame {
  readonly map: string;
  readonly rules: string;
  readonly own: OwnMap | null;
  readonly seed: number;
  readonly start: Partial<PositionRecord>;
  /** Orders of each phase that was played since `start`, keyed by power. */
  readonly played: readonly ByPower[];
  /** All messages that were delivered so far. Missing in games without press. */
  readonly messages?: readonly Message[];
}

/** A request of a page for the orders of agents in a game. */
export interface AskedOrders {
  readonly game: AskedGame;
  /** Names of agents, keyed by power. */
  readonly seats: Readonly<Record<string, string>>;
  /** Round of press. If it is given, messages are requested instead of orders. */
  readonly round?: Round;
}

let lastOwn: { readonly key: string; readonly map: CompiledMap } | null = null;

/**
 * Compiles the map of a request. Returns the same object for the map of the last call, because agents cache tables of a
 * map.
 * @throws LepantoError if the rows are no map
 */
export const openOwn = ({ name, rows }: OwnMap): CompiledMap => {
  const key = JSON.stringify([name, rows]);
  if (lastOwn?.key !== key)
    try {
      lastOwn = { key, map: changeMap(compileMap(rows), readMapChanges(name.split(',').slice(1))) };
    } catch (error) {
      throw error instanceof LepantoError ? error : new LepantoError('record', 'own: got rows that are no map');
    }
  return lastOwn.map;
};

/** A game of a request after its phases were played: the current position and the phases before it. */
export interface OpenGame {
  readonly game: Game;
  readonly rules: RuleSet;
  readonly seed: number;
  readonly phases: readonly PhaseRecord[];
  /** All messages that were delivered so far; undefined in games without press. */
  readonly messages?: readonly Message[];
}

/**
 * Plays the game of a request up to its current phase. @param value an AskedGame, unchecked
 * @throws LepantoError if it is invalid
 */
export const openGame = (value: unknown): OpenGame => {
  const field = fieldReader(value, 'game');
  const own = field('own', anything) as OwnMap | null;
  const map = own === null ? loadMap(field('map', text)) : openOwn(own);
  const rules = ruleSetByName(field('rules', text));
  const seed = field('seed', numberIn(-MOST_SEEDS, MOST_SEEDS)) | 0;
  const { game } = parsePosition(field('start', anything), map, rules.adjudication);
  const messages = field('messages', optional(listOf(messageOf(), 0, MOST_MESSAGES)));
  for (const message of messages ?? []) {
    const stranger = findStrangers(map.powerNames, message);
    if (stranger !== null) throw new LepantoError('record', `messages: ${stranger}`);
  }
  const phases = field('played', listOf(asObject, 0, MOST_PHASES)).map((given) => {
    if (game.status !== PLAYING) throw new LepantoError('record', 'played: got orders after the end of the game');
    const phase = phaseName(game);
    const said = messages?.filter((one) => one.phase === phase) ?? [];
    const played = playPhase(game, orders(game, given as ByPower, [], rules.reading));
    return said.length > 0 ? { ...played, messages: said } : played;
  });
  return { game, rules, seed, phases, ...(messages !== undefined && { messages }) };
};

/**
 * Returns the past of a game as a power knows it: all phases, and the messages that the power may read.
 * @param game name of the game, for agents
 */
export const pastOf = (
  power: string,
  game: string,
  phases: readonly PhaseRecord[],
  messages: readonly Message[] | undefined,
): Past => ({
  ...{ game, phases },
  ...(messages !== undefined && { messages: messages.filter((one) => mayRead(one, power)) }),
});

/**
 * Asks agents for orders. Returns them as text, keyed by power; empty for powers without orders due. An agent that
 * plays several powers is asked once.
 * @param agents agents, keyed by power
 * @param name name of the game, for agents
 * @throws LepantoError for an unknown power
 */
export const askOrders = async (
  { game, seed, phases, messages }: Omit<OpenGame, 'rules'>,
  agents: Readonly<Record<string, Agent>>,
  name = 'page',
): Promise<ByPower> => {
  const { map } = game;
  const orders: ByPower = {};
  const asking = new QuestionLists<Question, string>();
  for (const [title, agent] of Object.entries(agents)) {
    const power = map.powerNames.indexOf(title) as Power;
    if (power < 0) throw new LepantoError('record', `seats: got power "${title.slice(0, 40)}"`);
    orders[title] = [];
    if (!hasOrders(game, power)) continue;
    const random = new Random(seed, phases.length, power);
    asking.add(agent, { game, power, random, budget: UNBOUNDED, past: pastOf(title, name, phases, messages) }, title);
  }
  const units = orderedUnits(game);
  await asking.ask(
    (agent, questions) => agent.answer(questions),
    (title, answer) => {
      orders[title] = Array.from(answer.orders, (order) => formatOrder(map, order, units));
    },
  );
  return orders;
};

/** Returns the record of a game up to its current phase, in the form of a run's records. */
export const recordOf = ({ game, seed, phases }: OpenGame): GameRecord => ({
  index: 0,
  seed,
  phases: [...phases, endPhase(game)],
  scores: gameScores(game),
});
