// Tests `lepanto find`: what it finds against a plain reading of the same games, and what becomes of its index.
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openIndex } from '../../../bindings/find/index-file.js';
import { currentIndex, LiveIndex } from '../../../bindings/find/make-index.js';
import { OpeningCounter } from '../../../bindings/find/openings.js';
import { readKey, splitTime } from '../../../bindings/find/phase-keys.js';
import { parseQuery, positionIn, type QueryContext } from '../../../bindings/find/query.js';
import { hitsIn } from '../../../bindings/find/search.js';
import { type RecordedOrder, recordedOrders } from '../../../bindings/formats/games/phases.js';
import { openSource, recordsOf, type Source, wholeRecord } from '../../../bindings/formats/games/recorded-run.js';
import { declareDraw, newGame } from '../../../engine/internal.js';
import { formatPosition, orders } from '../../../engine/notation/json/position.js';
import { Game } from '../../../engine/position/game.js';
import { endPhase, gameScores, loadState, playPhase } from '../../../selfplay/games/game-record.js';
import { nameOfKey } from '../../../selfplay/games/phase-key.js';
import { encodeShard } from '../../../selfplay/records/record.js';
import { makeFolder, runLepanto } from '../../tools/command.js';
import { storedGames } from '../../tools/recorded.js';

const place = makeFolder('find');
const run = join(place, 'run');
const index = join(run, 'find.index');

/** A phase of a game as people read it. */
interface ReadPhase {
  readonly name: string;
  readonly orders: readonly RecordedOrder[];
  readonly position: ReturnType<typeof formatPosition>;
}

const making = (trouble: string[] = []) => ({
  workers: 1,
  onBytes: () => {},
  onTrouble: (text: string) => trouble.push(text),
});

let source: Source;
let games: ReadPhase[][];

const contextOf = (of: Source): QueryContext => ({
  ...of,
  positionOf: (_, game, phase) => {
    for (const { game: found } of recordsOf(of)) if (found?.index === game) return positionIn(of, found, phase);
    throw new Error(`no game ${game}`);
  },
  readNamed: (text) => {
    throw new Error(`got ${text}`);
  },
});

const conditionOf = (text: string, of = source) => {
  const { condition } = parseQuery(text, contextOf(of));
  if (condition === null) throw new Error('got no condition');
  return condition;
};

const find = async (text: string, of = source): Promise<string[]> => {
  const condition = conditionOf(text, of);
  const { shards, close } = await currentIndex(of, making());
  const hits = shards.flatMap((shard) => hitsIn(condition, shard).hits);
  close();
  return hits.map(({ game, phase }) => `${game} ${phase === null ? '-' : nameOfKey(phase)}`);
};

/** Numbers of the games that are found. */
const gamesWith = async (text: string): Promise<number[]> => (await find(text)).map((hit) => Number(hit.split(' ')[0]));

/** Numbers of the games for which something holds. */
const gamesWhere = (holds: (phases: readonly ReadPhase[]) => boolean): number[] =>
  games.flatMap((phases, game) => (holds(phases) ? [game] : []));

/** Trees of openings that a query counts. */
const openingsOf = async (text: string, of: Source, limit: number) => {
  const { openings, condition } = parseQuery(text, contextOf(of));
  if (openings === null) throw new Error('got no openings');
  const counter = new OpeningCounter(of.map, openings, 'sum_of_squares');
  const { shards, close } = await currentIndex(of, making());
  for (const shard of shards) counter.add(shard, of.manifest?.agents ?? [], condition);
  const trees = counter.trees(limit);
  close();
  return trees;
};

/** The first phase of each game in which something holds. */
const expected = (holds: (phase: ReadPhase) => boolean): string[] =>
  games.flatMap((phases, game) => {
    const found = phases.find((phase) => phase.name !== 'COMPLETED' && holds(phase));
    return found === undefined ? [] : [`${game} ${found.name}`];
  });

const has = ({ orders: all }: ReadPhase, text: string): boolean => all.some(({ order }) => order === text);

