// Reads the files of test/data and of the repository.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Path of the repository. */
export const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Returns the text of a file of the repository: 'bench/README.md'. */
export const readText = (path: string): string => readFileSync(join(root, path), 'utf8');

/** Path of a file or folder of test/data: 'formats/jdip.xml'. */
export const dataPath = (name: string): string => join(root, 'test/data', name);

/** Returns a JSON file of test/data. The type is not checked. */
export const readData = <T>(name: string): T => JSON.parse(readFileSync(dataPath(name), 'utf8'));
