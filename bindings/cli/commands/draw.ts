// Runs `lepanto draw`: draws positions and phases of games as SVG, PNG, or in a terminal.
import { createReadStream } from 'node:fs';
import { parseArgs } from 'node:util';
import { COMPLETED, type CompiledMap, loadMap } from '../../../engine/internal.js';
import { hasCode, LepantoError } from '../../../engine/rules/error.js';
import { writeWhole } from '../../../selfplay/records/whole-file.js';
import { type Theme, themes } from '../../draw/colours.js';
import { drawBoard } from '../../draw/draw-board.js';
import { boardOf } from '../../draw/drawn-board.js';
import type { DrawnPhase } from '../../draw/drawn-phase.js';
import { drawnPhases } from '../../draw/game-phases.js';
import { renderPng } from '../../draw/png.js';
import { readDrawnPhase } from '../../draw/read-phase.js';
import { drawGrid } from '../../draw/small-multiples.js';
import { drawTerminal, MIN_COLUMNS, type TerminalColours, terminalColours } from '../../draw/terminal.js';
import { phaseTitle } from '../../draw/titles.js';
import { playedGames } from '../../formats/games/played-games.js';
import { wholeRecord } from '../../formats/games/recorded-run.js';
import { openMap } from '../../notation/maps/open-map.js';
import { DEFAULT_RULES, type RuleSet, ruleSetByName } from '../../notation/text/index.js';
import { type InputLine, LineSplitter, MAX_LINE } from '../shared/json-lines.js';
import { writeText } from '../shared/output.js';
import { findGame, isForeign, openRecords } from '../shared/records.js';
import { checkFile, checkInput, oneOf, orUsage, parseWhole, UsageError } from '../shared/usage.js';

export const help = `
usage: lepanto draw [OPTIONS] [FILE|DIR]

Draws a board: of a position with or without orders, or of a phase of a recorded game, with what its orders came to.

FILE   a position as lepanto adjudicate reads it, with its orders or without, or as it writes it, one a line (-, standard
       input, is the default); or recorded games: a games-*.lep of lepanto, or those of others that lepanto convert reads
DIR    a directory of games-*.lep

  --game N         of recorded games, the one with this number, from 0 (the first that is there)
  --phase PHASE    its phase: S1904M, or COMPLETED for the end (the last one with orders)
  --line N         of positions, the one in this line (1); one position alone may go over several lines
  --grid           small boards side by side: the movement phases of the game and its end, or all positions
  --columns N      so many side by side with --grid (4); with --terminal, characters across (those of the terminal)
  --out FILE       writes the picture into FILE (standard output)
  --png            a PNG, as with a FILE that ends in .png; needs the package @resvg/resvg-js
  --width N        pixels across (1200 for a PNG; an SVG takes the room that it gets)
  --theme THEME    light, dark, or auto: as the reader's system has it; a PNG is light then (auto)
  --terminal       draws in the terminal instead
  --colours C      with --terminal: true, 256 or none (what the terminal can, none where there is no terminal)
  --no-orders      the position alone
  --map NAME       map of positions that name none (standard)
  --map-options L  its own rules in force: tsr,suez
  --rules RULES    rules that orders are adjudicated by (datc-3.2)

An army is a disc with a cannon, a fleet a boat. Moves are arrows, with a cross where they failed; supports are dashed and
end at what they support, with a cross where they were cut or matched nothing; convoyed moves are waves through their
fleets, which have a dotted ring; rings are holds. Red rays: dislodged. A red star: a standoff. Dotted arrows are retreats,
red crosses units that are gone (in a dotted ring by civil disorder), green rings with a plus are builds. A map that has no
geometry is drawn as a diagram of its graph.
`;

interface Phases {
  readonly map: CompiledMap;
  readonly phases: readonly DrawnPhase[];
  /** For titles: 'game 3'; '' for positions. */
  readonly of: string;
}

// ---- what is drawn ----

interface GameAsked {
  readonly index: number;
  readonly map: string | undefined;
  readonly rules: string | undefined;
}

/** A game of other programs, played by our rules. */
const foreignGame = (path: string, { index, rules }: GameAsked): Phases => {
  const by = orUsage('rules', () => ruleSetByName(rules ?? DEFAULT_RULES.name));
  for (const { where, replayed, map, error } of playedGames(path, { map: loadMap('standard'), rules: by })) {
    if (index >= 0 && replayed !== null && replayed.record.index !== index) continue;
    if (replayed === null) {
      if (index >= 0) continue;
      throw new LepantoError('file', `${path}, ${where}: ${error}`);
    }
    const { record, unfinished } = replayed;
    if (unfinished) process.stderr.write(`lepanto: ${where}: the game has no end\n`);
    return { map, phases: [...drawnPhases(map, by.adjudication, record)], of: `game ${record.index}` };
  }
  throw new LepantoError('file', `${path}: no game ${index < 0 ? 'at all' : index}`);
};

const ownGame = (path: string, { index, map, rules }: GameAsked): Phases => {
  const source = openRecords(path, map, rules);
  const stored = findGame(source, path, index);
  const record = wholeRecord(source, stored);
  const phases = [...drawnPhases(source.map, source.rules.adjudication, record)];
  return { map: source.map, phases, of: `game ${stored.index}` };
};

