// Converts recorded games between objects and bytes (layout: record-writer.ts). Code that does not need objects reads
// the bytes in place with GameCursor (game-cursor.ts).
import { refuseValue } from '../../engine/rules/shape.js';
import { byScore, type StoredGame, type StoredPhase } from '../games/game-record.js';
import { GameCursor } from './game-cursor.js';
import {
  HEADER_SIZE,
  LENGTH_SIZE,
  MAGIC,
  MESSAGES_VERSION,
  PLAIN_VERSION,
  RECORD_VERSION,
  RecordWriter,
  TARGETS_VERSION,
} from './record-writer.js';

export type { StoredGame, StoredPhase };

/** Returns a copy of a game without the states between the first and the last phase, which follow from the orders. */
export const withoutStates = <T extends Pick<StoredGame, 'phases'>>(
  game: T,
): Omit<T, 'phases'> & Pick<StoredGame, 'phases'> => ({
  ...game,
  phases: game.phases.map((phase, i, { length }) => (i === 0 || i === length - 1 ? phase : { ...phase, state: null })),
});

const versionOf = ({ agents, phases }: StoredGame): number => {
  if (agents !== undefined) return RECORD_VERSION;
  if (phases.some(({ messages = [] }) => messages.length > 0)) return MESSAGES_VERSION;
  return phases.some(({ targets = [] }) => targets.length > 0) ? TARGETS_VERSION : PLAIN_VERSION;
};

const writeGame = (writer: RecordWriter, game: StoredGame): Uint8Array =>
  writer.game(game.index, game.seed, game.phases, game.scores, game);

/** Encodes one game as a msgpack map. @throws LepantoError if the numbers of orders and results of a phase differ */
export const packGame = (record: StoredGame): Uint8Array => writeGame(new RecordWriter(), record);

/** Encodes one game as a msgpack map. @throws LepantoError if the numbers of orders and results of a phase differ */
export const encodeGame = (record: StoredGame): Buffer => Buffer.from(packGame(record));

/**
 * Encodes games as a shard of the lowest version that allows all their fields. The bytes have an ArrayBuffer of their
 * own, which can be transferred.
 * @throws LepantoError if the numbers of orders and results of a phase differ
 */
export const encodeShard = (records: readonly StoredGame[]): Uint8Array<ArrayBuffer> => {
  const writer = new RecordWriter();
  writer.beginShard(records.reduce((most, record) => Math.max(most, versionOf(record)), PLAIN_VERSION));
  for (const record of records) writeGame(writer, record);
  return writer.bytes.slice(0, writer.at);
};

/** Joins encoded games to a shard of version RECORD_VERSION. @param games bytes of the games, as from encodeGame() */
export const joinShard = (games: readonly Uint8Array[]): Uint8Array => {
  const head = Buffer.alloc(HEADER_SIZE);
  head.writeUInt32LE(MAGIC);
  head.writeUInt32LE(RECORD_VERSION, LENGTH_SIZE);
  const parts = games.flatMap((game) => {
    const length = Buffer.alloc(LENGTH_SIZE);
    length.writeUInt32LE(game.length);
    return [length, game];
  });
  return Buffer.concat([head, ...parts]);
};

/**
 * Copies the open game of a cursor to objects, which stay valid when the cursor moves on. The cursor is moved.
 * @throws LepantoError if targets or messages are malformed
 */
export const storedGame = (cursor: GameCursor): StoredGame => {
  const { index, seed, map, rules, agents } = cursor;
  const phases = Array.from({ length: cursor.phases }, (_, i): StoredPhase => {
    const { name, state, orders, results, count } = cursor.seek(i);
    const targets = cursor.targets();
    const messages = cursor.messages();
    return {
      phase: name,
      state: state?.slice() ?? null,
      orders: orders.slice(0, count),
      results: results.slice(0, count),
      ...(targets.length > 0 && { targets }),
      ...(messages.length > 0 && { messages }),
    };
  });
  return {
    ...(agents !== undefined && { agents }),
    ...(map !== undefined && { map }),
    ...(rules !== undefined && { rules }),
    index,
    seed,
    phases,
    scores: byScore((_, system) => cursor.scores(system)),
  };
};

/**
 * Decodes one game and checks its byte layout. Does not check whether the game follows the rules; Replay (verify.ts)
 * does.
 * @param bytes stored bytes of the game, without the length field before it
 * @param where name of the game in error messages
 * @throws LepantoError if the bytes are not a game; the message names the value found and the one expected
 */
export const decodeGame = (bytes: Uint8Array, where = 'game'): StoredGame =>
  storedGame(new GameCursor().open(bytes, where));

/**
 * Byte range of a game in a shard, without the length field before it: `offset` of its first byte and `length` in
 * bytes.
 */
export interface GamePlace {
  readonly offset: number;
  readonly length: number;
}

/** Maximum size of a recorded game in bytes. A game of a thousand years has a few megabytes. */
export const MAX_GAME = 1 << 26;

/**
 * Yields the byte range of each game of a shard.
 * @param read reads `length` bytes at an offset of the shard, or fewer at its end
 * @param size size of the shard in bytes
 * @param name name of the shard in error messages
 * @throws LepantoError that names the offset, for a wrong magic number, version or length
 */
export function* placesIn(
  read: (offset: number, length: number) => Uint8Array,
  size: number,
  name: string,
): Generator<GamePlace> {
  const at = (offset: number): string => `${name} at offset ${offset}`;
  const head = Buffer.from(read(0, HEADER_SIZE));
  if (head.length < HEADER_SIZE) refuseValue(at(0), head, `at least ${HEADER_SIZE} bytes`);
  if (head.readUInt32LE() !== MAGIC) refuseValue(`${at(0)}, magic`, head.toString('latin1', 0, 4), '"LEPG"');
  const version = head.readUInt32LE(4);
  if (version < PLAIN_VERSION || version > RECORD_VERSION)
    refuseValue(`${at(4)}, version`, version, `${PLAIN_VERSION} to ${RECORD_VERSION}`);
  for (let offset = HEADER_SIZE; offset < size; ) {
    const bytes = Buffer.from(read(offset, LENGTH_SIZE));
    const length = bytes.length === LENGTH_SIZE ? bytes.readUInt32LE() : 0;
    const most = Math.min(size - offset - LENGTH_SIZE, MAX_GAME);
    if (length === 0 || length > most)
      refuseValue(`${at(offset)}, length of a game`, length, `1 to ${Math.max(1, most)}`);
    offset += LENGTH_SIZE;
    yield { offset, length };
    offset += length;
  }
}

/**
 * Returns a view of each game of a shard, without the length fields.
 * @param name name of the shard in error messages
 * @throws LepantoError that names the offset, for a wrong magic number, version or length
 */
export const splitShard = (bytes: Uint8Array, name = 'shard'): Uint8Array[] => {
  const read = (offset: number, length: number): Uint8Array => bytes.subarray(offset, offset + length);
  return Array.from(placesIn(read, bytes.length, name), ({ offset, length }) => read(offset, length));
};

/**
 * Decodes all games of a shard.
 * @param name name of the shard in error messages
 * @throws LepantoError if the shard or a game is malformed
 */
export const decodeShard = (bytes: Uint8Array, name = 'shard'): StoredGame[] =>
  splitShard(bytes, name).map((game) => decodeGame(game, `${name} at offset ${game.byteOffset - bytes.byteOffset}`));
