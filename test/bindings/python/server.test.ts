// Tests the games of the batch server in one thread and without a client: random steps, observations, endings.
import { createHash } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { answerControl } from '../../../bindings/python/server/control.js';
import { board } from '../../../engine/adjudicate/movement/index.js';
import * as E from '../../../engine/internal.js';
import { POLICY, played, type Sampler, UNIFORM } from '../../../engine/play/step.js';
import { LONG_GAME } from '../../../selfplay/games/ending.js';
import { openShare as open, type Share } from '../../tools/batch-kit.js';

/** Plays random steps in all games. */
const playRandom = (batch: Share, count: number, sampler: Sampler): void =>
  batch.eachChunk((first, end) => batch.core.perform('random', first, end, count, sampler));

const digest = ({ memory }: Share, names: readonly string[]): string[] =>
  names.map((name) => `${name} ${createHash('sha1').update(memory.bytes(name)).digest('hex')}`);

// ---- random steps ----

const steps = suite('random steps');
const SEEN = ['state', 'streams', 'episode_seed', 'steps', 'terminated', 'truncated', 'final_scores', 'final_state'];

for (const observations of ['none', 'dipnet', 'deepmind'])
  for (const sampler of [UNIFORM, POLICY])
    steps(`many in one call are many calls of one: ${observations}, sampler ${sampler}`, async () => {
      const options = { games: 40, until: 1906, observations };
      const [once, often] = [await open(options), await open(options)];
      const names = [...SEEN, ...(observations === 'none' ? [] : ['observation', 'final_observation'])];
      if (observations === 'dipnet') names.push('previous_orders');
      if (observations === 'deepmind') names.push('last_actions', 'last_action_count', 'deepmind_builds');
      for (const count of [3, 1, 13, 20]) {
        playRandom(once, count, sampler);
        for (let i = 0; i < count; i++) playRandom(often, 1, sampler);
        assert.equal(digest(once, names), digest(often, names));
      }
      assert.ok(new Set(once.memory.int32('steps')).size > 0);
    });

steps('a game whose last winter is open ends before another step', async () => {
  const batch = await open({ until: 1901, reset_mode: 'disabled' });
  batch.core.perform('random', 0, 1, 2, UNIFORM);
  assert.is(batch.memory.int32('steps')[0], 2);
  assert.is(batch.game(0).status, E.DRAW);
  const winter = await open({ until: 1901, reset_mode: 'disabled' });
  const game = winter.game(0);
  game.season = 2;
  game.phase = E.ADJUSTMENT;
  game.removeUnit(0);
  winter.core.perform('random', 0, 1, 3, UNIFORM);
  assert.is(winter.memory.int32('steps')[0], 0);
  assert.is(winter.memory.bytes('terminated')[0], 1);
});

steps.run();

// ---- what is written beside them ----

const beside = suite('what is written beside random steps');

const packed = (game: E.Game, province: number): E.Order => {
  const at = game.unitLocation(province);
  const order = board.order[province];
  const to = (E.orderNextKey(order) - 1) % game.map.locationCount;
  switch (E.orderType(order)) {
    case E.HOLD:
      return E.hold(at);
    case E.MOVE:
      return E.orderVia(order) === 1 ? E.moveVia(at, to) : E.move(at, to);
    case E.SUPPORT_HOLD:
      return E.supportHold(at, E.targetProvince(order));
    case E.CONVOY:
      return E.convoy(at, E.orderHelped(order), E.targetProvince(order));
    default:
      return E.supportMove(at, E.orderHelped(order), E.orderTarget(order));
  }
};

/** Gives orders as actions to the slots of their units, or one after the other in an adjustment phase. */
const give = ({ memory, setup, game }: Share, orders: readonly E.Order[]): void => {
  const { indexOf } = E.vocabulary(setup.map);
  const actions = memory.int32('actions').fill(-1);
  const orderable = memory.int16('orderable');
  const next = new Int32Array(setup.map.powerCount);
  for (const order of orders) {
    const power = E.ordererOf(game(0), order);
    const first = power * setup.layout.maxOrders;
    let slot = next[power]++;
    if (game(0).phase !== E.ADJUSTMENT)
      slot = orderable.subarray(first, first + setup.layout.maxOrders).indexOf(E.orderLocation(order));
    actions[first + slot] = indexOf(order);
  }
};