/** True if the text of a line is a position, not a saved game. */
const isPosition = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !('phases' in value) && 'phase' in value;

const parseLine = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

interface PositionLine {
  readonly line: number;
  /** Undefined for what is no JSON; null for a line that is too long. */
  readonly value: unknown;
}

/** Lines of a file or of standard input; null for one that is too long. */
async function* linesOf(path: string): AsyncGenerator<InputLine> {
  const splitter = new LineSplitter();
  const stream: AsyncIterable<Buffer> = path === '-' ? process.stdin : createReadStream(path);
  for await (const chunk of stream) yield* splitter.split(chunk);
  yield* splitter.rest();
}

/** JSON lines, or one JSON text over several lines. */
async function* positionLines(path: string): AsyncGenerator<PositionLine> {
  let line = 0;
  let whole: string | null = null;
  let size = 0;
  for await (const text of linesOf(path)) {
    line++;
    size += text?.length ?? MAX_LINE;
    if (whole !== null && size <= MAX_LINE) whole += `\n${text}`;
    if (whole !== null || text?.trim() === '') continue;
    const value = text === null ? null : parseLine(text.replace(/^\uFEFF/, ''));
    // What begins with no whole JSON may go on in the next line.
    if (value === undefined && line === 1) whole = text?.replace(/^\uFEFF/, '') ?? '';
    else yield { line, value };
  }
  if (whole !== null) yield { line: 1, value: size > MAX_LINE ? null : parseLine(whole) };
}

/** True if the first line of a file is a position. */
const holdsPositions = async (path: string): Promise<boolean> => {
  for await (const { value } of positionLines(path)) return isPosition(value);
  return false;
};

/** The most boards of a grid. */
const MOST_BOARDS = 400;

/** @param wanted number of the line, from 1; 0 for all */
const positions = async (path: string, map: CompiledMap, rules: RuleSet, wanted: number): Promise<Phases> => {
  const name = path === '-' ? 'standard input' : path;
  const phases: DrawnPhase[] = [];
  let on: CompiledMap | null = null;
  for await (const { line, value } of positionLines(path)) {
    if (wanted > 0 && line !== wanted) continue;
    const where = `${name}, line ${line}`;
    if (value === null) throw new LepantoError('file', `${where}: got more than ${MAX_LINE} bytes, wanted a position`);
    if (value === undefined) throw new LepantoError('file', `${where}: got no JSON, wanted a position`);
    try {
      const read = readDrawnPhase(value, map, rules);
      if (on !== null && on !== read.map)
        throw new LepantoError('record', `got the map ${read.map.name}, wanted ${on.name}`);
      on = read.map;
      phases.push(read.phase);
    } catch (error) {
      throw hasCode(error, 'record') ? new LepantoError('file', `${where}: ${error.message}`) : error;
    }
    if (wanted > 0) break;
    if (phases.length > MOST_BOARDS)
      throw new LepantoError('file', `${name}: got more than ${MOST_BOARDS} positions for one picture`);
  }
  if (on === null)
    throw new LepantoError(
      'file',
      wanted > 1 ? `${name}: got no position in line ${wanted}` : `${name}: got no position`,
    );
  return { map: on, phases, of: '' };
};

/** @throws UsageError that says which phases there are */
const phaseOf = ({ phases, of }: Phases, name: string | undefined): DrawnPhase => {
  const played = phases.filter(({ phase }) => phase !== COMPLETED);
  if (name === undefined) return played.at(-1) ?? phases[0];
  const found = phases.find(({ phase }) => phase === name.toUpperCase());
  if (found !== undefined) return found;
  const [first, last] = [played[0]?.phase ?? COMPLETED, played.at(-1)?.phase ?? COMPLETED];
  throw new UsageError(`--phase: got "${name}", wanted a phase of ${of}, which has ${first} to ${last}, or COMPLETED`);
};

// ---- how it is drawn ----

const coloursHere = (): TerminalColours => {
  const { NO_COLOR, COLORTERM = '', TERM = '' } = process.env;
  if (!process.stdout.isTTY || (NO_COLOR ?? '') !== '' || TERM === 'dumb') return 'none';
  if (/truecolor|24bit/.test(COLORTERM) || /direct|kitty|ghostty|alacritty/.test(TERM)) return 'true';
  return '256';
};

const options = {
  game: { type: 'string' },
  phase: { type: 'string' },
  line: { type: 'string' },
  grid: { type: 'boolean', default: false },
  columns: { type: 'string' },
  out: { type: 'string' },
  png: { type: 'boolean', default: false },
  width: { type: 'string' },
  theme: { type: 'string', default: 'auto' },
  terminal: { type: 'boolean', default: false },
  colours: { type: 'string' },
  'no-orders': { type: 'boolean', default: false },
  map: { type: 'string' },
  'map-options': { type: 'string' },
  rules: { type: 'string' },
} as const;

type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>['values'];

