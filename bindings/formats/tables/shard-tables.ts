// Converts games of recorded shards to rows of tables. Runs in a worker.

import { filled } from '../games/played-games.js';
import type { ShardTask } from '../games/shard-tasks.js';
import { type Findings, readFiles, sourceOf } from '../games/shard-tasks.js';
import { GameTables, type TableName } from './game-tables.js';
import type { RowGroup } from './parquet.js';

/** Tables of the games in some shards. */
export interface TabledGames extends Findings {
  readonly groups: readonly (readonly [name: TableName, group: RowGroup])[];
  /** Number of games whose rows are in the tables. */
  readonly written: number;
  /** Number of messages of the players, which the tables do not contain. */
  readonly messages: number;
}

/** URL of this module, which exports tableShards(). */
export const SHARD_TABLES: string = import.meta.url;

/** Replays the games of some shards and converts them to groups of rows. Called in a worker. */
export const tableShards = (task: ShardTask): TabledGames => {
  const source = sourceOf(task);
  const groups: [TableName, RowGroup][] = [];
  const tables = new GameTables(source.map, source.manifest, (name, group) => groups.push([name, group]));
  let [written, messages] = [0, 0];
  const found = readFiles(source, (game) => {
    const replay = filled(source, game);
    for (let i = 0; i < game.phases; i++) messages += game.seek(i).messages().length;
    tables.add(game, replay, '');
    written++;
  });
  tables.finish();
  return { ...found, groups, written, messages };
};
