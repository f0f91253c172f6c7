// Tests what a DAIDE game answers to orders: THX's notes, ORD's results, NOW with retreats, MIS, SCO.
import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readMessage, type WrittenOrder } from '../../../bindings/protocols/daide/client-messages.js';
import { DaideGame } from '../../../bindings/protocols/daide/daide-game.js';
import { wordTokens } from '../../../bindings/protocols/daide/language.js';
import { mapDefinition } from '../../../bindings/protocols/daide/messages.js';
import { Representation } from '../../../bindings/protocols/daide/representation.js';
import * as E from '../../../engine/internal.js';
import { dataPath } from '../../tools/data.js';
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
    const [power, type, place] = unit.split(' ');
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

/** The orders of a power that begins so. */
const bookOf = ({ books }: DaideGame, power: string): DaideGame['books'][number] =>
  books[E.standard.powerNames.findIndex((name) => name.startsWith(power))];

/** Submits the orders of one power; the notes. */
const submit = (game: DaideGame, power: string, text: string): string =>
  readOrders(text)
    .map((order) => decode([bookOf(game, power).submit(order)]))
    .join(' ');

/** Makes it the winter of 1901, in which France has these centres besides its home. */
const beginWinter = (one: DaideGame, centers: readonly string[]): void => {
  const { game, books } = one;
  const france = E.standard.powerNames.indexOf('FRANCE');
  for (const tag of centers) {
    const center = E.standard.centerIndex[E.standard.provinceTags.indexOf(tag)];
    if (center !== undefined) game.setOwner(center, france);
  }
  game.season = E.WINTER;
  game.phase = E.ADJUSTMENT;
  for (const book of books) book.begin(one);
};

/** Messages in frames, as texts. */
const texts = (frames: Buffer): string[] => {
  if (frames.length === 0) return [];
  const end = 4 + frames.readUInt16BE(2);
  const tokens = Array.from({ length: end / 2 - 2 }, (_, i) => frames.readUInt16BE(4 + 2 * i));
  return [decode(tokens), ...texts(frames.subarray(end))];
};

/** Plays the turn; each ORD as 'order: result'. */
const play = (game: DaideGame): string[] =>
  texts(game.play().orders).map((text) => {
    const [, order, result] = parts(text);
    return `${order}: ${result}`;
  });
const now = (game: DaideGame): string => texts(game.position).join();
const missing = (game: DaideGame, power: string): string => decode(bookOf(game, power).missing());

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
  for (const wanted of [
    'BUL (AMY SER CON GRE RUM) ((FLT ECS) BLA CON RUM) ((FLT SCS) AEG CON GRE)',
    'CON (AMY ANK SMY BUL) (FLT AEG BLA ANK SMY (BUL ECS) (BUL SCS))',
    'ADR (FLT ION ALB APU TRI VEN)',
    'BOH (AMY GAL SIL TYR MUN VIE)',
  ])
    assert.is(known.get(wanted.slice(0, 3)), wanted);
});

orders('MIS names the units without orders, and the last order of a unit counts', () => {
  const game = gameWith(['FRANCE A PAR', 'FRANCE F STP/SC']);
  assert.is(missing(game, 'FRA'), 'MIS (FRA AMY PAR) (FRA FLT (STP SCS))');
  assert.is(submit(game, 'FRA', '((FRA AMY PAR) HLD) ((FRA AMY PAR) MTO BUR) ((FRA AMY PAR) MTO LON)'), 'MBV MBV FAR');
  assert.is(missing(game, 'FRA'), 'MIS (FRA FLT (STP SCS))');
  assert.is(missing(game, 'GER'), 'MIS');
  const [order] = readOrders('((FRA AMY PAR) MTO BUR)');
  const book = bookOf(game, 'FRA');
  assert.is(book.cancel(order), true);
  assert.is(book.cancel(order), false);
  submit(game, 'FRA', '((FRA AMY PAR) MTO BUR) ((FRA FLT (STP SCS)) HLD)');
  assert.is(book.isDue, false);
  assert.is(book.cancel(null), true);
  assert.is(missing(game, 'FRA'), 'MIS (FRA AMY PAR) (FRA FLT (STP SCS))');
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

// ---- games of test/data/daide-orders.txt ----

/** Plays one of the games, and returns its lines with the answers of the server in place of those that are stated. */
const answerLines = (lines: readonly string[]): string[] => {
  const anyOrders = lines.includes('any orders');
  let game = gameWith([], anyOrders);
  const answers: Readonly<Record<string, (rest: string) => string[]>> = {
    any: () => [],
    units: (rest) => {
      game = gameWith(rest.split(', '), anyOrders);
      return [];
    },
    winter: (rest) => {
      beginWinter(game, rest.split(' '));
      return [];
    },
    play: () => play(game).map((text) => `  ${text}`),
    phases: () => [`phases ${game.phases.map(({ phase }) => phase).join(' ')}`],
    MIS: (power) => [`MIS ${power} -> ${missing(game, power)}`],
    NOW: (rest) => {
      const text = rest.replace(/^(has|lacks) /, '');
      return [`NOW ${now(game).includes(text) ? 'has' : 'lacks'} ${text}`];
    },
  };
  return lines.flatMap((line) => {
    if (line.startsWith('  ')) return [];
    const [, word, rest = ''] = /^(\S+) ?(.*?)(?: -> .*)?$/.exec(line) ?? [];
    const answer = answers[word];
    if (answer === undefined) {
      const notes = submit(game, word, rest);
      return [line.includes(' -> ') ? `${word} ${rest} -> ${notes}` : line];
    }
    const said = answer(rest);
    return ['MIS', 'NOW', 'phases'].includes(word) ? said : [line, ...said];
  });
};

for (const text of readFileSync(dataPath('daide-orders.txt'), 'utf8').split(/^== /m).slice(1)) {
  const [title, ...lines] = text.trim().split('\n');
  orders(title, () => assert.equal(answerLines(lines), lines));
}

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
      const [tag, token] = [other.message.toString('latin1', at + 2, at + 5), other.message.readUInt16BE(at)];
      assert.match(tag, /^[A-Z0-9]{3}$/);
      assert.equal([wordTokens.has(tag), found.has(tag), other.names.get(token)], [false, false, tag]);
      assert.is(other.message[at + 5], 0);
      found.set(tag, token);
    }
    assert.is(found.size, map.powerCount + map.provinceCount, name);
    const tokens = [...found.values()].sort((a, b) => a - b);
    const [powers, provinces] = [
      tokens.filter((token) => token >> 8 === 0x41),
      tokens.filter((token) => token >= 0x5000),
    ];
    assert.equal(
      powers.map((token) => token & 255),
      [...map.powerNames.keys()],
    );
    assert.equal(
      provinces.map((token) => token & 255).sort((a, b) => a - b),
      [...map.provinceTags.keys()],
    );
    const game = new DaideGame({ rep: other, rules: DAIDE_RULES, until: 1999, longGameDraw: true, anyOrders: false });
    assert.is(game.isOver, false);
  }
  assert.throws(() => new Representation(E.loadMap('loeb9')), /rules of its own/);
});

orders.run();
