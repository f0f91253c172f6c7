// Reads files of games that were played in a page: saved games of the package `diplomacy`, with all branches in the
// additional field `lepanto`.
import { COMPLETED, type CompiledMap } from '../../../engine/internal.js';
import { parseStrict } from '../../../engine/notation/json/untrusted.js';
import { DEFAULT_RULES, ruleSetByName } from '../../../engine/notation/text/index.js';
import { LepantoError } from '../../../engine/rules/error.js';
import { anything, asObject, fieldOf, fieldReader, text } from '../../../engine/rules/shape.js';
import { readSavedGame } from '../../formats/games/saved-game.js';
import { firstTurn, openTimeline, playTurn, type StoredTimeline, type Turn } from './timeline.js';
import { type Placed, readWrittenPosition, type WrittenPosition } from './written-position.js';

/** Contents of the field `lepanto` of a file: the game with all branches. */
export interface KeptPlay extends StoredTimeline {
  readonly map: string;
  readonly rules: string;
  readonly seed: number;
  /** Names of agents, keyed by power. */
  readonly seats: Readonly<Record<string, string>>;
  readonly start: Partial<Placed>;
}

/** A game that can be continued: its first position, and the turn that is shown. */
export interface OpenedPlay {
  readonly start: WrittenPosition;
  readonly turn: Turn;
  /** `seats`, `seed`: agents of the powers and the seed from the file, unchecked; null for games of other programs. */
  readonly seats: unknown;
  readonly seed: unknown;
}

type MapNamed = (name: string) => CompiledMap;

/**
 * Opens a game from the field `lepanto` of a file.
 * @param mapNamed returns the map with a name
 * @throws LepantoError if the field is invalid
 */
export const openKept = (kept: unknown, mapNamed: MapNamed): OpenedPlay => {
  const field = fieldReader(kept, 'lepanto');
  const [map, rules] = [field('map', text), field('rules', text)];
  const [seats, seed] = [field('seats', anything), field('seed', anything)];
  const start = readWrittenPosition({ ...field('start', asObject), map, rules }, mapNamed);
  return { start, turn: openTimeline(start, kept, mapNamed(start.map), ruleSetByName(start.rules)), seats, seed };
};

/**
 * Opens a saved game of another program. Plays its orders.
 * @param mapNamed returns the map with a name
 * @throws LepantoError if it is invalid or its phases do not follow from its orders
 */
const openOther = (value: object, mapNamed: MapNamed): OpenedPlay => {
  const { map, phases } = readSavedGame(value);
  const [{ name: phase, units, centers, retreats }] = phases;
  const start = readWrittenPosition({ map, phase, units, centers, ...(phase.endsWith('R') && { retreats }) }, mapNamed);
  let turn = firstTurn(start);
  for (const [i, { name, orders }] of phases.entries()) {
    if (name !== turn.phase)
      throw new LepantoError('record', `phase ${i}: got ${name}, wanted ${turn.phase}, to which its orders lead`);
    const isLast = i === phases.length - 1 && Object.values(orders).every((list) => list.length === 0);
    if (!isLast && name !== COMPLETED) turn = playTurn(turn, orders, mapNamed(map), DEFAULT_RULES);
  }
  return { start, turn, seats: null, seed: null };
};

/**
 * Opens a saved game, of a page or of another program. @param json text of the file
 * @param mapNamed returns the map with a name
 * @throws LepantoError if it is invalid
 */
export const openPlay = (json: string, mapNamed: MapNamed): OpenedPlay => {
  const value = asObject(parseStrict(json), 'game');
  const kept = fieldOf(value, 'lepanto');
  return kept === undefined ? openOther(value, mapNamed) : openKept(kept, mapNamed);
};
