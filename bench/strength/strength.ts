// Measures the strength of the agents that ship with Lepanto, and writes the tables.
//
//   node dist/bench/strength/strength.js [OPTIONS]         measures; the same command resumes an interrupted run
//   node dist/bench/strength/strength.js --report FILE     writes the tables and the plot of a result again
//
// Elo is fitted to games of a population: each seat is drawn from all agents, and games end by chance. In addition,
// every agent plays in one seat against six of every other, in all seats (agent-profile.ts), and against an approximate
// best response (exploitability.ts).
import { existsSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { quietOption } from '../../bindings/terminal/options.js';
import { standard } from '../../engine/internal.js';
import { expandAgents } from '../../selfplay/agents/expand-agents.js';
import { playSeries } from '../../selfplay/arena/arena.js';
import type { ArenaGame } from '../../selfplay/arena/arena-game.js';
import { KeptGames } from '../../selfplay/arena/kept-games.js';
import { populationEnding } from '../../selfplay/arena/population.js';
import type { ArenaSpec } from '../../selfplay/arena/protocol.js';
import { workersOption } from '../../selfplay/crew/pool.js';
import { CHOICE_MS } from '../../selfplay/crew/watchdog.js';
import { seedOption, type ValuesOf, wholeIn } from '../../selfplay/question/option.js';
import { makeDirectories, writeWhole } from '../../selfplay/records/whole-file.js';
import { findCommit, lepantoVersion } from '../../selfplay/version.js';
import { runMain, runScript } from '../run/child.js';
import { runProgram, withCount } from '../run/program.js';
import type { AgentProfile } from './agent-profile.js';
import { type Exploitability, measureExploitability } from './exploitability.js';
import { readStrength, type StrengthResult, writeReport } from './report.js';

/** The agents that ship with Lepanto, with search at two budgets. */
const POPULATION = 'random,policy,guard,greedy,dumbbot,reply,net,search:rollouts=100,search:rollouts=400';
const POPULATION_HELP = `the population; a bot of your own is exec:COMMAND or a module (default: all agents that ship,
  search with 100 and with 400 rollouts)`;
const UNTIL = 1908;
const EXPLOITED_UNTIL = 1905;
const COUNT = wholeIn(1, 1_000_000);
const options = {
  agents: { takes: 'LIST', default: POPULATION, help: POPULATION_HELP },
  games: { ...COUNT, default: 1000, help: 'games of the population' },
  rounds: { ...COUNT, default: 1, help: 'games of each agent in every seat against six of each other agent' },
  alone: { ...COUNT, default: 7, help: 'games of each agent in all seats' },
  exploit: { ...COUNT, least: 0, default: 7, help: 'games of a best response against each; 0 for none' },
  out: { takes: 'DIR', default: 'runs/strength', help: 'directory for the games and the result' },
  report: {
    takes: 'FILE',
    help: 'result.json of an earlier run; only writes results.md, results.json and the plot of it',
  },
  ...seedOption,
  ...workersOption,
  ...quietOption,
} as const;

const about = `
Measures agents: a population, pairs, habits, the time of a choice, memory, and
what a best response gains. --out has result.json at the end. Repeat the command
to resume.
`;

const main = async (values: ValuesOf<typeof options>): Promise<void> => {
  if (values.report !== undefined) {
    writeReport(readStrength(values.report));
    return;
  }
  const { games, rounds, alone, exploit, seed, workers, quiet, out } = values;
  const agents = await expandAgents(values.agents.split(','), CHOICE_MS);
  const common = { map: 'standard', rules: 'datc-3.2', agents, scoring: 'sum_of_squares', seed } as const;
  const population: ArenaSpec = { ...common, protocol: 'population', games, ...populationEnding(standard) };
  const pairings = agents.length * (agents.length - 1);
  const paired: ArenaSpec = {
    ...common,
    ...{ protocol: 'round-robin', games: rounds * standard.powerCount * pairings, until: UNTIL },
  };
  makeDirectories(out);
  const begin = existsSync(join(out, 'arena')) ? null : performance.now();
  const kept = new KeptGames(join(out, 'arena'));
  const play = (spec: ArenaSpec): Promise<readonly ArenaGame[]> =>
    withCount({ unit: 'games', total: spec.games, quiet }, (onGame) =>
      playSeries({ workers, kept, onGame }, [spec], async (one) => (await one(spec)).games),
    );
  const played = await play(population);
  const seconds = begin === null ? null : (performance.now() - begin) / 1000;
  const ofPairs = await play(paired);
  const single: AgentProfile[] = await withCount({ unit: 'agents', total: agents.length, quiet }, async (onDone) => {
    const found: AgentProfile[] = [];
    for (const agent of agents) {
      const given = [agent, '--games', String(alone), '--until', String(UNTIL), '--seed', String(seed)];
      found.push(await runScript<AgentProfile>(new URL('./agent-profile.js', import.meta.url), given));
      onDone(found.length);
    }
    return found;
  });
  const exploited: Exploitability[] = await withCount(
    { unit: 'agents', total: agents.length, quiet },
    async (onDone) => {
      const found: Exploitability[] = [];
      for (const agent of exploit === 0 ? [] : agents) {
        const spec = { agent, games: exploit, until: EXPLOITED_UNTIL, seed, rollouts: 2400, samples: 4, deep: 0 };
        found.push(await measureExploitability(spec, workers));
        onDone(found.length);
      }
      return found;
    },
  );
  const result: StrengthResult = {
    lepanto: lepantoVersion,
    commit: findCommit(),
    machine: `${cpus()[0]?.model.trim() ?? 'unknown processor'}, Node ${process.versions.node}, ${workers} threads`,
    seconds,
    population: { spec: population, games: played },
    pairs: { spec: paired, games: ofPairs },
    profiles: single,
    exploited,
  };
  const file = join(out, 'result.json');
  writeWhole(file, `${JSON.stringify(result)}\n`);
  console.log(file);
};

await runMain(import.meta.url, (args) => runProgram(args, { about, options }, main));
