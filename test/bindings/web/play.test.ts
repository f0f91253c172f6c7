// Tests what a page to play on is made of, without a browser: branches, saved games, orders that complete others, and agents that answer
// in a page as they do in a run.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { formatSavedGame } from '../../../bindings/formats/games/write-saved.js';
import { type AskedGame, askOrders, openGame, recordOf } from '../../../bindings/web/orders/asked-game.js';
import { neededOrders } from '../../../bindings/web/orders/complete-orders.js';
import {
  differencesOf,
  orderShares,
  setShares,
  unitDistances,
  wholeOrders,
} from '../../../bindings/web/orders/order-shares.js';
import { openPlay } from '../../../bindings/web/orders/saved-play.js';
import {
  firstTurn,
  lineOver,
  lineTo,
  messagesTo,
  openTimeline,
  playTurn,
  storeTimeline,
} from '../../../bindings/web/orders/timeline.js';
import { valueOrders } from '../../../bindings/web/orders/value-orders.js';
import { orderablesIn, type Placed, readWrittenPosition } from '../../../bindings/web/orders/written-position.js';
import { savePlay } from '../../../bindings/web/save-play.js';
import { ServerAgents } from '../../../bindings/web/server-agents.js';
import { Game, loadMap, newGame, ordererOf, standard } from '../../../engine/internal.js';
import { formatPosition } from '../../../engine/notation/json/position.js';
import { formatOrder, orderedUnits, ruleSetByName } from '../../../engine/notation/text/index.js';
import { parseAgent } from '../../../selfplay/agents/registry.js';
import { loadState } from '../../../selfplay/games/game-record.js';
import { playGame } from '../../../selfplay/games/play.js';
import type { PlayedPhase } from '../../../selfplay/question/agent.js';
import type { Message } from '../../../selfplay/question/message.js';
import { makeFolder } from '../../tools/command.js';
import { rejection, saying } from '../../tools/errors.js';
import { writeAgent } from '../../tools/simple-agents.js';

const play = suite('play');

const rules = ruleSetByName('datc-3.2');
const start: Placed = formatPosition(newGame());
/** What a page keeps of a game without branches. */
const kept = {
  ...{ map: 'standard', rules: 'datc-3.2', seed: 7, seats: {} },
  start: { phase: start.phase, units: start.units, centers: start.centers },
};
const asked = (played: AskedGame['played'], more: Partial<AskedGame> = {}): AskedGame => ({
  ...{ map: 'standard', rules: 'datc-3.2', own: null, seed: 7, start, played },
  ...more,
});

/** Orders, units that have orders already, and the orders that each needs of other units. */
const NEEDED: readonly (readonly [order: string, taken: readonly string[], needed: readonly string[]])[] = [
  ['A LON - TUN VIA', [], ['F ENG C A LON - TUN', 'F MAO C A LON - TUN', 'F WES C A LON - TUN']],
  ['A LON - TUN VIA', ['MAO'], ['F ENG C A LON - TUN', 'F WES C A LON - TUN']],
  ['F NTH C A LON - NWY', [], ['A LON - NWY VIA']],
  ['F MAO C A LON - TUN', [], ['A LON - TUN VIA', 'F ENG C A LON - TUN', 'F WES C A LON - TUN']],
  ['F ENG S A LON - YOR', [], ['A LON - YOR']],
  ['F ENG S A LON - YOR', ['LON'], []],
  ['F ENG S A BRE - PIC', [], []],
  ['F ENG S A LON', [], []],
  ['A LON H', [], []],
];

play('an order brings those that it needs of other units, along the shortest way', () => {
  const units = { ENGLAND: ['A LON', 'F ENG', 'F MAO', 'F NTH', 'F WES', 'A YOR'], FRANCE: ['A BRE'] };
  const open = orderablesIn({ ...start, units }, standard, rules.adjudication);
  const own = open.filter(({ power }) => power === 'ENGLAND');
  for (const [order, taken, needed] of NEEDED) {
    const found = neededOrders(standard, order, own, (home) => !taken.includes(home));
    assert.equal(
      found.map((one) => one.order),
      needed,
      order,
    );
  }
});

