// Saves a game that was played in a page to the server's directory of runs, where the list shows it.

import { existsSync, linkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadMap } from '../../engine/internal.js';
import { LepantoError } from '../../engine/rules/error.js';
import { asObject, fieldReader, text } from '../../engine/rules/shape.js';
import { makePool, type Pool } from '../../selfplay/crew/pool.js';
import { ARENA_FILE, isTaken, MANIFEST } from '../../selfplay/records/manifest.js';
import { describeTrouble, partOf } from '../../selfplay/records/whole-file.js';
import { readSavedGame } from '../formats/games/saved-game.js';
import { openPlay } from './orders/saved-play.js';

/** Time limit for checking a saved game, in milliseconds. Checking a long game takes a second. */
const LIMIT_MS = 20_000;

/**
 * Checks a saved game by playing its orders. Called in a thread.
 * @param content text of the game
 * @throws LepantoError if the game is invalid, SyntaxError if the text is not JSON
 */
export const checkSaved = (content: string): void => {
  readSavedGame(JSON.parse(content));
  openPlay(content, loadMap);
};

/**
 * Checks a saved game in a separate thread.
 * @param content text of the game
 * @param limit time limit, in milliseconds
 * @throws LepantoError if the game is invalid or takes too long
 */
const checkInThread = async (content: string, limit: number): Promise<void> => {
  const pool: Pool = makePool({ workers: 1 });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    void pool.close();
  }, limit);
  try {
    await pool.call({ module: import.meta.url, name: 'checkSaved', data: content }, { label: 'the saved game' });
  } catch (error) {
    if (isLate)
      throw new LepantoError(
        'record',
        `game: got one that takes more than ${limit / 1000} s to play again, wanted a shorter one`,
      );
    throw error;
  } finally {
    clearTimeout(timer);
    await pool.close();
  }
};

/** Gives a file a new name, and fails if a file has that name. On file systems without links it renames the file. */
const putNew = (part: string, file: string): void => {
  try {
    linkSync(part, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST' || existsSync(file)) throw error;
    renameSync(part, file);
  }
};

/** The latest check. The next one waits for its end, so that only one runs at a time. */
let last: Promise<unknown> = Promise.resolve();

/**
 * Writes a game to NAME.json in a directory, atomically, and returns the name of the file. The file must not exist. A
 * name has letters, digits, spaces and - _ . and begins with a letter or digit, so it cannot be a path.
 * @param asked request of the page: `name` and `game`, unchecked
 * @param limit time limit for checking the game, in milliseconds
 * @throws LepantoError for an invalid name or game, if the file exists or cannot be written, and for the directory of a
 *   run
 */
export const savePlay = async (directory: string, asked: unknown, limit = LIMIT_MS): Promise<string> => {
  const field = fieldReader(asked, 'request');
  const name = field('name', text);
  if (!/^[a-z0-9][\w .-]{0,79}$/i.test(name))
    throw new LepantoError(
      'record',
      `name: got "${name.slice(0, 80)}", wanted letters, digits, spaces and - _ . alone, at most 80`,
    );
  if (isTaken(name))
    throw new LepantoError('record', `name: got "${name}", which is the name of a file of runs, wanted another`);
  const file = `${name}.json`;
  if ([MANIFEST, ARENA_FILE].some((own) => existsSync(join(directory, own))))
    throw new LepantoError(
      'file',
      'got the directory of a run, wanted the directory above it: games are not added to a run',
    );
  const content = JSON.stringify(field('game', asObject));
  const checked = last.then(() => checkInThread(content, limit));
  last = checked.catch(() => {});
  await checked;
  const path = join(directory, file);
  const part = partOf(path);
  try {
    writeFileSync(part, `${content}\n`, { flag: 'wx' });
    putNew(part, path);
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code === 'EEXIST';
    throw new LepantoError(
      'file',
      isThere ? `name: got ${file}, which exists, wanted a new one` : `${file}: ${describeTrouble(error)}`,
    );
  } finally {
    rmSync(part, { force: true });
  }
  return file;
};
