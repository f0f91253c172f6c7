// Writes the command of a run from what it plays.
import { unseenBots } from '../../selfplay/agents/agent-code.js';
import { GAMES_PER_SHARD, type RunSpec } from '../../selfplay/records/run-spec.js';
import { gamesPerShard, usualGames } from '../../selfplay/records/shard-size.js';
import { sayBeside } from './output.js';

/** Says of which bots no file can be seen, so that nobody could tell that one was edited. */
export const warnOfUnseen = (agents: readonly string[], botVersion: string | undefined): void => {
  for (const bot of botVersion === undefined ? unseenBots(agents) : [])
    sayBeside(`${bot}: no file of it can be seen here, so an edit goes unnoticed; name its version with --bot-version`);
};

/** All equal agents as one name, else one by power. */
const joinAgents = (agents: readonly string[]): string =>
  agents.every((name) => name === agents[0]) ? agents[0] : agents.join(',');

/** True where the size of the shards need not be stated. */
const hasUsualShards = (spec: RunSpec): boolean =>
  [gamesPerShard(spec), usualGames(spec)].every((games) => games === GAMES_PER_SHARD);

/** Arguments of the command that plays a run, without the directory. */
export const runArguments = (spec: RunSpec): string[] => {
  const { map, rules, agents, games, until, stalemate = 0, chance = 0, rounds = 0, seed } = spec;
  const values = {
    ...{ map, rules, agents: joinAgents(agents), games, until },
    ...(stalemate > 0 && { stalemate }),
    ...(chance > 0 && { chance }),
    ...(rounds > 0 && { rounds }),
    seed,
    ...(spec.botVersion !== undefined && { 'bot-version': spec.botVersion }),
    ...(!hasUsualShards(spec) && { 'shard-games': gamesPerShard(spec) }),
  };
  const args = Object.entries(values).flatMap(([name, value]) => [`--${name}`, String(value)]);
  return spec.targets === true ? [...args, '--targets'] : args;
};
