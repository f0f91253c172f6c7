// Tests order text: every usual spelling reads as one order, every order has one canonical spelling.
import * as fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type CompiledMap, DATC_3_2, NONE, standard, standardRows } from '../../../engine/internal.js';
import { compileMap } from '../../../engine/map/compile.js';
import { loadMap, mapNames } from '../../../engine/map/index.js';
import { parsePosition } from '../../../engine/notation/json/position.js';
import {
  formatOrder,
  interpretOrders,
  namesOf,
  orderedUnits,
  type Position,
  parseOrder,
  parsePlace,
  parseUnit,
  plainWord,
} from '../../../engine/notation/text/index.js';
import { hasCode } from '../../../engine/rules/error.js';

type Lists = Record<string, string[]>;

const at = (phase: string, units: Lists, more: object = {}): Position =>
  parsePosition({ phase, units, ...more }, standard, DATC_3_2);

const everyone = at('S1901M', {
  AUSTRIA: ['A BUD', 'F ADR', 'A SER'],
  ENGLAND: ['A LON', 'F NTH', 'F ENG', 'A WAL', 'F NAO', 'A LVP', 'F NWG', 'A NWY'],
  FRANCE: ['A PAR', 'A MAR', 'A BUR', 'F BRE', 'F MAO', 'F SPA/SC', 'F GAS'],
  GERMANY: ['A MUN', 'F KIE', 'A BER'],
  ITALY: ['A VEN', 'F TYS', 'F LYO', 'F WES'],
  RUSSIA: ['F STP/SC', 'A MOS', 'A RUM', 'F BOT'],
  TURKEY: ['F CON', 'A BUL', 'F EAS', 'F AEG'],
});
const retreating = at(
  'F1902R',
  { GERMANY: ['A PAR', 'A MAR'], ENGLAND: ['F MAO', 'F TYS'] },
  {
    retreats: {
      FRANCE: { 'A PAR': ['GAS', 'PIC'], 'F MAO': ['SPA/NC', 'POR'] },
      ITALY: { 'F TYS': ['ROM', 'TUS'] },
    },
  },
);
const winter = at(
  'W1902A',
  { FRANCE: ['A BUR', 'F MAO', 'A PIC'] },
  {
    centers: { RUSSIA: ['STP', 'MOS', 'SEV', 'WAR'], FRANCE: ['PAR'], ENGLAND: ['LON', 'LVP'] },
  },
);

/** What several orders of one power come to, from top to bottom. */
const meanings = (position: Position, power: string, texts: string[]): string[] => {
  const { game } = position;
  const given = texts.map((text) => [game.map.power(power), text] as const);
  return interpretOrders(position, given).map(({ order, reason }) =>
    order === NONE ? `no: ${reason}` : formatOrder(game.map, order, orderedUnits(game)),
  );
};

/** What a text means to a power: the canonical order, or why it is none. */
const meaning = (position: Position, power: string, text: string): string => meanings(position, power, [text])[0];

// ---- spellings ----

