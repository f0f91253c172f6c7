// Tests maps: the facts of those that ship with Lepanto, the tables made from rows, and what the compiler refuses.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compileMap } from '../../../engine/map/compile.js';
import type { CompiledMap, MapRows, ProvinceRow } from '../../../engine/map/compiled-map.js';
import { addMap, loadMap, mapNames, shortNames } from '../../../engine/map/index.js';
import { standard, standardRows } from '../../../engine/map/standard.js';
import { testBit } from '../../../engine/rules/bitset.js';
import { Random } from '../../../engine/rules/random.js';
import { ADJUSTMENT, FLEET, MOVEMENT, SEA, SPRING, WINTER } from '../../../engine/rules/types.js';
import { errorOf, saying } from '../../tools/errors.js';
import { shuffled } from '../../tools/families.js';

/** Order of the provinces in DAIDE's message syntax, here with our tags for ECH, GOB and GOL. */
const daide = `
  BOH BUR GAL RUH SIL TYR UKR BUD MOS MUN PAR SER VIE WAR ADR AEG BAL BAR BLA EAS ENG BOT LYO HEL ION
  IRI MAO NAO NTH NWG SKA TYS WES ALB APU ARM CLY FIN GAS LVN NAF PIC PIE PRU SYR TUS WAL YOR ANK BEL
  BER BRE CON DEN EDI GRE HOL KIE LON LVP MAR NAP NWY POR ROM RUM SEV SMY SWE TRI TUN VEN BUL SPA STP`
  .trim()
  .split(/\s+/);

const at = (map: CompiledMap, tag: string): number => map.locationTags.indexOf(tag);

/** Returns the key of a unit ('A PAR', 'F SPA/NC'), or the number of a location ('PAR'). */
const keyOf = (map: CompiledMap, unit: string): number =>
  (unit.startsWith('F ') ? map.locationCount : 0) + at(map, unit.replace(/^[AF] /, ''));

const targets = (map: CompiledMap, key: number): string[] =>
  [...map.moveTargets.subarray(map.moveOffsets[key], map.moveOffsets[key + 1])].map((to) => map.locationTags[to]);
/** Returns the locations that a unit ('A PAR', 'F SPA/NC') can move to, sorted. */
const moves = (map: CompiledMap, unit: string): string => targets(map, keyOf(map, unit)).sort().join(' ');

const bits = (map: CompiledMap, sets: Int32Array, set: number): string =>
  map.provinceTags
    .filter((_, p) => testBit(sets, set, p) === 1)
    .sort()
    .join(' ');

const distance = (map: CompiledMap, a: string, b: string): number =>
  map.distance[at(map, a) * map.provinceCount + at(map, b)];

// ---- facts ----

const facts = suite('the standard map');

facts('has 19 seas, and 22 centres that are homes and owned at the start', () => {
  assert.is([...standard.kind].filter((kind) => kind === SEA).length, 19);
  assert.is([...standard.homePower].filter((power) => power >= 0).length, 22);
  assert.equal(standard.startOwners, standard.homePower);
  assert.equal([standard.startSeason, standard.startPhase], [SPRING, MOVEMENT]);
  assert.is(standard.buildAnywhere, false);
});

facts('stands in the order of DAIDE, coasts after the provinces', () => {
  assert.equal(standard.provinceTags, daide);
  assert.equal(standard.locationTags, [...daide, 'BUL/EC', 'BUL/SC', 'SPA/NC', 'SPA/SC', 'STP/NC', 'STP/SC']);
  assert.equal([...standard.locationProvince.subarray(75)], [72, 72, 73, 73, 74, 74]);
  assert.equal([...standard.coastalProvinces], [72, 73, 74]);
  assert.equal(
    [72, 73, 74].map((p) => [standard.firstCoast[p], standard.coastCount[p], standard.coastalIndex[p]]),
    [
      [75, 2, 0],
      [77, 2, 1],
      [79, 2, 2],
    ],
  );
  assert.is(standard.coastalIndex[0], -1);
});

