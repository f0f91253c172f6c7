// Tests what a DAIDE game answers to orders: THX's notes, ORD's results, NOW with retreats, MIS, SCO.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readMessage, type WrittenOrder } from '../../../bindings/protocols/daide/client-messages.js';
import { DaideGame } from '../../../bindings/protocols/daide/daide-game.js';
import { wordTokens } from '../../../bindings/protocols/daide/language.js';
import { mapDefinition } from '../../../bindings/protocols/daide/messages.js';
import { Representation } from '../../../bindings/protocols/daide/representation.js';
import * as E from '../../../engine/internal.js';
import { decode, encode, parts } from './daide-client.js';

const DAIDE_RULES = E.rulesByName(
  'datc-3.2,convoyRoutes=all,paradox=dptg,adjacentConvoy=written,cutFromOrigin=yes,superfluousConvoy=legal',
);
const rep = new Representation(E.standard);
const orders = suite('daide orders');

/** A game in which only these units stand: 'FRANCE A PAR'. */
const gameWith = (units: readonly string[], anyOrders = false): DaideGame => {
  const game = new DaideGame({ rep, rules: DAIDE_RULES, until: 1999, longGameDraw: false, anyOrders });
  for (let p = 0; p < E.standard.provinceCount; p++) game.game.removeUnit(p);
  for (const unit of units) {
    const [power, ...rest] = unit.split(' ');
    const [type, place] = rest;
    const location = E.standard.locationTags.indexOf(place);
    game.game.placeUnit(E.standard.powerNames.indexOf(power), type === 'A' ? E.ARMY : E.FLEET, location);
  }
  for (const book of game.books) book.begin(game);
  return game;
};

const readOrders = (text: string): readonly WrittenOrder[] => {
  const read = readMessage(Uint16Array.from(encode(`SUB ${text}`)));
  if (read.kind !== 'message' || read.message.kind !== 'SUB') throw new Error(`no orders: ${text}`);
  return read.message.orders;
};

const powerOf = (name: string): number => E.standard.powerNames.findIndex((one) => one.startsWith(name));

/** Submits the orders of one power; the notes. */
const submit = (game: DaideGame, power: string, text: string): string =>
  readOrders(text)
    .map((order) => decode([game.books[powerOf(power)].submit(order)]))
    .join(' ');

/** Messages in frames, as texts. */
const texts = (frames: Buffer): string[] => {
  const found: string[] = [];
  for (let at = 0; at < frames.length; ) {
    const length = frames.readUInt16BE(at + 2);
    found.push(decode(Array.from({ length: length / 2 }, (_, i) => frames.readUInt16BE(at + 4 + 2 * i))));
    at += 4 + length;
  }
  return found;
};

/** Plays the turn; each ORD as 'order: result'. */
const play = (game: DaideGame): string[] =>
  texts(game.play().orders).map((text) => {
    const [, order, result] = parts(text);
    return `${order}: ${result}`;
  });
const now = (game: DaideGame): string => texts(game.position).join();
const missing = (game: DaideGame, power: string): string => decode(game.books[powerOf(power)].missing());

orders('every token has the number that the documents give it', () => {
  for (const [name, token] of wordTokens) if (name !== 'BPR') assert.equal(encode(name), [token], name);
  for (const [token, name] of rep.names) assert.equal(encode(name), [token], name);
  // The table has the brackets besides, and not BPR, which later versions of the documents have removed.
  assert.is(wordTokens.size + rep.names.size, 213 - 2 + 1);
  assert.is(rep.message.length, 0);
});

orders('the map definition says what is next to what', () => {
  const [powers, provinces, adjacencies] = parts(decode(mapDefinition(rep)));
  assert.is(powers, 'AUS ENG FRA GER ITA RUS TUR');
  const [centers, others] = parts(provinces);
  assert.is(parts(centers)[5], 'RUS MOS WAR SEV STP');
  assert.match(parts(centers)[7], /^UNO( \w{3}){12}$/);
  assert.is(others.split(' ').length, 41);
  const known = new Map(parts(adjacencies).map((part) => [part.slice(0, 3), part]));
  assert.is(known.size, 75);
  assert.is(known.get('BUL'), 'BUL (AMY SER CON GRE RUM) ((FLT ECS) BLA CON RUM) ((FLT SCS) AEG CON GRE)');
  assert.is(known.get('CON'), 'CON (AMY ANK SMY BUL) (FLT AEG BLA ANK SMY (BUL ECS) (BUL SCS))');
  assert.is(known.get('ADR'), 'ADR (FLT ION ALB APU TRI VEN)');
  assert.is(known.get('BOH'), 'BOH (AMY GAL SIL TYR MUN VIE)');
});

