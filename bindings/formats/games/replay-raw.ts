// Replays recorded games of any format. Produces a record and a list of disagreements.

import { recordResults } from '../../../engine/adjudicate/order-results.js';
import {
  adjudicate,
  COMPLETED,
  type CompiledMap,
  declareDraw,
  type Game,
  loadMap,
  makeResults,
  nameOfPhase,
  newGame,
  phaseName,
} from '../../../engine/internal.js';
import {
  type ByPower,
  centersByPower,
  type GivenOrder,
  parsePosition,
  positionOf,
  readOrders,
  retreatsByPower,
  unitsByPower,
} from '../../../engine/notation/json/position.js';
import {
  DEFAULT_RULES,
  formatUnit,
  orderedUnits,
  parseUnit,
  type RuleSet,
} from '../../../engine/notation/text/index.js';
import { hasCode, LepantoError } from '../../../engine/rules/error.js';
import * as O from '../../../engine/rules/order.js';
import { fieldOf } from '../../../engine/rules/shape.js';
import * as T from '../../../engine/rules/types.js';
import { type GameRecord, gameScores, type PhaseRecord, recordState } from '../../../selfplay/games/game-record.js';
import { findStrangers, type Message } from '../../../selfplay/question/message.js';
import { mapValues, type RawGame, type RawPhase, type RawResult, type Wording } from './raw.js';
import {
  adjustmentAgrees,
  movementAgrees,
  ourWords,
  refusedAgrees,
  retreatAgrees,
  saysVoid,
  theirWords,
} from './recorded-results.js';
import { recordedHash } from './zobrist.js';

/** A difference between a recorded game and the results of its orders under the rules. */
export interface Disagreement {
  /** Name of the phase: 'F1901M'. */
  readonly phase: string;
  /** Unit ('A PAR'), province ('PAR') or power in which the record and the replay differ; '' for the whole phase. */
  readonly unit: string;
  /** Recorded value and value of the replay: 'result: recorded bounce, adjudicated succeeds'. */
  readonly what: string;
}

/**
 * A recorded order that is invalid under the rules although the record does not mark it. This alone is no disagreement.
 */
export interface UncountedOrder {
  /** Name of the phase: 'W1901A'. */
  readonly phase: string;
  /** Name of the power that gave the order. */
  readonly power: string;
  /** Recorded text of the order, at most 60 characters. */
  readonly order: string;
  /** Reason why the order is invalid: 'no build left'. */
  readonly reason: string;
}

/** A recorded game after its replay. */
export interface Replayed {
  /** Id of the game; '' if it has none. */
  readonly id: string;
  /** The game as a record of Lepanto. */
  readonly record: GameRecord;
  /** Disagreements in the order of the game, at most 100. */
  readonly disagreements: readonly Disagreement[];
  /** Invalid orders that the record does not mark, such as surplus builds. In the order of the game, at most 100. */
  readonly uncounted: readonly UncountedOrder[];
  /** True if the game had not ended. Its record then ends with a draw. */
  readonly unfinished: boolean;
  /** Reasons why messages of the file are missing from the record, one text per message. */
  readonly leftOut: readonly string[];
}

/** Returns a record of Lepanto as a Replayed without disagreements. It is not compared with a replay. */
export const unquestioned = (record: GameRecord): Replayed => ({
  ...{ id: '', record, disagreements: [], uncounted: [], unfinished: false, leftOut: [] },
});

/** Maximum number of disagreements, and of uncounted orders, that are kept for a game. */
const MOST_KEPT = 100;
/** Maximum number of characters of an order that are kept. */
const MOST_TEXT = 60;

/** Returns the power of each name (unit or centre) in lists by power, keyed by name. All are in upper case. */
const flat = (byPower: ByPower): Map<string, string> => {
  const found = new Map<string, string>();
  for (const [power, names] of Object.entries(byPower))
    for (const name of names) found.set(name.toUpperCase(), power.toUpperCase());
  return found;
};

