// Stores the games of arenas, so that an interrupted arena can be resumed. A file stores results only. A directory also
// stores whole games, as a run for each arena (DIR/1, DIR/2, ...), with the same game numbers as in the arena.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { addedMaps, loadMap, scoreNames } from '../../engine/internal.js';
import { LepantoError } from '../../engine/rules/error.js';
import {
  fields,
  listOf,
  numberIn,
  oneOf,
  orElse,
  refuseValue,
  type Shape,
  text,
  wholeNumber,
} from '../../engine/rules/shape.js';
import { type AgentCode, codeOfAgents } from '../agents/agent-code.js';
import { lockPath } from '../records/lock.js';
import { ARENA_FILE } from '../records/manifest.js';
import { makeDirectories, readError, writeWhole } from '../records/whole-file.js';
import { findCommit, lepantoVersion } from '../version.js';
import type { ArenaGame } from './arena-game.js';
import { type ArenaSpec, type GateSpec, protocolNames } from './protocol.js';
import { SeatedRun } from './seated-run.js';

const SAVE_MS = 1000;

/** Everything that determines a game except its number: the spec without the number of games, and the build. */
interface Origin extends Omit<ArenaSpec, 'games'> {
  readonly lepanto: string;
  readonly commit: string | null;
  /** Hashes of the code of user-written agents; absent without such agents. */
  readonly code?: AgentCode;
  /** Id of the map, if maps that do not ship with Lepanto are loaded. */
  readonly mapId?: number;
}

interface KeptArena {
  readonly origin: Origin;
  readonly games: (ArenaGame | null)[];
}

const texts = listOf(text, 0, Number.POSITIVE_INFINITY);
const counts = listOf(wholeNumber(0), 0, Number.POSITIVE_INFINITY);

const originShape = fields<Pick<Origin, 'agents' | 'map' | 'rules' | 'protocol' | 'scoring'>>({
  ...{ agents: texts, map: text, rules: text },
  ...{ protocol: oneOf(protocolNames), scoring: oneOf(scoreNames) },
}) as Shape<Origin>;

const gameShape = fields<ArenaGame>({ seats: counts, centers: counts, winner: wholeNumber(), years: wholeNumber() });

const arenaShape: Shape<KeptArena> = (value, where) => {
  const shapes = { origin: originShape, games: listOf(orElse(gameShape, null), 0, Number.POSITIVE_INFINITY) };
  const arena = fields<KeptArena>(shapes)(value, where);
  const { agents } = arena.origin;
  const isSeated = (game: ArenaGame | null): boolean =>
    game === null || (game.seats.length === game.centers.length && game.seats.every((seat) => seat < agents.length));
  return arena.games.every(isSeated) ? arena : refuseValue(where, arena.games, 'games with a seat for each power');
};

const gateShape = fields<Omit<GateSpec, 'until' | 'chance' | 'seed' | 'rounds'>>({
  ...{ agent: text, against: text, anchors: texts, map: text, rules: text, scoring: oneOf(scoreNames) },
  ...{ games: wholeNumber(2), looks: wholeNumber(1), p: numberIn(Number.MIN_VALUE, 0.5) },
}) as Shape<GateSpec>;

/** Content of a file: arenas with their games, and the gates that these games were played for. */
const keptShape = fields({
  arenas: listOf(arenaShape, 0, Number.POSITIVE_INFINITY),
  gates: orElse(listOf(gateShape, 0, Number.POSITIVE_INFINITY), undefined),
});

const readKept = (path: string): { readonly arenas: readonly KeptArena[]; readonly gates: readonly GateSpec[] } => {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { arenas: [], gates: [] };
    throw readError(path, error);
  }
  try {
    const { arenas, gates = [] } = keptShape(JSON.parse(text), '');
    return { arenas, gates };
  } catch {
    throw new LepantoError('file', `${path}: got another file, wanted games of an arena`);
  }
};

/** An arena read from a file. */
export interface FoundArena {
  /** Specification of the arena. Its number of games is the number before the first missing game. */
  readonly spec: ArenaSpec;
  readonly games: readonly ArenaGame[];
}

/**
 * Reads the arenas of a file, each up to its first missing game, and the gates that they were played for. A missing
 * file has none.
 * @throws LepantoError that names the file
 */