orders('notes of moves say why an order is not possible', () => {
  const game = gameWith([
    'FRANCE A PAR',
    'FRANCE F MAO',
    'FRANCE F STP/SC',
    'ENGLAND A LON',
    'ENGLAND F NTH',
    'FRANCE A BRE',
  ]);
  const note = (text: string): string => submit(game, 'FRA', text);
  assert.is(note('((FRA AMY PAR) HLD) ((FRA AMY PAR) MTO BUR)'), 'MBV MBV');
  assert.is(note('((FRA AMY PAR) MTO MUN)'), 'FAR');
  assert.is(note('((FRA AMY PAR) MTO #5799)'), 'NSP');
  assert.is(note('((FRA AMY #5799) HLD)'), 'NSP');
  assert.is(
    note('((FRA FLT PAR) HLD) ((FRA AMY MUN) HLD) ((FRA FLT STP) HLD) ((FRA FLT (STP NCS)) HLD)'),
    'NSU NSU NSU NSU',
  );
  assert.is(note('((ENG AMY LON) HLD) ((GER AMY PAR) HLD)'), 'NYU NYU');
  assert.is(note('((FRA AMY PAR) RTO BUR) ((FRA AMY PAR) REM) (FRA WVE)'), 'NRS NRS NRS');
  assert.is(note('((FRA FLT MAO) MTO (SPA NCS)) ((FRA FLT MAO) MTO SPA) ((FRA FLT MAO) MTO (SPA ECS))'), 'MBV CST FAR');
  assert.is(note('((FRA FLT (STP SCS)) MTO GOB) ((FRA FLT (STP SCS)) MTO BAR)'), 'MBV FAR');
  assert.is(note('((FRA AMY PAR) SUP (FRA AMY BRE)) ((FRA AMY PAR) SUP (ENG AMY LON))'), 'MBV FAR');
  assert.is(note('((FRA AMY PAR) SUP (FRA FLT BRE)) ((FRA AMY PAR) SUP (FRA AMY BRE) MTO PIC)'), 'NSU MBV');
  assert.is(note('((FRA AMY PAR) SUP (FRA AMY BRE) MTO MUN) ((FRA FLT MAO) SUP (FRA AMY BRE) MTO SPA)'), 'FAR FAR');
  assert.is(
    note('((FRA AMY PAR) CVY (FRA AMY BRE) CTO LON) ((FRA FLT (STP SCS)) CVY (FRA AMY BRE) CTO LON)'),
    'NSF NAS',
  );
  assert.is(note('((FRA FLT MAO) CVY (FRA AMY SPA) CTO LON) ((FRA FLT MAO) CVY (FRA AMY BRE) CTO LON)'), 'NSA FAR');
  assert.is(note('((FRA FLT MAO) CVY (FRA AMY BRE) CTO SPA)'), 'MBV');
  assert.is(note('((FRA FLT MAO) CTO SPA VIA (MAO)) ((FRA AMY BRE) CTO SPA VIA (MAO))'), 'NSA MBV');
  assert.is(note('((FRA AMY BRE) CTO LON VIA (ECH)) ((FRA AMY BRE) CTO LON VIA (PIC))'), 'NSF NAS');
  assert.is(note('((FRA AMY BRE) CTO LON VIA (MAO)) ((FRA AMY BRE) CTO NWY VIA (MAO NTH))'), 'FAR FAR');
  assert.is(note('((FRA AMY BRE) CTO SPA VIA (#5299))'), 'NSP');
  assert.is(
    submit(game, 'ENG', '((ENG FLT NTH) CVY (ENG AMY LON) CTO NWY) ((ENG AMY LON) CTO NWY VIA (NTH))'),
    'MBV MBV',
  );
});