// biome-ignore format: power, canonical form, other spellings
const spellings: [Position, string, string, string[]][] = [
  [everyone, 'FRANCE', 'A PAR H', ['a par h', 'A PAR Hold', 'A Paris HOLDS', 'Army Paris Hold', 'PAR H', 'Paris holds', 'Army in Paris holds', 'A PAR stands', 'A PAR - Hold', 'French A PAR H', 'FRANCE: A PAR H', 'France A PAR H', 'A PAR H; (dislodged)', 'A PAR H (destroyed)', '  A  PAR\tH  ', 'A PAR H.', 'the army in the Paris holds']],
  [everyone, 'FRANCE', 'A PAR - PIC', ['A PAR-PIC', 'a par – pic', 'A PAR — PIC', 'A PAR -> PIC', 'A PAR --> PIC', 'A PAR → PIC', 'A PAR => PIC', 'A PAR > PIC', 'A Paris to Picardy', 'Army Paris moves to Picardy', 'Army Paris moves Picardy', 'A PAR M PIC', 'A PAR m - PIC', 'Par-Pic', 'paris goes to picardie', 'move A PAR to PIC', 'A PAR - PIC; (failed)', 'A PAR - PIC (*bounce*)', 'F PAR - PIC', 'German A Par-Pic', 'A PAR attacks PIC']],
  [everyone, 'FRANCE', 'A PAR S A MAR - GAS', ['A par s a mar – gas', 'A PAR S MAR-GAS', 'PAR S MAR - GAS', 'A PAR S F MAR - GAS', 'Army Paris Supports Army Marseilles - Gascony', 'A Paris supports A Marseilles to Gascony', 'A PAR Support A MAR - GAS', 'A PAR s A MAR M GAS', 'A PAR S English A MAR - GAS', 'A PAR s a mar - gas ; (invalid) [A MAR - SPA]', "Paris supports Marseilles' move to Gascony", 'A PAR S A MAR moving to GAS', 'A Paris Sup A Marseille -> Gascogne']],
  [everyone, 'FRANCE', 'A PAR S A BUR', ['A PAR S BUR', 'A PAR s A BUR; (cut)', 'A PAR S BUR; (paradox)', 'A PAR S A BUR H', 'A PAR S A BUR - Hold', 'A PAR S A BUR to hold', 'A PAR supports A BUR holding', 'A PAR supports BUR in place', 'Army Paris supports the French army in Burgundy', 'paris s burgundy']],
  [everyone, 'FRANCE', 'F BRE S F ENG', ['F BRE S ENG', 'F Brest S English Channel', 'F Brest Supports F English Channel Holds', 'F BRE S English F ENG', 'F BRE S English Fleet English Channel', 'BRE S ECH', 'F BRE S the Channel']],
  [everyone, 'FRANCE', 'F MAO - SPA/NC', ['F MAO - SPA(nc)', 'F MAO-SPA NC', 'F MID - Spain (North Coast)', 'F Mid-Atlantic Ocean - Spain north coast', 'F Mid Atlantic - SPA/N', 'F MAO - SPA-NC', 'F MAO - spanc', 'F MAO - SPA (n.c.)', 'F MAO - Spain, n. coast', 'F MAO to the north coast of Spain', 'Fleet Middle Atlantic -> Spain(NC)', 'F MAO - SPA/NCS']],
  [everyone, 'FRANCE', 'F GAS - SPA/NC', ['F GAS - SPA', 'F GAS - Spain', 'F GAS - SPA/WC', 'GAS - SPA/NC']],
  [everyone, 'FRANCE', 'F SPA/SC - POR', ['F SPA - POR', 'F SPA/NC - POR', 'Spain sc - Portugal', 'F Spain (south coast) - Portugal', 'A SPA - POR', 'F SPA(SC)-POR', 'SPA-POR', 'F Spain s. coast - POR/NC']],
  [everyone, 'FRANCE', 'F GAS S F MAO - SPA/NC', ['F GAS S F MAO - SPA(nc)', 'gas supports mao to spain north coast']],
  [everyone, 'FRANCE', 'F GAS S F MAO - SPA', ['GAS S MAO - SPA', 'F GAS S F MAO - SPA/EC']],
  [everyone, 'FRANCE', 'F GAS S A MAR - SPA', ['F GAS S A MAR - SPA/NC', 'F GAS S MAR-SPA(sc)']],
  [everyone, 'FRANCE', 'A MAR S F SPA/SC', ['A MAR S F SPA', 'A MAR S SPA', 'A MAR S F SPA/NC', 'A Marseilles Supports F Spain(nc)', 'MAR S A SPA H']],
  [everyone, 'FRANCE', 'A MAR - SPA', ['A MAR - SPA/NC', 'A MAR - Spain south coast', 'MAR - SPA']],
  [everyone, 'ENGLAND', 'A LON - BEL VIA', ['A LON - BEL', 'A LON-BEL via convoy', 'A LON - BEL by convoy', 'A LON - BEL VIA CONVOY', 'A LON - NTH - BEL', 'A LON - ENG - NTH - BEL', 'A LON - BEL (via convoy)', 'A LON - BEL via NTH', 'A LON - BEL via convoy ENG, NTH', 'A London to Belgium convoyed', 'A LON is convoyed to BEL', 'A LON by convoy - BEL', 'A LON - North Sea - Belgium', 'A LON via convoy to BEL']],
  [everyone, 'ENGLAND', 'A LON - WAL', ['A LON - ENG - WAL', 'lon-wal']],
  [everyone, 'ENGLAND', 'A LON - WAL VIA', ['A LON - WAL via convoy', 'A LON - WAL via ENG', 'A London - Wales by sea']],
  [everyone, 'ENGLAND', 'F NTH C A LON - BEL', ['F NTH C LON-BEL', 'F North Sea Convoys A London - Belgium', 'Fleet North Sea convoys the English army in London to Belgium', 'NTH c A LON -> BEL', 'F Nth Convoy London to Belgium', 'F N Sea C A LON - BEL', 'F Northsea convoying A Lon - Bel', 'F NTH c LON - BEL', 'F NTH C A LON - ENG - BEL', 'F NTH C A LON - BEL via convoy', 'F NTS C F LON - BEL']],
  [everyone, 'ENGLAND', 'F NAO - CLY', ['F North Atlantic Ocean - Clyde', 'F NAT - CLY', 'F N. Atlantic - Clyde', 'north atlantic-clyde']],
  [everyone, 'ENGLAND', 'F NWG S A NWY', ['F Norwegian Sea S Norway', 'F NRG S A NOR', 'F Norwegian Sea supports Norway to hold']],
  [everyone, 'ENGLAND', 'A LVP - CLY', ['A Liverpool - Clyde', 'A LPL - CLY', 'A Livp-Clyde']],
  [everyone, 'GERMANY', 'A MUN - TYR', ['A Munich - Tyrolia', 'A Mun - TRL', 'A München - Tyrol', "Germany's A MUN - TYR", 'German Army Munich -> Tirol']],
  [everyone, 'GERMANY', 'F KIE - HEL', ['F Kiel - Helgoland Bight', 'F Kiel-Heligoland', 'KIE - Helgoland']],
  [everyone, 'ITALY', 'F TYS - LYO', ['F Tyrrhenian Sea - Gulf of Lyon', 'F TYN - GOL', 'F Tyrrhenian - Gulf of Lions', 'F TYS - Lyons']],
  [everyone, 'RUSSIA', 'F STP/SC - FIN', ['F St Petersburg - Finland', 'F St. Petersburg (sc) - Finland', 'F Saint Petersburg/sc - FIN', 'F ST. PETERSBURG south coast - FIN', 'STP - FIN', 'F STPSC - FIN', 'F St.Petersburg-Finland', 'F STP/NC - FIN', 'Petrograd - Finland', 'F St-Petersburg - Finland']],
  [everyone, 'RUSSIA', 'F BOT - LVN', ['F Gulf of Bothnia - Livonia', 'F GOB - LIV', 'F Bothnia - Livonia']],
  [everyone, 'RUSSIA', 'A RUM S F CON - BUL', ['A RUM S Turkish F CON - BUL', 'A Rumania S Turkish F Con-Bul', 'A Romania supports F Constantinople to Bulgaria', 'A RUM S Russian F CON - BUL']],
  [everyone, 'RUSSIA', 'A RUM S F CON - BUL/EC', ['A Rum S Turkish F Con-Bul(ec)', 'A RUM S F CON - Bulgaria east coast']],
  [everyone, 'TURKEY', 'F CON - BUL/EC', ['F Con-Bul(ec)', 'F Constantinople - Bulgaria (East Coast)', 'CON - BUL/E']],
  [everyone, 'TURKEY', 'F EAS H', ['F Eastern Mediterranean H', 'F East Med holds', 'F E. Mediterranean stand', 'F EME H']],
  [retreating, 'FRANCE', 'A PAR R GAS', ['A PAR r GAS; (failed)', 'A PAR - GAS', 'A PAR retreats to GAS', 'PAR R GAS', 'Army Paris Retreat Gascony', 'A PAR R - GAS', 'Retreat A PAR to GAS', '*A PAR R GAS', 'A Paris moves to Gascony']],
  [retreating, 'FRANCE', 'A PAR D', ['A PAR disbands', 'Disband A PAR', 'Disband Paris', 'A PAR disband', 'remove army Paris', 'D A PAR', 'PAR D']],
  [retreating, 'FRANCE', 'F MAO R SPA/NC', ['F MAO R SPA', 'F MAO - Spain(nc)', 'F Mid-Atlantic - SPA/NC']],
  [winter, 'RUSSIA', 'F STP/NC B', ['Build F STP/NC', 'Build F St Petersburg(nc)', 'Build Fleet St. Petersburg (north coast)', 'F STP/NC Build', 'STP/NC B', 'Build STP(nc)', 'Builds a fleet on the north coast of St Petersburg', 'Russia: Build F STP-NC', 'B F STP NC']],
  [winter, 'RUSSIA', 'A STP B', ['Build A STP', 'Build Army in St Petersburg', 'A STP/NC B', 'Build an army in Saint Petersburg']],
  [winter, 'RUSSIA', 'A MOS B', ['Build Moscow', 'MOS B', 'Build A MOS', 'Russian A Moscow build']],
  [winter, 'RUSSIA', 'F SEV B', ['Build F SEV', 'Build a fleet in Sevastopol', 'F SEV/NC B']],
  [winter, 'RUSSIA', 'WAIVE', ['waive', 'Waives', 'Decline', 'declines a build', 'waive build', 'Russia waives', 'WAIVE B']],
  [winter, 'FRANCE', 'F MAO D', ['Disband F MAO', 'Remove F Mid-Atlantic Ocean', 'Remove the fleet in the Mid-Atlantic', 'F MAO removed', 'MAO D', 'A MAO D', 'Disband French F MAO']],
];

