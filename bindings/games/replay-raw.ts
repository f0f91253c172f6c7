// A recorded game of any format, played again: what comes out is a record of ours, and a list of what disagrees.
import {
  ADJUSTMENT,
  adjudicate,
  COMPLETED,
  type CompiledMap,
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
} from '../../engine/internal.js';
import { recordResults } from '../../selfplay/games/outcomes.js';
import { type GameRecord, type PhaseRecord, recordedSize } from '../../selfplay/games/play.js';
import { gameScores } from '../../selfplay/games/scores.js';
import { readOrders } from '../json/orders.js';
import {
  type ByPower,
  centersByPower,
  parsePosition,
  positionOf,
  RecordError,
  retreatsByPower,
  unitsByPower,
} from '../json/position.js';
import { DEFAULT_RULES, NotationError, parseUnit, type RuleSet } from '../text/index.js';
import type { RawGame, RawPhase, RawResult, Wording } from './raw.js';
import { adjustmentAgrees, movementAgrees, ourWords, retreatAgrees, saysVoid, theirWords } from './recorded-results.js';

/** Something in which a recorded game differs from what the rules make of its orders. */
export interface Disagreement {
  /** Name of the phase: 'F1901M'. */
  readonly phase: string;
  /** 'A PAR', 'PAR' or a power; '' for the whole phase. */
  readonly unit: string;
  /** What was recorded and what it is here: 'result: recorded bounce, here succeeds'. */
  readonly what: string;
}

/** A recorded game that was played again. */
export interface Replayed {
  /** As the game names itself; '' if it does not. */
  readonly id: string;
  /** The game as a record of ours. */
  readonly record: GameRecord;
  /** In the order of the game, 100 at most. */
  readonly disagreements: readonly Disagreement[];
  /** True if the game was not over: its record ends as a draw. */
  readonly unfinished: boolean;
}

/** The most disagreements that are kept of one game. */
const MAX_DISAGREEMENTS = 100;

const flat = (byPower: ByPower): Map<string, string> => {
  const found = new Map<string, string>();
  for (const [power, names] of Object.entries(byPower))
    for (const name of names) found.set(name.toUpperCase(), power.toUpperCase());
  return found;
};

const NOT_THERE = -1;

/** Province of a unit as text; NOT_THERE if there is no such unit on the map. */
const provinceOf = (map: CompiledMap, unit: string): Province | typeof NOT_THERE => {
  try {
    return parseUnit(map, unit).province;
  } catch (error) {
    if (error instanceof NotationError) return NOT_THERE;
    throw error;
  }
};

/** Recorded words by province of the unit. */
const wordsByProvince = (map: CompiledMap, results: readonly RawResult[]): Map<Province, RawResult> =>
  new Map(results.map((result) => [provinceOf(map, result.unit), result]));