orders('MIS names the units without orders, and the last order of a unit counts', () => {
  const game = gameWith(['FRANCE A PAR', 'FRANCE F STP/SC']);
  assert.is(missing(game, 'FRA'), 'MIS (FRA AMY PAR) (FRA FLT (STP SCS))');
  assert.is(submit(game, 'FRA', '((FRA AMY PAR) HLD) ((FRA AMY PAR) MTO BUR) ((FRA AMY PAR) MTO LON)'), 'MBV MBV FAR');
  assert.is(missing(game, 'FRA'), 'MIS (FRA FLT (STP SCS))');
  assert.is(missing(game, 'GER'), 'MIS');
  const [order] = readOrders('((FRA AMY PAR) MTO BUR)');
  const book = game.books[powerOf('FRA')];
  assert.is(book.cancel(order), true);
  assert.is(book.cancel(order), false);
  submit(game, 'FRA', '((FRA AMY PAR) MTO BUR) ((FRA FLT (STP SCS)) HLD)');
  assert.is(book.isDue, false);
  assert.is(book.cancel(null), true);
  assert.is(missing(game, 'FRA'), 'MIS (FRA AMY PAR) (FRA FLT (STP SCS))');
});

orders('results of moves and supports, and what is dislodged', () => {
  const game = gameWith([
    'FRANCE A PAR',
    'FRANCE A MAR',
    'GERMANY A BUR',
    'GERMANY A RUH',
    'ITALY A PIE',
    'ENGLAND A SPA',
  ]);
  submit(game, 'FRA', '((FRA AMY PAR) MTO BUR) ((FRA AMY MAR) SUP (FRA AMY PAR) MTO BUR)');
  submit(game, 'GER', '((GER AMY BUR) HLD) ((GER AMY RUH) SUP (GER AMY BUR) MTO MUN)');
  submit(game, 'ITA', '((ITA AMY PIE) MTO TYR)');
  assert.equal(play(game), [
    '(ENG AMY SPA) HLD: SUC',
    '(FRA AMY PAR) MTO BUR: SUC',
    '(FRA AMY MAR) SUP (FRA AMY PAR) MTO BUR: SUC',
    '(GER AMY BUR) HLD: RET',
    '(GER AMY RUH) SUP (GER AMY BUR) MTO MUN: NSO',
    '(ITA AMY PIE) MTO TYR: SUC',
  ]);
  assert.match(now(game), /^NOW \(SUM 1901\)/);
  assert.match(now(game), /\(GER AMY BUR MRT \(MUN GAS PIC BEL\)\)/);
  assert.is(missing(game, 'GER'), 'MIS (GER AMY BUR MRT (MUN GAS PIC BEL))');
  assert.is(missing(game, 'FRA'), 'MIS');
  assert.is(submit(game, 'GER', '((GER AMY BUR) RTO PAR) ((GER AMY RUH) DSB) ((GER AMY SIL) DSB)'), 'NVR NRN NSU');
  assert.is(submit(game, 'GER', '((GER AMY BUR) HLD) ((FRA AMY BUR) DSB) ((GER AMY BUR) RTO #5799)'), 'NRS NYU NSP');
  assert.is(submit(game, 'GER', '((GER AMY BUR) RTO GAS)'), 'MBV');
  assert.equal(play(game), ['(GER AMY BUR) RTO GAS: SUC']);
  assert.match(now(game), /^NOW \(FAL 1901\).*\(GER AMY GAS\)/);
});

orders('a support is cut, a move bounces, and both may be dislodged as well', () => {
  const game = gameWith(['FRANCE A PAR', 'FRANCE A GAS', 'GERMANY A BUR', 'GERMANY A MUN', 'GERMANY A RUH']);
  submit(game, 'FRA', '((FRA AMY PAR) SUP (FRA AMY GAS)) ((FRA AMY GAS) MTO BUR)');
  submit(game, 'GER', '((GER AMY BUR) MTO PAR) ((GER AMY MUN) MTO KIE) ((GER AMY RUH) MTO KIE)');
  assert.equal(play(game), [
    '(FRA AMY PAR) SUP (FRA AMY GAS): NSO',
    '(FRA AMY GAS) MTO BUR: BNC',
    '(GER AMY BUR) MTO PAR: BNC',
    '(GER AMY RUH) MTO KIE: BNC',
    '(GER AMY MUN) MTO KIE: BNC',
  ]);
  submit(game, 'FRA', '((FRA AMY PAR) SUP (FRA AMY GAS)) ((FRA AMY GAS) HLD)');
  submit(game, 'GER', '((GER AMY BUR) MTO PAR) ((GER AMY MUN) HLD) ((GER AMY RUH) HLD)');
  assert.is(play(game)[0], '(FRA AMY PAR) SUP (FRA AMY GAS): CUT');
});