const parsing = suite('text: spellings');
for (const [position, power, canonical, others] of spellings)
  for (const text of [canonical, ...others])
    parsing(`${power} ${text}`, () => assert.is(meaning(position, power, text), canonical));
parsing.run();

// ---- texts that are no order ----

const refusals = suite('text: refusals');
// biome-ignore format: text, message
const unreadable: [string, string][] = [
  ['', 'got nothing more, wanted an order'],
  ['   ', 'got nothing more, wanted an order'],
  [';', 'got nothing more, wanted an order'],
  ['A', 'got nothing more, wanted a province'],
  ['A PAR', 'got nothing more, wanted what the unit does (-, H, S, C, R, D or B)'],
  ['A XYZ - BUR', 'got "XYZ", wanted a province'],
  ['A PAR - XYZ', 'got "XYZ", wanted a province'],
  ['A PAR -', 'got nothing more, wanted a province'],
  ['A PAR S', 'got nothing more, wanted a unit'],
  ['F NTH C A LON', 'got nothing more, wanted "-" and where the army goes'],
  ['A PAR - BUR - MUN', 'got BUR on the way, wanted a sea'],
  ['A PAR H please', 'got "please", wanted the end of the order'],
  ['A PAR H A MAR H', 'got "A", wanted the end of the order'],
  ['A PAR S A MAR S A BUR', 'got "S", wanted the end of the order'],
  ['A PAR ? BUR', 'got "?", wanted what the unit does (-, H, S, C, R, D or B)'],
  ['hello', 'got "hello", wanted an order'],
  ['A Pa - BUR', 'got "Pa", wanted a province'],
  ['A LON VIA', 'got nothing more, wanted "-" and where the army goes'],
  ['__proto__', 'got "proto", wanted an order'],
  ['constructor', 'got "constructor", wanted an order'],
  ['A NO - BUR', 'got "NO", wanted a province'],
  ['A'.repeat(201), 'got 201 characters, wanted at most 200'],
];
for (const [text, message] of unreadable)
  refusals(`${text.slice(0, 40)}`, () => {
    assert.throws(
      () => parseOrder(standard, text),
      (error: unknown) => hasCode(error, 'notation') && error.message === message,
    );
  });

