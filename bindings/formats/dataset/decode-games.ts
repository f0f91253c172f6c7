// Reads games of a dataset in a worker, and finds the samples in them. A recorded game is checked order by order only where
// no checksum vouches for its file.
import { COMPLETED, Game, hasOrders, loadMap, type Power, type Rules } from '../../../engine/internal.js';
import { LepantoError } from '../../../engine/rules/error.js';
import { GameCursor } from '../../../selfplay/records/game-cursor.js';
import { soundTable } from '../../../selfplay/records/game-table.js';
import { findStranger } from '../../../selfplay/records/manifest.js';
import { readPlace } from '../../../selfplay/records/shard-file.js';
import { filled } from '../games/played-games.js';
import { readGameIn } from '../games/read.js';
import { agentsIn, trusted } from '../games/recorded-run.js';
import { type Replayed, replayRaw, unquestioned } from '../games/replay-raw.js';
import { type Files, type GameFile, openFiles, type Places } from './find-games.js';
import { GameBlock, type ReadGame } from './game-block.js';
import { DRAWN, type Filters, phaseKinds, type ReaderConfig } from './reader-config.js';

/** Games to be read. */
export interface DecodeTask {
  readonly config: ReaderConfig;
  readonly places: Places;
  /** Numbers of the games among the places. */
  readonly games: Int32Array;
}

export interface DecodedGames {
  readonly memory: SharedArrayBuffer;
  /** As in EncodeTask; the block is the only one. */
  readonly samples: Int32Array;
  /** Games that were left out because they could not be read or played, and the first reason. */
  readonly skipped: number;
  readonly trouble: string | null;
  /** Games of other programs that our rules play otherwise. */
  readonly disagreeing: number;
}

let opened: { readonly key: string; readonly files: Files } | undefined;

/** The files of a reader. A thread belongs to one, and opens them once. */
export const filesOf = (config: ReaderConfig): Files => {
  const key = JSON.stringify([config.paths, config.map, config.rules]);
  if (opened?.key !== key) opened = { key, files: openFiles(config) };
  return opened.files;
};

/** Rules that the games of a file are played by. */
export const rulesOfFile = ({ rules }: Files, { source }: GameFile): Rules => (source?.rules ?? rules).adjudication;

const [UNKNOWN, WHOLE, DOUBTFUL] = [0, 1, 2] as const;

/** True if the table next to a file of records says that the file is as it was written. The file is read once for that. */
const isWhole = ({ path }: GameFile, index: number, checked: Uint8Array): boolean => {
  if (checked[index] === UNKNOWN) checked[index] = hasSoundTable(path) ? WHOLE : DOUBTFUL;
  return checked[index] === WHOLE;
};
const hasSoundTable = (path: string): boolean => {
  const table = soundTable(path);
  return typeof table === 'object' && table !== null;
};

const cursor = new GameCursor();

const replay = (files: Files, { config, places }: DecodeTask, i: number): Replayed => {
  const file = files.files[places.file[i]];
  const { path, source } = file;
  const place = { offset: places.offset[i], length: places.length[i] };
  if (source !== null) {
    const game = cursor.open(readPlace(path, place), `${path} at offset ${place.offset}`);
    const stranger = source.manifest === null ? null : findStranger(source.manifest, game);
    if (stranger !== null) throw new LepantoError('record', stranger);
    // By rules that the run was not played by, its positions would be others.
    const isTrusted =
      source.manifest !== null && config.rules === null && isWhole(file, places.file[i], places.checked);
    return unquestioned((isTrusted ? trusted : filled)(source, game).record(game));
  }
  const raw = readGameIn(path, place);
  if (loadMap(raw.map).id !== files.map.id)
    throw new LepantoError('record', `got a game on the map ${raw.map}, wanted ${files.map.name}`);
  return replayRaw(files.map, files.rules, raw, places.number[i]);
};

/** In place of the number of an agent that no run has: other than that of a power whose agent is not known. */
const UNKNOWN_AGENT = -2;

/** Says which orders of a game are samples. */
export class SampleFilter {
  private readonly map = this.files.map;
  /** Numbers of the agents whose orders are samples; null for all. */
  private readonly agents =
    this.filters.agents && new Set(this.filters.agents.map((name) => this.files.agents.get(name) ?? UNKNOWN_AGENT));

