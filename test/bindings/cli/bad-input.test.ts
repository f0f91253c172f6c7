// Tests wrong input: every line gets an answer that names what is wrong, and nothing breaks.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import * as fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { LineAnswerer } from '../../../bindings/terminal/json-lines.js';
import { checkGame, DATC_3_2, standard } from '../../../engine/internal.js';
import { adjudicateRecord } from '../../../engine/notation/json/adjudicate-record.js';
import { legalRecord } from '../../../engine/notation/json/legal-record.js';
import { LineSplitter, MAX_LINE } from '../../../engine/notation/json/lines.js';
import { formatPosition, parsePosition } from '../../../engine/notation/json/position.js';
import { hasCode } from '../../../engine/rules/error.js';
import { anyRecord } from '../../tools/any-record.js';
import { type Ended, entry, runLepanto } from '../../tools/command.js';
import { readData } from '../../tools/data.js';
import { runWatched } from '../../tools/peak-memory.js';

const good = {
  id: 'x',
  phase: 'S1901M',
  units: { AUSTRIA: ['A BUD', 'F TRI'], ITALY: ['A VEN'] },
  centers: { AUSTRIA: ['BUD', 'TRI'], ITALY: ['VEN'] },
  orders: { AUSTRIA: ['A BUD - SER'] },
};

/** Runs what may refuse a record. Returns why it did; '' if it did not. */
const refusalOf = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    if (hasCode(error, 'record')) return error.message;
    throw error;
  }
  return '';
};

const errorOf = (record: unknown): string => refusalOf(() => adjudicateRecord(record));

// ---- records ----

const records = suite('bad input: records');
const powers = 'one of AUSTRIA, ENGLAND, FRANCE, GERMANY, ITALY, RUSSIA, TURKEY';
const nested = JSON.parse(`${'['.repeat(1000)}${']'.repeat(1000)}`);
const phaseWanted = 'wanted one like S1901M, F1901R or W1901A';

/** Fields in place of the good ones, and what is said of them: what no file should hold. Others are in records.json. */
// biome-ignore format: fields, message
const large: [object, string][] = [
  [{ id: nested }, 'id: got a list of 1, wanted text or a number'],
  [{ units: { AUSTRIA: nested } }, 'units of AUSTRIA, entry 1: got a list of 1, wanted text'],
  [{ units: { AUSTRIA: Array(76).fill('A BUD') } }, 'units of AUSTRIA: got 76, wanted at most 75'],
  [{ units: { AUSTRIA: ['x'.repeat(9999)] } }, `units of AUSTRIA, "${'x'.repeat(37)}...": got 9999 characters, wanted at most 200`],
  [{ orders: { AUSTRIA: Array(100_000).fill('A BUD H') } }, 'orders of AUSTRIA: got 100000, wanted at most 1000'],
  [{ phase: 'S1901R', retreats: { ITALY: Object.fromEntries(standard.provinceTags.slice(0, 26).map((tag, p) => [`${standard.kind[p] === 2 ? 'F' : 'A'} ${tag}`, []])) } }, 'retreats: got more than 25 units'],
];
for (const [fields, message] of large)
  records(`a record is refused: ${message.slice(0, 100)}`, () => assert.is(errorOf({ ...good, ...fields }), message));

/** Fields in place of the good ones, what is said of them, and names of fields that are left out. */
type RefusedRow = readonly [fields: object, message: string, ...without: string[]];

for (const [fields, message, ...without] of readData<{ refused: RefusedRow[] }>('records.json').refused)
  records(`a record is refused: ${message}`, () => {
    const left = Object.entries({ ...good, ...fields }).filter(([name]) => !without.includes(name));
    assert.is(errorOf(Object.fromEntries(left)), message);
  });

records('a line that is no object is refused', () => {
  for (const value of [null, undefined, 1, 'x', true, [], [good]])
    assert.match(errorOf(value), /^record: got .*, wanted an object$/);
});

records('fields that do not count are not looked at', () => {
  const more = { builds: 'none', messages: nested, state: 5, toString: 1 };
  assert.equal(adjudicateRecord({ ...good, ...more }), adjudicateRecord(good));
  assert.equal(adjudicateRecord({ ...good, retreats: { ITALY: {} } }), adjudicateRecord(good));
});

records('fields of a prototype are none', () => {
  const record = Object.create({ units: good.units });
  assert.is(errorOf(Object.assign(record, { phase: 'S1901M' })), 'units: got nothing, wanted an object');
});

// ---- orders that are none ----

