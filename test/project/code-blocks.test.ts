// Tests that every code block of the site is one that a test runs, and names that test.
//
// readme.slow.test.ts runs the commands and programs of the documents in `commandDocuments`, python.slow.test.ts those of the
// Python package. All other blocks are in the table below: what begins a block, and a test with words of it.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { groups } from '../docs/site/make-site.js';
import { type Block, blocksOf, commandDocuments, packageDocuments } from '../tools/code-blocks.js';
import { readText } from '../tools/data.js';

type Row = readonly [begin: string, test: string, words: string];

/** Blocks by document that no test runs word for word, and the test that does the same. */
const others: Readonly<Record<string, readonly Row[]>> = {
  'ARCHITECTURE.md': [['engine      rules map', 'test/project/imports.test.ts', 'ARCHITECTURE.md']],
  'bench/README.md': [['for turn in 1 2', 'test/bench/bench.slow.test.ts', '--compare']],
  // Minutes, up to 14 of them.
  'bench/strength/README.md': [
    ['npm run build && node dist/bench', 'test/bench/strength.slow.test.ts', 'report'],
    ['node dist/bench/strength/strength.js', 'test/bench/strength.slow.test.ts', '--agents'],
  ],
  'bindings/cluster/README.md': [
    ['sbatch --array=0-99', 'test/bindings/cluster/cluster.slow.test.ts', 'slurm.sh'],
    ['lepanto arena --population', 'test/bindings/cli/population-command.slow.test.ts', "'--shard'"],
  ],
  'bindings/cluster/queue/README.md': [
    ['npm install bullmq ioredis', 'test/bindings/cluster/queue.slow.test.ts', '--maxmemory-policy'],
    ['LEPANTO_QUEUE_PASSWORD=...', 'test/bindings/cluster/queue.slow.test.ts', 'LEPANTO_QUEUE_PASSWORD'],
  ],
  'bindings/protocols/BOT-PROTOCOL.md': [['{', 'test/bindings/protocols/bots.test.ts', 'BOT-PROTOCOL.md']],
  'bindings/protocols/daide/README.md': [
    ['$ lepanto daide', 'test/bindings/protocols/daide.slow.test.ts', 'daide'],
    ['< IM version 1', 'test/bindings/protocols/daide.slow.test.ts', 'HLO'],
    ['< SUB ((FRA AMY PAR)', 'test/bindings/protocols/daide-orders.test.ts', 'THX'],
  ],
  'bindings/python/LANGUAGE-MODELS.md': [
    ['from lepanto import llm', 'bindings/python/tests/test_llm.py', 'GUIDE.read_text'],
    ['answer = llm.parse', 'bindings/python/tests/test_llm.py', 'GUIDE.read_text'],
    ['first, second = llm.fork', 'bindings/python/tests/test_llm.py', 'GUIDE.read_text'],
    ['lepanto arena --preset', 'bindings/python/tests/test_llm.py', 'lepanto arena'],
    ['import inspect_ai', 'bindings/python/tests/test_llm_inspect.py', 'import inspect_ai'],
    ['endpoint = llm.Endpoint', 'bindings/python/tests/test_llm.py', 'GUIDE.read_text'],
  ],
  'CONTRIBUTING.md': [
    ['npm run build && node dist/bindings/python', 'test/bindings/python/python.slow.test.ts', 'unittest'],
  ],
  'engine/README.md': [['ENGLAND  F APU - ADR', 'test/oracle/printed-recursion.test.ts', 'engine/README.md']],
  'bindings/python/README.md': [
    ['npm ci && npm run build:wheels', 'test/bindings/python/wheels.slow.test.ts', "'--wheels'"],
  ],
  'selfplay/README.md': [['DIR/manifest.json', 'test/selfplay/records/manifest.test.ts', 'manifest']],
};

const documents = groups.flatMap(({ items }) => items.map(({ file }) => file));

/** Python programs of the package's documents, which python.slow.test.ts runs. The README repeats one. */
const pythonBlocks = new Set(
  packageDocuments
    .flatMap((path) => blocksOf(readText(path)).filter(({ language }) => language === 'python'))
    .map(({ code }) => code),
);

/** True for each block that readme.slow.test.ts runs: commands, the output after one, programs. */
const areRun = (file: string, blocks: readonly Block[]): boolean[] =>
  blocks.map(({ language, code }, i) => {
    if (packageDocuments.includes(file)) return ['python', 'sh'].includes(language);
    if (!commandDocuments.includes(file)) return false;
    return (
      ['sh', 'js', 'ts'].includes(language) ||
      (language === 'python' && pythonBlocks.has(code)) ||
      (['text', 'json'].includes(language) && blocks[i - 1]?.language === 'sh')
    );
  });

const codeBlocks = suite('code blocks');

codeBlocks('all kinds of blocks are found', () => {
  const text = 'a\n\n```sh\nls\n```\n\n    indented\n\n    twice\n\nb\n\n```\nplain\n```\n- c\n    not code\n';
  assert.equal(blocksOf(text), [
    { language: 'sh', code: 'ls\n' },
    { language: '', code: 'plain\n' },
    { language: 'indented', code: 'indented\n\ntwice\n' },
  ]);
});

codeBlocks('every block of the site is run by a test', () => {
  const unused = new Set(Object.values(others).flat());
  const missing: string[] = [];
  let seen = 0;
  for (const file of documents) {
    const blocks = blocksOf(readText(file));
    const run = areRun(file, blocks);
    for (const [i, { code }] of blocks.entries()) {
      seen++;
      const row = (others[file] ?? []).find(([begin]) => code.startsWith(begin));
      if (row !== undefined) unused.delete(row);
      else if (!run[i]) missing.push(`${file}: ${code.split('\n', 1)[0]}`);
    }
  }
  assert.equal(missing, []);
  assert.equal([...unused], []);
  assert.ok(seen > 40, `${seen} blocks`);
});

codeBlocks('the tests that are named have those words', () => {
  for (const [begin, test, words] of Object.values(others).flat())
    assert.ok(readText(test).includes(words), `${begin}: ${test}`);
});

codeBlocks.run();