refusals('units and places', () => {
  assert.equal(parseUnit(standard, 'F St Petersburg (south coast)'), { type: 1, province: 74, coast: 80 });
  assert.equal(parsePlace(standard, 'north sea'), { province: standard.provinceTags.indexOf('NTH'), coast: -1 });
  for (const text of ['BUD', 'A', 'A BUD H', 'X BUD', '']) assert.throws(() => parseUnit(standard, text), /^got /);
  for (const text of ['', 'A BUD', 'BUD VIE', '/SC']) assert.throws(() => parsePlace(standard, text), /^got /);
});

refusals('random text is read or refused, and nothing else', () => {
  const vocabulary =
    'A F PAR MAR STP SPA NTH NAO Mid - – -> / ( ) [ ; . , sc nc south coast of S C H M R D B via convoy to Build Disband waive French English the by hold x 7 é 𝔸 \u0000 constructor __proto__';
  const word = fc.constantFrom(...vocabulary.split(' '));
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 220 }),
    fc.array(word, { maxLength: 14 }).map((a) => a.join(' ')),
  );
  fc.assert(
    fc.property(text, (order) => {
      try {
        const { kind } = parseOrder(standard, order);
        return typeof kind === 'string';
      } catch (error) {
        return hasCode(error, 'notation') && error.message.length < 200;
      }
    }),
    { numRuns: 20_000, seed: 1 },
  );
});
refusals.run();

