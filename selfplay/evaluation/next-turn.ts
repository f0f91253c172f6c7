// What the next turn usually changes for a power in a centre, in centres, by what is in and around it after moves. The
// static evaluation alone takes a centre with two units of others near for as good as safe, and a free one beside an own
// unit for as good as lost. Learned by bench/strength/next-turn.ts, which prints the table: what a power has after its
// best response of the next turn, order set against order set of one position. On average it adds nothing. A search that
// looks at one turn adds it to the value; one that looks at a second turn adds half of it to choose what it looks at.

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
  9, -3, -1, 1, 12, -4, 1, 5, 10, -9, 2, -23, -6, -26, -8, -2,
  -2, -2, -2, -2, -2, -2, -2, -2, -2, -2, -2, -2, -2, -2, -2, -2,
  -2, -2, -2, -2, -2, -2, -2, -2, -2, -2, -2, -2, -2, -2, -2, -2,
  -7, 15, 11, -1, 2, 2, 17, 19, 9, 4, 4, 20, 9, 8, 2, 2,
  -2, -2, -2, -2, -1, 2, -8, -16, 1, 5, -12, -18, 2, 8, -9, -8,
  -2, -2, -2, -2, -2, -2, -2, -2, -2, -2, -2, -2, -2, -2, -2, -2,
  -6, -3, -4, 1, -24, -5, 3, -1, -23, -9, -3, 7, -14, -11, -14, -1,
  -2, -2, -2, -2, -2, -2, -2, -2, -2, -2, -2, -2, -2, -2, -2, -2,
  -2, -2, -1, 0, -2, 0, 0, 0, -2, 9, 10, 10, -2, 10, 17, 17,
  // After a spring.
  13, -6, 1, -3, 41, 3, -6, -7, 18, -10, -11, 5, -10, -31, -8, -4,
  -2, -2, -2, -2, -37, -7, -40, -23, -21, -11, -26, -18, -24, -14, -48, 4,
  -2, 5, 1, 2, -2, -5, -12, -11, -2, 10, 1, 2, -2, -2, -19, 0,
  30, 21, 9, 12, 30, 8, 21, 22, 24, 8, -2, 9, 21, 16, 15, 6,
  -2, -2, -2, -2, 16, 3, -26, -40, 17, 6, -19, -30, 7, 10, -12, -16,
  -2, 33, 18, 8, -2, 2, 17, 8, -2, 18, 21, 12, -2, 23, 26, 21,
  -4, -1, -2, -5, 0, 10, 13, 9, -7, 6, 3, 6, -11, 2, -6, -6,
  -2, -2, -2, -2, -27, -5, -21, -27, 1, -12, -22, -30, -19, -3, -11, -20,
  -2, -2, -1, -2, -2, 1, -2, -4, -2, 24, 19, 15, -2, 19, 29, 26,
];

/** By pattern: what the next turn changes, in centres. */
export const nextTurn: Float64Array = Float64Array.from({ length: PATTERNS }, (_, i) => (hundredths[i - 1] ?? 0) / 100);
