// Makes the page of a replay.
import { basename, dirname, resolve } from 'node:path';
import { COMPLETED, type CompiledMap, Game, SOLO } from '../../engine/internal.js';
import { formatOrder, orderedUnits } from '../../engine/notation/text/index.js';
import { type GameRecord, loadState, type PhaseRecord } from '../../selfplay/games/game-record.js';
import type { Candidate } from '../../selfplay/question/agent.js';
import { boardOf } from '../draw/drawn-board.js';
import { escapeXml } from '../draw/escape-xml.js';
import { drawnPhases } from '../draw/game-phases.js';
import { positions } from '../formats/games/phases.js';
import type { PlayedBy, Source } from '../formats/games/recorded-run.js';
import { shortAgent } from '../reports/arena-report.js';
import { deflated, type PageParts } from './document.js';
import type { Deflated, ReplayData, ShownCandidate } from './page-data.js';

/** Facts about a game that its page shows and its record does not have. */
export interface ReplayNotes {
  /** Title, such as 'Game 12 of runs/example'. */
  readonly title: string;
  /** Names of agents, indexed by power, if they are known. */
  readonly agents?: readonly string[] | undefined;
  /**
   * HTML of links above the game. The page's script updates the links with the ids `edit`, `compare` and `go-on` to the
   * shown position.
   */
  readonly navigation?: string;
}

const orNull = (value: number): number | null => (Number.isNaN(value) ? null : value);

/**
 * Returns the order sets that the agents' searches weighed in a phase, keyed by power. Leaves out powers with a single
 * set without a value.
 * @param game the position before the phase
 */
const weighedIn = (game: Game, { targets = [] }: PhaseRecord): Record<string, ShownCandidate[]> => {
  const units = orderedUnits(game);
  const shown = ({ orders, probability, value, error }: Candidate): ShownCandidate => ({
    orders: Array.from(orders, (order) => formatOrder(game.map, order, units)),
    probability,
    value: orNull(value),
    error: orNull(error),
  });
  return Object.fromEntries(
    targets
      .filter(({ value, candidates }) => candidates.length > 1 || !Number.isNaN(value))
      .map(({ power, candidates }) => [game.map.powerNames[power], candidates.map(shown)]),
  );
};

const endOf = (map: CompiledMap, game: Game): string =>
  game.status === SOLO ? `${map.powerNames[game.winner]} wins alone` : 'No power wins alone';

/** Returns the agent that plays all powers; null if several play. */
const onlyOne = (agents: readonly string[]): string | null => (new Set(agents).size === 1 ? agents[0] : null);

/**
 * Makes the page of a replay around its data.
 * @param data result of replayData(), or its address relative to the page: `{ from: 'api/replay?game=3' }`
 */
export const replayFrame = (
  { map, rules }: PlayedBy,
  { title, agents = [], navigation = '' }: ReplayNotes,
  data: Deflated | { readonly from: string },
): PageParts => {
  const one = onlyOne(agents);
  const alike = one && `<span title="${escapeXml(one)}">${escapeXml(shortAgent(one))}</span> plays all powers; `;
  const about = `${alike ?? ''}map ${escapeXml(map.name)}, rules ${escapeXml(rules.name)}`;
  return {
    ...{ title, data, script: 'replay-page', isStage: true },
    ...{ above: navigation, below: `<p class="dim">${about}</p>` },
    ...('from' in data && { connects: "'self'" }),
  };
};

/**
 * Returns the data of a replay's page, deflated.
 * @param record record with the position of each phase
 * @param agents names of agents, indexed by power, if they are known
 */
export const replayData = (
  { map, rules }: PlayedBy,
  record: Pick<GameRecord, 'phases'>,
  agents: readonly string[] = [],
): Deflated => {
  const last = new Game(map, rules.adjudication);
  loadState(last, record.phases[record.phases.length - 1].state);
  const drawn = [...drawnPhases(map, rules.adjudication, record)];
  const searches = Array.from(positions(map, rules.adjudication, record), ([game, phase]) => weighedIn(game, phase));
  const named = map.powerNames.map((_, q) => agents[q] ?? null);
  const areShown = onlyOne(agents) === null;
  const { base: _, ...rows } = map.rows;
  return deflated({
    ...{ map: map.name, rules: rules.name, rows, geometry: boardOf(map).geometry },
    end: drawn.at(-1)?.phase === COMPLETED ? endOf(map, last) : 'The game is not over',
    ...{ agents: named, briefs: named.map((agent) => (areShown ? agent && shortAgent(agent) : null)) },
    phases: drawn.map((phase, i) => ({ ...phase, search: searches[i], messages: record.phases[i].messages })),
  } satisfies Record<keyof ReplayData, unknown>);
};

/** Makes the self-contained page of a replay. @param record record with the position of each phase */
export const replayPage = (by: PlayedBy, record: Pick<GameRecord, 'phases'>, notes: ReplayNotes): PageParts =>
  replayFrame(by, notes, replayData(by, record, notes.agents));

/** Returns the title of a game, such as 'Game 12 of example', with the name of its run or file without directories. */
export const titleOfGame = ({ path, files, manifest }: Source, { index }: GameRecord): string => {
  const isShard = manifest !== null && path === files[0];
  const name = basename(resolve(isShard ? dirname(path) : path));
  return `Game ${index} of ${name}`;
};
