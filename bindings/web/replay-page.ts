// Makes the page that plays a game: boards drawn here, once, so that the page needs no more than a player.
import { basename, dirname, resolve } from 'node:path';
import { COMPLETED, type CompiledMap, Game, SOLO } from '../../engine/internal.js';
import { formatOrder, orderedUnits } from '../../engine/notation/text/index.js';
import { type GameRecord, loadState, type PhaseRecord } from '../../selfplay/games/game-record.js';
import type { Candidate } from '../../selfplay/question/agent.js';
import { powerStyle, styleOf, withPatterns } from '../draw/colours.js';
import { drawBuilt, drawCenters, drawGround, drawNames, drawUnit, ownersOf, scopeOf } from '../draw/draw-board.js';
import { type Board, boardOf, frameOf, provinceTag, wetTags } from '../draw/drawn-board.js';
import type { DrawnPhase } from '../draw/drawn-phase.js';
import { escapeXml } from '../draw/escape-xml.js';
import { drawnPhases } from '../draw/game-phases.js';
import { drawOrders } from '../draw/order-lines.js';
import { pathsOf } from '../draw/paths.js';
import { positions } from '../formats/games/phases.js';
import type { PlayedBy, Source } from '../formats/games/recorded-run.js';
import { shortAgent } from '../reports/arena-report.js';
import { columnsOf } from './columns.js';
import { deflated, type PageParts } from './document.js';
import type { Deflated, DrawnReplayPhase, ReplayData, ShownBoard, ShownCandidate, StoredReplay } from './page-data.js';

/** What a page says of a game in addition to its record. */
export interface ReplayNotes {
  /** 'Game 12 of runs/example'. */
  readonly title: string;
  /** By power, where they are known. */
  readonly agents?: readonly string[] | undefined;
  /** HTML of links above the game; a link of the id `edit` gets the position that is shown, behind a #. */
  readonly navigation?: string;
}

class Texts {
  readonly list: string[] = [];
  private readonly numbers: Map<string, number> = new Map();

  constructor(known: readonly string[] = []) {
    known.forEach((text) => {
      this.numberOf(text);
    });
  }

  numberOf(text: string): number {
    const known = this.numbers.get(text);
    if (known !== undefined) return known;
    this.numbers.set(text, this.list.length);
    return this.list.push(text) - 1;
  }
}

/** A phase without what the page does not show of its orders. */
const shownPhase = ({ phase, units, centers = {}, retreats = {}, orders = [] }: DrawnPhase): DrawnPhase => {
  const shown = orders.map(({ power, order, unit = null, result = null, reason = null, fate = null }) => ({
    ...{ power, order, unit, result, reason, fate },
  }));
  return { phase, units, centers, retreats, orders: shown };
};

const orNull = (value: number): number | null => (Number.isNaN(value) ? null : value);

/** What agents weighed in a phase, by power, where there was a choice. */
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

/** The orders of the sets that were weighed, by power, each once. */
const drawWeighed = (
  board: Board,
  phase: DrawnPhase,
  search: Record<string, ShownCandidate[]>,
): Record<string, string> => {
  const several = Object.entries(search).filter(([, sets]) => sets.length > 1);
  const drawn = several.map(([power, sets]) => {
    const shares = new Map<string, number>();
    for (const { orders, probability } of sets)
      for (const order of orders) shares.set(order, (shares.get(order) ?? 0) + probability);
    const orders = [...shares].map(([order, share]) => ({ power, order, share: Math.min(1, share) }));
    return [power, drawOrders(board, { ...phase, orders }).lines];
  });
  return Object.fromEntries(drawn);
};

/** Phases with their layers drawn; the grounds without their path data, which they share. */
const drawPhases = (
  board: Board,
  drawn: readonly DrawnPhase[],
  search: readonly Record<string, ShownCandidate[]>[],
  { phases: recorded }: Pick<GameRecord, 'phases'>,
): Pick<ReplayData, 'arcs' | 'wet' | 'paths' | 'grounds' | 'dots' | 'phases'> => {
  const { map, geometry, shapes } = board;
  const known = pathsOf(shapes);
  const [paths, grounds, dots] = [new Texts(known), new Texts(), new Texts()];
  // The power of the last unit in each province.
  const influence: Record<string, string> = {};
  const phases = drawn.map((phase, i): DrawnReplayPhase => {
    for (const [power, list] of Object.entries(phase.units))
      for (const unit of list) influence[provinceTag(unit.slice(2))] = power;
    const owners = ownersOf(board, phase);
    const ground = drawGround(board, owners, influence);
    const { lines, marks } = drawOrders(board, phase);
    return {
      ...shownPhase(phase),
      search: search[i],
      ...(Object.keys(search[i]).length > 0 && { weighed: drawWeighed(board, phase, search[i]) }),
      ...(recorded[i].messages !== undefined && { messages: recorded[i].messages }),
      ground: grounds.numberOf(ground.replace(/ d="([^"]+)"/g, (_, d: string) => ` d="@${paths.numberOf(d)}"`)),
      dots: dots.numberOf(drawCenters(board, owners)),
      lines,
      marks: drawBuilt(board, phase) + marks,
    };
  });
  const outlines = { arcs: geometry.arcs, wet: [...wetTags(map, geometry)], paths: paths.list.slice(known.length) };
  return { ...outlines, grounds: grounds.list, dots: dots.list, phases };
};

