// Parses and formats Lepanto's map files: the rows of a map as JSON.
//
//   {"format": "lepanto-map", "version": 1, "name": "duel", "start": "S1901M", "victory": 3,
//    "powers": [{"name": "RED", "homes": "AAA", "units": "A AAA"}, ...],
//    "provinces": [{"tag": "AAA", "name": "Aarhus", "kind": "coast", "center": true, "army": "BBB", "fleet": "SEA"}, ...]}
import type { MapRows } from '../../../engine/internal.js';
import { mapFile } from '../../../engine/map/map-rows.js';
import { parseStrict } from '../../../engine/notation/json/untrusted.js';
import { LepantoError } from '../../../engine/rules/error.js';

const MAP_FORMAT = 'lepanto-map';
const VERSION = 1;
/**
 * Parses a map file. compileMap() validates the rows.
 * @param file name of the file, for messages
 * @throws LepantoError that names the file and the field
 */
export const parseMapFile = (file: string, content: string): MapRows => {
  let record: unknown;
  try {
    record = parseStrict(content);
  } catch (error) {
    throw new LepantoError('map', `${file}: ${(error as Error).message}`);
  }
  const { format, version, ...rows } = mapFile(MAP_FORMAT, VERSION)(record, file);
  return rows;
};

/** Formats a map file, with one line per power and province. */
export const formatMapFile = (rows: MapRows): string => {
  const { base, powers, provinces, ...head } = rows;
  // The name of a map with options contains them: 'colonial,tsr'.
  const name = rows.name.replace(/[^a-z0-9_-]+/gi, '-').toLowerCase();
  const lines = (list: readonly object[]): string => list.map((one) => `    ${JSON.stringify(one)}`).join(',\n');
  const first = Object.entries({ format: MAP_FORMAT, version: VERSION, ...head, name }).map(
    ([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)},\n`,
  );
  return `{\n${first.join('')}  "powers": [\n${lines(powers)}\n  ],\n  "provinces": [\n${lines(provinces)}\n  ]\n}\n`;
};
