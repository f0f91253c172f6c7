// Makes the page that plays a game: boards drawn here, once, so that the page needs no more than a player.
import { basename, dirname, resolve } from 'node:path';
import { COMPLETED, type CompiledMap, Game, SOLO } from '../../engine/internal.js';
import type { Candidate } from '../../selfplay/agents/agent.js';
import { type GameRecord, loadState, type PhaseRecord } from '../../selfplay/games/game-record.js';
import { styleOf } from '../draw/colours.js';
import { drawBuilt, drawCenters, drawGround, drawNames, drawUnit, ownersOf, scopeOf } from '../draw/draw-board.js';
import { type Board, boardOf, provinceTag } from '../draw/drawn-board.js';
import type { DrawnOrder, DrawnPhase } from '../draw/drawn-phase.js';
import { escapeXml } from '../draw/escape-xml.js';
import { drawnPhases } from '../draw/game-phases.js';
import { drawOrders } from '../draw/order-lines.js';
import { positions } from '../formats/games/phases.js';
import type { PlayedBy, Source } from '../formats/games/recorded-run.js';
import { formatOrder, orderedUnits } from '../notation/text/index.js';
import { deflated, type PageParts } from './document.js';
import type { DrawnReplayPhase, ReplayData, ShownCandidate, ShownOrder, ShownPhase } from './page-data.js';
import { commonStyle, powerStyle } from './styles.js';

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

  numberOf(text: string): number {
    const known = this.numbers.get(text);
    if (known !== undefined) return known;
    this.numbers.set(text, this.list.length);
    return this.list.push(text) - 1;
  }
}

const shownOrder = ({ order, unit, result, reason = null, fate = null }: DrawnOrder): ShownOrder => {
  const text = order ?? unit ?? '';
  if (fate !== null) return [text, result ?? '', reason, fate];
  if (reason !== null) return [text, result ?? '', reason];
  return result === 'succeeds' ? [text] : [text, result ?? ''];
};

