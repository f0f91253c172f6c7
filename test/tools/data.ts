// Reads the files of test/data.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Path of a file or folder of test/data: 'formats/jdip.xml'. */
export const dataPath = (name: string): string => fileURLToPath(new URL(`../../../test/data/${name}`, import.meta.url));

/** Returns a JSON file of test/data. The type is not checked. */
export const readData = <T>(name: string): T => JSON.parse(readFileSync(dataPath(name), 'utf8'));
