// Compares the engine with the oracle on maps with rules of their own:
//
//   node dist/test/oracle/special-differential.js --sets 1000000 --seed 1 [--family railroad]
//
// Every set is adjudicated on the map as it is, and on one whose rows are in another order. Each order's result, each
// dislodged unit with its attacker, who went by convoy, the contested provinces and the end of a ride must be those of the
// oracle. Says how often the option changes who is where.
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { adjudicate } from '../../engine/adjudicate/calendar.js';
import { isLegal } from '../../engine/legal/lists.js';
import { compileMap } from '../../engine/map/compile.js';
import type { CompiledMap, MapRows } from '../../engine/map/compiled-map.js';
import { Game } from '../../engine/position/game.js';
import { testBit } from '../../engine/rules/bitset.js';
import { DATC_3_2 } from '../../engine/rules/options.js';
import { orderLeave, orderLocation, orderType, RAIL, withLeave, withoutLeave } from '../../engine/rules/order.js';
import { Random } from '../../engine/rules/random.js';
import { makeResults, type Results } from '../../engine/rules/results.js';
import { NO_UNIT, unitPower, resultNames as words } from '../../engine/rules/types.js';
import { type SpecialFamily, type SpecialSet, specialFamilies } from '../tools/special-families.js';
import { permuteMap, shuffled, translateGame, translateOrder } from './differential.js';
import { consultOracle, type OracleOutcome } from './oracle.js';

const ordersOf = (orders: Int32Array): Int32Array => orders.filter((order) => order !== 0);

/** Provinces of the railroad that are lost centres. */
const lostCenters = (game: Game): ReadonlySet<number> => {
  const { map } = game;
  const { special } = map;
  const isLost = (p: number): boolean => {
    const center = map.centerIndex[p];
    const power = center < 0 ? -1 : game.owner(center);
    return power >= 0 && power !== special?.railPower;
  };
  return new Set((special?.line ?? []).filter(isLost));
};

/** What differs, one line each. `location` leads from the oracle's map to that of the results. */
const compare = (map: CompiledMap, set: SpecialSet, outcome: OracleOutcome, results: Results, location: Int32Array) => {
  const lines: string[] = [];
  const differ = (p: number, what: string, oracle: number | string, engine: number | string): void => {
    if (oracle !== engine) lines.push(`${map.provinceTags[p]} ${what}: oracle ${oracle}, engine ${engine}`);
  };
  const there = (p: number): number => (p < 0 ? -1 : location[p]);
  for (let p = 0; p < map.provinceCount; p++) {
    const q = location[p];
    differ(p, 'contested', outcome.contested[p], testBit(results.contested, 0, q));
    if (set.game.unitAt(p) === NO_UNIT) continue;
    differ(p, 'result', words[outcome.result[p]], words[results.result[q]]);
    differ(p, 'attacker', there(outcome.attacker[p]), results.attacker[q]);
    differ(p, 'by convoy', outcome.convoyed[p], results.convoyed[q]);
    const rides = orderType(withoutLeave(set.orders[p])) === RAIL;
    if (rides && results.rideEnd[q] >= 0) differ(p, 'end of ride', there(outcome.rideEnd), results.rideEnd[q]);
  }
  return lines;
};

/** The engine and the oracle side by side, over sets of one family. */
export class SpecialRun {
  sets = 0;
  differences = 0;
  circles = 0;
  paradoxes = 0;
  solved = 0;
  /** Sets after which other units are elsewhere than without the option. */
  changed = 0;
  private readonly results = makeResults();
  private readonly other: { map: CompiledMap; location: Int32Array; power: Int32Array };
  private readonly otherGame: Game;
  private readonly same: Int32Array;

  constructor(
    private readonly family: SpecialFamily,
    seed: number,
  ) {
    const random = new Random(seed, 77);
    const { rows } = family.map;
    const shuffledRows: MapRows = {
      ...rows,
      provinces: shuffled(random, rows.provinces),
      powers: shuffled(random, rows.powers),
    };
    this.other = permuteMap(family.map, compileMap(shuffledRows));
    this.otherGame = new Game(this.other.map, DATC_3_2);
    this.same = Int32Array.from({ length: family.map.locationCount }, (_, i) => i);
  }