orders('units that meet in a retreat are gone', () => {
  const game = gameWith([
    ...[
      'FRANCE A GAS',
      'ENGLAND A PIC',
      'GERMANY A MAR',
      'GERMANY A SPA',
      'GERMANY A BUR',
      'ITALY A BEL',
      'ITALY F ENG',
    ],
  ]);
  submit(game, 'GER', '((GER AMY MAR) MTO GAS) ((GER AMY SPA) SUP (GER AMY MAR) MTO GAS)');
  submit(game, 'ITA', '((ITA AMY BEL) MTO PIC) ((ITA FLT ECH) SUP (ITA AMY BEL) MTO PIC)');
  play(game);
  submit(game, 'FRA', '((FRA AMY GAS) RTO BRE)');
  submit(game, 'ENG', '((ENG AMY PIC) RTO BRE)');
  assert.equal(play(game), ['(ENG AMY PIC) RTO BRE: BNC', '(FRA AMY GAS) RTO BRE: BNC']);
  assert.not.match(now(game), 'BRE');
});

orders('a unit that can go nowhere is still to be disbanded, also if it is the only one', () => {
  const scattered = gameWith(['ITALY F NAF', 'FRANCE F MAO', 'FRANCE F WES', 'FRANCE A TUN']);
  submit(scattered, 'FRA', '((FRA FLT WES) MTO NAF) ((FRA FLT MAO) SUP (FRA FLT WES) MTO NAF) ((FRA AMY TUN) HLD)');
  const results = play(scattered);
  assert.is(results.at(-1), '(ITA FLT NAF) HLD: RET');
  assert.is(scattered.kind, E.RETREAT);
  // The fleet came from there, so nothing is left.
  assert.match(now(scattered), /^NOW \(SUM 1901\).*\(ITA FLT NAF MRT \(\)\)$/);
  assert.is(missing(scattered, 'ITA'), 'MIS (ITA FLT NAF MRT ())');
  assert.is(submit(scattered, 'ITA', '((ITA FLT NAF) RTO TUN) ((ITA FLT NAF) DSB)'), 'NVR MBV');
  assert.is(missing(scattered, 'ITA'), 'MIS');
  assert.equal(play(scattered), ['(ITA FLT NAF) DSB: SUC']);
  assert.match(now(scattered), /^NOW \(FAL 1901\)/);
  assert.not.match(now(scattered), 'ITA');
  // The engine has no such turn.
  assert.equal(
    scattered.phases.map(({ phase }) => phase),
    ['S1901M'],
  );
});

orders('centres are counted after the last turn of a fall', () => {
  const game = gameWith(['ITALY F NAF', 'FRANCE F MAO', 'FRANCE F WES', 'FRANCE A TUN']);
  const before = texts(game.ownership).join();
  game.game.season = E.FALL;
  for (const book of game.books) book.begin(game);
  submit(game, 'FRA', '((FRA FLT WES) MTO NAF) ((FRA FLT MAO) SUP (FRA FLT WES) MTO NAF)');
  const played = game.play();
  assert.is(played.isCounted, false);
  assert.is(texts(game.ownership).join(), before);
  assert.match(now(game), /^NOW \(AUT 1901\)/);
  const after = game.play();
  assert.is(after.isCounted, true);
  assert.match(texts(game.ownership).join(), /\(FRA PAR BRE MAR TUN\)/);
  assert.match(now(game), /^NOW \(WIN 1901\)/);
});

