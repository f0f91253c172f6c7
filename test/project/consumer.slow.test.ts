// Tests the package as its users get it: packed, installed into an empty folder, compiled against under `strict`, run,
// and bundled for a browser.
//
// Installing takes the dependencies from npm's cache or the registry. If neither has them, the tests say so and count as
// skipped.
import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import vm from 'node:vm';
import { build } from 'esbuild';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { loadPackage } from '../../selfplay/packages.js';
import { blocksOf } from '../tools/code-blocks.js';
import { makeFolder } from '../tools/command.js';
import { readText, root } from '../tools/data.js';
import { errorOf } from '../tools/errors.js';

const place = makeFolder('consumer');

const run = (command: string, args: readonly string[], cwd = place): SpawnSyncReturns<string> =>
  spawnSync(command, args, { cwd, encoding: 'utf8', timeout: 300_000 });

const said = ({ stdout, stderr, error }: SpawnSyncReturns<string>): string =>
  error?.message ?? `${stdout}${stderr}`.trim();

/** Packs and installs. Returns what went wrong on the way to the dependencies, '' if nothing did. */
const install = (): string => {
  const packed = run('npm', ['pack', '--ignore-scripts', '--pack-destination', place], root);
  if (packed.status !== 0) throw new Error(said(packed));
  const tarball = readdirSync(place).find((name) => name.endsWith('.tgz'));
  writeFileSync(join(place, 'package.json'), JSON.stringify({ name: 'consumer', private: true, type: 'module' }));
  const flags = ['--prefer-offline', '--ignore-scripts', '--omit=optional', '--no-audit', '--no-fund'];
  const installed = run('npm', ['install', ...flags, `./${tarball}`]);
  return installed.status === 0 ? '' : said(installed);
};

/** Writes a project in TypeScript into a folder of the consumer, and compiles it under strict. */
const compile = (folder: string, files: Readonly<Record<string, string>>, options: object): void => {
  const project = join(place, folder);
  mkdirSync(project, { recursive: true });
  const compilerOptions = { target: 'ES2022', module: 'nodenext', strict: true, ...options };
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: Object.keys(files) }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(project, name), text);
  const compiled = run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', project]);
  assert.is(compiled.status, 0, said(compiled));
};

/** Uses every entry of the package with types; prints a line for each. */
const program = `
import { readFileSync } from 'node:fs';
import { adjudicate, legalByPower, newGame, type Order, type Power, phaseName } from 'lepanto';
import { orders, outcomes, type OrderEntry } from 'lepanto/notation';
import { parseAgents, playGame } from 'lepanto/selfplay';
import * as games from 'lepanto/games';
import { drawBoard } from 'lepanto/draw';
import { playRunByQueue, type QueueAddress, readAddress } from 'lepanto/queue';
import { readGame } from 'lepanto/raw';
import * as tensors from 'lepanto/tensors';

const game = newGame();
const power: Power = game.map.powerNames.indexOf('FRANCE');
const first: Order = legalByPower(game, power)[0][0];
const results = adjudicate(game, orders(game, { FRANCE: ['A PAR - BUR'] }));
const moved: OrderEntry | undefined = outcomes(game, results).find((entry) => entry.unit === 'A PAR');
console.log('lepanto', first > 0, moved?.result, phaseName(game));

const record = await playGame({ agents: parseAgents('hold', 7), until: 1901, seed: 1 });
console.log('lepanto/selfplay', record.phases.length > 2);
console.log('lepanto/games', Object.keys(games).length > 3);
console.log('lepanto/tensors', Object.keys(tensors).length > 3);
const address: QueueAddress = readAddress('redis://localhost');
console.log('lepanto/queue', address.port, [playRunByQueue, drawBoard, readGame].map((one) => typeof one).join());
const manifest: { version: string } = JSON.parse(
  readFileSync(new URL('node_modules/lepanto/package.json', import.meta.url), 'utf8'),
);
console.log(typeof manifest.version);
`;
const PRINTED = [
  'lepanto true succeeds F1901M',
  'lepanto/selfplay true',
  'lepanto/games true',
  'lepanto/tensors true',
  'lepanto/queue 6379 function,function,function',
  'string',
];

const missing = install();
const consumer = suite('consumer');

