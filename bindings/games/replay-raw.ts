// Replays a recorded game of any format: makes a record of it, and a list of disagreements.
import {
  ADJUSTMENT,
  adjudicate,
  COMPLETED,
  type CompiledMap,
  DESTROYED,
  declareDraw,
  type Game,
  loadMap,
  MOVEMENT,
  makeResults,
  NO_UNIT,
  NONE,
  newGame,
  type Order,
  orderLocation,
  PLAYING,
  type Province,
  phaseName,
  RETREAT,
  type Results,
  SUCCEEDS,
  type UnitType,
  unitPower,
  unitType,
} from '../../engine/internal.js';
import { recordResults } from '../../selfplay/games/outcomes.js';
import { type GameRecord, type PhaseRecord, recordedSize } from '../../selfplay/games/play.js';
import { gameScores } from '../../selfplay/games/scores.js';
import { readOrders } from '../json/orders.js';
import {
  type ByPower,
  centersByPower,
  fieldOf,
  parsePosition,
  positionOf,
  RecordError,
  retreatsByPower,
  unitsByPower,
} from '../json/position.js';
import { DEFAULT_RULES, formatUnit, NotationError, parseUnit, type RuleSet } from '../text/index.js';
import type { RawGame, RawPhase, RawResult, Wording } from './raw.js';
import { adjustmentAgrees, movementAgrees, ourWords, retreatAgrees, saysVoid, theirWords } from './recorded-results.js';
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

/** A recorded game after its replay. */
export interface Replayed {
  /** The game's own id; '' if it has none. */
  readonly id: string;
  /** The game as a record of Lepanto. */
  readonly record: GameRecord;
  /** In the order of the game, at most 100. */
  readonly disagreements: readonly Disagreement[];
  /** True if the game was not over: then its record ends as a draw. */
  readonly unfinished: boolean;
}

/** The most disagreements kept for one game. */
const MAX_DISAGREEMENTS = 100;

const flat = (byPower: ByPower): Map<string, string> => {
  const found = new Map<string, string>();
  for (const [power, names] of Object.entries(byPower))
    for (const name of names) found.set(name.toUpperCase(), power.toUpperCase());
  return found;
};

const NOT_THERE = -1;

/** Province of a unit as text; NOT_THERE if the map has no such unit. */
const provinceOf = (map: CompiledMap, unit: string): Province | typeof NOT_THERE => {
  try {
    return parseUnit(map, unit).province;
  } catch (error) {
    if (error instanceof NotationError) return NOT_THERE;
    throw error;
  }
};

/** Type of the unit that a phase asks for an order in a province; null if there is none. */
const typeAt = (game: Game, province: Province): UnitType | null => {
  if (game.phase === MOVEMENT) return game.unitAt(province) === NO_UNIT ? null : unitType(game.unitAt(province));
  for (let i = 0; i < game.dislodgedCount; i++) {
    const { unit, province: from } = game.dislodged(i);
    if (from === province) return unitType(unit);
  }
  return null;
};

/** True if a unit of the other type is there: then a recorded result was left over from another unit. */
const isStale = (game: Game, unit: string, province: Province): boolean => {
  if (game.phase === ADJUSTMENT) return false;
  const type = typeAt(game, province);
  return type !== null && type !== parseUnit(game.map, unit).type;
};

/** Recorded words by province of the unit. webDiplomacy does not always give the type of a unit. */
const wordsByProvince = (game: Game, results: readonly RawResult[], wording: Wording): Map<Province, RawResult> => {
  const words = new Map<Province, RawResult>();
  for (const result of results) {
    const province = provinceOf(game.map, result.unit);
    if (province === NOT_THERE || wording === 'webdiplomacy' || !isStale(game, result.unit, province))
      words.set(province, result);
  }
  return words;
};

/** The retreats of dislodged units by the record: as it lists them, else as they were ordered. */
const retreatsIn = (raw: RawPhase): unknown => {
  if (raw.retreats === null) return retreatsOrdered(raw);
  const taken = new Set(
    Object.values(raw.units ?? {})
      .flat()
      .map(placeOf),
  );
  // dipcc also lists occupied provinces.
  return Object.fromEntries(
    Object.entries(raw.retreats as object).map(([power, units]) => [
      power,
      Object.fromEntries(
        Object.entries((units ?? {}) as object).map(([unit, places]) => [
          unit,
          Array.isArray(places) ? places.filter((place) => !taken.has(String(place).slice(0, 3))) : places,
        ]),
      ),
    ]),
  );
};

