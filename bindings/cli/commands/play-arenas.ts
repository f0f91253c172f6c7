// Functions shared by commands that play arenas, on this machine or over a queue, with a progress bar.

import { runArena } from '../../../selfplay/arena/arena.js';
import type { KeptGames } from '../../../selfplay/arena/kept-games.js';
import type { QueueAddress } from '../../cluster/queue/address.js';
import { playArenaByQueue } from '../../cluster/queue/play-arena.js';
import { progressNote, type QueueReport, threadsOf } from '../../cluster/queue/queue-report.js';
import { type BotUses, type Report, reportMarkdown, reportRecord, reportText } from '../../reports/arena-report.js';
import { counted } from '../../reports/figures.js';
import { sayInterrupted } from '../../terminal/interrupt.js';
import { print, sayBeside } from '../../terminal/output.js';
import { interruptible } from '../../terminal/progress.js';

/** Settings for playing the games of an arena, a gauntlet or a gate, and for the output. */
export interface Conditions {
  readonly workers: number;
  readonly choiceMs: number;
  readonly kept: KeptGames | undefined;
  readonly address: QueueAddress | undefined;
  readonly store: string | undefined;
  readonly queueReport: QueueReport;
  readonly bots: BotUses;
  readonly json: boolean;
  readonly markdown: boolean;
  readonly quiet: boolean;
}

/**
 * Plays games with a progress bar, until the end or Ctrl-C. If games are missing then, prints how many were played.
 * @param total number of games
 * @param play plays the games until the signal is aborted, and calls onGame with the number of games played so far
 * @param isWhole true if the result is complete; default: `total` games were played
 */
export const playUnderBar = async <Result extends { readonly games: number }>(
  total: number,
  { kept, quiet, address, queueReport }: Conditions,
  play: (signal: AbortSignal, onGame: (played: number) => void) => Promise<Result>,
  isWhole = ({ games }: Result): boolean => games === total,
): Promise<Result> => {
  let done = 0;
  const note = (): string => (address === undefined ? '' : progressNote(queueReport.progress(), 'tasks'));
  const onGame = (played: number): void => {
    done = played;
  };
  const result = await interruptible(
    'waiting up to 5 s for the games that are being played',
    { total, unit: 'games', quiet, read: () => ({ done, note: note() }) },
    (signal) => play(signal, onGame),
  );
  if (!isWhole(result)) {
    const next = kept === undefined ? 'begins with the first again' : 'plays the others';
    sayInterrupted(`${result.games} of ${counted(total, 'game')} were played; the same command ${next}`);
  }
  return result;
};

/** Returns the function that plays an arena: on this machine, or over a queue. */
export const playerOf = ({ address, store, queueReport }: Conditions): typeof runArena =>
  address === undefined
    ? runArena
    : (spec, options) => playArenaByQueue(spec, { ...options, address, store, onEvent: queueReport.onEvent });

/** Returns the options with which gauntlets and gates play their arenas, on this machine or over a queue. */
export const arenasBy = (conditions: Conditions) => {
  const { workers, choiceMs, kept, address, bots } = conditions;
  const common = { workers, choiceMs, kept, onWarning: sayBeside, onBots: bots.add };
  return address === undefined ? common : { ...common, playArena: playerOf(conditions) };
};

/**
 * Prints a report as JSON, Markdown or text, with the elapsed time and the number of threads.
 * @param begin start time, from performance.now()
 */
export const printReport = (conditions: Conditions, begin: number, report: Report): void => {
  const { json, markdown, address, workers, queueReport } = conditions;
  const seconds = (performance.now() - begin) / 1000;
  const threads = address === undefined ? workers : threadsOf(queueReport.progress());
  print(
    json,
    () => reportRecord(report, threads, seconds),
    () => (markdown ? reportMarkdown(report) : reportText(report, seconds)),
  );
};
