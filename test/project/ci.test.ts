// Tests what can be tested here of the scripts and workflows of CI: commands that exist, root where it is needed, systems
// and versions that are promised.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { readText, root } from '../tools/data.js';

interface Job {
  readonly strategy?: { readonly matrix: Readonly<Record<string, readonly (string | number)[]>> };
  readonly permissions?: Readonly<Record<string, string>>;
  readonly needs?: string | readonly string[];
  readonly if?: string;
  readonly steps: readonly { readonly run?: string; readonly uses?: string; readonly if?: string }[];
}

const folder = '.github/workflows';
const jobs: Readonly<Record<string, Job>> = Object.assign(
  {},
  ...readdirSync(join(root, folder)).map((name) => parse(readText(join(folder, name))).jobs),
);
const commands = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run = '' }) => run.trim().split('\n')));
const { scripts, engines } = JSON.parse(readText('package.json'));

const ci = suite('ci');

ci('licences are listed, and no registry is needed', () => {
  // A port that nothing listens on.
  const env = { ...process.env, npm_config_registry: 'http://127.0.0.1:9' };
  const said = execFileSync(join(root, '.ci', 'inform'), { env, encoding: 'utf8' });
  assert.match(said, /^npm audit:/m);
  assert.match(said, /^ +\d+ MIT: .*\bpiscina\b/m);
  assert.match(readText('.ci/run'), /^\.ci\/inform$/m);
});

ci('every command of the workflows and of .ci/run exists', () => {
  const programs = jobs.differential.strategy?.matrix.program ?? [];
  const named = [...commands, ...readText('.ci/run').split('\n')].flatMap((command) =>
    command.includes('matrix.program')
      ? programs.map((program) => command.replace(/\$\{\{ matrix\.program \}\}/, String(program)))
      : [command],
  );
  let seen = 0;
  for (const command of named) {
    for (const [, name] of command.matchAll(
      /npm (?:run )?(?:--silent )?(test|lint|site|build|(?:test|build):\w+)\b/g,
    )) {
      assert.ok(Object.hasOwn(scripts, name), command);
      seen++;
    }
    for (const [, name] of command.matchAll(/\bdist\/([\w/-]+)\.js\b/g)) {
      assert.ok(existsSync(join(root, `${name}.ts`)), command);
      seen++;
    }
    for (const [name] of command.matchAll(/(?<![\w/])\.ci\/\w+/g)) {
      assert.ok((statSync(join(root, name)).mode & 0o111) !== 0, command);
      seen++;
    }
  }
  assert.ok(seen > 20, `${seen} commands`);
});

ci('tests that were skipped fail .ci/run where all can be installed; packages that are seldom there do not', () => {
  const [, pattern = 'none'] = /grep -qaE '(\^left out[^']+)'/.exec(readText('.ci/run')) ?? [];
  assert.match('left out: 3 tests; the queue: redis-server is not installed', new RegExp(pattern));
  assert.not.match('left out: test_rllib.py: no python3 has ray.rllib, torch', new RegExp(pattern));
});

ci('what needs root is one script, and a workflow runs it with sudo', () => {
  assert.not.match(readText('.ci/run'), /\b(apt-get|sudo)\b/);
  assert.match(readText('.ci/setup'), /apt-get install/);
  assert.match(readText('.ci/run'), /if \$root; then \.ci\/setup/);
  assert.not.match(commands.join('\n'), /\bapt(-get)?\b/);
  const setups = commands.filter((command) => command.includes('.ci/setup'));
  assert.equal(new Set(setups), new Set(['sudo .ci/setup']));
});

