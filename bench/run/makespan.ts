// How long does a run take on many machines that differ in speed, some of which are taken away? A simulation: no game is
// played. Shards are dealt out in advance (job array), or one by one (queue).
//
//   node dist/bench/run/makespan.js [--machines N] [--threads N] [--hours H] [--spread S] [--lost PER_HOUR] [--away MIN]
//     [--notice SECONDS] [--overhead MS] [--turns N] [--seed S]
//
// A machine has a speed of its own, exp(S times a normal number), and with each loss a new one: it is another machine. It
// is lost at random, PER_HOUR on the mean, and comes back after MIN minutes on the mean. The shards under way are lost with
// it; the queue gives them to others SECONDS later, in a job array they wait for their machine. The work is that of H hours of
// all machines, if none is lost and none waits. Prints, by the seconds that a thread of mean speed takes for a shard, the
// time of the run divided by the time that the work would take all machines while they are there: median and worst of the
// turns, and the shards that were begun in vain.
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Random } from '../../engine/internal.js';
import { median } from './statistics.js';

/** What is simulated. Times are in seconds. */
export interface Fleet {
  readonly machines: number;
  readonly threads: number;
  /** Work, in seconds of all machines. */
  readonly work: number;
  /** Seconds of a thread of mean speed for a shard. */
  readonly shard: number;
  readonly spread: number;
  /** Losses of a machine, in a second. */
  readonly lost: number;
  readonly away: number;
  readonly notice: number;
  /** Of a thread, for each shard. */
  readonly overhead: number;
  readonly byQueue: boolean;
  readonly seed: number;
}

/** How it went. */
export interface Makespan {
  /** Time of the run divided by that of the same work without waiting. */
  readonly ratio: number;
  /** Shards begun in vain, divided by all. */
  readonly lost: number;
}

/** The least number is at the top. */
class Heap<T extends { readonly at: number }> {
  private readonly items: T[] = [];

  get size(): number {
    return this.items.length;
  }

  push(item: T): void {
    const { items } = this;
    let i = items.push(item) - 1;
    for (let above = (i - 1) >> 1; i > 0 && items[above].at > item.at; i = above, above = (i - 1) >> 1)
      items[i] = items[above];
    items[i] = item;
  }

  pop(): T | undefined {
    const { items } = this;
    const top = items[0];
    const last = items.pop();
    if (items.length === 0 || last === undefined) return top;
    let i = 0;
    for (let below = 1; below < items.length; below = 2 * i + 1) {
      if (below + 1 < items.length && items[below + 1].at < items[below].at) below++;
      if (items[below].at >= last.at) break;
      items[i] = items[below];
      i = below;
    }
    items[i] = last;
    return top;
  }
}

const uniform = (random: Random): number => random.fraction() + 2 ** -33;
const exponential = (random: Random, mean: number): number => -mean * Math.log(uniform(random));
const normal = (random: Random): number =>
  Math.sqrt(-2 * Math.log(uniform(random))) * Math.cos(2 * Math.PI * uniform(random));

/** A machine, or those that follow one another in its place. */
class Place {
  speed = 1;
  begin = 0;
  /** When it is lost, and when the next one has come. */
  end = 0;
  back = 0;
  /** Seconds of work that it could have done before. */
  private past = 0;
  private readonly random: Random;
  private readonly fleet: Fleet;

  constructor(fleet: Fleet, random: Random) {
    this.fleet = fleet;
    this.random = random;
    this.draw();
  }

  private draw(): void {
    const { spread, lost, away } = this.fleet;
    const { random, back } = this;
    this.begin = back;
    // So that the mean speed is 1.
    this.speed = Math.exp(spread * normal(random) - (spread * spread) / 2);
    this.end = lost === 0 ? Number.POSITIVE_INFINITY : back + exponential(random, 1 / lost);
    this.back = this.end + exponential(random, away);
  }

  /** Goes on to the machine that is there at a time, or was last. */
  moveTo(now: number): void {
    while (now >= this.back) {
      this.past += this.speed * (this.end - this.begin);
      this.draw();
    }
  }

  /** Seconds of work that one of its threads could have done by now. */
  couldDo(now: number): number {
    this.moveTo(now);
    return this.past + this.speed * (Math.min(now, this.end) - this.begin);
  }

  isThere(now: number): boolean {
    return now < this.end || now >= this.back;
  }
}

/** Shards that some threads share. */
interface Line {
  left: number;
  /** Threads that found nothing, by their places. */
  readonly idle: Place[];
}

/** A thread asks for a shard, or a shard that was lost goes back into the line. */
interface Arrival {
  readonly at: number;
  readonly place: Place | null;
  readonly line: Line;
}

