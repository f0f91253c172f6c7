// Tests the DAIDE server over TCP, with a client written apart from it (daide-client.ts).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { MAX_TOKENS } from '../../../bindings/protocols/daide/framing.js';
import { loadMap } from '../../../engine/internal.js';
import { parseAgent } from '../../../selfplay/agents/registry.js';
import { makeFolder, runLepanto } from '../../tools/command.js';
import { DaideBrain } from '../../tools/daide-brain.js';
import { type Served, type ServeOptions, serve, TestTime } from '../../tools/daide-table.js';
import { dataPath } from '../../tools/data.js';
import { linesIn, start, until } from '../../tools/running.js';
import { DaideClient, diplomacy, encode, parts } from './daide-client.js';

const daide = suite('daide');

/** Runs a test with a server, and ends it whatever happens. */
const withServer = async (options: ServeOptions, run: (served: Served) => Promise<void>): Promise<void> => {
  const served = await serve(options);
  try {
    await run(served);
  } finally {
    await served.server.close();
  }
};

const ALONE: ServeOptions = { clients: ['FRANCE'] };

/** A client that has sat down. */
const player = async (port: number, name = 'me'): Promise<DaideClient> => {
  const client = await DaideClient.join(port);
  await client.sit(name);
  return client;
};

// ---- talks of test/data/daide-talks.txt ----

/** What a line has a client do: its name, and the rest of the line. */
type Act = (name: string, text: string) => unknown;

const bytesOf = (hex: string): Buffer => Buffer.from(hex.replaceAll(' ', ''), 'hex');

/** Plays a talk. The head of the file says what its lines mean. */
const playTalk = async (setting: ServeOptions, lines: readonly string[]): Promise<void> => {
  const time = new TestTime();
  const options = lines.some((line) => /^(pass|idle)/.test(line)) ? { ...setting, time } : setting;
  await withServer(options, async ({ port, server, ended, remarks }) => {
    const clients: Record<string, DaideClient> = {};
    const codes: Record<string, string> = {};
    const hear = async (name: string, begin: string, wanted: string): Promise<void> => {
      const heard = await clients[name].hear(begin);
      const pattern = wanted
        .replace(/\.\.\.|[.()]/g, (part) => (part === '...' ? '.*' : `\\${part}`))
        .replace(/\$(\w)/g, (_, code) => codes[code] ?? `(?<${code}>\\d{3,4})`);
      const found = new RegExp(`^${pattern}$`).exec(heard);
      assert.ok(found !== null, `${name} heard ${heard}, wanted ${wanted}`);
      Object.assign(codes, found?.groups);
    };
    const say: Act = (name, text) =>
      clients[name].send(...text.replace(/\$(\w)/g, (_, code) => codes[code]).split(' | '));
    const acts: Readonly<Record<string, Act>> = {
      opens: async (name, hex) => {
        clients[name] = await DaideClient.open(port);
        clients[name].socket.write(bytesOf(hex));
      },
      writes: async (name, hex) => {
        for (const byte of bytesOf(hex))
          await new Promise<void>((written) => clients[name].socket.write(Buffer.of(byte), () => written()));
      },
      joins: async (name) => Object.assign(clients, { [name]: await DaideClient.join(port) }),
      sits: async (name) => Object.assign(clients, { [name]: await player(port, name) }),
      leaves: (name) => clients[name].leave(),
      is: (name) => clients[name].kill(),
      ':': (name, text) => {
        const [said, answer] = text.split(' -> ');
        say(name, said);
        return answer === undefined || acts['>'](name, answer);
      },
      '>': (name, text) => hear(name, text.split(/ |\.\.\./)[0], text),
      '>>': (name, text) => hear(name, text.split('...')[0], text),
      '=': async (name, texts) => {
        for (const text of texts.split(' | ')) await hear(name, '', text);
      },
      heard: (name, text) => {
        const [, count, different = count, begin] = /^(\d+)(?: \((\d+) different\))? (.*)$/.exec(text) ?? [];
        const found = clients[name].heard.filter((one) => one.startsWith(begin));
        assert.equal([found.length, new Set(found).size], [Number(count), Number(different)], text);
      },
    };
    const events: Readonly<Record<string, (text: string) => unknown>> = {
      pass: (text) => time.pass(Number(text)),
      idle: () => assert.is(time.isIdle, true),
      remarked: (text) => assert.equal(remarks, [text]),
      ended: async (text) => {
        await server.done;
        assert.equal(
          ended.map(({ state, game }) => `${state} ${game.winner}`),
          [text],
        );
      },
    };
    for (const line of lines.filter((one) => !one.startsWith('#'))) {
      const [, names = '', act, text] = /^((?:\w )*\w\b)? ?(:|>>?|=|[a-z]+) ?(.*)$/.exec(line) ?? [];
      if (names === '') await events[act](text);
      for (const name of names === '' ? [] : names.split(' ')) await acts[act](name, text);
    }
  });
};

