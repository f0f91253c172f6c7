// Measures an agent in games in which it has all seats: its habits, the time of a choice and its memory. A separate
// script, so that the memory is that of this agent only.
import { recordedPhases } from '../../bindings/formats/games/phases.js';
import { MOVEMENT, standard } from '../../engine/internal.js';
import { formatPosition } from '../../engine/notation/json/position.js';
import { loadAgent } from '../../selfplay/agents/registry.js';
import { gameSeed } from '../../selfplay/games/game-record.js';
import { playGame } from '../../selfplay/games/play.js';
import { type Agent, type Answer, askOne } from '../../selfplay/question/agent.js';
import { seedOption, wholeIn } from '../../selfplay/question/option.js';
import { runMain } from '../run/child.js';
import { runProgram } from '../run/program.js';
import { median } from '../run/statistics.js';
import { Habits } from './habits.js';

/** Measurements of an agent that plays all powers. */
export interface AgentProfile {
  readonly habits: ReturnType<Habits['result']>;
  /** Number of choices in movement phases. */
  readonly choices: number;
  /** Median time of a choice in a movement phase, in milliseconds. */
  readonly ms: number;
  /** Maximum time of a choice in milliseconds. */
  readonly slowest: number;
  /** Maximum memory of the process in MB. Lepanto itself takes about 60 MB of it. */
  readonly memory: number;
}

/**
 * Returns an agent that plays like the given one, and appends the time of each answer in a movement phase to `times`,
 * in milliseconds. It asks one question at a time.
 */
const timed = (agent: Agent, times: number[]): Agent => ({
  ...agent,
  answer: async (questions) => {
    const answers: Answer[] = [];
    for (const question of questions) {
      const begin = performance.now();
      answers.push(await askOne(agent, question));
      if (question.game.phase === MOVEMENT) times.push(performance.now() - begin);
    }
    return answers;
  },
});

/**
 * Measures an agent in games in which it plays all powers.
 * @param name agent text
 * @param games number of games
 * @param until last year of the games
 */
export const profileAgent = async (name: string, games: number, until: number, seed: number): Promise<AgentProfile> => {
  const times: number[] = [];
  const habits = new Habits();
  const agent = timed(await loadAgent(name), times);
  for (let index = 0; index < games; index++) {
    const agents = standard.powerNames.map(() => agent);
    const record = await playGame({ agents, until, seed: gameSeed(seed, index), index });
    habits.add(
      Array.from(recordedPhases(record), ({ name: phase, game, orders }) => ({
        ...formatPosition(game),
        phase,
        orders,
      })),
    );
  }
  return {
    habits: habits.result(),
    choices: times.length,
    ms: median(times),
    slowest: Math.max(...times),
    memory: process.resourceUsage().maxRSS / 1024,
  };
};

const options = {
  games: { ...wholeIn(1, 1_000_000), default: 7, help: 'number of games' },
  until: { ...wholeIn(1901, 9999), default: 1908, help: 'last year of the games' },
  ...seedOption,
} as const;

const about = `
Measures an agent in games in which it plays all powers: bad habits, the time
of a choice in milliseconds, the memory of the process in MB. Prints JSON.
`;

await runMain(import.meta.url, (args) =>
  runProgram(args, { about, operand: 'AGENT', options }, async ({ games, until, seed }, agent) =>
    console.log(JSON.stringify(await profileAgent(agent, games, until, seed))),
  ),
);
