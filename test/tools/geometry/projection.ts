// Longitude and latitude to drawing units.
//
// Azimuthal around a middle, with a radius that grows ever more slowly, so that the middle of the map is large and its
// edges shrink; then lenses that enlarge crowded places, one after the other.
import type { Point } from '../../../bindings/draw/curves.js';
import { type LonLat, pointsOf, type SeedTable } from './seed-table.js';

export type Project = (place: LonLat) => Point;

const RADIAN = Math.PI / 180;

const azimuthal = ({ center, compress, scale, origin }: SeedTable): Project => {
  const [[longitude, latitude]] = pointsOf(center);
  const [sin0, cos0] = [Math.sin(latitude * RADIAN), Math.cos(latitude * RADIAN)];
  return ([lon, lat]) => {
    const turn = (lon - longitude) * RADIAN;
    const [sin, cos] = [Math.sin(lat * RADIAN), Math.cos(lat * RADIAN)];
    const angle = Math.acos(Math.max(-1, Math.min(1, sin0 * sin + cos0 * cos * Math.cos(turn))));
    const x = cos * Math.sin(turn);
    const y = cos0 * sin - sin0 * cos * Math.cos(turn);
    const radius = (compress * (1 - Math.exp(-angle / compress)) * scale) / (Math.hypot(x, y) || 1);
    return [origin[0] + x * radius, origin[1] - y * radius];
  };
};

interface PlacedLens {
  readonly middle: Point;
  readonly radius: number;
  readonly gain: number;
}

const through = (lenses: readonly PlacedLens[], point: Point): Point => {
  let [x, y] = point;
  for (const { middle, radius, gain } of lenses) {
    const [dx, dy] = [x - middle[0], y - middle[1]];
    const distance = Math.hypot(dx, dy) / radius;
    if (distance >= 1) continue;
    const factor = 1 + gain * (1 - distance * distance) ** 2;
    x = middle[0] + dx * factor;
    y = middle[1] + dy * factor;
  }
  return [x, y];
};

export const makeProjection = (table: SeedTable): Project => {
  const plain = azimuthal(table);
  const placed: PlacedLens[] = [];
  for (const { at, radius, gain } of table.lenses)
    placed.push({ middle: through(placed, plain(pointsOf(at)[0])), radius, gain });
  return (place) => through(placed, plain(place));
};
