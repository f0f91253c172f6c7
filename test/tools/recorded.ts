// Reads the games of some records as objects, and their tables, for tests.
import { crc32 } from 'node:zlib';
import { recordsOf, type Source } from '../../bindings/formats/games/recorded-run.js';
import type { CompiledMap, Rules } from '../../engine/internal.js';
import { makeTable } from '../../selfplay/records/game-table.js';
import { encodeShard, type StoredGame, storedGame } from '../../selfplay/records/record.js';
import { type Summary, summaryOf } from '../../selfplay/records/summary.js';

/** The games that can be read, one after the other. */
export const storedGames = (source: Source): StoredGame[] =>
  Array.from(recordsOf(source), ({ game }) => (game === null ? [] : [storedGame(game)])).flat();

/** Sums over games that follow from their orders. */
export const summarize = (map: CompiledMap, rules: Rules, games: readonly StoredGame[]): Summary => {
  const table = makeTable(map, rules, 'games-00000.lep', encodeShard(games));
  if (table === null) throw new Error('a game does not follow from its orders');
  return summaryOf(table);
};

const CRC_AT = 32;

/** A table that vouches for a shard with another CRC-32. */
export const forgeTable = (table: Uint8Array, crc: number): Uint8Array => {
  const forged = Uint8Array.from(table);
  const view = new DataView(forged.buffer);
  const end = forged.length - 4;
  const isLittle = view.getUint32(0, true) === 0x5450_454c;
  view.setUint32(CRC_AT, crc, isLittle);
  view.setUint32(end, crc32(forged.subarray(0, end)), isLittle);
  return forged;
};
