// Parses queries of `lepanto find` to conditions on games.
//
//   query      conditions joined by "and"; groups of these joined by "or"; "not" negates a condition
//   condition  [power] order [result], ... [when]          all in one phase
//              [power] convoy over N fleets [when]
//              power out [when]
//              [power] lead of N lost [when]
//              power wins, draw
//              position of game N [of RUN] in PHASE, position {JSON}
//   openings   openings [of power] [over N turns]          once, among conditions joined by "and"
//   when       phase-keys.ts

import { fateIn, resultIn } from '../../engine/adjudicate/order-results.js';
import {
  BUILD_ARMY,
  BUILD_FLEET,
  CONVOY,
  type CompiledMap,
  DISBAND,
  type Game,
  HOLD,
  MOVE,
  type OrderType,
  orderHelped,
  orderLocation,
  orderTarget,
  orderType,
  orderVia,
  RAIL,
  REMOVE,
  RETREAT_TO,
  SUPPORT_HOLD,
  SUPPORT_MOVE,
  WAIVE,
} from '../../engine/internal.js';
import { parsePosition } from '../../engine/notation/json/position.js';
import { parseStrict } from '../../engine/notation/json/untrusted.js';
import {
  listPowers,
  namesOf,
  type Place,
  parseOrder,
  plainWord,
  type RawOrder,
} from '../../engine/notation/text/index.js';
import { hasCode, LepantoError } from '../../engine/rules/error.js';
import { quote } from '../../engine/rules/shape.js';
import * as T from '../../engine/rules/types.js';
import { nameOfKey } from '../../selfplay/games/phase-key.js';
import type { GameCursor } from '../../selfplay/records/game-cursor.js';
import { type PlayedBy, type Source, verified } from '../formats/games/recorded-run.js';
import { hashPosition } from './columns.js';
import { readKey, type Span, splitTime } from './phase-keys.js';

const MAX_QUERY = 4000;
const MAX_TURNS = 6;

const refuse = (message: string): never => {
  throw new LepantoError('argument', message);
};

/** Description of the query language for people. Lines have at most 73 characters. */
export const QUERY_HELP = `conditions joined by "and", or by "or"; "not" negates one:
A VIE - TYR in S1901          an order, in any usual notation
Austria: A VIE - TYR fails    an order of a power, with result or fate
A VIE - TYR, A BUD - SER      several orders in one phase
convoy over 2 fleets          an army arrived over 2 fleets or more
France out before 1905        no centre after the fall of a year
France wins, draw             end of the game
lead of 5 lost                a power led by 5 centres, then lost it
position of game 12 in F1903M       the same units and centres, in the
position of game 12 of RUN in F1903M   same season of any year
position FILE, position {JSON}         as lepanto adjudicate reads it
or "openings of France over 2 turns": its order sets, with frequency,
mean score and standard error, in the games that fulfil the conditions.
Without "of": all powers. Phases: in S1901M, in S1901, in 1901, in S1901
to F1903, before, after and by 1905.`;

/** Tests of an order in a query: 'Austria: A VIE - TYR fails'. An order must pass all three. */
export interface OrderPattern {
  /** Kinds of phases in which the order is possible. */
  readonly phases: ReadonlySet<T.Phase>;
  /** True if a packed order is the one in the query. */
  readonly fits: (order: number) => boolean;
  /** True if the ordered unit and the outcome (a byte with result and fate) match the query. */
  readonly fitsUnit: (unit: number, outcome: number) => boolean;
}

/** Condition on a game. power: -1 for any power. */
export type Condition =
  | { readonly kind: 'orders'; readonly patterns: readonly OrderPattern[]; readonly when: Span }
  | { readonly kind: 'convoy'; readonly power: number; readonly fleets: number; readonly when: Span }
  | { readonly kind: 'out'; readonly power: number; readonly when: Span }
  | { readonly kind: 'lead'; readonly power: number; readonly by: number; readonly when: Span }
  | { readonly kind: 'wins'; readonly power: number }
  | { readonly kind: 'position'; readonly hash: readonly [number, number] }
  | { readonly kind: 'not'; readonly of: Condition }
  | { readonly kind: 'and' | 'or'; readonly of: readonly Condition[] };

/** Options for trees of openings. */
export interface OpeningsWanted {
  /** Power whose openings are counted; -1 for all powers. */
  readonly power: number;
  /** Number of movement phases from the start of the game that are counted. */
  readonly turns: number;
}

/** A parsed query. */
export interface Query {
  /** Condition on the games; null for all games. */
  readonly condition: Condition | null;
  /** Options for openings; null if the query is for games. */
  readonly openings: OpeningsWanted | null;
}

/** Context for parsing a query. */
export interface QueryContext extends PlayedBy {
  /**
   * Returns the position of a recorded game at the start of a phase.
   * @param run run as named in the query; null for the searched run
   * @param game index of the game in the run
   * @param phase number of the phase (selfplay/games/phase-key.ts)
   */
  readonly positionOf: (run: string | null, game: number, phase: number) => Game;
  /** Returns the position that a text names, such as a file, as JSON text. @throws LepantoError if this is refused */
  readonly readNamed: (text: string) => string;
}

