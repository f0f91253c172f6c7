// Agents that do what no agent should: what each does, and how lepanto takes it.

/** What an agent does wrong. */
export const hostileClasses = ['changes', 'answers', 'throws', 'ends', 'hangs', 'loading', 'prints', 'thread'] as const;

/** How lepanto takes an agent. */
export const outcomes = ['plays', 'refused'] as const;

export interface HostileAgent {
  readonly name: string;
  readonly class: (typeof hostileClasses)[number];
  /** It plays as if it did nothing of that, or it is refused by name. */
  readonly outcome: (typeof outcomes)[number];
  /** What the refusal says. */
  readonly says: RegExp;
  /** Where it happens: while the module is loaded, or in answer(), which is named with power, phase and game. */
  readonly where: 'loading' | 'answer';
  /** It is refused for the time or the memory that it takes: the limits are to be low. */
  readonly limit?: 'time' | 'memory';
  /** What V8 itself throws is what the agent throws: its words are to be expected. */
  readonly innerWords?: boolean;
  /** Text of the module. @param when a condition on game and power */
  readonly source: (when: string) => string | Uint8Array;
}

const moduleOf = (top: string, answer: string): string => `${top}
export default {
  name: 'hostile', help: '', options: {},
  make: (options) => ({ name: 'hostile', options, answer: ([question]) => {
    const { game, power, random, budget } = question;
    const out = new Int32Array(game.map.provinceCount);
    ${answer}
    return [{ orders: [] }];
  } }),
};
`;

type Rows = readonly (readonly [name: string, code: string, says?: RegExp])[];

const inAnswer = (
  kind: HostileAgent['class'],
  outcome: HostileAgent['outcome'],
  rows: Rows,
  more: Partial<HostileAgent> = {},
): HostileAgent[] =>
  rows.map(([name, code, says = /./]) => ({
    name,
    class: kind,
    outcome,
    says,
    where: 'answer',
    source: (when) => moduleOf('const kept = [];', `if (${when}) { ${code} }`),
    ...more,
  }));

const asModule = (outcome: HostileAgent['outcome'], rows: Rows, more: Partial<HostileAgent> = {}): HostileAgent[] =>
  rows.map(([name, code, says = /./]) => ({
    name,
    class: 'loading',
    outcome,
    says,
    where: 'loading',
    source: () => code,
    ...more,
  }));

const exported = (fields: string): string =>
  `export default { name: 'x', help: '', options: {}, make: () => ({}), ${fields} };`;

/** What it is shown, it changes: that is its own copy. */
const changes = inAnswer('changes', 'plays', [
  ['bytes to 0', 'game.bytes.fill(0);'],
  ['bytes to 255', 'game.bytes.fill(255);'],
  ['offset', 'game.offset = 3;'],
  ['year', 'game.year = 1950;'],
  ['phase', 'game.phase = 2;'],
  ['a solo of its own', 'game.status = 1; game.winner = power;'],
  ['all centres its own', 'for (let c = 0; c < game.map.centerCount; c++) game.setOwner(c, power);'],
  ['armies everywhere', 'for (let p = 0; p < game.map.provinceCount; p++) game.placeUnit(power, 1, p);'],
  ['no units', 'for (let p = 0; p < game.map.provinceCount; p++) game.removeUnit(p);'],
  ['retreats gone', 'game.clearRetreats();'],
  ['dislodged units', 'game.addDislodged(1, 5, 6); game.phase = 1;'],
  ['contested provinces', 'for (let p = 0; p < game.map.provinceCount; p++) game.setContested(p);'],
  ['the game, later', 'Promise.resolve().then(() => game.bytes.fill(7));'],
  ['games of earlier choices', 'kept.push(game); for (const one of kept) one.bytes.fill(9);'],
  ['fields of the game', 'for (const key of Object.keys(game)) delete game[key];'],
  ['orders that it does not count', 'out.fill(0x7fffffff);'],
  ['orders, later', 'Promise.resolve().then(() => out.fill(-5)); setTimeout(() => out.fill(-5));'],
  ['its stream', 'for (let i = 0; i < 1000; i++) random.next();'],
  ['its budget', 'budget.rollouts = 1; budget.milliseconds = 1;'],
]);