if (missing !== '') {
  process.stdout.write(`SKIPPED: the package was not installed as a user would: ${missing}\n`);
  consumer.skip('compiles and runs', () => {});
  consumer('says why it was skipped', () => {
    assert.ok(missing.length > 0);
  });
} else {
  consumer('a program that uses every entry compiles under strict, and runs', () => {
    compile(
      '.',
      { 'main.ts': program },
      {
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: false,
        // What piscina and Node declare is not this package's.
        skipLibCheck: true,
        types: ['node'],
        typeRoots: [join(root, 'node_modules/@types')],
      },
    );
    const ran = run(process.execPath, ['main.js']);
    assert.is(ran.stderr, '');
    assert.equal(ran.stdout.trim().split('\n'), PRINTED);
  });

  consumer('the README, copied and pasted, works where the package is installed', () => {
    const readme = readText('README.md');
    const blocks = blocksOf(readme).filter(({ code }) => !code.startsWith('npm ci'));
    const agent = blocks.find(({ language }) => language === 'js')?.code ?? '';
    writeFileSync(join(place, 'my-agent.mjs'), agent);
    let seen = 0;
    for (const [i, { language, code }] of blocks.entries()) {
      if (language !== 'sh') continue;
      const done = run('sh', ['-c', code]);
      assert.is(done.status, 0, `${code}${said(done)}`);
      const line = (text: string): string => text.trim().split('\n').at(-1) ?? '';
      if (blocks[i + 1].language === 'text' && !code.includes('selfplay'))
        assert.is(line(done.stdout), line(blocks[i + 1].code));
      seen++;
    }
    assert.is(seen, 5);
  });

  consumer('a bundle for Node of entries that start no threads runs', async () => {
    const contents = `
      import { adjudicate, newGame } from 'lepanto';
      import { orders } from 'lepanto/notation';
      import * as games from 'lepanto/games';
      import * as tensors from 'lepanto/tensors';
      const game = newGame();
      adjudicate(game, orders(game, { FRANCE: ['A PAR - BUR'] }));
      console.log(game.year, 'playedGames' in games, Object.keys(tensors).length > 3);`;
    const outfile = join(place, 'bundle.mjs');
    const js = "import { createRequire as from } from 'node:module'; const require = from(import.meta.url);";
    await build({
      ...{ stdin: { contents, resolveDir: place, loader: 'ts' }, outfile, banner: { js }, external: ['koffi'] },
      ...{ bundle: true, platform: 'node', format: 'esm', logLevel: 'silent', absWorkingDir: place },
    });
    assert.is(run(process.execPath, [outfile]).stdout, '1901 true true\n');
  });

  consumer('what is said of onnxruntime-node installs it in a clone', () => {
    const told = errorOf(() => loadPackage('onnxruntime-node', 'net'));
    const flags = /: npm (install .*) onnxruntime-node$/.exec(told)?.[1].split(' ') ?? [];
    assert.ok(flags.length > 1, told);
    const done = run(
      'npm',
      // What runs the tests may have made npm silent.
      [...flags, '--dry-run', '--loglevel=notice', '--ignore-scripts', '--no-audit', '--no-fund', 'onnxruntime-node'],
      root,
    );
    assert.is(done.status, 0, said(done));
    assert.match(done.stdout, /^add onnxruntime-node \d/m);
  });

  consumer('the declarations of engine, bindings and tensors need neither Node nor a browser', () => {
    const names = ['lepanto', 'lepanto/notation', 'lepanto/draw', 'lepanto/tensors'];
    const files = Object.fromEntries(names.map((name, i) => [`${i}.ts`, `export * from '${name}';\n`]));
    compile('bare', files, { lib: ['ES2022'], skipLibCheck: false, types: [], noEmit: true });
  });

  consumer('the browser example, bundled, runs where there is nothing but the language', async () => {
    const entry = join(place, 'page.ts');
    writeFileSync(entry, readFileSync(join(root, 'bindings/examples/browser/page.ts')));
    const bundle = await build({
      ...{ entryPoints: [entry], bundle: true, format: 'iife', globalName: 'page', platform: 'browser' },
      ...{ write: false, absWorkingDir: place, logLevel: 'silent' },
    });
    const context = vm.createContext(Object.create(null));
    vm.runInContext(bundle.outputFiles[0].text, context);
    const answer: string = vm.runInContext(
      `page.adjudicateText('FRANCE A PAR - BUR\\nGERMANY A MUN - BUR\\nGERMANY A MUN - LON')`,
      context,
    );
    assert.match(answer, /^FRANCE, A PAR - BUR, fails, bounced with A MUN$/m);
    assert.match(answer, /^GERMANY, A MUN - LON: /m);
    assert.is(answer.split('\n').length, 23);
  });
}

consumer.run();
