// Checks the type of each field in the rows of a map file. compileMap() checks their meaning.

import {
  byKey,
  isObject,
  listOf,
  oneOf,
  onlyFields,
  optional,
  type Shape,
  text,
  trueOrFalse,
  wholeNumber,
} from '../rules/shape.js';
import { provinceKinds } from '../rules/types.js';
import { type MapRows, mapOptions, type PowerRow, type ProvinceRow } from './compiled-map.js';

/** Maximum number of entries in a list of a map file. No real map needs as many. */
const MOST = 1024;

/** Shape of the locations that fleets reach from a province: text, or text for each coast. */
const fleet: Shape<ProvinceRow['fleet']> = (value, where) =>
  isObject(value) ? byKey(text)(value, where) : text(value, where);

const power = onlyFields<PowerRow>({ name: text, homes: text, units: text, owns: optional(text) });

const province = onlyFields<ProvinceRow>({
  tag: text,
  name: text,
  kind: oneOf(provinceKinds),
  center: optional(trueOrFalse),
  aliases: optional(listOf(text, 0, MOST)),
  army: optional(text),
  fleet: optional(fleet),
});

const rowShapes = {
  name: text,
  start: text,
  victory: optional(wholeNumber(1)),
  buildAnywhere: optional(trueOrFalse),
  options: optional(listOf(oneOf(mapOptions), 0, MOST)),
  railroad: optional(onlyFields({ line: text, power: text })),
  canal: optional(onlyFields({ ends: text, control: text })),
  uncounted: optional(onlyFields({ center: text, power: text })),
  ice: optional(text),
  difficult: optional(text),
  convoyable: optional(text),
  powers: listOf(power, 1, MOST),
  provinces: listOf(province, 1, MOST),
};

/** Shape of the rows of a map. Checks the type of each field and rejects unknown fields. */
export const mapRows: Shape<MapRows> = onlyFields<Omit<MapRows, 'base'>>(rowShapes);

/**
 * Returns the shape of a map file: the rows of a map with the fields `format` and `version`, which must have these
 * values.
 */
export const mapFile = <F extends string, V extends number>(
  format: F,
  version: V,
): Shape<MapRows & { format: F; version: V }> =>
  onlyFields<Omit<MapRows, 'base'> & { format: F; version: V }>({
    format: oneOf([format]),
    version: oneOf([version]),
    ...rowShapes,
  });
