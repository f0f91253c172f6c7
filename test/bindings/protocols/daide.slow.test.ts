// Tests the DAIDE server over TCP, with a client written apart from it (daide-client.ts).
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { MAX_TOKENS } from '../../../bindings/protocols/daide/framing.js';
import { loadMap } from '../../../engine/internal.js';
import { parseAgent } from '../../../selfplay/agents/registry.js';
import { entry, makeFolder, runLepanto } from '../../tools/command.js';
import { DaideBrain } from '../../tools/daide-brain.js';
import { type Served, type ServeOptions, serve, TestTime } from '../../tools/daide-table.js';
import { DaideClient, diplomacy, encode, header, INITIAL, parts } from './daide-client.js';

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
const HOLDS = '((FRA AMY PAR) HLD) ((FRA AMY MAR) HLD) ((FRA FLT BRE) HLD)';
const LAST_HOLD = 'THX ((FRA FLT BRE) HLD)';
const ITALIAN_HOLDS = '((ITA AMY ROM) HLD) ((ITA AMY VEN) HLD) ((ITA FLT NAP) HLD)';

/** A client that has sat down and heard NOW. */
const player = async (port: number, name = 'me'): Promise<DaideClient> => {
  const client = await DaideClient.join(port);
  await client.sit(name);
  return client;
};

/** What comes up to and with a message that begins so. */
const until = async (client: DaideClient, begin: string): Promise<string[]> => {
  const first = client.heard.length;
  await client.hear(begin);
  return client.heard.slice(first);
};

// ---- sitting down ----