facts('has its powers in the alphabet, with their units and homes', () => {
  assert.equal(standard.powerNames, ['AUSTRIA', 'ENGLAND', 'FRANCE', 'GERMANY', 'ITALY', 'RUSSIA', 'TURKEY']);
  const units = standard.startUnits.map(
    ({ power, type, location }) =>
      `${standard.powerNames[power][0]} ${type === FLEET ? 'F' : 'A'} ${standard.locationTags[location]}`,
  );
  assert.equal(
    units.sort().join(', '),
    'A A BUD, A A VIE, A F TRI, E A LVP, E F EDI, E F LON, F A MAR, F A PAR, F F BRE, G A BER, G A MUN, G F KIE, ' +
      'I A ROM, I A VEN, I F NAP, R A MOS, R A WAR, R F SEV, R F STP/SC, T A CON, T A SMY, T F ANK',
  );
  const homes = (power: number): string =>
    [...standard.centers]
      .filter((_, c) => standard.homePower[c] === power)
      .map((p) => standard.provinceTags[p])
      .sort()
      .join(' ');
  assert.is(homes(5), 'MOS SEV STP WAR');
  assert.is(homes(6), 'ANK CON SMY');
  standard.centers.forEach((p, c) => {
    assert.is(standard.centerIndex[p], c);
  });
});

facts('reaches provinces where it moves to locations', () => {
  for (let key = 0; key < 2 * standard.locationCount; key++) {
    const list = standard.moveTargets.subarray(standard.moveOffsets[key], standard.moveOffsets[key + 1]);
    assert.equal(
      [...list],
      [...list].sort((a, b) => a - b),
    );
    const provinces = new Set([...list].map((to) => standard.provinceTags[standard.locationProvince[to]]));
    assert.is(bits(standard, standard.reach, key), [...provinces].sort().join(' '));
  }
});

facts('has 42 coasts: all that is no sea and not inland', () => {
  const inland = 'BOH BUD BUR GAL MOS MUN PAR RUH SER SIL TYR UKR VIE WAR'.split(' ');
  const coasts = daide.filter((tag, p) => standard.kind[p] !== SEA && !inland.includes(tag));
  assert.is(coasts.length, 42);
  assert.is(bits(standard, standard.coasts, 0), coasts.sort().join(' '));
});

facts('counts distances over any border', () => {
  const pairs = [
    ['PAR', 'PAR', 0],
    ['PAR', 'BRE', 1],
    ['CLY', 'NWG', 1],
    ['BUL', 'BLA', 1],
    ['MOS', 'BAR', 2],
    ['VIE', 'BER', 3],
    ['LON', 'PAR', 3],
    ['POR', 'SEV', 7],
    ['SYR', 'CLY', 7],
  ] as const;
  for (const [a, b, moves] of pairs) {
    assert.is(distance(standard, a, b), moves, `${a} ${b}`);
    assert.is(distance(standard, b, a), moves, `${b} ${a}`);
  }
});

facts('ranks full names for civil disorder (DATC 4.D.8)', () => {
  const rank = (tag: string): number => standard.alphabeticalRank[at(standard, tag)];
  assert.is(rank('ADR'), 0);
  assert.is(rank('YOR'), 74);
  assert.is(rank('STP'), rank('SPA') + 1);
  assert.is(rank('SWE'), rank('STP') + 1);
  assert.is(rank('BOT'), rank('GRE') + 1, 'Gulf of Bothnia is under G');
  assert.is(rank('LYO'), rank('BOT') + 1);
  assert.is(rank('NAO'), rank('NAF') + 1);
  assert.is(rank('NTH'), rank('NAO') + 1);
  assert.equal(
    [...standard.alphabeticalRank].sort((a, b) => a - b),
    [...daide.keys()],
  );
});

facts('knows the other names people use', () => {
  const named = new Map<string, string>();
  for (const row of standardRows.provinces) for (const alias of row.aliases ?? []) named.set(alias, row.tag);
  const wanted =
    'MID MAO, MAT MAO, GOL LYO, GOB BOT, ECH ENG, NRG NWG, TYN TYS, HELG HEL, NAT NAO, TRL TYR, LPL LVP, LIV LVN';
  for (const pair of wanted.split(', ')) {
    const [alias, tag] = pair.split(' ');
    assert.is(named.get(alias), tag);
  }
  assert.is(named.get('St. Petersburg'), 'STP');
  assert.is(named.get('Gulf of Lion'), 'LYO');
});

