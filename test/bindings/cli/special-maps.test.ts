// Tests maps with rules of their own through the commands: adjudicate, legal, selfplay, replay, stats, convert, arena,
// search, map.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import * as E from '../../../engine/internal.js';
import { orderText } from '../../../engine/notation/text/index.js';
import { callLepanto, makeFolder } from '../../tools/command.js';
import { saying } from '../../tools/errors.js';
import { linesIn } from '../../tools/running.js';

const directory = makeFolder('special');
const path = (name: string): string => join(directory, name);

/** Runs a command that must succeed. Returns what it prints. */
const run = async (args: readonly string[], input: object | string = ''): Promise<string> => {
  const { code, out, err } = await callLepanto(args, typeof input === 'string' ? input : JSON.stringify(input));
  assert.is(code, 0, err);
  return out;
};

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
  const args = ['adjudicate', '--map', 'colonial', '--map-options', 'tsr', '--quiet'];
  const { code, out } = await callLepanto(args, text);
  assert.is(code, 1);
  const [first, second, third, fourth] = linesIn(out).map((line) => JSON.parse(line));
  assert.equal([first.units.RUSSIA, second.units.ROME, fourth.units.RUSSIA], [['A VLA'], ['A APU'], ['A VLA']]);
  assert.equal(third, { id: 3, line: 3, error: 'map ancmed: got option suez, wanted one that this map has' });
  const shown = await run(['adjudicate', '--format', 'datc', '--quiet'], records[0]);
  assert.match(shown, 'A Moscow - TSR - Vladivostok; succeeds');
});

commands('legal lists the convoys of a fleet in Baleares, unless an option says otherwise', async () => {
  const record = { phase: 'S0001M', units: { ROME: ['A SAG', 'F BAL', 'F LIG'] } };
  const text = ['ancmed', 'ancmed,convoyable=no'].map((map) => JSON.stringify({ map, ...record })).join('\n');
  const lists = linesIn(await run(['legal', '--quiet'], text));
  assert.equal(
    lists.map((line) => line.includes('F BAL C A SAG - ROM')),
    [true, false],
  );
});

commands('a ride and leave to pass the canal are packed by hand', () => {
  const map = E.loadMap('colonial,tsr,suez');
  const at = (tag: string): number => map.provinceTags.indexOf(tag);
  const game = E.newGame(map);
  game.placeUnit(map.powerNames.indexOf('TURKEY'), E.ARMY, at('EGY'));
  game.placeUnit(map.powerNames.indexOf('BRITAIN'), E.FLEET, at('MED'));
  const { hold, move, rail, withLeave } = E.makeOrder;
  const packed = [rail(at('MOS'), at('KRA')), withLeave(hold(at('EGY')), 1), move(at('MED'), at('RED'))];
  for (const order of packed) assert.ok(E.isLegal(game, order), orderText(game, order));
  assert.is(orderText(game, packed[1]), 'A EGY H PERMITS F MED - RED');
  assert.not(E.isLegal(game, withLeave(hold(at('EGY')), 3)));
  assert.not(E.isLegal(game, withLeave(hold(at('MED')), 1)));
  assert.not(E.isLegal(E.newGame(E.loadMap('colonial')), packed[0]));
  E.adjudicate(game, Int32Array.from(packed));
  // The army in OMS holds: the train passes it.
  const isTaken = (tag: string): boolean => game.unitAt(at(tag)) !== 0;
  assert.equal(['RED', 'MED', 'KRA', 'OMS', 'MOS'].map(isTaken), [true, false, true, true, false]);
  assert.equal(E.readGame(map, game.rules, E.writeGame(game)).bytes, game.bytes);
  assert.throws(() => E.readGame(E.loadMap('colonial'), game.rules, E.writeGame(game)), saying('id of map colonial'));
});

commands('legal takes options in the name of a map or beside it', async () => {
  const legal = (...map: string[]) => callLepanto(['legal', '--quiet', '--map', ...map], JSON.stringify(ride));
  const byName = await legal('colonial,tsr');
  assert.match(byName.out, 'A MOS - TSR - PRM');
  assert.equal(await legal('colonial', '--map-options', 'tsr'), byName);
  assert.not.match((await legal('colonial')).out, 'TSR');
  const refused = await legal('colonial', '--map-options', 'steam');
  assert.is.not(refused.code, 0);
  assert.match(refused.err, 'got option "steam", wanted one of tsr, suez, hongKong, ice, difficult, buildAnywhere');
});

