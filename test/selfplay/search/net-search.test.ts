// Tests the search with a net: the same answer for any number of workers, candidates and a type of opponents from its
// draws, and values that it corrects.
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  adjudicate,
  DATC_3_2,
  Game,
  loadMap,
  makeResults,
  newGame,
  Random,
  standard,
} from '../../../engine/internal.js';
import { type Past, UNBOUNDED } from '../../../selfplay/agents/agent.js';
import { formatAgent, parseAgent } from '../../../selfplay/agents/registry.js';
import { checkOrders } from '../../../selfplay/games/check-orders.js';
import { play } from '../../../selfplay/games/play.js';
import type { Evaluator } from '../../../selfplay/nets/evaluator.js';
import { makeNet, readWeights } from '../../../selfplay/nets/weights.js';
import { appraise, LOOKS_IN_EVALUATION } from '../../../selfplay/search/appraise.js';
import { believe } from '../../../selfplay/search/belief.js';
import { findAllCandidates } from '../../../selfplay/search/candidates.js';
import { crewOf } from '../../../selfplay/search/crew.js';
import type { Problem } from '../../../selfplay/search/match.js';
import { makeControl, type SearchRequest, searchMoves } from '../../../selfplay/search/monte-carlo.js';
import { drawFromView, netOf, rememberPast, viewOf } from '../../../selfplay/search/net-views.js';
import { QUICK, typeNames } from '../../../selfplay/search/prediction.js';
import { makePool } from '../../../selfplay/workers/pool.js';

const fileOf = (map: string): string =>
  fileURLToPath(new URL(`../../../../test/data/net/${map}.safetensors`, import.meta.url));
const weights = readWeights(fileOf('standard'));
const start = (): Game => newGame(standard, DATC_3_2);

const learned = {
  powers: [2],
  rollouts: 300,
  seed: 7,
  net: weights,
  value: 'learned',
} as const satisfies SearchRequest;

const search = suite('search with a net');

search('gives the same answer with any number of workers', async () => {
  for (const request of [learned, { ...learned, powers: [0, 1, 2], prior: 'none' as const }]) {
    const here = await searchMoves(start(), request);
    const pool = makePool({ workers: 2 });
    try {
      const there = await searchMoves(start(), request, crewOf(pool));
      assert.equal(there.powers, here.powers);
      assert.is(there.rollouts, here.rollouts);
    } finally {
      await pool.close();
    }
  }
});

search('counts evaluations as looks, so that the budget is kept', async () => {
  const { rollouts } = await searchMoves(start(), { ...learned, rollouts: 1000 });
  assert.ok(rollouts <= 12_000 * 1.05, `got ${rollouts} looks`);
  assert.ok(rollouts > 12_000 * 0.9, `got ${rollouts} looks`);
});

search('gives legal orders on other maps, and refuses the weights of another one', async () => {
  const map = loadMap('ancmed');
  const game = newGame(map, DATC_3_2);
  const request = { ...learned, rollouts: 60, net: readWeights(fileOf('ancmed')) };
  const { powers } = await searchMoves(game, request);
  assert.ok(powers[2].ranked.length > 0);
  for (const { orders } of powers[2].ranked) assert.is(checkOrders(game, 2, orders), null);
  const wrong = await searchMoves(game, { ...request, net: weights }).catch((error: Error) => error);
  assert.instance(wrong, RangeError);
  assert.match((wrong as Error).message, 'wanted [34, 16] on this map');
});

search('tries what the net would order', async () => {
  const game = start();
  const views = await viewOf(netOf(standard, weights), game);
  const best = views.map((view) => drawFromView(view, 1e-3, 1, new Random(1)).join());
  for (const prior of ['candidates', 'none'] as const) {
    const { powers } = await searchMoves(game, { ...learned, rollouts: 30, powers: [0, 1, 2, 3, 4, 5, 6], prior });
    const found = powers.filter(({ ranked, power }) => ranked.some(({ orders }) => orders.join() === best[power]));
    if (prior === 'candidates') assert.is(found.length, 7);
    else assert.ok(found.length < 7, 'the net of the test orders what all try');
  }
});

/** A game of one agent in all seats, as its past at the end. */
const pastOf = async (agent: string): Promise<Past> => {
  const agents = standard.powerNames.map(() => parseAgent(agent));
  const { phases } = await play(standard, DATC_3_2, 5, 0, { agents, until: 1902 });
  return { game: agent, phases: phases.slice(0, -1) };
};

search('learns from the orders seen who plays like the net', async () => {
  const net = netOf(standard, weights);
  const meanOf = async (agent: string): Promise<number> => {
    const past = await pastOf(agent);
    const memory = await rememberPast(net, weights.hash, start(), past.phases, () => false);
    const beliefs = believe(start(), past, QUICK, Number.POSITIVE_INFINITY, memory);
    for (const list of beliefs) {
      assert.is(list.length, typeNames.length + 1);
      assert.ok(Math.abs(list.reduce((sum, x) => sum + x, 0) - 1) < 1e-9);
    }
    return beliefs.reduce((sum, list) => sum + list[typeNames.length], 0) / beliefs.length;
  };
  const ofNet = await meanOf(`net:file=${fileOf('standard')}`);
  const ofGuard = await meanOf('guard');
  assert.ok(ofNet > 0.4, `got ${ofNet} of seats with the net`);
  assert.ok(ofGuard < 0.1, `got ${ofGuard} of seats with guard`);
});

