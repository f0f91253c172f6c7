// Compiles the standard map. Its provinces are in the order of DAIDE and DeepMind, so encoders need no table of ids.
import { compileMap } from './compile.js';
import type { CompiledMap, MapRows } from './compiled-map.js';
import rows from './standard.json' with { type: 'json' };

/** The standard map as written in standard.json, not compiled. */
export const standardRows = rows as MapRows;

/** The standard map: 75 provinces, 34 centres, 7 powers, spring 1901. */
export const standard: CompiledMap = compileMap(standardRows);
