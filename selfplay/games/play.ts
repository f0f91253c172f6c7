// Plays games between agents, many at the same time.
//
// In each tick, every agent first answers the questions about the current phase of all games, in one call. Then each
// game plays one phase. The positions are rows of one block of memory. Phases are logged to typed arrays (game-log.ts),
// which the caller records when a game ends.
import {
  ADJUSTMENT,
  adjudicate,
  adjustmentsDue,
  type CompiledMap,
  DATC_3_2,
  declareDraw,
  Game,
  hasOrders,
  MOVEMENT,
  makeResults,
  PLAYING,
  type Power,
  phaseName,
  Random,
  type Rules,
  resetGame,
  standard,
  stateLayout,
} from '../../engine/internal.js';
import { isAfterLastYear } from '../../engine/play/batch.js';
import { LepantoError } from '../../engine/rules/error.js';
import { guarded } from '../agents/guarded.js';
import { warn } from '../crew/user-code.js';
import {
  type Agent,
  type Answer,
  type Budget,
  type Past,
  type PlayedPhase,
  placeOf,
  type Question,
  type Soon,
  type TalkQuestion,
  UNBOUNDED,
} from '../question/agent.js';
import { type Message, MOST_ROUNDS, readSaid, type Said } from '../question/message.js';
import { formatAgent } from '../question/parse-kind.js';
import { QuestionLists } from '../question/question-lists.js';
import { type EndingByYear, EndingWatch, mayEndLong } from './ending.js';
import { GameLog } from './game-log.js';
import { type GameRecord, gameScores, loadState, type PhaseRecord, recordState } from './game-record.js';
import { Mailboxes } from './mailboxes.js';
import { keyOf } from './phase-key.js';
import { beginSampled, commonSampler, playSampled, sampledYear, storeSampled } from './sampled-steps.js';
import { policyTargets } from './targets.js';

/** Settings of games between agents. */
export interface TableOptions extends EndingByYear {
  readonly map: CompiledMap;
  readonly rules: Rules;
  /** Limits of each answer. Default: UNBOUNDED. */
  readonly budget?: Budget;
  /** True to record the order sets that agents compared, as policy targets (targets.ts). Default false. */
  readonly targets?: boolean;
  /**
   * Number of rounds of press before the orders of each movement phase, from 0. Default 0. The messages are recorded.
   * Powers without units are silent. Retreat and adjustment phases have no press, as in the rulebooks.
   */
  readonly rounds?: number;
  /** True to keep the positions before all phases. Must be true if an agent reads the past. Default true. */
  readonly keepsStates?: boolean;
  /** Called after each phase of a game, with its kind: MOVEMENT, RETREAT or ADJUSTMENT. */
  readonly onPhase?: (phase: number) => void;
}

/** A game to be played. */
export interface Match {
  /** Index of the game in its series. */
  readonly index: number;
  /** Seed of all random numbers of the game: any int32. */
  readonly seed: number;
  /** Agents, indexed by power. */
  readonly agents: readonly Agent[];
}

/** A finished game. `game` and `log` are reused once the callback that receives them returns. */
export interface PlayedGame extends Pick<Match, 'index' | 'seed'> {
  /** Position after the last phase. */
  readonly game: Game;
  readonly log: GameLog;
}

/**
 * Step between the numbers of the random streams of two rounds of press. Round 0 stands for the orders: the number of
 * their stream is the power.
 */
const ROUND_STREAM = 256;

/**
 * Returns the random numbers for a power's messages in a round of press.
 * @param seed seed of the game
 * @param phase index of the phase in the game
 * @param round number of the round, from 1
 */
export const talkRandom = (seed: number, phase: number, power: Power, round: number): Random =>
  new Random(seed, phase, ROUND_STREAM * round + power);

/**
 * Warns that a message of an agent was rejected.
 * @param where description of the question (placeOf())
 * @param what reason
 */
export const noteUnsaid = (agent: Agent, where: string, what: string): void =>
  warn('unsaid', formatAgent(agent), `${where}: ${what}`);

/**
 * Asks an agent for messages in a round of press. Drops invalid messages and warns about each with the name of the
 * agent.
 * @returns list of valid messages for each question; empty lists for an agent that does not talk
 */
export const askTalk = async (agent: Agent, questions: readonly TalkQuestion[]): Promise<(readonly Said[])[]> => {
  const answers = (await agent.talk?.(questions)) ?? [];
  return questions.map((question, i) => {
    const { powerNames } = question.game.map;
    const { said, refused } = readSaid(powerNames, powerNames[question.power], answers[i]);
    for (const what of refused) noteUnsaid(agent, placeOf(question), what);
    return said;
  });
};

/** History of a game in progress. Converts logged phases to objects only when an agent reads them. */
class LoggedPast implements Past {
  constructor(
    readonly game: string,
    private readonly log: GameLog,
  ) {}

