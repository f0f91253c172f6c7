// Tests that a worker takes from Redis only jobs that it may play, whoever wrote them.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Job, makeJob } from '../../../bindings/cluster/queue/job.js';
import { readHead } from '../../../bindings/cluster/queue/payload.js';
import { readJob, readListedJob, readTask, withPlaces } from '../../../bindings/cluster/queue/read-job.js';
import { printable } from '../../../bindings/terminal/output.js';
import { makeFolder } from '../../tools/command.js';
import { saying } from '../../tools/errors.js';

const folder = makeFolder('jobs');
const bot = join(folder, 'bot.mjs');
writeFileSync(bot, 'export default {};');

const spec = { map: 'standard', rules: 'datc-3.2', games: 10, until: 1902, seed: 1, shardGames: 8 };
const jobOf = (agents: readonly string[]): Job =>
  makeJob({
    work: { kind: 'selfplay', spec: { ...spec, agents } },
    about: 'a run',
    tasks: 1,
    store: 'redis',
    choiceMs: 1000,
    place: '',
  });
const plain = jobOf(Array.from({ length: 7 }, () => 'random'));
const withModule = jobOf(Array.from({ length: 7 }, () => `${bot}:n=1`));
const weights = join(folder, 'net.safetensors');
writeFileSync(weights, 'weights');
const withWeights = jobOf(Array.from({ length: 7 }, () => `net:file=${weights}`));
const withCommand = jobOf(Array.from({ length: 7 }, () => 'exec:python3 bot.py'));
const stats = makeJob({
  work: { kind: 'stats', files: [join(folder, 'games-00000.lep')], map: 'standard', rules: 'datc-3.2' },
  about: 'stats',
  tasks: 1,
  store: 'redis',
  choiceMs: 0,
  place: '',
});

const read = (job: object): Job => readJob(JSON.stringify(job), plain.id);

/** A job with other agents in its place. */
const seated = (job: Job, agents: readonly string[]): object => ({
  ...job,
  id: plain.id,
  work: { kind: 'selfplay', spec: { ...spec, agents } },
});
const withWork = (work: object, more: object = {}): object => ({ ...plain, work, ...more });

const jobs = suite('jobs from Redis');

jobs('jobs that were made here come back as they were', () => {
  for (const job of [plain, withModule, withCommand, stats])
    assert.equal(readJob(JSON.stringify(job), job.id), JSON.parse(JSON.stringify(job)));
});

const seven = (agent: string): string[] => Array.from({ length: 7 }, () => agent);
const [code] = withModule.modules;

const hostile: readonly (readonly [string, object, RegExp])[] = [
  ['a command that did not travel', seated(plain, seven('exec:sh -c "id > PWNED"')), /exec:sh .* in the modules/],
  ['a module of this machine', seated(plain, seven('/tmp/other.mjs')), /other\.mjs: got none such in the modules/],
  ['one seat among honest ones', seated(plain, ['exec:id', ...seven('random').slice(1)]), /exec:id: got none such/],
  [
    'another command than the one that is stated',
    seated(withCommand, seven('exec:python3 bot.py --more')),
    /got none such/,
  ],
  ["a module under a command's name", seated(withCommand, seven('./exec')), /got none such/],
  [
    'a stated hash of other source',
    { ...withModule, id: plain.id, modules: [{ ...code, source: 'evil()' }] },
    /the hash .* of other content/,
  ],
  [
    'a name that is a path',
    { ...withModule, id: plain.id, modules: [{ ...code, name: '/x/..' }] },
    /wanted the name of a module/,
  ],
  [
    'package.json for a module',
    { ...withModule, id: plain.id, modules: [{ ...code, name: '/x/package.json' }] },
    /wanted the name of a module/,
  ],
  ['weights of this machine', seated(plain, seven('net:file=/etc/shadow')), /file \/etc\/shadow: got none such/],
  ['an opponent file of this machine', seated(plain, seven('search:model=/etc/passwd')), /none such in the files/],
  [
    'weights after others',
    seated(withWeights, seven(`net:file=${weights}:file=/etc/shadow`)),
    /none such in the files/,
  ],
  ['an agent that is none', seated(plain, seven('evil')), /agent: got "evil"/],
  ['another queue', { ...plain, queue: `${plain.queue}-0123456789abcdef` }, /job, queue: got/],
  ['another run', { ...plain, id: '0123456789abcdef' }, /job, id: got/],
  ['an id with a path in it', { ...plain, id: '../../etc/passwd' }, /16 hexadecimal digits/],
  [
    'a file that is no record',
    withWork({ ...stats.work, files: ['/etc/passwd'] }),
    /wanted the path of a games-\*\.lep/,
  ],
  ['more tasks than files', withWork(stats.work, { tasks: 2 }), /job, tasks: got 2, wanted 1/],
  ['a store of another kind', { ...plain, store: 'http://x/' }, /wanted a store/],
  [
    'agents that are no texts',
    withWork({ kind: 'selfplay', spec: { ...spec, agents: [{}] } }),
    /agents, entry 1: got an object/,
  ],
  ['a kind of its own', withWork({ kind: '__proto__', spec }), /kind: got "__proto__"/],
  [
    'games without end',
    withWork({ kind: 'selfplay', spec: { ...spec, agents: seven('random'), games: 1e300 } }),
    /games: got 1e\+300/,
  ],
  ['no work', withWork([]), /work, kind: got nothing/],
  ['another version of the code', { ...plain, code: '0123456789ab' }, /it is of version .* with the code 0123456789ab/],
];
for (const [name, job, message] of hostile)
  jobs(`a job is refused: ${name}`, () => {
    assert.throws(() => read(job), saying(message));
  });

