// Saves a game that was played in a page among the runs of its server, where the list shows it.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadMap } from '../../engine/internal.js';
import { LepantoError } from '../../engine/rules/error.js';
import { asObject, fieldReader, text } from '../../engine/rules/shape.js';
import { ARENA_FILE, MANIFEST } from '../../selfplay/records/manifest.js';
import { readSavedGame } from '../formats/games/saved-game.js';
import { openPlay } from './orders/saved-play.js';

/**
 * Writes NAME.json, which must be new. A name is no path: letters, digits, spaces and - _ . behind the first of them.
 * @param asked name and game, as a page sends them @returns the name of the file
 * @throws LepantoError for another name, for what is no game, and for a file that is there
 */
export const savePlay = (directory: string, asked: unknown): string => {
  const field = fieldReader(asked, 'request');
  const name = field('name', text);
  if (!/^[a-z0-9][\w .-]{0,79}$/i.test(name))
    throw new LepantoError(
      'record',
      `name: got "${name.slice(0, 80)}", wanted letters, digits, spaces and - _ . alone, at most 80`,
    );
  const file = `${name}.json`;
  if ([MANIFEST, ARENA_FILE].some((own) => existsSync(join(directory, own))))
    throw new LepantoError(
      'file',
      'got the directory of a run, wanted one that has runs in it: nothing is added to a run',
    );
  const game = field('game', asObject);
  const content = JSON.stringify(game);
  readSavedGame(game);
  openPlay(content, loadMap);
  try {
    writeFileSync(join(directory, file), `${content}\n`, { flag: 'wx' });
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code === 'EEXIST';
    throw new LepantoError(
      'file',
      isThere ? `name: got ${file}, which exists, wanted a new one` : `${file}: ${(error as Error).message}`,
    );
  }
  return file;
};
