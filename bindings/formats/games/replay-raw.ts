// Replays a recorded game of any format: makes a record of it, and a list of disagreements.

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

/** A difference between a recorded game and the result of its orders by the rules. */
export interface Disagreement {
  /** Name of the phase: 'F1901M'. */
  readonly phase: string;
  /** 'A PAR', 'PAR' or a power; '' for the whole phase. */
  readonly unit: string;
  /** The recorded value and the one found here: 'result: recorded bounce, here succeeds'. */
  readonly what: string;
}

/** A recorded order that does not count under the rules, though the record does not say so. No disagreement by itself. */
export interface UncountedOrder {
  /** Name of the phase: 'W1901A'. */
  readonly phase: string;
  /** Name of the power that gave it. */
  readonly power: string;
  /** As it is recorded, at most 60 characters of it. */
  readonly order: string;
  /** Why it does not count: 'no build left'. */
  readonly reason: string;
}

/** A recorded game after its replay. */
export interface Replayed {
  /** The game's own id; '' if it has none. */
  readonly id: string;
  /** The game as a record of Lepanto. */
  readonly record: GameRecord;
  /** In the order of the game, at most 100. */
  readonly disagreements: readonly Disagreement[];
  /** Recorded orders that do not count: builds beyond those that are due. In the order of the game, at most 100. */
  readonly uncounted: readonly UncountedOrder[];
  /** True if the game was not over: then its record ends as a draw. */
  readonly unfinished: boolean;
  /** Why messages of the file are not in the record. */
  readonly leftOut: readonly string[];
}

/** A record of Lepanto, which nothing is compared with. */
export const unquestioned = (record: GameRecord): Replayed => ({
  ...{ id: '', record, disagreements: [], uncounted: [], unfinished: false, leftOut: [] },
});

/** The most disagreements, and the most uncounted orders, that are kept for one game. */
const MOST_KEPT = 100;
/** The most characters of an order that are kept. */
const MOST_TEXT = 60;

const flat = (byPower: ByPower): Map<string, string> => {
  const found = new Map<string, string>();
  for (const [power, names] of Object.entries(byPower))
    for (const name of names) found.set(name.toUpperCase(), power.toUpperCase());
  return found;
};

const countOf = (byPower: ByPower): number => Object.values(byPower).reduce((sum, { length }) => sum + length, 0);

/** True if a record lists exactly what is here, in canonical text. False may also mean other text. */
const isSame = (recorded: ByPower, here: ByPower): boolean =>
  countOf(recorded) === countOf(here) &&
  Object.entries(here).every(([power, names]) => names.every((name) => recorded[power]?.includes(name)));

const NOT_THERE = -1;

/** Province of a unit as text; NOT_THERE if the map has no such unit. */
const provinceOf = (map: CompiledMap, unit: string): T.Province | typeof NOT_THERE => {
  try {
    return parseUnit(map, unit).province;
  } catch (error) {
    if (hasCode(error, 'notation')) return NOT_THERE;
    throw error;
  }
};

/** Province of the unit of a recorded order; NOT_THERE if there is none. */
const unitOf = (map: CompiledMap, { text, read }: GivenOrder): T.Province | typeof NOT_THERE =>
  read.own >= 0 ? read.own : provinceOf(map, text.split(' ', 2).join(' '));

/** True if a unit of the other type is there: then a recorded result was left over from another unit. */
const isStale = (game: Game, unit: string, province: T.Province): boolean => {
  const there = orderedUnits(game).unitAt(province);
  return there !== T.NO_UNIT && T.unitType(there) !== parseUnit(game.map, unit).type;
};

/** Recorded words by province of the unit. webDiplomacy does not always give the type of a unit. */
const wordsByProvince = (game: Game, results: readonly RawResult[], wording: Wording): Map<T.Province, RawResult> => {
  const words = new Map<T.Province, RawResult>();
  for (const result of results) {
    const province = provinceOf(game.map, result.unit);
    if (province === NOT_THERE || wording === 'webdiplomacy' || !isStale(game, result.unit, province))
      words.set(province, result);
  }
  return words;
};

/** The retreats of dislodged units by the record: as it lists them, else as they were ordered. */
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

/** The orders of a recorded phase, as the rules read them. */
interface PhaseOrders {
  readonly packed: Int32Array;
  /** Provinces of the units whose orders count. */
  readonly counted: ReadonlySet<T.Province>;
  /** Orders that do not count. */
  readonly refused: readonly GivenOrder[];
  /** Provinces of their units. */
  readonly refusedIn: ReadonlySet<T.Province>;
}

/** Replays are played one after another. */
const results = makeResults();