/** Spaces of all kinds that String.trim() removes, and one that it does not. */
const spaces = [' ', '\t', '\n', '\u00a0', '\ufeff', '\u0000'];

/** Agents as a worker plays them. Everything that has travelled is under /made. */
const played = (job: object): readonly string[] => {
  const places = { module: () => '/made/bot.mjs', file: () => '/made/net.safetensors' };
  const { work } = withPlaces(read(job), places);
  return work.kind === 'stats' ? [] : work.spec.agents;
};

jobs('a space before or after an agent does not hide what it names', () => {
  const names = (agent: string): string[] =>
    spaces.flatMap((space) => [space + agent, agent + space, space + agent + space]);
  const agents = ['/tmp/evil.mjs', './evil.mjs', `${bot}/../evil.mjs`, 'exec:id', 'net:file=/etc/shadow', 'evil'];
  for (const agent of agents.flatMap(names)) {
    for (const job of [plain, withModule, withCommand, withWeights])
      assert.throws(() => played(seated(job, [agent, ...seven('random').slice(1)])), /got/, JSON.stringify(agent));
    // Also under the name of what travels: attackers choose both.
    const claimed = { ...withModule, modules: [{ ...code, name: agent }] };
    const found = ((): readonly string[] => {
      try {
        return played(seated(claimed as Job, [agent, ...seven('random').slice(1)]));
      } catch {
        return [];
      }
    })();
    assert.ok(found.length === 0 || found[0] === '/made/bot.mjs', JSON.stringify([agent, found[0]]));
  }
  for (const space of spaces.slice(0, -1))
    assert.is(played(seated(withModule, seven(`${space}${bot}:n=1${space}`)))[0], '/made/bot.mjs:n=1');
  assert.match(played(seated(withWeights, seven(` net:file=${weights} `)))[0], /^net:file=\/made\/net\.safetensors:/);
});

jobs('what is no JSON, and jobs of other versions in a list', () => {
  assert.throws(() => readJob('{', plain.id), /got "\{", wanted JSON/);
  assert.is(readListedJob(JSON.stringify({ ...plain, code: 'other', work: 3 }), plain.id).about, 'a run');
  assert.throws(() => readListedJob('[]', plain.id), /job: got a list of 0, wanted an object/);
});

jobs('tasks are numbers of a run', () => {
  assert.equal(readTask({ run: plain.id, task: 3 }), { run: plain.id, task: 3 });
  for (const task of ['../../x', -1, 0.5, null])
    assert.throws(() => readTask({ run: plain.id, task }), /task, task: got/);
  assert.throws(() => readTask({ run: '../x', task: 0 }), /task, run: got/);
});

jobs('heads of results say all that is read of them', () => {
  const head = { run: plain.id, task: 0, games: 1, crc: 2, size: 3, machine: 'here' };
  assert.equal(readHead(JSON.stringify(head)), head);
  for (const wrong of [{}, { ...head, table: 7 }, { ...head, games: -1 }, { ...head, machine: 3 }])
    assert.throws(() => readHead(JSON.stringify(wrong)), /head of a result, .*: got/);
});

jobs('no text of others gives orders to a terminal', () => {
  const esc = String.fromCharCode(27);
  assert.is(
    printable(`a${esc}[2Jb\r\tc\nd${String.fromCharCode(0x9b)}31m${String.fromCharCode(0x202e)}`),
    'a\ufffd[2Jb\ufffd\tc\nd\ufffd31m\ufffd',
  );
});

jobs.run();
