// Compares the engine with the oracle on order sets of all families:
//
//   node dist/test/oracle/differential.js --sets 1000000 --seed 1 [--family storm]
//
// Every set is adjudicated twice: on the standard map, and on one whose rows are shuffled, where the engine meets the
// provinces in another order. Both must give each order's result, each dislodged unit with its attacker, who went by
// convoy, and the contested provinces as the oracle does.
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import type { OrderSet } from '../../bench/corpus/families.js';
import { adjudicate } from '../../engine/adjudicate/calendar.js';
import { board, findContested, resolveByRecursion } from '../../engine/adjudicate/movement/index.js';
import { load, release } from '../../engine/adjudicate/turn.js';
import { compileMap } from '../../engine/map/compile.js';
import type { CompiledMap } from '../../engine/map/compiled-map.js';
import { standard, standardRows } from '../../engine/map/standard.js';
import { Game } from '../../engine/position/game.js';
import { testBit } from '../../engine/rules/bitset.js';
import { DATC_3_2 } from '../../engine/rules/options.js';
import {
  BUILD_ARMY,
  BUILD_FLEET,
  buildArmy,
  buildFleet,
  CONVOY,
  convoy,
  DISBAND,
  disband,
  HOLD,
  hold,
  MOVE,
  move,
  moveVia,
  type Order,
  orderHelped,
  orderLocation,
  orderTarget,
  orderType,
  orderVia,
  RAIL,
  REMOVE,
  RETREAT_TO,
  rail,
  remove,
  retreat,
  SUPPORT_HOLD,
  SUPPORT_MOVE,
  supportHold,
  supportMove,
  WAIVE,
  waive,
} from '../../engine/rules/order.js';
import { Random } from '../../engine/rules/random.js';
import { makeResults, type Results } from '../../engine/rules/results.js';
import {
  FLEET,
  MAX_LOCATIONS,
  makeUnit,
  NO_FATE,
  NO_UNIT,
  unitPower,
  unitType,
  WORDS,
  resultNames as words,
} from '../../engine/rules/types.js';
import { families } from '../tools/families.js';
import { consultOracle, type OracleOutcome } from './oracle.js';

/** The standard map with its provinces and powers in another order, and where each of them went. */
export interface ShuffledMap {
  readonly map: CompiledMap;
  /** By location of the standard map: the location on this one. */
  readonly location: Int32Array;
  /** By power of the standard map: the power on this one. */
  readonly power: Int32Array;
}

/** Where each location and power of a map is on another with the same rows in another order. */
export const permuteMap = (from: CompiledMap, to: CompiledMap): ShuffledMap => ({
  map: to,
  location: Int32Array.from(from.locationTags, (tag) => to.locationTags.indexOf(tag)),
  power: Int32Array.from(from.powerNames, (name) => to.powerNames.indexOf(name)),
});

/** Compiles the standard map with its rows in the order that the tags, and the names of powers, are given in. */
export const shuffleMap = (tags: readonly string[], powers: readonly string[]): ShuffledMap => {
  const find = <T>(list: readonly T[], test: (row: T) => boolean): T => {
    const row = list.find(test);
    if (row === undefined) throw new Error('shuffled map: no such row');
    return row;
  };
  const map = compileMap({
    ...standardRows,
    provinces: tags.map((tag) => find(standardRows.provinces, (row) => row.tag === tag)),
    powers: powers.map((name) => find(standardRows.powers, (row) => row.name === name)),
  });
  return permuteMap(standard, map);
};

/** A list in a random order. */
export const shuffled = <T>(random: Random, list: readonly T[]): T[] => {
  const out = [...list];
  for (let i = out.length - 1; i > 0; i--) {
    const j = random.below(i + 1);
    [out[i], out[j]] = [out[j], out[i]];
  }
  return out;
};

/** A list in every order. */
export const permutations = <T>(list: readonly T[]): T[][] =>
  list.length === 0
    ? [[]]
    : list.flatMap((first) => permutations(list.filter((other) => other !== first)).map((rest) => [first, ...rest]));