facts.run();

// ---- every map ----

const every = suite('every map');

/** Provinces, locations, powers, centres, units at the start; centres to win; first year. */
const NUMBERS: Readonly<Record<string, readonly [number, number, number, number, number, number, number]>> = {
  standard: [75, 81, 7, 34, 22, 18, 1901],
  ancmed: [79, 79, 5, 34, 15, 18, 1],
  colonial: [119, 125, 7, 58, 29, 30, 1870],
  loeb9: [86, 90, 9, 38, 28, 20, 1901],
  1898: [75, 81, 7, 34, 7, 18, 1898],
  chaos: [75, 81, 34, 34, 0, 18, 1900],
};

for (const [name, numbers] of Object.entries(NUMBERS))
  every(`${name} has its numbers of provinces, powers, centres and units`, () => {
    const map = loadMap(name);
    const { provinceCount, locationCount, powerCount, centerCount, startUnits, victoryCenters, startYear } = map;
    const units = startUnits.length;
    assert.equal([provinceCount, locationCount, powerCount, centerCount, units, victoryCenters, startYear], numbers);
  });

/** Targets of moves, indexed by map and unit. Fleets can pass the canal. */
const MOVES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  standard: {
    'A MUN': 'BER BOH BUR KIE RUH SIL TYR',
    'A STP': 'FIN LVN MOS NWY',
    'A NTH': '',
    'F MUN': '',
    'F STP': '',
    'F STP/NC': 'BAR NWY',
    'F STP/SC': 'BOT FIN LVN',
    'F MAO': 'BRE ENG GAS IRI NAF NAO POR SPA/NC SPA/SC WES',
    'F ROM': 'NAP TUS TYS',
    'A BUL/EC': '',
  },
  ancmed: { 'A CRE': '', 'F CRE': 'AEG EGY LIB MES MIN' },
  colonial: { 'A MOS': 'BAK BOK ODE ORE PRM', 'F MED': 'ANG BLA CON EGY SYR' },
  'colonial,tsr,suez,hongKong': { 'F MED': 'ANG BLA CON EGY RED SYR' },
  loeb9: { 'A NAP': 'APU ROM SIC' },
};

for (const [name, wanted] of Object.entries(MOVES))
  every(`${name}: units move over the borders of the board`, () => {
    const map = loadMap(name);
    assert.equal(Object.fromEntries(Object.keys(wanted).map((unit) => [unit, moves(map, unit)])), wanted);
  });

/** Rows of map, table of the compiled map, place or unit, and the provinces in that row of the table. */
const MEETINGS: readonly (readonly [string, 'seaNeighbours' | 'coastNeighbours' | 'reach', string, string])[] = [
  ['standard', 'seaNeighbours', 'BUL', 'AEG BLA'],
  ['standard', 'seaNeighbours', 'SPA', 'LYO MAO WES'],
  ['standard', 'seaNeighbours', 'MAO', 'ENG IRI NAO WES'],
  ['standard', 'seaNeighbours', 'MUN', ''],
  ['standard', 'coastNeighbours', 'BLA', 'ANK ARM BUL CON RUM SEV'],
  // Only rows of seas are filled.
  ['standard', 'coastNeighbours', 'ANK', ''],
  // A fleet on a convoyable coast convoys from where it is.
  ['standard,convoyable=SPA+MAR', 'seaNeighbours', 'MAR', 'LYO SPA'],
  ['standard,convoyable=SPA+MAR', 'coastNeighbours', 'SPA/NC', 'GAS POR'],
  ['standard,convoyable=SPA+MAR', 'coastNeighbours', 'SPA/SC', 'MAR POR'],
  // Nobody supports over the canal, nor an army over a difficult border, though units move over both.
  ['colonial,tsr,suez,hongKong', 'reach', 'F MED', 'ANG BLA CON EGY SYR'],
  ['loeb9', 'reach', 'A NAP', 'APU ROM'],
  ['loeb9,difficult=no', 'reach', 'A NAP', 'APU ROM SIC'],
];