ci('jobs for systems, versions of Node and of Python that are promised', () => {
  assert.equal(jobs.core.strategy?.matrix, {
    os: ['ubuntu-latest', 'macos-latest', 'windows-latest'],
    node: ['20.19', 22, 24],
  });
  // The oldest Node that is promised is one that is tested.
  assert.is(engines.node, `>=${jobs.core.strategy?.matrix.node[0]}`);
  const pythons = jobs.python.strategy?.matrix.python ?? [];
  assert.is(pythons.length, 6);
  assert.match(readText('bindings/python/pyproject.toml'), `requires-python = ">=${pythons[0]}"`);
  for (const name of ['bindings', 'fuzz', 'differential', 'nodes']) assert.ok(Object.hasOwn(jobs, name), name);
});

ci('every night the speed of each promised Node is printed beside that of the newest', () => {
  const [newest, ...others] = [...(jobs.core.strategy?.matrix.node ?? [])].reverse();
  const runs = jobs.nodes.steps.map(({ run = '' }) => run);
  assert.ok(runs.some((run) => run.endsWith(`--out ${newest}.json`)));
  for (const node of others.map((one) => String(one).split('.')[0]))
    assert.ok(
      runs.some((run) => run.endsWith(`--node "$NODE${node}" --compare ${newest}.json`)),
      String(node),
    );
});

ci('every action is pinned by its commit, and somebody says when there is a newer one', () => {
  const workflows = readdirSync(join(root, folder)).map((name) => readText(join(folder, name)));
  const uses = workflows.flatMap((text) => [...text.matchAll(/uses: (.*)$/gm)].map(([, action]) => action));
  assert.ok(uses.length > 20);
  for (const action of uses) assert.match(action, /^[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  const updates: { 'package-ecosystem': string }[] = parse(readText('.github/dependabot.yml')).updates;
  assert.ok(updates.some((one) => one['package-ecosystem'] === 'github-actions'));
});

ci('forms of issues are complete', () => {
  const forms = readdirSync(join(root, '.github/ISSUE_TEMPLATE')).filter((name) => name !== 'config.yml');
  assert.ok(forms.length >= 3);
  for (const name of forms) {
    const form = parse(readText(join('.github/ISSUE_TEMPLATE', name)));
    assert.ok(form.name && form.description && form.body.length > 0, name);
    const ids = form.body.map(({ id }: { id: string }) => id);
    assert.is(new Set(ids).size, ids.length, name);
    for (const { type, attributes } of form.body)
      assert.ok(['textarea', 'input'].includes(type) && attributes.label !== '', name);
  }
});

ci('a release is attested, and published only on demand', () => {
  const { pack, publish } = jobs;
  assert.is(pack.permissions?.attestations, 'write');
  assert.ok(pack.steps.some(({ uses }) => uses?.startsWith('actions/attest-build-provenance@')));
  assert.not.match(pack.steps.map(({ run }) => run).join('\n'), 'publish');
  assert.is(publish.if, 'inputs.publish');
  assert.equal(publish.needs, ['pack', 'wheels']);
  assert.equal(jobs.wheels.needs, 'pack');
  assert.ok(publish.steps.some(({ run }) => run?.includes('|| npm publish --provenance ')));
});
ci('wheels are made by one command, and tried where they are for, without the Node of the machine', () => {
  const { pack, wheels } = jobs;
  assert.ok(pack.steps.some(({ run }) => run?.endsWith('package.js --wheels packages/python')));
  assert.is(wheels.strategy?.matrix.os.length, 4);
  assert.match(
    wheels.steps.map(({ run }) => run).join('\n'),
    /os\.environ\["PATH"\] = ""[\s\S]*lepanto\.Batch\(1000\)/,
  );
});

ci('the container is built and plays; the site is made and deployed', () => {
  const { container, site, deploy } = jobs;
  const [, build, ...runs] = container.steps.map(({ run = '' }) => run);
  assert.match(build, /^docker build -f bindings\/cluster\/Dockerfile /);
  assert.ok(runs.some((run) => /^docker run --rm \S+ selfplay /.test(run)));
  assert.ok(site.steps.some(({ run }) => run === 'npm run site'));
  assert.equal(deploy.permissions, { pages: 'write', 'id-token': 'write' });
  assert.is(deploy.needs, 'site');
});

ci.run();