for (const talk of readFileSync(dataPath('daide-talks.txt'), 'utf8').split(/^== /m).slice(1)) {
  const [title, options, ...lines] = talk.trim().split('\n');
  daide(title, () => playTalk(JSON.parse(options), lines));
}

// ---- whole games ----

/** Seats players of Lepanto behind clients, and plays until they are told to go. */
const playAll = async (port: number, agents: readonly string[]): Promise<DaideBrain[]> => {
  const brains: DaideBrain[] = [];
  for (const [i, agent] of agents.entries()) {
    const client = await DaideClient.join(port);
    brains.push(new DaideBrain(client, parseAgent(agent), i));
    await client.sit(`${agent} ${i}`);
  }
  await Promise.all(brains.map(({ client }) => client.hear('OFF', 120_000)));
  return brains;
};

const complaintsOf = (client: DaideClient): string[] =>
  client.heard.filter(
    (text) => /^(HUH|PRN|REJ|EM|CCD)/.test(text) || (text.startsWith('THX') && !text.endsWith('(MBV)')),
  );

daide('seven clients play to the end; the game is recorded, and follows from its record', async () => {
  const directory = makeFolder('daide');
  const [out, log] = [join(directory, 'run'), join(directory, 'log')];
  const run = start(['daide', '--port', '0', '--until', '1906', '--out', out, '--json', '--games', '2', '--log', log]);
  await until('a port', () => run.out.includes('\n'));
  const { listening } = JSON.parse(run.out);
  assert.is(listening.host, '127.0.0.1');
  // Two tables at once: the first seven clients sit at the first one.
  const agents = Array.from({ length: 14 }, (_, i) => (i < 7 ? 'dumbbot' : 'random'));
  const brains = await playAll(listening.port, agents);
  for (const { client } of brains) assert.equal(complaintsOf(client), []);
  assert.is(await run.ended, 0);
  const [, ...ends] = linesIn(run.out).map((line) => JSON.parse(line));
  assert.equal(ends.map(({ game }) => game).sort(), [1, 2]);
  for (const { result, players } of ends) {
    assert.match(result, /^(draw|solo)$/);
    assert.match(JSON.stringify(players), /"FRANCE":"(dumbbot|random) \d+ 1"/);
  }
  assert.match(runLepanto(['replay', out, '--verify']).out, /^2 games, \d+ phases: no difference/);
  const shown = [0, 1].map((game) => runLepanto(['replay', out, '--game', String(game)]).out);
  assert.equal(shown.map((text) => /^FRANCE +(dumbbot|random)_\d+-1$/m.exec(text)?.[1]).sort(), ['dumbbot', 'random']);
  const logged = readFileSync(log, 'utf8').split('\n');
  assert.match(logged[0], /^[\d:.]{12} 1 < NME \( 'dumbbot 0' \) \( '1' \)$/);
  assert.match(logged[1], /^[\d:.]{12} 1 > YES \( NME \( 'dumbbot 0' \) \( '1' \) \)$/);
  const saved = linesIn(runLepanto(['convert', out, '-', '--quiet']).out);
  assert.equal(
    saved.map((line) => JSON.parse(line).phases[0].name),
    ['S1901M', 'S1901M'],
  );
});

daide('a solo sends SCO, SLO, SMR and NOW, in this order, with the year in which others lost their last centre', () =>
  withServer({ ...ALONE, until: 1950 }, async ({ port, server, ended }) => {
    const [{ client }] = await playAll(port, ['dumbbot']);
    assert.equal(complaintsOf(client), []);
    const at = client.heard.indexOf('SLO (FRA)');
    assert.is.not(at, -1);
    assert.match(client.heard[at - 1], /^SCO/);
    assert.match(
      client.heard[at + 1],
      /^SMR \(WIN \d+\) .*\(FRA \('dumbbot 0'\) \('1'\) (18|19|2\d)\).*\('hold'\) \('1'\) 0 19\d\d\)/,
    );
    assert.match(client.heard[at + 2], /^NOW \(WIN \d+\)/);
    assert.is(client.heard[at + 3], 'OFF');
    await server.done;
    assert.is(ended[0].game.winner, 2);
  }),
);