const placeOf = (unit: string): string => unit.slice(2, 5);

const retreatsOrdered = ({ dislodged, orders }: RawPhase): unknown =>
  Object.fromEntries(
    Object.entries(dislodged).map(([power, units]) => [
      power,
      Object.fromEntries(
        units.map((unit) => {
          const order = orders[power]?.find((one) => one.startsWith(`${unit} R `));
          return [unit, order === undefined ? [] : [order.slice(unit.length + 3)]];
        }),
      ),
    ]),
  );

class Replay {
  declare readonly map: CompiledMap;
  declare readonly rules: RuleSet;
  declare readonly results: Results;
  declare readonly phases: PhaseRecord[];
  declare readonly disagreements: Disagreement[];
  declare game: Game;
  /** Name of the retreat phase after the moves that were played last. */
  private retreatName = '';
  /** Units that those moves destroyed because they could not retreat, with their powers. */
  private readonly destroyed = new Map<string, string>();

  constructor(map: CompiledMap, rules: RuleSet) {
    this.map = map;
    this.rules = rules;
    this.results = makeResults();
    this.phases = [];
    this.disagreements = [];
    this.game = newGame(map, rules.adjudication);
  }

  private disagree(phase: string, unit: string, what: string): void {
    if (this.disagreements.length < MAX_DISAGREEMENTS) this.disagreements.push({ phase, unit, what });
  }

  private compare(phase: string, kind: string, recorded: ByPower, now: ByPower): boolean {
    const there = flat(recorded);
    const here = flat(now);
    const before = this.disagreements.length;
    for (const [name, power] of there)
      if (here.get(name) !== power)
        this.disagree(phase, name, `${kind}: recorded ${power}, here ${here.get(name) ?? 'none'}`);
    for (const [name, power] of here)
      if (!there.has(name)) this.disagree(phase, name, `${kind}: recorded none, here ${power}`);
    return this.disagreements.length === before;
  }

  private dislodgedNow(): ByPower {
    return Object.fromEntries(
      Object.entries(retreatsByPower(this.game)).map(([power, units]) => [power, Object.keys(units)]),
    );
  }

  /**
   * Compares the recorded position with the one here; if they differ, takes the recorded one.
   * @returns false for a phase that is not played here
   */
  enter(raw: RawPhase, first: boolean): boolean {
    if (raw.name === COMPLETED) {
      this.compareBoards(raw);
      return false;
    }
    const now = phaseName(this.game);
    if (now !== raw.name && this.isEmptyRetreat(raw)) return false;
    const agrees = now === raw.name && this.compareBoards(raw);
    if (agrees) {
      this.compareRetreats(raw);
      return true;
    }
    if (now !== raw.name && !first) this.disagree(raw.name, '', `recorded ${raw.name}, here ${now}`);
    if (first) this.disagreements.length = 0;
    this.take(raw);
    return true;
  }

  /** True for a retreat phase in which no unit can retreat: webDiplomacy and dipcc record it, here there is none. */
  private isEmptyRetreat({ name, dislodged, units }: RawPhase): boolean {
    if (name !== this.retreatName) return false;
    for (const [unit, power] of flat(dislodged)) if (this.destroyed.get(unit) !== power) return false;
    const standing = flat(unitsByPower(this.game));
    const recorded = units === null ? standing : flat(units);
    return recorded.size === standing.size && [...recorded].every(([unit, power]) => standing.get(unit) === power);
  }

  /** Dislodged units of a record but for those that could not retreat: they are destroyed here. */
  private retreating(dislodged: ByPower): ByPower {
    const isThere = (power: string) => (unit: string) => this.destroyed.get(unit.toUpperCase()) !== power.toUpperCase();
    return Object.fromEntries(Object.entries(dislodged).map(([power, units]) => [power, units.filter(isThere(power))]));
  }

