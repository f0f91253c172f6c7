// Keeps the phases of a game that is played in a page as a tree, because any phase can be played again with other
// orders.
import { COMPLETED, type CompiledMap } from '../../../engine/internal.js';
import { type AdjudicatedRecord, adjudicateRecord } from '../../../engine/notation/json/adjudicate-record.js';
import type { ByPower } from '../../../engine/notation/json/position.js';
import type { RuleSet } from '../../../engine/notation/text/index.js';
import {
  asObject,
  asTexts,
  byKey,
  fieldOf,
  fieldReader,
  fields,
  listOf,
  orElse,
  wholeNumber,
} from '../../../engine/rules/shape.js';
import { type Message, MOST_ROUNDS, messageOf } from '../../../selfplay/question/message.js';
import { type Placed, positionIn } from './written-position.js';

export interface Turn extends Placed {
  readonly parent: Turn | null;
  /** Orders of the parent that led here, keyed by power; and their results, null at the start. */
  readonly given: ByPower;
  readonly answer: AdjudicatedRecord | null;
  readonly children: Turn[];
  /** Child that was shown last; null for none. */
  last: Turn | null;
  /** Messages of the phase, and number of finished rounds of press. */
  messages: readonly Message[];
  rounds: number;
}

/** Upper bounds for stored games. */
const MOST_TURNS = 10_000;
const MOST_ORDERS = 1000;
const MOST_SAID = 1000;

export const firstTurn = ({ phase, units, centers, retreats }: Placed): Turn => ({
  ...{ phase, units, centers, retreats },
  ...{ parent: null, given: {}, answer: null, children: [], last: null, messages: [], rounds: 0 },
});

export const isOver = ({ phase }: Turn): boolean => phase === COMPLETED;

/** Returns a key of orders that does not depend on their sequence. */
const keyOf = (given: ByPower): string =>
  JSON.stringify(
    Object.entries(given)
      .filter(([, list]) => list.length > 0)
      .map(([power, list]) => [power, ...[...list].sort()])
      .sort(),
  );

/** Children of a phase, by the key of the orders that led to them. */
const childrenByKey = new WeakMap<Turn, Map<string, Turn>>();

/**
 * Plays a phase and returns the next turn, a new branch unless these orders were given before.
 * @throws LepantoError for invalid orders
 */
export const playTurn = (turn: Turn, given: ByPower, map: CompiledMap, rules: RuleSet): Turn => {
  const key = keyOf(given);
  const byKey = childrenByKey.get(turn) ?? new Map<string, Turn>();
  childrenByKey.set(turn, byKey);
  const known = byKey.get(key);
  if (known === undefined) {
    const answer = adjudicateRecord({ ...positionIn(turn), orders: given }, map, rules);
    const { next_phase: phase, units, centers, retreats } = answer;
    const child = { ...firstTurn({ phase, units, centers, retreats }), parent: turn, given, answer };
    turn.children.push(child);
    byKey.set(key, child);
    turn.last = child;
    return child;
  }
  turn.last = known;
  return known;
};

/** Returns the turns from the start to a turn. */
export const lineTo = (turn: Turn): Turn[] => {
  const line: Turn[] = [];
  for (let at: Turn | null = turn; at !== null; at = at.parent) line.push(at);
  return line.reverse();
};

/** Returns the turns from the start through a turn to the end of its branch. */
export const lineOver = (turn: Turn): Turn[] => {
  const line = lineTo(turn);
  for (let { last } = turn; last !== null; last = last.last) line.push(last);
  return line;
};

/**
 * A tree as plain data: parent and orders of each turn except the first, and index of the shown turn (0: the first).
 */
export interface StoredTimeline {
  readonly turns: readonly { readonly parent: number; readonly given: ByPower }[];
  readonly shown: number;
  /** Messages and finished rounds of turns with press. `turn` is 0 for the first turn, i + 1 for turns[i]. */
  readonly said?: readonly { readonly turn: number; readonly rounds: number; readonly messages: readonly Message[] }[];
}

export const storeTimeline = (shown: Turn): StoredTimeline => {
  const all = [lineTo(shown)[0]];
  for (const turn of all) all.push(...turn.children);
  const places = new Map(all.map((turn, i) => [turn, i]));
  const turns = all.slice(1).map(({ parent, given }) => ({ parent: places.get(parent as Turn) ?? 0, given }));
  const said = all.flatMap(({ rounds, messages }, turn) =>
    rounds > 0 || messages.length > 0 ? [{ turn, rounds, messages }] : [],
  );
  return { turns, shown: all.indexOf(shown), ...(said.length > 0 && { said }) };
};

/** Returns the messages of all phases from the start to a turn, including it. */
export const messagesTo = (turn: Turn): Message[] => lineTo(turn).flatMap(({ messages }) => messages);

const storedTurn = fields<StoredTimeline['turns'][number]>({
  parent: wholeNumber(0),
  given: byKey((orders, where) => asTexts(orders, where, MOST_ORDERS)),
});

/** Plays a stored tree again. Returns the shown turn. @throws LepantoError if the tree is invalid */
export const openTimeline = (start: Placed, stored: unknown, map: CompiledMap, rules: RuleSet): Turn => {
  const field = fieldReader(stored, 'game');
  const all = [firstTurn(start)];
  for (const { parent, given } of field('turns', listOf(storedTurn, 0, MOST_TURNS)))
    all.push(playTurn(all[wholeNumber(0, all.length - 1)(parent, 'parent')], given, map, rules));
  for (const one of orElse(listOf(asObject, 0, MOST_TURNS), [])(fieldOf(Object(stored), 'said'), 'said')) {
    const read = fieldReader(one, 'said');
    const turn = all[read('turn', wholeNumber(0, all.length - 1))];
    turn.rounds = read('rounds', wholeNumber(0, MOST_ROUNDS));
    turn.messages = read('messages', listOf(messageOf(), 0, MOST_SAID));
  }
  const found = all[field('shown', wholeNumber(0, all.length - 1))];
  for (let turn = found; turn.parent !== null; turn = turn.parent) turn.parent.last = turn;
  return found;
};