play('a game has branches, which are played again as they were kept', () => {
  const root = firstTurn(start);
  const first = playTurn(root, { FRANCE: ['A PAR - BUR', 'A MAR - SPA'] }, standard, rules);
  assert.is(playTurn(root, { ITALY: [], FRANCE: ['A MAR - SPA', 'A PAR - BUR'] }, standard, rules), first);
  const second = playTurn(root, { FRANCE: ['A PAR - GAS'] }, standard, rules);
  const third = playTurn(second, {}, standard, rules);
  assert.equal(root.children, [first, second]);
  assert.equal(lineTo(third), [root, second, third]);
  assert.equal(lineOver(root), [root, second, third]);
  assert.equal(lineOver(first), [root, first]);
  const stored = JSON.parse(JSON.stringify(storeTimeline(first)));
  const again = openTimeline(start, stored, standard, rules);
  assert.equal(again.units.FRANCE, ['F BRE', 'A BUR', 'A SPA']);
  assert.equal(again.parent?.children[1].children[0].phase, 'S1902M');
  assert.equal(lineOver(lineTo(again)[0]).length, 2);
  for (const wrong of [
    { turns: {}, shown: 0 },
    { turns: [], shown: 1 },
    { turns: [{ parent: 1, given: {} }], shown: 0 },
    { turns: [{ parent: 0, given: { HOLLAND: [] } }], shown: 0 },
    { turns: [{ parent: 0, given: { FRANCE: 'A PAR H' } }], shown: 0 },
  ])
    assert.throws(() => openTimeline(start, wrong as never, standard, rules), /got/);
});

