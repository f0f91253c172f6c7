// Requests to the batch server that no client would send: each has one answer, in its turn, and the server goes on.
import { setTimeout } from 'node:timers/promises';
import type { Random } from '../../../engine/rules/random.js';
import { handshake, ProtocolClient, type ServerAnswer } from '../protocol-client.js';
import { type Campaign, type Fault, type FaultKind, inner, type Round } from './campaign.js';
import { chance, changeJson, changeText, pick, strangeValue } from './random-input.js';

const REQUESTS = 40;
/** The most games of a batch that is stepped here. */
const MOST_GAMES = 16;
const KNOWN = [...'sdprlxej='];
/** Arrays that a client writes before `l`. */
const kept = ['state', 'streams', 'episode_seed', 'steps', 'phases'];

interface Request {
  readonly command: string;
  readonly args: readonly number[];
  readonly body: string;
}

const number = (random: Random): number =>
  pick(random, [0, 0, 1, 2, 3, 4, 5, 8, 15, 16, 17, -1, -2, 255, 0x7fff_ffff, -0x8000_0000, random.next()]);

/** Work that takes as long as it is asked to: little of it. */
const short = (random: Random): number => pick(random, [0, 1, 2, 5, 20, -1, -0x8000_0000]);

const operations = (random: Random): Record<string, unknown> => {
  const game = random.below(4);
  const ids = Array.from({ length: random.below(6) }, () => random.below(9000) - 5);
  return pick<Record<string, unknown>>(random, [
    { op: 'position', game },
    { op: 'state', game },
    { op: 'format', game, ids },
    { op: 'powers', game, ids },
    { op: 'results', game, ids },
    { op: 'parse', game, power: random.below(8), texts: ['A PAR - BUR', 'F BRE H', 'x'.repeat(random.below(50))] },
    {
      op: 'adjudicate',
      game,
      record: { phase: 'S1901M', units: { FRANCE: ['A PAR'] }, orders: { FRANCE: ['A PAR H'] } },
    },
    { op: 'read_position', position: { phase: 'W1901A', units: { FRANCE: ['A PAR'] }, centers: { FRANCE: ['BRE'] } } },
    { op: 'provinces', game },
    { op: 'vocabulary' },
  ]);
};

const drawJson = (random: Random): Request => {
  const request = operations(random);
  const changed = chance(random, 60) ? changeJson(random, request, 1 + random.below(3)) : request;
  const text = JSON.stringify(changed) ?? 'null';
  const body = chance(random, 20) ? changeText(random, text) : text;
  return { command: 'j', args: [Buffer.byteLength(body), number(random)], body };
};

const drawRequest = (random: Random): Request => {
  const command = chance(random, 95) ? pick(random, KNOWN) : String.fromCharCode(1 + random.below(255));
  if (command === 'j') return drawJson(random);
  // The end of the server comes at the end of the round.
  if (command === 'q') return { command: '?', args: [], body: '' };
  const first = command === 'p' || command === 'e' ? short(random) : number(random);
  return { command, args: [first, number(random), number(random), number(random)], body: '' };
};

/** Draws bytes that are all 255, or all below 2, 8 or 256. */
const bytes = (random: Random, size: number): Uint8Array => {
  const bound = pick(random, [0, 2, 8, 256]);
  return Uint8Array.from({ length: size }, () => (bound === 0 ? 255 : random.below(bound)));
};

const sizeOf = ({ info }: ProtocolClient, name: string): number => {
  const arrays = info.arrays as { name: string; dtype: string; shape: number[] }[];
  const { dtype, shape } = arrays.find((array) => array.name === name) ?? { dtype: '1', shape: [0] };
  const width = Number(/\d+$/.exec(dtype)?.[0] ?? 8);
  return shape.reduce((product, n) => product * n, Math.max(1, width >> 3));
};

class Dialogue {
  private next = 1;
  tries = 0;

  constructor(
    private readonly random: Random,
    private readonly client: ProtocolClient,
  ) {}

  private fill(name: string, content: (size: number) => Uint8Array): void {
    const size = sizeOf(this.client, name);
    if (size > 0) this.client.fill(name, content(size));
  }

  private send({ command, args, body }: Request): number {
    this.tries++;
    this.client.request(command, this.next, args, body);
    return this.next++;
  }

  /** What is wrong with an answer; null if nothing is. */
  private judge({ mark, number: got, body }: ServerAnswer, wanted: number): Fault | null {
    if (got !== wanted) return ['answers', `number ${got}, wanted ${wanted}`];
    if (mark === '.') return null;
    if (mark !== '!' || !/^[A-Z]\w+: ./.test(body))
      return ['answers', `${mark} with ${JSON.stringify(body.slice(0, 200))}`];
    return inner(body);
  }

