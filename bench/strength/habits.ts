// Counts bad habits of players in recorded games, which a rating does not show. Counts are means for each power and
// game.
//
//   lepanto replay RUN --json | node dist/bench/strength/habits.js
//
//   uncaptured   centres left empty in a fall, before and after, that a unit of another power could have captured
//   lost_empty   own centres lost in a fall that had no own unit before
//   stubborn     moves ordered again after failing three times in a row
//   void         share of supports that match no order
//   fleets       share of fleets among the units
//   at_leader    share of attacks that hit the leader, among attacks of the others while a power has twelve centres or more
import { createInterface } from 'node:readline';
import { standard } from '../../engine/internal.js';
import { runMain } from '../run/child.js';
import { runProgram } from '../run/program.js';

interface PlayedOrder {
  readonly power: string;
  readonly order: string;
  readonly result: string;
}
type ByPower = Readonly<Record<string, readonly string[]>>;
/** A phase in the output of `lepanto replay --json`. */
export interface PlayedPhase {
  readonly phase: string;
  readonly units: ByPower;
  readonly centers: ByPower;
  readonly orders?: readonly PlayedOrder[];
}

const LEADER = 12;
const STUBBORN = 3;

const provinceOf = (location: string): string => location.split('/')[0];
const locations = new Map(standard.locationTags.map((tag, location) => [tag, location]));

/** Returns the provinces that a unit can move to. @param unit text of the unit: 'F STP/SC' */
const reachOf = (unit: string): string[] => {
  const [type, tag = ''] = unit.split(' ');
  const key = (locations.get(tag) ?? 0) + (type === 'F' ? standard.locationCount : 0);
  const targets = standard.moveTargets.slice(standard.moveOffsets[key], standard.moveOffsets[key + 1]);
  return Array.from(targets, (location) => standard.provinceTags[standard.locationProvince[location]]);
};

const ownersOf = (table: ByPower): Map<string, string> =>
  new Map(
    Object.entries(table).flatMap(([power, list]) =>
      list.map((item) => [provinceOf(item.split(' ').at(-1) ?? ''), power]),
    ),
  );

const noSums = () => ({
  ...{ games: 0, powerGames: 0, uncaptured: 0, lost_empty: 0, stubborn: 0, supports: 0, void: 0 },
  ...{ units: 0, fleets: 0, attacks: 0, at_leader: 0 },
});
type Sums = ReturnType<typeof noSums>;

/**
 * Adds the centres that were left empty or lost in a fall to the sums.
 * @param fall movement phase of the fall
 * @param after first phase after it that is not a retreat
 */
const countFall = (sums: Sums, fall: PlayedPhase, after: PlayedPhase): void => {
  const before = ownersOf(fall.centers);
  const held = ownersOf(after.units);
  const stood = ownersOf(fall.units);
  const now = ownersOf(after.centers);
  for (const center of standard.centers) {
    const tag = standard.provinceTags[center];
    const owner = before.get(tag);
    if (owner !== undefined && now.get(tag) !== owner && stood.get(tag) !== owner) sums.lost_empty++;
    if (held.has(tag)) continue;
    const near = new Set(
      Object.entries(fall.units).flatMap(([power, units]) =>
        units.filter((unit) => reachOf(unit).includes(tag)).map(() => power),
      ),
    );
    near.delete(owner ?? '');
    if (near.size > 0 && !stood.has(tag)) sums.uncaptured++;
  }
};

const countOrders = (sums: Sums, { orders = [], units, centers }: PlayedPhase, failures: Map<string, number>): void => {
  const stood = ownersOf(units);
  const leaders = Object.entries(centers).filter(([, list]) => list.length >= LEADER);
  const repeated = new Set<string>();
  for (const { power, order, result } of orders) {
    const [, from = '', verb = '', to = ''] = order.split(' ');
    if (verb === 'S') {
      sums.supports++;
      if (result === 'invalid' || result === 'void') sums.void++;
    }
    if (verb !== '-') continue;
    const victim = stood.get(provinceOf(to));
    if (victim !== undefined && victim !== power && leaders.length > 0 && leaders[0][0] !== power) {
      sums.attacks++;
      if (victim === leaders[0][0]) sums.at_leader++;
    }
    const key = `${power} ${from} ${to}`;
    if ((failures.get(key) ?? 0) >= STUBBORN) sums.stubborn++;
    if (result === 'succeeds') continue;
    failures.set(key, (failures.get(key) ?? 0) + 1);
    repeated.add(key);
  }
  for (const key of [...failures.keys()]) if (!repeated.has(key)) failures.delete(key);
};

const round = (x: number): number => Math.round(x * 1e3) / 1e3;

/** Counts bad habits of players over games. result() has the counts that the head of this file describes. */
export class Habits {
  private readonly sums = noSums();

  add(phases: readonly PlayedPhase[]): void {
    const { sums } = this;
    const failures = new Map<string, number>();
    sums.games++;
    sums.powerGames += Object.keys(phases[0].units).length;
    for (const [i, phase] of phases.entries()) {
      if (!phase.phase.endsWith('M')) continue;
      countOrders(sums, phase, failures);
      for (const unit of Object.values(phase.units).flat()) {
        sums.units++;
        if (unit.startsWith('F')) sums.fleets++;
      }
      const after = phases.slice(i + 1).find((one) => !one.phase.endsWith('R'));
      if (phase.phase.startsWith('F') && after !== undefined) countFall(sums, phase, after);
    }
  }

  result() {
    const { games, powerGames, ...sums } = this.sums;
    return {
      games,
      uncaptured: round(sums.uncaptured / powerGames),
      lost_empty: round(sums.lost_empty / powerGames),
      stubborn: round(sums.stubborn / powerGames),
      void: round(sums.void / sums.supports),
      fleets: round(sums.fleets / sums.units),
      at_leader: round(sums.at_leader / Math.max(1, sums.attacks)),
    };
  }
}

const about = `
Counts bad habits in recorded games. Reads the output of
lepanto replay RUN --json. Prints JSON: means for each power and game.
`;

const main = async (): Promise<void> => {
  const habits = new Habits();
  for await (const line of createInterface({ input: process.stdin })) habits.add(JSON.parse(line).phases);
  process.stdout.write(`${JSON.stringify(habits.result())}\n`);
};

await runMain(import.meta.url, (args) => runProgram(args, { about, options: {} }, main));
