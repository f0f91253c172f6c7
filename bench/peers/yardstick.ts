// Compares the speed of Lepanto and of the C code of the speed trials in one run.
//
//   node dist/bench/peers/yardstick.js [FOLDER]     sources of the C code; default: ../shared/yardstick
//
// gcc builds the C code in a temporary folder. The C code writes its order sets there, and both resolve the same ones,
// loading included; phase-steps are games from 1901 over ten years by the heuristic sampler of each. The two take turns, so
// that whatever slows the machine slows both; a ratio is the median over the turns of Lepanto's nanoseconds to those of
// the C code. The C code covers less than the rules need: no legality, no reasons, adjacent convoys by VIA only.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { columns } from '../../bindings/cli/shared/output.js';
import { standard } from '../../engine/map/standard.js';
import * as O from '../../engine/rules/order.js';
import { packageRoot } from '../../selfplay/records/version.js';
import { type FamilyName, familyNames, makeRoom, type PackedSet } from '../corpus/families.js';
import { runMain, runScript } from '../run/child.js';
import { chunkOf, makePlay } from '../run/playing.js';
import { checkByRecursion, checkSets, prepareBoard, resolveAll } from '../run/resolving.js';
import { warmRows } from '../run/rows.js';
import { median } from '../run/statistics.js';

const map = standard;

/** Nanoseconds, as bar.c prints them. */
interface Costs {
  readonly resolve: Readonly<Record<FamilyName, number>>;
  readonly phase_step: number;
}

// ---- the yardstick's order sets (Rec in core.c), 4,000 of each family in the same order of families ----
const SETS = 4000;
const RECORD = 244;
const MOST_UNITS = 40;
const PROVINCES_AT = 1;
const UNITS_AT = PROVINCES_AT + MOST_UNITS;
/** Aligned to 4. */
const ORDERS_AT = 84;

/** Our province by province of the yardstick: both have the same names, in another order. */
const readProvinces = (header: string): number[] => {
  const list = /provName\[\]=\{([^}]*)\}/.exec(header);
  const names = (list?.[1] ?? '').split(',').map((name) => name.trim().replaceAll('"', ''));
  const provinces = names.slice(0, map.provinceCount).map((name) => map.provinceTags.indexOf(name));
  if (provinces.length !== map.provinceCount || provinces.includes(-1))
    throw new Error(`map.h of the yardstick: got the provinces ${names.join(' ')}, wanted those of the standard map`);
  return provinces;
};

const YARDSTICK_TYPES = [O.HOLD, O.MOVE, O.SUPPORT_HOLD, O.SUPPORT_MOVE, O.CONVOY];

/** Converts an order of the yardstick to a board order: type 3 bits, target 7, source 7, via 1. */
const toOrder = (packed: number, place: number, provinces: readonly number[]): number => {
  const target = provinces[(packed >> 3) & 127];
  const source = provinces[(packed >> 10) & 127];
  switch (YARDSTICK_TYPES[packed & 7]) {
    case O.MOVE:
      return ((packed >> 17) & 1) === 1 ? O.moveVia(0, target) : O.move(0, target);
    case O.SUPPORT_HOLD:
      return O.supportHold(0, target);
    case O.SUPPORT_MOVE:
      return O.supportMove(0, source, target);
    case O.CONVOY:
      return O.convoy(0, source, target);
    default:
      return O.hold(0) | O.helpedAndTarget(place, place);
  }
};

const readSets = (data: Buffer, family: number, provinces: readonly number[]): PackedSet[] => {
  const room = makeRoom(SETS);
  return Array.from({ length: SETS }, (_, k) => {
    const at = (family * SETS + k) * RECORD;
    const set = room(k, data[at]);
    for (let i = 0; i < data[at]; i++) {
      const place = provinces[data[at + PROVINCES_AT + i]];
      const word = data[at + UNITS_AT + i];
      const isFleet = ((word >> 3) & 1) === 1;
      set.places[i] = place;
      set.units[place] = ((word & 7) << 16) | ((isFleet ? map.locationCount + place : place) + 1);
      set.orders[place] = toOrder(data.readInt32LE(at + ORDERS_AT + 4 * i), place, provinces);
    }
    return set;
  });
};