  private async ask(command: string, args: readonly number[] = []): Promise<[ServerAnswer, Fault | null]> {
    const wanted = this.send({ command, args, body: '' });
    const answer = await this.client.answer();
    return [answer, this.judge(answer, wanted)];
  }

  private async many(): Promise<Fault | null> {
    const { random } = this;
    this.fill('actions', (size) => bytes(random, size));
    const wanted: number[] = [];
    // Several at once: they are answered in their order.
    for (let n = 1 + random.below(5); n > 0; n--) wanted.push(this.send(drawRequest(random)));
    for (const one of wanted) {
      const fault = this.judge(await this.client.answer(), one);
      if (fault !== null) return fault;
    }
    return null;
  }

  /** Positions of no game: they are refused, or it can be played on from them. */
  private async load(): Promise<Fault | null> {
    const { random } = this;
    for (const name of kept) if (chance(random, 50)) this.fill(name, (size) => bytes(random, size));
    const [{ mark }, fault] = await this.ask('l');
    if (fault !== null || mark === '.') return fault;
    return this.reset();
  }

  private async reset(): Promise<Fault | null> {
    this.fill('mask', (size) => new Uint8Array(size).fill(1));
    const [{ mark, body }, fault] = await this.ask('r');
    return fault ?? (mark === '.' ? null : ['answers', `a reset of all games was refused: ${body}`]);
  }

  async play(): Promise<Fault | null> {
    for (let fault = await this.reset(); this.tries < REQUESTS; ) {
      fault ??= await (chance(this.random, 25) ? this.load() : this.many());
      if (fault !== null) return fault;
    }
    const fault = await this.reset();
    if (fault !== null) return fault;
    const [{ mark, value }] = await this.ask('p', [3, 1]);
    const games = Number(this.client.info.games);
    // Where no game begins again they may end before.
    return mark === '.' && value >= games && value <= 3 * games
      ? null
      : ['answers', `three steps of ${games} games: ${mark} ${value}`];
  }
}

const drawLine = (random: Random): string => {
  const config = {
    ...handshake(),
    games: 1 + random.below(9),
    children: random.below(4),
    workers: 1 + random.below(2),
    observations: pick(random, ['none', 'dipnet', 'deepmind']),
    reset_mode: pick(random, ['same_step', 'next_step', 'disabled']),
    until: pick(random, [0, 1901, 1905]),
    actions: pick(random, ['index', 'vocabulary']),
    opponents: pick<object>(random, [{}, {}, { FRANCE: 'random' }, { ITALY: 'dumbbot', RUSSIA: 'hold' }]),
  };
  const { fd, parent } = handshake();
  if (chance(random, 70)) return JSON.stringify(config);
  const changed = chance(random, 90) ? changeJson(random, config, 1 + random.below(3)) : strangeValue(random);
  const isRecord = typeof changed === 'object' && changed !== null && !Array.isArray(changed);
  const line = JSON.stringify(isRecord ? { ...changed, fd, parent } : changed);
  return chance(random, 20) ? changeText(random, line).replaceAll('\n', ' ') : line;
};

const tryServer = async (round: Round, found: (kind: FaultKind, what: string) => void): Promise<void> => {
  const { random } = round;
  const { server } = round.session;
  const client = await ProtocolClient.start({ directory: round.place(), line: drawLine(random), server });
  const { error, games } = client.info;
  if (typeof error === 'string') {
    const words = inner(error);
    if (words !== null) found(...words);
  } else if (Number(games) <= MOST_GAMES) {
    const dialogue = new Dialogue(random, client);
    const fault = await dialogue.play();
    if (fault !== null) found(...fault);
    round.tries += dialogue.tries;
  }
  const isCut = error === undefined && chance(random, 20);
  if (isCut) client.write(Buffer.alloc(1 + random.below(23), 's'));
  const [code, said] = await client.end();
  if (code !== (error === undefined && !isCut ? 0 : 1)) found('code', `exit code ${code}: ${said.slice(0, 200)}`);
  const words = inner(said);
  if (words !== null) found(...words);
};

export const protocolCampaign: Campaign = {
  name: 'protocol',
  about: 'requests to the batch server',
  play: async (round) => {
    const { session } = round;
    const found = (kind: FaultKind, what: string): void => round.found(kind, ['(server)', session.server], what);
    const all = new AbortController();
    const limit = setTimeout(session.bounds.seconds * 1000, 'late', { signal: all.signal }).catch(() => 'ended');
    const played = tryServer(round, found).catch((error: Error) =>
      found('code', `the server has ended: ${error.message.slice(0, 300)}`),
    );
    if ((await Promise.race([played, limit])) === 'late') found('hang', `no answer in ${session.bounds.seconds} s`);
    all.abort();
    for (const child of ProtocolClient.all.splice(0)) child.kill('SIGKILL');
  },
};