const countOf = (byPower: ByPower): number => Object.values(byPower).reduce((sum, { length }) => sum + length, 0);

/**
 * True if a record lists the same units or centres for each power as the replay. May be false for the same position in
 * other notation.
 */
const isSame = (recorded: ByPower, here: ByPower): boolean =>
  countOf(recorded) === countOf(here) &&
  Object.entries(here).every(([power, names]) => names.every((name) => recorded[power]?.includes(name)));

/** Stands for the province of a unit that the map does not have. */
const NOT_THERE = -1;

/** Returns the province of a unit as text, or NOT_THERE if the map has no such unit. */
const provinceOf = (map: CompiledMap, unit: string): T.Province | typeof NOT_THERE => {
  try {
    return parseUnit(map, unit).province;
  } catch (error) {
    if (hasCode(error, 'notation')) return NOT_THERE;
    throw error;
  }
};

/** Returns the province of the unit that an order names, or NOT_THERE if the map has no such unit. */
const unitOf = (map: CompiledMap, { text, read }: GivenOrder): T.Province | typeof NOT_THERE =>
  read.own >= 0 ? read.own : provinceOf(map, text.split(' ', 2).join(' '));

/**
 * True if a province has a unit of another type than `unit`, whose recorded result is then left from an earlier phase.
 */
const isStale = (game: Game, unit: string, province: T.Province): boolean => {
  const there = orderedUnits(game).unitAt(province);
  return there !== T.NO_UNIT && T.unitType(there) !== parseUnit(game.map, unit).type;
};

/**
 * Returns recorded results, keyed by province of the unit. For webDiplomacy the unit type is ignored, because it is not
 * always recorded.
 */
const wordsByProvince = (game: Game, results: readonly RawResult[], wording: Wording): Map<T.Province, RawResult> => {
  const words = new Map<T.Province, RawResult>();
  for (const result of results) {
    const province = provinceOf(game.map, result.unit);
    if (province === NOT_THERE || wording === 'webdiplomacy' || !isStale(game, result.unit, province))
      words.set(province, result);
  }
  return words;
};

/** Returns the possible retreats by power and dislodged unit: the recorded lists, otherwise the ordered retreats. */
const retreatsIn = ({ retreats, units, dislodged, orders }: RawPhase): Record<string, Record<string, unknown>> => {
  if (retreats !== null) {
    const taken = new Set(Object.values(units ?? {}).flatMap((list) => list.map((unit) => unit.slice(2, 5))));
    // dipcc also lists occupied provinces.
    const open = (places: unknown): unknown =>
      Array.isArray(places) ? places.filter((place) => !taken.has(String(place).slice(0, 3))) : places;
    return mapValues(retreats as Record<string, object | null>, (lists) =>
      mapValues((lists ?? {}) as Record<string, unknown>, open),
    );
  }
  const ordered = (power: string, unit: string): [string, string[]] => {
    const order = orders[power]?.find((one) => one.startsWith(`${unit} R `));
    return [unit, order === undefined ? [] : [order.slice(unit.length + 3)]];
  };
  return mapValues(dislodged, (list, power) => Object.fromEntries(list.map((unit) => ordered(power, unit))));
};

/** Orders of a recorded phase after parsing. */
interface PhaseOrders {
  readonly packed: Int32Array;
  /** Provinces of the units with valid orders. */
  readonly counted: ReadonlySet<T.Province>;
  /** Orders of the phase that are invalid, in the recorded order. */
  readonly refused: readonly GivenOrder[];
  /** Provinces of the units with invalid orders. */
  readonly refusedIn: ReadonlySet<T.Province>;
}

/** Results of the last adjudicated phase. All replays share the object, because they run one after another. */
const results = makeResults();

