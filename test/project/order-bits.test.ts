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

/** The modules of a copy that play and tell. */
const modulesOf = async (root: string) => {
  const load = (file: string) => import(pathToFileURL(join(root, file)).href);
  return {
    engine: (await load('engine/internal.js')) as typeof import('../../engine/internal.js'),
    steps: (await load('engine/play/step.js')) as typeof import('../../engine/play/step.js'),
    movement: (await load(
      'engine/adjudicate/movement/index.js',
    )) as typeof import('../../engine/adjudicate/movement/index.js'),
    play: (await load('selfplay/games/play.js')) as typeof import('../../selfplay/games/play.js'),
    records: (await load('selfplay/games/game-record.js')) as typeof import('../../selfplay/games/game-record.js'),
    agents: (await load('selfplay/agents/registry.js')) as typeof import('../../selfplay/agents/registry.js'),
    text: (await load('engine/notation/text/index.js')) as typeof import('../../engine/notation/text/index.js'),
  };
};

type Modules = Awaited<ReturnType<typeof modulesOf>>;

/** A game of some agents, as text: every order with its result, and the last position. */
const textOfGame = async (modules: Modules, agents: string, rules: string): Promise<string[]> => {
  const { engine: e, play, records, text } = modules;
  const { phases } = await play.playGame({
    map: e.standard,
    rules: e.rulesByName(rules),
    seed: 5,
    index: 0,
    agents: modules.agents.parseAgents(agents, e.standard.powerCount),
    until: 1903,
  });
  const game = e.newGame(e.standard, e.DATC_3_2);
  const lines: string[] = [];
  for (const { phase, state, orders, results } of phases) {
    records.loadState(game, state);
    for (const [i, order] of orders.entries()) lines.push(`${phase} ${text.orderText(game, order)}: ${results[i]}`);
  }
  return [...lines, e.hashGame(game).join(' ')];
};

/** Sampled games, as text: every order of the moves with its success, and the last position. */
const sampleGames = (modules: Modules, sampler: number): string[] => {
  const { engine: e, movement, steps, text } = modules;
  const b = new steps.RandomGame();
  const { board, packedOrder } = movement;
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
        lines.push(`${i} ${text.orderText(game, order)}: ${e.orderType(order) === e.HOLD ? '' : board.success[p]}`);
      }
    b.finish(sampler);
    b.store(game, stream);
  }
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
    const [here, there] = [await modulesOf(built), await modulesOf(copy)];
    assert.is.not(here.engine.moveVia(40, 50), there.engine.moveVia(40, 50));
    for (const sampler of [UNIFORM, POLICY]) {
      const lines = sampleGames(here, sampler);
      assert.ok(lines.length > 500);
      assert.equal(sampleGames(there, sampler), lines);
    }
    for (const rules of ['datc-3.2', '1971', '2000', 'dptg'])
      assert.equal(await textOfGame(there, 'random', rules), await textOfGame(here, 'random', rules));
    const search = 'search:rollouts=30:candidates=30';
    const mixed = `${search},dumbbot,greedy,policy,random,dumbbot,${search}`;
    assert.equal(await textOfGame(there, mixed, 'datc-3.2'), await textOfGame(here, mixed, 'datc-3.2'));
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
});

bits.run();
