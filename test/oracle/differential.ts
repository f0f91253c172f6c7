// Compares the engine with the oracle on order sets of all families, those of the maps with rules of their own too.
//
// Every set is adjudicated twice: on its map, and on one whose rows are shuffled, where the engine meets the provinces in
// another order. Both must give each order's result, each dislodged unit with its attacker, who went by convoy, the
// contested provinces and the end of a ride as the oracle does.
import type { Family, OrderSet } from '../../bench/corpus/families.js';
import { runMain } from '../../bench/run/child.js';
import { runProgram } from '../../bench/run/program.js';
import { adjudicate } from '../../engine/adjudicate/calendar.js';
import { board, findContested, resolveByRecursion } from '../../engine/adjudicate/movement/index.js';
import { GameOnBoard } from '../../engine/adjudicate/turn.js';
import { isLegal } from '../../engine/legal/lists.js';
import { compileMap } from '../../engine/map/compile.js';
import type { CompiledMap, MapRows } from '../../engine/map/compiled-map.js';
import { standard } from '../../engine/map/standard.js';
import { formatOrder } from '../../engine/notation/text/index.js';
import { Game } from '../../engine/position/game.js';
import { testBit } from '../../engine/rules/bitset.js';
import { DATC_3_2 } from '../../engine/rules/options.js';
import * as O from '../../engine/rules/order.js';
import { Random } from '../../engine/rules/random.js';
import { makeResults, type Results } from '../../engine/rules/results.js';
import * as T from '../../engine/rules/types.js';
import { seedOption, type ValuesOf, wholeIn } from '../../selfplay/question/option.js';
import { families, shuffled } from '../tools/families.js';
import { specialFamilies } from '../tools/special-families.js';
import { consultOracle, type OracleOutcome } from './oracle.js';

/** A map with its provinces and powers in another order, and where each of them went. */
export interface ShuffledMap {
  readonly map: CompiledMap;
  /** By location of the map: the location on this one. */
  readonly location: Int32Array;
  /** By power of the map: the power on this one. */
  readonly power: Int32Array;
}

/** Compiles a map with its provinces and powers in the order given. */
export const reorderMap = (from: CompiledMap, rows: Pick<MapRows, 'provinces' | 'powers'>): ShuffledMap => {
  const map = compileMap({ ...from.rows, ...rows });
  return {
    map,
    location: Int32Array.from(from.locationTags, (tag) => map.locationTags.indexOf(tag)),
    power: Int32Array.from(from.powerNames, (name) => map.powerNames.indexOf(name)),
  };
};

/** A list in every order. */
export const permutations = <Item>(list: readonly Item[]): Item[][] =>
  list.length === 0
    ? [[]]
    : list.flatMap((first) => permutations(list.filter((other) => other !== first)).map((rest) => [first, ...rest]));

/** Some maps with rows shuffled at random. */
export const makeShuffledMaps = (map: CompiledMap, count: number, random: Random): ShuffledMap[] =>
  Array.from({ length: count }, () =>
    reorderMap(map, { provinces: shuffled(random, map.rows.provinces), powers: shuffled(random, map.rows.powers) }),
  );

/** The same order on a shuffled map, of any phase. */
export const translateOrder = (order: O.Order, { location, power }: ShuffledMap): O.Order => {
  if (O.orderType(order) === O.WAIVE) return O.waive(power[O.waivingPower(order)]);
  const bare = O.withLocation(order, location[O.orderLocation(order)]) & ~O.helpedAndTarget(0xff, 0xff);
  const helped = O.isHelp(order) ? location[O.orderHelped(order)] : 0;
  const target = O.hasTarget(order) ? location[O.orderTarget(order)] : 0;
  return O.withLeave(bare | O.helpedAndTarget(helped, target), O.orderLeave(order));
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
    if (unit !== T.NO_UNIT)
      out.placeUnit(to.power[T.unitPower(unit)], T.unitType(unit), to.location[game.unitLocation(p)]);
    if (game.isContested(p)) out.setContested(to.location[p]);
  }
  for (let c = 0; c < map.centerCount; c++)
    if (game.owner(c) >= 0) out.setOwner(to.map.centerIndex[to.location[map.centers[c]]], to.power[game.owner(c)]);
  const dislodged = Array.from({ length: game.dislodgedCount }, (_, i) => game.dislodged(i));
  for (const one of dislodged.sort((a, b) => to.location[a.province] - to.location[b.province])) {
    const unit = T.makeUnit(to.power[T.unitPower(one.unit)], T.unitType(one.unit));
    out.addDislodged(unit, to.location[one.location], one.attacker < 0 ? -1 : to.location[one.attacker]);
  }
};

/** A set as lines 'ENGLAND F APU - ADR', which readLines() of cases.ts takes back. */
export const setText = ({ game, orders, count }: OrderSet): string =>
  [...orders.subarray(0, count)]
    .map((order) => {
      const power = T.unitPower(game.unitAt(game.map.locationProvince[O.orderLocation(order)]));
      return `  ${game.map.powerNames[power].padEnd(8)} ${formatOrder(game.map, order, game)}`;
    })
    .join('\n');