  get phases(): readonly PlayedPhase[] {
    return this.log.past();
  }
}

/** History of a game in progress, with the messages that one power may read. */
class LoggedPress extends LoggedPast {
  constructor(
    game: string,
    log: GameLog,
    readonly messages: readonly Message[],
  ) {
    super(game, log);
  }
}

/** A place for one game in a fixed block of memory, and the game that is played there. */
interface Seat {
  readonly game: Game;
  readonly log: GameLog;
  readonly answers: (Answer | null)[];
  match: Match;
  past: Past;
  /** Mailboxes of the powers; null if the game has no press. */
  mail: Mailboxes | null;
  watch: EndingWatch;
  /** Sampler of the engine that draws the orders of all powers; undefined if the agents must be asked. */
  sampler: number | undefined;
}

/** Plays matches, a fixed number of them at the same time. */
class Table {
  private readonly results = makeResults();
  private readonly orders = new Int32Array(2 * this.options.map.provinceCount);
  private readonly counts = new Int32Array(this.options.map.powerCount);
  private readonly asking = new QuestionLists<Question, Seat>();
  private readonly seats: Seat[] = [];
  private readonly budget: Budget = this.options.budget ?? UNBOUNDED;
  private readonly free: Seat[] = [];

  constructor(
    private readonly options: TableOptions,
    private readonly next: () => Match | null,
    private readonly take: (played: PlayedGame) => void,
    atOnce: number,
    keepsStates: boolean,
  ) {
    const { map, rules } = options;
    const { stride } = stateLayout(map);
    const rows = new Uint8Array(atOnce * stride);
    for (let i = 0; i < atOnce; i++) {
      const game = new Game(map, rules, rows, i * stride);
      resetGame(game);
      const log = new GameLog(keepsStates);
      const answers = map.powerNames.map(() => null);
      const match: Match = { index: 0, seed: 0, agents: [] };
      const watch = new EndingWatch(options, game, 0);
      this.free.push({
        game,
        log,
        answers,
        match,
        past: new LoggedPast('', log),
        mail: null,
        watch,
        sampler: undefined,
      });
    }
  }

  /** Plays matches until next() returns null and all games have ended. */
  async play(): Promise<void> {
    this.fill();
    while (this.seats.length > 0) {
      const waiting = this.tick();
      if (waiting !== undefined) await waiting;
      this.playPhases();
      this.fill();
    }
  }

  /** Starts the next matches in all free slots. */
  private fill(): void {
    for (let seat = this.free.pop(); seat !== undefined; seat = this.free.pop()) {
      const match = this.next();
      if (match === null) {
        // Forgets the free slots, so that next() is not called again.
        this.free.length = 0;
        return;
      }
      this.begin(seat, { ...match, agents: match.agents.map(guarded) });
      this.seats.push(seat);
    }
  }

  /** Starts a match in a slot. */
  private begin(seat: Seat, match: Match): void {
    const { map, rules, rounds = 0 } = this.options;
    const { game, log } = seat;
    resetGame(game);
    log.clear();
    seat.match = match;
    seat.past = new LoggedPast(String(match.index), log);
    seat.mail =
      rounds > 0 && match.agents.some(({ talk }) => talk !== undefined) ? new Mailboxes(map.powerNames) : null;
    seat.watch = new EndingWatch(this.options, game, match.seed);
    seat.sampler = commonSampler(match.agents, map, rules);
  }

  /** Plays the rounds of press, then asks for the orders of the current phase of all games. */
  private tick(): Soon<void> {
    if (this.seats.some(({ mail, game }) => mail !== null && game.phase === MOVEMENT))
      return this.talkAll().then(() => this.askAll());
    return this.askAll();
  }

  /** Calls `visit` for each power that has orders to give in the current phase. */
  private visitPowers({ game }: Seat, visit: (power: Power) => void): void {
    const { counts } = this;
    const { phase } = game;
    if (phase === MOVEMENT) game.countUnits(counts);
    else if (phase === ADJUSTMENT) adjustmentsDue(game, counts);
    for (let power = 0; power < counts.length; power++)
      if (phase === MOVEMENT || phase === ADJUSTMENT ? counts[power] !== 0 : hasOrders(game, power)) visit(power);
  }

  /** Returns the history of a game for one power, with the messages that the power may read if the game has press. */
  private pastOf({ past, mail, log }: Seat, power: Power): Past {
    return mail === null ? past : new LoggedPress(past.game, log, mail.boxOf(power));
  }