for (const [name, table, place, provinces] of MEETINGS)
  every(`${name}: ${table} of ${place} are ${provinces === '' ? 'none' : provinces}`, () => {
    const map = loadMap(name);
    assert.is(bits(map, map[table], keyOf(map, place)), provinces);
  });

every('seas are the provinces where fleets convoy', () => {
  const seas = 'ADR AEG BAL BAR BLA BOT EAS ENG HEL ION IRI LYO MAO NAO NTH NWG SKA TYS WES';
  assert.is(bits(standard, standard.seas, 0), seas);
  assert.equal(loadMap('standard,convoyable=SPA+MAR').moveTargets, standard.moveTargets);
});

for (const name of mapNames) {
  every(`${name}: borders go both ways`, () => {
    const map = loadMap(name);
    let borders = 0;
    for (let key = 0; key < 2 * map.locationCount; key++) {
      const base = key < map.locationCount ? 0 : map.locationCount;
      for (const to of targets(map, key)) {
        assert.ok(targets(map, base + at(map, to)).includes(map.locationTags[key - base]));
        borders++;
      }
    }
    assert.is(borders, map.moveTargets.length);
  });

  every(`${name}: every province can be reached from every other`, () => {
    const map = loadMap(name);
    assert.is(map.distance.length, map.provinceCount ** 2);
    assert.ok(map.distance.every((moves) => moves < 30));
  });
}

every('is loaded once, whatever the case of its name', () => {
  assert.is(loadMap('standard'), standard);
  assert.is(loadMap('Chaos'), loadMap('CHAOS'));
  assert.throws(() => loadMap('hundred'), /^map: got "hundred", wanted one of standard, 1898, ancmed, chaos, pure, /);
});

every('has an id of its own', () => {
  assert.is(new Set(mapNames.map((name) => loadMap(name).id)).size, mapNames.length);
});

every('1898 gives each power one unit and one centre, and keeps all homes', () => {
  const map = loadMap('1898');
  assert.is([...map.startOwners].filter((power) => power >= 0).length, 7);
  assert.is([...map.homePower].filter((power) => power >= 0).length, 22);
  for (const { power, location } of map.startUnits)
    assert.is(map.startOwners[map.centerIndex[map.locationProvince[location]]], power);
});

every('chaos has a power for each centre, and begins with builds anywhere', () => {
  const map = loadMap('chaos');
  assert.equal(map.powerNames, [...map.powerNames].sort());
  assert.equal([map.startSeason, map.startPhase], [WINTER, ADJUSTMENT]);
  assert.is(map.buildAnywhere, true);
  assert.is(map.powerNames[map.startOwners[map.centerIndex[at(map, 'STP')]]], 'STPETERSBURG');
  assert.equal(map.moveTargets, standard.moveTargets);
});

for (const [short, name, homes, units] of [
  ['france-austria', 'standard_france_austria', 'BUD TRI VIE BRE MAR PAR', 'A BUD, A VIE, F TRI, F BRE, A MAR, A PAR'],
  ['germany-italy', 'standard_germany_italy', 'BER KIE MUN NAP ROM VEN', 'F KIE, A BER, A MUN, F NAP, A ROM, A VEN'],
] as const)
  every(`${short}: the standard map for two, the homes of the others neutral and empty`, () => {
    const map = loadMap(short);
    assert.is(map, loadMap(name));
    assert.is(loadMap(` ${short.toUpperCase()},buildAnywhere`).name, `${name},buildAnywhere`);
    assert.is(map.rows.powers.map((power) => power.units).join(', '), units);
    const owned = homes.split(' ').sort();
    for (const owners of [map.startOwners, map.homePower])
      assert.equal(
        [...map.centers]
          .filter((_, c) => owners[c] >= 0)
          .map((p) => map.provinceTags[p])
          .sort(),
        owned,
      );
    assert.equal([map.powerCount, map.centerCount, map.victoryCenters, map.startYear], [2, 34, 18, 1901]);
    assert.equal([map.moveTargets, map.provinceTags], [standard.moveTargets, standard.provinceTags]);
  });