export const readKeptArenas = (
  path: string,
): { readonly arenas: readonly FoundArena[]; readonly gates: readonly GateSpec[] } => {
  const { arenas, gates } = readKept(path);
  const found = arenas.map(({ origin, games }) => {
    const missing = games.indexOf(null);
    const played = games.slice(0, missing < 0 ? undefined : missing) as ArenaGame[];
    return { spec: { ...origin, games: played.length }, games: played };
  });
  return { arenas: found, gates };
};

/**
 * Makes the directory of arenas, or checks an existing one.
 * @throws LepantoError if it has files but no ARENA_FILE, or cannot be made
 */
const openDirectory = (directory: string): void => {
  makeDirectories(directory);
  const names = readdirSync(directory);
  if (names.length > 0 && !names.includes(ARENA_FILE))
    throw new LepantoError(
      'file',
      `${directory}: got a directory with ${names[0]} but no ${ARENA_FILE}, wanted an empty or a new one`,
    );
};

/** True if the path is an existing file, or does not exist and ends with .json. */
const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() ?? path.endsWith('.json');

/**
 * Rejects an arena of a population if the file has games of the same arena by another build of Lepanto. All games of a
 * population must be of one build.
 * @throws LepantoError that names the differences
 */
const refuseOther = (origin: Origin, arenas: Iterable<KeptArena>, path: string | undefined): void => {
  const parts = ({ lepanto, commit, code, mapId, ...spec }: Origin) => ({
    spec,
    build: { lepanto, commit, code, mapId },
  });
  const own = parts(origin);
  for (const { origin: other, games } of arenas) {
    const { spec, build } = parts(other);
    if (games.length === 0 || JSON.stringify(spec) !== JSON.stringify(own.spec)) continue;
    const names = (Object.keys(build) as (keyof typeof build)[]).filter(
      (name) => JSON.stringify(build[name]) !== JSON.stringify(own.build[name]),
    );
    const list = (of: typeof build): string => names.map((name) => `${name} ${JSON.stringify(of[name])}`).join(', ');
    throw new LepantoError(
      'file',
      `${path}: got this population played by another build (${list(build)}), wanted that of now (${list(own.build)}), or another --out`,
    );
  }
};

/** Store of games by arena. A stored game is reused only for the same arena and the same build of Lepanto. */
export class KeptGames {
  private readonly arenas: Map<string, KeptArena>;
  private readonly gates: Map<string, GateSpec>;
  private readonly program: { readonly lepanto: string; commit: string | null };
  private readonly codes = new Map<string, AgentCode>();
  private readonly file: string | undefined;
  /** Run directories of whole games, keyed by arena. Empty if only results are stored. */
  private readonly records = new Map<KeptArena, SeatedRun>();
  private savedAt = 0;

  /**
   * Opens a store of games and reads the games that it has.
   * @param path a directory to store whole games; a file, or a name that ends with .json, to store results only;
   *   undefined to store results in memory
   * @param botVersion version of exec: bots, as stated by the user
   * @throws LepantoError that names the file, if it is of another kind or in use by another process
   */
  constructor(
    private readonly path?: string,
    private readonly botVersion?: string,
  ) {
    this.file = path === undefined || isFile(path) ? path : join(path, ARENA_FILE);
    if (path !== undefined && this.isWhole) openDirectory(path);
    if (path !== undefined) lockPath(path);
    const { arenas, gates } = this.file === undefined ? { arenas: [], gates: [] } : readKept(this.file);
    this.gates = new Map(gates.map((gate) => [JSON.stringify(gate), gate]));
    this.arenas = new Map(arenas.map((arena) => [JSON.stringify(arena.origin), arena]));
    this.program = { lepanto: lepantoVersion, commit: path === undefined ? null : findCommit() };
  }

  /** True if whole games are stored. */
  get isWhole(): boolean {
    return this.file !== this.path;
  }

  private recordsOf(spec: ArenaSpec): SeatedRun | undefined {
    const { path, botVersion } = this;
    if (path === undefined || !this.isWhole) return undefined;
    const arena = this.arenaOf(spec);
    const number = [...this.arenas.values()].indexOf(arena) + 1;
    const { map, rules, agents, until, seed, rounds = 0 } = spec;
    const played = { map, rules, until, seed, rounds, ...(botVersion !== undefined && { botVersion }) };
    const records = this.records.get(arena) ?? new SeatedRun(join(path, String(number)), played, [...agents]);
    this.records.set(arena, records);
    return records;
  }