/** A phase as the page shows it. @param before the one before it; undefined for the first */
const shownPhase = (drawn: DrawnPhase, before: DrawnPhase | undefined): ShownPhase => {
  const { phase, units, centers = {}, retreats = {}, orders = [] } = drawn;
  const isSame = JSON.stringify(centers) === JSON.stringify(before?.centers ?? {});
  const byPower: Record<string, ShownOrder[]> = {};
  for (const order of orders) {
    byPower[order.power] ??= [];
    byPower[order.power].push(shownOrder(order));
  }
  return {
    phase,
    units,
    ...(before !== undefined && isSame ? {} : { centers }),
    ...(Object.keys(retreats).length > 0 ? { retreats } : {}),
    ...(orders.length > 0 ? { orders: byPower } : {}),
  };
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

/** Phases with their layers drawn; the grounds without their path data, which they share. */
const drawPhases = (
  board: Board,
  drawn: readonly DrawnPhase[],
  search: readonly Record<string, ShownCandidate[]>[],
): Pick<ReplayData, 'paths' | 'grounds' | 'dots' | 'phases'> => {
  const [paths, grounds, dots] = [new Texts(), new Texts(), new Texts()];
  // The power of the last unit in each province.
  const influence: Record<string, string> = {};
  const phases = drawn.map((phase, i): DrawnReplayPhase => {
    for (const [power, list] of Object.entries(phase.units))
      for (const unit of list) influence[provinceTag(unit.slice(2))] = power;
    const owners = ownersOf(board, phase);
    const ground = drawGround(board, owners, influence);
    const { lines, marks } = drawOrders(board, phase);
    return {
      ...shownPhase(phase, drawn[i - 1]),
      ...(Object.keys(search[i]).length > 0 ? { search: search[i] } : {}),
      ground: grounds.numberOf(ground.replace(/ d="([^"]+)"/g, (_, d: string) => ` d="@${paths.numberOf(d)}"`)),
      dots: dots.numberOf(drawCenters(board, owners)),
      lines,
      marks: drawBuilt(board, phase) + marks,
    };
  });
  return { paths: paths.list, grounds: grounds.list, dots: dots.list, phases };
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

const body = (title: string, about: string, navigation = ''): string => `<main>${navigation}
<header><h1>${escapeXml(title)}</h1><p class="dim">${escapeXml(about)}</p></header>
<div class="stage">
<div class="left"><div id="board"></div>
<div class="bar" role="group" aria-label="Player">
<h2 id="phase" role="status">…</h2>
<button id="first" type="button" aria-label="To the start">|◀</button>
<button id="back" type="button" aria-label="Step back">◀</button>
<button id="play" type="button">Play</button>
<button id="on" type="button" aria-label="Step on">▶</button>
<button id="last" type="button" aria-label="To the end">▶|</button>
<input id="at" type="range" min="0" value="0" aria-label="Phase">
<label class="unseen" for="speed">Speed</label><select id="speed"><option value="0.5">½×</option><option value="1" selected>1×</option><option value="2">2×</option><option value="4">4×</option><option value="8">8×</option></select>
</div>
<div id="chart"></div></div>
<div class="right"><ul id="powers" aria-label="Powers and their centres"></ul><div id="orders" tabindex="0" role="region" aria-label="Orders"></div></div>
</div>
<p class="dim keys">Keys: ← and → step, space plays, Home and End, Page Up and Page Down by a year. The address ends in the phase that is shown.</p>
</main>`;

const replayStyle = `
main{max-width:1560px}
header{display:flex;flex-wrap:wrap;gap:0 18px;align-items:baseline}
header h1,header p{margin:2px 0 6px}
.stage{display:grid;grid-template-columns:minmax(0,1fr) minmax(260px,380px);gap:18px}
.left{max-width:max(480px,calc(117vh - 340px));width:100%;justify-self:center}
#board svg{width:100%;height:auto;display:block;border-radius:8px}
.bar{display:flex;gap:6px;align-items:center;flex-wrap:wrap;margin:8px 0}
.bar h2{margin:0;font-size:18px;width:100%}
.bar input{flex:1 1 140px;min-width:110px}
#chart svg{width:100%;height:90px;display:block;cursor:pointer;border-radius:6px;background:var(--card)}
#chart path{fill:var(--power)}
#chart #now{stroke:var(--text);stroke-width:2;fill:none;vector-effect:non-scaling-stroke}
.unit:not(.dislodged) .bad{display:none}
.unit{transition:transform .7s cubic-bezier(.4,0,.2,1),opacity .45s}
#powers{list-style:none;margin:0 0 8px;padding:0;display:grid;grid-template-columns:repeat(auto-fill,minmax(112px,1fr));gap:2px 10px;font-variant-numeric:tabular-nums}
#powers .agent{display:block;font-size:12px;color:var(--dim);overflow-wrap:anywhere;line-height:1.2}
#powers .out{opacity:.5}
#orders{overflow:auto;max-height:max(300px,calc(100vh - 200px));font-size:14px}
#orders h3{font-size:13px;margin:10px 0 2px}
#orders table{table-layout:fixed}
#orders td{padding:2px 8px 2px 0;overflow-wrap:break-word}
#orders td:first-child{width:46%}
#orders .share{font-size:12px}
.keys{font-size:13px}
@media(max-width:900px){.stage{grid-template-columns:minmax(0,1fr)}.left{max-width:none}#orders{max-height:none}}
@media(max-width:600px){.keys{display:none}.bar button{padding:5px 9px}}
@media(prefers-reduced-motion:reduce){.unit:not(.dislodged) .bad{display:none}
.unit{transition:none}}
`;

export const boardStyle = (board: Board): string =>
  powerStyle(board.looks) + styleOf(board.looks, scopeOf(board, 'auto'), 'auto');

/**
 * The page that plays a game.
 * @param by the map and the rules that it was played on
 * @param record with all its positions
 */
export const replayPage = (
  { map, rules }: PlayedBy,
  record: Pick<GameRecord, 'phases'>,
  notes: ReplayNotes,
): PageParts => {
  const board = boardOf(map);
  const last = new Game(map, rules.adjudication);
  loadState(last, record.phases[record.phases.length - 1].state);
  const drawn = [...drawnPhases(map, rules.adjudication, record)];
  const weighed = Array.from(positions(map, rules.adjudication, record), ([game, phase]) => weighedIn(game, phase));
  const { agents = [] } = notes;
  const alike = new Set(agents).size === 1 ? `${agents[0]} plays all powers; ` : '';
  const about = `${alike}map ${map.name}, rules ${rules.name}`;
  const spots: Record<string, [number, number, number, number]> = {};
  for (const [tag, { unit, dislodged }] of board.spots) spots[tag] = [unit[0], unit[1], dislodged[0], dislodged[1]];
  const data: ReplayData = {
    map: map.name,
    end: drawn.at(-1)?.phase === COMPLETED ? endOf(map, last) : 'The game is not over',
    powers: map.powerNames.map((name, q) => ({
      name,
      agent: alike === '' ? (agents[q] ?? null) : null,
      code: board.looks[q].code,
    })),
    centers: map.centerCount,
    scope: scopeOf(board, 'auto'),
    width: board.geometry.width,
    height: board.geometry.height,
    ...drawPhases(board, drawn, weighed),
    names: drawNames(board),
    tokens: tokensOf(board),
    spots,
    provinces: Object.fromEntries(map.provinceTags.map((tag, p) => [tag, map.provinceNames[p]])),
  };
  return {
    title: notes.title,
    body: body(notes.title, about, notes.navigation),
    style: commonStyle + boardStyle(board) + replayStyle,
    script: 'replay-page',
    data: deflated(data),
  };
};

/** 'Game 12 of example': the name of the run or of the file, without what is above it. */
export const titleOfGame = ({ path, files, manifest }: Source, { index }: GameRecord): string => {
  const isShard = manifest !== null && path === files[0];
  const name = basename(resolve(isShard ? dirname(path) : path));
  return `Game ${index} of ${name}`;
};