/** The retreats that a record lets its dislodged units have: as it lists them, else as they were ordered. */
const retreatsIn = (raw: RawPhase): unknown => {
  if (raw.retreats === null) return retreatsOrdered(raw);
  const taken = new Set(
    Object.values(raw.units ?? {})
      .flat()
      .map(placeOf),
  );
  // dipcc lists provinces too that are occupied.
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

  /** Compares the recorded position with ours; where they differ, the recorded one is taken. */
  enter(raw: RawPhase, first: boolean): void {
    if (raw.name === COMPLETED) {
      this.compareBoards(raw);
      return;
    }
    const now = phaseName(this.game);
    const agrees = now === raw.name && this.compareBoards(raw);
    if (agrees) return;
    if (now !== raw.name && !first) this.disagree(raw.name, '', `recorded ${raw.name}, here ${now}`);
    if (first) this.disagreements.length = 0;
    this.take(raw);
  }
  private compareBoards(raw: RawPhase): boolean {
    const { game } = this;
    const units = raw.units === null || this.compare(raw.name, 'unit', raw.units, unitsByPower(game));
    const dislodged = raw.name === COMPLETED || this.compare(raw.name, 'dislodged', raw.dislodged, this.dislodgedNow());
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

  /** @param refused takes the provinces of orders that nobody may give, by the record or by our rules */
  private ordersOf(raw: RawPhase, recorded: ReadonlyMap<Province, RawResult>, refused: Set<Province>): Order[] {
    const { game, map } = this;
    // By power, as records of ours have them.
    const given = readOrders(positionOf(game), this.rules.reading, raw.orders).sort((a, b) => a.power - b.power);
    const orders: Order[] = [];
    for (const { power, text, read } of given) {
      const order = read.effect ?? read.order;
      if (order !== NONE) orders.push(order);
      // A waive more than is due changes nothing: webDiplomacy has one for each build without a site.
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
  /** Recorded results against ours, unit by unit. In an adjustment phase only those of orders are there for both. */
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

  play(raw: RawPhase, wording: Wording): void {
    const { game, map } = this;
    const recorded = wordsByProvince(map, raw.results);
    const refused = new Set<Province>();
    const orders = Int32Array.from(this.ordersOf(raw, recorded, refused));
    const name = phaseName(game);
    const state = this.stateNow();
    const { phase } = game;
    adjudicate(game, orders, orders.length, this.results);
    const ordered = new Set(Array.from(orders, (order) => map.locationProvince[orderLocation(order)]));
    this.compareResults(raw, phase, recorded, ordered, refused, wording);
    this.keep(name, orders, recordResults(game, phase, orders, this.results), state);
  }

  end(completed: boolean): boolean {
    const open = this.game.status === PLAYING;
    if (open) declareDraw(this.game);
    this.keep(COMPLETED, new Int32Array(0), new Uint8Array(0), this.stateNow());
    return open && !completed;
  }
}

/** Plays the phases of a game until one disagrees, if that is all that is asked. */
const playPhases = (replay: Replay, raw: RawGame, untilDisagreement: boolean): void => {
  for (const [i, phase] of raw.phases.entries()) {
    try {
      replay.enter(phase, i === 0);
      const isLast = i === raw.phases.length - 1;
      const hasOrders = Object.values(phase.orders).some((orders) => orders.length > 0);
      if (phase.name !== COMPLETED && replay.game.status === PLAYING && (!isLast || hasOrders))
        replay.play(phase, raw.wording);
    } catch (error) {
      if (error instanceof RecordError) throw new RecordError(`phase ${i} (${phase.name}): ${error.message}`);
      throw error;
    }
    if (untilDisagreement && replay.disagreements.length > 0) return;
  }
};

/**
 * Plays a recorded game again by our rules. Where a recorded position differs from ours it is listed, and play goes on
 * from the recorded one.
 * @throws RecordError that names the phase, if a recorded position is none
 */
export const replayRaw = (map: CompiledMap, rules: RuleSet, raw: RawGame, index = 0): Replayed => {
  const replay = new Replay(map, rules);
  playPhases(replay, raw, false);
  const unfinished = replay.end(raw.phases.at(-1)?.name === COMPLETED);
  const record: GameRecord = { index, seed: 0, phases: replay.phases, scores: gameScores(replay.game) };
  return { id: raw.id, record, disagreements: replay.disagreements, unfinished };
};

/**
 * Plays a recorded game again. Where the recorded position or result of a phase is not what the rules make of the orders
 * before it, that is listed, and play goes on from the recorded position.
 * @param raw of parseSavedGame()
 * @param rules to play and read orders by, see ruleSetByName(); DATC 3.2 by default
 * @param map to play on; the one that the game names by default
 * @throws RecordError that names the phase, if a recorded position is impossible; Error for the name of an unknown map
 */
export const replayGame = (
  raw: RawGame,
  rules: RuleSet = DEFAULT_RULES,
  map: CompiledMap = loadMap(raw.map),
): Replayed => replayRaw(map, rules, raw);

/**
 * True if a recorded game is what the rules make of its orders. It is played only as far as it agrees; a recorded
 * position that is none does not.
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
