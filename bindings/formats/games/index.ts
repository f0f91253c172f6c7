// Reads and writes recorded games: saved games of the package `diplomacy`, of dipcc and of webDiplomacy, and shards of
// Lepanto's runs. Requires Node.
//
//   for (const { where, replayed, error } of playedGames('games.jsonl')) // or a run's directory, or one games-*.lep
//     if (replayed === null) console.error(where, error);
//     else for (const { name, orders } of recordedPhases(replayed.record)) console.log(name, orders);
//
// A GameRecord describes a game phase by phase: name, position, packed orders and their results.
export type { GameRecord, PhaseRecord, Scores } from '../../../selfplay/games/game-record.js';
export type { Message } from '../../../selfplay/question/message.js';
export { decodeShard, encodeShard, type StoredGame, type StoredPhase } from '../../../selfplay/records/record.js';
export { formatDatcOutcome, formatOutcome } from './notation.js';
export { type RecordedOrder, type RecordedPhase, recordedPhases } from './phases.js';
export { type PlayedGame, playedGames } from './played-games.js';
export type { RawGame, RawPhase, RawResult, Wording } from './raw.js';
export { parseSavedGame } from './read.js';
export type { PlayedBy } from './recorded-run.js';
export { type Disagreement, type Replayed, replayGame, type UncountedOrder } from './replay-raw.js';
export { type Dialect, dialects, formatSavedGame, type SavedGameOptions } from './write-saved.js';
