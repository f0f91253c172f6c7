// Reads a saved game of any supported program from JSON text.
import { asObject } from '../../../engine/rules/shape.js';
import { parseStrict } from '../../notation/json/untrusted.js';
import type { RawGame } from './raw.js';
import { phasesOf, readSavedGame } from './saved-game.js';
import { isWebDiplomacy, readWebDiplomacy } from './webdiplomacy.js';

/**
 * Reads a saved game of the package `diplomacy`, of dipcc (its older form too), or a history of webDiplomacy, and detects
 * which it is. Its orders are still text; replayGame() plays them.
 * @param text JSON
 * @throws LepantoError that says what is wrong and where
 */
export const parseSavedGame = (text: string): RawGame => {
  const value = asObject(parseStrict(text), 'game');
  return isWebDiplomacy(value) ? readWebDiplomacy(value, phasesOf(value)) : readSavedGame(value);
};
