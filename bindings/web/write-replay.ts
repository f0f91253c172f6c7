// Writes the page of a game into a file.
import { basename, dirname, resolve } from 'node:path';
import type { GameRecord } from '../../selfplay/games/game-record.js';
import { writeWhole } from '../../selfplay/records/whole-file.js';
import type { Source } from '../formats/games/recorded-run.js';
import { pageDocument } from './document.js';
import { replayPage } from './replay-page.js';

/** 'Game 12 of example': the name of the run or of the file, without what is above it. */
const titleOf = ({ path, files, manifest }: Source, { index }: GameRecord): string => {
  const isShard = manifest !== null && path === files[0];
  const name = basename(resolve(isShard ? dirname(path) : path));
  return `Game ${index} of ${name}`;
};

/**
 * Writes the page that plays a game. The same game gives the same bytes.
 * @param agents by power, where they are known
 * @returns bytes written
 */
export const writeReplayPage = (
  file: string,
  source: Source,
  record: GameRecord,
  agents: readonly string[] | undefined,
): number => {
  const notes = { title: titleOf(source, record), ...(agents === undefined ? {} : { agents }) };
  const page = Buffer.from(pageDocument(replayPage(source, record, notes)));
  writeWhole(file, page);
  return page.length;
};