const readAllSets = (folder: string): PackedSet[][] => {
  const provinces = readProvinces(readFileSync(join(folder, 'map.h'), 'utf8'));
  const data = readFileSync(join(folder, 'ds.bin'));
  return familyNames.map((_, family) => readSets(data, family, provinces));
};

// ---- Lepanto, in a process of its own ----

const ROUNDS = 15;
const REPEATS = 5;

const timeEach = (rounds: number, operations: number, run: () => void): number => {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const begin = performance.now();
    run();
    times.push(performance.now() - begin);
  }
  return (median(times) * 1e6) / operations;
};

const measureLepanto = (folder: string): Costs => {
  const sets = readAllSets(folder);
  warmRows(800);
  const resolving = familyNames.map((name, i): [FamilyName, number] => {
    if (checkSets(sets[i]) !== checkByRecursion(sets[i]))
      throw new Error(`${name}: the passes and the recursion give different results`);
    prepareBoard();
    const repeat = (): void => {
      for (let k = 0; k < REPEATS; k++) resolveAll(sets[i]);
    };
    return [name, timeEach(ROUNDS, REPEATS * SETS, repeat)];
  });
  const play = makePlay('policy', 4 * chunkOf('policy'), 7);
  const steps = play.run();
  return {
    resolve: Object.fromEntries(resolving) as Record<FamilyName, number>,
    phase_step: timeEach(ROUNDS, steps, play.run),
  };
};

// ---- the comparison ----

const build = (source: string, folder: string): void => {
  cpSync(source, folder, { recursive: true });
  for (const name of ['main', 'bar'])
    execFileSync('gcc', ['-O3', '-march=native', '-w', '-o', name, `${name}.c`], { cwd: folder, stdio: 'pipe' });
  execFileSync('./main', ['ds.bin', 'x'], { cwd: folder, stdio: 'pipe' });
};

/** Processes of each, in turn. */
const TURNS = 5;

const compare = async (folder: string): Promise<void> => {
  const rows = [...familyNames.map((name) => `resolve, ${name}`), 'phase-step'];
  const numbers = (costs: Costs): number[] => [...familyNames.map((name) => costs.resolve[name]), costs.phase_step];
  const c: number[][] = [];
  const lepanto: number[][] = [];
  for (let turn = 0; turn < TURNS; turn++) {
    process.stderr.write(`yardstick: turn ${turn + 1} of ${TURNS}\n`);
    const output = execFileSync('./bar', ['ds.bin'], { cwd: folder, encoding: 'utf8' });
    c.push(numbers(JSON.parse(output) as Costs));
    lepanto.push(numbers(await runScript<Costs>(new URL(import.meta.url), ['--lepanto', folder])));
  }
  const table = rows.map((row, i) => {
    const ratios = lepanto.map((turn, k) => turn[i] / c[k][i]);
    const ns = [c, lepanto].map((turns) => median(turns.map((turn) => turn[i])).toFixed(0));
    return [row, ...ns, median(ratios).toFixed(2), ratios.map((ratio) => ratio.toFixed(2)).join(' ')];
  });
  console.log(columns([['row', 'C, ns', 'Lepanto, ns', 'ratio', 'ratios by turn'], ...table]));
};

const main = async ([first, second]: readonly string[]): Promise<void> => {
  if (first === '--lepanto') {
    process.stdout.write(`${JSON.stringify(measureLepanto(second))}\n`);
    return;
  }
  const source = resolve(first ?? join(packageRoot, '..', 'shared', 'yardstick'));
  if (!existsSync(join(source, 'bar.c')))
    throw new Error(`cannot compare, no yardstick in ${source} (wanted bar.c and main.c there)`);
  if (spawnSync('gcc', ['--version']).status !== 0) throw new Error('cannot compare, no gcc to build the C code with');
  const folder = mkdtempSync(join(tmpdir(), 'lepanto-yardstick-'));
  try {
    build(source, folder);
    await compare(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

await runMain(import.meta.url, main);
