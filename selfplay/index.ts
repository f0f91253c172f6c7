// Public API for self-play: agents, games, rollouts, search, recorded runs and arenas. README.md describes it.
//
//   const agents = parseAgents('dumbbot,random,random,random,random,random,random', 7);
//   const record = await playGame({ agents, until: 1910, seed: 1 });
//   const { powers } = await searchMoves(game, { powers: ['FRANCE'], rollouts: 1000 });
//
// These exports are stable. Code inside the project imports the files directly.

export { agentKinds, loadAgent, loadAgents, parseAgent, parseAgents } from './agents/registry.js';
export { type ArenaOptions, type ArenaResult, runArena, type SeriesOptions } from './arena/arena.js';
export type { ArenaGame } from './arena/arena-game.js';
export { type EloFit, type EloRange, fitElo, type SharedGame } from './arena/elo.js';
export { type AnchorRow, type GateResult, type PairedScores, runGate } from './arena/gate.js';
export { type ClusteredMean, type Member, type PopulationResult, summarizePopulation } from './arena/population.js';
export type { ArenaSpec, GateSpec, ProtocolName } from './arena/protocol.js';
export { GameRecorder, type SeatedSpec } from './arena/seated-run.js';
export type { AgentStanding, Standing } from './arena/standings.js';
export type { BotUse } from './crew/agent-report.js';
export type { Call, ChunkJob, JobOptions } from './crew/chunks.js';
export type { CallOptions } from './crew/pool.js';
export { defaultWorkers, makePool, type Pool, type PoolOptions } from './crew/pool.js';
export type { PlayoutOptions, PlayoutSummary, RolloutTask, SharedRolloutOptions } from './crew/rollout-jobs.js';
export type { AgentWarning } from './crew/user-code.js';
export type { CodeWatch } from './crew/watchdog.js';
export { type ChanceStep, type Ending, type EndingByYear, EndingWatch } from './games/ending.js';
export {
  endPhase,
  type GameRecord,
  gameScores,
  gameSeed,
  type PhaseRecord,
  playPhase,
  type Scores,
} from './games/game-record.js';
export { type PlayGameOptions, playGame } from './games/play.js';
export type { PolicyTargets } from './games/targets.js';
export type { Tensor, TensorFile } from './nets/safetensors.js';
export { readWeights, type Weights } from './nets/weights.js';
export {
  type Agent,
  type AgentKind,
  type Answer,
  answerEach,
  type Budget,
  type Candidate,
  type OptionValue,
  type Past,
  type PlayedPhase,
  type Question,
  type Round,
  type Soon,
  type TalkQuestion,
  UNBOUNDED,
  type WriteOrders,
} from './question/agent.js';
export type { Message, Said } from './question/message.js';
export type { AgentOption } from './question/option.js';
export { formatAgent } from './question/parse-kind.js';
export { type Manifest, readManifest } from './records/manifest.js';
export type { StoredGame, StoredPhase } from './records/record.js';
export { type RunOptions, type RunResult, runSelfplay, type Share } from './records/run.js';
export type { RunSpec } from './records/run-spec.js';
export type { Summary } from './records/summary.js';
export { type Difference, verifyGame } from './records/verify.js';
export { type Evaluate, type RolloutOptions, type RolloutResult, rollout } from './rollouts/rollout.js';
export {
  type PowerResult,
  type RankedOrders,
  type SearchJob,
  type SearchRequest,
  type SearchResult,
  searchMoves,
} from './search/monte-carlo.js';
export type { HabitParameters, NamedOpponent, OpponentParameters } from './search/opponent-parameters.js';
export {
  type HorizonOptions,
  type MethodName,
  type OpponentName,
  type PlayoutName,
  type SearchOptions,
  type SeenPhase,
  searchDefaults,
  type ValueName,
} from './search/options.js';
export { type OpponentFile, readOpponent } from './search/read-opponent.js';
export { lepantoVersion } from './version.js';