/**
 * Returns the position of a game at the start of a phase.
 * @param key number of the phase (selfplay/games/phase-key.ts)
 * @throws LepantoError that lists the phases of the game if it does not have this one
 */
export const positionIn = (source: Source, game: GameCursor, key: number): Game => {
  const replay = verified(source, game);
  const names = Array.from({ length: game.phases - 1 }, (_, i) => game.seek(i).name);
  const phase = names.indexOf(nameOfKey(key));
  return phase < 0
    ? refuse(`game ${game.index}: got ${nameOfKey(key)}, wanted one of ${names.join(', ')}`)
    : replay.at(phase).clone();
};

// ---- orders ----

/** Returns the types that a parsed order may have: for 'A PAR D' both a disband after a retreat and a removal. */
const typesOf = ({ kind, target, rail, unit }: RawOrder): readonly OrderType[] => {
  switch (kind) {
    case 'hold':
      return [HOLD];
    case 'move':
      return [rail ? RAIL : MOVE];
    case 'support':
      return [target === null ? SUPPORT_HOLD : SUPPORT_MOVE];
    case 'convoy':
      return [CONVOY];
    case 'retreat':
      return [RETREAT_TO];
    case 'disband':
      return [DISBAND, REMOVE];
    case 'build':
      return unit?.type === T.FLEET ? [BUILD_FLEET] : [BUILD_ARMY];
    case 'waive':
      return [WAIVE];
  }
};

const phaseOf = (type: OrderType): T.Phase => {
  if (type === RETREAT_TO || type === DISBAND) return T.RETREAT;
  const isAdjustment = type === BUILD_ARMY || type === BUILD_FLEET || type === REMOVE || type === WAIVE;
  return isAdjustment ? T.ADJUSTMENT : T.MOVEMENT;
};

/** Words in queries for results of orders, with the result that each stands for. */
const outcomeWords: Readonly<Record<string, string>> = {
  succeeded: 'succeeds',
  failed: 'fails',
  bounces: 'fails',
  bounced: 'fails',
};

/** Splits 'A VIE - TYR fails' into the order and a test of its outcome, which is always true without a result. */
const splitOutcome = (text: string): readonly [order: string, fits: (outcome: number) => boolean] => {
  const [, order = text, last = ''] = /^(.*\S)\s+([a-z]+)$/i.exec(text) ?? [];
  const word = outcomeWords[last.toLowerCase()] ?? last.toLowerCase();
  const result = (T.resultNames as readonly string[]).indexOf(word);
  const fate = (T.fates as readonly (string | null)[]).indexOf(word);
  if (result >= 0) return [order, (outcome) => resultIn(outcome) === result];
  return fate >= 0 ? [order, (outcome) => fateIn(outcome) === fate] : [text, () => true];
};

/** Returns the power with a name or adjective, or -1 for any other text. */
const powerIn = (map: CompiledMap, name: string): number => namesOf(map).powers.get(plainWord(name))?.value ?? -1;

/**
 * Splits a leading power from an order: 'Austria: A VIE - TYR', 'British F LON - NTH'. The power is -1 if none is
 * named.
 * @throws LepantoError for an unknown power before a colon
 */
