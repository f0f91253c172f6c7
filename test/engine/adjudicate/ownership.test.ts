// Tests the one board of a thread: a loaded game keeps it until another one takes it, and then no step is played.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { adjudicate } from '../../../engine/adjudicate/calendar.js';
import { explain } from '../../../engine/adjudicate/explain.js';
import { standard } from '../../../engine/map/standard.js';
import { Batch } from '../../../engine/play/batch.js';
import { POLICY, RandomGame } from '../../../engine/play/step.js';
import { newGame } from '../../../engine/position/game.js';
import { DATC_3_2 } from '../../../engine/rules/options.js';
import { hold, move } from '../../../engine/rules/order.js';
import { Random } from '../../../engine/rules/random.js';
import { makeResults } from '../../../engine/rules/results.js';
import { beginSampled } from '../../../selfplay/games/sampled-steps.js';
import { sampledOrders } from '../../../selfplay/heuristics/sampled.js';
import { rollout } from '../../../selfplay/rollouts/rollout.js';
import { searchDefaults } from '../../../selfplay/search/options.js';
import { Playouts } from '../../../selfplay/search/playout.js';
import { saying } from '../../tools/errors.js';

const game = newGame(standard, DATC_3_2);
const stream = Int32Array.of(1, 2);
const none = new Int32Array(0);
const out = new Int32Array(100);
const onBoard = new RandomGame();

const [BUR, MUN, PAR] = ['BUR', 'MUN', 'PAR'].map((tag) => standard.locationTags.indexOf(tag));
/** Two armies bounce in Burgundy. */
const bounce = adjudicate(game.clone(), Int32Array.of(move(PAR, BUR), move(MUN, BUR)));

/** Calls that play on. */
const uses: Readonly<Record<string, () => unknown>> = {
  'playOpen()': () => onBoard.playOpen(POLICY),
  'step()': () => onBoard.step(POLICY),
  'stepToCenters()': () => onBoard.stepToCenters(POLICY),
  'begin()': () => onBoard.begin(POLICY),
  'finish()': () => onBoard.finish(POLICY),
  'snapshot()': () => onBoard.snapshot(),
  'store()': () => onBoard.store(game.clone(), stream.slice()),
  'boardOrder()': () => onBoard.boardOrder(hold(0)),
};

/** Calls that take the board. */
const takers: Readonly<Record<string, () => unknown>> = {
  'load()': () => new RandomGame().load(game),
  'adjudicate()': () => adjudicate(game.clone(), none, 0, makeResults()),
  'explain()': () => explain(standard, bounce, PAR),
  'Batch.step()': () => new Batch(standard, DATC_3_2, 1).step(none, Int32Array.of(0, 0)),
  'Batch.sampleStep()': () => new Batch(standard, DATC_3_2, 1).sampleStep(POLICY),
  'Batch.playout()': () => new Batch(standard, DATC_3_2, 1, { until: 1901 }).playout(POLICY),
  'rollout()': () => rollout(game, { horizon: 1, count: 1, seed: 1 }),
  'orders of the agent policy': () => sampledOrders(POLICY, game, 0, out, new Random(1)),
  'a game of a sampler': () => beginSampled(newGame(), 1),
  'a playout of the search': () => {
    const playouts = new Playouts(game, { ...searchDefaults, depth: 1 });
    playouts.play([playouts.prepare(none)], 1, 0, new Float64Array(7));
  },
};

const ownership = suite('the board has one owner');

for (const [taker, take] of Object.entries(takers))
  ownership(`${taker} takes it from the game that was loaded`, () => {
    for (const [name, use] of Object.entries(uses)) {
      onBoard.load(game, stream);
      take();
      assert.throws(
        use,
        (error: Error) => error.message === `${name}: got a board that another game has taken, wanted load() first`,
        `${name} after ${taker}`,
      );
    }
    onBoard.load(game, stream);
    onBoard.snapshot();
    take();
    assert.not.ok(onBoard.restore(stream));
  });

ownership('nothing is on the board before load()', () => {
  const fresh = new RandomGame();
  assert.throws(() => fresh.step(POLICY), saying('step(): got a board'));
  assert.not.ok(fresh.restore(stream));
});

ownership('without a take all of them play on, with the game that was loaded last', () => {
  const other = game.clone();
  other.year = 1950;
  for (const use of Object.values(uses)) {
    onBoard.load(game, stream);
    onBoard.load(other, stream);
    assert.not.throws(use);
    onBoard.store(game.clone(), stream.slice());
  }
  onBoard.load(game, stream);
  onBoard.load(other, stream);
  onBoard.step(POLICY);
  const played = game.clone();
  onBoard.store(played, stream.slice());
  assert.is(played.year, 1950);
});
ownership.run();