// ---- what is made of an order ----

const interpretation = suite('text: interpretation');
// biome-ignore format: power, text, what is made of it
const verdicts: [Position, string, string, string][] = [
  // 4.B coasts
  [everyone, 'FRANCE', 'F MAO - SPA', 'no: got SPA, wanted one of SPA/NC, SPA/SC'],
  [everyone, 'FRANCE', 'F GAS - SPA/SC', 'no: got SPA/SC, wanted SPA/NC'],
  [everyone, 'FRANCE', 'F MAO - SPA/WC', 'no: got SPA, wanted one of SPA/NC, SPA/SC'],
  [everyone, 'FRANCE', 'F BRE S F GAS - SPA/NC', 'no: F BRE does not border SPA'],
  [everyone, 'FRANCE', 'A MAR S F GAS - SPA/SC', 'no: got SPA/SC, wanted SPA/NC'],
  [everyone, 'FRANCE', 'F SPA/NC - MAR', 'F SPA/SC - MAR'],
  [everyone, 'FRANCE', 'F SPA/SC - GAS', 'no: F SPA/SC does not border GAS'],
  [everyone, 'FRANCE', 'F BRE S F SPA/SC - GAS', 'no: F SPA/SC cannot move to GAS'],
  [everyone, 'ITALY', 'F LYO C A VEN - SPA', 'no: no chain of fleets leads from VEN to SPA'],
  // 4.C letters and nationality
  [everyone, 'FRANCE', 'F PAR S Italian F MAR - GAS', 'A PAR S A MAR - GAS'],
  // 4.E.1 legality
  [everyone, 'FRANCE', 'A PAR - PAR', 'no: A PAR is there already'],
  [everyone, 'FRANCE', 'A PAR - MOS', 'no: A PAR does not border MOS'],
  [everyone, 'FRANCE', 'A MAR - LYO', 'no: an army cannot enter LYO'],
  [everyone, 'FRANCE', 'F BRE - PAR', 'no: a fleet cannot enter PAR'],
  [everyone, 'FRANCE', 'F BRE - LON', 'no: F BRE does not border LON'],
  [everyone, 'FRANCE', 'F BRE - ENG - LON', 'no: got a fleet to be convoyed, wanted an army'],
  [everyone, 'FRANCE', 'F BRE - GAS VIA', 'no: got a fleet to be convoyed, wanted an army'],
  [everyone, 'FRANCE', 'A GAL - VIE', 'no: no unit in GAL'],
  [everyone, 'FRANCE', 'A MUN - BUR', 'no: A MUN belongs to GERMANY'],
  [everyone, 'FRANCE', 'A PAR S A PAR', 'no: a unit cannot support itself'],
  [everyone, 'FRANCE', 'A PAR S A GAS - MAR', 'no: A PAR does not border MAR'],
  [everyone, 'FRANCE', 'A PAR S A PIC', 'no: no unit in PIC to support'],
  [everyone, 'FRANCE', 'A PAR S A MUN - GAS', 'no: A MUN cannot move to GAS'],
  [everyone, 'FRANCE', 'A PAR S A BUR - BUR', 'no: A BUR is in BUR already'],
  [everyone, 'FRANCE', 'A PAR C A BUR - PIC', 'no: got A PAR, wanted a fleet at sea for a convoy'],
  [everyone, 'FRANCE', 'F BRE C A PAR - PIC', 'no: got F BRE, wanted a fleet at sea for a convoy'],
  [everyone, 'ENGLAND', 'F ENG C F BRE - WAL', 'no: got F BRE to be convoyed, wanted an army'],
  [everyone, 'ENGLAND', 'F ENG C A PIC - WAL', 'no: no unit in PIC to convoy'],
  [everyone, 'ENGLAND', 'F NAO C A LON - BEL', 'no: no convoy from LON to BEL needs F NAO'],
  [everyone, 'ENGLAND', 'F NAO C A LON - MOS', 'no: no chain of fleets leads from LON to MOS'],
  [everyone, 'ENGLAND', 'A NWY - SWE VIA', 'no: no chain of fleets can take A NWY to SWE'],
  [everyone, 'ENGLAND', 'A LON - TUN', 'A LON - TUN VIA'],
  [everyone, 'ENGLAND', 'A LON - SEV', 'no: A LON does not border SEV, and no chain of fleets can take it there'],
  [everyone, 'ENGLAND', 'A LON B', 'no: got a build, wanted a hold, move, support or convoy in a movement phase'],
  [everyone, 'ENGLAND', 'A LON D', 'no: got a disband, wanted a hold, move, support or convoy in a movement phase'],
  [everyone, 'ENGLAND', 'A LON R WAL', 'no: got a retreat, wanted a hold, move, support or convoy in a movement phase'],
  [everyone, 'ENGLAND', 'WAIVE', 'no: got a waived build, wanted a hold, move, support or convoy in a movement phase'],
  // retreats
  [retreating, 'FRANCE', 'A PAR R BUR', 'no: got BUR, wanted GAS, PIC'],
  [retreating, 'FRANCE', 'A PAR - GAS VIA', 'no: got a convoy, wanted a retreat to a province next to it'],
  [retreating, 'FRANCE', 'F MAO R SPA/SC', 'no: got SPA/SC, wanted SPA/NC'],
  [retreating, 'FRANCE', 'F TYS R ROM', 'no: F TYS belongs to ITALY'],
  [retreating, 'GERMANY', 'A PAR R GAS', 'no: A PAR was not dislodged'],
  [retreating, 'GERMANY', 'A MAR - GAS', 'no: A MAR was not dislodged'],
  [retreating, 'GERMANY', 'A MUN - BUR', 'no: no unit in MUN'],
  [retreating, 'FRANCE', 'A PAR H', 'no: got a hold, wanted a retreat or a disband'],
  [retreating, 'FRANCE', 'A PAR S A MAR', 'no: got a support, wanted a retreat or a disband'],
  [retreating, 'FRANCE', 'Build A PAR', 'no: got a build, wanted a retreat or a disband in a retreat phase'],
  // adjustments
  [winter, 'RUSSIA', 'Build SEV', 'no: got SEV without a letter, wanted A or F'],
  [winter, 'RUSSIA', 'Build F STP', 'no: got STP, wanted one of STP/NC, STP/SC'],
  [winter, 'RUSSIA', 'Build F MOS', 'no: got a fleet in MOS, wanted an army inland'],
  [winter, 'RUSSIA', 'Build A UKR', 'no: UKR is no supply centre'],
  [winter, 'RUSSIA', 'Build A LON', 'no: LON is no home centre of RUSSIA'],
  [winter, 'ENGLAND', 'Build A EDI', 'no: EDI is not owned by ENGLAND'],
  [winter, 'FRANCE', 'Build A PAR', 'no: no build is due'],
  [winter, 'FRANCE', 'WAIVE', 'no: no build is due'],
  [winter, 'FRANCE', 'Remove A GAS', 'no: no unit in GAS'],
  [winter, 'ENGLAND', 'Remove A BUR', 'no: A BUR belongs to FRANCE'],
  [winter, 'ENGLAND', 'A LON - WAL', 'no: got a move, wanted a build, a removal or a waive in an adjustment phase'],
];
for (const [position, power, text, verdict] of verdicts)
  interpretation(`${power} ${text}`, () => assert.is(meaning(position, power, text), verdict));