orders('an army goes by convoy over the fleets that it names, or not at all', () => {
  const units = ['ENGLAND A LON', 'ENGLAND F NTH', 'ENGLAND F ENG', 'FRANCE F BRE', 'FRANCE F MAO', 'FRANCE F IRI'];
  const convoys = '((ENG FLT NTH) CVY (ENG AMY LON) CTO BEL) ((ENG FLT ECH) CVY (ENG AMY LON) CTO BEL)';
  const attack = '((FRA FLT BRE) MTO ECH) ((FRA FLT MAO) SUP (FRA FLT BRE) MTO ECH)';
  const over = (way: string, orders: string): string[] => {
    const game = gameWith(units);
    assert.is(submit(game, 'ENG', `${convoys} ((ENG AMY LON) CTO BEL VIA (${way}))`), 'MBV MBV MBV');
    submit(game, 'FRA', orders);
    return play(game).filter((text) => text.startsWith('(ENG'));
  };
  assert.equal(over('NTH', attack), [
    '(ENG FLT ECH) CVY (ENG AMY LON) CTO BEL: NSO RET',
    '(ENG FLT NTH) CVY (ENG AMY LON) CTO BEL: SUC',
    '(ENG AMY LON) CTO BEL VIA (NTH): SUC',
  ]);
  assert.equal(over('ECH', attack), [
    '(ENG FLT ECH) CVY (ENG AMY LON) CTO BEL: RET',
    '(ENG FLT NTH) CVY (ENG AMY LON) CTO BEL: NSO',
    '(ENG AMY LON) CTO BEL VIA (ECH): DSR',
  ]);
  const game = gameWith(units);
  submit(game, 'ENG', '((ENG FLT NTH) HLD) ((ENG AMY LON) CTO BEL VIA (NTH))');
  assert.is(play(game)[2], '(ENG AMY LON) CTO BEL VIA (NTH): NSO');
});

orders('an army that is ordered to move stays on land, whatever its fleets do', () => {
  const game = gameWith(['ENGLAND A YOR', 'ENGLAND F NTH', 'GERMANY A LON']);
  submit(game, 'ENG', '((ENG AMY YOR) MTO LON) ((ENG FLT NTH) CVY (ENG AMY YOR) CTO LON)');
  submit(game, 'GER', '((GER AMY LON) MTO YOR)');
  assert.equal(play(game), [
    '(ENG FLT NTH) CVY (ENG AMY YOR) CTO LON: NSO',
    '(ENG AMY YOR) MTO LON: BNC',
    '(GER AMY LON) MTO YOR: BNC',
  ]);
});

/** France in the winter of 1901 with these units and centres besides its home. */
const winter = (units: readonly string[], centers: readonly string[], anyOrders = false): DaideGame => {
  const game = gameWith(units, anyOrders);
  const france = E.standard.powerNames.indexOf('FRANCE');
  for (const tag of centers) game.game.setOwner(E.standard.centerIndex[E.standard.provinceTags.indexOf(tag)], france);
  game.game.season = E.WINTER;
  game.game.phase = E.ADJUSTMENT;
  for (const book of game.books) book.begin(game);
  return game;
};

orders('notes and results of builds; unused ones are waived, room or not', () => {
  const game = winter(['FRANCE A PAR', 'FRANCE F MAR'], ['SPA', 'POR']);
  assert.is(missing(game, 'FRA'), 'MIS (-3)');
  const note = (text: string): string => submit(game, 'FRA', text);
  assert.is(
    note('((FRA FLT PAR) BLD) ((FRA AMY ECH) BLD) ((FRA FLT SPA) BLD) ((FRA FLT (BRE NCS)) BLD)'),
    'CST CST CST CST',
  );
  assert.is(note('((FRA AMY BUR) BLD) ((FRA AMY BER) BLD) ((FRA AMY SPA) BLD) ((FRA AMY PAR) BLD)'), 'NSC YSC HSC ESC');
  assert.is(note('((FRA AMY PAR) REM) ((FRA AMY PAR) HLD) ((GER AMY BER) BLD) (GER WVE)'), 'NMR NRS NYU NYU');
  assert.is(note('((FRA FLT BRE) BLD) ((FRA AMY BRE) BLD)'), 'MBV ESC');
  assert.is(missing(game, 'FRA'), 'MIS (-2)');
  assert.is(note('(FRA WVE) (FRA WVE) (FRA WVE)'), 'MBV MBV NMB');
  assert.is(missing(game, 'FRA'), 'MIS');
  assert.equal(
    play(game).filter((text) => text.includes('FRA')),
    ['(FRA FLT BRE) BLD: SUC', 'FRA WVE: SUC', 'FRA WVE: SUC'],
  );
  assert.match(now(game), /^NOW \(SPR 1902\).*\(FRA FLT BRE\)/);
});

orders('what is not ordered in a winter is waived, or removed by civil disorder', () => {
  const game = winter(['FRANCE A PAR', 'ENGLAND F LON', 'ENGLAND F EDI', 'ENGLAND A LVP', 'ENGLAND F BLA'], []);
  assert.is(missing(game, 'ENG'), 'MIS (1)');
  assert.is(submit(game, 'ENG', '((ENG FLT NTH) REM) ((ENG FLT LON) BLD) (ENG WVE)'), 'NSU ESC NMB');
  assert.equal(
    play(game).filter((text) => /FRA|ENG/.test(text)),
    ['(ENG FLT BLA) REM: SUC', 'FRA WVE: SUC', 'FRA WVE: SUC'],
  );
});