const answers = inAnswer('answers', 'refused', [
  ['nothing', 'return undefined;', /: got undefined, wanted a list of 1/],
  ['null', 'return null;', /: got null, wanted a list of 1/],
  ['a number', 'return 7;', /: got 7, wanted a list of 1/],
  ['text', 'return "0";', /: got "0", wanted a list of 1/],
  ['a big integer', 'return 0n;', /: got 0, wanted a list of 1/],
  ['a symbol', 'return Symbol("s");', /: got Symbol\(s\), wanted a list of 1/],
  ['a function', 'return () => 0;', /: got .*=>.*, wanted a list of 1/],
  ['true', 'return true;', /: got true, wanted a list of 1/],
  ['an answer without a list', 'return { orders: [] };', /: got an object, wanted a list of 1/],
  ['what looks like a list', 'return { length: 1, 0: { orders: [] } };', /: got an object, wanted a list of 1/],
  ['an empty list', 'return [];', /: got 0 answers, wanted a list of 1/],
  ['a billion answers', 'return new Array(1e9);', /: got 1000000000 answers, wanted a list of 1/],
  ['a list of nothing', 'return new Array(1);', /: got undefined, wanted \{orders: packed orders\}/],
  ['a list of null', 'return [null];', /: got null, wanted \{orders: packed orders\}/],
  ['a list of numbers', 'return [7];', /: got 7, wanted \{orders: packed orders\}/],
  ['a list of lists', 'return [[]];', /: got undefined as orders, wanted/],
  ['a list of promises', 'return [Promise.resolve({ orders: [] })];', /: got undefined as orders, wanted/],
  ['orders null', 'return [{ orders: null }];', /: got null as orders, wanted/],
  ['orders that are a number', 'return [{ orders: 0 }];', /: got 0 as orders, wanted/],
  ['orders that are text', 'return [{ orders: "A PAR H" }];', /: got "A PAR H" as orders, wanted/],
  ['a list of text', 'return [{ orders: ["A PAR H"] }];', /: got an object as orders, wanted/],
  ['NaN', 'return [{ orders: [NaN] }];', /: got an object as orders, wanted/],
  ['half an order', 'return [{ orders: [0.5] }];', /: got an object as orders, wanted/],
  ['a set of orders', 'return [{ orders: new Set() }];', /: got an object as orders, wanted/],
  ['floats', 'return [{ orders: Float64Array.of(1) }];', /: got an object as orders, wanted/],
  ['an order that is none', 'return [{ orders: [12345] }];', /: got .* which is not legal/],
  ['no order', 'return [{ orders: out }];', /: got none at .* which is not legal/],
  ['less than nothing', 'return [{ orders: [-1] }];', /: got .* which is not legal/],
  [
    'orders at random',
    'for (let i = 0; i < 5; i++) out[i] = random.next(); return [{ orders: out.subarray(0, 5) }];',
    /: got .* which is not legal/,
  ],
  ['a million orders', 'return [{ orders: new Int32Array(1e6) }];', /: got .* which is not legal/],
  ['candidates null', 'return [{ orders: [], candidates: null }];', /: candidates: got null, wanted a list/],
  ['candidates that are numbers', 'return [{ orders: [], candidates: [7] }];', /: candidates: got 7, wanted a list/],
  ['a promise of nothing', 'return Promise.resolve();', /: got undefined, wanted a list of 1/],
  ['a promise of text', 'return Promise.resolve("many");', /: got "many", wanted a list of 1/],
  ['a then that throws', 'return { then() { throw new Error("no idea"); } };', /: threw Error: no idea/],
  ['a then that cannot be read', 'return { get then() { throw null; } };', /: threw null/],
  ['a promise of a promise that fails', 'return Promise.resolve(Promise.reject("x"));', /: threw "x"/],
  ['orders that cannot be read', 'return [{ get orders() { throw "away"; } }];', /: threw "away"/],
  ['a list that cannot be read', 'return new Proxy([0], { get() { throw "away"; } });', /: threw "away"/],
]);