every('short names are taken: by no map that ships, and not by others', () => {
  for (const [short, name] of shortNames)
    assert.equal([mapNames.includes(short), mapNames.includes(name)], [false, true]);
  const rows = { ...standard.rows, name: 'germany-italy' };
  assert.throws(() => addMap(rows), saying('map: got the name germany-italy, which another map has'));
  assert.is(addMap({ ...loadMap('germany-italy').rows, name: 'germany-italy' }), loadMap('germany-italy'));
});

every('ancmed: an island is a coast, a river bank meets no sea', () => {
  const map = loadMap('ancmed');
  assert.equal([testBit(map.coasts, 0, at(map, 'CRE')), testBit(map.coasts, 0, at(map, 'BAY'))], [1, 0]);
});

every('ancmed: fleets in Baleares convoy, as in the map of diplomacy; an option says otherwise', () => {
  const map = loadMap('ancmed');
  const bare = loadMap('ancmed,convoyable=no');
  for (const [one, bit] of [
    [map, 1],
    [bare, 0],
  ] as const) {
    assert.is(testBit(one.seas, 0, at(one, 'BAL')), bit);
    assert.is(testBit(one.coasts, 0, at(one, 'BAL')), 1, 'an army is landed there');
    assert.is(testBit(one.seaNeighbours, at(one, 'LIG'), at(one, 'BAL')), bit);
    assert.is(testBit(one.seas, 0, at(one, 'CRE')), 0, 'the other islands are land');
  }
  assert.is.not(map.id, bare.id);
  assert.equal(map.moveTargets, bare.moveTargets);
  assert.is(loadMap('ancmed,convoyable=BAL'), map, 'one spelling for one map');
  // biome-ignore format: name, name of the map
  const names: [string, string][] = [
    ['ancmed,convoyable=no', 'ancmed,convoyable=no'],
    ['ancmed,convoyable=CRE+BAL', 'ancmed,convoyable=CRE'],
    ['ancmed,convoyable=CRE+no', 'ancmed,convoyable=no+CRE'],
    ['standard,convoyable=no', 'standard'],
    ['standard,convoyable=no+DEN', 'standard,convoyable=DEN'],
  ];
  for (const [given, name] of names) assert.is(loadMap(given).name, name);
});

every('the options of colonial add a railroad, a canal and Hong Kong', () => {
  const map = loadMap('colonial');
  assert.is(map.special, null);
  const all = loadMap('colonial,tsr,suez,hongKong');
  const { special } = all;
  if (special === null) return assert.unreachable('no special tables');
  assert.is(special.line.map((p) => all.provinceTags[p]).join(' '), 'MOS PRM OMS KRA IRK VLA');
  assert.is(all.powerNames[special.railPower], 'RUSSIA');
  assert.is(all.provinceTags[special.control], 'EGY');
  assert.is(all.provinceTags[all.centers[special.uncounted]], 'HON');
  assert.is(all.powerNames[special.uncountedPower], 'CHINA');
  // Nobody convoys or counts distances over the canal.
  assert.equal(all.seaNeighbours, map.seaNeighbours);
  assert.equal(all.distance, map.distance);
});

every('loeb9 has ice and difficult borders', () => {
  const map = loadMap('loeb9');
  const { special } = map;
  if (special === null) return assert.unreachable('no special tables');
  assert.is(bits(map, special.ice, 0), 'ARC');
  const pairs = map.provinceTags.map((tag, p) => [tag, bits(map, special.difficult, p)]).filter(([, to]) => to !== '');
  assert.equal(Object.fromEntries(pairs), { COR: 'NAF', NAF: 'COR', NAP: 'SIC', SIC: 'NAP' });
});

every.run();

// ---- the compiler ----

/** Three provinces and a sea: INN inland, PIE and QUA on the coast, QUA with two coasts. */
const tiny: MapRows = {
  name: 'tiny',
  start: 'S1901M',
  powers: [
    { name: 'RED', homes: 'PIE', units: 'A PIE' },
    { name: 'BLUE', homes: 'QUA', units: 'F QUA/NC' },
  ],
  provinces: [
    { tag: 'INN', name: 'Inland', kind: 'land', army: 'PIE QUA' },
    { tag: 'PIE', name: 'Pier', kind: 'coast', center: true, army: 'INN', fleet: 'SEA' },
    { tag: 'QUA', name: 'Quay', kind: 'coast', center: true, army: 'INN', fleet: { NC: 'SEA', SC: 'SEA' } },
    { tag: 'SEA', name: 'Sea', kind: 'sea', fleet: 'PIE QUA/NC QUA/SC', aliases: ['Water'] },
  ],
};