records('an order that cannot be read or obeyed is illegal, and the others count', () => {
  const orders = {
    AUSTRIA: ['A BUD - SER', '', 'F TRI - XYZ', 'A VEN - ROM', 'F TRI - BUD', 'A BUD - RUM', '💥', 'x'.repeat(5000)],
    TURKEY: ['F TRI - ADR', 'A CON H'],
  };
  const out = adjudicateRecord({ ...good, orders });
  assert.equal(
    out.orders.map(({ power, unit, order, result }) => [power, unit, order?.slice(0, 20) ?? null, result].join(' | ')),
    [
      'AUSTRIA | A BUD | A BUD - SER | succeeds',
      'AUSTRIA |  |  | illegal',
      'AUSTRIA |  | F TRI - XYZ | illegal',
      'AUSTRIA | A VEN | A VEN - ROM | illegal',
      'AUSTRIA | F TRI | F TRI - BUD | illegal',
      'AUSTRIA | A BUD | A BUD - RUM | illegal',
      'AUSTRIA |  | 💥 | illegal',
      'AUSTRIA |  | xxxxxxxxxxxxxxxxxxxx | illegal',
      'TURKEY | F TRI | F TRI - ADR | illegal',
      'TURKEY |  | A CON H | illegal',
      'ITALY | A VEN |  | stands',
    ],
  );
  assert.ok(out.orders.slice(1, -1).every(({ reason }) => reason !== null && reason.length < 200));
});

// ---- anything at all ----

records('anything at all is answered or refused', () => {
  let answered = 0;
  fc.assert(
    fc.property(anyRecord, (value) => {
      for (const answer of [adjudicateRecord, legalRecord]) {
        const refusal = refusalOf(() => JSON.stringify(answer(value)));
        if (refusal === '') answered++;
        assert.ok(refusal.length <= 1000);
      }
    }),
    { numRuns: 10_000, seed: 2 },
  );
  assert.ok(answered > 2000, `${answered} answered`);
});

records('what is read is a game that passes its check, and reads again the same', () => {
  let read = 0;
  fc.assert(
    fc.property(anyRecord, (value) => {
      refusalOf(() => {
        const { game } = parsePosition(value, standard, DATC_3_2);
        const attackersStand = game.dislodgedCount === 0;
        if (attackersStand) assert.is(checkGame(game), null);
        const shown = formatPosition(game);
        assert.equal(formatPosition(parsePosition(shown, standard, DATC_3_2).game), shown);
        read++;
      });
    }),
    { numRuns: 5000, seed: 3 },
  );
  assert.ok(read > 500, `${read} read`);
});
records.run();

// ---- lines ----

const lines = suite('bad input: lines');

const answers = (input: string | Buffer, chunk = input.length): string[] => {
  const bytes = Buffer.from(input);
  const splitter = new LineSplitter();
  const answerer = new LineAnswerer((value) => adjudicateRecord(value));
  let out = '';
  for (let i = 0; i < bytes.length; i += chunk)
    for (const line of splitter.split(bytes.subarray(i, i + chunk))) out += answerer.reply(line);
  for (const line of splitter.rest()) out += answerer.reply(line);
  return out.split('\n').slice(0, -1);
};

const short = (answer: string): string => {
  const { id, line, error, phase } = JSON.parse(answer);
  return error === undefined ? `${id} ${phase}` : `${id} line ${line}: ${error}`;
};

const goodLine = JSON.stringify(good);

lines('every line is answered in order, blank ones are skipped', () => {
  const input = `\uFEFF${goodLine}\r\n\n  \t\r\n{"id": 7, "phase": "x"}\nnonsense\n[]\n{"id": {}, "phase": 3}\n${goodLine}`;
  const expected = [
    'x S1901M',
    `7 line 4: phase: got "x", ${phaseWanted}`,
    'null line 5: not JSON: Unexpected token',
    'null line 6: record: got a list of 0, wanted an object',
    'null line 7: id: got an object, wanted text or a number',
    'x S1901M',
  ];
  for (const chunk of [input.length * 4, 1, 7, 1000])
    assert.equal(
      answers(input, chunk).map((answer) => short(answer).replace(/(Unexpected token).*/, '$1')),
      expected,
    );
});

lines('broken JSON is refused', () => {
  const broken = [
    '{',
    '{"phase"',
    '{"phase": "S1901M",}',
    "{'phase': 1}",
    'NaN',
    '{"a": 1} {"a": 2}',
    '\u0000',
    '"',
    '{"id": 1e999',
  ];
  for (const text of broken) {
    const [answer, ...rest] = answers(`${text}\n`);
    assert.is(rest.length, 0);
    assert.match(short(answer), /^null line 1: not JSON: /, text);
  }
});

lines('separators of Unicode end no line, and broken UTF-8 is only a broken name', () => {
  assert.is(short(answers(`{"id": "a\u2028b\u0085", "phase": "S1901M", "units": {}}`)[0]), 'a\u2028b\u0085 S1901M');
  const bytes = Buffer.from('{"id": 1, "phase": "\xff\xfe\xc3"}\n', 'latin1');
  assert.match(short(answers(bytes)[0]), /^1 line 1: phase: got "\ufffd+", wanted/);
});

