// Reads and replays games for a folder of tensors. Runs in a worker. A recorded game is compared with its replay unless
// a checksum confirms that its shard is unchanged.
import { COMPLETED, Game, loadMap, type Rules } from '../../../engine/internal.js';
import type { RuleSet } from '../../../engine/notation/text/index.js';
import { LepantoError } from '../../../engine/rules/error.js';
import type { GameRecord, PhaseRecord } from '../../../selfplay/games/game-record.js';
import { GameCursor } from '../../../selfplay/records/game-cursor.js';
import { soundTable } from '../../../selfplay/records/game-table.js';
import { findStranger } from '../../../selfplay/records/manifest.js';
import { readPlace } from '../../../selfplay/records/shard-file.js';
import { fittingRules } from '../games/fitting-rules.js';
import { filled } from '../games/played-games.js';
import { readGameIn } from '../games/read.js';
import { agentsIn, type Source, trusted } from '../games/recorded-run.js';
import { replayRaw } from '../games/replay-raw.js';
import { type Files, type GameFile, openFiles, type Places } from './find-games.js';
import type { TensorConfig } from './tensor-config.js';

/** Games for a folder of tensors. */
export interface GameList {
  readonly config: TensorConfig;
  readonly places: Places;
}

/** A replayed game of a dataset. */
export interface ReadGame {
  /** Index of the game's file among the files of the folder. */
  readonly file: number;
  /** Number of the game, from 0, in its run. For saved games, in its file. */
  readonly number: number;
  /** Power that won alone; -1 if there is none. */
  readonly winner: number;
  /** Numbers of the agents (Files.agents), indexed by power; -1 for an unknown agent. */
  readonly agents: readonly number[];
  readonly scores: GameRecord['scores'];
  readonly rules: Rules;
  /** All positions with their orders, and last the final position. */
  readonly phases: readonly PhaseRecord[];
  /** True if the record contradicts the rules. */
  readonly disagrees: boolean;
  /** Returns names of other rules under which a contradicting game has no disagreements. */
  readonly fits: () => readonly string[];
}

let opened: { readonly key: string; readonly files: Files } | undefined;

/**
 * Returns the opened files of a dataset. Those of the last dataset are cached, because a thread works for one dataset
 * at a time.
 */
export const filesOf = ({ paths, map, rules }: TensorConfig): Files => {
  const key = JSON.stringify([paths, map, rules]);
  if (opened?.key !== key) opened = { key, files: openFiles({ paths, map, rules }) };
  return opened.files;
};

/** Values of Places.checked: a file that was not yet compared with its table, that matches it, and that does not. */
const [UNKNOWN, WHOLE, DOUBTFUL] = [0, 1, 2] as const;

/**
 * True if a shard matches the checksums in its table. Reads the shard once, and stores the result in checked[index].
 * @param index index of the file
 */
const isWhole = ({ path }: GameFile, index: number, checked: Uint8Array): boolean => {
  if (checked[index] === UNKNOWN) checked[index] = hasSoundTable(path) ? WHOLE : DOUBTFUL;
  return checked[index] === WHOLE;
};
const hasSoundTable = (path: string): boolean => {
  const table = soundTable(path);
  return typeof table === 'object' && table !== null;
};

const cursor = new GameCursor();

type Played = Pick<ReadGame, 'disagrees' | 'fits' | 'number' | 'rules'> & { readonly record: GameRecord };

const playRecord = (source: Source, { config, places }: GameList, i: number, path: string): Played => {
  const place = { offset: places.offset[i], length: places.length[i] };
  const game = cursor.open(readPlace(path, place), `${path} at offset ${place.offset}`);
  const { manifest } = source;
  const stranger = manifest === null ? null : findStranger(manifest, game);
  if (stranger !== null) throw new LepantoError('record', stranger);
  // With rules that differ from those of the run, all positions must be computed again.
  const file = places.file[i];
  const isTrusted = manifest !== null && config.rules === null && isWhole({ path, source }, file, places.checked);
  const record = (isTrusted ? trusted : filled)(source, game).record(game);
  return { record, number: record.index, rules: source.rules.adjudication, disagrees: false, fits: () => [] };
};

const playSaved = (files: Files, { places }: GameList, i: number, path: string): Played => {
  const { map, rules } = files;
  const raw = readGameIn(path, { offset: places.offset[i], length: places.length[i] });
  if (loadMap(raw.map).id !== map.id)
    throw new LepantoError('record', `got a game on the map ${raw.map}, wanted ${map.name}`);
  const number = places.number[i];
  const { record, disagreements } = replayRaw(map, rules, raw, number);
  const fits = (): readonly string[] => fittingRules(map, raw, rules);
  return { record, number, rules: rules.adjudication, disagrees: disagreements.length > 0, fits };
};

/** Returns the rules of the games of a file. */
export const rulesOfFile = ({ rules }: Files, { source }: GameFile): RuleSet => source?.rules ?? rules;

const readGame = (list: GameList, i: number): ReadGame => {
  const files = filesOf(list.config);
  const file = list.places.file[i];
  const { path, source } = files.files[file];
  const { record, ...played } = source === null ? playSaved(files, list, i, path) : playRecord(source, list, i, path);
  const last = record.phases[record.phases.length - 1];
  if (last?.phase !== COMPLETED) throw new LepantoError('record', `got ${last?.phase ?? 'nothing'} as the last phase`);
  const end = new Game(files.map, played.rules);
  end.bytes.set(last.state);
  const agents = source === null ? [] : agentsIn(source, record);
  return {
    ...played,
    file,
    winner: end.winner,
    agents: files.map.powerNames.map((_, q) => files.agents.get(agents[q]) ?? -1),
    scores: record.scores,
    phases: record.phases,
  };
};

/**
 * Reads and replays a game.
 * @param i index of the game in `list.places`
 * @returns the game, or an error text that names it if `errors` is 'skip'
 * @throws LepantoError with that text if `errors` is 'raise'
 */
export const tryGame = (list: GameList, i: number): ReadGame | string => {
  try {
    return readGame(list, i);
  } catch (error) {
    const { path } = filesOf(list.config).files[list.places.file[i]];
    const what = `${path}, game ${list.places.number[i]}: ${(error as Error).message}`;
    if (list.config.errors === 'raise') throw new LepantoError('record', what);
    return what;
  }
};