/** Returns the small map with changed fields of one province or power, or of the map itself if `row` is ''. */
const tinyWith = (row: string, change: object): MapRows => ({
  ...tiny,
  ...(row === '' ? change : {}),
  powers: tiny.powers.map((power) => (power.name === row ? { ...power, ...change } : power)),
  provinces: tiny.provinces.map((province) => (province.tag === row ? { ...province, ...change } : province)),
});

const manyProvinces = (count: number): ProvinceRow[] =>
  Array.from({ length: count }, (_, i) => ({
    tag: `P${i.toString(36).toUpperCase().padStart(2, '0')}`,
    name: `Place ${i}`,
    kind: 'land',
  }));

const compiler = suite('compile');

compiler('makes a small map', () => {
  const map = compileMap(tiny);
  assert.equal(map.locationTags, ['INN', 'PIE', 'QUA', 'SEA', 'QUA/NC', 'QUA/SC']);
  assert.is(moves(map, 'F SEA'), 'PIE QUA/NC QUA/SC');
  assert.is(map.victoryCenters, 2, 'a majority where none is given');
  assert.equal([...map.homePower], [0, 1]);
  assert.is(distance(map, 'INN', 'SEA'), 2);
});

compiler('leaves what is apart without a way', () => {
  const map = compileMap({ ...tiny, provinces: [...tiny.provinces, { tag: 'ISL', name: 'Isle', kind: 'land' }] });
  assert.is(distance(map, 'INN', 'ISL'), 255);
  assert.is(distance(map, 'ISL', 'ISL'), 0);
});

compiler('reads a start in winter, another owner, another victory', () => {
  const map = compileMap({ ...tinyWith('RED', { owns: '' }), start: 'W1900A', victory: 1, buildAnywhere: true });
  assert.equal([map.startYear, map.startSeason, map.startPhase], [1900, WINTER, ADJUSTMENT]);
  assert.equal([...map.startOwners], [-1, 1]);
  assert.equal([...map.homePower], [0, 1]);
  assert.is(map.victoryCenters, 1);
  assert.is(map.buildAnywhere, true);
});