/** Takes a thread out of those that wait, one that is there if possible. */
const takeIdle = ({ idle }: Line, now: number): Place | null => {
  const found = idle.findIndex((place) => place.isThere(now));
  return idle.splice(Math.max(0, found), 1)[0] ?? null;
};

const makePlaces = (fleet: Fleet): Place[] =>
  Array.from({ length: fleet.machines }, (_, machine) => new Place(fleet, new Random(fleet.seed, machine)));

/** When the machines could have done so much work, if none ever waited. */
const idealTime = (fleet: Fleet, work: number): number => {
  const done = (places: readonly Place[], now: number): number =>
    fleet.threads * places.reduce((sum, place) => sum + place.couldDo(now), 0);
  let late = 1;
  for (const places = makePlaces(fleet); done(places, late) < work; ) late *= 2;
  let early = 0;
  // A place only goes forwards: each look begins anew.
  for (let i = 0; i < 40; i++) {
    const middle = (early + late) / 2;
    if (done(makePlaces(fleet), middle) < work) early = middle;
    else late = middle;
  }
  return late;
};

/** Plays a run. */
export const simulate = (fleet: Fleet): Makespan => {
  const { machines, threads, work, shard, overhead, notice, byQueue } = fleet;
  const count = Math.max(1, Math.round((work * machines * threads) / shard));
  const arrivals = new Heap<Arrival>();
  const common: Line = { left: count, idle: [] };
  for (const [machine, place] of makePlaces(fleet).entries()) {
    // Every machines-th shard, as --shard deals them out.
    const own = Math.floor(count / machines) + Number(machine < count % machines);
    const line = byQueue ? common : { left: own, idle: [] };
    for (let thread = 0; thread < threads; thread++) arrivals.push({ at: 0, place, line });
  }
  let [done, lost, last] = [0, 0, 0];
  for (let arrival = arrivals.pop(); arrival !== undefined && done < count; arrival = arrivals.pop()) {
    const { at: now, line } = arrival;
    if (arrival.place === null) line.left++;
    const place = arrival.place ?? takeIdle(line, now);
    if (place === null) continue;
    place.moveTo(now);
    if (!place.isThere(now)) arrivals.push({ at: place.back, place, line });
    else if (line.left === 0) line.idle.push(place);
    else {
      line.left--;
      const end = now + shard / place.speed + overhead;
      if (end <= place.end) {
        done++;
        last = Math.max(last, end);
        arrivals.push({ at: end, place, line });
      } else {
        lost++;
        arrivals.push({ at: byQueue ? place.end + notice : place.back, place: null, line });
        arrivals.push({ at: place.back, place, line });
      }
    }
  }
  return { ratio: last / idealTime(fleet, count * shard), lost: lost / count };
};

const SHARDS = [0.5, 5, 30, 120, 600, 2400];
/** Simulated arrivals of one turn take some seconds: rows with more are left out. */
const MOST_SHARDS = 3_000_000;

const print = (values: Readonly<Record<string, string>>): void => {
  const [machines, threads, hours, spread, lost, away, notice, overhead, turns, seed] = [
    ...['machines', 'threads', 'hours', 'spread', 'lost', 'away', 'notice', 'overhead', 'turns', 'seed'],
  ].map((name) => Number(values[name]));
  const fleet = {
    ...{ machines, threads, spread, notice },
    ...{ work: hours * 3600, lost: lost / 3600, away: away * 60, overhead: overhead / 1000 },
  };
  const row = (shard: number): string => {
    const cells = [false, true].map((byQueue) => {
      const found = Array.from({ length: turns }, (_, turn) =>
        simulate({ ...fleet, shard, byQueue, seed: seed + turn }),
      );
      const ratios = found.map(({ ratio }) => ratio);
      const inVain = (100 * median(found.map((one) => one.lost))).toFixed(1);
      return `${median(ratios).toFixed(2)} (${Math.max(...ratios).toFixed(2)}) ${inVain.padStart(5)} %`.padStart(24);
    });
    return `${String(shard).padStart(8)} s${cells.join('')}`;
  };
  process.stdout.write(`${'shard'.padStart(10)}${'job array'.padStart(24)}${'queue'.padStart(24)}\n`);
  for (const shard of SHARDS)
    if ((fleet.work * machines * threads) / shard <= MOST_SHARDS) process.stdout.write(`${row(shard)}\n`);
};

/** By name: what the options are if they are not given. */
const defaults = {
  machines: '100',
  threads: '16',
  hours: '1',
  spread: '0.2',
  lost: '0',
  away: '5',
  notice: '10',
  overhead: '5',
  turns: '9',
  seed: '1',
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const options = Object.fromEntries(Object.keys(defaults).map((name) => [name, { type: 'string' as const }]));
  const { values } = parseArgs({ options });
  print({ ...defaults, ...(values as Record<string, string>) });
}
