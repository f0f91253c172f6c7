// Tests what names of files mean in a directory of games.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isTaken, meaningOf, runFileIn, shardName, shardNumber } from '../../../selfplay/records/manifest.js';

const files = suite('run files');

// Name, its meaning, the file of a run that it begins with, its shard, whether a save may not have its stem as a name.
const rows: readonly (readonly [string, string | null, string | undefined, number | null, boolean])[] = [
  ['manifest.json', 'mark', 'manifest.json', null, true],
  ['playing.json', 'mark', 'playing.json', null, true],
  ['arena.json', 'mark', undefined, null, true],
  ['compare.json', 'cache', undefined, null, true],
  ['find.index', 'cache', undefined, null, true],
  ['config.toml', 'training', undefined, null, true],
  ['metrics.jsonl', 'training', undefined, null, true],
  ['games-00003.lep', 'shard', 'games-00003.lep', 3, true],
  ['games-00003.table', 'shard', 'games-00003.table', null, true],
  ['games-123456.lep', 'shard', 'games-123456.lep', 123456, true],
  ['games-00003.lep.host-1-0.part', null, 'games-00003.lep', null, true],
  ['manifest.json.host-1-0.part', null, 'manifest.json', null, true],
  ['games-3.lep', null, undefined, null, true],
  ['games-00003.json', null, undefined, null, true],
  ['Manifest.JSON', null, undefined, null, true],
  ['manifests.json', null, undefined, null, false],
  ['my game.json', null, undefined, null, false],
  ['constructor', null, undefined, null, false],
];
for (const [name, meaning, runFile, shard, isTakenStem] of rows)
  files(name, () => {
    assert.is(meaningOf(name), meaning);
    assert.is(runFileIn(name), runFile);
    assert.is(shardNumber(`some/folder/${name}`), shard);
    if (shard !== null) assert.is(shardName(shard), name);
    assert.is(isTaken(name.split('.')[0]), isTakenStem);
  });

files.run();