/** Rows of title, arguments of tinyWith(), and the message of the refusal. */
const refusals: readonly (readonly [what: string, row: string, change: object, message: string])[] = [
  ['option without a place', '', { options: ['tsr'] }, 'options: got tsr, wanted one that this map has'],
  ['railroad at sea', '', { options: ['tsr'], railroad: { line: 'PIE SEA', power: 'RED' } }, 'railroad: SEA is sea'],
  [
    'railroad over a gap',
    '',
    { options: ['tsr'], railroad: { line: 'PIE QUA', power: 'RED' } },
    'railroad: no army moves from PIE to QUA',
  ],
  [
    'railroad that turns',
    '',
    { options: ['tsr'], railroad: { line: 'PIE INN PIE', power: 'RED' } },
    'railroad: PIE is on the line twice',
  ],
  [
    'railroad of one province',
    '',
    { options: ['tsr'], railroad: { line: 'PIE', power: 'RED' } },
    'railroad: got 1 provinces, wanted at least 2',
  ],
  [
    'railroad of nobody',
    '',
    { options: ['tsr'], railroad: { line: 'PIE INN', power: 'GREEN' } },
    'railroad: unknown power GREEN',
  ],
  ['canal on land', '', { options: ['suez'], canal: { ends: 'SEA PIE', control: 'QUA' } }, 'canal: PIE is no sea'],
  [
    'canal with one end',
    '',
    { options: ['suez'], canal: { ends: 'SEA', control: 'QUA' } },
    'canal: got ends "SEA", wanted two provinces',
  ],
  ['ice on land', '', { options: ['ice'], ice: 'INN' }, 'ice: got INN, wanted a sea'],
  [
    'difficult border that is none',
    '',
    { options: ['difficult'], difficult: 'PIE-QUA' },
    'difficult: no army moves between PIE and QUA',
  ],
  ['convoys inland', '', { convoyable: 'INN' }, 'convoyable: got INN, wanted a coastal province'],
  [
    'uncounted that is no centre',
    '',
    { options: ['hongKong'], uncounted: { center: 'INN', power: 'RED' } },
    'uncounted: INN is no centre',
  ],
  ['one-way army border', 'INN', { army: 'PIE' }, 'province QUA: army border from QUA to INN is one-way'],
  ['one-way fleet border', 'PIE', { fleet: '' }, 'province SEA: fleet border from SEA to PIE is one-way'],
  [
    'fleet border of one coast only',
    'SEA',
    { fleet: 'PIE QUA/NC' },
    'province QUA: fleet border from QUA/SC to SEA is one-way',
  ],
  ['unknown neighbour of an army', 'INN', { army: 'PIE QUA XXX' }, 'province INN: unknown province XXX'],
  ['unknown neighbour of a fleet', 'SEA', { fleet: 'XXX/NC' }, 'province SEA: unknown province XXX/NC'],
  ['army border to a coast', 'INN', { army: 'PIE QUA/NC' }, 'province INN: unknown province QUA/NC'],
  ['unknown coast', 'SEA', { fleet: 'PIE QUA/EC' }, 'province SEA: unknown coast QUA/EC'],
  ['coast of a province without', 'SEA', { fleet: 'PIE/NC' }, 'province SEA: unknown coast PIE/NC'],
  ['coast not named', 'SEA', { fleet: 'PIE QUA' }, 'province SEA: QUA has coasts and none is named'],
  ['coasts inland', 'INN', { fleet: { NC: 'SEA' } }, 'province INN: got coasts in a land province'],
  [
    'too many coasts',
    'QUA',
    { fleet: { A: 'SEA', B: 'SEA', C: 'SEA', D: 'SEA', E: 'SEA', F: 'SEA', G: 'SEA', H: 'SEA' } },
    'province QUA: got 8 coasts, wanted 7 at most',
  ],
  ['odd coast', 'QUA', { fleet: { north: 'SEA' } }, 'province QUA: got coast "north", wanted one or two capitals'],
  ['fleet border at land', 'INN', { fleet: 'SEA' }, 'province INN: fleet border at INN, which is land'],
  ['fleet border to land', 'SEA', { fleet: 'INN' }, 'province SEA: fleet border at INN, which is land'],
  ['army border at sea', 'SEA', { army: 'PIE' }, 'province SEA: army border at SEA, which is sea'],
  ['army border to sea', 'INN', { army: 'SEA' }, 'province INN: army border at SEA, which is sea'],
  ['border with itself', 'INN', { army: 'INN' }, 'province INN: army border with itself'],
  ['border given twice', 'INN', { army: 'PIE PIE' }, 'province INN: army border to PIE is given twice'],
  ['tag used twice', 'INN', { tag: 'PIE' }, 'province PIE: got the tag twice, wanted another one for each province'],
  [
    'bad tag',
    'INN',
    { tag: 'Inn' },
    'province Inn: got tag "Inn", wanted three capital letters or digits, a letter first',
  ],
  ['name used twice', 'SEA', { name: 'Quay' }, 'province SEA: its name "Quay" is also a name of QUA'],
  ['alias used twice', 'SEA', { aliases: ['in-land'] }, 'province SEA: its name "in-land" is also a name of INN'],
  ['empty name', 'SEA', { name: '' }, 'province SEA: got "" as a name'],
  ['power used twice', 'RED', { name: 'BLUE' }, 'power BLUE: got the name twice, wanted another one for each power'],
  ['bad power', 'RED', { name: 'Red Army' }, 'power Red Army: got name "Red Army", wanted one word of capital letters'],
  ['home that is no centre', 'RED', { homes: 'INN' }, 'power RED: home INN is no centre'],
  ['unknown home', 'RED', { homes: 'XXX' }, 'power RED: unknown province XXX'],
  ['home of two powers', 'RED', { homes: 'PIE QUA' }, 'power BLUE: home QUA is also one of RED'],
  ['owned centre of two powers', 'RED', { owns: 'QUA' }, 'power BLUE: owned centre QUA is also one of RED'],
  ['army at sea', 'RED', { units: 'A SEA' }, 'power RED: unit A SEA is an army at sea'],
  ['fleet inland', 'RED', { units: 'F INN' }, 'power RED: unit F INN is a fleet inland'],
  ['fleet without coast', 'RED', { units: 'F QUA' }, 'power RED: QUA has coasts and none is named'],
  ['army with coast', 'RED', { units: 'A QUA/NC' }, 'power RED: unknown province QUA/NC'],
  ['two units in one province', 'RED', { units: 'A QUA' }, 'power BLUE: unit F QUA/NC is in a taken province'],
  ['bad unit', 'RED', { units: 'army PIE' }, 'power RED: got unit "army PIE", wanted one like "A PAR" or "F BUL/EC"'],
  ['bad start', '', { start: 'spring' }, 'start: got "spring", wanted one like S1901M, F1901M or W1900A'],
  ['start with retreats', '', { start: 'S1901R' }, 'start: got "S1901R", wanted one like S1901M, F1901M or W1900A'],
  ['victory beyond reach', '', { victory: 3 }, 'victory: got 3 centres, wanted 1 to the 2 that exist'],
  [
    'a kind that does not exist',
    'INN',
    { kind: 'swamp' },
    'province INN: got kind "swamp", wanted one of land, coast, sea',
  ],
];