  /** Compares one set; returns what differs as text, or null. */
  check(set: SpecialSet): string | null {
    const { map } = this.family;
    const units = Uint8Array.from({ length: map.provinceCount }, (_, p) => set.game.unitAt(p));
    const lost = lostCenters(set.game);
    const outcome = consultOracle(map, units, set.orders, DATC_3_2, { lost });
    this.sets++;
    this.circles += outcome.circular > 0 ? 1 : 0;
    this.paradoxes += outcome.paradoxes > 0 ? 1 : 0;
    this.solved += outcome.solved > 0 ? 1 : 0;
    const played = set.game.clone();
    adjudicate(played, ordersOf(set.orders), undefined, this.results);
    const lines = compare(map, set, outcome, this.results, this.same);
    if (this.changes(set, played)) this.changed++;
    lines.push(...this.playShuffled(set, outcome));
    if (lines.length === 0) return null;
    this.differences++;
    return lines.join('\n  ');
  }

  /** True if units are elsewhere than after the same orders, as far as they are legal, without the option. */
  private changes(set: SpecialSet, played: Game): boolean {
    const { map, without } = this.family;
    const plain = new Game(without, DATC_3_2);
    plain.bytes.set(set.game.bytes);
    const orders = ordersOf(set.orders).map(withoutLeave);
    adjudicate(
      plain,
      orders.filter((order) => isLegal(plain, order)),
    );
    for (let p = 0; p < map.provinceCount; p++) if (plain.unitAt(p) !== played.unitAt(p)) return true;
    return false;
  }

  private playShuffled(set: SpecialSet, outcome: OracleOutcome): readonly string[] {
    translateGame(set.game, this.other, this.otherGame);
    const { location } = this.other;
    const translated = ordersOf(set.orders).map((order) => {
      const there = translateOrder(withoutLeave(order), this.other);
      return orderLeave(order) === 0 ? there : withLeave(there, orderLeave(order));
    });
    adjudicate(this.otherGame, translated, undefined, this.results);
    return compare(this.family.map, set, outcome, this.results, location).map((line) => `shuffled: ${line}`);
  }
}

// ---- the script ----

const percent = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(2)} %`;

export const describeRun = (
  name: string,
  { sets, differences, circles, paradoxes, solved, changed }: SpecialRun,
): string =>
  `${name}: ${sets} sets, ${differences} differences; circular ${percent(circles, sets)}, paradox ` +
  `${percent(paradoxes, sets)}, cycle with one solution ${percent(solved, sets)}; ` +
  `the option changes who is where in ${percent(changed, sets)}`;

const main = async (): Promise<void> => {
  const { values } = parseArgs({
    options: {
      sets: { type: 'string', default: '70000' },
      seed: { type: 'string', default: '1' },
      family: { type: 'string' },
      show: { type: 'string', default: '3' },
    },
  });
  const seed = Number(values.seed);
  const chosen = specialFamilies.filter(({ name }) => values.family === undefined || name === values.family);
  if (chosen.length === 0)
    throw new Error(`--family: got ${values.family}, wanted ${specialFamilies.map(({ name }) => name).join(', ')}`);
  const sets = Math.ceil(Number(values.sets) / chosen.length);
  const { formatOrder } = await import('../../bindings/notation/text/index.js');
  let differences = 0;
  for (const family of chosen) {
    const run = new SpecialRun(family, seed);
    const next = family.open(seed);
    const begin = performance.now();
    for (let i = 0; i < sets; i++) {
      const set = next();
      const difference = run.check(set);
      if (difference === null || run.differences > Number(values.show)) continue;
      const { powerNames } = family.map;
      const text = [...ordersOf(set.orders)].map((order) => {
        const power = powerNames[unitPower(set.game.unitAt(family.map.locationProvince[orderLocation(order)]))];
        return `  ${power} ${formatOrder(family.map, order, set.game)}`;
      });
      console.log(`${family.name}, seed ${seed}, set ${i}\n${text.join('\n')}\n  ${difference}`);
    }
    differences += run.differences;
    const rate = Math.round((1000 * sets) / (performance.now() - begin));
    console.log(`${describeRun(family.name, run)}; ${rate} sets/s`);
  }
  process.exitCode = differences === 0 ? 0 : 1;
};

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) await main();
