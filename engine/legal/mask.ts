// The legal orders of a position as a mask over the vocabulary, for policy heads.
import type { CompiledMap } from '../map/compiled-map.js';
import type { Game } from '../position/game.js';
import { LepantoError } from '../rules/error.js';
import { MAX_LOCATIONS } from '../rules/types.js';
import { listInRoom, orderRoom } from './lists.js';
import { type Vocabulary, vocabulary } from './vocabulary.js';

const offsets = new Int32Array(MAX_LOCATIONS + 1);
let knownMap: CompiledMap | undefined;
let knownWords: Vocabulary | undefined;
/** As long as the vocabulary: set() clears shared memory in a fifth of the time that fill() takes. */
let zeros = new Uint8Array(0);

const checkWords = (map: CompiledMap, words: Vocabulary): void => {
  if (vocabulary(map) !== words)
    throw new LepantoError('argument', `legalMask: got another vocabulary, wanted that of the map ${map.name}`);
  knownMap = map;
  knownWords = words;
  zeros = new Uint8Array(words.size);
};

/**
 * Writes 1 to `out` at the index of each order that is legal in the phase at hand, and 0 everywhere else. The
 * vocabulary ascends by location, so that a unit's part of the mask is one run; the waives, of no location, lie in the
 * first run. Does not allocate, but at the first call for a map.
 * @param words vocabulary(game.map)
 * @param out words.size long
 * @throws LepantoError if the vocabulary is not that of the map, or if `out` has another length
 */
export const legalMask = (game: Game, words: Vocabulary, out: Uint8Array): void => {
  if (words !== knownWords || game.map !== knownMap) checkWords(game.map, words);
  if (out.length !== words.size)
    throw new LepantoError('argument', `legalMask: got an array of length ${out.length}, wanted ${words.size}`);
  const count = offsets[listInRoom(game, offsets)];
  const indices = orderRoom();
  words.indicesInto(indices, 0, count, indices, 0);
  out.set(zeros);
  for (let i = 0; i < count; i++) out[indices[i]] = 1;
};
