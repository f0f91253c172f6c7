// What a net is worth to the search: measurements, not tests.
//
//   node dist/test/tools/net-search.js NET [GAMES [SEED [ROLLOUTS [FAMILIES [VARIANTS]]]]]
//
// One seat against six of each family, to 1908: the search without a net, and with the net in several ways, in the same
// seats with the same seeds. All have equal processor time: before the games each is timed in the same positions, and
// has as many rollouts as take the time of the search without a net. Prints a line of JSON for each family and variant,
// with what the variant gains over the search without a net game by game, and at the end one for all families.
import { compileMap, DATC_3_2, Game, hasOrders, MOVEMENT, Random, standard } from '../../engine/internal.js';
import { UNBOUNDED } from '../../selfplay/agents/agent.js';
import { formatAgent, parseAgent, parseAgents } from '../../selfplay/agents/registry.js';
import { runArena } from '../../selfplay/arena/arena.js';
import { fieldFamilies } from '../../selfplay/arena/field.js';
import { comparePairs } from '../../selfplay/arena/gate.js';
import type { ArenaSpec } from '../../selfplay/arena/protocol.js';
import { play } from '../../selfplay/games/play.js';
import { scoresOf } from '../../selfplay/games/scores.js';

const [net = 'default', gamesText = '28', seedText = '1', rolloutsText = '600', families, chosen] =
  process.argv.slice(2);
const games = Number(gamesText);
const seed = Number(seedText);
const rollouts = Number(rolloutsText);

const known: Readonly<Record<string, string>> = {
  candidates: 'prior=candidates',
  opponents: 'prior=opponents',
  both: 'prior=both',
  value: 'prior=none:value=learned',
  all: 'prior=both:value=learned',
};

/** Of a name, or of options as they stand. */
const optionsOf = (name: string): string => (name === 'none' ? '' : `:net=${net}:${known[name] ?? name}`);
const textOf = (name: string, count: number): string => `search:rollouts=${count}${optionsOf(name)}`;

const TIMED_ROUNDS = 3;

/** Processor milliseconds of a choice by each variant, in positions of a game of several players. */
const timeChoices = async (names: readonly string[]): Promise<Map<string, number>> => {
  const agents = parseAgents('dumbbot,guard,reply,greedy,dumbbot,policy,dumbbot', standard.powerCount);
  const { phases } = await play(standard, DATC_3_2, seed, 0, { agents, until: 1906 });
  const sums = new Map(names.map((name) => [name, Number.POSITIVE_INFINITY]));
  const out = new Int32Array(standard.provinceCount);
  // The first round warms up; then the least of each counts.
  for (let round = 0; round <= TIMED_ROUNDS; round++)
    for (const name of names) {
      // A map of its own: nothing is remembered of what another variant has found out.
      const map = compileMap(standard.rows);
      const agent = parseAgent(textOf(name, rollouts));
      const begin = process.cpuUsage();
      let choices = 0;
      for (const [i, { state, phase }] of phases.entries()) {
        const game = new Game(map, DATC_3_2);
        game.bytes.set(state, game.offset);
        const power = i % map.powerCount;
        if (phase === 'COMPLETED' || game.phase !== MOVEMENT || !hasOrders(game, power)) continue;
        const past = { game: `${seed}`, phases: phases.slice(0, i) };
        await agent.choose(game, power, out, new Random(i, power), UNBOUNDED, past);
        choices++;
      }
      const { user, system } = process.cpuUsage(begin);
      const each = (user + system) / 1000 / choices;
      if (round > 0) sums.set(name, Math.min(sums.get(name) ?? each, each));
    }
  return sums;
};

/** Scores of the first agent game by game, one seat against six. */
const scoresAgainst = async (agent: string, family: string): Promise<number[]> => {
  const spec: ArenaSpec = {
    map: 'standard',
    rules: 'datc-3.2',
    protocol: '1v6',
    scoring: 'sum_of_squares',
    agents: [agent, formatAgent(parseAgent(family))],
    games,
    until: 1908,
    seed,
  };
  const { games: played } = await runArena(spec, { workers: 1 });
  return played.map(({ seats, centers, winner }) => scoresOf(centers, winner).sum_of_squares[seats.indexOf(0)]);
};

const say = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);
const rounded = (record: object): object =>
  Object.fromEntries(Object.entries(record).map(([key, x]) => [key, Math.round(Number(x) * 1e4) / 1e4]));

const variants = (chosen ?? Object.keys(known).join()).split(',');
const times = await timeChoices(['none', ...variants]);
const base = times.get('none') ?? 1;
const texts = new Map([...times].map(([name, each]) => [name, textOf(name, Math.round((rollouts * base) / each))]));
say({ net, games, seed, milliseconds: rounded(Object.fromEntries(times)), agents: Object.fromEntries(texts) });
const all = new Map([...texts.keys()].map((name) => [name, [] as number[]]));
for (const family of (families ?? fieldFamilies.join()).split(','))
  for (const [name, text] of texts) {
    const scores = await scoresAgainst(formatAgent(parseAgent(text)), family);
    all.get(name)?.push(...scores);
    const without = all.get('none')?.slice(-games) ?? [];
    say({ family, variant: name, ...rounded(comparePairs(scores, without)) });
  }
for (const [name, scores] of all) say({ variant: name, ...rounded(comparePairs(scores, all.get('none') ?? [])) });