// ---- one comparison ----

/** Units and orders of a set by province, as the oracle and the references read them. */
export const byProvince = ({ game, orders, count }: OrderSet): { units: Uint8Array; orders: Int32Array } => {
  const { map } = game;
  const list = new Int32Array(map.provinceCount);
  for (const order of orders.subarray(0, count)) list[map.locationProvince[O.orderLocation(order)]] = order;
  return { units: Uint8Array.from(list, (_, p) => game.unitAt(p)), orders: list };
};

/** What differs, one line each: nothing if nothing does. @param to leads from the set's map to that of the results */
export const compare = (
  set: OrderSet,
  outcome: OracleOutcome,
  results: Results,
  to?: ShuffledMap,
): readonly string[] => {
  const { map } = set.game;
  const lines: string[] = [];
  const differ = (province: number, what: string, oracle: number | string, engine: number | string): void => {
    if (oracle !== engine) lines.push(`${map.provinceTags[province]} ${what}: oracle ${oracle}, engine ${engine}`);
  };
  const there = (province: number): number => (province < 0 || to === undefined ? province : to.location[province]);
  const tag = (province: number): string => (province < 0 ? 'nobody' : (to?.map ?? map).provinceTags[province]);
  const { units, orders } = byProvince(set);
  for (let p = 0; p < map.provinceCount; p++) {
    const q = there(p);
    differ(p, 'contested', outcome.contested[p], testBit(results.contested, 0, q));
    if (units[p] === T.NO_UNIT) continue;
    differ(p, 'result', T.resultNames[outcome.result[p]], T.resultNames[results.result[q]]);
    differ(p, 'attacker', tag(there(outcome.attacker[p])), tag(results.attacker[q]));
    differ(p, 'by convoy', outcome.convoyed[p], results.convoyed[q]);
    if (O.orderType(O.withoutLeave(orders[p])) === O.RAIL && results.rideEnd[q] >= 0)
      differ(p, 'end of ride', there(outcome.rideEnd), results.rideEnd[q]);
  }
  return lines;
};

/**
 * Draws so many sets of a family and checks each.
 * @param check says what is wrong with a set; nothing if nothing is
 * @param tell hears of each set with which something is wrong
 * @returns how many these are
 */
export const checkSets = (
  { name, open }: Family,
  sets: number,
  seed: number,
  check: (set: OrderSet) => readonly string[],
  print: (text: string) => void,
): number => {
  const next = open(seed);
  let differences = 0;
  for (let i = 0; i < sets; i++) {
    const set = next();
    const lines = check(set);
    if (lines.length === 0) continue;
    differences++;
    print(`${name}, seed ${seed}, set ${i}\n${setText(set)}\n  ${lines.join('\n  ')}`);
  }
  return differences;
};

/** Prints the first few of what it is told. */
export const printFirst = (most: number): ((text: string) => void) => {
  let told = 0;
  return (text) => {
    if (told++ < most) console.log(text);
  };
};

/** Provinces of the railroad that are lost centres. */
const lostCenters = (game: Game): ReadonlySet<number> => {
  const { centerIndex, special } = game.map;
  const isLost = (p: number): boolean => {
    const power = centerIndex[p] < 0 ? -1 : game.owner(centerIndex[p]);
    return power >= 0 && power !== special?.railPower;
  };
  return new Set((special?.line ?? []).filter(isLost));
};

/** Events that are counted in sets of orders, in the words of describe(). */
const EVENTS = {
  circles: 'circular movement',
  paradoxes: 'paradox',
  higher: 'paradox of several convoys',
  solved: 'cycle with one solution',
  several: 'several cycles',
  /** The units end elsewhere than on the map without the option. */
  changed: 'changed by the option',
} as const;
type Event = keyof typeof EVENTS;

/** The engine and the oracle side by side, over sets of one map. */
export class DifferentialRun {
  sets = 0;
  /** Number of sets with each event. */
  readonly met: Record<Event, number> = { circles: 0, paradoxes: 0, higher: 0, solved: 0, several: 0, changed: 0 };
  private readonly results = makeResults();
  private readonly game = new Game(this.map, DATC_3_2);
  private readonly games: Game[] = this.maps.map(({ map }) => new Game(map, DATC_3_2));

  /** @param maps the map shuffled @param without the map without the option that the sets are about */
  constructor(
    private readonly map: CompiledMap,
    private readonly maps: readonly ShuffledMap[],
    private readonly without?: CompiledMap,
  ) {}

  /** Compares one set; returns what differs. */
  check(set: OrderSet): readonly string[] {
    const { units, orders } = byProvince(set);
    const outcome = consultOracle(this.map, units, orders, DATC_3_2, { lost: lostCenters(set.game) });
    const lines = [...this.play(set, outcome)];
    if (this.map.special === null) lines.push(...this.compareTiers(set));
    this.note(outcome, this.changes(set));
    return [...lines, ...this.playShuffled(set, outcome)];
  }

