// Tests the renderings of tables: alignment, captions, links, and text that has a meaning in Markdown or HTML.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { csvOf, makeTable, numbers, renderMarkdown, renderText, words } from '../../../bindings/reports/table.js';

interface Row {
  readonly name: string;
  readonly score: number;
}

const rows: readonly Row[] = [
  { name: 'a|b <i>', score: 7 },
  { name: 'hold', score: 1234.5 },
];
const table = makeTable(
  rows,
  [
    words('agent', ({ name }) => name),
    numbers('score', ({ score }) => [String(score), `score=${score}&x`]),
    words('at', (_, i) => i),
  ],
  'How they did',
);
const none = makeTable<Row>([], [words('agent', ({ name }) => name), numbers('score', ({ score }) => score)]);

const tables = suite('tables');

tables('text has columns as wide as they need', () => {
  const wanted = ['How they did', 'agent     score  at', 'a|b <i>       7  0', 'hold     1234.5  1'];
  assert.is(renderText(['Title', '', table]), `Title\n\n${wanted.join('\n')}\n`);
  assert.is(renderText([none]), 'agent  score\n');
});

tables('Markdown aligns columns and keeps a bar in its cell', () => {
  const wanted = '| agent | score | at |\n| --- | ---: | --- |\n| a\\|b <i> | 7 | 0 |\n| hold | 1234.5 | 1 |\n';
  assert.is(renderMarkdown(['# Title', table]), `# Title\n\nHow they did\n\n${wanted}`);
});

tables('CSV quotes what needs it, and no cell becomes a formula', () => {
  const rows = [
    ['agent', 'score'],
    ['a,"b"', -1.5],
    ['=1+2', '-'],
    ['two\nlines', 'x'],
  ];
  assert.is(csvOf(rows), `agent,score\r\n"a,""b""",-1.5\r\n'=1+2,'-\r\n"two\nlines",x\r\n`);
});

tables('a table survives JSON', () => {
  assert.is(renderText([JSON.parse(JSON.stringify(table))]), renderText([table]));
});

tables.run();