const selfplay = '--games 7 --seed 5 --agents random --quiet'.split(' ');
const VERIFIED = /^7 games, \d+ phases: no difference$/m;

for (const [map, options] of [
  ['colonial', 'tsr,suez,hongKong'],
  ['loeb9', ''],
  ['standard', 'convoyable=BER+DEN,fleetBorders=BER-DEN'],
])
  commands(
    `selfplay on ${map} ${options}: the records name the map, verify, and do not depend on workers`,
    async () => {
      const shards: Buffer[] = [];
      for (const workers of ['1', '2']) {
        const out = path(`${map}-${workers}`);
        await run([
          'selfplay',
          ...selfplay,
          '--map',
          map,
          '--map-options',
          options,
          '--workers',
          workers,
          '--out',
          out,
        ]);
        shards.push(readFileSync(join(out, 'games-00000.lep')));
      }
      assert.ok(shards[0].equals(shards[1]));
      const { map: kept } = JSON.parse(readFileSync(join(path(`${map}-1`), 'manifest.json'), 'utf8'));
      assert.is(kept.name, [map, options].filter((part) => part !== '').join(','));
      assert.match(await run(['replay', path(`${map}-1`), '--verify', '--quiet']), VERIFIED);
    },
  );

commands('records of a map with options are counted, and saved for other programs', async () => {
  assert.match(await run(['stats', path('colonial-1')]), /^games +7$/m);
  await run(['convert', path('colonial-1'), path('colonial.jsonl'), '--quiet']);
  assert.match(await run(['replay', path('colonial.jsonl'), '--verify', '--quiet']), VERIFIED);
});

commands('arena and search take maps with options', async () => {
  await run('arena --map loeb9 --map-options ice=no --agents dumbbot,random --games 9 --until 1902 --quiet'.split(' '));
  writeFileSync(
    path('position.json'),
    JSON.stringify({ map: 'colonial', options: { tsr: true }, ...ride, centers: {} }),
  );
  const search = '--power russia --rollouts 60 --json --quiet'.split(' ');
  assert.ok(Array.isArray(JSON.parse(await run(['search', path('position.json'), ...search])).powers.RUSSIA));
});

commands('arenas, records, saved games, drawings and searches know a map for two by its short name', async () => {
  const [kept, saved] = [path('two'), path('two.jsonl')];
  const arena = 'arena --map france-austria --games 4 --until 1903 --quiet --agents'.split(' ');
  const { map, standings } = JSON.parse(await run([...arena, 'dumbbot,greedy', '--out', kept, '--json']));
  assert.is(map, 'standard_france_austria');
  for (const { powers } of standings) assert.equal(Object.keys(powers), ['AUSTRIA', 'FRANCE']);
  assert.is(standings[0].score + standings[1].score, 1);
  assert.match(await run([...arena, 'hold,random', '--protocol', 'mixed']), /^AUSTRIA .*\nFRANCE /m);
  await run(['convert', join(kept, '1'), saved, '--quiet']);
  assert.match(readFileSync(saved, 'utf8'), /"map":"standard_france_austria"/);
  assert.match(await run(['replay', saved, '--verify', '--quiet']), /^4 games, \d+ phases: no difference$/m);
  assert.match(await run(['draw', join(kept, '1')]), /on the map standard_france_austria<\/title>/);
  const search = 'search --start --map germany-italy --rollouts 60 --json --quiet'.split(' ');
  assert.equal(Object.keys(JSON.parse(await run(search)).powers), ['GERMANY', 'ITALY']);
  const listed = /^standard_france_austria \(france-austria\) +2 +75 +81 +19 +34 +18$/m;
  assert.match(await run(['map', 'list']), listed);
  const { code, err } = await callLepanto([...arena, 'net,random']);
  assert.is(code, 1);
  assert.match(err, 'agent net, option file: default: net: got "input.weight" of shape [40, 64], wanted [25, 64]');
  assert.match(err, 'as on the map standard_france_austria');
});

commands('map show writes a map with options as a map file that stands alone', async () => {
  const file = path('railways.json');
  writeFileSync(file, await run(['map', 'show', 'colonial,tsr,suez']));
  await run(['map', 'check', file]);
  const answered = await run(['adjudicate', '--map', file, '--quiet'], ride);
  assert.equal(JSON.parse(answered).units.RUSSIA, ['A VLA']);
  const without = await run(['adjudicate', '--map', `${file},tsr=no`, '--quiet'], ride);
  assert.is(JSON.parse(without).orders[0].result, 'illegal');
});

commands.run();