/** Replay of one game in progress. */
class Replay {
  readonly phases: PhaseRecord[] = [];
  readonly disagreements: Disagreement[] = [];
  readonly uncounted: UncountedOrder[] = [];
  game: Game = newGame(this.map, this.rules.adjudication);
  /** Number of disagreements found so far. Only the first MOST_KEPT are kept. */
  found = 0;
  /** Number of phases whose recorded hash was compared, and number of different hashes among them. */
  private hashed = 0;
  private otherHashes = 0;
  /** Phases with a different hash, each with the number of disagreements found before it. */
  private readonly hashMisfits: { readonly before: number; readonly misfit: Disagreement }[] = [];
  /** Name of the retreat phase that follows the last movement phase. */
  private retreatName = '';
  /**
   * Powers of the units destroyed in the last movement phase because they could not retreat, keyed by unit ('A PAR').
   */
  private readonly destroyed = new Map<string, string>();

  constructor(
    readonly map: CompiledMap,
    readonly rules: RuleSet,
    readonly comparesHashes: boolean,
  ) {}

  private disagree(phase: string, unit: string, what: string): void {
    this.found++;
    if (this.disagreements.length < MOST_KEPT) this.disagreements.push({ phase, unit, what });
  }

  private compare(phase: string, kind: string, recorded: ByPower, now: ByPower): boolean {
    if (isSame(recorded, now)) return true;
    const there = flat(recorded);
    const here = flat(now);
    const before = this.found;
    for (const [name, power] of there)
      if (here.get(name) !== power)
        this.disagree(phase, name, `${kind}: recorded ${power}, adjudicated ${here.get(name) ?? 'none'}`);
    for (const [name, power] of here)
      if (!there.has(name)) this.disagree(phase, name, `${kind}: recorded none, adjudicated ${power}`);
    return this.found === before;
  }

  /**
   * Compares the recorded position of a phase with that of the replay. If they differ, continues from the recorded
   * position.
   * @param first true for the first phase of the replay, whose differences are no disagreements
   * @returns false for a phase that Lepanto does not have
   */
  enter(raw: RawPhase, first: boolean): boolean {
    const now = phaseName(this.game);
    const isEnd = raw.name === COMPLETED;
    const isSkipped = isEnd || (now !== raw.name && (this.isEmptyRetreat(raw) || this.isEmptyWinter(raw)));
    if (isEnd) this.compareBoards(raw);
    else if (!isSkipped) this.settle(raw, now, first);
    if (this.comparesHashes) this.compareHashes(raw);
    return !isSkipped;
  }

  private settle(raw: RawPhase, now: string, first: boolean): void {
    if (now !== raw.name) this.disagree(raw.name, '', `recorded ${raw.name}, adjudicated ${now}`);
    else if (this.compareBoards(raw)) {
      this.compareRetreats(raw);
      return;
    }
    this.take(raw);
    if (!first) return;
    this.disagreements.length = 0;
    this.found = 0;
  }

  /**
   * True if the replay plays a phase: the game is not over, and the phase has an order if it is the record's last one.
   */
  isOpen({ orders }: RawPhase, isLast: boolean): boolean {
    if (this.game.status !== T.PLAYING) return false;
    return !isLast || Object.values(orders).some((list) => list.length > 0);
  }

  /** True for a retreat phase in which no unit can retreat. webDiplomacy and dipcc record it; Lepanto skips it. */
  private isEmptyRetreat({ name, dislodged, units }: RawPhase): boolean {
    if (name !== this.retreatName) return false;
    for (const [unit, power] of flat(dislodged)) if (this.destroyed.get(unit) !== power) return false;
    const standing = flat(unitsByPower(this.game));
    const recorded = units === null ? standing : flat(units);
    return recorded.size === standing.size && [...recorded].every(([unit, power]) => standing.get(unit) === power);
  }

