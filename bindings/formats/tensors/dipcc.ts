// Encodes the board as dipcc's nets read it. Version 1 is DipNet's, [81, 35]. Version 2, [81, 38], has a column for
// "none" only for centres, and adds the home power at the end:
//
//   0  2  army, fleet             11  2  dislodged army, fleet         23  8  owner of the centre, nobody
//   2  7  power of the unit       13  7  power of the dislodged unit   31  7  home of this power
//   9  2  buildable, removable    20  3  land, water, coast
//
// Powers are alphabetical. On a map with another number of powers the blocks are as wide as there are powers.
import { type CompiledMap, type Game, perMap } from '../../../engine/internal.js';
import { locationsOf } from '../../../selfplay/nets/dipnet-orders.js';
import { dipnetLocations } from '../../../selfplay/nets/dipnet-rows.js';
import { dueIn } from './board.js';
import { dipnetEncoder } from './dipnet.js';

/** Versions of dipcc's board: see the head of this file. */
export const dipccVersions = [1, 2] as const;
/** Version of dipcc's encoding. */
export type DipccVersion = (typeof dipccVersions)[number];

/** Columns of DipNet's board that version 2 keeps, in their order. */
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

/** Writes boards as float32. */
export class DipccEncoder {
  private readonly board = dipnetEncoder(this.map);
  private readonly flags = new Uint8Array(this.board.size);
  /** Columns of DipNet's board that are kept. */
  private readonly kept =
    this.version === 1 ? [...Array(this.board.layout.columns).keys()] : keptColumns(this.map.powerCount);
  readonly rows: number = this.board.layout.rows;
  readonly columns: number = this.kept.length + (this.version === 1 ? 0 : this.map.powerCount);
  /** Places in the matrix that mark a home centre. */
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

  /** Writes the board of a game to out[at .. at + rows * columns). @param due as in BoardEncoder.encode() */
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
 * Writes the board of a game as dipcc's nets read it to out[at .. at + rows * columns): [81, 35] on the standard map in
 * version 1, [81, 38] in version 2; dipcc.ts has the columns, dipnetLocations() the order of the rows.
 * (github.com/facebookresearch/diplomacy_cicero, 2022.)
 * @param version 1 or 2; 2 by default
 */
export const dipccBoardInto = (game: Game, out: Float32Array, at = 0, version: DipccVersion = 2): void =>
  encoders[version](game.map).encode(game, out, at, dueIn(game));

/** The board of a game as dipcc's nets read it, in a new array: see dipccBoardInto(). */
export const dipccBoard = (game: Game, version: DipccVersion = 2): Float32Array => {
  const { rows, columns } = encoders[version](game.map);
  const out = new Float32Array(rows * columns);
  dipccBoardInto(game, out, 0, version);
  return out;
};