play('a saved game is opened with its branches, and one of others by its orders', async () => {
  const root = firstTurn(start);
  playTurn(root, { FRANCE: ['A PAR - GAS'] }, standard, rules);
  const shown = playTurn(root, { FRANCE: ['A PAR - BUR'] }, standard, rules);
  const lepanto = { ...kept, rules: '1971', seats: { FRANCE: 'human' }, ...storeTimeline(shown) };
  const own = openPlay(JSON.stringify({ phases: [], lepanto }), loadMap);
  assert.equal([own.start.rules, own.seed, own.seats], ['1971', 7, { FRANCE: 'human' }]);
  assert.equal(own.turn.units, shown.units);
  assert.is(own.turn.parent?.children.length, 2);
  const record = await playGame({ agents: standard.powerNames.map(() => parseAgent('dumbbot')), until: 1902, seed: 3 });
  const saved = formatSavedGame(record) as { phases: { name: string; state: { units: object } }[] };
  const other = openPlay(JSON.stringify(saved), loadMap);
  assert.equal(
    lineTo(other.turn).map((turn) => turn.phase),
    saved.phases.map(({ name }) => name),
  );
  const { phases } = saved;
  const wrong: [object | string, RegExp][] = [
    ['{', /JSON/],
    ['7', /game: got 7/],
    [{ phases: [7] }, /phase 0: got 7, wanted an object/],
    [{ phases: [phases[0], phases[2]] }, /phase 1: got \w+, wanted F1901M/],
    [{ ...saved, map: '../../etc/passwd' }, /got "..\/..\/etc/],
    ['['.repeat(99), /got more than 32 levels/],
    ...[
      { rules: '<b>' },
      { start: { phase: 'S1901M', units: { FRANCE: ['A XXX'] } } },
      { turns: [{ parent: 7, given: {} }] },
      { turns: [{ parent: 0, given: { FRANCE: 7 } }] },
      { turns: new Array(10_001).fill(null) },
      { shown: -1 },
    ].map((change): [object, RegExp] => [{ lepanto: { ...lepanto, ...change } }, /got .*wanted/s]),
  ];
  for (const [game, why] of wrong)
    assert.throws(() => openPlay(typeof game === 'string' ? game : JSON.stringify(game), loadMap), saying(why));
  // Saved among the runs: new files of this folder alone.
  const folder = makeFolder('saved');
  const save = (name: unknown, game: unknown = saved): Promise<string> => savePlay(folder, { name, game });
  const refusedSave = (name: unknown, game?: unknown): Promise<string> => rejection(save(name, game));
  assert.is(await save('my game 1.2'), 'my game 1.2.json');
  assert.equal(JSON.parse(readFileSync(join(folder, 'my game 1.2.json'), 'utf8')), saved);
  symlinkSync(join(folder, 'elsewhere'), join(folder, 'link.json'));
  for (const name of ['my game 1.2', 'link']) assert.match(await refusedSave(name), /which exists, wanted a new one/);
  // Names that mean something in a directory of runs.
  for (const name of ['manifest', 'Manifest', 'arena', 'ARENA', 'games-00000', 'Games-1', 'playing', 'compare'])
    assert.match(await refusedSave(name), /the name of a file of runs, wanted another/, name);
  for (const name of ['', '.x', '../x', 'a/b', 'a\\b', 'a\0', '<b>', 'x'.repeat(81), 7])
    assert.match(await refusedSave(name), /^(?=.*name: got)|wanted text/);
  assert.match(await refusedSave('none', { phases: [7] }), /phase 0: got 7/);
  assert.match(await refusedSave('none', { lepanto }), /phases: got nothing/);
  assert.equal(readdirSync(folder).sort(), ['link.json', 'my game 1.2.json']);
  writeFileSync(join(folder, 'manifest.json'), '{}');
  assert.match(await refusedSave('other'), /got the directory of a run, wanted the directory above it/);
});

/** A saved game with branches from its start: each of other orders. */
const broadGame = (branches: number): object => {
  const given = Array.from({ length: branches }, (_, i) => {
    const of = (places: readonly string[], scale: number): string => places[Math.floor(i / scale) % places.length];
    const orders = [
      ...[`A PAR ${of(['H', '- BUR', '- GAS', '- PIC'], 1)}`, `A MAR ${of(['H', '- SPA', '- PIE', '- BUR'], 4)}`],
      `F BRE ${of(['H', '- ENG', '- MAO', '- GAS', '- PIC'], 16)}`,
    ];
    const italy = [`A ROM ${of(['H', '- TUS', '- APU'], 80)}`, `F NAP ${of(['H', '- ION', '- TYS'], 240)}`];
    return { parent: 0, given: { FRANCE: orders, ITALY: italy, ENGLAND: i < 720 ? [] : ['A LVP - YOR'] } };
  });
  const { phase, ...state } = kept.start;
  const first = { name: phase, state, orders: {} };
  return { id: 'x', map: 'standard', phases: [first], lepanto: { ...kept, turns: given, shown: 0 } };
};

play('a game of many branches is opened at once, and a save that takes too long ends alone', async () => {
  const before = process.cpuUsage();
  openPlay(JSON.stringify(broadGame(1440)), loadMap);
  const { user } = process.cpuUsage(before);
  // It took 25 s of processor time, which no other load changes, where the key of each branch was made for each other.
  assert.ok(user < 6e6, `${user} microseconds`);
  const folder = makeFolder('slow');
  let ticks = 0;
  // Due before the limit, so that it has run if this thread was free.
  const timer = setInterval(() => ticks++, 10);
  const why = await rejection(savePlay(folder, { name: 'slow', game: broadGame(1440) }, 50));
  clearInterval(timer);
  assert.match(why, /^game: got one that takes more than 0.05 s to play again, wanted a shorter one$/);
  assert.ok(ticks > 0);
  assert.equal(readdirSync(folder), []);
});

play('a save that is cut short leaves no file of its name', () => {
  const folder = makeFolder('cut');
  const module = new URL('../../../bindings/web/save-play.js', import.meta.url).href;
  const run = `const { savePlay } = await import(${JSON.stringify(module)});
    await savePlay(${JSON.stringify(folder)}, { name: 'one', game: JSON.parse(process.argv[1]) });`;
  const game = JSON.stringify({ ...broadGame(1), more: 'x'.repeat(60_000) });
  const node = [process.execPath, '--input-type=module', '-e', run, game];
  // A file may have 8 blocks of 512 or 1024 bytes.
  const { status } = spawnSync('sh', ['-c', 'ulimit -f 8; exec "$@"', 'sh', ...node]);
  assert.is.not(status, 0);
  assert.not(existsSync(join(folder, 'one.json')));
});

play('the playground shows the newer version when storage is full, and keeps one copy', async () => {
  const script = readFileSync(new URL('../../../bindings/web/workers/offline-worker.js', import.meta.url), 'utf8');
  const kept = new Map<string, unknown>();
  const state = { isFull: false, isOnline: true, version: 1 };
  const cache = {
    put: async (key: string, response: unknown) => {
      if (state.isFull) throw new Error('QuotaExceededError');
      kept.set(key, response);
    },
  };
  const page = (version: number): object => ({ ok: true, version, clone: () => page(version) });
  const handlers = new Map<string, (event: object) => void>();
  runInNewContext(script, {
    ...{ URL, Error, location: { origin: 'https://x.example' } },
    addEventListener: (name: string, handler: (event: object) => void) => handlers.set(name, handler),
    caches: { open: async () => cache, match: async (key: string) => kept.get(key) },
    fetch: async () => {
      if (!state.isOnline) throw new Error('no network');
      return page(state.version);
    },
  });
  const get = async (url: string): Promise<unknown> => {
    let answer: unknown;
    const request = { url, method: 'GET' };
    handlers.get('fetch')?.({ request, respondWith: (response: unknown) => (answer = response) });
    return ((await answer) as { version: number }).version;
  };
  for (let i = 0; i < 20; i++) assert.is(await get(`https://x.example/play/?q=${i}`), 1);
  assert.equal([...kept.keys()], ['https://x.example/play/']);
  Object.assign(state, { isFull: true, version: 2 });
  assert.is(await get('https://x.example/play/'), 2);
  assert.is(await get('https://x.example/play/other.html'), 2);
  state.isOnline = false;
  assert.is(await get('https://x.example/play/?q=99'), 1);
});

play('a page shows from what is no game only a message', () => {
  for (const value of [null, 7, 'x', []]) assert.throws(() => openPlay(JSON.stringify(value), loadMap), /game: got/);
  const written = (orders: unknown) => () => readWrittenPosition({ ...start, orders } as never, loadMap);
  assert.throws(written({ FRANCE: 5 }), /orders, FRANCE: got 5, wanted a list/);
  assert.throws(written([7]), /orders: got a list of 1, wanted an object/);
  assert.throws(
    () => openGame(asked([], { own: { name: 'x', rows: {} as never } })),
    /^(?!.*undefined).*got rows that are no map/,
  );
});

play('messages of a game are kept with its branches, told to bots that may read them, and bots answer', async () => {
  const root = firstTurn(start);
  const message = (sender: string, recipients: string[], text: string, time_sent: number): Message => ({
    ...{ phase: 'S1901M', round: 1, sender, recipients, time_sent, text },
  });
  root.messages = [message('FRANCE', ['ITALY'], 'secret', 1), message('FRANCE', ['GLOBAL'], 'hello', 2)];
  root.rounds = 1;
  const next = playTurn(root, {}, standard, rules);
  const again = openTimeline(start, JSON.parse(JSON.stringify(storeTimeline(next))), standard, rules);
  assert.equal(messagesTo(again), root.messages);
  assert.is(again.parent?.rounds, 1);
  const bad = { turns: [], shown: 0, said: [{ turn: 0, rounds: 1, messages: [{ text: 7 }] }] };
  assert.throws(() => openTimeline(start, bad, standard, rules), /got/);
  const messages = messagesTo(next);
  const record = recordOf(openGame(asked([{}], { messages })));
  assert.equal(record.phases[0].messages, messages);
  assert.throws(() => openGame(asked([], { messages: [message('HOLLAND', ['ITALY'], '', 1)] })), /HOLLAND/);
  const file = writeAgent(
    join(makeFolder('talking'), 'talker.mjs'),
    `answer: (all) => all.map(() => ({ orders: [] })),
     talk: (all) => all.map(({ past }) => [{ recipients: ['FRANCE'], text: past.messages.map(({ text }) => text).join() }, 7])`,
  );
  const agents = await ServerAgents.load([file]);
  const game = asked([], { messages });
  const seats = { ITALY: file, TURKEY: file };
  const { said, faults } = await agents.ask({ seats, game, round: { round: 2, rounds: 2 } });
  assert.equal([said?.ITALY[0].text, said?.TURKEY[0].text], ['secret,hello', 'hello']);
  assert.match(faults.join(), /said 2 messages that did not count/);
  assert.match(await rejection(agents.ask({ seats: {}, game, round: { round: 0 } })), /round: got/);
  await agents.close();
});

const statesOf = (phases: readonly PlayedPhase[]): string =>
  phases.map(({ state }) => Buffer.from(state).toString('hex')).join(' ');

play('agents that a page asks give the orders that they give in a run', async () => {
  const agents = standard.powerNames.map((_, power) => parseAgent(['dumbbot', 'reply:plans=4', 'net'][power % 3]));
  const { phases } = await playGame({ agents, until: 1901, seed: 7 });
  const game = new Game(standard, rules.adjudication);
  const played = phases.map(({ state, orders }) => {
    loadState(game, state);
    const units = orderedUnits(game);
    const texts = (power: number): string[] =>
      [...orders].filter((one) => ordererOf(game, one) === power).map((one) => formatOrder(standard, one, units));
    return Object.fromEntries(standard.powerNames.map((name, power) => [name, texts(power)]));
  });
  for (let at = 0; at < phases.length - 1; at++) {
    const open = openGame(asked(played.slice(0, at)));
    assert.is(statesOf(open.phases), statesOf(phases.slice(0, at)));
    const seats = Object.fromEntries(standard.powerNames.map((name, power) => [name, agents[power]]));
    assert.equal(await askOrders(open, seats), played[at], phases[at].phase);
  }
  // The end of a run is a draw; a page goes on.
  const record = recordOf(openGame(asked(played.slice(0, -1))));
  assert.is(statesOf(record.phases.slice(0, -1)), statesOf(phases.slice(0, -1)));
});

play('answers of agents are counted, and compared unit by unit', () => {
  const placed = { ...start, units: { FRANCE: ['A PAR', 'F STP/SC'] } };
  assert.equal(wholeOrders(placed, 'FRANCE', ['A PAR - BUR']), ['A PAR - BUR', 'F STP/SC H']);
  const retreat = { ...placed, phase: 'S1901R', retreats: { FRANCE: { 'A BUR': ['GAS'] } } };
  assert.equal(wholeOrders(retreat, 'FRANCE', []), ['A BUR D']);
  assert.equal(wholeOrders({ ...placed, phase: 'W1901A' }, 'FRANCE', ['WAIVE']), ['WAIVE']);
  const a = [['A PAR - BUR', 'F BRE H'], ['A PAR - GAS', 'F BRE H'], ...Array(2).fill(['A PAR - BUR', 'F BRE H'])];
  const b = [['A PAR - GAS', 'F BRE H']];
  assert.equal([...orderShares(a)], [...Object.entries({ 'F BRE H': 1, 'A PAR - BUR': 0.75, 'A PAR - GAS': 0.25 })]);
  assert.equal(setShares(a)[0], { orders: ['A PAR - BUR', 'F BRE H'], share: 0.75 });
  assert.equal(unitDistances(a, b).sort(), [0, 0.75]);
  // A province where only one of them builds, or nobody always does.
  assert.equal(unitDistances([['A PAR B'], ['WAIVE']], [['F BRE B']]).sort(), [0.5, 0.5, 1]);
  assert.equal(differencesOf([a, b, b], 0.1), [
    { order: 'A PAR - BUR', shares: [0.75, 0, 0], only: 0 },
    { order: 'A PAR - GAS', shares: [0.25, 1, 1], only: null },
  ]);
  assert.equal(differencesOf([a, a], 0.1), []);
});

play('order sets are worth what the search expects of them, in every phase', () => {
  const worth = (sets: string[][], power: string, more: object = {}) =>
    valueOrders({ game: asked([], { start: { ...start, ...more } }), power, sets });
  const fall = { phase: 'F1901M', units: { ...start.units, FRANCE: ['A SPA', 'A BUR', 'F MAO'] } };
  const [gains, waits] = worth([['A SPA H', 'F MAO - POR'], ['F MAO - NAO']], 'FRANCE', fall).values;
  assert.ok(gains.value > waits.value + 5 * (gains.error + waits.error), JSON.stringify([gains, waits]));
  const { expected, values } = worth([['A PAR - BUR']], 'FRANCE');
  assert.equal(worth([['A PAR - BUR']], 'FRANCE'), { expected, values });
  assert.is(expected.RUSSIA.length, 4);
  const winter = { phase: 'W1901A', units: { ...start.units, FRANCE: ['A MAR'] } };
  const [built] = worth([['F BRE B', 'A PAR B'], []], 'FRANCE', winter).values;
  assert.ok(built.value > 0 && built.error > 0, JSON.stringify(built));
  assert.throws(() => worth([['A PAR - BUR']], 'constructor'), /power: got "constructor"/);
});

/** Agents whose threads would keep a failed test awake. */
const loaded: ServerAgents[] = [];
play.after(async () => {
  for (const agents of loaded) await agents.close();
});

play('the server plays only what its command line names, in games that are games', async () => {
  const agents = await ServerAgents.load(['hold']);
  loaded.push(agents);
  const ask = (seats: unknown, game: unknown = asked([])) => agents.ask({ seats, game } as never);
  assert.equal(await ask({ ITALY: 'hold', FRANCE: 'hold' }), { orders: { ITALY: [], FRANCE: [] }, faults: [] });
  for (const [seats, error] of [
    [{ ITALY: 'exec:touch hacked' }, /got "exec:touch hacked", wanted "hold"/],
    [{ ITALY: './evil.js' }, /wanted "hold"/],
    [{ constructor: 'hold' }, /got power "constructor"/],
    [7, /got 7/],
  ] as const)
    assert.match(await rejection(ask(seats)), error);
  for (const [game, error] of [
    [asked([{ FRANCE: 1 } as never]), /orders of FRANCE: got 1/],
    [asked([], { seed: '1' as never }), /seed: got/],
    [asked([], { map: '../../etc/passwd' }), /got/],
    [asked([], { own: { name: 'x', rows: {} as never } }), /got|undefined/],
  ] as const)
    assert.match(await rejection(ask({ ITALY: 'hold' }, game)), error);
  assert.match(await rejection(ServerAgents.load(['nonsense'])), /agent: got "nonsense"/);
  await agents.close();
});

play('bots that loop, throw or end their threads hold: the game goes on, and what they get wrong is told', async () => {
  const folder = makeFolder('bots');
  const module = (name: string, answer: string): string => writeAgent(join(folder, `${name}.mjs`), `answer: ${answer}`);
  const loop = module('loop', '() => { for (;;); }');
  const thrower = module('thrower', '() => { throw new Error("oh") }');
  const quitter = module('quitter', '() => process.exit(3)');
  const garbled = module('garbled', '() => [7]');
  const bot = join(folder, 'bot.mjs');
  writeFileSync(
    bot,
    `import { createInterface } from 'node:readline';
    for await (const line of createInterface({ input: process.stdin })) {
      const asked = JSON.parse(line);
      const answer = asked.id === undefined
        ? { hello: { protocol: 'lepanto-agent', version: 1, name: 'wrong', wants: [] } }
        : { id: asked.id, orders: ['A PAR - MOS', 'garbage', 'A MAR - SPA'] };
      console.log(JSON.stringify(answer));
    }`,
  );
  const wrong = `exec:${process.execPath} ${bot}`;
  const told: string[] = [];
  const names = [loop, thrower, quitter, garbled, wrong];
  const agents = await ServerAgents.load(names, 1500, (sentence) => told.push(sentence));
  loaded.push(agents);
  let ticks = 0;
  const timer = setInterval(() => ticks++, 10);
  const seats = { ITALY: loop, AUSTRIA: loop, FRANCE: wrong, ENGLAND: thrower, RUSSIA: quitter, TURKEY: garbled };
  const { orders, faults, failed } = await agents.ask({ seats, game: asked([]) });
  clearInterval(timer);
  assert.ok(ticks > 20, `${ticks}`);
  const holding = ['ITALY', 'AUSTRIA', 'ENGLAND', 'RUSSIA', 'TURKEY'];
  assert.equal(orders, { FRANCE: ['A MAR - SPA'], ...Object.fromEntries(holding.map((power) => [power, []])) });
  assert.equal(failed?.toSorted(), holding.toSorted());
  const wanted = [
    /gave 2 orders that did not count: the first one: .*A PAR - MOS/,
    /loop\.mjs failed one time, and gave no answer: for (AUSTRIA|ITALY) in S1901M.*: got no answer in 1\.5 s/,
    /thrower\.mjs failed one time, .*: for ENGLAND in S1901M.*: threw Error: oh \(thrower\.mjs:2:\d+\)/,
    /quitter\.mjs failed one time, .*: for RUSSIA in S1901M.*: ended its thread, with exit code 3/,
    /garbled\.mjs failed one time, .*: for TURKEY in S1901M.*: got 7/,
  ];
  for (const why of wanted) assert.match(faults.join('\n'), why);
  assert.is(faults.length, wanted.length);
  // Threads are there again: in the next phase the same is asked, and a round of press, too.
  const next = await agents.ask({ seats: { RUSSIA: quitter, FRANCE: wrong }, game: asked([orders]) });
  assert.equal([next.failed, next.orders.RUSSIA], [['RUSSIA'], []]);
  const round = { round: 1, rounds: 1 };
  assert.equal((await agents.ask({ seats: { ENGLAND: thrower }, game: asked([]), round })).failed, undefined);
  // A close ends a thread in the middle of a loop.
  const again = rejection(agents.ask({ seats: { ITALY: loop }, game: asked([]) }));
  await agents.close();
  assert.match(await again, /closed|ended/);
  assert.match(told.join(), /quitter\.mjs failed 2 times, and gave no answer: the first one: for RUSSIA/);
});

play.run();
