// Runs `lepanto compare`: finds the phases of recorded games in which two agents differ most.
import { basename, resolve } from 'node:path';
import { codeOfAgents } from '../../../selfplay/agents/agent-code.js';
import { watchAgents } from '../../../selfplay/agents/watch-agents.js';
import { callConcurrently } from '../../../selfplay/crew/concurrent-calls.js';
import { packMapAndRules } from '../../../selfplay/crew/map-and-rules.js';
import { makePool, workersOption } from '../../../selfplay/crew/pool.js';
import { seedOption, wholeIn } from '../../../selfplay/question/option.js';
import { describeTrouble, writeWhole } from '../../../selfplay/records/whole-file.js';
import { isDirectory } from '../../formats/games/read.js';
import { recordsOf, type Source, wholeRecord } from '../../formats/games/recorded-run.js';
import { shortAgent } from '../../reports/arena-report.js';
import { counted, percent } from '../../reports/figures.js';
import { makeTable, numbers, renderText } from '../../reports/table.js';
import { readAgents } from '../../terminal/agents.js';
import { formatCommand, INTERRUPTED, sayInterrupted } from '../../terminal/interrupt.js';
import * as Options from '../../terminal/options.js';
import { print, sayBeside } from '../../terminal/output.js';
import { interruptible } from '../../terminal/progress.js';
import { FaultReporter, openRecords } from '../../terminal/records.js';
import { onePath, UsageError } from '../../terminal/usage.js';
import {
  type CompareTask,
  type Comparison,
  fileOfComparisons,
  gamesIn,
  pageOf,
  readComparisons,
} from '../../web/compared-phases.js';
import { meanOf } from '../../web/orders/order-shares.js';
import type { ComparedPhase } from '../../web/page-data.js';

/** Maximum number of comparisons that are stored for a run, the latest first. */
const MOST_KEPT = 8;

export const options = {
  agents: { takes: 'A,B', help: `two agents, each ${Options.agentsHelp}` },
  samples: { ...wholeIn(1, 512), default: 8, help: 'number of answers of each agent in each position' },
  games: { ...wholeIn(1, 100_000), takes: 'K', default: 10, help: 'number of games, from the first' },
  limit: { ...wholeIn(0, 1_000_000), default: 20, help: 'number of listed phases' },
  ...seedOption,
  ...workersOption,
  ...Options.playerOptions,
  ...Options.jsonOption,
  ...Options.quietOption,
} as const;

export const help = `
usage: lepanto compare RUN --agents A,B [OPTIONS]

Finds the movement phases of recorded games in which two agents differ most.
Each agent answers --samples times for every power in every position. The
difference is the total variation between their orders for a unit, 0 % to 100 %,
as a mean over the units of all powers. Agents that mix orders also differ by
chance, less with more samples.

RUN    a directory of games-*.lep, or one such file

${Options.optionText(options)}

The results are stored in the directory of the run, in compare.json: the same
command continues after Ctrl-C or when the run has grown. The page of the run in
lepanto view lists the phases and shows both agents side by side. The result
does not depend on the number of workers.
`;

type Asked = Pick<Comparison, 'agents' | 'code' | 'samples' | 'seed'>;

const isSame = (a: Asked, b: Asked): boolean => {
  const key = ({ agents, code, samples, seed }: Asked): string => JSON.stringify([agents, code, samples, seed]);
  return key(a) === key(b);
};

/**
 * Stores a comparison in the directory of a run, as the first one in its file. Replaces the same comparison (isSame()),
 * and keeps at most MOST_KEPT comparisons. If the file cannot be written, prints the reason.
 */
const keep = (run: string, comparison: Comparison): void => {
  const others = readComparisons(run).filter((one) => !isSame(one, comparison));
  try {
    writeWhole(fileOfComparisons(run), JSON.stringify([comparison, ...others.slice(0, MOST_KEPT - 1)]));
  } catch (error) {
    sayBeside(`${fileOfComparisons(run)} is not written: ${describeTrouble(error)}`);
  }
};

/** A movement phase of a recorded game. */
type Recorded = Pick<ComparedPhase, 'game' | 'phase'> & Pick<CompareTask, 'state'>;

/**
 * Returns the movement phases of the first games in some records. Games that cannot be read are skipped.
 * @param most maximum number of games
 * @param faults gets the errors of skipped games
 */
const firstPhases = (source: Source, most: number, faults: FaultReporter): Recorded[] => {
  const phases: Recorded[] = [];
  let games = 0;
  for (const { where, game, error, missing } of recordsOf(source)) {
    if (games === most) break;
    if (game === null) {
      faults.report(`${where}: ${error}`, missing);
      continue;
    }
    games++;
    for (const { phase, state } of wholeRecord(source, game).phases)
      if (phase.endsWith('M')) phases.push({ game: game.index, phase, state });
  }
  faults.end();
  return phases;
};