  /**
   * Asks the agents of all games for the orders of the current phase. Returns a promise only if an agent returns one.
   */
  private askAll(): Soon<void> {
    const { asking, budget } = this;
    for (const seat of this.seats) {
      const { game, log, match, sampler } = seat;
      if (sampler !== undefined) continue;
      this.visitPowers(seat, (power) => {
        const random = new Random(match.seed, log.count, power);
        asking.add(match.agents[power], { game, power, random, budget, past: this.pastOf(seat, power) }, seat);
      });
    }
    return asking.ask(
      (agent, questions) => agent.answer(questions),
      ({ answers }, answer, { power }) => {
        answers[power] = answer;
      },
    );
  }

  /** Plays the rounds of press of all games in a movement phase. */
  private async talkAll(): Promise<void> {
    const { rounds = 0 } = this.options;
    const talking = this.seats.filter(({ mail, game }) => mail !== null && game.phase === MOVEMENT);
    const sent = new Map<Seat, Message[]>(talking.map((seat) => [seat, []]));
    for (let round = 1; round <= rounds; round++) {
      const asking = new QuestionLists<TalkQuestion, Seat>();
      for (const seat of talking) {
        const { game, log, match } = seat;
        this.visitPowers(seat, (power) => {
          const agent = match.agents[power];
          if (agent.talk === undefined) return;
          const random = talkRandom(match.seed, log.count, power, round);
          asking.add(agent, { game, power, random, past: this.pastOf(seat, power), round: { round, rounds } }, seat);
        });
      }
      const said = new Map<Seat, (readonly Said[])[]>(talking.map((seat) => [seat, []]));
      await asking.ask(askTalk, (seat, answer, { power }) => {
        (said.get(seat) ?? [])[power] = answer;
      });
      for (const [seat, bySender] of said) this.deliver(seat, round, bySender, sent.get(seat) ?? []);
    }
    for (const [seat, messages] of sent) if (messages.length > 0) seat.log.messages.set(seat.log.count, messages);
  }

  /**
   * Delivers the messages of a round in one game, ascending by sender. Warns about messages beyond the limit of a game.
   * @param round number of the round, from 1
   * @param said messages of each power, indexed by power
   * @param messages the delivered messages are appended to this list
   */
  private deliver(seat: Seat, round: number, said: readonly (readonly Said[])[], messages: Message[]): void {
    const { game, mail, match, past } = seat;
    said.forEach((all, power) => {
      if (mail === null) return;
      const { sent, refused } = mail.send(phaseName(game), round, power, all);
      messages.push(...sent);
      if (refused > 0)
        noteUnsaid(
          match.agents[power],
          placeOf({ game, power, past, round: { round, rounds: round } }),
          'got more messages than one game may have',
        );
    });
  }

  /**
   * Plays a phase, or with a sampler the whole rest, of each game. Ends the games that are over and frees their slots.
   */
  private playPhases(): void {
    const { seats } = this;
    let left = 0;
    for (const seat of seats) {
      if (seat.sampler === undefined) this.playPhase(seat);
      else this.playSampled(seat, seat.sampler);
      if (seat.game.status === PLAYING) seats[left++] = seat;
      else this.finish(seat);
    }
    seats.length = left;
  }

  /** Plays the current phase of a game with the agents' answers. Declares a draw if its ending demands one. */
  private playPhase({ game, log, answers, watch }: Seat): void {
    const { options, orders, results } = this;
    const { phase } = game;
    let n = 0;
    for (let power = 0; power < answers.length; power++) {
      const answer = answers[power];
      if (answer === null) continue;
      answers[power] = null;
      const given = answer.orders;
      for (let i = 0; i < given.length; i++) orders[n++] = given[i];
      if (options.targets === true && answer.candidates !== undefined) this.keepTargets(log, power, answer.candidates);
    }
    const key = keyOf(game.year, game.season, phase);
    log.begin(game, key);
    adjudicate(game, orders, n, results);
    log.end(game, key, orders, n, results);
    options.onPhase?.(phase);
    if (game.status === PLAYING && watch.isOver(game)) declareDraw(game);
  }

  /**
   * Plays a game to its end, with orders drawn by a sampler of the engine. The position stays on the engine's board
   * between phase-steps.
   */
  private playSampled({ game, log, match, watch }: Seat, sampler: number): void {
    const { map, until, stalemate = 0, chance = 0, chanceByYear, onPhase } = this.options;
    const mayBeLong = mayEndLong(this.options, map.startYear);
    const needsGame = mayBeLong || stalemate > 0 || chance > 0 || chanceByYear !== undefined;
    log.begin(game, keyOf(game.year, game.season, game.phase));
    beginSampled(game, match.seed);
    for (;;) {
      const before = mayBeLong ? game.clone() : game;
      const first = log.count;
      const isPlaying = playSampled(map, sampler, log);
      onPhase?.(MOVEMENT);
      if (isPlaying && !needsGame && !isAfterLastYear(sampledYear(), until)) continue;
      storeSampled(game);
      if (!isPlaying) return;
      if (!watch.isOver(game)) continue;
      if (watch.isLong) this.takeWinterBack(game, before, log, first);
      declareDraw(game);
      return;
    }
  }

