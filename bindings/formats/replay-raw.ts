// A recorded game of any format, played again: what comes out is a record of ours, and a list of what disagrees.
import {
  ADJUSTMENT,
  adjudicate,
  balance,
  type CompiledMap,
  declareDraw,
  type Game,
  makeResults,
  newGame,
  type Order,
  PLAYING,
  RETREAT,
  type Results,
  type Rules,
} from '../../engine/index.js';
import {
  COMPLETED,
  type GameRecord,
  type PhaseRecord,
  phaseName,
  recordedSize,
  recordResults,
} from '../../selfplay/play.js';
import { gameScores } from '../../selfplay/scores.js';
import {
  type ByPower,
  centersByPower,
  formatPosition,
  parsePosition,
  RecordError,
  retreatsByPower,
  unitsByPower,
} from '../position.js';
import { makeInterpreter, NotationError, parseOrder, type Retreats } from '../text.js';
import type { RawGame, RawPhase } from './raw.js';

/** Something in which the record and the engine are not of one mind. */
export interface Disagreement {
  readonly phase: string;
  /** 'A PAR', 'PAR' or a power; '' for the whole phase. */
  readonly unit: string;
  readonly what: string;
}

export interface Replayed {
  readonly id: string;
  readonly record: GameRecord;
  readonly disagreements: readonly Disagreement[];
  /** True if the game was not over: its record ends as a draw. */
  readonly unfinished: boolean;
}

/** The most disagreements that are kept of one game. */
const MAX_DISAGREEMENTS = 100;

const flat = (map: CompiledMap, byPower: ByPower): Map<string, string> => {
  const found = new Map<string, string>();
  for (const [power, names] of Object.entries(byPower))
    for (const name of names) found.set(name.toUpperCase(), power.toUpperCase());
  return map.powerCount > 0 ? found : new Map();
};

class Replay {
  declare readonly map: CompiledMap;
  declare readonly rules: Rules;
  declare readonly results: Results;
  declare readonly phases: PhaseRecord[];
  declare readonly disagreements: Disagreement[];
  declare game: Game;
  declare retreats: Retreats | null;

  constructor(map: CompiledMap, rules: Rules) {
    this.map = map;
    this.rules = rules;
    this.results = makeResults();
    this.phases = [];
    this.disagreements = [];
    this.game = newGame(map, rules);
    this.retreats = null;
  }

  private disagree(phase: string, unit: string, what: string): void {
    if (this.disagreements.length < MAX_DISAGREEMENTS) this.disagreements.push({ phase, unit, what });
  }

  private compare(phase: string, kind: string, recorded: ByPower, now: ByPower): boolean {
    const there = flat(this.map, recorded);
    const here = flat(this.map, now);
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
    const now = this.game.status === PLAYING ? phaseName(this.game) : COMPLETED;
    const agrees = now === raw.name && this.compareBoards(raw);
    if (agrees) return;
    if (now !== raw.name && !first) this.disagree(raw.name, '', `recorded ${raw.name}, here ${now}`);
    if (first) this.disagreements.length = 0;
    this.take(raw);
  }
  private compareBoards(raw: RawPhase): boolean {
    const { game } = this;
    const units = this.compare(raw.name, 'unit', raw.units, unitsByPower(game));
    const dislodged = raw.name === COMPLETED || this.compare(raw.name, 'dislodged', raw.dislodged, this.dislodgedNow());
    const centers = raw.centers === null || this.compare(raw.name, 'centre', raw.centers, centersByPower(game));
    return units && dislodged && centers;
  }
  private take(raw: RawPhase): void {
    const retreats =
      raw.retreats ??
      Object.fromEntries(
        Object.entries(raw.dislodged).map(([power, units]) => [
          power,
          Object.fromEntries(units.map((unit) => [unit, []])),
        ]),
      );
    const isRetreat = raw.name.endsWith('R');
    const centers = raw.centers ?? centersByPower(this.game);
    const { game } = parsePosition(
      { phase: raw.name, units: raw.units, centers, ...(isRetreat ? { retreats } : {}) },
      this.map,
      this.rules,
    );
    this.game = game;
  }

  private readOrders(raw: RawPhase): Order[] {
    const { game, map } = this;
    const retreats: Retreats =
      game.phase === RETREAT ? parsePosition(formatPosition(game), map, this.rules).retreats : new Map();
    const due = Int32Array.from({ length: map.powerCount }, (_, q) =>
      game.phase === ADJUSTMENT ? balance(game, q) : 0,
    );
    const interpret = makeInterpreter(game, retreats, due);
    const orders: Order[] = [];
    map.powerNames.forEach((name, power) => {
      for (const text of raw.orders[name] ?? []) {
        const { order, reason } = this.interpretOne(text, (parsed) => interpret(power, parsed));
        if (reason === null) orders.push(order);
        else this.disagree(raw.name, text.slice(0, 60), `order of ${name}: ${reason}`);
      }
    });
    return orders;
  }
  private interpretOne(
    text: string,
    interpret: (raw: ReturnType<typeof parseOrder>) => { readonly order: Order; readonly reason: string | null },
  ): { readonly order: Order; readonly reason: string | null } {
    try {
      return interpret(parseOrder(this.map, text));
    } catch (error) {
      if (error instanceof NotationError) return { order: 0, reason: error.message };
      throw error;
    }
  }

  private keep(phase: string, orders: Int32Array, results: Uint8Array, state: Uint8Array): void {
    this.phases.push({ phase, state, orders, results });
  }
  private stateNow(): Uint8Array {
    return this.game.bytes.slice(this.game.offset, this.game.offset + recordedSize(this.game));
  }

  play(raw: RawPhase): void {
    const { game } = this;
    const orders = Int32Array.from(this.readOrders(raw));
    const name = phaseName(game);
    const state = this.stateNow();
    const { phase } = game;
    adjudicate(game, orders, orders.length, this.results);
    this.keep(name, orders, recordResults(game, phase, orders, this.results), state);
  }

  end(completed: boolean): boolean {
    const open = this.game.status === PLAYING;
    if (open) declareDraw(this.game);
    this.keep(COMPLETED, new Int32Array(0), new Uint8Array(0), this.stateNow());
    return open && !completed;
  }
}

/**
 * Plays a recorded game again by our rules. Where a recorded position differs from ours it is listed, and play goes on
 * from the recorded one.
 * @throws RecordError that names the phase, if a recorded position is none
 */
export const replayRaw = (map: CompiledMap, rules: Rules, raw: RawGame, index = 0): Replayed => {
  const replay = new Replay(map, rules);
  raw.phases.forEach((phase, i) => {
    try {
      replay.enter(phase, i === 0);
      const isLast = i === raw.phases.length - 1;
      const hasOrders = Object.values(phase.orders).some((orders) => orders.length > 0);
      if (phase.name !== COMPLETED && replay.game.status === PLAYING && (!isLast || hasOrders)) replay.play(phase);
    } catch (error) {
      if (error instanceof RecordError) throw new RecordError(`phase ${i} (${phase.name}): ${error.message}`);
      throw error;
    }
  });
  const unfinished = replay.end(raw.phases.at(-1)?.name === COMPLETED);
  const record: GameRecord = { index, seed: 0, phases: replay.phases, scores: gameScores(replay.game) };
  return { id: raw.id, record, disagreements: replay.disagreements, unfinished };
};