interpretation('4.D.3: the first legal order of a unit counts', () => {
  const texts = ['A PAR - MOS', 'A PAR - PIC', 'A PAR - GAS', 'A PAR - PIC', 'A BUR H'];
  const already = 'no: already ordered';
  assert.equal(meanings(everyone, 'FRANCE', texts), [
    'no: A PAR does not border MOS',
    'A PAR - PIC',
    already,
    already,
    'A BUR H',
  ]);
  assert.equal(meanings(retreating, 'FRANCE', ['A PAR R MUN', 'A PAR D', 'A PAR R GAS']), [
    'no: got MUN, wanted GAS, PIC',
    'A PAR D',
    already,
  ]);
});

interpretation('4.D.4, 4.D.5, 4.D.7: the first builds count, one for each centre', () => {
  const texts = [
    'WAIVE',
    'Build F STP',
    'Build A MOS',
    'Build A MOS',
    'Build A SEV',
    'Build A WAR',
    'Build A STP',
    'WAIVE',
  ];
  assert.equal(meanings(winter, 'RUSSIA', texts), [
    'WAIVE',
    'no: got STP, wanted one of STP/NC, STP/SC',
    'A MOS B',
    'no: something is built in MOS already',
    'A SEV B',
    'A WAR B',
    'no: no build left',
    'no: no build left',
  ]);
});

