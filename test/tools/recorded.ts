// Reads the games of some records as objects, for tests.
import { recordsOf, type Source } from '../../bindings/formats/games/recorded-run.js';
import { type StoredGame, storedGame } from '../../selfplay/records/record.js';

/** The games that can be read, one after the other. */
export const storedGames = (source: Source): StoredGame[] =>
  Array.from(recordsOf(source), ({ game }) => (game === null ? [] : [storedGame(game)])).flat();