/** Candidates of all powers at the start, as looks compare them. */
const problem = (): Problem => {
  const game = start();
  const candidates = findAllCandidates(game, 1, () => 30);
  return { game, candidates, options: { depth: 1, playout: 'dumbbot', value: 'prospects' }, seed: 3 };
};

const limit = (evaluations: number) => ({
  rollouts: evaluations * LOOKS_IN_EVALUATION,
  deadline: Number.POSITIVE_INFINITY,
  control: makeControl(),
});

search('values positions together as it does one by one', async () => {
  const among = [0, 3, 5, 6, 9];
  const [alone, together] = await Promise.all(
    [1, 64].map((room) => appraise(makeNet(standard, weights, room), problem(), 2, among, 0, limit(100))),
  );
  assert.equal(together, alone);
  assert.equal(
    [...together.count].flatMap((count, c) => (count > 0 ? [[c, count]] : [])),
    among.map((c) => [c, 20]),
  );
});

search('adds what the net sees after the moves, and takes off what looks see', async () => {
  // A net for which only a unit in a province that no other power reaches counts.
  const gascony = standard.provinceNames.indexOf('Gascony');
  const values = new Float32Array(64 * 7);
  const net: Evaluator = {
    map: standard,
    room: 64,
    values,
    evaluate: async (games) => {
      await new Promise((resolve) => setTimeout(resolve, 1));
      for (const [i, game] of games.entries()) values.fill(game.unitAt(gascony) > 0 ? 0.75 : 0.25, i * 7, i * 7 + 7);
    },
    scoreOrders: () => {},
  };
  const given = problem();
  const { sets } = given.candidates[2];
  const among = [...sets.keys()];
  const sums = await appraise(net, given, 2, among, 0, limit(10 * among.length));
  const nothing = await appraise(
    { ...net, evaluate: () => void values.fill(0) },
    given,
    2,
    among,
    0,
    limit(10 * among.length),
  );
  const game = start();
  const results = makeResults();
  let stays = 0;
  for (const c of among) {
    game.copyFrom(start());
    adjudicate(game, sets[c], sets[c].length, results);
    const isThere = game.unitAt(gascony) > 0;
    stays += isThere ? 1 : 0;
    const added = (sums.sum[c] - nothing.sum[c]) / sums.count[c];
    assert.ok(Math.abs(added - (isThere ? 0.75 : 0.25)) < 1e-6, `set ${c}: got ${added}`);
  }
  assert.ok(stays > 0 && stays < among.length);
});

search('refuses options that do not go together', async () => {
  for (const [text, wrong] of [
    ['search:value=learned', /option value: got learned without a net, wanted net=FILE/],
    ['search:net=default:version=1', /option net: got a net for version 1, wanted version=2/],
    ['search:net=default:value=learned:depth=3', /option depth: got 3 with value=learned, wanted depth=0/],
    ['search:net=default:value=learned:playout=policy', /option playout: got policy with value=learned/],
    ['search:hash=abc', /option hash: got "abc" without a net/],
    ['search:net=default:hash=abc', /option net: .*got weights with hash [0-9a-f]{12}, wanted abc/],
    ['search:net=nothing.safetensors', /option net: nothing.safetensors: ENOENT/],
    [`search:net=${fileURLToPath(import.meta.url)}`, /option net: .*wanted a safetensors file/],
    ['search:net=default:trust=2', /option trust: got "2", wanted a number from 0 to 1/],
    ['search:net=default:prior=x', /option prior: got "x", wanted one of both, candidates, opponents, none/],
  ] as const)
    assert.throws(() => parseAgent(text), wrong);
  assert.match(formatAgent(parseAgent(`search:net=${fileOf('standard')}`)), `:hash=${weights.hash}:`);
  assert.not.match(formatAgent(parseAgent('search')), /net=|hash=|prior=|trust=/);
  const asked = await searchMoves(start(), { ...learned, net: undefined }).catch((error: Error) => error);
  assert.match((asked as Error).message, 'got the value learned without a net, wanted a net, or another value');
});

search('plays a game as an agent', async () => {
  const agent = parseAgent(`search:rollouts=40:net=${fileOf('standard')}:value=learned`);
  const past = await pastOf('dumbbot');
  const out = new Int32Array(standard.provinceCount);
  const game = new Game(standard, DATC_3_2);
  for (const [i, { state }] of past.phases.entries()) {
    game.bytes.set(state, game.offset);
    const told = { ...past, phases: past.phases.slice(0, i) };
    const count = await agent.choose(game, i % 7, out, new Random(i), UNBOUNDED, told);
    assert.is(checkOrders(game, i % 7, out.slice(0, count)), null);
  }
});

search.run();