/** A game with these orders, as it is recorded. */
const recordOf = (index: number, turns: readonly Record<string, string[]>[]) => {
  const game = newGame();
  const phases = turns.map((turn) => playPhase(game, orders(game, turn)));
  declareDraw(game);
  return { index, seed: index, phases: [...phases, endPhase(game)], scores: gameScores(game) };
};

const finding = suite('find');

finding.before(() => {
  const agents = 'policy,random,random,random,random,random,random';
  const options = `--games 100 --until 1903 --agents ${agents} --seed 3 --shard-games 40 --quiet`;
  const played = runLepanto(['selfplay', ...options.split(' '), '--out', run]);
  assert.is(played.code, 0, played.err);
  source = openSource(run);
  games = Array.from(recordsOf(source), ({ game: found }) => {
    if (found === null) throw new Error('a game is damaged');
    const game = new Game(source.map, source.rules.adjudication);
    return wholeRecord(source, found).phases.map((phase) => {
      loadState(game, phase.state);
      return { name: phase.phase, orders: recordedOrders(game, phase), position: formatPosition(game) };
    });
  });
});

finding('orders are found as their records have them', async () => {
  const queries: Readonly<Record<string, (phase: ReadPhase) => boolean>> = {
    'A VIE - TYR': (phase) => has(phase, 'A VIE - TYR'),
    'Vienna to Tyrolia in spring 1901': (phase) => phase.name === 'S1901M' && has(phase, 'A VIE - TYR'),
    'Austria: A BUD - SER fails': ({ orders: all }) =>
      all.some(({ order, power, result }) => order === 'A BUD - SER' && power === 'AUSTRIA' && result === 'fails'),
    'Turkish A BUD - SER in S1901': () => false,
    'A VIE - TYR, A BUD - SER': (phase) => has(phase, 'A VIE - TYR') && has(phase, 'A BUD - SER'),
    'F STP - BOT': (phase) => has(phase, 'F STP/SC - BOT'),
    'A MUN B before 1903': (phase) => phase.name < 'W1903' && has(phase, 'A MUN B'),
    'A SER R BUD': ({ name, orders: all }) =>
      name.endsWith('R') &&
      all.some(({ kind, target, unit }) => kind === 'retreat' && target === 'BUD' && unit === 'A SER'),
    'A SER H dislodged': ({ orders: all }) =>
      all.some(({ order, fate }) => order === 'A SER H' && fate === 'dislodged'),
  };
  for (const [text, holds] of Object.entries(queries)) assert.equal(await find(text), expected(holds), text);
  assert.ok((await find('A VIE - TYR')).length > 20);
});

finding('conditions are joined, and turned around', async () => {
  const [tyrol, galicia] = [await gamesWith('A VIE - TYR'), await gamesWith('A VIE - GAL')];
  const both = tyrol.filter((game) => galicia.includes(game));
  assert.equal(await gamesWith('A VIE - TYR and A VIE - GAL'), both);
  assert.is((await gamesWith('A VIE - TYR or A VIE - GAL')).length, new Set([...tyrol, ...galicia]).size);
  for (const text of ['not A VIE - TYR', 'draw and not A VIE - TYR and position of game 0 in S1901M'])
    assert.is((await find(text)).length, 100 - tyrol.length);
});

finding('centres are followed by year', async () => {
  const centersAfter = (phases: readonly ReadPhase[], year: number): Record<string, number> => {
    const next = phases.find(({ name }) => name === 'COMPLETED' || Number(name.slice(1, -1)) > year);
    return Object.fromEntries(
      Object.entries(next?.position.centers ?? {}).map(([power, owned]) => [power, owned.length]),
    );
  };
  const out = gamesWhere((phases) => centersAfter(phases, 1902).ENGLAND === 0);
  assert.equal(await gamesWith('England out by 1902'), out);
  const lead = (centers: Record<string, number>, power: string): number =>
    centers[power] - Math.max(...Object.entries(centers).flatMap(([other, n]) => (other === power ? [] : [n])));
  const lost = gamesWhere((phases) => {
    const years = [1901, 1902, 1903].map((year) => centersAfter(phases, year));
    return Object.keys(years[0]).some((power) => {
      const led = years.findIndex((centers) => lead(centers, power) >= 2);
      return led >= 0 && years.slice(led).some((centers) => lead(centers, power) <= 0);
    });
  });
  assert.equal(await gamesWith('lead of 2 lost'), lost);
  assert.ok(lost.length > 0);
});