/** Some maps with rows shuffled at random. */
export const makeShuffledMaps = (count: number, random: Random): ShuffledMap[] =>
  Array.from({ length: count }, () =>
    shuffleMap(
      shuffled(
        random,
        standardRows.provinces.map((row) => row.tag),
      ),
      shuffled(
        random,
        standardRows.powers.map((row) => row.name),
      ),
    ),
  );

/** The same order on a shuffled map, of any phase. */
export const translateOrder = (order: Order, { location, power }: ShuffledMap): Order => {
  const at = location[orderLocation(order)];
  const to = location[orderTarget(order)];
  const type = orderType(order);
  if (type === WAIVE) return waive(power[orderHelped(order)]);
  const helped = location[orderHelped(order)];
  switch (type) {
    case MOVE:
      return orderVia(order) === 1 ? moveVia(at, to) : move(at, to);
    case RAIL:
      return rail(at, to);
    case SUPPORT_HOLD:
      return supportHold(at, to);
    case SUPPORT_MOVE:
      return supportMove(at, helped, to);
    case CONVOY:
      return convoy(at, helped, to);
    case RETREAT_TO:
      return retreat(at, to);
    case DISBAND:
      return disband(at);
    case BUILD_ARMY:
      return buildArmy(at);
    case BUILD_FLEET:
      return buildFleet(at);
    case REMOVE:
      return remove(at);
    default:
      return hold(at);
  }
};

/** The same game on a shuffled map: everything but the status. */
export const translateGame = (game: Game, to: ShuffledMap, out: Game): void => {
  const { map } = game;
  out.bytes.fill(0);
  out.year = game.year;
  out.season = game.season;
  out.phase = game.phase;
  for (let p = 0; p < map.provinceCount; p++) {
    const unit = game.unitAt(p);
    if (unit !== NO_UNIT) out.placeUnit(to.power[unitPower(unit)], unitType(unit), to.location[game.unitLocation(p)]);
    if (game.isContested(p)) out.setContested(to.location[p]);
  }
  for (let c = 0; c < map.centerCount; c++)
    if (game.owner(c) >= 0) out.setOwner(to.map.centerIndex[to.location[map.centers[c]]], to.power[game.owner(c)]);
  const dislodged = Array.from({ length: game.dislodgedCount }, (_, i) => game.dislodged(i));
  for (const one of dislodged.sort((a, b) => to.location[a.province] - to.location[b.province])) {
    const unit = makeUnit(to.power[unitPower(one.unit)], unitType(one.unit));
    out.addDislodged(unit, to.location[one.location], one.attacker < 0 ? -1 : to.location[one.attacker]);
  }
};

// ---- text ----

const locationText = (location: number): string => standard.locationTags[location];

const unitText = (game: Game, province: number): string =>
  `${unitType(game.unitAt(province)) === FLEET ? 'F' : 'A'} ${locationText(game.unitLocation(province))}`;

/** An order of the standard map in plain words. */
export const orderText = (game: Game, order: Order): string => {
  const province = standard.locationProvince[orderLocation(order)];
  const unit = unitText(game, province);
  const to = locationText(orderTarget(order));
  const type = orderType(order);
  if (type === HOLD) return `${unit} H`;
  if (type === MOVE) return `${unit} - ${to}${orderVia(order) === 1 ? ' VIA' : ''}`;
  const helped = unitText(game, orderHelped(order));
  if (type === SUPPORT_HOLD) return `${unit} S ${helped}`;
  return `${unit} ${type === CONVOY ? 'C' : 'S'} ${helped} - ${to}`;
};

/** A set as lines 'ENGLAND F APU - ADR', which readLines() of datc.ts takes back. */
export const setText = (set: OrderSet): string =>
  [...set.orders.subarray(0, set.count)]
    .map((order) => {
      const power = unitPower(set.game.unitAt(standard.locationProvince[orderLocation(order)]));
      return `  ${standard.powerNames[power].padEnd(8)} ${orderText(set.game, order)}`;
    })
    .join('\n');

