// Writes the command of a run from what it plays.
import { GAMES_PER_SHARD, gamesPerShard, type RunSpec, usualGames } from '../../../selfplay/records/run-spec.js';

/** All equal agents as one name, else one by power. */
const joinAgents = (agents: readonly string[]): string =>
  agents.every((name) => name === agents[0]) ? agents[0] : agents.join(',');

/** True where the size of the shards need not be stated. */
const hasUsualShards = (spec: RunSpec): boolean =>
  [gamesPerShard(spec), usualGames(spec)].every((games) => games === GAMES_PER_SHARD);

/** Arguments of the command that plays a run, without the directory. */
export const runArguments = (spec: RunSpec): string[] => {
  const { map, rules, agents, games, until, stalemate = 0, chance = 0, seed } = spec;
  const values = {
    ...{ map, rules, agents: joinAgents(agents), games, until },
    ...(stalemate > 0 && { stalemate }),
    ...(chance > 0 && { chance }),
    seed,
    ...(!hasUsualShards(spec) && { 'shard-games': gamesPerShard(spec) }),
  };
  const args = Object.entries(values).flatMap(([name, value]) => [`--${name}`, String(value)]);
  return spec.targets === true ? [...args, '--targets'] : args;
};