interpretation('4.D.6: the first removals count', () => {
  assert.equal(meanings(winter, 'FRANCE', ['F LYO D', 'A BUR D', 'A BUR D', 'F MAO D', 'A PIC D']), [
    'no: no unit in LYO',
    'A BUR D',
    'no: already removed',
    'F MAO D',
    'no: no removal left',
  ]);
});
interpretation.run();

// ---- names ----

const names = suite('text: names');
/** Words of the notation, none of which may be the name of a province: it would never be read. The article is not one. */
const RESERVED =
  'a f army fleet h hold holds stand m move moves s support supports c convoy convoys r retreat retreats d disband ' +
  'remove b build waive decline to via by in of nc sc ec wc north south east west coast';

for (const name of mapNames)
  names(`every name of ${name} is read as its province`, () => {
    const map = loadMap(name);
    let count = 0;
    map.rows.provinces.forEach((row, province) => {
      for (const one of [row.tag, row.name, row.name.toUpperCase(), ...(row.aliases ?? [])]) {
        assert.equal(parsePlace(map, one).province, province, one);
        assert.not(RESERVED.split(' ').includes(plainWord(one)), `${one} is a word of the notation`);
        count++;
      }
    });
    assert.ok(count > 3 * map.provinceCount - 1);
  });

for (const name of mapNames)
  names(`no two names of ${name} side by side read as a third`, () => {
    const map = loadMap(name);
    const single = [...namesOf(map).places].filter(([, { words }]) => words === 1).map(([key]) => key);
    for (const first of single)
      for (const second of single) {
        const joined = namesOf(map).places.get(first + second);
        assert.ok(joined === undefined || joined.words === 1, `${first} - ${second}`);
      }
  });

