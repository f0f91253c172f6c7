// Writes records as saved games of the package `diplomacy`, with its position hashes, or in dipcc's dialect.

import { resultIn } from '../../../engine/adjudicate/order-results.js';
import {
  adjudicate,
  COMPLETED,
  type CompiledMap,
  DATC_3_2,
  Game,
  makeResults,
  nameOfPhase,
  ordererOf,
  orderType,
  type Results,
  type Rules,
  standard,
  WAIVE,
} from '../../../engine/internal.js';
import { type ByPower, emptyByPower } from '../../../engine/notation/json/position.js';
import { formatOrder, orderedUnits } from '../../../engine/notation/text/index.js';
import * as T from '../../../engine/rules/types.js';
import { type GameRecord, loadState, type PhaseRecord } from '../../../selfplay/games/game-record.js';
import type { Message } from '../../../selfplay/question/message.js';
import type { StoredGame } from '../../../selfplay/records/record.js';
import { fillStates } from '../../../selfplay/records/verify.js';
import { isWritable, savedMessages } from './messages.js';
import { resultWords, statedPosition } from './package-state.js';
import { mapValues } from './raw.js';
import { homesOf } from './zobrist.js';

/** Programs whose format can be written. */
export const dialects = ['diplomacy', 'dipcc'] as const;
/** A program whose dialect of saved games can be written. */
export type Dialect = (typeof dialects)[number];

/** Last power that had a unit in each province. `diplomacy` calls this influence. */
class Influence {
  private readonly holder = new Int32Array(this.map.provinceCount).fill(-1);

  constructor(private readonly map: CompiledMap) {}

  /** Updates the provinces that have a unit in this position. */
  see(game: Game): void {
    for (let p = 0; p < this.map.provinceCount; p++)
      if (game.unitAt(p) !== T.NO_UNIT) this.holder[p] = T.unitPower(game.unitAt(p));
  }
  byPower(): ByPower {
    const found = emptyByPower(this.map);
    this.holder.forEach((power, p) => {
      if (power >= 0) found[this.map.powerNames[power]].push(this.map.provinceTags[p]);
    });
    return found;
  }
}

/** Returns the home centres that each power still owns, keyed by power. dipcc lists no other home centres. */
const ownedHomes = (homes: ByPower, centers: ByPower): ByPower =>
  mapValues(homes, (tags, power) => tags.filter((tag) => centers[power].includes(tag)));

/** Returns a phase name with a year of four digits, as in `diplomacy` and dipcc: 'S0001M' on ancmed. */
const longName = (phase: string): string => phase.replace(/\d+/, (year) => year.padStart(4, '0'));

const stateOf = (game: Game, name: string, influence: Influence, homes: ByPower, dialect: Dialect): object => {
  const { map } = game;
  const { units, retreats, centers, builds, hash } = statedPosition(game, homes);
  if (dialect === 'dipcc') return { name, units, centers, homes: ownedHomes(homes, centers), retreats, builds };
  return {
    timestamp: 0,
    zobrist_hash: hash(),
    note: '',
    name,
    units,
    retreats,
    centers,
    homes,
    influence: influence.byPower(),
    civil_disorder: Object.fromEntries(map.powerNames.map((power) => [power, 0])),
    builds,
  };
};

/**
 * Returns the orders of each power without waives. `diplomacy` drops waives when reading and then considers the file
 * wrong; dipcc cannot read them.
 */
const ordersOf = (game: Game, phase: PhaseRecord): ByPower => {
  const found = emptyByPower(game.map);
  const units = orderedUnits(game);
  for (const order of phase.orders) {
    const power = ordererOf(game, order);
    if (power >= 0 && orderType(order) !== WAIVE)
      found[game.map.powerNames[power]].push(formatOrder(game.map, order, units));
  }
  return found;
};