class Replay {
  readonly phases: PhaseRecord[] = [];
  readonly disagreements: Disagreement[] = [];
  readonly uncounted: UncountedOrder[] = [];
  game: Game = newGame(this.map, this.rules.adjudication);
  /** Disagreements found, also those that are not kept. */
  found = 0;
  /** Phases with a recorded hash that could be compared, and those among them whose hash differs. */
  private hashed = 0;
  private otherHashes = 0;
  /** Hashes that differ, each with the number of disagreements found before it. */
  private readonly hashMisfits: { readonly before: number; readonly misfit: Disagreement }[] = [];
  /** Name of the retreat phase after the moves that were played last. */
  private retreatName = '';
  /** Units that those moves destroyed because they could not retreat, with their powers. */
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
        this.disagree(phase, name, `${kind}: recorded ${power}, here ${here.get(name) ?? 'none'}`);
    for (const [name, power] of here)
      if (!there.has(name)) this.disagree(phase, name, `${kind}: recorded none, here ${power}`);
    return this.found === before;
  }

  /**
   * Compares the recorded position with the one here; if they differ, takes the recorded one.
   * @returns false for a phase that is not played here
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
    if (now !== raw.name) this.disagree(raw.name, '', `recorded ${raw.name}, here ${now}`);
    else if (this.compareBoards(raw)) {
      this.compareRetreats(raw);
      return;
    }
    this.take(raw);
    if (!first) return;
    this.disagreements.length = 0;
    this.found = 0;
  }

  /** True if the phase is to be played: not after the end of the game, and a last one only if it has orders. */
  isOpen({ orders }: RawPhase, isLast: boolean): boolean {
    if (this.game.status !== T.PLAYING) return false;
    return !isLast || Object.values(orders).some((list) => list.length > 0);
  }

  /** True for a retreat phase in which no unit can retreat: webDiplomacy and dipcc record it, here there is none. */
  private isEmptyRetreat({ name, dislodged, units }: RawPhase): boolean {
    if (name !== this.retreatName) return false;
    for (const [unit, power] of flat(dislodged)) if (this.destroyed.get(unit) !== power) return false;
    const standing = flat(unitsByPower(this.game));
    const recorded = units === null ? standing : flat(units);
    return recorded.size === standing.size && [...recorded].every(([unit, power]) => standing.get(unit) === power);
  }

  /** True for a winter in which nobody has anything to do, or after which the game is over: here there is none. */
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

  /** Dislodged units of a record but for those that could not retreat: they are destroyed here. */
  private retreating(dislodged: ByPower): ByPower {
    const isThere = (power: string) => (unit: string) => this.destroyed.get(unit.toUpperCase()) !== power.toUpperCase();
    return mapValues(dislodged, (units, power) => units.filter(isThere(power)));
  }

  /** Compares the provinces to which units may retreat, where a record lists them. */
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
        this.disagree(raw.name, unit, `retreats: recorded ${show(theirs)}, here ${show(places)}`);
      }
  }

  /** Compares the hash of the recorded position with the recorded one. The rules have no part in it. */
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
   * The disagreements in the order of the game. If the hash of every phase differs, they are of another table: that is one
   * disagreement, behind those of the game itself.
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

  /** A position with the recorded retreats, but for those that are not possible in it: these are disagreements. */
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

  /** Without the disbands of units that are destroyed here already. */
  private countingOrders({ name, orders }: RawPhase): ByPower {
    if (name !== this.retreatName || this.destroyed.size === 0) return orders;
    const isOurs = (order: string): boolean =>
      !(order.endsWith(' D') && this.destroyed.has(order.slice(0, -2).toUpperCase()));
    return mapValues(orders, (list) => list.filter(isOurs));
  }

  private readOrders(raw: RawPhase): PhaseOrders {
    const { game, map } = this;
    // By power, as in Lepanto's records.
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
      // A superfluous waive changes nothing: webDiplomacy has one for each build without a site.
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
      // Positions tell what retreats and adjustments led to.
      if (phase !== T.MOVEMENT || saysVoid(words)) return true;
      // If there are none, the result of a unit that is not there tells that they differ.
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

  /** Compares recorded results with those here, unit by unit. In an adjustment phase only orders have both. */
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
      this.disagree(raw.name, unit, `result: recorded ${theirWords(words)}, here ${here}`);
    }
  }

  /** Keeps the orders that do not count, unless the record says so too. */
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

  /** Keeps in mind what the moves of a phase have destroyed. */
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

/** Plays a phase of a game, which the replay has reached, or begins with. */
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
 * How far a game agrees with its replay by these rules: the first phase that does not, or `end`. Hashes have no part in it.
 * @param begin the first phase, from its recorded position
 */
export const agreesUntil = (map: CompiledMap, rules: RuleSet, raw: RawGame, begin: number, end: number): number => {
  const replay = new Replay(map, rules, false);
  for (let i = begin; i < end; i++) {
    playPhase(replay, raw, i, i === begin);
    if (replay.found > 0) return i;
  }
  return end;
};

/** The phases of a replay with the messages of the game: those of a phase that was not played are with the last position. */
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
 * Replays a recorded game by rules of Lepanto. Lists recorded positions that differ, and continues from them.
 * @throws LepantoError that names the phase, if a recorded position is impossible
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
 * @param raw from parseSavedGame()
 * @param rules for playing and for reading orders, see ruleSetByName(); default: DATC 3.2
 * @param map to play on; default: the one that the game names
 * @throws LepantoError that names the phase, if a recorded position is impossible; LepantoError for the name of an unknown map
 */
export const replayGame = (
  raw: RawGame,
  rules: RuleSet = DEFAULT_RULES,
  map: CompiledMap = loadMap(raw.map),
): Replayed => replayRaw(map, rules, raw);