lines('a line of 10 MB, nesting, 100,000 orders: refused, and the next line is read', () => {
  const long = `{"id": 1, "phase": "${'x'.repeat(10_000_000)}"}`;
  const deep = `{"id": 2, "phase": "S1901M", "units": ${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
  const deepId = `{"id": ${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}, "phase": "S1901M"}`;
  const many = JSON.stringify({ ...good, id: 3, orders: { AUSTRIA: Array(100_000).fill('A BUD H') } });
  const powersOf = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`P${i}`, []]));
  const keys = JSON.stringify({ ...good, id: 4, units: powersOf });
  assert.equal(answers([long, deep, deepId, many, keys, goodLine].join('\n'), 65_536).map(short), [
    `null line 1: got a line of more than ${MAX_LINE} bytes`,
    '2 line 2: units: got a list of 1, wanted an object',
    'null line 3: id: got an object, wanted text or a number',
    '3 line 4: orders of AUSTRIA: got 100000, wanted at most 1000',
    `4 line 5: units: got power "P0", wanted ${powers}`,
    'x S1901M',
  ]);
});

lines('a line is read up to a length, and refused beyond it', () => {
  const padded = `${goodLine}${' '.repeat(MAX_LINE - goodLine.length)}`;
  assert.equal(answers(`${padded}\n${padded} \n${goodLine}`, 10_007).map(short), [
    'x S1901M',
    `null line 2: got a line of more than ${MAX_LINE} bytes`,
    'x S1901M',
  ]);
});
lines.run();

// ---- the command ----

const command = suite('bad input: lepanto adjudicate');

const lepanto = (args: readonly string[], input: string): Ended => runLepanto(args, { input });

command('a malformed line makes the exit code 1', () => {
  const fine = lepanto(['adjudicate'], `${goodLine}\n\n${goodLine}\n`);
  assert.equal([fine.code, fine.err, fine.out.trim().split('\n').map(short)], [0, '', ['x S1901M', 'x S1901M']]);
  const bad = lepanto(['adjudicate', '-'], `${goodLine}\n{\n${goodLine}\n`);
  assert.equal([bad.code, bad.err], [1, 'adjudicate: 1 of 3 lines malformed\n']);
  assert.is(bad.out.trim().split('\n').length, 3);
  const legal = lepanto(['legal', '--quiet'], 'x\n');
  assert.equal([legal.code, legal.err], [1, '']);
  assert.equal(lepanto(['adjudicate'], ''), { code: 0, out: '', err: '' });
});

command('a position may span lines, and costs no other where it is malformed', () => {
  const long = JSON.stringify(good, null, 2);
  const three = lepanto(['adjudicate'], `\uFEFF${long}\n${goodLine}\n${long}\n`);
  assert.equal([three.code, three.out.trim().split('\n').map(short)], [0, ['x S1901M', 'x S1901M', 'x S1901M']]);
  const bad = lepanto(['adjudicate'], `${long.replace('{', '{,')}\n${long.slice(0, -2)}\n${goodLine}\n`);
  const lines = long.split('\n').length;
  assert.equal([bad.code, bad.err], [1, `adjudicate: 2 of ${2 * lines} lines malformed\n`]);
  const [first, second, last] = bad.out.trim().split('\n');
  assert.match(first, /"line":1,"error":"not JSON/);
  assert.match(second, new RegExp(`"line":${lines + 1},"error":"not JSON`));
  assert.is(short(last), 'x S1901M');
});

command('wrong options and files are refused with what was wanted, before anything is printed', () => {
  for (const [args, message] of [
    [['adjudicate', '--map', 'moon'], /got "moon", wanted one of standard/],
    [['adjudicate', '--rules', 'mine'], /got .*"mine", wanted one of datc-3.2/],
    [['adjudicate', '--colour'], /--colour/],
    [['adjudicate', 'a', 'b'], /got 2 files, wanted one/],
    [['adjudicate', '/nowhere/at/all'], /there is no such file/],
    [['legal', tmpdir()], /it is a directory/],
  ] as const) {
    const { code, out, err } = lepanto(args, '');
    assert.ok(code === 1 || code === 2, `exit code ${code}`);
    assert.is(out, '');
    assert.not.match(err, /at .*\.js:\d/);
    assert.match(err, message);
  }
});

command('a reader that closes early is no failure', async () => {
  const feed = ({ stdin, stdout }: ChildProcess): void => {
    stdout?.once('data', () => stdout.destroy());
    stdin?.end(`${goodLine}\n`.repeat(20_000));
  };
  const { code, err } = await runWatched(['adjudicate'], { feed });
  assert.equal([code, err], [0, '']);
});

command('an answer comes before the next line is waited for', async () => {
  const child = spawn(process.execPath, [entry, 'adjudicate'], { stdio: 'pipe' });
  for (let i = 0; i < 3; i++) {
    child.stdin.write(`${JSON.stringify({ ...good, id: i })}\n`);
    const [answer] = (await once(child.stdout, 'data')) as [Buffer];
    assert.is(short(answer.toString()), `${i} S1901M`);
  }
  child.stdin.end();
  const [code] = (await once(child, 'close')) as [number | null];
  assert.is(code, 0);
});
command.run();