  /**
   * Undoes the adjustment phase at the end of a phase-step, if there was one: removes it from the log and replays the
   * other phases.
   * @param game overwritten with the position before the adjustment phase
   * @param before position before the phase-step
   * @param first index in the log of the first phase of the phase-step
   */
  private takeWinterBack(game: Game, before: Game, log: GameLog, first: number): void {
    if (!log.dropAdjustments()) return;
    game.copyFrom(before);
    for (let i = first; i < log.count; i++) {
      const { orders } = log.phase(i);
      adjudicate(game, orders, orders.length, this.results);
    }
  }

  /** Logs the policy targets of a power in the current phase. Logs nothing if no candidate is probable enough. */
  private keepTargets(log: GameLog, power: Power, candidates: NonNullable<Answer['candidates']>): void {
    const kept = policyTargets(power, candidates);
    if (kept !== null) log.targets.set(log.count, [...(log.targets.get(log.count) ?? []), kept]);
  }

  /** Passes a finished game to the callback `take`, and frees its slot. */
  private finish(seat: Seat): void {
    const { game, log, match } = seat;
    log.finish(game);
    this.take({ index: match.index, seed: match.seed, game, log });
    this.free.push(seat);
  }
}

/**
 * Plays matches until `next` returns null and all games have ended.
 * @param next returns the next match, or null if there are no more
 * @param atOnce number of games in progress; with more games an agent gets more questions in one call
 * @param take called with each game when it ends, not necessarily in the order of `next`
 * @throws LepantoError that names agent, power, phase and game, if a user module throws or gives illegal orders
 */
export const playGames = (
  options: TableOptions,
  next: () => Match | null,
  atOnce: number,
  take: (played: PlayedGame) => void,
): Promise<void> => {
  const { keepsStates = true } = options;
  return new Table(options, next, take, atOnce, keepsStates).play();
};

/** Converts a finished game to a record. Positions that the log did not keep are computed by replaying the orders. */
export const recordOf = ({ index, seed, game, log }: PlayedGame): GameRecord => {
  const replayed = new Game(game.map, game.rules);
  const results = makeResults();
  loadState(replayed, log.state(0));
  const phases = Array.from({ length: log.count + 1 }, (_, i): PhaseRecord => {
    const phase = log.phase(i);
    const targets = log.targets.get(i);
    const messages = log.messages.get(i);
    const state = phase.state.length === 0 ? recordState(replayed) : phase.state;
    if (phase.state.length > 0) loadState(replayed, phase.state);
    if (i < log.count) adjudicate(replayed, phase.orders, phase.orders.length, results);
    return { ...phase, state, ...(targets !== undefined && { targets }), ...(messages !== undefined && { messages }) };
  });
  return { index, seed, phases, scores: gameScores(game) };
};

/** Settings of playGame(). */
export interface PlayGameOptions extends Omit<TableOptions, 'map' | 'rules' | 'keepsStates'> {
  /** Agents, indexed by power. */
  readonly agents: readonly Agent[];
  /** Seed of all random numbers of the game: any int32. Default 0. */
  readonly seed?: number;
  /** Index of the game in a series, written to the record. Default 0. */
  readonly index?: number;
  /** Map of the game. Default: the standard map. */
  readonly map?: CompiledMap;
  /** Rules of the game. Default: DATC 3.2. */
  readonly rules?: Rules;
}

/**
 * Plays one game from the start of its map until a solo or a draw, and returns its record:
 * `playGame({ agents: parseAgents('random', 7), until: 1910, seed: 1 })`. The same seed and agents give the same game,
 * unless an agent searches with a time limit.
 * @throws LepantoError if the number of agents is not the number of powers, or `rounds` is out of range; LepantoError
 *   that names agent, power and phase if a user's agent gives illegal orders
 */
export const playGame = async (options: PlayGameOptions): Promise<GameRecord> => {
  const { seed = 0, index = 0, map = standard, rules = DATC_3_2, agents } = options;
  if (agents.length !== map.powerCount)
    throw new LepantoError('argument', `agents: got ${agents.length}, wanted ${map.powerCount}, one for each power`);
  const { rounds = 0 } = options;
  if (!(Number.isInteger(rounds) && rounds >= 0 && rounds <= MOST_ROUNDS))
    throw new LepantoError('argument', `rounds: got ${rounds}, wanted a whole number from 0 to ${MOST_ROUNDS}`);
  const matches: Match[] = [{ index, seed, agents }];
  let record: GameRecord | null = null;
  await playGames(
    { ...options, map, rules },
    () => matches.pop() ?? null,
    1,
    (played) => {
      record = recordOf(played);
    },
  );
  if (record === null) throw new LepantoError('argument', 'the game did not end');
  return record;
};