const keyOf = ({ game, phase }: Omit<Recorded, 'state'>): string => `${game} ${phase}`;

const furthestFirst = (a: ComparedPhase, b: ComparedPhase): number =>
  b.distance - a.distance || a.game - b.game || (a.phase < b.phase ? -1 : 1);

const text = (path: string, { agents, samples, seed, phases }: Comparison, limit: number): string => {
  const drawOf = ({ game, phase }: ComparedPhase): string =>
    formatCommand(['draw', path, '--game', String(game), '--phase', phase]);
  const mean = percent(meanOf(phases.map(({ distance }) => distance)), 1);
  return renderText([
    `${counted(gamesIn(phases), 'game')}, ${counted(phases.length, 'phase')}, ${counted(samples, 'answer')} of each, seed ${seed}\n` +
      `${agents.map(shortAgent).join(' and ')} differ in ${mean} of their orders`,
    makeTable(phases.slice(0, limit), [
      numbers('differ', ({ distance }) => percent(distance, 1)),
      numbers('game', ({ game }) => game),
      numbers('phase', ({ phase }) => phase),
      numbers('most by', ({ power }) => power),
      numbers('board', drawOf),
    ]),
  ]);
};

export const run = async (args: string[]): Promise<number> => {
  const { values, positionals } = Options.readArguments(args, options);
  const path = onePath('compare', positionals, 'one run');
  const { samples, seed, limit, workers, 'choice-ms': choiceMs } = values;
  if (values.agents === undefined) throw new UsageError('--agents: got nothing, wanted two: A,B');
  const [first, second, ...more] = await readAgents('agents', values.agents.split(','), choiceMs);
  if (second === undefined || more.length > 0)
    throw new UsageError(`--agents: got "${values.agents}", wanted two: A,B`);
  const agents = [first, second] as const;
  const asked: Asked = { agents, code: codeOfAgents(agents, values['bot-version']), samples, seed };
  const source = openRecords(path, undefined, undefined);
  const faults = new FaultReporter();
  const wanted = firstPhases(source, values.games, faults);
  const isKept = isDirectory(path) && source.manifest !== null;
  const known = isKept ? readComparisons(path).find((one) => isSame(one, asked)) : undefined;
  const done = new Map(known?.phases.map((one) => [keyOf(one), one]));
  const missing = wanted.filter((one) => !done.has(keyOf(one)));
  const pool = makePool({ workers: Math.max(1, Math.min(workers, missing.length)), choiceMs });
  const watch = watchAgents(agents, { choiceMs, onWarning: sayBeside });
  const module = new URL('../../web/compared-phases.js', import.meta.url).href;
  const mapAndRules = packMapAndRules(source.map, source.rules.adjudication);
  let compared = 0;
  const compareOne = async (place: number): Promise<void> => {
    const { game, phase, state } = missing[place];
    const data: CompareTask = { mapAndRules, game, state, agents, samples, seed };
    const label = `${phase} of game ${game}`;
    const call = { module, name: 'comparePhase', data };
    const found: ComparedPhase = await pool.call(call, { label, ...(watch && { watch }) });
    done.set(keyOf(found), found);
    compared++;
  };
  const bar = {
    total: missing.length,
    unit: 'phases',
    quiet: values.quiet,
    read: () => ({ done: compared, note: '' }),
  };
  try {
    await interruptible('waiting for the phases that are being compared', bar, (signal) =>
      callConcurrently(missing.length, 2 * pool.workers, compareOne, signal),
    );
  } finally {
    await pool.close();
    watch?.sumUp();
    if (isKept && compared > 0) keep(path, { ...asked, phases: [...done.values()].sort(furthestFirst) });
  }
  const phases = wanted.flatMap((one) => done.get(keyOf(one)) ?? []).sort(furthestFirst);
  const result = { ...asked, phases };
  const shown = phases.slice(0, limit).map((one) => ({ ...one, page: pageOf(basename(resolve(path)), result, one) }));
  print(
    values.json,
    () => ({ ...asked, games: gamesIn(phases), compared: phases.length, phases: shown }),
    () => text(path, result, limit),
  );
  if (compared < missing.length) {
    sayInterrupted(`${compared} of ${counted(missing.length, 'phase')}; the same command compares the others`);
    return INTERRUPTED;
  }
  return faults.count === 0 ? 0 : 1;
};