orders('removals: the same one counts once, and no more than are due', () => {
  const game = winter(['ENGLAND F LON', 'ENGLAND F EDI', 'ENGLAND A LVP', 'ENGLAND F BLA', 'ENGLAND A SYR'], []);
  assert.is(missing(game, 'ENG'), 'MIS (2)');
  assert.is(submit(game, 'ENG', '((ENG FLT BLA) REM) ((ENG FLT BLA) REM)'), 'MBV MBV');
  assert.is(missing(game, 'ENG'), 'MIS (1)');
  assert.is(submit(game, 'ENG', '((ENG AMY SYR) REM) ((ENG FLT LON) REM)'), 'MBV NMR');
  assert.equal(
    play(game).filter((text) => text.includes('ENG')),
    ['(ENG FLT BLA) REM: SUC', '(ENG AMY SYR) REM: SUC'],
  );
});

orders('where any orders are accepted the note comes as the result', () => {
  const game = gameWith(['FRANCE A PAR', 'ENGLAND A LON', 'GERMANY A MUN'], true);
  assert.is(submit(game, 'FRA', '((FRA AMY PAR) MTO MUN)'), 'MBV');
  assert.is(submit(game, 'FRA', '((ENG AMY LON) HLD) ((FRA AMY BUR) HLD) ((FRA AMY PAR) DSB)'), 'NYU NSU NRS');
  assert.is(submit(game, 'GER', '((GER AMY MUN) SUP (GER AMY BER))'), 'MBV');
  assert.equal(play(game), [
    '(ENG AMY LON) HLD: SUC',
    '(FRA AMY PAR) MTO MUN: FAR',
    '(GER AMY MUN) SUP (GER AMY BER): NSU',
  ]);
  const build = winter(['FRANCE A PAR'], [], true);
  assert.is(submit(build, 'FRA', '((FRA AMY PAR) BLD)'), 'MBV');
  assert.is(missing(build, 'FRA'), 'MIS (-1)');
  assert.equal(
    play(build).filter((text) => text.includes('FRA')),
    ['(FRA AMY PAR) BLD: ESC', 'FRA WVE: SUC'],
  );
});

orders('the rules may end a game that goes nowhere', () => {
  const game = new DaideGame({ rep, rules: DAIDE_RULES, until: 1999, longGameDraw: true, anyOrders: false });
  while (!game.isOver) game.play();
  assert.is(game.game.status, E.DRAW);
  assert.is(game.game.year, 1908);
});

orders('other maps get tokens of their own, without a name twice', () => {
  assert.is(new Representation(E.loadMap('1898')).message.length, 0, 'the same board');
  for (const name of ['chaos', 'ancmed', 'standard_germany_italy']) {
    const other = new Representation(E.loadMap(name));
    const { map } = other;
    assert.is(other.message.length, 6 * (map.powerCount + map.provinceCount), name);
    const found = new Map<string, number>();
    for (let at = 0; at < other.message.length; at += 6) {
      found.set(other.message.toString('latin1', at + 2, at + 5), other.message.readUInt16BE(at));
      assert.is(other.message[at + 5], 0);
    }
    assert.is(found.size, map.powerCount + map.provinceCount, name);
    for (const [tag, token] of found) {
      assert.match(tag, /^[A-Z0-9]{3}$/);
      assert.is(wordTokens.has(tag), false, tag);
      assert.is(other.names.get(token), tag);
    }
    const lowest = (category: (token: number) => boolean): number[] =>
      [...found.values()]
        .filter(category)
        .map((token) => token & 255)
        .sort((a, b) => a - b);
    assert.equal(
      lowest((token) => token >> 8 === 0x41),
      [...map.powerNames.keys()],
    );
    assert.equal(
      lowest((token) => token >> 8 >= 0x50),
      [...map.provinceTags.keys()],
    );
    const game = new DaideGame({ rep: other, rules: DAIDE_RULES, until: 1999, longGameDraw: true, anyOrders: false });
    assert.is(game.isOver, false);
  }
  assert.throws(() => new Representation(E.loadMap('loeb9')), /rules of its own/);
});

orders.run();
