// Plays the phases of a game on the board page: asks agents for orders and messages, adjudicates, and lists faults of
// bots.
import type { Round } from '../../../selfplay/question/agent.js';
import { powerTitle } from '../../draw/titles.js';
import { isOver, playTurn, type Turn } from '../orders/timeline.js';
import type { GivenOrders } from '../page-data.js';
import { type BoardState, STAND_IN } from './board-state.js';
import type { Busy } from './game-panel.js';
import type { TalkAsker } from './messages-panel.js';
import { complain, say, showText } from './page.js';
import { type AgentWorker, askAll } from './play-agents.js';

/** Number of the latest faults of bots that are listed. */
const MOST_FAULTS = 8;

/** Callbacks of the page that shows the game. */
export interface PlayerPage {
  /** Called when agents are asked and when they have answered, to disable and enable buttons. */
  readonly showBusy: () => void;
  readonly unchoose: () => void;
  /** Plays the rounds of messages (press) that remain in the phase. */
  readonly talk: (signal: AbortSignal) => Promise<void>;
  /**
   * Shows the results of a phase, then the next phase.
   * @param isFirst true for the first phase after a press of Ready
   */
  readonly showPlayed: (next: Turn, isFirst: boolean) => Promise<void>;
}

export interface PhasePlayer {
  readonly busy: Busy;
  readonly isBusy: () => boolean;
  /**
   * Takes the orders of the human whose turn it is. Once all humans have ordered, plays the phase, and phases in which
   * no human has orders.
   */
  readonly ready: () => Promise<void>;
  /** Asks the bots for orders of their powers that have none yet, and appends these orders to the text of orders. */
  readonly showBots: () => Promise<void>;
  /** Asks the bots of the server for the messages that they send in a round of press. */
  readonly askTalk: TalkAsker;
  /** Stops questions to agents that are under way. */
  readonly stop: () => void;
}

/**
 * Makes the player of a board page.
 * @param serverAgents names of the agents that the server plays
 * @param worker plays the other agents
 */
export const phasePlayer = (
  table: BoardState,
  worker: AgentWorker,
  serverAgents: readonly string[],
  page: PlayerPage,
): PhasePlayer => {
  /** Aborts the question to agents that is under way; null for none. */
  let asking: AbortController | null = null;
  /** Number of times that each fault of bots has occurred, keyed by its sentence. */
  const faults = new Map<string, number>();

  const showFaults = (): void => {
    const lines = [...faults].map(([fault, count]) => (count > 1 ? `${fault} (${count} times)` : fault));
    const more = lines.length > MOST_FAULTS ? [`and ${lines.length - MOST_FAULTS} more before`] : [];
    const told = ['Errors of agents:', ...lines.slice(-MOST_FAULTS), ...more];
    showText('faults', lines.length === 0 ? '' : told.join('\n'));
  };

  /**
   * Asks agents for the orders of some powers, or for messages in a round of press. Lists the faults of the agents.
   * STAND_IN answers for humans.
   */
  const askFor = async (powers: readonly string[], signal: AbortSignal, round?: Round): Promise<GivenOrders> => {
    const { seats } = table.state;
    const agentOf = (power: string): string => (table.isHuman(power) ? STAND_IN : seats[power]);
    const game = table.askedGame();
    const asked = {
      game,
      ...(round !== undefined && { round }),
      seats: Object.fromEntries(powers.map((power) => [power, agentOf(power)])),
    };
    const answer = await askAll(worker, asked, serverAgents, signal);
    for (const fault of answer.faults) faults.set(fault, (faults.get(fault) ?? 0) + 1);
    showFaults();
    return answer;
  };

  /** Runs an operation that asks agents, and shows its error. Does nothing while another one runs. */
  const busy = async (act: (signal: AbortSignal) => Promise<void>): Promise<void> => {
    if (asking !== null) return;
    asking = new AbortController();
    showText('trouble', '');
    page.showBusy();
    try {
      await act(asking.signal);
    } catch (error) {
      complain(error);
      say(table.words());
    } finally {
      asking = null;
      page.showBusy();
    }
  };

  /**
   * True if the game can continue without the humans: none of them has orders due, but at least one is not eliminated.
   */
  const needsNobody = (): boolean => {
    const { turn } = table.state;
    const isIn = (power: string): boolean => turn.units[power].length + turn.centers[power].length > 0;
    return (
      !isOver(turn) &&
      table.humans().length === 0 &&
      table.map.powerNames.some((power) => table.isHuman(power) && isIn(power))
    );
  };

  const playPhase = async (signal: AbortSignal, isFirst: boolean): Promise<void> => {
    await page.talk(signal);
    const given = table.given();
    const bots = table.map.powerNames.filter(
      (power) => table.hasOrders(power) && !table.isHuman(power) && given[power] === undefined,
    );
    const { turn } = table.state;
    if (bots.length > 0) say(`${bots.map(powerTitle).join(', ')}: thinking ...`);
    const answers = bots.length > 0 ? (await askFor(bots, signal)).orders : {};
    if (table.state.turn !== turn || signal.aborted) return;
    await page.showPlayed(playTurn(turn, { ...given, ...answers }, table.map, table.rules), isFirst);
  };

  const ready = (): Promise<void> =>
    busy(async (signal) => {
      page.unchoose();
      const one = table.player();
      if (one !== null) {
        const handed = { ...table.state.handed, [one]: [...(table.written.orders[one] ?? [])] };
        table.change({ handed, text: '' });
        if (table.player() !== null) return say(table.words());
      }
      await playPhase(signal, true);
      while (needsNobody() && !signal.aborted) await playPhase(signal, false);
      faultsAtEnd();
    });

  const faultsAtEnd = (): void => {
    const count = [...faults.values()].reduce((sum, n) => sum + n, 0);
    if (!isOver(table.state.turn) || count === 0) return;
    const what = count === 1 ? 'one error: it is' : `${count} errors: they are`;
    say(`${table.words()} Agents made ${what} listed below.`);
  };

  /** Asks the bots for orders of their powers that have none yet, and appends these orders to the text of orders. */
  const showBots = (): Promise<void> =>
    busy(async (signal) => {
      const { turn } = table.state;
      const isOpen = (power: string): boolean =>
        !table.isHuman(power) && (table.written.orders[power] ?? []).length === 0;
      const rest = table.map.powerNames.filter((power) => table.hasOrders(power) && isOpen(power));
      say('Agents are thinking ...');
      const { orders: answers } = await askFor(rest, signal);
      if (table.state.turn !== turn || signal.aborted) return;
      const lines = Object.entries(answers).flatMap(([power, list]) => list.map((order) => `${power} ${order}`));
      table.change({ text: [table.state.text.trim(), ...lines].filter((line) => line !== '').join('\n') });
      say('These orders of agents count now: change them, or play on.');
    });

  const askTalk: TalkAsker = async (round, signal) => {
    const { seats, turn, rounds } = table.state;
    const bots = table.map.powerNames.filter(
      (power) => serverAgents.includes(seats[power]) && turn.units[power].length > 0,
    );
    return (await askFor(bots, signal, { round, rounds })).said ?? {};
  };

  const stop = (): void => {
    asking?.abort();
    worker.stop('Stopped.');
  };
  return { busy, isBusy: () => asking !== null, ready, showBots, askTalk, stop };
};