for (const [what, row, change, message] of refusals)
  compiler(`refuses ${what}`, () => {
    assert.is(
      errorOf(() => compileMap(tinyWith(row, change))),
      `map tiny, ${message}`,
    );
  });

compiler('takes maps up to its bounds and none beyond', () => {
  const powers = Array.from({ length: 65 }, (_, i) => ({ name: `P${i}`, homes: '', units: '' }));
  const largest = { ...tiny, powers: powers.slice(1), provinces: manyProvinces(256) };
  assert.is(compileMap(largest).locationCount, 256);
  assert.is(compileMap(largest).powerCount, 64);
  assert.throws(
    () => compileMap({ ...largest, provinces: manyProvinces(257) }),
    /^map tiny: got 257 locations, wanted 1 to 256$/,
  );
  assert.throws(() => compileMap({ ...tiny, powers }), /^map tiny: got 65 powers, wanted 1 to 64$/);
  assert.throws(() => compileMap({ ...tiny, provinces: [] }), /^map tiny: got 0 locations, wanted 1 to 256$/);
});

compiler('gives the same borders by name for rows in any order', () => {
  const random = new Random(7);
  for (let round = 0; round < 5; round++) {
    const provinces = shuffled(random, standardRows.provinces);
    const powers = shuffled(random, standardRows.powers);
    const map = compileMap({ ...standardRows, provinces, powers });
    for (const tag of standard.locationTags) {
      for (const unit of [`A ${tag}`, `F ${tag}`]) assert.is(moves(map, unit), moves(standard, unit));
    }
    for (const a of daide) {
      assert.is(map.alphabeticalRank[at(map, a)], standard.alphabeticalRank[at(standard, a)]);
      for (const b of daide) assert.is(distance(map, a, b), distance(standard, a, b));
    }
    assert.is.not(map.id, standard.id, 'files hold ids of provinces, so their order counts');
  }
});

compiler('gives the same id unless play differs', () => {
  const bare = standardRows.provinces.map(({ aliases: _, ...row }) => row);
  assert.is(compileMap({ ...standardRows, provinces: bare }).id, standard.id);
  const respaced = bare.map((row) =>
    row.army === undefined ? row : { ...row, army: row.army.split(' ').reverse().join(', ') },
  );
  assert.is(compileMap({ ...standardRows, provinces: respaced }).id, standard.id);
  assert.is.not(compileMap({ ...standardRows, victory: 17 }).id, standard.id);
  assert.is.not(compileMap({ ...standardRows, start: 'S1902M' }).id, standard.id);
  assert.is.not(compileMap({ ...standardRows, buildAnywhere: true }).id, standard.id);
});

compiler.run();
