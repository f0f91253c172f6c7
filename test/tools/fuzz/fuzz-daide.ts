// Clients of a DAIDE server that say what none would: broken bytes, tokens in any order, good messages with a token
// changed, connections that come and go. At the end a client that plays by the book still gets its whole game.
import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../../engine/rules/random.js';
import { parseAgent } from '../../../selfplay/agents/registry.js';
import { DaideClient, diplomacy, encode, header, INITIAL } from '../../bindings/protocols/daide-client.js';
import { DaideBrain } from '../daide-brain.js';
import { peakOf } from '../peak-memory.js';
import { type Campaign, type FaultKind, inner } from './campaign.js';
import { chance, pick } from './random-input.js';

/** What the hostile ones send. */
const SENDINGS = 120;

const messages = `
NME ('x') ('1') | OBS | IAM (FRA) (77) | YES (MAP ('standard')) | REJ (MAP ('standard')) | MAP | MDF | HLO | SCO | NOW | ORD
HST (SPR 1901) | SUB ((FRA AMY PAR) HLD) | SUB (SPR 1901) ((FRA AMY PAR) MTO BUR) ((FRA FLT BRE) MTO (SPA NCS)) | MIS | GOF
SUB ((FRA FLT BRE) SUP (FRA AMY PAR) MTO PIC) ((FRA FLT BRE) CVY (FRA AMY PAR) CTO LON) ((FRA AMY PAR) CTO LON VIA (ECH))
SUB ((FRA AMY PAR) RTO BUR) ((FRA AMY PAR) DSB) ((FRA AMY PAR) BLD) ((FRA AMY PAR) REM) (FRA WVE) | NOT (GOF) | NOT (SUB)
NOT (SUB ((FRA AMY PAR) HLD)) | TME | TME (5) | NOT (TME) | NOT (TME (5)) | DRW | NOT (DRW) | SMR | ADM ('x') ('y')
HUH (NOW (ERR)) | PRN (NOW) | SND (ITA) (PRP (PCE (FRA ITA))) | YES (SVE ('g')) | SVE ('g') | LOD ('g') | OFF`
  .trim()
  .split(/\s*[|\n]\s*/);

const token = (random: Random): number =>
  pick(random, [
    0x4000,
    0x4001,
    random.below(0x4000),
    0x4100 + random.below(9),
    0x4300 + random.below(256),
    0x4500 + random.below(8),
    0x4800 + random.below(32),
    0x4b00 + random.below(256),
    (0x50 + random.below(8)) * 256 + random.below(80),
    random.below(0x1_0000),
  ]);

/** A good message with some tokens changed, left out or written twice. */
const changed = (random: Random): number[] => {
  const tokens = encode(pick(random, messages));
  for (let n = random.below(4); n > 0; n--) {
    const at = random.below(tokens.length + 1);
    tokens.splice(at, random.below(3), ...(chance(random, 60) ? [token(random)] : tokens.slice(0, random.below(6))));
  }
  return tokens.length === 0 ? [token(random)] : tokens;
};

const nested = (random: Random): number[] => {
  const depth = pick(random, [5, 500, 4000, 16_000]);
  const shut = depth - (chance(random, 20) ? 1 : 0);
  return [...encode('SUB'), ...new Array<number>(depth).fill(0x4000), ...new Array<number>(shut).fill(0x4001)];
};

const rawBytes = (random: Random, size: number): Buffer =>
  Buffer.from(Uint8Array.from({ length: size }, () => random.below(chance(random, 50) ? 256 : 5)));

