// Generates the geometries that ship with Lepanto: bindings/draw/geometries.
//
//   node dist/test/tools/geometry/generate.js [MAP…] && npm run format
//
// The seed tables in seeds/ are the source; coasts and countries come from Natural Earth (public domain) by the package
// world-atlas. Sines and exponentials may differ in their last digit between builds of V8, and so may the result: the
// tests check what the geometry says, not its bytes.
import { fileURLToPath } from 'node:url';
import type { Point } from '../../../bindings/draw/curves.js';
import { areaProvince, type GeometryData } from '../../../bindings/draw/geometry.js';
import { loadMap, type MapRows } from '../../../engine/internal.js';
import { writeWhole } from '../../../selfplay/records/whole-file.js';
import { geometryFaults } from '../geometry-faults.js';
import { findPlaces } from './find-places.js';
import { makeLand } from './land.js';
import { makePartition } from './partition.js';
import { makeProjection } from './projection.js';
import { makeRaster, type Raster } from './raster.js';
import { pointsOf, readSeeds, type SeedTable } from './seed-table.js';
import { traceArcs } from './trace.js';

const maps = ['standard', 'ancmed', 'loeb9', 'colonial'];

/** Cells of a drawing unit, each way. */
const CELLS = 3;
/** Steps of a drawing unit in which lines are stored. */
const QUANTUM = 4;

const quanta = (points: readonly Point[]): Point[] =>
  points.map(([x, y]) => [Math.round(x * QUANTUM), Math.round(y * QUANTUM)]);

const differences = (points: readonly Point[]): number[] =>
  points.flatMap(([x, y], i) => (i === 0 ? [x, y] : [x - points[i - 1][0], y - points[i - 1][1]]));

/** A bar over the place where two provinces come closest, a little into both. */
const linkBetween = (raster: Raster, label: Int16Array, a: number, b: number): number[] => {
  const { across, cells, size } = raster;
  const edge = (own: number): Point[] =>
    Array.from(label.keys())
      .filter((i) => i >= across && i < size - across && label[i] === own)
      .filter((i) => [i - 1, i + 1, i - across, i + across].some((next) => label[next] !== own))
      .map((i) => [((i % across) + 0.5) / cells, (Math.floor(i / across) + 0.5) / cells]);
  const others = edge(b);
  let least = Number.POSITIVE_INFINITY;
  let ends: [Point, Point] | undefined;
  for (const from of edge(a))
    for (const to of others) {
      const distance = (from[0] - to[0]) ** 2 + (from[1] - to[1]) ** 2;
      if (distance < least) [least, ends] = [distance, [from, to]];
    }
  if (ends === undefined) throw new Error('link: got a province without a cell');
  const [from, to] = ends;
  const length = Math.sqrt(least) || 1;
  const [dx, dy] = [((to[0] - from[0]) / length) * 5, ((to[1] - from[1]) / length) * 5];
  return quanta([
    [from[0] - dx, from[1] - dy],
    [to[0] + dx, to[1] + dy],
  ]).flat();
};

const generate = (table: SeedTable, rows: MapRows, note: (text: string) => void): GeometryData => {
  const { name, width, height } = table;
  const project = makeProjection(table);
  const raster = makeRaster(width, height, CELLS);
  const partition = makePartition(table, rows, raster, makeLand(table, raster, project), project);
  const { areas } = partition;
  // Islands are counted to their provinces.
  const provinces = areas.map((area) => areas.indexOf(areaProvince(area)));
  const whole = partition.label.map((label) => provinces[label]);
  const small = new Int16Array(width * height);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      small[y * width + x] = whole[(y * CELLS + (CELLS >> 1)) * raster.across + x * CELLS + (CELLS >> 1)];
  const { places, notes } = findPlaces(table, rows, { width, height, label: small }, project);
  for (const text of [...partition.notes, ...notes]) note(text);
  const areaOf = (label: number): string => areas[label] ?? '-';
  return {
    name,
    width,
    height,
    quantum: QUANTUM,
    arcs: traceArcs(raster, partition).map(
      ({ left, right, points }) => `${areaOf(left)} ${areaOf(right)} ${differences(quanta(points)).join(' ')}`,
    ),
    places,
    isles: Object.keys(table.isles ?? {}),
    links: Object.fromEntries(
      Object.keys(table.links ?? {}).map((pair) => {
        const [a, b] = pair.split(' ').map((tag) => areas.indexOf(tag));
        return [pair, linkBetween(raster, whole, a, b)];
      }),
    ),
    exceptions: Object.keys(table.exceptions ?? {}),
    rivers: table.rivers ?? [],
    canals: Object.fromEntries(
      Object.entries(table.canals ?? {}).map(([canal, line]) => [canal, quanta(pointsOf(line).map(project)).flat()]),
    ),
  };
};

/** From dist, where this file runs. */
const folder = fileURLToPath(new URL('../../../../bindings/draw/geometries/', import.meta.url));

const wanted = process.argv.slice(2);
for (const name of wanted.length > 0 ? wanted : maps) {
  const { rows } = loadMap(name);
  const note = (text: string): void => {
    process.stderr.write(`${name}: ${text}\n`);
  };
  const geometry = generate(readSeeds(name), rows, note);
  for (const fault of geometryFaults(geometry, rows)) note(`fault: ${fault}`);
  const about = `Generated by test/tools/geometry from seeds/${name}.json and Natural Earth (public domain)`;
  writeWhole(`${folder}${name}.json`, `${JSON.stringify({ about, ...geometry }, null, 2)}\n`);
  note(`${geometry.arcs.length} arcs`);
}