/** @throws UsageError for options that do not go together */
const checkTogether = (values: Values, isGame: boolean): void => {
  const pairs: readonly (readonly [boolean, string])[] = [
    [values.terminal && (values.png || values.grid), '--terminal: got --png or --grid with it, wanted one of them'],
    [values.terminal && values.width !== undefined, '--width: got it with --terminal, wanted --columns'],
    [!values.terminal && values.colours !== undefined, '--colours: got it without --terminal'],
    [values.grid && values.phase !== undefined, '--phase: got it with --grid, which draws all'],
    [
      values.columns !== undefined && !values.grid && !values.terminal,
      '--columns: got it without --grid or --terminal',
    ],
    [!isGame && (values.game ?? values.phase) !== undefined, '--game, --phase: got a position, wanted recorded games'],
    [isGame && values.line !== undefined, '--line: got recorded games, wanted positions'],
  ];
  for (const [isWrong, message] of pairs) if (isWrong) throw new UsageError(message);
};

const readPhases = async (path: string, values: Values, isGame: boolean): Promise<Phases> => {
  if (isGame) {
    const index = values.game === undefined ? -1 : parseWhole('game', values.game, 0, Number.MAX_SAFE_INTEGER);
    const asked = { index, map: values.map, rules: values.rules };
    return isForeign(path) ? foreignGame(path, asked) : ownGame(path, asked);
  }
  const map = orUsage('map', () => openMap(values.map ?? 'standard', values['map-options']));
  const rules = orUsage('rules', () => ruleSetByName(values.rules ?? DEFAULT_RULES.name));
  const line = values.grid ? 0 : parseWhole('line', values.line ?? '1', 1, Number.MAX_SAFE_INTEGER);
  return positions(path, map, rules, line);
};

/** Those of a grid: a game's movement phases and its end, or all positions. */
const gridPhases = ({ phases, of }: Phases): DrawnPhase[] => {
  const shown = of === '' ? [...phases] : phases.filter(({ phase }) => phase.endsWith('M') || phase === COMPLETED);
  if (shown.length > MOST_BOARDS)
    throw new LepantoError('file', `${of}: got ${shown.length} boards, wanted at most ${MOST_BOARDS}`);
  return shown;
};

const drawSvg = (found: Phases, values: Values, theme: Theme, width: number | undefined): string => {
  const board = boardOf(found.map);
  if (values.grid) {
    const columns = parseWhole('columns', values.columns ?? '4', 1, 40);
    const cell = width === undefined ? 300 : Math.max(60, Math.round(width / columns) - 18);
    return drawGrid(board, gridPhases(found), { theme, columns, cell });
  }
  const phase = phaseOf(found, values.phase);
  const title = found.of === '' ? phaseTitle(phase.phase) : `${phaseTitle(phase.phase)} · ${found.of}`;
  const size = width === undefined || values.png ? {} : { width };
  return drawBoard(board, phase, { theme, orders: !values['no-orders'], title, ...size });
};

const drawText = (found: Phases, values: Values): string => {
  const here = Math.min(400, Math.max(MIN_COLUMNS, process.stdout.columns ?? 100));
  const columns = values.columns === undefined ? here : parseWhole('columns', values.columns, MIN_COLUMNS, 1000);
  const colours = values.colours === undefined ? coloursHere() : oneOf('colours', values.colours, terminalColours);
  const phase = phaseOf(found, values.phase);
  return drawTerminal(boardOf(found.map), phase, { columns, colours, orders: !values['no-orders'] });
};

const writeOut = async (out: string | undefined, content: string | Uint8Array): Promise<void> => {
  if (out !== undefined) writeWhole(out, content);
  else if (typeof content === 'string') await writeText(process.stdout, content);
  else process.stdout.write(content);
};

export const run = async (args: string[]): Promise<number> => {
  const parsed = parseArgs({ args, options, allowPositionals: true });
  const [path = '-', ...more] = parsed.positionals;
  if (more.length > 0)
    throw new UsageError(`draw: got ${more.length + 1} paths, wanted one, or none for standard input`);
  const { out } = parsed.values;
  const values = { ...parsed.values, png: parsed.values.png || /\.png$/i.test(out ?? '') };
  const theme = oneOf('theme', values.theme, themes);
  const width = values.width === undefined ? undefined : parseWhole('width', values.width, 100, 10_000);
  if (out !== undefined) checkFile('--out', out);
  const isGame = path !== '-' && !(await isPositionFile(path));
  checkTogether(values, isGame);
  if (values.png && out === undefined && process.stdout.isTTY)
    throw new UsageError('--png: got a terminal to write to, wanted --out FILE');
  const found = await readPhases(path, values, isGame);
  if (values.terminal) await writeOut(out, drawText(found, values));
  else {
    const svg = drawSvg(found, values, values.png && theme === 'auto' ? 'light' : theme, width);
    await writeOut(out, values.png ? await renderPng(svg, width ?? 1200) : svg);
  }
  return 0;
};

/** True for a file of positions. @throws LepantoError if there is no such file */
const isPositionFile = async (path: string): Promise<boolean> => {
  if (!isForeign(path)) return false;
  checkInput(path);
  return holdsPositions(path);
};