// ---- one comparison ----

/** What differs, one line each: nothing if nothing does. `location` leads from the standard map to the results' map. */
export const compare = (
  units: Uint8Array,
  outcome: OracleOutcome,
  results: Results,
  location: Int32Array,
): readonly string[] => {
  const lines: string[] = [];
  const differ = (province: number, what: string, oracle: string, engine: string): void => {
    if (oracle !== engine) lines.push(`${standard.provinceTags[province]} ${what}: oracle ${oracle}, engine ${engine}`);
  };
  const tag = (province: number): string => (province < 0 ? 'nobody' : standard.provinceTags[province]);
  for (let p = 0; p < standard.provinceCount; p++) {
    const q = location[p];
    const contested = testBit(results.contested, 0, q);
    if (contested !== outcome.contested[p]) differ(p, 'contested', `${outcome.contested[p]}`, `${contested}`);
    if (units[p] === NO_UNIT) continue;
    if (results.result[q] !== outcome.result[p])
      differ(p, 'result', words[outcome.result[p]], words[results.result[q]]);
    const attacker = outcome.attacker[p] < 0 ? -1 : location[outcome.attacker[p]];
    if (results.attacker[q] !== attacker)
      differ(p, 'attacker', tag(outcome.attacker[p]), tag(location.indexOf(results.attacker[q])));
    if (results.convoyed[q] !== outcome.convoyed[p])
      differ(p, 'by convoy', `${outcome.convoyed[p]}`, `${results.convoyed[q]}`);
  }
  return lines;
};

const identity = Int32Array.from({ length: standard.locationCount }, (_, i) => i);

/** The engine and the oracle side by side, over sets of one family. */
export class DifferentialRun {
  sets = 0;
  differences = 0;
  circles = 0;
  paradoxes = 0;
  solved = 0;
  several = 0;
  /** Sets with a paradox of several convoys. */
  higher = 0;
  private readonly units = new Uint8Array(standard.provinceCount);
  private readonly orders = new Int32Array(MAX_LOCATIONS);
  private readonly translated = new Int32Array(MAX_LOCATIONS);
  private readonly results = makeResults();
  private readonly game = new Game(standard, DATC_3_2);
  private readonly games: Game[] = this.maps.map(({ map }) => new Game(map, DATC_3_2));

  constructor(private readonly maps: readonly ShuffledMap[]) {}

  /** Compares one set; returns what differs as text, or null. */
  check(set: OrderSet): string | null {
    for (let p = 0; p < standard.provinceCount; p++) this.units[p] = set.game.unitAt(p);
    this.orders.fill(0);
    for (let i = 0; i < set.count; i++)
      this.orders[standard.locationProvince[orderLocation(set.orders[i])]] = set.orders[i];
    const outcome = consultOracle(standard, this.units, this.orders);
    this.count(outcome);
    const lines = [...this.play(set, outcome), ...this.compareTiers(set.game), ...this.playShuffled(set, outcome)];
    if (lines.length === 0) return null;
    this.differences++;
    return `${setText(set)}\n  ${lines.join('\n  ')}`;
  }

  private count(outcome: OracleOutcome): void {
    this.sets++;
    if (outcome.circular > 0) this.circles++;
    if (outcome.paradoxes > 0) this.paradoxes++;
    if (outcome.convoys > 1) this.higher++;
    if (outcome.solved > 0) this.solved++;
    if (outcome.circular + outcome.paradoxes + outcome.solved > 1) this.several++;
  }

  private play(set: OrderSet, outcome: OracleOutcome): readonly string[] {
    this.game.copyFrom(set.game);
    adjudicate(this.game, set.orders, set.count, this.results);
    return compare(this.units, outcome, this.results, identity);
  }

