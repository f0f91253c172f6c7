// Parses and formats files of named opponents: parameters of the opponent model as JSON, fitted to recorded games of an
// opponent by bench/strength/fit-opponent.ts. Imports nothing from Node.
import type { CompiledMap } from '../../engine/internal.js';
import { LepantoError } from '../../engine/rules/error.js';
import {
  type fields,
  listOf,
  numberIn,
  oneOf,
  onlyFields,
  optional,
  refuse,
  refuseValue,
  type Shape,
  text,
  wholeNumber,
} from '../../engine/rules/shape.js';
import type { NamedOpponent, OpponentParameters } from './opponent-parameters.js';
import { typeNames } from './player-types.js';
import { kindNames, usualHabits } from './stranger.js';

/** Version of the format. Must be increased whenever a list of names or the meaning of a field changes. */
const VERSION = 1;
const KIND = 'opponent';

/** Minimum weight of a type or style. With weight 0, no evidence could raise its probability. */
export const LEAST_WEIGHT = 1e-4;
/** Maximum deviation of the sum of weights from 1, because weights are rounded in files. */
const SUM_ERROR = 1e-3;
/** Ranges of the parameters, as [minimum, maximum], both included. */
export const ranges = {
  stranger: [0.001, 0.999],
  doubt: [0, 1],
  surprise: [0.001, 0.9],
  orders: [0.1, 100_000],
  repeat: [0, 100],
} as const;
const MOST_NAME = 100;

type Weights<Name extends string> = Readonly<Record<Name, number>>;

const sumOf = (list: readonly number[]): number => list.reduce((sum, x) => sum + x, 0);
const weight = numberIn(LEAST_WEIGHT, 1);

const expectSum = (list: readonly number[], where: string): void => {
  const sum = sumOf(list);
  if (Math.abs(sum - 1) > SUM_ERROR) refuse(`${where}: got weights that sum to ${+sum.toFixed(6)}, wanted 1`);
};

const weightsOf =
  <Name extends string>(names: readonly Name[]): Shape<Weights<Name>> =>
  (value, where) => {
    const shapes = Object.fromEntries(names.map((name) => [name, weight])) as Parameters<
      typeof fields<Weights<Name>>
    >[0];
    const read = onlyFields<Weights<Name>>(shapes)(value, where);
    expectSum(
      names.map((name) => read[name]),
      where,
    );
    return read;
  };

const weightList =
  (count: number): Shape<readonly number[]> =>
  (value, where) => {
    const list = listOf(weight, count, count)(value, where);
    expectSum(list, where);
    return list;
  };

const name: Shape<string> = (value, where) => {
  const given = text(value, where);
  const isName = given.length > 0 && given.length <= MOST_NAME && !/\p{C}/u.test(given);
  return isName ? given : refuseValue(where, given, `a name of 1 to ${MOST_NAME} printable characters`);
};

/** Names of the styles in which a unit may choose its order: the player types, then the kinds of orders. */
const styleNames = [...typeNames, ...kindNames] as const;

const file = onlyFields({
  lepanto: oneOf([KIND]),
  version: oneOf([VERSION]),
  opponent: name,
  map: name,
  types: weightsOf(typeNames),
  stranger: numberIn(...ranges.stranger),
  doubt: numberIn(...ranges.doubt),
  surprise: numberIn(...ranges.surprise),
  styles: weightsOf(styleNames),
  orders: numberIn(...ranges.orders),
  repeat: onlyFields({
    base: numberIn(...ranges.repeat),
    agreed: numberIn(...ranges.repeat),
    runs: listOf(numberIn(...ranges.repeat), usualHabits.runs.length, usualHabits.runs.length),
    strengths: weightList(usualHabits.strengths.length),
  }),
  /** Number of games and number of orders that the parameters were fitted to. Parsing ignores them. */
  fitted: optional(onlyFields({ games: wholeNumber(1), orders: wholeNumber(1) })),
});

const normalized = (list: readonly number[]): number[] => {
  const sum = sumOf(list);
  return list.map((x) => x / sum);
};

/**
 * Parses the text of a file of a named opponent. Weights are scaled so that they sum to 1.
 * @param source path of the file, for error messages
 * @throws LepantoError with the path, the field, its value and the expected value if the file is invalid
 */
export const parseOpponent = (content: string, source: string): NamedOpponent => {
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch {
    // The message of JSON.parse() is not shown: it quotes the file, which may be secret.
    throw new LepantoError('file', `${source}: got no JSON, wanted a file of bench/strength/fit-opponent`);
  }
  try {
    const { opponent, map, types, stranger, doubt, surprise, styles, orders, repeat } = file(value, '');
    const { base, agreed, runs, strengths } = repeat;
    return {
      ...{ opponent, map, source, stranger, doubt, surprise },
      types: normalized(typeNames.map((type) => types[type])),
      habits: {
        styles: normalized(styleNames.map((style) => styles[style])),
        ...{ orders, repeat: base, agreed, runs: [...runs] },
        strengths: normalized(strengths),
      },
    };
  } catch (error) {
    throw new LepantoError('file', `${source}: ${(error as Error).message.replace(/^: /, '')}`);
  }
};

/** Number of significant digits of the numbers in a file. */
const DIGITS = 4;
const rounded = (x: number): number => Number(x.toPrecision(DIGITS));
const named = <Name extends string>(names: readonly Name[], list: readonly number[]): Weights<Name> =>
  Object.fromEntries(names.map((key, i) => [key, rounded(list[i])])) as Weights<Name>;

/**
 * Returns the text of the file of a named opponent.
 * @param fitted number of games and number of orders that the parameters were fitted to
 */
export const formatOpponent = (
  {
    opponent,
    map,
    types,
    stranger,
    doubt,
    surprise,
    habits,
  }: OpponentParameters & Pick<NamedOpponent, 'opponent' | 'map'>,
  fitted: { readonly games: number; readonly orders: number },
): string => {
  const { styles, orders, repeat, agreed, runs, strengths } = habits;
  const record = {
    ...{ lepanto: KIND, version: VERSION, opponent, map },
    types: named(typeNames, types),
    ...{ stranger: rounded(stranger), doubt: rounded(doubt), surprise: rounded(surprise) },
    styles: named(styleNames, styles),
    orders: rounded(orders),
    repeat: {
      ...{ base: rounded(repeat), agreed: rounded(agreed) },
      ...{ runs: runs.map(rounded), strengths: strengths.map(rounded) },
    },
    fitted,
  };
  return `${JSON.stringify(record, null, 2)}\n`;
};

/** Checks that a named opponent was fitted on the map of a game. @throws LepantoError if the maps differ */
export const expectMap = ({ source, map }: NamedOpponent, { name: played }: CompiledMap): void => {
  if (map !== played) refuse(`${source}: map: got ${JSON.stringify(map)}, wanted "${played}", the map of the game`);
};
