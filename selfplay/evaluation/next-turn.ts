// What the next turn usually changes for a power in a centre, in centres, by what is in and around it after moves. The
// static evaluation alone takes a centre with two units of others near for as good as safe, and a free one beside an own
// unit for as good as lost. Learned by bench/strength/next-turn.ts, which prints the table: what a power has after its
// best response of the next turn, order set against order set of one position. A search that looks at one turn adds it to
// the value; one that looks at the second turn itself does not.

/** Whose a centre or the unit in it is: 0 for nobody's. */
export const MINE = 1;
export const OTHERS = 2;

/** More units near than this count no more. */
const MOST_NEAR = 3;
const NEARS = MOST_NEAR + 1;
const WHOSE = 3;
/** Patterns that differ only in the units near. */
export const PATTERNS_IN_ROW = NEARS * NEARS;
const OF_SEASON = WHOSE * WHOSE * PATTERNS_IN_ROW;

/** Of a centre that nobody has looked at. */
export const NO_PATTERN = 0;
export const PATTERNS = 1 + 2 * OF_SEASON;

/** A half counts as a whole: a dislodged unit may have somewhere to go. */
const unitsOf = (halves: number): number => Math.min(MOST_NEAR, (halves + 1) >> 1);

/**
 * The pattern of a centre, as a power sees it.
 * @param season 0 before the moves of a spring, else 1
 * @param owner whose it is, and `unit` whose unit is in it: 0, MINE or OTHERS
 * @param mine halves of own units that are or can move there
 * @param most the same of that other power which has most
 */
export const patternOf = (season: number, owner: number, unit: number, mine: number, most: number): number =>
  1 + (((season * WHOSE + owner) * WHOSE + unit) * NEARS + unitsOf(mine)) * NEARS + unitsOf(most);

/** In hundredths, four columns by `most` for each `mine`; a row for each unit, three for each owner. */
// biome-ignore format: a table
const hundredths = [
  // After a fall.
  11, -1, 1, 3, 14, -2, 3, 7, 12, -7, 4, -21, -4, -24, -6, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  -5, 17, 13, 1, 4, 4, 19, 21, 11, 6, 6, 22, 11, 10, 4, 4,
  0, 0, 0, 0, 1, 4, -6, -14, 3, 7, -10, -16, 4, 10, -7, -6,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  -4, -1, -2, 3, -22, -3, 5, 1, -21, -7, -1, 9, -12, -9, -12, 1,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 1, 2, 0, 2, 2, 2, 0, 11, 12, 12, 0, 12, 19, 19,
  // After a spring.
  15, -4, 3, -1, 43, 5, -4, -5, 20, -8, -9, 7, -8, -29, -6, -2,
  0, 0, 0, 0, -35, -5, -38, -21, -19, -9, -24, -16, -22, -12, -46, 6,
  0, 7, 3, 4, 0, -3, -10, -9, 0, 12, 3, 4, 0, 0, -17, 2,
  32, 23, 11, 14, 32, 10, 23, 24, 26, 10, 0, 11, 23, 18, 17, 8,
  0, 0, 0, 0, 18, 5, -24, -38, 19, 8, -17, -28, 9, 12, -10, -14,
  0, 35, 20, 10, 0, 4, 19, 10, 0, 20, 23, 14, 0, 25, 28, 23,
  -2, 1, 0, -3, 2, 12, 15, 11, -5, 8, 5, 8, -9, 4, -4, -4,
  0, 0, 0, 0, -25, -3, -19, -25, 3, -10, -20, -28, -17, -1, -9, -18,
  0, 0, 1, 0, 0, 3, 0, -2, 0, 26, 21, 17, 0, 21, 31, 28,
];

/** By pattern: what the next turn changes, in centres. */
export const nextTurn: Float64Array = Float64Array.from({ length: PATTERNS }, (_, i) => (hundredths[i - 1] ?? 0) / 100);
