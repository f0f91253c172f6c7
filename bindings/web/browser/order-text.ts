// Orders as text: lines in any notation, with their powers before them, above them, or found by their units.
import type { CompiledMap } from '../../../engine/internal.js';
import { findPower, parseOrder } from '../../../engine/notation/text/index.js';
import { ordererIn, type Placed } from '../orders/written-position.js';
import { showText } from './page.js';

export interface WrittenOrders {
  readonly orders: Readonly<Record<string, readonly string[]>>;
  /** Lines of no power, with what is wrong. */
  readonly unread: readonly string[];
}

/** The province of the unit that an order is for; null for an order without one. @throws for text that is no order */
const parsedUnit = (map: CompiledMap, text: string): string | null => {
  const { unit } = parseOrder(map, text);
  return unit === null ? null : map.provinceTags[unit.province];
};

/** The province of the unit that an order is for; null for text that is no order of a unit. */
export const orderedIn = (map: CompiledMap, text: string): string | null => {
  try {
    return parsedUnit(map, text);
  } catch {
    // It is refused with a reason where it is read.
    return null;
  }
};

/** A line whose power is named before it. */
const namedLine = (map: CompiledMap, line: string): { power: string; text: string } | null => {
  const [, name = '', rest = ''] = /^([\p{L}-]+)[\s:]+(.*)$/u.exec(line) ?? [];
  const power = map.powerNames[findPower(map, name)];
  return power !== undefined && name.length > 3 ? { power, text: rest } : null;
};

/** @param placed the position that the orders are for */
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

/** Shows the lines of no power in the element `unread`. */
export const showUnread = ({ unread }: WrittenOrders): void =>
  showText('unread', unread.map((line) => `Not read: ${line}`).join('\n'));

/** The lines of a text without the order of what is in a province. */
export const withoutOrder = (map: CompiledMap, text: string, home: string): string =>
  text
    .split('\n')
    .filter((line) => orderedIn(map, namedLine(map, line)?.text ?? line) !== home)
    .join('\n');

/** The order that is written for what is in a province, in canonical words where it can be read; null for none. */
export const orderFor = (map: CompiledMap, { orders }: WrittenOrders, home: string): string | null =>
  Object.values(orders)
    .flat()
    .find((order) => orderedIn(map, order) === home) ?? null;

/** The text with an order in it, in place of another one of its unit. */
export const withOrder = (map: CompiledMap, text: string, power: string, order: string): string => {
  const own = orderedIn(map, order);
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const unitOf = (line: string): string | null => orderedIn(map, namedLine(map, line)?.text ?? line);
  const kept = own === null ? lines : lines.filter((line) => unitOf(line) !== own);
  return [...kept, order === 'WAIVE' ? `${power} WAIVE` : order].join('\n');
};