finding('a position is found by its game, and as JSON', async () => {
  const wanted = JSON.stringify(games[7][1].position);
  const { name } = games[7][1];
  const same = expected(
    ({ position }) =>
      JSON.stringify({ ...position, phase: name }) === wanted &&
      position.phase[0] === name[0] &&
      position.phase.endsWith('M'),
  );
  assert.equal(await find(`position of game 7 in ${name}`), same);
  assert.equal(await find(`position ${wanted}`), same);
  assert.ok(same.includes(`7 ${name}`));
});

finding('an opening is one set, in whatever sequence its orders are written', async () => {
  const set = ['A CON - BUL', 'A SMY - ARM', 'F ANK - BLA'];
  const file = join(place, 'sequences.lep');
  const sequences = [set, [set[0], set[2], set[1]], set.toReversed(), ['A CON - BUL']];
  writeFileSync(file, encodeShard(sequences.map((turkey, i) => recordOf(i, [{ TURKEY: turkey }]))));
  const [turkey] = await openingsOf('openings of Turkey', openSource(file), 10);
  assert.equal(
    turkey.next.map((one) => [one.orders.join(), one.games]),
    [
      ['F ANK - BLA,A CON - BUL,A SMY - ARM', 3],
      ['A CON - BUL', 1],
    ],
  );
});

finding('openings are counted by power and agent', async () => {
  const [france, ...others] = await openingsOf('openings of France over 2 turns', source, 1000);
  const setOf = (phases: readonly ReadPhase[], name: string): string =>
    phases
      .find((phase) => phase.name === name)
      ?.orders.filter(({ power }) => power === 'FRANCE')
      .map(({ order }) => order)
      .join(', ') ?? '';
  const counts = new Map<string, number>();
  for (const phases of games) counts.set(setOf(phases, 'S1901M'), (counts.get(setOf(phases, 'S1901M')) ?? 0) + 1);
  assert.equal([france.power, france.agent, france.games, others.length], ['FRANCE', 'random', 100, 0]);
  assert.equal(new Map(france.next.map((set) => [set.orders.join(', '), set.games])), counts);
  const [first] = france.next;
  const played = games.filter((phases) => setOf(phases, 'S1901M') === first.orders.join(', '));
  assert.equal(
    first.next.reduce((sum, set) => sum + set.games, 0),
    played.length,
  );
  const records = storedGames(source);
  const scores = records
    .filter(({ index: game }) => played.includes(games[game]))
    .map(({ scores: all }) => all.sum_of_squares[2]);
  const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
  assert.ok(Math.abs(mean - first.score) < 1e-12);
  assert.is(first.share, played.length / 100);
});

finding('a convoy counts by the fewest fleets that could have brought its army', async () => {
  const file = join(place, 'convoy.lep');
  const turns = [
    { ENGLAND: ['F LON - ENG', 'F EDI - NTH', 'A LVP - YOR'], FRANCE: ['F BRE - MAO'] },
    { ENGLAND: ['F ENG C A YOR - BRE', 'F NTH C A YOR - BRE', 'A YOR - BRE'] },
  ];
  writeFileSync(file, encodeShard([recordOf(0, turns)]));
  const own = openSource(file);
  for (const [text, hits] of Object.entries({
    'convoy over 2 fleets': ['0 F1901M'],
    'England convoy over at least 1 fleet in 1901': ['0 F1901M'],
    'convoy over 3 fleets': [],
    'France convoy over 2 fleets': [],
  }))
    assert.equal(await find(text, own), hits, text);
  assert.ok(existsSync(`${file}.index`));
});