  /** What the passes left on the board after play(), against the recursion on the same board, word for word. */
  private compareTiers(game: Game): readonly string[] {
    // The units have moved; their orders and results are on the board still.
    load(game);
    release();
    const { places, success, dislodgedBy, byConvoy, matched, hasPath, order } = board;
    const count = this.units.reduce((n, unit) => n + (unit === NO_UNIT ? 0 : 1), 0);
    const contested = new Int32Array(WORDS);
    const facts = (): string[] =>
      Array.from(places.subarray(0, count), (p) => {
        const type = orderType(order[p]);
        const convoyed = byConvoy[p] === 1;
        return [
          standard.provinceTags[p],
          type === HOLD ? '-' : success[p],
          dislodgedBy[p],
          byConvoy[p],
          type === HOLD || (type === MOVE && !convoyed) ? '-' : matched[p],
          convoyed ? hasPath[p] : '-',
        ].join(' ');
      });
    const fast = facts();
    const dislodged = resolveByRecursion(count);
    findContested(count, contested);
    const slow = facts();
    const lines = fast.flatMap((line, i) => (line === slow[i] ? [] : [`passes ${line}, recursion ${slow[i]}`]));
    if (contested.some((word, w) => word !== this.results.contested[w]))
      lines.push('contested: passes and recursion differ');
    const fates = this.results.fate.reduce((n, fate) => n + (fate === NO_FATE ? 0 : 1), 0);
    if (dislodged !== fates) lines.push(`dislodged: passes ${fates}, recursion ${dislodged}`);
    return lines;
  }

  private playShuffled(set: OrderSet, outcome: OracleOutcome): readonly string[] {
    if (this.maps.length === 0) return [];
    const k = this.sets % this.maps.length;
    const { location } = this.maps[k];
    translateGame(set.game, this.maps[k], this.games[k]);
    for (let i = 0; i < set.count; i++) this.translated[i] = translateOrder(set.orders[i], this.maps[k]);
    adjudicate(this.games[k], this.translated, set.count, this.results);
    return compare(this.units, outcome, this.results, location).map((line) => `shuffled map ${k}: ${line}`);
  }
}

// ---- the script ----

const percent = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(2)} %`;

const report = (name: string, comparison: DifferentialRun, seconds: number): string => {
  const { sets, differences, circles, paradoxes, higher, solved, several } = comparison;
  return [
    name.padEnd(13),
    `${sets} sets`.padStart(13),
    `${differences} differences`,
    `circular ${percent(circles, sets)}`,
    `paradox ${percent(paradoxes, sets)}`,
    `of several convoys ${percent(higher, sets)}`,
    `solved cycle ${percent(solved, sets)}`,
    `several ${percent(several, sets)}`,
    `${Math.round(sets / seconds)} sets/s`,
  ].join('  ');
};

const main = (): void => {
  const { values } = parseArgs({
    options: {
      sets: { type: 'string', default: '100000' },
      seed: { type: 'string', default: '1' },
      family: { type: 'string' },
      maps: { type: 'string', default: '16' },
    },
  });
  const seed = Number(values.seed);
  const maps = makeShuffledMaps(Number(values.maps), new Random(seed, 1000));
  const chosen = families.filter(({ name }) => values.family === undefined || name === values.family);
  if (chosen.length === 0)
    throw new Error(`--family: got ${values.family}, wanted ${families.map((f) => f.name).join(', ')}`);
  const sets = Math.ceil(Number(values.sets) / chosen.length);
  let differences = 0;
  for (const family of chosen) {
    const comparison = new DifferentialRun(maps);
    const next = family.open(seed);
    const begin = performance.now();
    let told = begin;
    for (let i = 0; i < sets; i++) {
      const difference = comparison.check(next());
      if (difference !== null && comparison.differences <= 20)
        console.log(`${family.name}, seed ${seed}, set ${i}\n${difference}`);
      if (performance.now() - told < 5000) continue;
      told = performance.now();
      console.error(`${family.name}: ${i + 1} of ${sets} sets, ${comparison.differences} differences`);
    }
    differences += comparison.differences;
    console.log(report(family.name, comparison, (performance.now() - begin) / 1000));
  }
  process.exitCode = differences === 0 ? 0 : 1;
};

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) main();