/** Units with the rays of the dislodged, which the style hides on others. */
const tokensOf = (board: Board): Record<string, string> => {
  const [place] = board.map.provinceTags;
  const tokens: Record<string, string> = {};
  board.map.powerNames.forEach((name, power) => {
    for (const type of 'AF') tokens[`${type} ${name}`] = drawUnit(board, power, `${type} ${place}`, true);
  });
  return tokens;
};

const endOf = (map: CompiledMap, game: Game): string =>
  game.status === SOLO ? `${map.powerNames[game.winner]} wins alone` : 'No power wins alone';

type Looks = Pick<Board, 'scope' | 'looks'>;

/** The parts of a page whose data are in it, or are to be fetched. */
const partsOf = (
  { map, rules }: PlayedBy,
  { title, agents = [], navigation = '' }: ReplayNotes,
  data: object,
  looks: Looks,
): PageParts => {
  const one = onlyOne(agents);
  const alike = one && `<span title="${escapeXml(one)}">${escapeXml(shortAgent(one))}</span> plays all powers; `;
  const about = `${alike ?? ''}map ${escapeXml(map.name)}, rules ${escapeXml(rules.name)}`;
  return {
    title,
    ...{ above: navigation, below: `<p class="dim">${about}</p>`, isStage: true },
    style: boardStyle(looks),
    script: 'replay-page',
    data,
  };
};

/** The agent of all powers; null where they differ. */
const onlyOne = (agents: readonly string[]): string | null => (new Set(agents).size === 1 ? agents[0] : null);

/**
 * The page of a game before it is read: it fetches its data.
 * @param from address of what replayData() makes, below that of the page
 */
export const replayFrame = (by: PlayedBy, notes: ReplayNotes, from: string): PageParts => ({
  ...partsOf(by, notes, { from }, patterned(frameOf(by.map))),
  connects: "'self'",
});

export const shownBoard = (board: Board): ShownBoard => {
  const { width, height } = board.geometry;
  return { scope: scopeOf(board, 'auto'), width, height, isCoded: board.looks.some(({ code }) => code !== null) };
};

/** The same with patterns, which a reader may want. */
const patterned = <T extends Looks>(board: T): T => ({ ...board, looks: withPatterns(board.looks) });
export const pageBoard = (map: CompiledMap): Board => patterned(boardOf(map));

export const boardStyle = (board: Looks): string =>
  powerStyle(board.looks) + styleOf(board.looks, scopeOf(board, 'auto'), 'auto');

/**
 * The data of the page of a game, deflated.
 * @param by the map and the rules that it was played on
 * @param record with all its positions
 * @param agents by power, where they are known
 */
export const replayData = (
  { map, rules }: PlayedBy,
  record: Pick<GameRecord, 'phases'>,
  agents: readonly string[] = [],
): Deflated => {
  const board = pageBoard(map);
  const last = new Game(map, rules.adjudication);
  loadState(last, record.phases[record.phases.length - 1].state);
  const drawn = [...drawnPhases(map, rules.adjudication, record)];
  const weighed = Array.from(positions(map, rules.adjudication, record), ([game, phase]) => weighedIn(game, phase));
  const one = onlyOne(agents);
  const spots: Record<string, [number, number, number, number]> = {};
  for (const [tag, { unit, dislodged }] of board.spots) spots[tag] = [unit[0], unit[1], dislodged[0], dislodged[1]];
  const data: ReplayData = {
    map: map.name,
    end: drawn.at(-1)?.phase === COMPLETED ? endOf(map, last) : 'The game is not over',
    rules: rules.name,
    powers: map.powerNames.map((name, q) => {
      const agent = one === null ? (agents[q] ?? null) : null;
      return { name, agent, brief: agent && shortAgent(agent), code: board.looks[q].code };
    }),
    victory: map.victoryCenters,
    board: shownBoard(board),
    ...drawPhases(board, drawn, weighed, record),
    names: drawNames(board),
    tokens: tokensOf(board),
    spots,
    provinces: Object.fromEntries(map.provinceTags.map((tag, p) => [tag, map.provinceNames[p]])),
  };
  const { phases, ...rest } = data;
  const stored: StoredReplay = { ...rest, phaseCount: phases.length, columns: columnsOf(phases) };
  return deflated(stored);
};

/** The page that plays a game. @param record with all its positions */
export const replayPage = (by: PlayedBy, record: Pick<GameRecord, 'phases'>, notes: ReplayNotes): PageParts =>
  partsOf(by, notes, replayData(by, record, notes.agents), pageBoard(by.map));

/** 'Game 12 of example': the name of the run or of the file, without what is above it. */
export const titleOfGame = ({ path, files, manifest }: Source, { index }: GameRecord): string => {
  const isShard = manifest !== null && path === files[0];
  const name = basename(resolve(isShard ? dirname(path) : path));
  return `Game ${index} of ${name}`;
};