/** Queries that cannot be read, with what is said of them. */
const REFUSALS: Readonly<Record<string, RegExp>> = {
  '': /got nothing, wanted an order/,
  'A PAR - XYZ': /got "XYZ", wanted a province\), wanted an order such as/,
  'Frnce: A PAR - BUR': /got "Frnce", wanted one of AUSTRIA/,
  'Frnce out': /got "Frnce", wanted one of AUSTRIA/,
  'A PAR - BUR in 1905 to 1903': /got 1905 to 1903, wanted the earlier one first/,
  'A PAR - BUR before 1903 to 1905': /wanted "in 1903 to 1905"/,
  'A PAR - BUR in W1901M': /got "W1901M", wanted a year, a season or a phase/,
  'position of game 3 in F1950M': /got F1950M, wanted one of S1901M, /,
  'position of game 3 in 1901': /got "1901", wanted a phase/,
  'position {"phase":"S1901M","units":{"FRANCE":["A XYZ"]}}': /got "XYZ"/,
  'lead of 0 lost': /got a lead of 0, wanted at least 1/,
  'openings of France or draw': /with "or" or twice/,
  'openings over 9 turns': /got 9 turns, wanted 1 to 6/,
};

finding('a query that cannot be read says what was got and what was wanted', () => {
  assert.throws(
    () => parseQuery('A PAR H, '.repeat(1000), contextOf(source)),
    /got 9000 characters, wanted at most 4000/,
  );
  for (const [text, wanted] of Object.entries(REFUSALS))
    assert.throws(() => parseQuery(text, contextOf(source)), wanted, text);
  for (const name of ['S1901M', 'S1901R', 'F1901M', 'F1901R', 'W1901A']) assert.is(nameOfKey(readKey(name)), name);
  assert.equal(splitTime('x in S1901 to F1902'), ['x', [readKey('S1901M'), readKey('F1902R')]]);
});

finding('an index is taken up, extended, and made anew where it is damaged or of another version', async () => {
  const trouble: string[] = [];
  const open = () => currentIndex(source, making(trouble));
  (await open()).close();
  const whole = readFileSync(index);
  const { mtimeMs } = statSync(index);
  (await open()).close();
  assert.equal([statSync(index).mtimeMs, trouble], [mtimeMs, []]);
  /** Writes an index with some of its bytes changed. @param at from the end if it is negative */
  const damage = (at: number, write: (bytes: Buffer, at: number) => unknown): void => {
    const bytes = Buffer.from(whole);
    write(bytes, at < 0 ? bytes.length + at : at);
    writeFileSync(index, bytes);
  };
  const flip = (bytes: Buffer, at: number) => bytes.writeUInt8(bytes[at] ^ 1, at);
  const changes: readonly (readonly [change: () => void, error: RegExp])[] = [
    [() => writeFileSync(index, whole.subarray(0, -5)), /wanted an index of lepanto find/],
    [() => writeFileSync(index, ''), /got 0 bytes, wanted an index/],
    [() => damage(-8, (bytes, at) => bytes.writeUInt32LE(99, at)), /got version 99, wanted 3/],
    [() => damage(-16, (bytes, at) => bytes.writeUInt32LE(0xffff_fff0, at)), /wanted one in the file/],
    [() => damage(-30, flip), /the index is damaged/],
  ];
  for (const [change, wanted] of changes) {
    change();
    const { shards, trouble: found } = openIndex(source);
    assert.equal(shards, []);
    assert.match(found ?? '', wanted);
  }
  (await open()).close();
  assert.match(trouble.join(), /crc32.*rebuilt/);
  assert.equal(readFileSync(index), whole);
  // Columns are checked when they are read.
  damage(100, flip);
  const condition = conditionOf('draw');
  const damaged = openIndex(source);
  assert.throws(() => hitsIn(condition, damaged.shards[0]), /the index is damaged/);
  damaged.close();
  // A page reads it too, and makes what it lacks in memory.
  const live = new LiveIndex(source);
  live.refresh();
  assert.is(live.left, 0);
  live.distrust();
  live.refresh();
  assert.is(live.left, 3);
  while (live.advance());
  assert.is(
    live.indexed.reduce((sum, shard) => sum + hitsIn(condition, shard).games, 0),
    100,
  );
});

finding.run();
