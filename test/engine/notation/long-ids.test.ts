// Tests what a line of JSON keeps: ids of any number of digits, and a word about text that is UTF-16.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { canRewriteLines, sayBeside } from '../../../bindings/terminal/output.js';
import { adjudicateRecord } from '../../../engine/notation/json/adjudicate-record.js';
import { parseJson, stringifyJson } from '../../../engine/notation/json/long-ids.js';
import { parseStrict } from '../../../engine/notation/json/untrusted.js';
import { callLepanto, makeFolder, runLepanto } from '../../tools/command.js';
import { errorOf } from '../../tools/errors.js';

const scratch = makeFolder('long-ids');
const at = (name: string): string => join(scratch, name);

const ids = suite('ids of any digits');

const LONG = '1043981187446497301';

ids('come back as they were', () => {
  for (const id of [
    LONG,
    `-${LONG}`,
    ...'9007199254740991 9007199254740993 0 -1'.split(' '),
    '1'.repeat(5000),
    '1e3',
    '2.5',
  ]) {
    const text = `{"id":${id},"list":[{"id":${LONG}}],"game":"a"}`;
    const again = stringifyJson(parseJson(text));
    assert.is(again, text.replace('1e3', '1000'), id);
  }
  assert.is((parseJson(`{"id" : ${LONG} }`) as { id: bigint }).id, BigInt(LONG));
  assert.is((parseJson('{"id":12}') as { id: number }).id, 12);
});

ids('long numbers are kept only behind a key of an id, and outside of texts', () => {
  for (const text of [`{"year":${LONG}}`, `{"id":[${LONG}]}`])
    assert.is(stringifyJson(parseJson(text)), stringifyJson(JSON.parse(text)));
  const quoted = JSON.stringify({ note: `{"id":${LONG}}`, id: LONG });
  assert.is(stringifyJson(parseJson(quoted)), quoted);
  for (const wrong of [`{"id":0${LONG}}`, `{"id":${LONG}x}`, `{"id":${LONG}`, `{"id":-}`])
    assert.throws(() => parseJson(wrong), SyntaxError);
  assert.throws(() => parseStrict(`{"id":${LONG},"id":1}`), /got a key twice/);
});

ids('take time in proportion to the text', () => {
  const long = '"id":'.repeat(200_000) + '9'.repeat(1_000_000);
  assert.throws(() => parseJson(long), SyntaxError);
  assert.throws(() => parseJson(`{"id"${' '.repeat(1_000_000)}`), SyntaxError);
});

ids('long ids come back from adjudicate, legal, convert and the protocol of bots', async () => {
  const text = [`{"id":${LONG},"phase":"S1901M","units":{}}`, `{"id":${LONG},"phase":"S19","units":{}}`].join('\n');
  for (const command of ['adjudicate', 'legal']) {
    const { out } = await callLepanto([command, '--quiet'], text);
    for (const line of out.trim().split('\n')) assert.ok(line.startsWith(`{"id":${LONG},`), line.slice(0, 60));
    const shown = await callLepanto(['adjudicate', '--format', 'datc', '--quiet'], text);
    assert.ok(shown.out.startsWith(LONG), shown.out.slice(0, 60));
  }
  assert.is(adjudicateRecord({ id: BigInt(LONG), phase: 'S1901M', units: {} }).id, BigInt(LONG));
  const position = { name: 'S1901M', units: { FRANCE: ['A PAR'] }, centers: { FRANCE: ['PAR'] } };
  const saved = { map: 'standard', rules: [], phases: [{ name: 'S1901M', state: position, orders: {}, results: {} }] };
  writeFileSync(at('game.json'), JSON.stringify(saved).replace('{', `{"id":${LONG},`));
  await callLepanto(['convert', at('game.json'), at('game.jsonl'), '--quiet']);
  assert.match(readFileSync(at('game.jsonl'), 'utf8'), `"id":"${LONG}"`);
  const asked = `{"id":${LONG},"game":${LONG},"phase":"S1901M","units":{"FRANCE":["A PAR"]}}`;
  const answered = runLepanto(['agent', '--agent', 'random'], { input: `${asked}\n` });
  assert.ok(answered.out.startsWith(`{"id":${LONG},"game":"${LONG}",`), answered.out.slice(0, 90) + answered.err);
});
ids.run();

const encodings = suite('other encodings, other terminals');

encodings('UTF-16 is named', async () => {
  const line = '{"id":1,"phase":"S1901M","units":{}}\r\n';
  const little = Buffer.from(`\uFEFF${line}`, 'utf16le');
  const wanted = 'got UTF-16, wanted UTF-8';
  for (const bytes of [
    little,
    little.subarray(2),
    Buffer.from(little).swap16(),
    Buffer.from(little).swap16().subarray(2),
  ]) {
    assert.match(
      errorOf(() => parseStrict(bytes.toString('utf8'))),
      wanted,
    );
    writeFileSync(at('wide.json'), bytes);
    for (const args of [
      ['legal', at('wide.json'), '--quiet'],
      ['convert', at('wide.json'), at('none.jsonl'), '--quiet'],
      ['search', at('wide.json'), '--quiet'],
      ['map', 'check', at('wide.json')],
    ]) {
      const { code, out, err } = await callLepanto(args);
      assert.ok(code !== 0 && (out + err).includes(wanted), `${args[0]}: ${out}${err}`);
    }
  }
  assert.match(
    errorOf(() => parseStrict('{"id":1')),
    'not JSON: ',
  );
});

encodings('TERM=dumb is no terminal that lines are rewritten on', () => {
  const { stderr, env } = process;
  const { isTTY, write } = stderr;
  const { TERM } = env;
  let written = '';
  try {
    stderr.isTTY = true;
    stderr.write = (text: string | Uint8Array): boolean => {
      written += text;
      return true;
    };
    for (const [term, wanted] of [
      ['xterm', true],
      ['dumb', false],
    ] as const) {
      env.TERM = term;
      written = '';
      assert.is(canRewriteLines(), wanted);
      sayBeside('text');
      assert.is(written.includes('\x1b'), wanted);
    }
  } finally {
    Object.assign(stderr, { isTTY, write });
    env.TERM = TERM;
    if (TERM === undefined) delete env.TERM;
  }
});
encodings.run();