const throws = [
  ...inAnswer('throws', 'refused', [
    ['an error', 'throw new Error("no idea");', /: threw Error: no idea \(.*:\d+:\d+\)/],
    [
      'an error of its own',
      'throw Object.assign(new Error("no idea"), { name: "Mine", code: 7 });',
      /: threw Mine: no idea/,
    ],
    ['null', 'throw null;', /: threw null/],
    ['undefined', 'throw undefined;', /: threw undefined/],
    ['text', 'throw "no idea";', /: threw "no idea"/],
    ['a number', 'throw 7;', /: threw 7/],
    ['a symbol', 'throw Symbol("s");', /: threw Symbol\(s\)/],
    ['an object', 'throw { message: "x" };', /: threw an object/],
    ['an object without a prototype', 'throw Object.create(null);', /: threw an object/],
    ['a function', 'throw class X {};', /: threw class X/],
    [
      'an error that cannot be read',
      'throw Object.defineProperty(new Error("x"), "message", { get() { throw null; } });',
      /threw something that cannot be described/,
    ],
    [
      'an error of symbols',
      'throw Object.assign(new Error("x"), { message: Symbol("m"), name: Symbol("n") });',
      /threw Symbol\(n\): Symbol\(m\)/,
    ],
    [
      'a proxy',
      'throw new Proxy(new Error("x"), { get() { throw null; }, getPrototypeOf() { throw null; } });',
      /threw something that cannot be described/,
    ],
    [
      'an error without a stack',
      'throw Object.assign(new Error("no idea"), { stack: undefined });',
      /: threw Error: no idea/,
    ],
    ['an error of a megabyte', 'throw new Error("x".repeat(1 << 20));', /: threw Error: x+\.\.\./],
    [
      'an error of many lines',
      'throw new Error("one\\n    at two (three:4:5)\\r\\nfour");',
      /: threw Error: one at two/,
    ],
    [
      'an error that cannot be cloned',
      'throw Object.assign(new Error("no idea"), { f() {}, cause: () => {} });',
      /: threw Error: no idea/,
    ],
    ['a rejected promise', 'return Promise.reject(new Error("no idea"));', /: threw Error: no idea/],
    ['a promise rejected with null', 'return Promise.reject(null);', /: threw null/],
    [
      'an error after a while',
      'return new Promise((_, no) => setTimeout(() => no(new Error("no idea")), 5));',
      /: threw Error: no idea/,
    ],
  ]),
  ...inAnswer(
    'throws',
    'refused',
    [
      ['a mistake', 'return game.units.length;', /: threw TypeError: Cannot read properties/],
      ['endless recursion', 'const f = () => f() + 1; return f();', /: threw RangeError: Maximum call stack/],
    ],
    { innerWords: true },
  ),
];

const ends = [
  ...inAnswer('ends', 'refused', [
    ['exit 0', 'process.exit(0);', /: ended its thread, with exit code 0/],
    ['exit 3', 'process.exit(3);', /: ended its thread, with exit code 3/],
    [
      'exit while it is waited for',
      'return new Promise(() => setTimeout(() => process.exit(0)));',
      /: ended its thread, with exit code 0/,
    ],
    ['abort', 'process.abort();', /: threw .*process.abort\(\) is not supported in workers/],
  ]),
  ...inAnswer(
    'ends',
    'refused',
    [
      ['objects without end', 'for (;;) kept.push({ a: [power] });', /ran out of memory|of memory for one answer/],
      [
        'a map without end',
        'const all = new Map(); for (let i = 0; ; i++) all.set(i, { i });',
        /ran out of memory|of memory for one answer/,
      ],
      [
        'text without end',
        'for (let i = 0; ; i++) kept.push("x".repeat(1000) + i);',
        /ran out of memory|of memory for one answer/,
      ],
      [
        'buffers without end',
        'for (;;) kept.push(new Uint8Array(1 << 20).fill(1));',
        /ran out of memory|of memory for one answer/,
      ],
    ],
    { limit: 'memory' },
  ),
];

const hangs = inAnswer(
  'hangs',
  'refused',
  [
    ['a loop', 'for (;;);', /: got no answer in/],
    ['a promise that never settles', 'return new Promise(() => {});', /: got no answer in/],
    ['a then that never calls back', 'return { then() {} };', /: got no answer in/],
    ['a sleep', 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);', /: got no answer in/],
    ['a pattern that backtracks', '/^(a+)+$/.test("a".repeat(60) + "b");', /: got no answer in/],
    ['promises without end', 'const f = () => Promise.resolve().then(f); return f();', /: got no answer in/],
    ['a timer that comes again and again', 'return new Promise(() => setInterval(() => {}, 1));', /: got no answer in/],
  ],
  { limit: 'time' },
);

