// Nothing but order.ts knows how an order is packed: a copy of the project whose order.ts packs otherwise plays the same.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { POLICY, UNIFORM } from '../../engine/play/step.js';

const built = fileURLToPath(new URL('../../', import.meta.url));

/** What is written otherwise in the copy: each constant of order.ts with its value here and there. */
const changes: readonly (readonly [string, number, number])[] = [
  // Other bits and codes for the types, all different.
  ['MOVE', 2, 8],
  ['MOVE_BIT', 1, 3],
  ['SUPPORT_HOLD', 4, 2],
  ['SUPPORT_MOVE', 5, 3],
  ['SUPPORT_BIT', 2, 1],
  ['CONVOY', 8, 4],
  ['CONVOY_BIT', 3, 2],
  ['RETREAT_TO', 3, 5],
  // The places in another order, wider apart.
  ['VIA_SHIFT', 4, 20],
  ['TARGET_SHIFT', 5, 12],
  ['HELPED_SHIFT', 13, 4],
  ['LOCATION_SHIFT', 21, 22],
];

const repack = (source: string): string =>
  changes.reduce((text, [name, here, there]) => {
    const parts = text.split(new RegExp(`(?<=^(?:export )?const ${name} = )${here}(?=;$)`, 'm'));
    assert.is(parts.length, 2, `order.ts says ${name} = ${here} once`);
    return parts.join(`${there}`);
  }, source);

const engineOf = (root: string): Promise<typeof import('../../engine/internal.js')> =>
  import(pathToFileURL(join(root, 'engine/internal.js')).href);
const boardOf = (root: string): Promise<typeof import('../../engine/play/step.js')> =>
  import(pathToFileURL(join(root, 'engine/play/step.js')).href);
const resolverOf = (root: string): Promise<typeof import('../../engine/adjudicate/movement/index.js')> =>
  import(pathToFileURL(join(root, 'engine/adjudicate/movement/index.js')).href);
const playOf = (root: string): Promise<typeof import('../../selfplay/games/play.js')> =>
  import(pathToFileURL(join(root, 'selfplay/games/play.js')).href);
const recordOf = (root: string): Promise<typeof import('../../selfplay/games/game-record.js')> =>
  import(pathToFileURL(join(root, 'selfplay/games/game-record.js')).href);
const agentsOf = (root: string): Promise<typeof import('../../selfplay/agents/registry.js')> =>
  import(pathToFileURL(join(root, 'selfplay/agents/registry.js')).href);
const textOf = (root: string): Promise<typeof import('../../bindings/notation/text/index.js')> =>
  import(pathToFileURL(join(root, 'bindings/notation/text/index.js')).href);

/** A game of some agents, as text: every order with its result, and the last position. */
const playGame = async (root: string, agents: string, rules: string): Promise<string[]> => {
  const e = await engineOf(root);
  const { parseAgents } = await agentsOf(root);
  const { play } = await playOf(root);
  const { loadState } = await recordOf(root);
  const { orderText } = await textOf(root);
  const { phases } = await play(e.standard, e.rulesByName(rules), 5, 0, {
    agents: parseAgents(agents, e.standard.powerCount),
    until: 1903,
  });
  const game = e.newGame(e.standard, e.DATC_3_2);
  const lines: string[] = [];
  for (const { phase, state, orders, results } of phases) {
    loadState(game, state);
    orders.forEach((order, i) => {
      lines.push(`${phase} ${orderText(game, order)}: ${results[i]}`);
    });
  }
  return [...lines, e.hashGame(game).join(' ')];
};

/** Sampled games, as text: every order of the moves with its success, and the last position. */
const sampleGames = async (root: string, sampler: number): Promise<string[]> => {
  const e = await engineOf(root);
  const b = await boardOf(root);
  const { board, packedOrder } = await resolverOf(root);
  const { orderText } = await textOf(root);
  const game = e.newGame(e.standard, e.DATC_3_2);
  const stream = Int32Array.of(11, 12);
  const lines: string[] = [];
  for (let i = 0; i < 60 && game.status === e.PLAYING; i++) {
    b.load(game, stream);
    b.begin(sampler);
    for (let p = 0; p < e.standard.provinceCount; p++)
      if (game.unitAt(p) !== e.NO_UNIT) {
        const order = packedOrder(board.order[p], game.unitLocation(p));
        assert.is(packedOrder(b.boardOrder(order), game.unitLocation(p)), order);
        lines.push(`${i} ${orderText(game, order)}: ${e.orderType(order) === e.HOLD ? '' : board.success[p]}`);
      }
    b.finish(sampler);
    b.store(game, stream);
  }
  b.release();
  return [...lines, e.hashGame(game).join(' ')];
};

const bits = suite('bits of an order');

bits('a copy that packs orders otherwise plays the same', async () => {
  const copy = mkdtempSync(join(built, 'other-bits-'));
  try {
    for (const folder of ['engine', 'selfplay', 'bindings'])
      cpSync(join(built, folder), join(copy, folder), { recursive: true });
    const file = join(copy, 'engine/rules/order.js');
    writeFileSync(file, repack(readFileSync(file, 'utf8')));
    const here = await engineOf(built);
    const there = await engineOf(copy);
    assert.is.not(here.moveVia(40, 50), there.moveVia(40, 50));
    for (const sampler of [UNIFORM, POLICY]) {
      const lines = await sampleGames(built, sampler);
      assert.ok(lines.length > 500);
      assert.equal(await sampleGames(copy, sampler), lines);
    }
    for (const rules of ['datc-3.2', '1971', '2000', 'dptg'])
      assert.equal(await playGame(copy, 'random', rules), await playGame(built, 'random', rules));
    const mixed =
      'search:rollouts=30:candidates=30,dumbbot,greedy,policy,random,dumbbot,search:rollouts=30:candidates=30';
    assert.equal(await playGame(copy, mixed, 'datc-3.2'), await playGame(built, mixed, 'datc-3.2'));
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
});

bits.run();