/** Returns the words of `diplomacy` for the results of a phase, keyed by unit. Waives are left out. */
const resultsOf = (before: Game, results: Results, phase: PhaseRecord): Record<string, string[]> => {
  const { map } = before;
  if (before.phase !== T.ADJUSTMENT) return resultWords(map, before.phase, results);
  const found: Record<string, string[]> = {};
  phase.orders.forEach((order, i) => {
    if (orderType(order) === WAIVE) return;
    const name = formatOrder(map, order, before).replace(/ [BD]$/, '');
    found[name] = [resultIn(phase.results[i]) === T.SUCCEEDS ? '' : 'void'];
  });
  return found;
};

/** Returns the messages of a record that a dialect can store: for dipcc only messages between powers. */
export const writableMessages = ({ phases }: Pick<GameRecord, 'phases'>, dialect: Dialect): Message[] =>
  phases.flatMap(({ messages = [] }) => messages.filter((message) => isWritable(message, dialect === 'dipcc')));

/** Options of savedGame(). id: name of the game in the file. */
export interface WriteOptions {
  readonly id: string;
  readonly dialect: Dialect;
}

/**
 * Returns a record as a saved game, for JSON.stringify(). A drawn game stops before its next phase, like a game in
 * progress, because `diplomacy` adjudicates files again and has no other end than a solo.
 */
export const savedGame = (
  map: CompiledMap,
  rules: Rules,
  record: GameRecord,
  { id, dialect }: WriteOptions,
): object => {
  const game = new Game(map, rules);
  const results = makeResults();
  const homes = homesOf(map);
  const isDipcc = dialect === 'dipcc';
  const messages = writableMessages(record, dialect);
  const ruleNames = !isDipcc && messages.length === 0 ? ['NO_PRESS'] : [];
  const influence = new Influence(map);
  const phases = record.phases.map((phase) => {
    loadState(game, phase.state);
    influence.see(game);
    const isLast = phase.phase === COMPLETED;
    const name = longName(
      isLast && game.status === T.DRAW ? nameOfPhase(game.year, game.season, game.phase) : phase.phase,
    );
    const state = stateOf(game, name, influence, homes, dialect);
    const extended = dialect === 'diplomacy' ? { ...state, game_id: id, map: map.name, rules: ruleNames } : state;
    if (!isLast) adjudicate(game.clone(), phase.orders, phase.orders.length, results);
    const noOrders = dialect === 'dipcc' ? {} : Object.fromEntries(map.powerNames.map((power) => [power, null]));
    return {
      name,
      state: extended,
      orders: isLast ? noOrders : ordersOf(game, phase),
      results: isLast || dialect === 'dipcc' ? {} : resultsOf(game, results, phase),
      messages: messages
        .filter((message) => message.phase === phase.phase)
        .flatMap((message) => savedMessages(message, name, isDipcc)),
      ...(dialect === 'dipcc' ? { logs: [] } : {}),
    };
  });
  const head = { id, map: map.name, rules: ruleNames };
  return dialect === 'dipcc'
    ? {
        version: '1.0',
        ...head,
        scoring_system: 'sum_of_squares',
        is_full_press: messages.length > 0,
        metadata: {},
        phases,
      }
    : { ...head, phases };
};

/** Options of formatSavedGame(). The defaults suit games on the standard map under DATC 3.2. */
export interface SavedGameOptions {
  /** Map of the game; default: the standard map. */
  readonly map?: CompiledMap;
  /** Rules of the game; default: DATC 3.2. */
  readonly rules?: Rules;
  /** Name of the game in the file; default: 'lepanto-' and its index. */
  readonly id?: string;
  /** Program that will read the game: 'diplomacy' (default) or 'dipcc'. */
  readonly dialect?: Dialect;
}

/**
 * Returns a record as a saved game of `diplomacy` or dipcc, for JSON.stringify(). A drawn game stops before its next
 * phase, like a game in progress, because `diplomacy` adjudicates files again and has no other end than a solo.
 * @throws LepantoError if the record does not match its orders under the rules
 */
export const formatSavedGame = (record: StoredGame, options: SavedGameOptions = {}): object => {
  const { map = standard, rules = DATC_3_2, id = `lepanto-${record.index}`, dialect = 'diplomacy' } = options;
  return savedGame(map, rules, fillStates(map, rules, record, id), { id, dialect });
};
