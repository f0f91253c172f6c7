// Tests that every command of the README works and prints what the README says, and so for the documents of the folders.
//
// A ```sh block is run by sh in an empty directory, block after block. A ```text or ```json block right after one is
// its output: text word for word but for `...`, which stands for a time or a speed; JSON by its value.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { blocksOf, commandDocuments } from '../tools/code-blocks.js';
import { entry } from '../tools/command.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const readme = read('README.md');
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

let place = '';
const examples = findExamples(readme);
const readmeSuite = suite('readme');

/** A directory with `lepanto` and `npx lepanto` on its path, the package installed, and the README's own agent in it. */
readmeSuite.before(() => {
  place = mkdtempSync(join(tmpdir(), 'lepanto-readme-'));
  mkdirSync(join(place, 'bin'));
  const script = (name: string, body: string): void => {
    writeFileSync(join(place, 'bin', name), `#!/bin/sh\n${body}\n`);
    chmodSync(join(place, 'bin', name), 0o755);
  };
  script('lepanto', `exec '${process.execPath}' '${entry}' "$@"`);
  script('npx', 'exec "$@"');
  mkdirSync(join(place, 'node_modules'));
  symlinkSync(root, join(place, 'node_modules', 'lepanto'));
  const agent = /```js\n([\s\S]*?)```/.exec(readme)?.[1];
  if (agent === undefined) throw new Error('the README shows no agent');
  writeFileSync(join(place, 'my-agent.mjs'), agent);
});
readmeSuite.after(() => rmSync(place, { recursive: true }));

const runShell = (command: string): { stdout: string; stderr: string; status: number | null } =>
  spawnSync('sh', ['-c', command], {
    cwd: place,
    encoding: 'utf8',
    timeout: 600_000,
    env: { ...process.env, PATH: join(place, 'bin') + delimiter + (process.env.PATH ?? '') },
  });

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
  for (const example of findExamples(read(path))) testExample(example, `${path}: ${example.command.slice(0, 60)}`);

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
  const source = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
  const promised = /console\.log\(.*\/\/ (.+)$/m.exec(source)?.[1];
  const child = spawnSync(process.execPath, ['--input-type=module', '--eval', source], {
    encoding: 'utf8',
    cwd: place,
  });
  assert.is(child.stderr, '');
  assert.is(child.stdout, `${promised}\n`);
});

readmeSuite('the programs of other documents run', () => {
  const programs = documents.flatMap((path) => blocksOf(read(path)).filter(({ language }) => language === 'js'));
  assert.ok(programs.length > 0);
  for (const { code } of programs) {
    const args = ['--input-type=module', '--eval', code];
    const child = spawnSync(process.execPath, args, { encoding: 'utf8', cwd: place });
    assert.equal([child.stderr, child.status], ['', 0], code);
  }
});

readmeSuite('every program in TypeScript compiles under strict', () => {
  const programs = ['README.md', ...documents].flatMap((path) =>
    [...read(path).matchAll(/```ts\n([\s\S]*?)```/g)].map(([, source], i) => {
      const name = `${path.replace(/\W/g, '-')}-${i}.ts`;
      writeFileSync(join(place, name), source);
      return name;
    }),
  );
  assert.ok(programs.length > 0);
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--target', 'es2022', '--module', 'nodenext'];
  const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')];
  writeFileSync(join(place, 'package.json'), '{"type": "module"}');
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const child = spawnSync(process.execPath, [tsc, ...options, ...types, ...programs], { encoding: 'utf8', cwd: place });
  assert.equal([child.stdout, child.status], ['', 0]);
});

readmeSuite('npm start builds, plays into a new directory, and says how to read a game back', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
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
