// Reads orders as text: lines in any notation. The power of an order is named before it or on a line above, or found by
// the unit.
import type { CompiledMap } from '../../../engine/internal.js';
import { findPower, parseOrder } from '../../../engine/notation/text/index.js';
import { ordererIn, type Placed } from '../orders/written-position.js';
import { showText } from './page.js';

export interface WrittenOrders {
  readonly orders: Readonly<Record<string, readonly string[]>>;
  /** Lines that could not be read, each with the reason. */
  readonly unread: readonly string[];
}

/**
 * Returns the province of an order's unit; null for an order without a unit.
 * @throws LepantoError if the text is no order
 */
const parsedUnit = (map: CompiledMap, text: string): string | null => {
  const { unit } = parseOrder(map, text);
  return unit === null ? null : map.provinceTags[unit.province];
};

/** Returns the province of an order's unit; null if the text is not an order of a unit. */
export const orderedIn = (map: CompiledMap, text: string): string | null => {
  try {
    return parsedUnit(map, text);
  } catch {
    // readWritten() reports the reason to the user.
    return null;
  }
};

/** Splits a line that begins with the name of a power into the power and the rest. Returns null for other lines. */
const namedLine = (map: CompiledMap, line: string): { power: string; text: string } | null => {
  const [, name = '', rest = ''] = /^([\p{L}-]+)[\s:]+(.*)$/u.exec(line) ?? [];
  const power = map.powerNames[findPower(map, name)];
  return power !== undefined && name.length > 3 ? { power, text: rest } : null;
};

/**
 * Reads orders from lines of text, also separated by semicolons. Returns them keyed by power, and the lines that could
 * not be read.
 * @param placed position, to find the power of an order by its unit
 */
export const readWritten = (map: CompiledMap, text: string, placed: Placed): WrittenOrders => {
  const orders: Record<string, string[]> = {};
  const unread: string[] = [];
  const give = (power: string, order: string): void => {
    orders[power] = [...(orders[power] ?? []), order];
  };
  let heading: string | null = null;
  for (const given of text.split(/[\n;]/)) {
    const line = given.trim();
    if (line === '') continue;
    const alone = map.powerNames[findPower(map, line.replace(/:$/, ''))];
    if (alone !== undefined) {
      heading = alone;
      continue;
    }
    const named = namedLine(map, line);
    try {
      const tag = named === null ? parsedUnit(map, line) : null;
      const power: string | null = named?.power ?? (tag === null ? null : ordererIn(placed, tag)) ?? heading;
      if (power === null)
        unread.push(tag === null ? `${line}: of which power?` : `${line}: nothing to order in ${tag}`);
      else give(power, named?.text ?? line);
    } catch (error) {
      if (heading === null) unread.push(`${line}: ${(error as Error).message}`);
      else give(heading, line);
    }
  }
  return { orders, unread };
};

/** Shows the lines that could not be read in the page's element `unread`. */
export const showUnread = ({ unread }: WrittenOrders): void =>
  showText('unread', unread.map((line) => `Not read: ${line}`).join('\n'));

/** Returns a text of orders without the orders of the unit or centre in a province. */
export const withoutOrder = (map: CompiledMap, text: string, home: string): string =>
  text
    .split('\n')
    .filter((line) => orderedIn(map, namedLine(map, line)?.text ?? line) !== home)
    .join('\n');

/** Returns the written order of the unit or centre in a province; null for none. */
export const orderFor = (map: CompiledMap, { orders }: WrittenOrders, home: string): string | null =>
  Object.values(orders)
    .flat()
    .find((order) => orderedIn(map, order) === home) ?? null;

/** Returns a text of orders with an order added at the end. Removes earlier orders of its unit. */
export const withOrder = (map: CompiledMap, text: string, power: string, order: string): string => {
  const own = orderedIn(map, order);
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const unitOf = (line: string): string | null => orderedIn(map, namedLine(map, line)?.text ?? line);
  const kept = own === null ? lines : lines.filter((line) => unitOf(line) !== own);
  return [...kept, order === 'WAIVE' ? `${power} WAIVE` : order].join('\n');
};
