// Encodes the board as the input of dipcc's nets. Version 1 is DipNet's board, [81, 35]. Version 2, [81, 38], has a
// column for "none" only for centres, and adds the home power at the end:
//
//   0  2  army, fleet             11  2  dislodged army, fleet         23  8  owner of the centre, none
//   2  7  power of the unit       13  7  power of the dislodged unit   31  7  home of this power
//   9  2  buildable, removable    20  3  land, water, coast
//
// Powers are in alphabetical order. On a map with another number of powers, the blocks are as wide as that number.
import { type CompiledMap, type Game, perMap } from '../../../engine/internal.js';
import { locationsOf } from '../../../selfplay/nets/dipnet-orders.js';
import { dipnetLocations } from '../../../selfplay/nets/dipnet-rows.js';
import { dueIn } from './board.js';
import { dipnetEncoder } from './dipnet.js';

/** Versions of dipcc's board, described at the head of this file. */
export const dipccVersions = [1, 2] as const;
/** A version of dipcc's board. */
export type DipccVersion = (typeof dipccVersions)[number];

/** Returns the columns of DipNet's board that version 2 keeps, in order. */
const keptColumns = (powers: number): number[] => {
  const block = (from: number, count: number): number[] => Array.from({ length: count }, (_, i) => from + i);
  const builds = 4 + powers;
  const dislodged = builds + 2;
  const area = dislodged + 4 + powers;
  return [
    ...block(0, 2),
    ...block(3, powers),
    ...block(builds, 2),
    ...block(dislodged, 2),
    ...block(dislodged + 3, powers),
    ...block(area, 3 + powers + 1),
  ];
};

/** Encodes boards of one map as float32, in a version of dipcc's format. */
export class DipccEncoder {
  private readonly board = dipnetEncoder(this.map);
  private readonly flags = new Uint8Array(this.board.size);
  /** Indices of the columns of DipNet's board that this version has, in order. */
  private readonly kept =
    this.version === 1 ? [...Array(this.board.layout.columns).keys()] : keptColumns(this.map.powerCount);
  readonly rows: number = this.board.layout.rows;
  readonly columns: number = this.kept.length + (this.version === 1 ? 0 : this.map.powerCount);
  /** Indices in the matrix of the elements that mark home centres, which are always 1. Empty in version 1. */
  private readonly homes = this.version === 1 ? [] : this.homePlaces(this.map);

  constructor(
    private readonly map: CompiledMap,
    private readonly version: DipccVersion,
  ) {}

  private homePlaces(map: CompiledMap): number[] {
    const rowOf = dipnetLocations(map);
    const places: number[] = [];
    map.centers.forEach((province, c) => {
      if (map.homePower[c] < 0) return;
      for (const location of locationsOf(map, province))
        places.push(rowOf.indexOf(location) * this.columns + this.kept.length + map.homePower[c]);
    });
    return places;
  }

  /**
   * Writes the board of a game to out[at .. at + rows * columns).
   * @param due builds (> 0) or removals (< 0) of each power; used in an adjustment phase only
   */
  encode(game: Game, out: Float32Array, at: number, due: ArrayLike<number>): void {
    const { flags, kept, columns, board } = this;
    board.encode(game, flags, 0, due);
    for (let row = 0; row < this.rows; row++)
      for (let c = 0; c < columns; c++)
        out[at + row * columns + c] = c < kept.length ? flags[row * board.layout.columns + kept[c]] : 0;
    for (const place of this.homes) out[at + place] = 1;
  }
}

const encoders = { 1: perMap((map) => new DipccEncoder(map, 1)), 2: perMap((map) => new DipccEncoder(map, 2)) };

/**
 * Writes the board of a game as the input of dipcc's nets (github.com/facebookresearch/diplomacy_cicero, 2022) to
 * out[at .. at + rows * columns). The shape on the standard map is [81, 35] in version 1 and [81, 38] in version 2.
 * dipcc.ts describes the columns, dipnetLocations() the order of the rows.
 * @param version 1 or 2; default 2
 */
export const dipccBoardInto = (game: Game, out: Float32Array, at = 0, version: DipccVersion = 2): void =>
  encoders[version](game.map).encode(game, out, at, dueIn(game));

/** Returns the board of a game as the input of dipcc's nets, in a new array. See dipccBoardInto(). */
export const dipccBoard = (game: Game, version: DipccVersion = 2): Float32Array => {
  const { rows, columns } = encoders[version](game.map);
  const out = new Float32Array(rows * columns);
  dipccBoardInto(game, out, 0, version);
  return out;
};