  /** True for a winter without builds and removals, or after the end of the game. Lepanto skips it. */
  private isEmptyWinter({ name, orders, units, centers }: RawPhase): boolean {
    const { game } = this;
    const isPast = game.status !== T.PLAYING || (game.phase === T.MOVEMENT && game.season === T.SPRING);
    const year = game.status === T.PLAYING ? game.year - 1 : game.year;
    const isEmpty = Object.values(orders).every((list) => list.every((order) => /^waive$/i.test(order)));
    return (
      isPast &&
      isEmpty &&
      name === nameOfPhase(year, T.WINTER, T.ADJUSTMENT) &&
      (units === null || isSame(units, unitsByPower(game))) &&
      (centers === null || isSame(centers, centersByPower(game)))
    );
  }

  /** Returns recorded dislodged units, without units that cannot retreat, which Lepanto has already destroyed. */
  private retreating(dislodged: ByPower): ByPower {
    const isThere = (power: string) => (unit: string) => this.destroyed.get(unit.toUpperCase()) !== power.toUpperCase();
    return mapValues(dislodged, (units, power) => units.filter(isThere(power)));
  }

  /** Compares the possible retreats of each unit, if they are recorded. Differences become disagreements. */
  private compareRetreats(raw: RawPhase): void {
    if (raw.retreats === null || this.game.phase !== T.RETREAT) return;
    const recorded = retreatsIn(raw);
    for (const [power, units] of Object.entries(retreatsByPower(this.game)))
      for (const [unit, places] of Object.entries(units)) {
        const listed: unknown = fieldOf((fieldOf(recorded, power) ?? {}) as object, unit);
        if (!Array.isArray(listed)) continue;
        const theirs = [...new Set(listed.map((place) => String(place).slice(0, 20).toUpperCase()))].sort();
        if (theirs.join() === places.join()) continue;
        const show = (list: readonly string[]): string => list.join(' ') || 'none';
        this.disagree(raw.name, unit, `retreats: recorded ${show(theirs)}, adjudicated ${show(places)}`);
      }
  }

  /** Compares the recorded hash of a phase with the hash of its recorded position. The rules do not affect hashes. */
  private compareHashes(raw: RawPhase): void {
    const hash = raw.hash === null ? null : recordedHash(this.map, raw);
    if (hash === null) return;
    this.hashed++;
    if (raw.hash === hash.toString()) return;
    this.otherHashes++;
    const what = `zobrist_hash: recorded ${raw.hash}, that of the recorded position is ${hash}`;
    if (this.hashMisfits.length < MOST_KEPT)
      this.hashMisfits.push({ before: this.disagreements.length, misfit: { phase: raw.name, unit: '', what } });
  }

  /**
   * Returns all disagreements in the order of the game. If the hashes of all phases differ, the record uses other
   * Zobrist keys. This is reported once, after the other disagreements.
   */
  allDisagreements(): Disagreement[] {
    const all = [...this.disagreements];
    const [first] = this.hashMisfits;
    if (first !== undefined && this.hashed > 1 && this.otherHashes === this.hashed) {
      const what = `zobrist_hash: those of all ${this.hashed} phases are of another table`;
      return [...all.slice(0, MOST_KEPT - 1), { ...first.misfit, what }];
    }
    for (const { before, misfit } of this.hashMisfits.toReversed()) all.splice(before, 0, misfit);
    return all.slice(0, MOST_KEPT);
  }

  private compareBoards(raw: RawPhase): boolean {
    const { game } = this;
    const units = raw.units === null || this.compare(raw.name, 'unit', raw.units, unitsByPower(game));
    const dislodged = raw.name === COMPLETED || this.compareDislodged(raw);
    const centers = raw.centers === null || this.compare(raw.name, 'centre', raw.centers, centersByPower(game));
    return units && dislodged && centers;
  }

