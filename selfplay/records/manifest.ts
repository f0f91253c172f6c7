// Reads, writes and compares the manifest of a run (manifest.json), which describes how its games are played.
import { readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type CompiledMap, changeMap, loadMap, type MapRows, readMapChanges, takeMap } from '../../engine/internal.js';
import { mapRows } from '../../engine/map/map-rows.js';
import { LepantoError } from '../../engine/rules/error.js';
import { type RunRules, runRulesByName } from '../../engine/rules/run-rules.js';
import {
  anything,
  byKey,
  fields,
  listOf,
  oneOf,
  optional,
  refuseValue,
  text,
  trueOrFalse,
  wholeNumber,
} from '../../engine/rules/shape.js';
import type { AgentCode } from '../agents/agent-code.js';
import { endingOptions } from '../games/ending.js';
import { gameSeed } from '../games/game-record.js';
import { contentHash } from '../question/file-hash.js';
import { roundsOption } from '../question/message.js';
import { optionShape } from '../question/option.js';
import { MOST_GAMES, MOST_SHARDS, shardCount } from './run-spec.js';
import { readError, settleNow, statOf, writeWhole } from './whole-file.js';

// ---- names of files ----

export const MANIFEST = 'manifest.json';
/** Name of the file that names the process playing an incomplete run (lock.ts). */
export const PLAYING = 'playing.json';
/** Name of the file that describes an arena. The arena's directory has a run directory for each of its parts. */
export const ARENA_FILE = 'arena.json';
/** Names of the caches in a run directory: INDEX_FILE of `lepanto find`, COMPARISONS_FILE of `lepanto compare`. */
export const INDEX_FILE = 'find.index';
export const COMPARISONS_FILE = 'compare.json';

/**
 * Meaning of a file name. 'mark': the directory with this file is a run or an arena. 'shard': records or table of a
 * shard. 'cache': cache of a command. 'training': written by `python -m lepanto.train`.
 */
export type RunFile = 'mark' | 'shard' | 'cache' | 'training';

const files: Readonly<Record<string, RunFile>> = {
  ...{ [MANIFEST]: 'mark', [PLAYING]: 'mark', [ARENA_FILE]: 'mark' },
  ...{ [INDEX_FILE]: 'cache', [COMPARISONS_FILE]: 'cache' },
  ...{ 'config.toml': 'training', 'metrics.jsonl': 'training' },
};

/**
 * Matches the file name of a shard or of its table. The first group is the number of the shard, the second one 'lep' or
 * 'table'.
 */
const SHARD = /^games-(\d{5,15})\.(lep|table)$/;

/** Returns the file name of a shard: 'games-00003.lep' for 3. */
export const shardName = (shard: number): string => `games-${String(shard).padStart(5, '0')}.lep`;

/**
 * Returns the number of a shard, from 0: 3 for 'DIR/games-00003.lep'. Null for any other path, also for that of a
 * table.
 */
export const shardNumber = (path: string): number | null => {
  const [, digits, ending] = SHARD.exec(basename(path)) ?? [];
  return ending === 'lep' ? Number(digits) : null;
};

/** Returns the meaning of a file name without folders. Null for a name without a meaning. */
export const meaningOf = (name: string): RunFile | null =>
  SHARD.test(name) ? 'shard' : Object.hasOwn(files, name) ? files[name] : null;

/**
 * Returns the file of a run to which a file name belongs: 'games-00003.lep' for this name and for the name of a
 * temporary file of it. Undefined for any other name, also for files of arenas.
 */
export const runFileIn = (name: string): string | undefined => {
  const file = name.split('.', 2).join('.');
  const meaning = meaningOf(file);
  return meaning === 'shard' || (meaning === 'mark' && file !== ARENA_FILE) ? file : undefined;
};

/**
 * True if files named with this stem could be taken for files of a run or an arena: the stem begins with 'games-' or is
 * that of a name in `files`. Ignores case.
 * @param stem file name without its ending
 */
export const isTaken = (stem: string): boolean => {
  const lower = stem.toLowerCase();
  return lower.startsWith('games-') || Object.keys(files).some((name) => name.split('.')[0] === lower);
};

// ---- manifests ----