  constructor(
    private readonly files: Files,
    private readonly filters: Filters,
  ) {}

  /** False if no order of a game is one. */
  takesGame(winner: number): boolean {
    const { winners, winnerOnly } = this.filters;
    if (winnerOnly && winner < 0) return false;
    return winners === null || winners.includes(winner < 0 ? DRAWN : this.map.powerNames[winner]);
  }
  takesPhase({ phase, year }: Game): boolean {
    const { phases, years } = this.filters;
    return (
      (phases === null || phases.includes(phaseKinds[phase])) &&
      (years === null || (year >= years[0] && year <= years[1]))
    );
  }
  /** @param agent its number; -1 if it is not known */
  takesPower(power: Power, winner: number, agent: number): boolean {
    const { powers, winnerOnly } = this.filters;
    if (powers !== null && !powers.includes(this.map.powerNames[power])) return false;
    if (winnerOnly && power !== winner) return false;
    return this.agents === null || this.agents.has(agent);
  }
}

/** Finds the samples of a game; its phases begin at number `first` of the block. */
const findSamples = (
  { config, filter, view }: Decoder,
  { winner, agents, phases }: ReadGame,
  block: GameBlock,
  first: number,
  out: number[],
): void => {
  if (!filter.takesGame(winner)) return;
  for (let i = 0; i + 1 < phases.length; i++) {
    block.load(first + i, view);
    if (!filter.takesPhase(view)) continue;
    let isOne = false;
    for (let q = 0; q < view.map.powerCount; q++) {
      if (!filter.takesPower(q, winner, agents[q]) || !hasOrders(view, q)) continue;
      isOne = true;
      if (config.per === 'power') out.push(0, first + i, q);
      else break;
    }
    if (isOne && config.per === 'phase') out.push(0, first + i, -1);
  }
};

interface Decoder {
  readonly config: ReaderConfig;
  readonly filter: SampleFilter;
  readonly view: Game;
}

const readOne = (
  config: ReaderConfig,
  files: Files,
  fileIndex: number,
  replayed: Replayed,
  number: number,
): ReadGame => {
  const { record } = replayed;
  const file = files.files[fileIndex];
  const agents = file.source === null ? [] : agentsIn(file.source, record);
  const end = new Game(files.map, rulesOfFile(files, file));
  const last = record.phases[record.phases.length - 1];
  if (last?.phase !== COMPLETED) throw new LepantoError('record', `got ${last?.phase ?? 'nothing'} as the last phase`);
  end.bytes.set(last.state);
  return {
    file: fileIndex,
    number,
    winner: end.winner,
    agents: files.map.powerNames.map((_, q) => files.agents.get(agents[q]) ?? -1),
    scores: record.scores[config.score],
    phases: record.phases,
  };
};

/** Called in a worker: reads games into a block. @throws LepantoError that names the first that cannot be read, in mode 'raise' */
export const decodeGames = (task: DecodeTask): DecodedGames => {
  const { config, places } = task;
  const files = filesOf(config);
  const games: ReadGame[] = [];
  let trouble: string | null = null;
  let skipped = 0;
  let disagreeing = 0;
  for (const i of task.games) {
    const file = files.files[places.file[i]];
    try {
      const replayed = replay(files, task, i);
      if (replayed.disagreements.length > 0) disagreeing++;
      const number = file.source === null ? places.number[i] : replayed.record.index;
      games.push(readOne(config, files, places.file[i], replayed, number));
    } catch (error) {
      const what = `${file.path}, game ${places.number[i]}: ${(error as Error).message}`;
      if (config.trouble === 'raise') throw new LepantoError('record', what);
      trouble ??= what;
      skipped++;
    }
  }
  const rules = files.rules.adjudication;
  const block = GameBlock.of(files.map, rules, games);
  const samples: number[] = [];
  const decoder = { config, filter: new SampleFilter(files, config), view: new Game(files.map, rules) };
  for (const [g, game] of games.entries()) findSamples(decoder, game, block, block.firstPhase(g), samples);
  return { memory: block.memory, samples: Int32Array.from(samples), skipped, trouble, disagreeing };
};