const playGiven = (batch: Share, orders: readonly E.Order[]): void => {
  give(batch, orders);
  batch.core.perform('decode', 0, 1);
  batch.core.perform('apply', 0, 1);
};

/** Plays a random step in one batch, and the same orders phase by phase in the other. */
const playBoth = (random: Share, given: Share, sampler: number): number => {
  random.core.perform('random', 0, 1, 1, sampler);
  const game = given.game(0);
  const moves: E.Order[] = [];
  for (let p = 0; p < game.map.provinceCount; p++) if (game.unitAt(p) !== E.NO_UNIT) moves.push(packed(game, p));
  const { retreats, adjustments, counts, open: choices } = played;
  const retreating = [...retreats.subarray(0, counts[0])].filter((_, i) => choices[i] > 0);
  const adjusting = [...adjustments.subarray(0, counts[1])];
  let last = E.MOVEMENT;
  playGiven(given, moves);
  if (game.phase === E.RETREAT) {
    playGiven(given, retreating);
    last = E.RETREAT;
  }
  if (game.phase === E.ADJUSTMENT && game.status === E.PLAYING) {
    playGiven(given, adjusting);
    last = E.ADJUSTMENT;
  }
  return last;
};

const lastActions = ({ memory }: Share): number[] => [
  ...memory.int32('last_actions').subarray(0, 2 * memory.int32('last_action_count')[0]),
];

for (const observations of ['dipnet', 'deepmind'])
  beside(`is what steps by the same orders write: ${observations}`, async () => {
    const options = { observations, reset_mode: 'disabled' };
    const [random, given] = [await open(options), await open(options)];
    const phases = new Set<number>();
    for (let g = 0; g < 6; g++) {
      for (const batch of [random, given]) {
        batch.memory.int32('seeds')[0] = g;
        batch.core.perform('reset', 0, 1);
        batch.core.perform('describe', 0, 1);
      }
      for (let k = 0; k < 30 && random.game(0).status === E.PLAYING; k++) {
        phases.add(playBoth(random, given, g % 2 === 0 ? UNIFORM : POLICY));
        assert.equal(digest(random, ['state', 'observation']), digest(given, ['state', 'observation']));
        if (observations === 'dipnet')
          assert.equal(digest(random, ['previous_orders']), digest(given, ['previous_orders']));
        else {
          assert.ok(lastActions(random).length > 0);
          assert.equal(lastActions(random), lastActions(given));
          assert.equal(digest(random, ['deepmind_builds']), digest(given, ['deepmind_builds']));
        }
      }
    }
    assert.equal([...phases].sort(), [E.MOVEMENT, E.RETREAT, E.ADJUSTMENT]);
  });

beside('ids of legal lists are those of the vocabulary', async () => {
  const batch = await open({ games: 30, actions: 'index' });
  const { orders, indexOf } = E.vocabulary(batch.setup.map);
  const out = new Int32Array(1 << 17);
  const offsets = new Int32Array(batch.setup.map.provinceCount + 1);
  let seen = 0;
  for (let k = 0; k < 12; k++) {
    playRandom(batch, 1, UNIFORM);
    batch.eachChunk((first, end) => batch.core.perform('describe', first, end));
    const starts = batch.memory.int32('legal_offsets');
    const ids = batch.memory.int32('legal_ids');
    const perGame = starts.length / 30;
    for (let row = 0; row < 30; row++) {
      const count = E.allLegalOrders(batch.game(row), out, offsets);
      const listed = ids.subarray(starts[row * perGame], starts[(row + 1) * perGame - 1]);
      const wanted = [...out.subarray(0, offsets[count])];
      assert.equal(Array.from(listed, (id) => orders[id]).toSorted(), wanted.toSorted());
      assert.ok(wanted.every((order) => orders[indexOf(order)] === order));
      seen += wanted.length;
    }
  }
  assert.ok(seen > 50_000, `${seen} orders`);
});