daide('a client sits down: YES, MAP, then HLO, SCO and NOW once it has accepted the map', () =>
  withServer(ALONE, async ({ port }) => {
    const client = await DaideClient.join(port);
    client.send("NME ('Bot 7') ('v1.0 beta')");
    await client.hear('MAP');
    assert.equal(client.heard, ['RM', "YES (NME ('Bot 7') ('v1.0 beta'))", "MAP ('standard')"]);
    client.send('MDF');
    assert.match(await client.hear('MDF'), /^MDF \(AUS ENG FRA GER ITA RUS TUR\) \(\(\(AUS BUD VIE TRI\)/);
    client.send("YES (MAP ('Standard'))");
    assert.match(await client.hear('HLO'), /^HLO \(FRA\) \(\d{3,4}\) \(\(LVL 0\)\)$/);
    assert.match(await client.hear('SCO'), /^SCO \(AUS BUD VIE TRI\).*\(UNO( \w{3}){12}\)$/);
    assert.match(await client.hear('NOW'), /^NOW \(SPR 1901\) \(AUS AMY BUD\).*\(RUS FLT \(STP SCS\)\)/);
    assert.is(await client.ask('TME', 'REJ'), 'REJ (TME)');
    const late = await DaideClient.join(port);
    assert.is(await late.ask("NME ('x') ('1')", 'REJ'), "REJ (NME ('x') ('1'))");
    assert.is(await client.ask("NME ('x') ('1')", 'REJ'), "REJ (NME ('x') ('1'))");
    assert.is(await client.ask('OBS', 'REJ'), 'REJ (OBS)');
  }),
);

daide('before the game has begun positions are told and the rest is refused', () =>
  withServer({ clients: ['FRANCE', 'ITALY'] }, async ({ port }) => {
    const client = await player(port);
    const guest = await DaideClient.join(port);
    for (const one of [client, guest]) {
      for (const text of ['HLO', 'ORD', 'MIS', 'GOF', 'DRW', 'SMR', 'TME', 'NOT (GOF)', 'NOT (DRW)', 'HST (SPR 1901)'])
        assert.is(await one.ask(text, 'REJ'), `REJ (${text})`);
      assert.is(await one.ask('SUB ((FRA AMY PAR) HLD)', 'REJ'), 'REJ (SUB ((FRA AMY PAR) HLD))');
      assert.is(await one.ask('IAM (FRA) (1)', 'REJ'), 'REJ (IAM (FRA) (1))');
      assert.match(await one.ask('NOW', 'NOW'), /^NOW \(SPR 1901\)/);
      assert.match(await one.ask('SCO', 'SCO'), /^SCO/);
      assert.is(await one.ask('MAP', 'MAP'), "MAP ('standard')");
    }
    // Who leaves makes room.
    client.leave();
    await client.hear('CLOSED');
    await player(port);
    await player(port);
  }),
);

daide('a client that cannot play the map is told to exit', () =>
  withServer(ALONE, async ({ port }) => {
    const client = await DaideClient.join(port);
    await client.ask("NME ('x') ('1')", 'MAP');
    client.send("REJ (MAP ('standard'))");
    assert.equal(await until(client, 'CLOSED'), ['OFF', 'FM', 'CLOSED']);
    const next = await player(port);
    await next.hear('NOW');
  }),
);

daide('observers are told everything that happens, and cannot play', () =>
  withServer({ ...ALONE, until: 1901 }, async ({ port }) => {
    const early = await DaideClient.join(port);
    assert.is(await early.ask('OBS', 'YES'), 'YES (OBS)');
    await early.hear('MAP');
    early.send("YES (MAP ('standard'))");
    const client = await player(port);
    assert.is(await early.hear('HLO'), 'HLO (UNO) (0) ((LVL 0))');
    await early.hear('NOW (SPR');
    await client.hear('NOW (SPR');
    const late = await DaideClient.join(port);
    assert.is(await late.ask("OBS ('Watcher') ('2')", 'YES'), "YES (OBS ('Watcher') ('2'))");
    await late.hear('MAP');
    late.send("YES (MAP ('standard'))");
    await late.hear('HLO (UNO)');
    await late.hear('NOW (SPR');
    assert.is(await late.ask('SUB ((FRA AMY PAR) HLD)', 'REJ'), 'REJ (SUB ((FRA AMY PAR) HLD))');
    assert.is(await late.ask('GOF', 'REJ'), 'REJ (GOF)');
    client.send(`SUB ${HOLDS}`);
    for (const one of [early, late]) {
      await one.hear('ORD (SPR 1901) ((AUS AMY BUD) HLD) (SUC)');
      await one.hear('NOW (FAL 1901)');
    }
    client.send("ADM ('me') ('Hello')");
    for (const one of [client, early, late]) assert.is(await one.hear('ADM'), "ADM ('me') ('Hello')");
    client.send(`SUB ${HOLDS}`);
    for (const one of [client, early, late]) {
      await one.hear('DRW');
      assert.match(
        await one.hear('SMR'),
        /^SMR \(SPR 1902\) \(AUS \('hold'\) \('1'\) 3\) .*\(FRA \('me'\) \('1'\) 3\)/,
      );
      await one.hear('OFF');
    }
  }),
);

// ---- turns ----

daide('THX for each order, MIS for what is missing, and results once all is there', () =>
  withServer(ALONE, async ({ port }) => {
    const client = await player(port);
    await client.hear('NOW');
    client.send('SUB ((FRA AMY PAR) MTO BUR) ((FRA AMY PAR) MTO MUN)');
    await client.hear('MIS');
    assert.equal(client.heard.slice(-3), [
      'THX ((FRA AMY PAR) MTO BUR) (MBV)',
      'THX ((FRA AMY PAR) MTO MUN) (FAR)',
      'MIS (FRA FLT BRE) (FRA AMY MAR)',
    ]);
    assert.is(
      await client.ask('SUB (FAL 1901) ((FRA AMY MAR) HLD)', 'REJ'),
      'REJ (SUB (FAL 1901) ((FRA AMY MAR) HLD))',
    );
    assert.is(await client.ask('MIS', 'MIS'), 'MIS (FRA FLT BRE) (FRA AMY MAR)');
    client.send('GOF');
    assert.equal(
      [await client.hear('YES'), await client.hear('MIS')],
      ['YES (GOF)', 'MIS (FRA FLT BRE) (FRA AMY MAR)'],
    );
    assert.is(await client.ask('NOT (SUB ((FRA AMY PAR) MTO GAS))', 'REJ'), 'REJ (NOT (SUB ((FRA AMY PAR) MTO GAS)))');
    assert.is(await client.ask('NOT (SUB ((FRA AMY PAR) MTO BUR))', 'YES'), 'YES (NOT (SUB ((FRA AMY PAR) MTO BUR)))');
    assert.is(await client.ask('NOT (SUB)', 'YES'), 'YES (NOT (SUB))');
    client.send('NOT (GOF)', `SUB (SPR 1901) ${HOLDS}`);
    await client.hear('THX ((FRA FLT BRE) HLD)');
    assert.is(await client.ask('MIS', 'MIS'), 'MIS', 'all is ordered, and the turn waits');
    client.send('GOF');
    const heard = await until(client, 'NOW');
    assert.is(heard[0], 'YES (GOF)');
    assert.is(heard.filter((text) => text.startsWith('ORD (SPR 1901)')).length, 22);
    assert.is(heard.length, 24, 'no SCO in spring');
    client.send('ORD');
    const again = await until(client, 'ORD (SPR 1901) ((TUR AMY SMY)');
    assert.equal(again, heard.slice(1, -1));
    client.send('HST (SPR 1901)');
    const told = await until(client, 'NOW (FAL 1901)');
    assert.is(told.length, 24);
    assert.match(told[22], /^SCO/);
    assert.is(await client.ask('HST (FAL 1901)', 'REJ'), 'REJ (HST (FAL 1901))');
    client.send(`SUB ${HOLDS}`);
    const fall = await until(client, 'NOW');
    assert.match(fall.at(-2) ?? '', /^SCO/);
    assert.match(fall.at(-1) ?? '', /^NOW \(SPR 1902\)/);
  }),
);

daide('a deadline comes: CCD for who has not ordered, NOT (CCD) when it orders again', () => {
  const time = new TestTime();
  return withServer({ clients: ['FRANCE', 'ITALY'], limits: [2, 3, 4], time }, async ({ port }) => {
    const [france, italy] = [await player(port), await player(port)];
    assert.match(await france.hear('HLO'), /^HLO \(FRA\) \(\d+\) \(\(LVL 0\) \(MTL 2\) \(RTL 3\) \(BTL 4\)\)$/);
    assert.is(await france.hear('TME'), 'TME (2)');
    assert.is(await france.ask('TME', 'TME'), 'TME (2)');
    for (const text of ['TME (-1)', 'TME (5)']) assert.is(await france.ask(text, 'REJ'), `REJ (${text})`);
    assert.is(await france.ask('TME (1)', 'YES'), 'YES (TME (1))');
    assert.is(await france.ask('TME (0)', 'YES'), 'YES (TME (0))');
    assert.is(await france.ask('NOT (TME (0))', 'YES'), 'YES (NOT (TME (0)))');
    assert.is(await france.ask('NOT (TME (3))', 'REJ'), 'REJ (NOT (TME (3)))');
    await france.ask(`SUB ${HOLDS}`, LAST_HOLD);
    await time.pass(1);
    await france.hear('TME (1)');
    await time.pass(1);
    await france.hear('CCD (ITA)');
    await france.hear('NOW (FAL 1901)');
    assert.is(await france.hear('TME'), 'TME (2)');
    assert.is(await france.ask('NOT (TME)', 'YES'), 'YES (NOT (TME))');
    italy.send('SUB ((ITA AMY ROM) HLD)');
    await france.hear('NOT (CCD (ITA))');
    await italy.hear('NOT (CCD (ITA))');
    italy.send('SUB ((ITA AMY VEN) HLD) ((ITA FLT NAP) HLD)');
    await italy.hear('THX ((ITA FLT NAP) HLD)');
    france.send('NOT (GOF)', `SUB ${HOLDS}`);
    await france.hear(LAST_HOLD);
    assert.is(await france.ask('MIS', ''), 'MIS', 'NOT (GOF) waits for the deadline');
    await time.pass(2);
    await france.hear('NOW (SPR 1902)');
  });
});

daide('a client that was killed comes back with its passcode', () =>
  withServer({ clients: ['FRANCE', 'ITALY'], graceSeconds: 100 }, async ({ port }) => {
    const [france, italy] = [await player(port), await player(port)];
    const [, passcode] = parts(await italy.hear('HLO'));
    await italy.hear('NOW');
    await france.hear('NOW');
    assert.is(await france.ask(`IAM (ITA) (${passcode})`, 'REJ'), `REJ (IAM (ITA) (${passcode}))`);
    italy.kill();
    await france.hear('CCD (ITA)');
    const again = await DaideClient.join(port);
    assert.match(await again.ask('IAM (ITA) (1)', 'REJ'), 'REJ (IAM (ITA) (1))');
    assert.match(await again.ask(`IAM (FRA) (${passcode})`, 'REJ'), 'REJ (IAM (FRA)');
    assert.is(await again.ask(`IAM (ITA) (${passcode})`, 'YES'), `YES (IAM (ITA) (${passcode}))`);
    await again.hear('NOT (CCD (ITA))');
    await france.hear('NOT (CCD (ITA))');
    assert.match(await again.ask('HLO', 'HLO'), `HLO (ITA) (${passcode})`);
    await again.ask('MAP', "MAP ('standard')");
    await again.ask('NOW', 'NOW (SPR 1901)');
    assert.is(again.heard.filter((text) => /^(HLO|MAP|SCO)/.test(text)).length, 2, 'nothing is sent unasked');
    france.send(`SUB ${HOLDS}`);
    again.send(`SUB ${ITALIAN_HOLDS}`);
    await again.hear('NOW (FAL 1901)');
    // Who guesses passcodes is put out.
    const thief = await DaideClient.join(port);
    for (const guess of [1, 2, 3]) thief.send(`IAM (FRA) (${guess})`);
    await thief.hear('FM');
    // A turn without a limit is played once the time for coming back is over; here the game ends before.
    assert.is(france.heard.filter((text) => text.startsWith('CCD')).length, 1);
  }),
);

daide('without a limit a turn waits some seconds for a client that has gone, later turns do not', () => {
  const time = new TestTime();
  return withServer({ clients: ['FRANCE', 'ITALY'], graceSeconds: 1, time }, async ({ port }) => {
    const [france, italy] = [await player(port), await player(port)];
    await italy.hear('NOW');
    italy.leave();
    await france.hear('CCD (ITA)');
    france.send(`SUB ${HOLDS}`);
    await france.hear('THX ((FRA FLT BRE) HLD)');
    assert.is(
      france.heard.some((text) => text.startsWith('ORD')),
      false,
    );
    await time.pass(1);
    await france.hear('NOW (FAL 1901)');
    france.send(`SUB ${HOLDS}`);
    await france.hear('NOW (SPR 1902)');
    assert.is(france.heard.filter((text) => text.startsWith('CCD')).length, 1, 'it was told once');
  });
});

daide('DSD: the clock stops for a power that is away, and goes on when it is back', () => {
  const time = new TestTime();
  const options = { clients: ['FRANCE', 'ITALY'], limits: [2, 2, 2], stopsOnDisconnection: true, time } as const;
  return withServer(options, async ({ port }) => {
    const [france, italy] = [await player(port), await player(port)];
    const [, passcode, options] = parts(await italy.hear('HLO'));
    assert.is(options, '(LVL 0) (MTL 2) (RTL 2) (BTL 2) (DSD)');
    await italy.hear('NOW');
    france.send(`SUB ${HOLDS}`);
    italy.kill();
    await france.hear('CCD (ITA)');
    assert.is(await france.hear('NOT'), 'NOT (TME (2))');
    assert.is(await france.ask('TME', 'REJ'), 'REJ (TME)');
    assert.is(time.isIdle, true, 'no deadline will come');
    const again = await DaideClient.join(port);
    await again.ask(`IAM (ITA) (${passcode})`, 'YES (IAM');
    await france.hear('NOT (CCD (ITA))');
    assert.is(await france.hear('TME'), 'TME (2)');
    again.send(`SUB ${ITALIAN_HOLDS}`);
    await france.hear('NOW (FAL 1901)');
  });
});

daide('a table that all its clients have left is given up', () => {
  const time = new TestTime();
  return withServer({ ...ALONE, time }, async ({ port, server, ended }) => {
    const client = await player(port);
    await client.hear('NOW');
    client.kill();
    await time.pass(60);
    await server.done;
    assert.equal(
      ended.map(({ state }) => state),
      ['abandoned'],
    );
  });
});

// ---- ends of games ----

daide('a draw: as soon as all that play on want it, in the same turn', () =>
  withServer({ clients: ['FRANCE', 'ITALY'] }, async ({ port, server, ended }) => {
    const [france, italy] = [await player(port), await player(port)];
    await france.hear('NOW');
    await italy.hear('NOW');
    assert.is(await france.ask('DRW', 'YES'), 'YES (DRW)');
    assert.is(await france.ask('NOT (DRW)', 'YES'), 'YES (NOT (DRW))');
    assert.is(await italy.ask('DRW', 'YES'), 'YES (DRW)');
    assert.is(await france.ask('DRW (FRA ITA)', 'HUH'), 'HUH (DRW ERR (FRA ITA))', 'partial draws are of level 10');
    france.send(`SUB ${HOLDS}`);
    italy.send(`SUB ${ITALIAN_HOLDS}`);
    await france.hear('NOW (FAL');
    await italy.hear('NOW (FAL');
    assert.is(await france.ask('DRW', 'YES'), 'YES (DRW)');
    assert.is(france.heard.includes('DRW'), false, 'what was wanted in spring is over');
    italy.send('DRW');
    await italy.hear('YES (DRW)');
    for (const one of [italy, france]) {
      await one.hear('DRW');
      assert.match(await one.hear('SMR'), /^SMR \(FAL 1901\)/);
      await one.hear('OFF');
      one.send('SMR', 'NOW', 'SUB ((FRA AMY PAR) HLD)');
      await one.hear('DRW');
      await one.hear('SMR');
      await one.hear('NOW');
      await one.hear('REJ (SUB');
      one.leave();
    }
    await server.done;
    assert.equal(
      ended.map(({ state, game }) => [state, game.winner]),
      [['over', -1]],
    );
  }),
);

daide('a power that is away stands in the way of a draw as long as the turn waits for it', () => {
  const time = new TestTime();
  return withServer({ clients: ['FRANCE', 'ITALY', 'TURKEY'], graceSeconds: 1, time }, async ({ port }) => {
    const [france, italy, turkey] = [await player(port), await player(port), await player(port)];
    await turkey.hear('NOW');
    turkey.kill();
    const two = [france, italy];
    for (const one of two) await one.hear('CCD (TUR)');
    for (const one of two) assert.is(await one.ask('DRW', 'YES'), 'YES (DRW)');
    france.send(`SUB ${HOLDS}`);
    italy.send(`SUB ${ITALIAN_HOLDS}`);
    await time.pass(1);
    for (const one of two) await one.hear('NOW (FAL');
    for (const one of two) one.send('DRW');
    for (const one of two) {
      await one.hear('YES (DRW)');
      await one.hear('DRW');
      assert.is(one.heard.filter((text) => text === 'DRW').length, 1);
    }
  });
});

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
  const out = join(directory, 'run');
  const args = ['daide', '--port', '0', '--until', '1906', '--out', out, '--json', '--games', '2'];
  const child = spawn(process.execPath, [entry, ...args, '--log', join(directory, 'log')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const next = linesOf(child);
  const { listening } = JSON.parse(await next()) as { listening: { host: string; port: number } };
  assert.is(listening.host, '127.0.0.1');
  // Two tables at once: the first seven clients sit at the first one.
  const agents = Array.from({ length: 14 }, (_, i) => (i < 7 ? 'dumbbot' : 'random'));
  const brains = await playAll(listening.port, agents);
  for (const { client } of brains) assert.equal(complaintsOf(client), []);
  const ends = [JSON.parse(await next()), JSON.parse(await next())] as Record<string, unknown>[];
  assert.is((await once(child, 'exit'))[0], 0);
  assert.equal(ends.map(({ game }) => game).sort(), [1, 2]);
  for (const { result, players } of ends) {
    assert.match(String(result), /^(draw|solo)$/);
    assert.match(JSON.stringify(players), /"FRANCE":"(dumbbot|random) \d+ 1"/);
  }
  assert.match(runLepanto(['replay', out, '--verify']).out, /^2 games, \d+ phases: no difference/);
  const shown = [0, 1].map((game) => runLepanto(['replay', out, '--game', String(game)]).out);
  assert.equal(shown.map((text) => /^FRANCE +(dumbbot|random)_\d+-1$/m.exec(text)?.[1]).sort(), ['dumbbot', 'random']);
  const log = readFileSync(join(directory, 'log'), 'utf8').split('\n');
  assert.match(log[0], /^[\d:.]{12} 1 < NME \( 'dumbbot 0' \) \( '1' \)$/);
  assert.match(log[1], /^[\d:.]{12} 1 > YES \( NME \( 'dumbbot 0' \) \( '1' \) \)$/);
  const converted = runLepanto(['convert', out, '-', '--quiet']);
  assert.is(converted.code, 0);
  const games = converted.out.trim().split('\n');
  assert.equal(
    games.map((line) => JSON.parse(line).phases.at(0).name),
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

/** Lines of standard output, as they come. */
const linesOf = ({ stdout }: ChildProcessByStdio<null, Readable, Readable | null>): (() => Promise<string>) => {
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  return async () => (await lines.next()).value ?? '';
};

daide('one bot against six agents; Ctrl-C tells it to exit', async () => {
  const args = ['daide', '--port', '0', '--clients', '1', '--agents', 'random', '--seed', '5', '--quiet'];
  const child = spawn(process.execPath, [entry, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const lines = linesOf(child);
  const port = Number(/^listening on 127\.0\.0\.1:(\d+)$/.exec(await lines())?.[1]);
  const client = await player(port);
  const [power] = parts(await client.hear('HLO'));
  await client.hear('NOW');
  child.kill('SIGINT');
  const heard = await until(client, 'CLOSED');
  assert.equal(heard, ['OFF', 'FM', 'CLOSED']);
  assert.is((await once(child, 'exit'))[0], 130);
  // The seed deals the powers.
  const again = spawn(process.execPath, [entry, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const next = linesOf(again);
  const second = await player(Number(/(\d+)$/.exec(await next())?.[1]));
  assert.is(parts(await second.hear('HLO'))[0], power);
  again.kill('SIGTERM');
  await second.hear('OFF');
  assert.is((await once(again, 'exit'))[0], 0);
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

// ---- what is no message ----

/** What the server says to bytes. */
const answerTo = async (port: number, bytes: Buffer): Promise<string[]> => {
  const client = await DaideClient.open(port);
  client.socket.write(bytes);
  await client.hear('CLOSED');
  return client.heard;
};

const initial = (...words: readonly number[]): Buffer => {
  const body = Buffer.alloc(2 * words.length);
  words.forEach((word, i) => {
    body.writeUInt16BE(word, 2 * i);
  });
  return Buffer.concat([header(0, body.length), body]);
};

daide('who breaks the protocol hears why, and the connection ends', () =>
  withServer(ALONE, async ({ port }) => {
    const message = diplomacy(encode('NOW'));
    const swapped = Buffer.from([0, 0, 4, 0, 1, 0, 0x10, 0xda]);
    const faults: readonly (readonly [bytes: Buffer, heard: string[]])[] = [
      [message, ['EM 2']],
      [header(9, 0), ['EM 2']],
      [header(1, 0), ['EM 2']],
      [Buffer.from('GET / HTTP/1.1\r\n\r\n'), ['EM 2']],
      [swapped, ['EM 3']],
      [initial(1, 0x10da), ['EM 3']],
      [initial(1, 0xda11), ['EM 4']],
      [initial(2, 0xda10), ['EM 5']],
      [initial(1), ['EM 9']],
      [initial(1, 0xda10, 0), ['EM 9']],
      [Buffer.concat([INITIAL, INITIAL]), ['RM', 'EM 6']],
      [Buffer.concat([INITIAL, header(1, 6)]), ['RM', 'EM 13']],
      [Buffer.concat([INITIAL, header(5, 0)]), ['RM', 'EM 8']],
      [Buffer.concat([INITIAL, header(255, 65535)]), ['RM', 'EM 8']],
      [Buffer.concat([INITIAL, header(2, 0)]), ['RM', 'EM 9']],
      [Buffer.concat([INITIAL, header(2, 3)]), ['RM', 'EM 9']],
      [Buffer.concat([INITIAL, header(3, 2)]), ['RM', 'EM 9']],
      [Buffer.concat([INITIAL, header(4, 4)]), ['RM', 'EM 9']],
      [Buffer.concat([INITIAL, diplomacy([0x5800])]), ['RM', 'EM 14']],
      [Buffer.concat([INITIAL, diplomacy([...encode('NOW'), 0xffff])]), ['RM', 'EM 14']],
      [Buffer.concat([INITIAL, header(3, 0)]), ['RM']],
      [Buffer.concat([INITIAL, header(4, 2), Buffer.from([0, 8])]), ['RM']],
      [header(3, 0), []],
    ];
    for (const [bytes, heard] of faults)
      assert.equal(await answerTo(port, bytes), [...heard, 'CLOSED'], bytes.toString('hex').slice(0, 60));
    // Others play on, and bytes may come one by one.
    const client = await DaideClient.open(port);
    for (const byte of Buffer.concat([INITIAL, diplomacy(encode("NME ('slow') ('1')"))]))
      await new Promise<void>((written) => client.socket.write(Buffer.of(byte), () => written()));
    await client.hear("MAP ('standard')");
  }),
);

daide('an initial message that does not come, and a message that does not end, run out of time', () => {
  const time = new TestTime();
  return withServer({ ...ALONE, time }, async ({ port }) => {
    const silent = await DaideClient.open(port);
    await time.pass(30);
    await silent.hear('EM 1');
    const begun = await DaideClient.open(port);
    begun.socket.write(INITIAL.subarray(0, 7));
    await time.pass(30);
    await begun.hear('EM 1');
    const stuck = await DaideClient.join(port);
    stuck.socket.write(diplomacy(encode("NME ('x') ('1')")).subarray(0, 9));
    await time.pass(30);
    await stuck.hear('EM 9');
    const idle = await DaideClient.join(port);
    await idle.ask('MAP', 'MAP');
    assert.equal(idle.heard, ['RM', "MAP ('standard')"]);
    await time.pass(60);
    await idle.hear('FM');
    const seated = await player(port);
    await seated.hear('NOW');
    assert.is(time.isIdle, true, 'between the messages of a player there is no limit');
  });
});

daide('the representation waits for clients that are not ready for it at once', () => {
  const time = new TestTime();
  return withServer({ ...ALONE, time, greetMs: 300 }, async ({ port, remarks }) => {
    const client = await DaideClient.open(port);
    // What comes before it waits, too.
    client.socket.write(Buffer.concat([INITIAL, diplomacy(encode("NME ('x') ('1')"))]));
    assert.equal(client.heard, []);
    await time.pass(0.3);
    await client.hear('YES');
    assert.is(client.heard[0], 'RM');
    assert.equal(remarks, ['table 1: x 1 sits down, 1 of 1 seats are taken']);
  });
});

daide('PRN for brackets that do not match, HUH before the first token that is wrong', () =>
  withServer(ALONE, async ({ port }) => {
    const client = await player(port);
    await client.hear('NOW');
    const answers: Readonly<Record<string, string>> = {
      'NOW (': 'PRN (NOW ()',
      'SUB ((FRA AMY PAR) HLD': 'PRN (SUB ((FRA AMY PAR) HLD)',
      ') NOW (': 'PRN () NOW ()',
      'NOW NOW': 'HUH (NOW ERR NOW)',
      'NOW ()': 'HUH (NOW ERR ())',
      '()': 'HUH (ERR ())',
      '5': 'HUH (ERR 5)',
      FRA: 'HUH (ERR FRA)',
      "NME ('x')": "HUH (NME ('x') ERR)",
      'NME (1) (2)': 'HUH (NME (ERR 1) (2))',
      "NME ('x') ('y') ()": "HUH (NME ('x') ('y') ERR ())",
      'IAM (5) (5)': 'HUH (IAM (ERR 5) (5))',
      'IAM (FRA) (FRA)': 'HUH (IAM (FRA) (ERR FRA))',
      SUB: 'HUH (SUB ERR)',
      'SUB ()': 'HUH (SUB (ERR))',
      'SUB (SPR 1901)': 'HUH (SUB (SPR 1901) ERR)',
      'SUB (FRA AMY PAR)': 'HUH (SUB (FRA ERR AMY PAR))',
      'SUB ((FRA AMY PAR))': 'HUH (SUB ((FRA AMY PAR) ERR))',
      'SUB ((FRA AMY PAR) MTO)': 'HUH (SUB ((FRA AMY PAR) MTO ERR))',
      'SUB ((FRA AMY PAR) MTO (SPA AMY))': 'HUH (SUB ((FRA AMY PAR) MTO (SPA ERR AMY)))',
      'SUB ((FRA FLT BRE) SUP (FRA AMY PAR) MTO (SPA NCS))':
        'HUH (SUB ((FRA FLT BRE) SUP (FRA AMY PAR) MTO ERR (SPA NCS)))',
      'SUB ((FRA AMY PAR) CTO LON)': 'HUH (SUB ((FRA AMY PAR) CTO LON ERR))',
      'SUB ((FRA AMY PAR) CTO LON VIA ())': 'HUH (SUB ((FRA AMY PAR) CTO LON VIA (ERR)))',
      'SUB (PAR HLD)': 'HUH (SUB (ERR PAR HLD))',
      'NOT (NOT (GOF))': 'HUH (NOT (ERR NOT (GOF)))',
      'NOT GOF': 'HUH (NOT ERR GOF)',
      HST: 'HUH (HST ERR)',
      'HST (1901)': 'HUH (HST (ERR 1901))',
      'TME (FRA)': 'HUH (TME (ERR FRA))',
      "SVE ('g')": "HUH (ERR SVE ('g'))",
      "LOD ('g')": "HUH (ERR LOD ('g'))",
      OFF: 'HUH (ERR OFF)',
      'SND (ITA) (PRP (PCE (FRA ITA)))': 'HUH (ERR SND (ITA) (PRP (PCE (FRA ITA))))',
      '#4999': 'HUH (ERR #4999)',
    };
    for (const [text, answer] of Object.entries(answers)) {
      client.send(text);
      assert.is(await client.hear(answer.slice(0, 3)), answer);
    }
    // Complaints are not answered, and neither is what nobody asked for.
    client.send(
      'HUH (NOW (ERR',
      'PRN (',
      'HUH (ERR NOW)',
      "YES (SVE ('g'))",
      "REJ (LOD ('g'))",
      "YES (MAP ('standard'))",
      'SCO',
    );
    assert.match(await client.hear(''), /^SCO/);
    // Too long to be repeated.
    client.socket.write(diplomacy(Array.from({ length: MAX_TOKENS }, () => 0x4000)));
    assert.is(await client.hear('HUH'), 'HUH (ERR)');
    client.socket.write(diplomacy(Array.from({ length: 8000 }, (_, i) => (i < 4000 ? 0x4000 : 0x4001))));
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

daide('connections that never sit down make room for those that want to', () =>
  withServer({ clients: ['FRANCE', 'ITALY'], maxConnections: 3 }, async ({ port }) => {
    const idle: DaideClient[] = [];
    for (let i = 0; i < 8; i++) idle.push(await DaideClient.open(port));
    await idle[0].hear('CLOSED');
    const france = await player(port);
    const italy = await player(port);
    await france.hear('NOW');
    await italy.hear('NOW');
  }),
);

daide('observers make room, too, but players do not', () =>
  withServer({ ...ALONE, maxConnections: 2 }, async ({ port }) => {
    const watcher = await DaideClient.join(port);
    await watcher.ask('OBS', 'YES');
    const france = await player(port);
    await france.hear('NOW');
    const late = await DaideClient.join(port);
    await watcher.hear('CLOSED');
    await late.ask('OBS', 'YES');
    await france.ask('NOW', 'NOW');
  }),
);

daide('who does not accept the map loses its seat', () => {
  const time = new TestTime();
  return withServer({ clients: ['FRANCE', 'ITALY'], mapSeconds: 50, time }, async ({ port }) => {
    const ready = await player(port);
    await ready.ask('MAP', 'MAP');
    const slow = await DaideClient.join(port);
    await slow.ask("NME ('slow') ('1')", 'MAP');
    await time.pass(50);
    await slow.hear('FM');
    const next = await player(port);
    await next.hear('NOW');
    await ready.hear('NOW');
  });
});

daide('admin messages are passed on, some of each client in a turn', () =>
  withServer({ clients: ['FRANCE', 'ITALY'] }, async ({ port }) => {
    const [france, italy] = [await player(port), await player(port)];
    await italy.hear('NOW');
    france.send(...Array.from({ length: 20 }, (_, i) => `ADM ('F') ('${i}')`), 'MIS');
    await france.hear('MIS');
    assert.is(france.heard.filter((text) => text.startsWith('REJ (ADM')).length, 4);
    await italy.ask("ADM ('I') ('x')", "ADM ('I')");
    assert.is(italy.heard.filter((text) => text.startsWith("ADM ('F')")).length, 16);
    const guest = await DaideClient.join(port);
    await guest.ask("ADM ('G') ('x')", 'REJ');
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