  /** Compares the provinces to which units may retreat, where a record lists them. */
  private compareRetreats(raw: RawPhase): void {
    if (raw.retreats === null || this.game.phase !== RETREAT) return;
    const recorded = retreatsIn(raw) as object;
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
  checkHash(raw: RawPhase): void {
    const hash = raw.hash === null ? null : recordedHash(this.map, raw);
    if (hash !== null && raw.hash !== hash.toString())
      this.disagree(raw.name, '', `zobrist_hash: recorded ${raw.hash}, that of the recorded position is ${hash}`);
  }

  private compareBoards(raw: RawPhase): boolean {
    const { game } = this;
    const units = raw.units === null || this.compare(raw.name, 'unit', raw.units, unitsByPower(game));
    const dislodged =
      raw.name === COMPLETED ||
      this.compare(raw.name, 'dislodged', this.retreating(raw.dislodged), this.dislodgedNow());
    const centers = raw.centers === null || this.compare(raw.name, 'centre', raw.centers, centersByPower(game));
    return units && dislodged && centers;
  }
  private take(raw: RawPhase): void {
    const isRetreat = raw.name.endsWith('R');
    const centers = raw.centers ?? centersByPower(this.game);
    const units = raw.units ?? unitsByPower(this.game);
    const { game } = parsePosition(
      { phase: raw.name, units, centers, ...(isRetreat ? { retreats: retreatsIn(raw) } : {}) },
      this.map,
      this.rules.adjudication,
    );
    this.game = game;
  }

  /** Without the disbands of units that are destroyed here already. */
  private countingOrders({ name, orders }: RawPhase): ByPower {
    if (name !== this.retreatName || this.destroyed.size === 0) return orders;
    const isOurs = (order: string): boolean =>
      !(order.endsWith(' D') && this.destroyed.has(order.slice(0, -2).toUpperCase()));
    return Object.fromEntries(Object.entries(orders).map(([power, list]) => [power, list.filter(isOurs)]));
  }

  /** @param refused receives the provinces of orders that no power may give, by the record or by the rules here */
  private ordersOf(raw: RawPhase, recorded: ReadonlyMap<Province, RawResult>, refused: Set<Province>): Order[] {
    const { game, map } = this;
    // By power, as in Lepanto's records.
    const given = readOrders(positionOf(game), this.rules.reading, this.countingOrders(raw)).sort(
      (a, b) => a.power - b.power,
    );
    const orders: Order[] = [];
    for (const { power, text, read } of given) {
      const order = read.effect ?? read.order;
      if (order !== NONE) orders.push(order);
      // A superfluous waive changes nothing: webDiplomacy has one for each build without a site.
      if (read.order !== NONE || /^waive$/i.test(text)) continue;
      const province = read.own >= 0 ? read.own : provinceOf(map, text.split(' ', 2).join(' '));
      refused.add(province);
      if (!saysVoid(recorded.get(province)?.words))
        this.disagree(raw.name, text.slice(0, 60), `order of ${map.powerNames[power]}: ${read.reason}`);
    }
    return orders;
  }

  private keep(phase: string, orders: Int32Array, results: Uint8Array, state: Uint8Array): void {
    this.phases.push({ phase, state, orders, results });
  }
  private stateNow(): Uint8Array {
    return this.game.bytes.slice(this.game.offset, this.game.offset + recordedSize(this.game));
  }

  private resultAgrees(phase: number, province: Province, words: readonly string[], wording: Wording): boolean {
    const { map, results } = this;
    if (phase === MOVEMENT) return movementAgrees(map, results, province, words, wording);
    if (phase === RETREAT) return retreatAgrees(results, province, words, wording);
    return adjustmentAgrees(results.result[province] === SUCCEEDS && results.civil[province] === 0, words, wording);
  }
  /** Compares recorded results with those here, unit by unit. In an adjustment phase only orders have both. */
  private compareResults(
    raw: RawPhase,
    phase: number,
    recorded: ReadonlyMap<Province, RawResult>,
    ordered: ReadonlySet<Province>,
    refused: ReadonlySet<Province>,
    wording: Wording,
  ): void {
    const { results } = this;
    for (const [province, { unit, words }] of recorded) {
      if (province === NOT_THERE || refused.has(province)) continue;
      const isThere = phase === ADJUSTMENT ? ordered.has(province) : results.unit[province] !== NO_UNIT;
      if (!isThere || this.resultAgrees(phase, province, words, wording)) continue;
      const here =
        phase === ADJUSTMENT
          ? results.result[province] === SUCCEEDS
            ? 'succeeds'
            : 'fails'
          : ourWords(results, province);
      this.disagree(raw.name, unit, `result: recorded ${theirWords(words)}, here ${here}`);
    }
  }

  /** Keeps in mind what the moves of a phase have destroyed. */
  private noteDestroyed(name: string): void {
    const { map, results } = this;
    this.retreatName = name.replace(/M$/, 'R');
    this.destroyed.clear();
    for (let p = 0; p < map.provinceCount; p++) {
      const unit = results.unit[p];
      if (unit === NO_UNIT || results.fate[p] !== DESTROYED) continue;
      const text = formatUnit(map, unit, orderLocation(results.order[p]));
      this.destroyed.set(text.toUpperCase(), map.powerNames[unitPower(unit)].toUpperCase());
    }
  }

  play(raw: RawPhase, wording: Wording): void {
    const { game, map } = this;
    const recorded = wordsByProvince(game, raw.results, wording);
    const refused = new Set<Province>();
    const orders = Int32Array.from(this.ordersOf(raw, recorded, refused));
    const name = phaseName(game);
    const state = this.stateNow();
    const { phase } = game;
    adjudicate(game, orders, orders.length, this.results);
    const ordered = new Set(Array.from(orders, (order) => map.locationProvince[orderLocation(order)]));
    this.compareResults(raw, phase, recorded, ordered, refused, wording);
    if (phase === MOVEMENT) this.noteDestroyed(name);
    this.keep(name, orders, recordResults(game, phase, orders, this.results), state);
  }

  end(completed: boolean): boolean {
    const open = this.game.status === PLAYING;
    if (open) declareDraw(this.game);
    this.keep(COMPLETED, new Int32Array(0), new Uint8Array(0), this.stateNow());
    return open && !completed;
  }
}

/** Plays the phases of a game; if only agreement is asked for, until one disagrees. */
const playPhases = (replay: Replay, raw: RawGame, untilDisagreement: boolean): void => {
  for (const [i, phase] of raw.phases.entries()) {
    try {
      const isPlayed = replay.enter(phase, i === 0);
      if (!untilDisagreement) replay.checkHash(phase);
      const isLast = i === raw.phases.length - 1;
      const hasOrders = Object.values(phase.orders).some((orders) => orders.length > 0);
      if (isPlayed && replay.game.status === PLAYING && (!isLast || hasOrders)) replay.play(phase, raw.wording);
    } catch (error) {
      if (error instanceof RecordError) throw new RecordError(`phase ${i} (${phase.name}): ${error.message}`);
      throw error;
    }
    if (untilDisagreement && replay.disagreements.length > 0) return;
  }
};

/**
 * Replays a recorded game by rules of Lepanto. Lists recorded positions that differ, and continues from them.
 * @throws RecordError that names the phase, if a recorded position is impossible
 */
export const replayRaw = (map: CompiledMap, rules: RuleSet, raw: RawGame, index = 0): Replayed => {
  const replay = new Replay(map, rules);
  playPhases(replay, raw, false);
  const unfinished = replay.end(raw.phases.at(-1)?.name === COMPLETED);
  const record: GameRecord = { index, seed: 0, phases: replay.phases, scores: gameScores(replay.game) };
  return { id: raw.id, record, disagreements: replay.disagreements, unfinished };
};

/**
 * Replays a recorded game. Lists every recorded position or result that does not follow from the orders before it, and
 * continues from the recorded position.
 * @param raw from parseSavedGame()
 * @param rules for playing and for reading orders, see ruleSetByName(); default: DATC 3.2
 * @param map to play on; default: the one that the game names
 * @throws RecordError that names the phase, if a recorded position is impossible; Error for the name of an unknown map
 */
export const replayGame = (
  raw: RawGame,
  rules: RuleSet = DEFAULT_RULES,
  map: CompiledMap = loadMap(raw.map),
): Replayed => replayRaw(map, rules, raw);

/**
 * True if a recorded game follows from its orders by the rules. Plays only as far as the game agrees; an impossible
 * recorded position counts as a disagreement.
 */
export const agrees = (map: CompiledMap, rules: RuleSet, raw: RawGame): boolean => {
  const replay = new Replay(map, rules);
  try {
    playPhases(replay, raw, true);
  } catch (error) {
    if (error instanceof RecordError) return false;
    throw error;
  }
  return replay.disagreements.length === 0;
};