  private note({ circular, paradoxes, convoys, solved }: OracleOutcome, changed: boolean): void {
    this.sets++;
    const events: Record<Event, boolean> = {
      circles: circular > 0,
      paradoxes: paradoxes > 0,
      higher: convoys > 1,
      solved: solved > 0,
      several: circular + paradoxes + solved > 1,
      changed,
    };
    for (const event of Object.keys(EVENTS) as Event[]) if (events[event]) this.met[event]++;
  }

  private play(set: OrderSet, outcome: OracleOutcome): readonly string[] {
    this.game.copyFrom(set.game);
    adjudicate(this.game, set.orders, set.count, this.results);
    return compare(set, outcome, this.results);
  }

  /** True if units are elsewhere than after the same orders, as far as they are legal, without the option. */
  private changes({ game, orders, count }: OrderSet): boolean {
    if (this.without === undefined) return false;
    const plain = new Game(this.without, DATC_3_2);
    plain.bytes.set(game.bytes);
    adjudicate(
      plain,
      orders
        .subarray(0, count)
        .map(O.withoutLeave)
        .filter((order) => isLegal(plain, order)),
    );
    return this.map.provinceTags.some((_, p) => plain.unitAt(p) !== this.game.unitAt(p));
  }

  /** What the passes left on the board after play(), against the recursion on the same board, word for word. */
  private compareTiers({ game, count }: OrderSet): readonly string[] {
    // The units have moved; their orders and results are on the board still.
    new GameOnBoard().load(game);
    const { places, success, dislodgedBy, byConvoy, matched, hasPath, order } = board;
    const contested = new Int32Array(T.WORDS);
    const facts = (): string[] =>
      Array.from(places.subarray(0, count), (p) => {
        const type = O.orderType(order[p]);
        const convoyed = byConvoy[p] === 1;
        return [
          this.map.provinceTags[p],
          type === O.HOLD ? '-' : success[p],
          dislodgedBy[p],
          byConvoy[p],
          type === O.HOLD || (type === O.MOVE && !convoyed) ? '-' : matched[p],
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
    const fates = this.results.fate.reduce((n, fate) => n + (fate === T.NO_FATE ? 0 : 1), 0);
    if (dislodged !== fates) lines.push(`dislodged: passes ${fates}, recursion ${dislodged}`);
    return lines;
  }

  private playShuffled(set: OrderSet, outcome: OracleOutcome): readonly string[] {
    if (this.maps.length === 0) return [];
    const k = this.sets % this.maps.length;
    translateGame(set.game, this.maps[k], this.games[k]);
    const translated = set.orders.subarray(0, set.count).map((order) => translateOrder(order, this.maps[k]));
    adjudicate(this.games[k], translated, set.count, this.results);
    return compare(set, outcome, this.results, this.maps[k]).map((line) => `shuffled map ${k}: ${line}`);
  }

  /** What the sets were like. */
  describe(): string {
    const events = (Object.keys(EVENTS) as Event[]).filter(
      (event) => event !== 'changed' || this.without !== undefined,
    );
    return events.map((event) => `${EVENTS[event]} ${((100 * this.met[event]) / this.sets).toFixed(2)} %`).join(', ');
  }
}

// ---- the script ----

const options = {
  sets: { ...wholeIn(1, 1e12), default: 100_000, help: 'sets on the standard map, and again on the special maps' },
  family: { words: [...families, ...specialFamilies].map(({ name }) => name), help: 'a single family (default: all)' },
  maps: { ...wholeIn(1, 1000), default: 16, help: 'shuffled maps of each map' },
  ...seedOption,
} as const;

const about = `
Compares the engine with the literal oracle on order sets of all families.
Exit code 1 if they differ.
`;

const main = (values: ValuesOf<typeof options>): void => {
  const { seed } = values;
  const onStandard = families.map((family) => ({ ...family, map: standard, without: undefined }));
  let differences = 0;
  for (const group of [onStandard, specialFamilies]) {
    const chosen = group.filter(({ name }) => values.family === undefined || name === values.family);
    const sets = Math.ceil(values.sets / chosen.length);
    for (const family of chosen) {
      const maps = makeShuffledMaps(family.map, values.maps, new Random(seed, 1000));
      const run = new DifferentialRun(family.map, maps, family.without);
      const begin = performance.now();
      const found = checkSets(family, sets, seed, (set) => run.check(set), printFirst(20));
      const rate = Math.round((1000 * sets) / (performance.now() - begin));
      console.log(`${family.name}: ${sets} sets, ${found} differences; ${run.describe()}; ${rate} sets/s`);
      differences += found;
    }
  }
  process.exitCode = differences === 0 ? 0 : 1;
};

await runMain(import.meta.url, (args) => runProgram(args, { about, options }, main));