const splitPower = (map: CompiledMap, text: string): readonly [power: number, rest: string] => {
  const [, name = '', colon = '', rest = ''] =
    /^([\p{L}' -]+?)\s*(:|(?=\s(?:[AF]|army|fleet|convoy|lead)\s))\s*(.*)$/iu.exec(text) ?? [];
  const power = powerIn(map, name);
  if (power >= 0) return [power, rest];
  return colon === '' ? [-1, text] : refuse(`got ${quote(name)}, wanted ${listPowers(map)}`);
};

const readPattern = (map: CompiledMap, text: string): OrderPattern => {
  const [power, given] = splitPower(map, text);
  const [bare, fitsOutcome] = splitOutcome(given);
  const raw = parseOrder(map, bare);
  const { unit, helped, target, via } = raw;
  const types = typesOf(raw);
  const { locationProvince } = map;
  const isAt = (location: number, { province, coast }: Place): boolean =>
    coast >= 0 ? location === coast : locationProvince[location] === province;
  return {
    phases: new Set(types.map(phaseOf)),
    fits: (order) =>
      types.includes(orderType(order)) &&
      (unit === null || isAt(orderLocation(order), unit)) &&
      (target === null || isAt(orderTarget(order), target)) &&
      (helped === null || orderHelped(order) === helped.province) &&
      (!via || orderVia(order) === 1),
    fitsUnit: (found, outcome) =>
      (unit === null || unit.type === null || T.unitType(found) === unit.type) &&
      (power < 0 || T.unitPower(found) === power) &&
      fitsOutcome(outcome),
  };
};

// ---- conditions ----

const WANTED =
  'wanted an order such as "A VIE - TYR in S1901", "convoy over 2 fleets", "France out before 1905", "lead of 5 lost", "France wins", "draw", "position of game 12 in F1903M" or "openings of France"';

const readPower = (map: CompiledMap, name: string): number => {
  if (name === '') return -1;
  const power = powerIn(map, name);
  return power < 0 ? refuse(`got ${quote(name)}, wanted ${listPowers(map)}`) : power;
};

const POSITION = /^(?:the )?(?:same )?position (?:of|as|as in) game (\d{1,15})(?: of (.+?))? in (\S+)$/i;
const POSITION_IN = /^(?:the )?(?:same )?position (?:in |as |as in )?(.+)$/i;
const CONVOY_OVER = /^(?:(.*\S)\s+)?convoy over (?:at least )?(\d{1,3}) (?:fleets?|seas?)$/i;
const OUT = /^(.+?) (?:is )?(?:out|eliminated)$/i;
const WINS = /^(.+?) (?:wins|won)$/i;
const LEAD = /^(?:(.*\S)\s+)?lead of (?:at least )?(\d{1,3})(?: cent(?:re|er)s?)? lost$/i;
const OPENINGS = /^openings?(?: of (.+?))?(?: over (\d{1,3}) turns?)?$/i;

const readOpenings = (text: string, map: CompiledMap): OpeningsWanted | null => {
  const [found, name = '', turns = '1'] = OPENINGS.exec(text) ?? [];
  if (found === undefined) return null;
  if (Number(turns) < 1 || Number(turns) > MAX_TURNS) refuse(`got ${turns} turns, wanted 1 to ${MAX_TURNS}`);
  return { power: readPower(map, name), turns: Number(turns) };
};

const readPosition = (text: string, context: QueryContext): Condition | null => {
  const [isGame, game = '', run = null, phase = ''] = POSITION.exec(text) ?? [];
  if (isGame !== undefined) {
    const hash = hashPosition(context.positionOf(run, Number(game), readKey(phase)));
    return { kind: 'position', hash };
  }
  const [, given] = POSITION_IN.exec(text) ?? [];
  if (given === undefined) return null;
  const json = given.startsWith('{') ? given : context.readNamed(given);
  const { game: read } = parsePosition(parseStrict(json), context.map, context.rules.adjudication);
  return { kind: 'position', hash: hashPosition(read) };
};

const readCondition = (text: string, context: QueryContext): Condition => {
  const { map } = context;
  const negated = /^not\s+(.+)$/is.exec(text);
  if (negated !== null) return { kind: 'not', of: readCondition(negated[1], context) };
  const position = readPosition(text, context);
  if (position !== null) return position;
  if (/^(?:a )?draw$/i.test(text)) return { kind: 'wins', power: -1 };
  const winner = WINS.exec(text);
  if (winner !== null) return { kind: 'wins', power: readPower(map, winner[1]) };
  const [what, when] = splitTime(text);
  const plain = what.replace(/^an?\s+(?=convoy|lead)/i, '');
  const convoy = CONVOY_OVER.exec(plain);
  if (convoy !== null) {
    const power = readPower(map, convoy[1] ?? '');
    return { kind: 'convoy', power, fleets: Number(convoy[2]), when };
  }
  const lead = LEAD.exec(plain);
  if (lead !== null) {
    if (Number(lead[2]) < 1) refuse(`got a lead of ${lead[2]}, wanted at least 1`);
    return { kind: 'lead', power: readPower(map, lead[1] ?? ''), by: Number(lead[2]), when };
  }
  const out = OUT.exec(what);
  if (out !== null) return { kind: 'out', power: readPower(map, out[1]), when };
  try {
    return { kind: 'orders', patterns: what.split(',').map((order) => readPattern(map, order.trim())), when };
  } catch (error) {
    if (!hasCode(error, 'notation')) throw error;
    return refuse(`got ${quote(text)} (as an order: ${error.message}), ${WANTED}`);
  }
};

/** Parses a query. @throws LepantoError that quotes an invalid part and says what was expected */
export const parseQuery = (text: string, context: QueryContext): Query => {
  if (text.length > MAX_QUERY) refuse(`query: got ${text.length} characters, wanted at most ${MAX_QUERY}`);
  const { map } = context;
  const groups = text
    .trim()
    .split(/\s+or\s+/i)
    .map((group) => group.split(/\s+and\s+/i));
  if (text.trim() === '') refuse(`query: got nothing, ${WANTED}`);
  try {
    const openings = groups.flat().flatMap((part) => readOpenings(part.trim(), map) ?? []);
    if (openings.length > 1 || (openings.length === 1 && groups.length > 1))
      refuse('got openings with "or" or twice, wanted them once, with conditions joined by "and"');
    const read = groups.map((parts): Condition => {
      const conditions = parts.map((part) => part.trim()).filter((part) => readOpenings(part, map) === null);
      return { kind: 'and', of: conditions.map((part) => readCondition(part, context)) };
    });
    const isAll = openings.length === 1 && groups[0].length === 1;
    return { condition: isAll ? null : { kind: 'or', of: read }, openings: openings[0] ?? null };
  } catch (error) {
    throw error instanceof LepantoError ? new LepantoError(error.code, `query: ${error.message}`) : error;
  }
};