  private compareDislodged({ name, dislodged }: RawPhase): boolean {
    const isNone = this.game.dislodgedCount === 0 && Object.values(dislodged).every((units) => units.length === 0);
    return (
      isNone ||
      this.compare(name, 'dislodged', this.retreating(dislodged), mapValues(retreatsByPower(this.game), Object.keys))
    );
  }

  private take(raw: RawPhase): void {
    const isRetreat = raw.name.endsWith('R');
    const centers = raw.centers ?? centersByPower(this.game);
    const units = raw.units ?? unitsByPower(this.game);
    const parse = (retreats?: object): Game =>
      parsePosition(
        { phase: raw.name, units, centers, ...(retreats && { retreats }) },
        this.map,
        this.rules.adjudication,
      ).game;
    this.game = isRetreat ? this.withRetreats(raw, parse) : parse();
  }

  /** Returns the recorded position with its retreats. Retreats that are impossible in it become disagreements. */
  private withRetreats(raw: RawPhase, parse: (retreats: object) => Game): Game {
    const all = retreatsIn(raw);
    try {
      return parse(all);
    } catch (error) {
      if (!hasCode(error, 'record')) throw error;
    }
    const possible: Record<string, Record<string, unknown>> = {};
    let game = parse(possible);
    for (const [power, retreats] of Object.entries(all))
      for (const [unit, places] of Object.entries(retreats))
        try {
          game = parse({ ...possible, [power]: { ...possible[power], [unit]: places } });
          possible[power] = { ...possible[power], [unit]: places };
        } catch (error) {
          if (!hasCode(error, 'record')) throw error;
          this.disagree(raw.name, unit, `retreats: ${error.message}`);
        }
    return game;
  }

  /** Returns the orders without disbands of units that Lepanto has already destroyed. */
  private countingOrders({ name, orders }: RawPhase): ByPower {
    if (name !== this.retreatName || this.destroyed.size === 0) return orders;
    const isOurs = (order: string): boolean =>
      !(order.endsWith(' D') && this.destroyed.has(order.slice(0, -2).toUpperCase()));
    return mapValues(orders, (list) => list.filter(isOurs));
  }

  private readOrders(raw: RawPhase): PhaseOrders {
    const { game, map } = this;
    // The orders are sorted by power, as in Lepanto's records.
    const given = readOrders(positionOf(game), this.rules.reading, this.countingOrders(raw)).sort(
      (a, b) => a.power - b.power,
    );
    const packed: O.Order[] = [];
    const counted = new Set<T.Province>();
    const refused: GivenOrder[] = [];
    const refusedIn = new Set<T.Province>();
    for (const one of given) {
      const { text, read } = one;
      const order = read.effect ?? read.order;
      if (order !== O.NONE) packed.push(order);
      if (read.order !== O.NONE) {
        if (O.orderType(read.order) !== O.WAIVE) counted.add(map.locationProvince[O.orderLocation(read.order)]);
        continue;
      }
      // A surplus waive changes nothing. webDiplomacy writes one for each build without a site.
      if (/^waive$/i.test(text)) continue;
      refused.push(one);
      refusedIn.add(unitOf(map, one));
    }
    return { packed: Int32Array.from(packed), counted, refused, refusedIn };
  }

  private resultAgrees(
    raw: RawPhase,
    phase: number,
    { counted, refusedIn }: PhaseOrders,
    province: T.Province,
    words: readonly string[],
    wording: Wording,
  ): boolean {
    const { map } = this;
    const isThere = phase === T.ADJUSTMENT ? counted.has(province) : results.unit[province] !== T.NO_UNIT;
    if (refusedIn.has(province)) {
      // The results of retreats and adjustments show in the next position.
      if (phase !== T.MOVEMENT || saysVoid(words)) return true;
      // Without recorded positions, a result for a missing unit is the only sign of a difference.
      if (!isThere) return raw.units !== null;
      if (!counted.has(province)) return refusedAgrees(results, province, words, wording);
    }
    if (!isThere) return true;
    if (phase === T.MOVEMENT) return movementAgrees(map, results, province, words, wording);
    if (phase === T.RETREAT) return retreatAgrees(results, province, words, wording);
    return adjustmentAgrees(results.result[province] === T.SUCCEEDS && results.civil[province] === 0, words, wording);
  }

