// Tests maps with rules of their own through the commands: adjudicate, legal, selfplay, replay, stats, convert, arena,
// search, map.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  ARMY,
  adjudicate,
  FLEET,
  isLegal,
  loadMap,
  makeOrder,
  newGame,
  readGame,
  writeGame,
} from '../../../engine/internal.js';
import { orderText } from '../../../engine/notation/text/index.js';
import { callLepanto, type Ended, makeFolder } from '../../tools/command.js';
import { saying } from '../../tools/errors.js';

const directory = makeFolder('special');
const path = (name: string): string => join(directory, name);

const run = (args: readonly string[], input = ''): Promise<Ended> => callLepanto(args, input);

const commands = suite('special maps: commands');

const ride = { phase: 'S1870M', units: { RUSSIA: ['A MOS'] }, orders: { RUSSIA: ['A MOS - TSR - VLA'] } };

commands('adjudicate takes lines of several maps, and names the malformed one', async () => {
  const records = [
    { id: 1, map: 'colonial', options: { tsr: true }, ...ride },
    { id: 2, map: 'ancmed', phase: 'S1M', units: { ROME: ['A ROM'] }, orders: { ROME: ['A ROM - APU'] } },
    { id: 3, map: 'ancmed', options: { suez: true }, phase: 'S1M', units: {} },
    { id: 4, ...ride },
  ];
  const text = records.map((record) => JSON.stringify(record)).join('\n');
  const answered = await run(['adjudicate', '--map', 'colonial', '--map-options', 'tsr', '--quiet'], text);
  const lines = answered.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.is(answered.code, 1);
  assert.equal(lines[0].units.RUSSIA, ['A VLA']);
  assert.equal(lines[1].units.ROME, ['A APU']);
  assert.equal(lines[2], { id: 3, line: 3, error: 'map ancmed: got option suez, which this map has no place for' });
  assert.equal(lines[3].units.RUSSIA, ['A VLA']);
  const shown = await run(['adjudicate', '--format', 'datc', '--quiet'], JSON.stringify(records[0]));
  assert.match(shown.out, 'A Moscow - TSR - Vladivostok; succeeds');
});

commands('legal lists the convoys of a fleet in Baleares, unless an option says otherwise', async () => {
  const record = { phase: 'S0001M', units: { ROME: ['A SAG', 'F BAL', 'F LIG'] } };
  const text = ['ancmed', 'ancmed,convoyable=no'].map((map) => JSON.stringify({ map, ...record })).join('\n');
  const lists = (await run(['legal', '--quiet'], text)).out.trim().split('\n');
  assert.equal(
    lists.map((line) => line.includes('F BAL C A SAG - ROM')),
    [true, false],
  );
});

commands('orders packed by hand: a ride, and leave to pass the canal', () => {
  const map = loadMap('colonial,tsr,suez');
  const at = (tag: string): number => map.provinceTags.indexOf(tag);
  const game = newGame(map);
  game.placeUnit(map.powerNames.indexOf('TURKEY'), ARMY, at('EGY'));
  game.placeUnit(map.powerNames.indexOf('BRITAIN'), FLEET, at('MED'));
  const packed = [
    makeOrder.rail(at('MOS'), at('KRA')),
    makeOrder.withLeave(makeOrder.hold(at('EGY')), 1),
    makeOrder.move(at('MED'), at('RED')),
  ];
  for (const order of packed) assert.ok(isLegal(game, order), orderText(game, order));
  assert.is(orderText(game, packed[1]), 'A EGY H PERMITS F MED - RED');
  assert.not(isLegal(game, makeOrder.withLeave(makeOrder.hold(at('EGY')), 3)));
  assert.not(isLegal(game, makeOrder.withLeave(makeOrder.hold(at('MED')), 1)));
  assert.not(isLegal(newGame(loadMap('colonial')), packed[0]));
  adjudicate(game, Int32Array.from(packed));
  assert.ok(game.unitAt(at('RED')) !== 0 && game.unitAt(at('MED')) === 0);
  // The army in OMS holds: the train passes it.
  assert.ok(game.unitAt(at('KRA')) !== 0 && game.unitAt(at('OMS')) !== 0 && game.unitAt(at('MOS')) === 0);
  assert.equal(readGame(map, game.rules, writeGame(game)).bytes, game.bytes);
  assert.throws(() => readGame(loadMap('colonial'), game.rules, writeGame(game)), saying('id of map colonial'));
});

commands('legal: options by name or beside it', async () => {
  const position = JSON.stringify({ phase: 'S1870M', units: ride.units });
  const byName = await run(['legal', '--map', 'colonial,tsr', '--quiet'], position);
  assert.match(byName.out, 'A MOS - TSR - PRM');
  assert.is((await run(['legal', '--map', 'colonial', '--map-options', 'tsr', '--quiet'], position)).out, byName.out);
  assert.not.match((await run(['legal', '--map', 'colonial', '--quiet'], position)).out, 'TSR');
  const refused = await run(['legal', '--map', 'colonial', '--map-options', 'steam', '--quiet'], position);
  assert.is.not(refused.code, 0);
  assert.match(refused.err, 'got option "steam", wanted one of tsr, suez, hongKong, ice, difficult, buildAnywhere');
});

