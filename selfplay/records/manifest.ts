// What a run directory says about itself: manifest.json.
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
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
import { roundsOption } from '../question/message.js';
import { optionShape } from '../question/option.js';
import { MOST_GAMES, MOST_SHARDS, shardCount } from './run-spec.js';
import { readError, settleNow, statOf, writeWhole } from './whole-file.js';

export const MANIFEST = 'manifest.json';
/** The process that plays a run which is not whole. */
export const PLAYING = 'playing.json';
/** In the directory of an arena, whose runs are directories in it. */
export const ARENA_FILE = 'arena.json';
/** Next to the games of a run, where `lepanto find` and `lepanto compare` have read them: what they have found. */
export const INDEX_FILE = 'find.index';
export const COMPARISONS_FILE = 'compare.json';

/** What a run directory says about itself. */
export interface Manifest {
  /** What the file is. */
  readonly format: 'lepanto-games';
  /** Versions of the record format, the package and Node. */
  readonly versions: { readonly records: number; readonly lepanto: string; readonly node: string };
  /** Commit of the package; null where it is not known. */
  readonly commit: string | null;
  /**
   * Name as loadMap() reads it, and the id of the map: a hash of all that play depends on. With its rows, if it does not
   * ship with Lepanto.
   */
  readonly map: { readonly name: string; readonly id: number; readonly rows?: MapRows };
  /** Name as --rules takes it, and the id of the rules of adjudication. */
  readonly rules: { readonly name: string; readonly id: number };
  /** As formatAgent() writes them: by power, or in any order in a run that is seated. agentsOf() reads them. */
  readonly agents: readonly string[];
  /** True if each game says who sits where (StoredGame.agents); only in such a run. */
  readonly seated?: boolean;
  /** Of the run; those of its games follow from it. */
  readonly seed: number;
  /** How many games. */
  readonly games: number;
  /** Games end as draws after the winter of this year. */
  readonly until: number;
  /** See Ending; only where the run has such a rule. */
  readonly stalemate?: number;
  /** See Ending; only where the run has such a rule. */
  readonly chance?: number;
  /** Number of games in a shard. */
  readonly shardGames: number;
  /** True if it records what agents weighed for their orders. */
  readonly targets?: boolean;
  /** Rounds of press before the orders of each movement phase; only in runs with press. */
  readonly rounds?: number;
  /** Hashes of the code of users by agent, as the run was begun; only where such agents play. */
  readonly code?: AgentCode;
  /** Command that plays the same games again, where the run was started by one. */
  readonly command?: string;
}

/**
 * The rules under which a run was played.
 * @throws LepantoError if the name is unknown, or its rules adjudicate in another way than when the run was recorded
 */
export const rulesOfRun = ({ rules: { name, id } }: Manifest): RunRules => {
  const rules = runRulesByName(name);
  const { adjudication } = rules;
  if (id === adjudication.id) return rules;
  throw new LepantoError('record', `rules ${name}: got id ${id}, wanted ${adjudication.id}`);
};

/** The part of a manifest that decides which games are played. Another commit or Node resumes the same run. */
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

/** What distinguishes a run from another one: 'seed is 2, here it is 1'; null if they are the same run. */
export const findOther = (manifest: Manifest, wanted: Manifest): string | null => {
  const there = identity(manifest);
  for (const [key, value] of Object.entries(identity(wanted))) {
    // Not compared unless both manifests have it.
    if (key === 'code of agents' && (value === undefined || there[key] === undefined)) continue;
    const got = JSON.stringify(there[key]);
    if (got !== JSON.stringify(value)) return `${key} is ${got}, here it is ${JSON.stringify(value)}`;
  }
  return null;
};

/** @throws LepantoError if a directory holds another run */
export const refuseOther = (directory: string, manifest: Manifest, wanted: Manifest): void => {
  const other = findOther(manifest, wanted);
  if (other !== null) throw new LepantoError('file', `${directory} holds another run: its ${other}`);
};