const loading = [
  ...asModule('refused', [
    ['exit 0 at the top', 'process.exit(0);', /while it is loaded: ended its thread, with exit code 0/],
    ['exit 0 in make()', exported('make: () => process.exit(0)'), /while it is loaded: ended its thread/],
    ['null at the top', 'throw null;', /: threw null/],
    ['undefined at the top', 'throw undefined;', /: threw undefined/],
    ['an error at the top', 'throw new Error("no idea");', /: threw Error: no idea/],
    [
      'an import of nothing',
      'import "nothing-of-this-name";',
      /: threw Error: Cannot find package 'nothing-of-this-name'/,
    ],
    ['an import of no file', 'import "./no-file.mjs";', /: threw Error: Cannot find module/],
    ['no JavaScript', 'this is no module', /: threw SyntaxError/],
    ['an empty file', '', /got no agent, wanted a default export/],
    ['no default export', 'export const x = 1;', /got no agent, wanted a default export/],
    ['null as default', 'export default null;', /got no agent, wanted a default export/],
    ['a function as default', 'export default () => 0;', /got no agent, wanted a default export/],
    ['options null', exported('options: null'), /got no agent, wanted a default export/],
    ['an option null', exported('options: { width: null }'), /option width: got null, wanted/],
    ['an option of no kind', exported('options: { width: { default: true } }'), /option width: got an object, wanted/],
    ['options that cannot be read', exported('get options() { throw null; }'), /: threw null/],
    ['a make that cannot be read', exported('get make() { throw undefined; }'), /: threw undefined/],
    [
      'a default that cannot be touched',
      'export default new Proxy({}, { get() { throw "away"; } });',
      /: threw "away"/,
    ],
    ['a make() that throws null', exported('make: () => { throw null; }'), /: threw null/],
    ['a make() of nothing', exported('make: () => undefined'), /got no answer\(\), wanted an agent/],
    ['a make() of null', exported('make: () => null'), /got no answer\(\), wanted an agent/],
    ['an answer that is a number', exported('make: () => ({ answer: 7 })'), /got no answer\(\), wanted an agent/],
    ['an answer that cannot be read', exported('make: () => ({ get answer() { throw null; } })'), /: threw null/],
  ]),
  ...asModule('refused', [['bytes', '', /: threw SyntaxError/]], {
    source: () => Uint8Array.from({ length: 300 }, (_, i) => (i * 97) & 255),
  }),
  ...asModule(
    'refused',
    [
      ['a loop at the top', 'for (;;);', /while it is loaded: got no answer in/],
      ['an await that never settles', 'await new Promise(() => {});', /while it is loaded: got no answer in/],
      [
        'a make() that never settles',
        exported('make: () => new Promise(() => {})'),
        /while it is loaded: got no answer/,
      ],
      ['a loop in make()', exported('make: () => { for (;;); }'), /while it is loaded: got no answer in/],
      [
        'a timer and an await',
        'setInterval(() => {}, 1); await new Promise(() => {});',
        /while it is loaded: got no answer/,
      ],
    ],
    { limit: 'time' },
  ),
  ...asModule(
    'refused',
    [
      [
        'memory at the top',
        'const all = []; for (;;) all.push({ all: [] });',
        /while it is loaded: (ran out|took .* of memory)/,
      ],
    ],
    { limit: 'memory' },
  ),
];

/** It is not to be found in what the command writes. */
const prints = [
  ...inAnswer('prints', 'plays', [
    ['console.log', 'console.log("hello");'],
    ['process.stdout', 'process.stdout.write("hello\\n");'],
    ['console.error', 'console.error("hello");'],
    ['a table', 'console.table([{ a: 1 }]); console.dir({ a: 1 }); console.info("hello");'],
    ['a megabyte', 'if (kept.push(0) === 1) console.log("x".repeat(1 << 20));'],
    ['an end of its output', 'process.stdout.end(); console.log("hello");'],
  ]),
  ...asModule('plays', [['console.log at the top', moduleOf('console.log("hello");', '')]], { class: 'prints' }),
];

/** Its thread is its own as well. */
const thread = [
  ...inAnswer('thread', 'plays', [
    ['an exit code', 'process.exitCode = 5;'],
    ['timers that do not end', 'setInterval(() => {}, 1000);'],
    ['prototypes', 'Object.prototype.mine = 1; Array.prototype.mine = 2;'],
    ['no console', 'globalThis.console = null;'],
    ['an environment', 'process.env.LEPANTO_DEBUG = "1"; process.env.PATH = "";'],
    ['a title', 'process.title = "hostile";'],
    ['warnings', 'process.emitWarning("hello");'],
  ]),
  ...inAnswer('thread', 'refused', [
    ['another directory', 'process.chdir("/");', /: threw .*process.chdir\(\) is not supported in workers/],
  ]),
];

export const hostileAgents: readonly HostileAgent[] = [
  ...changes,
  ...answers,
  ...throws,
  ...ends,
  ...hangs,
  ...loading,
  ...prints,
  ...thread,
];
