// A saved game of any program that writes JSON, as text.
import { asObject } from '../json/position.js';
import { parseStrict } from '../json/untrusted.js';
import type { RawGame } from './raw.js';
import { phasesOf, readSavedGame } from './saved-game.js';
import { isWebDiplomacy, readWebDiplomacy } from './webdiplomacy.js';

/**
 * Reads a saved game of the package `diplomacy`, of dipcc (its older form too), or a history of webDiplomacy: what it is
 * shows. Its orders are text still; replayGame() plays them.
 * @param text JSON
 * @throws JsonError or RecordError that says where it is wrong
 */
export const parseSavedGame = (text: string): RawGame => {
  const value = asObject(parseStrict(text), 'game');
  return isWebDiplomacy(value) ? readWebDiplomacy(value, phasesOf(value)) : readSavedGame(value);
};