  private resultHere(phase: number, { counted, refusedIn }: PhaseOrders, province: T.Province): string {
    if (phase === T.ADJUSTMENT) return results.result[province] === T.SUCCEEDS ? 'succeeds' : 'fails';
    if (results.unit[province] === T.NO_UNIT) return 'no unit';
    if (refusedIn.has(province) && !counted.has(province)) return 'illegal';
    return ourWords(results, province);
  }

  /**
   * Compares recorded results with those of the replay, unit by unit. In an adjustment phase only ordered units have
   * both.
   */
  private compareResults(
    raw: RawPhase,
    phase: number,
    recorded: ReadonlyMap<T.Province, RawResult>,
    orders: PhaseOrders,
    wording: Wording,
  ): void {
    for (const [province, { unit, words }] of recorded) {
      if (province === NOT_THERE || this.resultAgrees(raw, phase, orders, province, words, wording)) continue;
      const here = this.resultHere(phase, orders, province);
      this.disagree(raw.name, unit, `result: recorded ${theirWords(words)}, adjudicated ${here}`);
    }
  }

  /** Adds the invalid orders that the record does not mark as void to `uncounted`. */
  private noteUncounted(phase: string, { refused }: PhaseOrders, recorded: ReadonlyMap<T.Province, RawResult>): void {
    for (const one of refused) {
      if (saysVoid(recorded.get(unitOf(this.map, one))?.words)) continue;
      if (this.uncounted.length === MOST_KEPT) return;
      const { power, text, read } = one;
      const order = text.slice(0, MOST_TEXT);
      const isGone = phase === this.retreatName && this.destroyed.has(text.split(' ', 2).join(' ').toUpperCase());
      const reason = isGone ? 'destroyed: it had no retreat' : (read.reason ?? '');
      this.uncounted.push({ phase, power: this.map.powerNames[power], order, reason });
    }
  }

  /** Stores in `destroyed` the units that a movement phase has destroyed, and the name of the next retreat phase. */
  private noteDestroyed(name: string): void {
    const { map } = this;
    this.retreatName = name.replace(/M$/, 'R');
    this.destroyed.clear();
    for (let p = 0; p < map.provinceCount; p++) {
      const unit = results.unit[p];
      if (unit === T.NO_UNIT || results.fate[p] !== T.DESTROYED) continue;
      const text = formatUnit(map, unit, O.orderLocation(results.order[p]));
      this.destroyed.set(text.toUpperCase(), map.powerNames[T.unitPower(unit)].toUpperCase());
    }
  }

  play(raw: RawPhase, wording: Wording): void {
    const { game } = this;
    const recorded = wordsByProvince(game, raw.results, wording);
    const orders = this.readOrders(raw);
    const { packed } = orders;
    this.noteUncounted(raw.name, orders, recorded);
    const name = phaseName(game);
    const state = recordState(game);
    const { phase } = game;
    adjudicate(game, packed, packed.length, results);
    this.compareResults(raw, phase, recorded, orders, wording);
    if (phase === T.MOVEMENT) this.noteDestroyed(name);
    this.phases.push({ phase: name, state, orders: packed, results: recordResults(game, phase, packed, results) });
  }

  end(completed: boolean): boolean {
    const open = this.game.status === T.PLAYING;
    if (open) declareDraw(this.game);
    const state = recordState(this.game);
    this.phases.push({ phase: COMPLETED, state, orders: new Int32Array(0), results: new Uint8Array(0) });
    return open && !completed;
  }
}

/**
 * Compares phase `i` of a game with the replay and plays its orders. Differences become disagreements.
 * @param isFirst true if the replay starts with this phase
 * @throws LepantoError that names the phase if its text is invalid
 */
