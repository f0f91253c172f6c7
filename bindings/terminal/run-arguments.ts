// Writes the command line of a run.
import { unseenBots } from '../../selfplay/agents/agent-code.js';
import { GAMES_PER_SHARD, type RunSpec } from '../../selfplay/records/run-spec.js';
import { gamesPerShard, usualGames } from '../../selfplay/records/shard-size.js';
import { sayBeside } from './output.js';

/**
 * Warns on standard error about bots whose files cannot be found, because changes of such a bot are not noticed. Does
 * nothing if a version is given.
 */
export const warnOfUnseen = (agents: readonly string[], botVersion: string | undefined): void => {
  for (const bot of botVersion === undefined ? unseenBots(agents) : [])
    sayBeside(
      `${bot}: its files are not on this machine, so changes go unnoticed; name its version with --bot-version`,
    );
};

/** Returns the value of --agents: one name if all agents are equal, otherwise one per power, separated by commas. */
const joinAgents = (agents: readonly string[]): string =>
  agents.every((name) => name === agents[0]) ? agents[0] : agents.join(',');

/** True if a run has GAMES_PER_SHARD games per shard, and if that is also the default for its settings. */
const hasUsualShards = (spec: RunSpec): boolean =>
  [gamesPerShard(spec), usualGames(spec)].every((games) => games === GAMES_PER_SHARD);

/** Returns the arguments with which `lepanto selfplay` plays a run, without the directory. */
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
