// Measures `lepanto daide` from outside: tables of seven clients each, in this process, that hold (or play by --agent).
//
//   node dist/test/tools/daide-speed.js [--tables N] [--agent NAME] [--until YEAR]
//
// Turns are counted by table. The processor time is the server's alone, as Linux tells it; so is its memory.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { parseAgent } from '../../selfplay/agents/registry.js';
import { DaideClient } from '../bindings/protocols/daide-client.js';
import { DaideBrain } from './daide-brain.js';

const { values } = parseArgs({
  options: {
    tables: { type: 'string', default: '1' },
    agent: { type: 'string', default: 'hold' },
    until: { type: 'string', default: '1950' },
  },
});
const tables = Number(values.tables);
const TICKS_PER_SECOND = 100;
const SEATS = 7;

const server = spawn(
  process.execPath,
  [
    fileURLToPath(new URL('../../bindings/cli/lepanto.js', import.meta.url)),
    ...['daide', '--port', '0', '--games', values.tables, '--until', values.until, '--quiet'],
  ],
  { stdio: ['ignore', 'pipe', 'inherit'] },
);
const [first] = (await new Promise<Buffer>((resolve) => server.stdout.once('data', resolve))).toString().split('\n');
server.stdout.resume();
const port = Number(/:(\d+)$/.exec(first)?.[1]);

/** Seconds of processor time that the server has had, and its memory in MB, now and at most. */
const look = (): { seconds: number; now: number; most: number } => {
  const [utime, stime] = readFileSync(`/proc/${server.pid}/stat`, 'utf8').split(') ')[1].split(' ').slice(11, 13);
  const status = readFileSync(`/proc/${server.pid}/status`, 'utf8');
  const field = (name: string): number => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
  return { seconds: (Number(utime) + Number(stime)) / TICKS_PER_SECOND, now: field('VmRSS'), most: field('VmHWM') };
};

const empty = look();
const brains: DaideBrain[] = [];
for (let i = 0; i < SEATS * tables; i++) {
  const client = await DaideClient.join(port);
  brains.push(new DaideBrain(client, parseAgent(values.agent), i));
  await client.ask(`NME ('client ${i}') ('1')`, 'MAP');
}
const before = look();
const begin = performance.now();
// All tables begin at once.
for (const { client } of brains) client.send("YES (MAP ('standard'))");
await Promise.all(brains.map(({ client }) => client.hear('SMR', 3_600_000)));
const seconds = (performance.now() - begin) / 1000;
const after = look();
const turns = brains.reduce((sum, brain) => sum + brain.turns, 0) / SEATS;
const used = after.seconds - before.seconds;
console.log(
  `${tables} tables of seven ${values.agent}, ${turns.toFixed(0)} turns in ${seconds.toFixed(2)} s: ` +
    `${(turns / seconds).toFixed(0)} turns/s; server ${((1000 * used) / turns).toFixed(2)} ms of processor a turn; ` +
    `memory ${empty.now.toFixed(0)} MB before anybody came, ${after.most.toFixed(0)} MB at most`,
);
process.exit(0);