const playPhase = (replay: Replay, { phases, wording }: RawGame, i: number, isFirst: boolean): void => {
  const phase = phases[i];
  try {
    const isPlayed = replay.enter(phase, isFirst);
    if (isPlayed && replay.isOpen(phase, i === phases.length - 1)) replay.play(phase, wording);
  } catch (error) {
    if (hasCode(error, 'record')) throw new LepantoError('record', `phase ${i} (${phase.name}): ${error.message}`);
    throw error;
  }
};

/**
 * Returns the index of the first phase that disagrees with a replay under these rules, or `end`. Hashes are not
 * compared.
 * @param begin index of the first phase to play; the replay starts from the recorded position of this phase
 * @param end index after the last phase to play
 */
export const agreesUntil = (map: CompiledMap, rules: RuleSet, raw: RawGame, begin: number, end: number): number => {
  const replay = new Replay(map, rules, false);
  for (let i = begin; i < end; i++) {
    playPhase(replay, raw, i, i === begin);
    if (replay.found > 0) return i;
  }
  return end;
};

/**
 * Returns the phases of a replay with the messages of the game. Messages of a phase that was not played are added to
 * the final position.
 */
const withMessages = (
  { map, game, phases }: Replay,
  { messages, refused }: RawGame,
): { readonly phases: readonly PhaseRecord[]; readonly leftOut: readonly string[] } => {
  if (messages.length + refused.length === 0) return { phases, leftOut: [] };
  const leftOut = [...refused];
  const byPhase = new Map<string, Message[]>();
  const open = nameOfPhase(game.year, game.season, game.phase);
  const names = new Set(phases.map(({ phase }) => phase));
  for (const message of messages) {
    const phase = message.phase === open && !names.has(open) ? COMPLETED : message.phase;
    const wrong = names.has(phase) ? findStrangers(map.powerNames, message) : 'got a phase that was not played';
    if (wrong !== null) {
      leftOut.push(`${message.phase}, ${wrong}`);
      continue;
    }
    const own = byPhase.get(phase) ?? [];
    own.push({ ...message, phase });
    byPhase.set(phase, own);
  }
  const told = phases.map((phase) => {
    const own = byPhase.get(phase.phase);
    byPhase.delete(phase.phase);
    return own === undefined ? phase : { ...phase, messages: own };
  });
  return { phases: told, leftOut };
};

/**
 * Replays a recorded game. Lists recorded positions that differ, and continues from them.
 * @param index index of the record
 * @throws LepantoError that names the phase if a recorded position is impossible
 */
export const replayRaw = (map: CompiledMap, rules: RuleSet, raw: RawGame, index = 0): Replayed => {
  const replay = new Replay(map, rules, true);
  for (let i = 0; i < raw.phases.length; i++) playPhase(replay, raw, i, i === 0);
  const unfinished = replay.end(raw.phases.at(-1)?.name === COMPLETED);
  const { uncounted } = replay;
  const { phases, leftOut } = withMessages(replay, raw);
  const record: GameRecord = { index, seed: 0, phases, scores: gameScores(replay.game) };
  return { id: raw.id, record, disagreements: replay.allDisagreements(), uncounted, unfinished, leftOut };
};

/**
 * Replays a recorded game. Lists every recorded position or result that does not follow from the orders before it, and
 * continues from the recorded position.
 * @param raw game from parseSavedGame()
 * @param rules rules for adjudication and for reading orders, see ruleSetByName(); default: DATC 3.2
 * @param map default: the map that the game names
 * @throws LepantoError that names the phase if a recorded position is impossible, or if the map is unknown
 */
export const replayGame = (
  raw: RawGame,
  rules: RuleSet = DEFAULT_RULES,
  map: CompiledMap = loadMap(raw.map),
): Replayed => replayRaw(map, rules, raw);
