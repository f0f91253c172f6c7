// Tests that every command of the README works and prints what the README says, and so for the documents of the folders.
//
// A ```sh block is run by sh in an empty directory, block after block. A ```text or ```json block right after one is
// its output: text word for word but for `...`, which stands for a time or a speed; JSON by its value.
import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { blocksOf, commandDocuments } from '../tools/code-blocks.js';
import { entry, makeFolder } from '../tools/command.js';
import { readText, root } from '../tools/data.js';

const readme = readText('README.md');
/** Documents whose commands run after those of the README, in the same directory. */
const documents = commandDocuments.filter((path) => path !== 'README.md');

/** Commands that are not run as they stand, and what covers them. */
const covered: Readonly<Record<string, string>> = {
  'npm ci && npm start': '.ci/run does npm ci; "npm start" below is the rest',
};

interface Example {
  readonly command: string;
  /** 'text' or 'json'. */
  readonly kind: string | null;
  readonly output: string | null;
}

const findExamples = (text: string): Example[] =>
  [...text.matchAll(/```sh\n([\s\S]*?)```\n(?:\n*```(text|json)\n([\s\S]*?)```)?/g)].map(
    ([, command, kind, output]) => ({
      command: command.trim(),
      kind: kind ?? null,
      output: output ?? null,
    }),
  );

const escapePattern = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

const toPattern = (output: string): RegExp => new RegExp(`^${output.split('...').map(escapePattern).join('[^\\n]*')}$`);

const place = makeFolder('readme');
const examples = findExamples(readme);
/** The first block of a language in the README. */
const blockIn = (language: string): string => blocksOf(readme).find((block) => block.language === language)?.code ?? '';
const readmeSuite = suite('readme');

/** A directory with `lepanto` and `npx lepanto` on its path, the package installed, and the README's own agent in it. */
readmeSuite.before(() => {
  mkdirSync(join(place, 'bin'));
  const script = (name: string, body: string): void =>
    writeFileSync(join(place, 'bin', name), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
  script('lepanto', `exec '${process.execPath}' '${entry}' "$@"`);
  script('npx', 'exec "$@"');
  mkdirSync(join(place, 'node_modules'));
  symlinkSync(root, join(place, 'node_modules', 'lepanto'));
  writeFileSync(join(place, 'my-agent.mjs'), blockIn('js'));
});

const run = (command: string, ...args: string[]): SpawnSyncReturns<string> =>
  spawnSync(command, args, {
    ...{ cwd: place, encoding: 'utf8', timeout: 600_000 },
    env: { ...process.env, PATH: join(place, 'bin') + delimiter + (process.env.PATH ?? '') },
  });
const runShell = (command: string): SpawnSyncReturns<string> => run('sh', '-c', command);
const runModule = (code: string): SpawnSyncReturns<string> =>
  run(process.execPath, '--input-type=module', '--eval', code);

/** Fails with the difference if a command does not print what the README shows. */
const compareOutput = (printed: string, { kind, output }: Example): void => {
  if (output === null) throw new Error('the README shows no output');
  if (kind === 'json') assert.equal(JSON.parse(printed), JSON.parse(output));
  else if (!toPattern(output).test(printed)) assert.is(printed, output);
};

const testExample = (example: Example, name: string): void => {
  readmeSuite(name, () => {
    const { stdout, stderr, status } = runShell(example.command);
    assert.is(status, 0, stderr);
    compareOutput(stdout, example);
  });
};

for (const example of examples)
  if (!Object.hasOwn(covered, example.command)) testExample(example, example.command.slice(0, 60));

for (const path of documents)
  for (const example of findExamples(readText(path))) testExample(example, `${path}: ${example.command.slice(0, 60)}`);

readmeSuite('what is not run is covered, and what is covered is there', () => {
  const commands = examples.map(({ command }) => command);
  for (const command of Object.keys(covered)) assert.ok(commands.includes(command), command);
  assert.ok(commands.length >= 5);
});

readmeSuite('a command that the README names between the lines has help', () => {
  const named = new Set([...readme.matchAll(/`(?:npx )?lepanto ([a-z]+)[ `]/g)].map(([, name]) => name));
  assert.ok(named.has('selfplay') && named.has('replay'));
  for (const name of named) assert.is(runShell(`lepanto ${name} --help`).status, 0, name);
});

readmeSuite('the program of the README prints what it says', () => {
  const source = blockIn('ts');
  const promised = /console\.log\(.*\/\/ (.+)$/m.exec(source)?.[1];
  const { stdout, stderr } = runModule(source);
  assert.equal([stderr, stdout], ['', `${promised}\n`]);
});

readmeSuite('the programs of other documents run', () => {
  const programs = documents.flatMap((path) => blocksOf(readText(path)).filter(({ language }) => language === 'js'));
  assert.ok(programs.length > 0);
  for (const { code } of programs) {
    const { stderr, status } = runModule(code);
    assert.equal([stderr, status], ['', 0], code);
  }
});

readmeSuite('every program in TypeScript compiles under strict', () => {
  const programs = ['README.md', ...documents].flatMap((path) =>
    blocksOf(readText(path))
      .filter(({ language }) => language === 'ts')
      .map(({ code }, i) => {
        const name = `${path.replace(/\W/g, '-')}-${i}.ts`;
        writeFileSync(join(place, name), code);
        return name;
      }),
  );
  assert.ok(programs.length > 0);
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--target', 'es2022', '--module', 'nodenext'];
  const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')];
  writeFileSync(join(place, 'package.json'), '{"type": "module"}');
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const { stdout, status } = run(process.execPath, tsc, ...options, ...types, ...programs);
  assert.equal([stdout, status], ['', 0]);
});

readmeSuite('npm start builds, plays into a new directory, and says how to read a game back', () => {
  const { scripts } = JSON.parse(readText('package.json'));
  const [build, command] = scripts.start.split(' && ');
  assert.is(build, 'npm run --silent build');
  assert.is(command, 'node dist/bindings/cli/lepanto.js selfplay --demo');
  for (const directory of ['runs/start-1', 'runs/start-2']) {
    const { stdout, status } = runShell('lepanto selfplay --demo --games 3');
    assert.is(status, 0);
    assert.match(stdout, `npx lepanto replay ${directory} --game 0`);
    assert.ok(existsSync(join(place, directory, 'games-00000.lep')));
  }
  assert.is(runShell('npx lepanto replay runs/start-1 --game 0').status, 0);
});

readmeSuite('the README leaves detail to the documents of the folders', () => {
  assert.ok(readme.split('\n').length <= 231, 'wanted at most 230 lines');
});

readmeSuite.run();