/** Content of manifest.json: description of a run. */
export interface Manifest {
  /** Name of the file format. */
  readonly format: 'lepanto-games';
  /** Versions of the record format, the package and Node. */
  readonly versions: { readonly records: number; readonly lepanto: string; readonly node: string };
  /** Commit of the package that began the run; null if unknown. */
  readonly commit: string | null;
  /**
   * Map: `name` as loadMap() takes it, `id` a hash of all that play depends on, and `rows` the map itself if it does
   * not ship with Lepanto.
   */
  readonly map: { readonly name: string; readonly id: number; readonly rows?: MapRows };
  /** Rules: `name` as --rules takes it, `id` the id of the rules of adjudication. */
  readonly rules: { readonly name: string; readonly id: number };
  /**
   * Names of the agents (formatAgent()), indexed by power. In a seated run: names of all agents; each game has the
   * indices of its agents in this list.
   */
  readonly agents: readonly string[];
  /** True for a seated run, in which each game records the agent of each power (StoredGame.agents). Else absent. */
  readonly seated?: boolean;
  /** Seed of the run, an int32. The seeds of its games derive from it. */
  readonly seed: number;
  /** Number of games. */
  readonly games: number;
  /** Last year of a game. A game that has no winner after its winter is a draw. */
  readonly until: number;
  /**
   * Number of consecutive years without a captured centre after which a game is a draw (Ending.stalemate); absent if 0.
   */
  readonly stalemate?: number;
  /** Probability of a draw after each year (Ending.chance); absent if 0. */
  readonly chance?: number;
  /** Number of games in a shard. */
  readonly shardGames: number;
  /** True if policy targets are recorded (games/targets.ts). Else absent. */
  readonly targets?: boolean;
  /** Rounds of press before the orders of each movement phase; absent in a run without press. */
  readonly rounds?: number;
  /**
   * Hash of the code of each user-written agent when the run began, by name of the agent; absent without such agents.
   */
  readonly code?: AgentCode;
  /** Command line that plays the same games, if a command began the run. */
  readonly command?: string;
}

/**
 * Returns the rules of a run.
 * @throws LepantoError if the name is unknown, or if these rules now adjudicate differently than in the recorded games
 */
export const rulesOfRun = ({ rules: { name, id } }: Manifest): RunRules => {
  const rules = runRulesByName(name);
  const { adjudication } = rules;
  if (id === adjudication.id) return rules;
  throw new LepantoError('record', `rules ${name}: got id ${id}, wanted ${adjudication.id}`);
};

/** Returns the fields that decide which games are played. A run may be resumed by another commit or version of Node. */
const identity = (manifest: Manifest): Record<string, unknown> => {
  const none = { targets: false, rounds: 0, seated: false, stalemate: 0, chance: 0 };
  const { format, commit, command, versions, map, shardGames, code, ...same } = { ...none, ...manifest };
  return {
    ...same,
    'record version': versions.records,
    map: { name: map.name, id: map.id },
    rules: rulesOfRun(manifest).name,
    'games in a shard': shardGames,
    'code of agents': code,
  };
};

/**
 * Compares two manifests. Returns the first difference ('seed is 2, wanted 1'), or null if they describe the same
 * run.
 */
export const findOther = (manifest: Manifest, wanted: Manifest): string | null => {
  const there = identity(manifest);
  for (const [key, value] of Object.entries(identity(wanted))) {
    // The code of agents is compared only if both manifests have its hash.
    if (key === 'code of agents' && (value === undefined || there[key] === undefined)) continue;
    const got = JSON.stringify(there[key]);
    if (got !== JSON.stringify(value)) return `${key} is ${got}, wanted ${JSON.stringify(value)}`;
  }
  return null;
};

/**
 * Checks that the manifest of a directory describes the wanted run.
 * @throws LepantoError that names the first difference, if the manifest describes another run
 */
export const refuseOther = (directory: string, manifest: Manifest, wanted: Manifest): void => {
  const other = findOther(manifest, wanted);
  if (other !== null) throw new LepantoError('file', `${directory} holds another run: its ${other}`);
};

/** Rejects a directory that has files but no manifest. @param file name of one of them @throws LepantoError always */
export const refuseStrange = (directory: string, file: string): never => {
  const got = `got a directory with ${file} but no ${MANIFEST}`;
  throw new LepantoError('file', `${directory}: ${got}, wanted an empty or a new one`);
};

/** Fields of a recorded game that tell which game of which run it is. */
export interface GameIdentity {
  readonly index: number;
  readonly seed: number;
  /** Index of each power's agent in Manifest.agents, indexed by power. Undefined unless the run is seated. */
  readonly agents?: Uint16Array | undefined;
}

/** Fields of a manifest that every game of the run must match. */
export type RunIdentity = Pick<Manifest, 'seed' | 'games' | 'agents' | 'seated'>;

/**
 * Returns the names of the agents that played a game of a run, indexed by power.
 * @throws LepantoError if an index is out of range, or if only one of run and game is seated
 */
export const agentsOf = (
  { agents, seated = false }: Pick<Manifest, 'agents' | 'seated'>,
  { agents: seats }: Pick<GameIdentity, 'agents'>,
): readonly string[] => {
  if (seated !== (seats !== undefined))
    throw new LepantoError(
      'record',
      `agents of a game: got ${seated ? 'none' : 'some'}, wanted ${seated ? 'some' : 'none'} in this run`,
    );
  if (seats === undefined) return agents;
  return Array.from(seats, (seat) => {
    if (seat < agents.length) return agents[seat];
    throw new LepantoError('record', `agent of a game: got ${seat}, wanted one of ${agents.length}`);
  });
};

/**
 * Checks index, seed and agents of a game against a run. Returns the first difference as text if the game is not of
 * this run, else null.
 */