  /**
   * Returns the hashes of the agents' code. They are computed at the first call, which comes before any game of these
   * agents.
   */
  private codeOf(agents: readonly string[]): AgentCode {
    const known = this.codes.get(agents.join()) ?? codeOfAgents(agents, this.botVersion);
    this.codes.set(agents.join(), known);
    return known;
  }

  private arenaOf({ map, rules, agents, protocol, scoring, until, chance, seed, rounds }: ArenaSpec): KeptArena {
    const code = this.codeOf(agents);
    const origin: Origin = {
      ...{ map, rules, agents, protocol, scoring, until },
      ...(chance !== undefined && { chance }),
      seed,
      ...(rounds !== undefined && { rounds }),
      ...this.program,
      ...(Object.keys(code).length > 0 && { code }),
      ...(addedMaps().length > 0 && { mapId: loadMap(map).id }),
    };
    const key = JSON.stringify(origin);
    const known = this.arenas.get(key);
    if (known === undefined && protocol === 'population') refuseOther(origin, this.arenas.values(), this.path);
    const arena = known ?? { origin, games: [] };
    this.arenas.set(key, arena);
    return arena;
  }

  /**
   * Copies the games of an arena from another file, such as the file of another task of a job array. Games already
   * stored stay.
   * @throws LepantoError that names the file, if it has no games of this arena by this build
   */
  take(path: string, spec: ArenaSpec): void {
    // Without a path the constructor has not looked up the commit.
    this.program.commit ??= findCommit();
    const own = this.arenaOf(spec);
    const { arenas } = readKept(path);
    const key = JSON.stringify(own.origin);
    const found = arenas.find(({ origin }) => JSON.stringify(origin) === key);
    if (found === undefined) {
      refuseOther(own.origin, arenas, path);
      throw new LepantoError('file', `${path}: got no game of this arena, wanted games of the same command`);
    }
    for (const [index, game] of found.games.entries()) own.games[index] ??= game;
  }

  /** Stores the spec of a gate, so that its test can be shown later. */
  addGate(spec: GateSpec): void {
    this.gates.set(JSON.stringify(spec), spec);
  }

  /** Returns the stored games of an arena, indexed by number; undefined for missing ones. */
  of(spec: ArenaSpec): (ArenaGame | undefined)[] {
    const records = this.recordsOf(spec);
    return this.arenaOf(spec)
      .games.slice(0, spec.games)
      .map((game, index) => (game === null || records?.has(index) === false ? undefined : game));
  }

  /**
   * Returns the number of stored games of some arenas. Of arenas that differ only in their number of games, only the
   * last one counts.
   */
  count(specs: readonly ArenaSpec[]): number {
    const games = new Map(specs.map((spec) => [this.arenaOf(spec), this.of(spec)]));
    return [...games.values()].flat().filter((game) => game !== undefined).length;
  }

  /**
   * Adds a game, and saves all games if the last save is over a second ago.
   * @param index number of the game
   * @param record encoded game; null if only its result is stored
   * @throws LepantoError that names the file that cannot be written
   */
  add(spec: ArenaSpec, index: number, game: ArenaGame, record: Uint8Array | null): void {
    const { games } = this.arenaOf(spec);
    while (games.length < index) games.push(null);
    games[index] = game;
    if (record !== null) this.recordsOf(spec)?.add(index, record);
    if (performance.now() - this.savedAt > SAVE_MS) this.save();
  }

  /**
   * Writes all games to disk. Does nothing if games are stored in memory only.
   * @throws LepantoError that names the file
   */
  save(): void {
    if (this.file === undefined) return;
    // With whole games, arenas without games stay in the list: the run directory of an arena is named by its index.
    const arenas = [...this.arenas.values()].filter(({ games }) => this.isWhole || games.length > 0);
    for (const [arena, records] of this.records) records.save(arena.games.length);
    const gates = [...this.gates.values()];
    writeWhole(this.file, `${JSON.stringify(gates.length === 0 ? { arenas } : { arenas, gates })}\n`);
    this.savedAt = performance.now();
  }
}
