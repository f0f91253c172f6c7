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
  /**
   * `given`: orders of the parent phase that led here, keyed by power. `answer`: their results. At the start they are
   * {} and null.
   */
  readonly given: ByPower;
  readonly answer: AdjudicatedRecord | null;
  readonly children: Turn[];
  /** Child that was shown last, which continues the branch; null for none. */
  last: Turn | null;
  /** `messages`: messages of the phase. `rounds`: number of rounds of press that are over. */
  messages: readonly Message[];
  rounds: number;
}

/**
 * Upper bounds for stored games. MOST_TURNS: phases. MOST_ORDERS: orders of a power in a phase. MOST_SAID: messages of
 * a phase.
 */
const MOST_TURNS = 10_000;
const MOST_ORDERS = 1000;
const MOST_SAID = 1000;

export const firstTurn = ({ phase, units, centers, retreats }: Placed): Turn => ({
  ...{ phase, units, centers, retreats },
  ...{ parent: null, given: {}, answer: null, children: [], last: null, messages: [], rounds: 0 },
});

export const isOver = ({ phase }: Turn): boolean => phase === COMPLETED;

/** Returns a key that is equal for the same orders in any sequence. */
const keyOf = (given: ByPower): string =>
  JSON.stringify(
    Object.entries(given)
      .filter(([, list]) => list.length > 0)
      .map(([power, list]) => [power, ...[...list].sort()])
      .sort(),
  );

/** Children of each phase, keyed by keyOf() of the orders that led to them. */
const childrenByKey = new WeakMap<Turn, Map<string, Turn>>();

/**
 * Plays a phase and returns the next one, which becomes the parent's `last`. It is a new branch unless these orders
 * were given before.
 * @param given orders, keyed by power
 * @throws LepantoError for orders or a position that cannot be read
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

/** Returns the phases from the start to a phase, which is the last one. */
export const lineTo = (turn: Turn): Turn[] => {
  const line: Turn[] = [];
  for (let at: Turn | null = turn; at !== null; at = at.parent) line.push(at);
  return line.reverse();
};

/** Returns the phases from the start through a phase to the end of the branch that was shown last. */
export const lineOver = (turn: Turn): Turn[] => {
  const line = lineTo(turn);
  for (let { last } = turn; last !== null; last = last.last) line.push(last);
  return line;
};

/**
 * A tree of phases as plain data. `turns`: each phase except the first, by the index of its parent and the orders that
 * led to it. `shown`: index of the shown phase. Index 0 is the first phase, i + 1 is turns[i].
 */
export interface StoredTimeline {
  readonly turns: readonly { readonly parent: number; readonly given: ByPower }[];
  readonly shown: number;
  /**
   * Messages and finished rounds of phases with press. `turn`: index of the phase: 0 for the first, i + 1 for turns[i].
   */
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

/** Returns the messages of all phases from the start to a phase, including its own. */
export const messagesTo = (turn: Turn): Message[] => lineTo(turn).flatMap(({ messages }) => messages);

const storedTurn = fields<StoredTimeline['turns'][number]>({
  parent: wholeNumber(0),
  given: byKey((orders, where) => asTexts(orders, where, MOST_ORDERS)),
});

/**
 * Plays the phases of a stored tree. Returns the shown phase.
 * @param start the first position
 * @param stored a StoredTimeline, unchecked
 * @throws LepantoError if the tree is invalid
 */
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