const drawBytes = (random: Random): Buffer => {
  const kind = random.below(100);
  if (kind < 60) return diplomacy(changed(random));
  if (kind < 70) return diplomacy(Array.from({ length: 1 + random.below(60) }, () => token(random)));
  if (kind < 75) return diplomacy(nested(random));
  if (kind < 80)
    return Buffer.concat(Array.from({ length: 300 }, () => diplomacy(encode(pick(random, ['NOW', 'MDF', 'SCO'])))));
  if (kind < 85) return header(random.below(6), pick(random, [0, 1, 2, 3, 4, 255, 65_535]));
  if (kind < 90) return rawBytes(random, 1 + random.below(64));
  if (kind < 93) return INITIAL;
  return diplomacy(encode(pick(random, messages)));
};

class Attack {
  private clients: DaideClient[] = [];
  tries = 0;

  constructor(
    private readonly random: Random,
    private readonly port: number,
  ) {}

  private async open(): Promise<DaideClient> {
    const client = await DaideClient.open(this.port);
    if (chance(this.random, 90)) client.socket.write(INITIAL);
    if (chance(this.random, 30)) client.send("NME ('x') ('1')", "YES (MAP ('standard'))");
    if (chance(this.random, 10)) client.socket.pause();
    return client;
  }

  async run(): Promise<void> {
    const { random } = this;
    for (; this.tries < SENDINGS; this.tries++) {
      this.clients = this.clients.filter(({ heard }) => heard.at(-1) !== 'CLOSED');
      if (this.clients.length < 4 || chance(random, 10)) this.clients.push(await this.open());
      const client = pick(random, this.clients);
      const bytes = drawBytes(random);
      const cut = chance(random, 10) ? random.below(bytes.length) : 0;
      client.socket.write(bytes.subarray(cut));
      if (chance(random, 5)) client.kill();
      if (chance(random, 20)) await sleep(1);
    }
    for (const client of this.clients) client.kill();
  }
}

/** Plays a game as one should; what is wrong with it, null if nothing is. */
const playWell = async (port: number): Promise<string | null> => {
  const client = await DaideClient.join(port);
  const brain = new DaideBrain(client, parseAgent('random'));
  await client.sit('good');
  await client.hear('OFF', 600_000);
  return client.heard.includes('DRW') && brain.turns >= 2 ? null : `a game of ${brain.turns} turns without an end`;
};

const tryServer = async (random: Random, lepanto: string, found: (kind: FaultKind, what: string) => void) => {
  // A table for those that sit down to harm, and many more: whoever has a seat may leave it again.
  const args = ['daide', '--port', '0', '--tables', '60', '--clients', '1', '--power', 'FRANCE', '--agents', 'hold'];
  const aoa = chance(random, 30) ? ['--aoa'] : [];
  const child = spawn(process.execPath, [lepanto, ...args, '--until', '1901', ...aoa]);
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  try {
    while (!said.includes('\n')) await sleep(20);
    const port = Number(/^listening on [\d.]+:(\d+)\n/.exec(said)?.[1]);
    if (Number.isNaN(port)) throw new Error(`no port: ${said}`);
    const attack = new Attack(random, port);
    await attack.run();
    const wrong = await playWell(port);
    if (wrong !== null) found('answers', wrong);
    const megabytes = peakOf(child.pid ?? 0);
    child.kill('SIGINT');
    const code = await ended;
    if (code !== 130) found('code', `exit code ${code}: ${said.slice(-300)}`);
    const words = inner(said);
    if (words !== null) found(...words);
    return { tries: attack.tries, megabytes };
  } finally {
    child.kill('SIGKILL');
  }
};

export const daideCampaign: Campaign = {
  name: 'daide',
  about: 'clients of the DAIDE server',
  play: async (round) => {
    const { random, session } = round;
    const { lepanto } = session;
    const found = (kind: FaultKind, what: string): void => round.found(kind, [lepanto, 'daide'], what);
    try {
      const { tries, megabytes } = await tryServer(random, lepanto, found);
      round.tries = tries;
      if (megabytes > session.bounds.megabytes) found('memory', `${megabytes.toFixed(0)} MB`);
    } catch (error) {
      found('hang', (error as Error).message.slice(0, 500));
    }
  },
};
