// Sizes: input that announces, or is, much more than anybody needs. It must be refused early, within half a gigabyte.
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import type { Random } from '../../../engine/rules/random.js';
import { encodeShard } from '../../../selfplay/records/record.js';
import type { Campaign, Round } from './campaign.js';
import { pick } from './random-input.js';

const MEGABYTE = 1 << 20;

/** Resolves when more can be written, or never will be. */
const drained = (stream: Writable): Promise<void> =>
  new Promise((resolve) => {
    const events = ['drain', 'close', 'error'] as const;
    const settle = (): void => {
      for (const event of events) stream.off(event, settle);
      resolve();
    };
    for (const event of events) stream.on(event, settle);
  });

/** Writes the same bytes again and again while they are taken. */
export const pour =
  (bytes: Uint8Array, times: number) =>
  async ({ stdin }: ChildProcess): Promise<void> => {
    for (let i = 0; i < times && stdin !== null && !stdin.destroyed; i++) if (!stdin.write(bytes)) await drained(stdin);
    stdin?.end();
  };

const repeat = (text: string, bytes: number): string => text.repeat(Math.ceil(bytes / text.length));

const orders = (random: Random, count: number): string => {
  const unit = pick(random, ['A PAR H', 'A PAR - BUR', 'A PAR S A MAR', 'A XYZ']);
  const list = Array.from({ length: count }, (_, i) => (random.below(9) === 0 ? `${unit} ${i % 7}` : unit));
  return JSON.stringify({ phase: 'S1901M', units: { FRANCE: ['A PAR', 'A MAR'] }, orders: { FRANCE: list } });
};

/** JSON of some megabytes: in one place very much of one thing. */
const document = (random: Random): string => {
  const bytes = pick(random, [1, 8, 30, 60]) * MEGABYTE;
  const filling = pick(random, ['[]', '{}', '0', '""', 'null', '"A PAR H"', '[[]]', '{"a":[]}']);
  const body = pick(random, [
    () => `{"id":"x","phases":[${repeat(`${filling},`, bytes)}${filling}]}`,
    () => `{"id":"${repeat('x', bytes)}","phases":[]}`,
    () => `{"phases":${repeat('[', bytes)}`,
    () => `{${repeat('"k":1,', bytes)}"a":1}`,
    () => repeat(' ', bytes),
    () => repeat('\0', bytes),
  ])();
  // Cut, so that only the end shows it.
  return random.below(3) === 0 ? body.slice(0, body.length - 1 - random.below(9)) : body;
};

/** A shard whose only game announces much. */
const shard = (random: Random): Buffer => {
  const size = pick(random, [100, MEGABYTE, 40 * MEGABYTE]);
  const announced = pick(random, [size, 2 ** 32 - 1, 2 ** 31]);
  const head = Buffer.alloc(5);
  head[0] = pick(random, [0xdd, 0xdf, 0xdb, 0xc6, 0xc9, 0x91]);
  head.writeUInt32BE(announced, 1);
  const filling = Buffer.alloc(size, pick(random, [0xc0, 0x90, 0x80, 0xa0, 0x91, 0x81, 0xd4, 0xc7, 0x41]));
  const game = head[0] === 0x91 ? filling : Buffer.concat([head, filling]);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(random.below(4) === 0 ? announced >>> 0 : game.length);
  return Buffer.concat([encodeShard([]), length, game]);
};

type Try = readonly [args: readonly string[], feed?: (child: ChildProcess) => void];

const draw = (round: Round): readonly Try[] => {
  const { random, session } = round;
  const directory = round.place();
  const kind = random.below(6);
  if (kind === 0) {
    const bytes = Buffer.alloc(MEGABYTE, pick(random, [0, 0x20, 0x5b, 0x7b]));
    const command = pick(random, [['search'], ['adjudicate'], ['legal']]);
    return [[[...command, '-', '--quiet'], pour(bytes, pick(random, [10, 600, 1500]))]];
  }
  if (kind === 1) {
    // Byte by byte.
    const line = Buffer.from(`${orders(random, 900)}\n`);
    const bytes = (child: ChildProcess): void => {
      for (const byte of line) child.stdin?.write(Buffer.of(byte));
      child.stdin?.end();
    };
    return [[['adjudicate', '-', '--quiet'], bytes]];
  }
  if (kind === 2) {
    const path = session.write(join(directory, 'orders.jsonl'), `${orders(random, pick(random, [300, 1000, 1001]))}\n`);
    const rules = pick(random, ['strict-2003', 'twoOrders=last', 'datc-2.4', 'datc-3.2']);
    return [[['adjudicate', path, '--rules', rules, '--quiet']]];
  }
  if (kind === 3) {
    const path = session.write(join(directory, 'games-00000.lep'), shard(random));
    return [[['replay', path, '--verify', '--quiet']], [['convert', path, '-', '--quiet']]];
  }
  const path = session.write(join(directory, 'document.json'), document(random));
  return [[['convert', path, '--quiet']], [['search', path, '--quiet']], [['adjudicate', path, '--quiet']]];
};

export const sizeCampaign: Campaign = {
  name: 'sizes',
  about: 'input of unusual size into all commands that read any',
  play: async (round) => {
    const tries = draw(round);
    for (const [command, feed] of tries) await round.run(command, [0, 1], feed === undefined ? {} : { feed });
    round.tries = tries.length;
  },
};