export const findStranger = (manifest: RunIdentity, game: GameIdentity): string | null => {
  const { seed, games } = manifest;
  if (game.index >= games) return `got game ${game.index}, wanted one of ${games}`;
  const wanted = gameSeed(seed, game.index);
  if (game.seed !== wanted) return `got seed ${game.seed} of game ${game.index}, wanted ${wanted}`;
  try {
    agentsOf(manifest, game);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
};

const named = fields<{ name: string; id: number }>({ name: text, id: wholeNumber() });

/** Maximum number of agents of a run, because games store their indices in 16 bits. */
export const MAX_AGENTS = 1 << 16;

const manifestShape = fields<Manifest>({
  format: oneOf(['lepanto-games']),
  versions: fields({ records: wholeNumber(0), lepanto: anything, node: anything }),
  commit: anything,
  map: fields<Manifest['map']>({ name: text, id: wholeNumber(), rows: optional(mapRows) }),
  rules: named,
  agents: listOf(text, 1, MAX_AGENTS),
  seated: optional(trueOrFalse),
  seed: wholeNumber(),
  games: wholeNumber(0, MOST_GAMES),
  until: optionShape(endingOptions.until),
  stalemate: optional(optionShape(endingOptions.stalemate)),
  chance: optional(optionShape(endingOptions.chance)),
  shardGames: wholeNumber(1, MOST_GAMES),
  targets: optional(trueOrFalse),
  rounds: optional(optionShape(roundsOption.rounds)),
  code: optional(byKey(text)),
  command: optional(text),
});

/** Rejects a manifest with too many shards, because some code looks for the shards one by one. */
const checkShards = (manifest: Manifest, path: string): Manifest => {
  const shards = shardCount(manifest);
  return shards <= MOST_SHARDS
    ? manifest
    : refuseValue(`${path}, shardGames`, manifest.shardGames, `at most ${MOST_SHARDS} shards, not ${shards}`);
};

/** Name of the field with the hash of all other fields. */
const CHECK = 'check';

/** Returns the first 16 hexadecimal digits of the SHA-256 of the fields of a manifest. */
const checkOf = (fields: object): string => contentHash(JSON.stringify(fields));

/**
 * Removes the hash of a manifest. Manifests of older versions have none.
 * @throws LepantoError if the hash does not match the fields
 */
const withoutCheck = (manifest: Manifest, path: string): Manifest => {
  const { [CHECK]: check, ...rest } = manifest as Manifest & { readonly [CHECK]?: unknown };
  if (check === undefined) return manifest;
  const wanted = checkOf(rest);
  return check === wanted ? rest : refuseValue(`${path}, ${CHECK}`, check, `${wanted}: something in it has changed`);
};

/** Maximum size of a manifest in bytes. A manifest with agents for a hundred powers has some thousand bytes. */
const MAX_MANIFEST = 1 << 24;

const parseManifest = (path: string): unknown => {
  let text: string;
  try {
    const { size } = statSync(path);
    if (size > MAX_MANIFEST) throw new LepantoError('file', `got ${size} bytes, wanted at most ${MAX_MANIFEST}`);
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw readError(path, error);
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new LepantoError(
      'file',
      `${path}: got ${text.trim() === '' ? 'an empty file' : 'no JSON'}, wanted the manifest of a run`,
    );
  }
};

/**
 * Reads the manifest of a run directory.
 * @throws LepantoError that names the file and the invalid field, and says how to restore the file
 */
export const readManifest = (directory: string): Manifest => {
  const path = join(directory, MANIFEST);
  if (!statOf(directory)?.isDirectory())
    throw new LepantoError('file', `cannot read ${directory}: there is no such directory`);
  try {
    return withoutCheck(checkShards(manifestShape(parseManifest(path), path), path), path);
  } catch (error) {
    const { message } = error as Error;
    throw new LepantoError('file', `${message}; repeat the command of the run to rewrite it`);
  }
};

/**
 * Returns the map of a run.
 * @throws LepantoError if the name is unknown, or if the map has changed since the run was recorded
 */
export const mapOfRun = ({ map: { name, id, rows } }: Manifest): CompiledMap => {
  const [plain, ...options] = name.split(',');
  const map = changeMap(rows === undefined ? loadMap(plain) : takeMap(rows), readMapChanges(options));
  if (id !== map.id) throw new LepantoError('record', `map ${name}: got id ${id}, wanted ${map.id}`);
  return map;
};

/**
 * Writes the manifest of a run directory with a hash of its fields. Flushes it to disk, because no other file of the
 * directory describes the run.
 * @throws LepantoError if readManifest() would reject the manifest, or if the file cannot be written
 */
export const writeManifest = (directory: string, manifest: Manifest): void => {
  const path = join(directory, MANIFEST);
  checkShards(manifestShape(manifest, path), path);
  writeWhole(path, `${JSON.stringify({ ...manifest, [CHECK]: checkOf(manifest) }, null, 2)}\n`);
  settleNow(path);
};