for (const [map, options] of [
  ['colonial', 'tsr,suez,hongKong'],
  ['loeb9', ''],
  ['standard', 'convoyable=BER+DEN,fleetBorders=BER-DEN'],
])
  commands(`selfplay on ${map} ${options}: the records name the map, and verify`, async () => {
    const out = path(map);
    const played = await run([
      ...['selfplay', '--map', map, '--games', '7', '--seed', '5', '--workers', '2', '--out', out, '--quiet'],
      ...['--agents', 'random', '--map-options', options],
    ]);
    assert.is(played.code, 0);
    const name = [map, options].filter((part) => part !== '').join(',');
    assert.is(JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8')).map.name, name);
    assert.match((await run(['replay', out, '--verify', '--quiet'])).out, /^7 games, \d+ phases: no difference$/m);
  });

commands(
  'records of a map with options are the same for any number of workers, counted, and saved for other programs',
  async () => {
    const args = ['selfplay', '--map', 'colonial', '--games', '7', '--seed', '5', '--agents', 'random', '--quiet'];
    const other = path('one-worker');
    const played = await run([...args, '--map-options', 'tsr,suez,hongKong', '--workers', '1', '--out', other]);
    assert.is(played.code, 0);
    const shard = (out: string): Buffer => readFileSync(join(out, 'games-00000.lep'));
    assert.ok(shard(other).equals(shard(path('colonial'))));
    assert.match((await run(['stats', other])).out, /^games +7$/m);
    const saved = path('colonial.jsonl');
    assert.is((await run(['convert', other, saved, '--quiet'])).code, 0);
    assert.match((await run(['replay', saved, '--verify', '--quiet'])).out, /^7 games, \d+ phases: no difference$/m);
  },
);

commands('arena and search take maps with options', async () => {
  const played = await run([
    ...['arena', '--map', 'loeb9', '--agents', 'dumbbot,random', '--games', '9', '--until', '1902', '--quiet'],
    ...['--map-options', 'ice=no'],
  ]);
  assert.is(played.code, 0, played.err);
  const file = path('position.json');
  writeFileSync(file, JSON.stringify({ map: 'colonial', options: { tsr: true }, ...ride, centers: {} }));
  const found = await run(['search', file, '--power', 'russia', '--rollouts', '60', '--json', '--quiet']);
  assert.is(found.code, 0, found.err);
  assert.ok(Array.isArray(JSON.parse(found.out).powers.RUSSIA));
});

commands(
  'a map for two by its short name: arenas, records, saved games, drawings, search; other weights are refused',
  async () => {
    const kept = path('two');
    const arena = ['arena', '--map', 'france-austria', '--games', '4', '--until', '1903', '--quiet'];
    const played = await run([...arena, '--agents', 'dumbbot,greedy', '--out', kept, '--json']);
    assert.is(played.code, 0, played.err);
    const { map, standings } = JSON.parse(played.out);
    assert.is(map, 'standard_france_austria');
    assert.equal(
      standings.map((one: { powers: object }) => Object.keys(one.powers)),
      [
        ['AUSTRIA', 'FRANCE'],
        ['AUSTRIA', 'FRANCE'],
      ],
    );
    assert.is(standings[0].score + standings[1].score, 1);
    const mixed = await run([...arena, '--agents', 'hold,random', '--protocol', 'mixed']);
    assert.match(mixed.out, /^AUSTRIA .*\nFRANCE /m, mixed.err);
    const saved = path('two.jsonl');
    assert.is((await run(['convert', join(kept, '1'), saved, '--quiet'])).code, 0);
    assert.match(readFileSync(saved, 'utf8'), /"map":"standard_france_austria"/);
    assert.match((await run(['replay', saved, '--verify', '--quiet'])).out, /^4 games, \d+ phases: no difference$/m);
    assert.match((await run(['draw', join(kept, '1')])).out, /on the map standard_france_austria<\/title>/);
    const found = await run(['search', '--start', '--map', 'germany-italy', '--rollouts', '60', '--json', '--quiet']);
    assert.equal(Object.keys(JSON.parse(found.out).powers), ['GERMANY', 'ITALY']);
    const refused = await run([...arena, '--agents', 'net,random']);
    assert.is(refused.code, 1);
    assert.match(
      refused.err,
      'agent net, option file: default: net: got "input.weight" of shape [40, 64], wanted [25, 64]',
    );
    assert.match(refused.err, 'as on the map standard_france_austria');
    assert.match(
      (await run(['map', 'list'])).out,
      /^standard_france_austria \(france-austria\) +2 +75 +81 +19 +34 +18$/m,
    );
  },
);

commands('map show writes a map with options as a map file that stands alone', async () => {
  const shown = await run(['map', 'show', 'colonial,tsr,suez']);
  assert.is(shown.code, 0);
  const file = path('railways.json');
  writeFileSync(file, shown.out);
  assert.is((await run(['map', 'check', file])).code, 0);
  const answered = await run(['adjudicate', '--map', file, '--quiet'], JSON.stringify(ride));
  assert.equal(JSON.parse(answered.out).units.RUSSIA, ['A VLA']);
  const without = await run(['adjudicate', '--map', `${file},tsr=no`, '--quiet'], JSON.stringify(ride));
  assert.is(JSON.parse(without.out).orders[0].result, 'illegal');
});

commands.run();