names('powers that are named like provinces', () => {
  const chaos = loadMap('chaos');
  const ancmed = loadMap('ancmed');
  const tag = (map: CompiledMap, text: string): string => {
    const { unit, helped } = parseOrder(map, text);
    return [unit, helped].map((one) => (one === null ? '-' : map.provinceTags[one.province])).join(' ');
  };
  assert.is(tag(chaos, 'ANKARA A CON - BUL'), 'CON -');
  assert.is(tag(chaos, 'ANKARA - CON'), 'ANK -');
  assert.is(tag(chaos, 'A BUD S ANKARA A CON - BUL'), 'BUD CON');
  assert.is(tag(chaos, 'A BUD S ANKARA - BUL'), 'BUD ANK');
  assert.is(tag(chaos, 'ANKARA WAIVE'), '- -');
  assert.is(tag(ancmed, 'ROME: A ROM S Carthaginian A CAR - THA'), 'ROM CAR');
  assert.is(tag(ancmed, 'CARTHAGE A CARTHAGE H'), 'CAR -');
});
names('a province may have the tag of an article', () => {
  const rename = (text: string): string => text.replace(/\bLON\b/g, 'THE');
  const rows: unknown = JSON.parse(rename(JSON.stringify(standardRows)).replace('"London"', '"The Hague"'));
  const map = compileMap({ ...(rows as typeof standardRows), name: 'hague' });
  const place = map.provinceTags.indexOf('THE');
  for (const text of ['THE', 'the', 'The Hague', 'Hague', 'the Hague', 'the THE'])
    assert.is(parsePlace(map, text).province, place, text);
  const order = parseOrder(map, 'A THE - YOR');
  for (const text of ['THE - YOR', 'the army in The Hague to the Yorkshire', 'A the - YOR', 'Army Hague - YOR'])
    assert.equal({ ...parseOrder(map, text), unit: null }, { ...order, unit: null }, text);
  for (const text of ['A YOR S A THE', 'A YOR S THE', 'YOR supports the army in the Hague', 'YOR s the'])
    assert.is(parseOrder(map, text).helped?.province, place, text);
  assert.is(parseOrder(map, 'THE S A YOR').unit?.province, place);
  assert.is(parseOrder(map, 'the C A YOR - BEL').unit?.province, place);
  assert.throws(() => parsePlace(standard, 'the'), /^got nothing more/);
});
names('the tags that other programs use on ancmed', () => {
  const ancmed = loadMap('ancmed');
  for (const [text, tag] of [
    ['SII', 'SIN'],
    ['TYS', 'TYN'],
    ['THE', 'THB'],
    ['the', 'THB'],
  ] as const)
    assert.is(ancmed.provinceTags[parsePlace(ancmed, text).province], tag);
  const { unit, helped } = parseOrder(ancmed, 'A THE S A SII - ALE');
  assert.equal(
    [unit, helped].map((one) => one && ancmed.provinceTags[one.province]),
    ['THB', 'SIN'],
  );
});

names.run();
