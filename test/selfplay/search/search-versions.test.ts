// Tests that a former search chooses as it did: agents of now are measured against it.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { DATC_3_2, Game, hashSeed, hasOrders, Random, standard } from '../../../engine/internal.js';
import { UNBOUNDED } from '../../../selfplay/agents/agent.js';
import { parseAgent, parseAgents } from '../../../selfplay/agents/registry.js';
import { loadState, play } from '../../../selfplay/games/play.js';

const versions = suite('versions of the search');

/** Positions of a game that random, policy and dumbbot play, so that units are dislodged and removed too. */
const positions = async (): Promise<Game[]> => {
  const agents = parseAgents('dumbbot,policy,dumbbot,random,dumbbot,policy,dumbbot', standard.powerCount);
  const games: Game[] = [];
  for (const seed of [1, 2, 3, 4, 5, 6]) {
    const { phases } = await play(standard, DATC_3_2, seed, 0, { agents, until: 1909 });
    for (const { phase, state } of phases) {
      if (phase === 'COMPLETED') continue;
      const game = new Game(standard, DATC_3_2);
      loadState(game, state);
      games.push(game);
    }
  }
  return games;
};

/** Digest of what an agent orders, for one power in each position that has anything to order. */
const digest = async (text: string, games: readonly Game[]): Promise<[choices: number, digest: number]> => {
  const agent = parseAgent(text);
  const out = new Int32Array(standard.provinceCount);
  let sum = 0;
  let choices = 0;
  for (const [i, game] of games.entries()) {
    const power = Array.from({ length: standard.powerCount }, (_, k) => (i + k) % standard.powerCount).find((q) =>
      hasOrders(game, q),
    );
    if (power === undefined) continue;
    const count = await agent.choose(game, power, out, new Random(i, power), UNBOUNDED);
    for (const order of out.subarray(0, count)) sum = hashSeed(sum, order, i);
    choices++;
  }
  return [choices, sum];
};

versions('1 chooses as it did in November 2026, in all phases', async () => {
  const games = await positions();
  assert.equal(new Set(games.map(({ phase }) => phase)).size, 3);
  assert.equal(await digest('search:version=1:rollouts=120', games), [208, -1530413976]);
});

versions('so it does with other options', async () => {
  const games = (await positions()).filter((_, i) => i % 7 === 0);
  const options: Readonly<Record<string, [number, number]>> = {
    'rollouts=400:opponents=learning': [30, -9066517],
    'rollouts=100:method=halving:playout=policy': [30, 1284214178],
    'rollouts=100:method=best:value=sum_of_squares:depth=1': [30, 569266349],
  };
  for (const [text, wanted] of Object.entries(options))
    assert.equal(await digest(`search:version=1:${text}`, games), wanted, text);
});

versions.run();