for (const lists of [true, false])
  beside(`masks are those of the engine, ${lists ? 'with' : 'without'} lists`, async () => {
    const batch = await open({ games: 30, masks: true, lists });
    const words = E.vocabulary(batch.setup.map);
    const wanted = new Uint8Array(words.size);
    for (let k = 0; k < 12; k++) {
      playRandom(batch, 1, UNIFORM);
      batch.eachChunk((first, end) => batch.core.perform('describe', first, end));
      const masks = batch.memory.bytes('legal_mask');
      for (let row = 0; row < 30; row++) {
        E.legalMask(batch.game(row), words, wanted);
        assert.equal(masks.subarray(row * words.size, (row + 1) * words.size), wanted);
      }
    }
  });

beside.run();

// ---- text ----

const texts = suite('text given to a batch');

texts('is read as the rules of the batch say, and adjudicated by the same', async () => {
  const ask = async (rules: string, request: object): Promise<unknown> => {
    const { setup, memory } = await open({ rules });
    return answerControl(setup, memory, { game: 0, ...request });
  };
  const parse = { op: 'parse', power: 'FRANCE', orders: ['A MAR - SPA/NC'] };
  const orders = { FRANCE: ['A PAR - BUR', 'A PAR - PIC'] };
  const marseilles = E.standard.locationTags.indexOf('MAR');
  for (const [rules, reason, units] of [
    ['datc-3.2', null, ['A BUR', 'A MAR', 'F BRE']],
    ['datc-3.2,uselessCoast=fails,twoOrders=last', 'got SPA/NC, wanted SPA', ['A MAR', 'A PIC', 'F BRE']],
    ['strict-2003', 'got SPA/NC, wanted SPA', ['A MAR', 'A PAR', 'F BRE']],
  ] as const) {
    const [found] = (await ask(rules, parse)) as { location: number; reason: string | null }[];
    assert.equal([found.reason, found.location], [reason, reason === null ? marseilles : -1], rules);
    const { units: after } = (await ask(rules, { op: 'adjudicate', orders })) as { units: Record<string, string[]> };
    assert.equal(after.FRANCE.toSorted(), units, rules);
  }
});

texts.run();

// ---- endings ----

const endings = suite('long games');
const LONG_RULES = 'datc-3.2,longGameDraw=yes';

endings('seven years without a capture are a draw', async () => {
  const batch = await open({ rules: LONG_RULES, reset_mode: 'disabled' });
  batch.core.perform('describe', 0, 1);
  let phases = 0;
  while (batch.game(0).status === E.PLAYING && phases < 100) {
    playGiven(batch, []);
    phases++;
  }
  assert.is(phases, 2 * LONG_GAME.unchanged);
  assert.is(batch.game(0).status, E.DRAW);
  assert.equal([batch.memory.bytes('terminated')[0], batch.memory.bytes('truncated')[0]], [1, 0]);
  const rewards = batch.memory.float32('rewards').subarray(0, 7);
  assert.ok(Math.abs(rewards.reduce((a, b) => a + b) - 1) < 1e-6);
});

endings('35 years are a draw too, also in random steps; other rules go on', async () => {
  const options = { games: 20, reset_mode: 'disabled' };
  const [long, plain] = [await open({ rules: LONG_RULES, ...options }), await open(options)];
  for (const batch of [long, plain]) for (let k = 0; k < 4; k++) playRandom(batch, 20, UNIFORM);
  const drawn = Array.from({ length: 20 }, (_, row) => row).filter((row) => long.game(row).status === E.DRAW);
  assert.ok(drawn.length > 10, `${drawn.length} draws`);
  for (const row of drawn) assert.is(long.memory.int32('steps')[row], 2 * LONG_GAME.years);
  for (let row = 0; row < 20; row++) assert.is.not(plain.game(row).status, E.DRAW);
});

endings('what has been counted goes with a game that is taken over', async () => {
  const batch = await open({ rules: LONG_RULES, games: 2, reset_mode: 'disabled' });
  batch.core.perform('describe', 0, 1);
  batch.core.perform('describe', 1, 2);
  const cells = batch.memory.int16('long_game');
  assert.is(cells[0], 1900);
  cells.fill(0);
  batch.memory.bytes('mask').set([1, 0]);
  batch.eachChunk((first, end) => batch.core.perform('check', first, end));
  assert.equal([cells[0], cells[cells.length / 2]], [1900, 0]);
});

endings.run();