/** Refuses a directory for a run that holds other files and no manifest. */
export const refuseStrange = (directory: string, file: string): never => {
  const got = `got a directory with ${file} but no ${MANIFEST}`;
  throw new LepantoError('file', `${directory}: ${got}, wanted an empty or a new one`);
};

/** What a game says of its place in a run. */
export interface GameIdentity {
  readonly index: number;
  readonly seed: number;
  /** By power: place of its agent among the agents of the manifest. */
  readonly agents?: Uint16Array | undefined;
}

/** What of a run each of its games must fit. */
export type RunIdentity = Pick<Manifest, 'seed' | 'games' | 'agents' | 'seated'>;

/**
 * Names of the agents that played a game of a run, by power.
 * @throws LepantoError if the game names agents that the manifest does not have
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

/** Why a game is not of a run, by its number, seed and agents; null if it may be. */
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

/** Most agents of a run: games name them in 16 bits. */
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

/** Refuses a run of more shards than a command plays: whoever looks for them one by one would never end. */
const checkShards = (manifest: Manifest, path: string): Manifest => {
  const shards = shardCount(manifest);
  return shards <= MOST_SHARDS
    ? manifest
    : refuseValue(`${path}, shardGames`, manifest.shardGames, `at most ${MOST_SHARDS} shards, not ${shards}`);
};

/** Name of the field that has the check of all others. */
const CHECK = 'check';

/** SHA-256 over the fields of a manifest, sixteen hexadecimal digits. */
const checkOf = (fields: object): string =>
  createHash('sha256').update(JSON.stringify(fields)).digest('hex').slice(0, 16);

/** A manifest without its check. Those of older versions have none. @throws LepantoError if the check is that of other fields */
const withoutCheck = (manifest: Manifest, path: string): Manifest => {
  const { [CHECK]: check, ...rest } = manifest as Manifest & { readonly [CHECK]?: unknown };
  if (check === undefined) return manifest;
  const wanted = checkOf(rest);
  return check === wanted ? rest : refuseValue(`${path}, ${CHECK}`, check, `${wanted}: something in it has changed`);
};

/** The most bytes of a manifest. One with names for a hundred powers has some thousand. */
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
 * @throws LepantoError that names the file and the field, says what is wrong with it, and how it is written anew
 */
export const readManifest = (directory: string): Manifest => {
  const path = join(directory, MANIFEST);
  if (statOf(directory) === undefined)
    throw new LepantoError('file', `cannot read ${directory}: there is no such directory`);
  try {
    return withoutCheck(checkShards(manifestShape(parseManifest(path), path), path), path);
  } catch (error) {
    const { message } = error as Error;
    throw new LepantoError('file', `${message}; the command of the run writes it anew`);
  }
};

/**
 * The map of a run.
 * @throws LepantoError if the name is unknown, or the map is another one than when the run was recorded
 */
export const mapOfRun = ({ map: { name, id, rows } }: Manifest): CompiledMap => {
  const [plain, ...options] = name.split(',');
  const map = changeMap(rows === undefined ? loadMap(plain) : takeMap(rows), readMapChanges(options));
  if (id !== map.id) throw new LepantoError('record', `map ${name}: got id ${id}, wanted ${map.id}`);
  return map;
};

/**
 * Writes the manifest of a run directory with a check of its fields. Waits until the disk has it, because nothing else in
 * the directory says what was played.
 * @throws LepantoError for a run that readManifest() would refuse, or if the file cannot be written
 */
export const writeManifest = (directory: string, manifest: Manifest): void => {
  const path = join(directory, MANIFEST);
  checkShards(manifestShape(manifest, path), path);
  writeWhole(path, `${JSON.stringify({ ...manifest, [CHECK]: checkOf(manifest) }, null, 2)}\n`);
  settleNow(path);
};
