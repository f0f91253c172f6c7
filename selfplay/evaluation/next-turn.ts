// Table of the usual change of a power's expectation in a centre during the next turn, in centres, by the units in and
// around the centre after moves. It corrects the static evaluation, which underrates the danger of two enemy units near
// a centre and the chance of an own unit next to a free one. bench/strength/next-turn.ts fits and prints the table,
// from the values of order sets in one position after the power's best response in the next turn. The mean change is 0.
// A search with one-turn lookahead adds it to the value. A search with a second turn adds half of it when it selects
// the finalists.

/**
 * Codes of the owner of a centre, or of the unit in it, as seen by a power: MINE for the power itself, OTHERS for
 * another power, 0 for none.
 */
export const MINE = 1;
export const OTHERS = 2;

/** Maximum of the number of units in or next to a centre. Larger numbers count as this one. */
const MOST_NEAR = 3;
const NEARS = MOST_NEAR + 1;
const WHOSE = 3;
/** Number of patterns with the same season, owner and unit. They differ in the numbers of units near the centre. */
export const PATTERNS_IN_ROW = NEARS * NEARS;
const OF_SEASON = WHOSE * WHOSE * PATTERNS_IN_ROW;

/** Pattern of a centre that patternOf() has not classified. Its change is 0. */
export const NO_PATTERN = 0;
export const PATTERNS = 1 + 2 * OF_SEASON;

/**
 * Converts a sum of half units, in which a dislodged unit counts 1 and any other unit 2, to units, at most MOST_NEAR. A
 * half is rounded up, because a dislodged unit may retreat to a province near the centre.
 */
const unitsOf = (halves: number): number => Math.min(MOST_NEAR, (halves + 1) >> 1);

/**
 * Returns the pattern of a centre as a power sees it: one number that stands for the season, the owner, the unit in the
 * centre and the units near it.
 * @param season season of the position: 0 after a fall, 1 after a spring
 * @param owner owner of the centre: 0 for none, MINE or OTHERS
 * @param unit owner of the unit in the centre: 0 for none, MINE or OTHERS
 * @param mine number of own units in the centre or next to it, in half units
 * @param most number of units of the strongest other power there, in half units
 */
export const patternOf = (season: number, owner: number, unit: number, mine: number, most: number): number =>
  1 + (((season * WHOSE + owner) * WHOSE + unit) * NEARS + unitsOf(mine)) * NEARS + unitsOf(most);

/**
 * Usual changes in hundredths of a centre, in the order of the patterns. Each line has 16 numbers for one owner and one
 * unit in the centre: four for each number of own units near it, by the number of units of the strongest other power.
 */
// biome-ignore format: a table
const hundredths = [
  // Changes after a fall.
  9, -3, -1, 1, 12, -4, 1, 5, 10, -9, 2, -23, -6, -26, -8, -2,
  -2, -2, -2, -2, -2, -2, -2, -2, -2, -2, -2, -2, -2, -2, -2, -2,
  -2, -2, -2, -2, -2, -2, -2, -2, -2, -2, -2, -2, -2, -2, -2, -2,
  -7, 15, 11, -1, 2, 2, 17, 19, 9, 4, 4, 20, 9, 8, 2, 2,
  -2, -2, -2, -2, -1, 2, -8, -16, 1, 5, -12, -18, 2, 8, -9, -8,
  -2, -2, -2, -2, -2, -2, -2, -2, -2, -2, -2, -2, -2, -2, -2, -2,
  -6, -3, -4, 1, -24, -5, 3, -1, -23, -9, -3, 7, -14, -11, -14, -1,
  -2, -2, -2, -2, -2, -2, -2, -2, -2, -2, -2, -2, -2, -2, -2, -2,
  -2, -2, -1, 0, -2, 0, 0, 0, -2, 9, 10, 10, -2, 10, 17, 17,
  // Changes after a spring.
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

/** Usual change of a power's expectation in a centre during the next turn, in centres, indexed by pattern. */
export const nextTurn: Float64Array = Float64Array.from({ length: PATTERNS }, (_, i) => (hundredths[i - 1] ?? 0) / 100);