// ---- the command ----

daide('one bot plays against six agents, and Ctrl-C tells it to exit', async () => {
  const powers: string[] = [];
  // The seed deals the powers.
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 0],
  ] as const) {
    const run = start('daide --port 0 --clients 1 --agents random --seed 5 --quiet'.split(' '));
    await until('a port', () => run.out.includes('\n'));
    const client = await player(Number(/^listening on 127\.0\.0\.1:(\d+)\n$/.exec(run.out)?.[1]));
    powers.push(parts(await client.hear('HLO'))[0]);
    await client.hear('NOW');
    run.child.kill(signal);
    await client.hear('CLOSED');
    assert.equal(client.heard.slice(-3), ['OFF', 'FM', 'CLOSED']);
    assert.is(await run.ended, code);
  }
  assert.is(powers[0], powers[1]);
});

daide('refuses wrong options by name', () => {
  const wrong: readonly (readonly [args: string[], message: RegExp])[] = [
    [['--power', 'FRANCE,SPAIN'], /--power: got "SPAIN", wanted some of AUSTRIA/],
    [['--power', 'FRANCE,FRANCE'], /wanted each power once/],
    [['--clients', '8'], /--clients: got "8"/],
    [['--power', 'FRANCE', '--agents', 'hold,hold'], /--agents: got 2, wanted 1 or 6/],
    [['--power', 'FRANCE', '--agents', 'albert'], /--agents: got "albert"/],
    [['--map', 'loeb9'], /--map: got loeb9, which has rules of its own/],
    [['--move-time', '9000'], /--move-time: got "9000"/],
    [['--host', '203.0.113.1', '--port', '0'], /--host, --port: /],
  ];
  for (const [args, message] of wrong) {
    const { code, err } = runLepanto(['daide', ...args]);
    assert.is(code, 2, args.join(' '));
    assert.match(err, message);
  }
});

// ---- floods ----

daide('a message that is too long is not repeated in the answer', () =>
  withServer(ALONE, async ({ port }) => {
    const client = await player(port);
    client.socket.write(diplomacy(new Array(MAX_TOKENS).fill(0x4000)));
    assert.is(await client.hear('HUH'), 'HUH (ERR)');
    client.socket.write(diplomacy([...new Array(4000).fill(0x4000), ...new Array(4000).fill(0x4001)]));
    assert.match(await client.hear('HUH'), /^HUH \(ERR \(\(\(\(/);
  }),
);

daide('floods are held back, and other tables play on', () =>
  withServer({ ...ALONE, tables: 2, until: 1902 }, async ({ port, ended }) => {
    const flood = await player(port, 'flood');
    await flood.hear('NOW');
    // It asks without end, and reads nothing.
    flood.socket.pause();
    const many = Buffer.concat(Array.from({ length: 2000 }, () => diplomacy(encode('NOW'))));
    const before = process.memoryUsage.rss();
    for (let i = 0; i < 20 && flood.socket.writableLength < 1 << 20; i++) flood.socket.write(many);
    const [brain] = await playAll(port, ['dumbbot']);
    assert.equal(complaintsOf(brain.client), []);
    assert.is(ended.length, 1);
    assert.ok(process.memoryUsage.rss() - before < 200e6, 'memory is bounded');
    // Once it reads, it is answered.
    flood.socket.resume();
    for (let i = 0; i < 100; i++) await flood.hear('NOW (SPR 1901)');
    flood.kill();
  }),
);

daide('games follow each other at a table', () =>
  withServer({ ...ALONE, until: 1901, rounds: 3 }, async ({ port, server, ended }) => {
    for (let i = 0; i < 3; i++) {
      const [{ client }] = await playAll(port, ['hold']);
      await client.hear('CLOSED');
    }
    await server.done;
    assert.equal(
      ended.map(({ number }) => number),
      [1, 2, 3],
    );
  }),
);

daide('another map comes with its representation message', () =>
  withServer({ map: loadMap('chaos'), clients: [loadMap('chaos').powerNames[0]], until: 1902 }, async ({ port }) => {
    const client = await player(port);
    const [power] = parts(await client.hear('HLO'));
    assert.match(await client.hear('NOW'), /^NOW \((WIN 1900|SPR 1901)\)/);
    assert.match(await client.ask('MDF', 'MDF'), /^MDF \(\w{3}( \w{3}){33}\)/);
    assert.match(await client.ask('MIS', 'MIS'), /^MIS( \(-1\)| \(\w{3} )/);
    assert.match(power, /^[A-Z0-9]{3}$/);
  }),
);

daide.run();
