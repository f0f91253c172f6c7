// Runs `lepanto draw`: draws positions and phases of games as SVG or PNG, or in a terminal.
import { COMPLETED, type CompiledMap } from '../../../engine/internal.js';
import { MAX_LINE } from '../../../engine/notation/json/lines.js';
import { parseJson } from '../../../engine/notation/json/long-ids.js';
import { DEFAULT_RULES, type RuleSet } from '../../../engine/notation/text/index.js';
import { hasCode, LepantoError } from '../../../engine/rules/error.js';
import { type ValuesOf, wholeIn } from '../../../selfplay/question/option.js';
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
import { wholeRecord } from '../../formats/games/recorded-run.js';
import { openInput, textsIn } from '../../terminal/json-lines.js';
import { readMap, readRules } from '../../terminal/map-and-rules.js';
import { gameOption, optionText, readArguments } from '../../terminal/options.js';
import { say, writeText } from '../../terminal/output.js';
import { findForeignGame, findGame, isForeign, openRecords } from '../../terminal/records.js';
import { checkFile, checkInput, onePath, UsageError } from '../../terminal/usage.js';

/** Maximum number of boards in a row of a grid. */
const MOST_COLUMNS = 40;
/** Minimum width of an image in pixels. */
const LEAST_PIXELS = 100;
/** Maximum width of a board in a terminal, in characters. */
const MOST_CHARACTERS = 1000;

export const options = {
  game: { ...gameOption, help: 'number of a recorded game, from 0 (default: the first)' },
  phase: {
    takes: 'PHASE',
    help: 'phase of the game: S1904M, or COMPLETED for the end (default: the last phase with orders)',
  },
  line: {
    ...wholeIn(1, 1e9),
    help: 'line of a position in FILE (default: 1); a single position may span several lines',
  },
  grid: { help: 'small boards side by side: the movement phases of the game and its end, or all positions' },
  columns: { ...wholeIn(1, 1000), help: 'boards in a row of --grid (default: 4)' },
  out: { takes: 'FILE', help: 'output (default: standard output)' },
  png: { help: 'PNG, as for a FILE that ends in .png; needs the package @resvg/resvg-js' },
  width: {
    ...wholeIn(MIN_COLUMNS, 10_000),
    help: `width in pixels, from ${LEAST_PIXELS} (default: 1200 for a PNG; an SVG fills its frame), or with --terminal in characters, up
      to ${MOST_CHARACTERS} (default: the width of the terminal)`,
  },
  theme: {
    words: themes,
    default: 'auto',
    help: "light, dark, or auto: that of the reader's system (light for a PNG)",
  },
  patterns: { help: 'a pattern for each power, readable without colours' },
  terminal: { help: 'text for a terminal, as without --out on a terminal' },
  colours: {
    words: terminalColours,
    help: 'colours of --terminal: true, 256 or none (default: those of the terminal)',
  },
  'no-orders': { help: 'the position without orders' },
  map: { takes: 'NAME', help: 'map of positions without one (default: standard)' },
  'map-options': { takes: 'LIST', help: 'options of the map: tsr,suez' },
  rules: { takes: 'RULES', help: 'rules of adjudication (default: datc-3.2)' },
} as const;

type Chosen = ValuesOf<typeof options>;

export const help = `
usage: lepanto draw [OPTIONS] [FILE|DIR]

Draws a board: a position with or without orders, or a phase of a recorded game
with the results of its orders.

FILE   positions, one a line, as lepanto adjudicate reads or writes them
       (default: -, standard input); or recorded games: a games-*.lep, or games
       of other programs that lepanto convert reads
DIR    a directory of games-*.lep

${optionText(options)}

disc with a cannon    army
boat                  fleet
arrow                 move; with a cross: failed
dashed line           support; with a cross: cut or invalid
waves                 convoyed move; the fleets have a dotted ring
ring                  hold
red rays, red star    dislodged unit, standoff
dotted arrow          retreat
red cross             disbanded unit (in a dotted ring: by civil disorder)
green ring with plus  build
In a terminal (A) holds, ~F~ convoys, and A! is dislodged. A map without a
geometry is drawn as a diagram of its graph.
`;

/** The phases of a game, or positions, that can be drawn, with their map. */
interface Phases {
  readonly map: CompiledMap;
  readonly phases: readonly DrawnPhase[];
  /** Name of the game for titles: 'game 3'; '' for positions. */
  readonly of: string;
}

// ---- input ----

/**
 * Reads a recorded game of a run or of another program, whose games are replayed.
 * @throws LepantoError if the game does not exist or cannot be read
 */
const recordedGame = (path: string, { game: index = -1, map: mapName, rules: rulesName }: Chosen): Phases => {
  if (isForeign(path)) {
    const by = readRules(rulesName ?? DEFAULT_RULES.name);
    const { where, map, replayed } = findForeignGame(path, by, index);
    const { record, unfinished } = replayed;
    if (unfinished) process.stderr.write(`lepanto: ${where}: the game has no end\n`);
    return { map, phases: [...drawnPhases(map, by.adjudication, record)], of: `game ${record.index}` };
  }
  const source = openRecords(path, mapName, rulesName);
  const record = wholeRecord(source, findGame(source, path, index));
  const phases = [...drawnPhases(source.map, source.rules.adjudication, record)];
  return { map: source.map, phases, of: `game ${record.index}` };
};

/** True if a JSON value is a position: an object with `phase` and without `phases`, which a saved game has. */
const isPosition = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !('phases' in value) && 'phase' in value;

const parseLine = (text: string): unknown => {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
};

/**
 * Yields the JSON value of each line or object of an input, with the number of its first line, from 1. The value is
 * `undefined` if it is not JSON, null if it is too long. Blank lines are left out.
 */
async function* positionLines(path: string): AsyncGenerator<{ readonly line: number; readonly value: unknown }> {
  for await (const [text, line] of textsIn(openInput(path).stream))
    if (text?.trim() !== '') yield { line, value: text === null ? null : parseLine(text.replace(/^\uFEFF/, '')) };
}

/** True if the first line of a file is a position. */
const holdsPositions = async (path: string): Promise<boolean> => {
  for await (const { value } of positionLines(path)) return isPosition(value);
  return false;
};

/** Maximum number of boards in a grid. */
const MOST_BOARDS = 400;

/**
 * Reads positions from a file.
 * @param wanted number of one line, from 1; 0 for all lines
 * @throws LepantoError that names file and line for an invalid position, positions on several maps, no position, or
 *   more than MOST_BOARDS
 */
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
      throw new LepantoError(
        'file',
        `${name}: got more than ${MOST_BOARDS} positions, wanted at most as many for one picture`,
      );
  }
  if (on === null)
    throw new LepantoError(
      'file',
      wanted > 1 ? `${name}: got no line ${wanted}, wanted a position in it` : `${name}: got no position, wanted one`,
    );
  return { map: on, phases, of: '' };
};

/**
 * Returns the phase with a name, by default the last one before COMPLETED.
 * @throws UsageError that lists the phases if none has the name
 */
const phaseOf = ({ phases, of }: Phases, name: string | undefined): DrawnPhase => {
  const played = phases.filter(({ phase }) => phase !== COMPLETED);
  if (name === undefined) return played.at(-1) ?? phases[0];
  const found = phases.find(({ phase }) => phase === name.toUpperCase());
  if (found !== undefined) return found;
  const [first, last] = [played[0]?.phase ?? COMPLETED, played.at(-1)?.phase ?? COMPLETED];
  const names = phases.map(({ phase }) => phase);
  const near = names.filter((one) => one.startsWith(name.toUpperCase()));
  const listed = (near.length > 0 ? near : names).join(' ');
  throw new UsageError(
    `--phase: got "${name}", wanted a phase of ${of}, which has ${first} to ${last}, or COMPLETED: ${listed}`,
  );
};

// ---- output ----

const coloursHere = (): TerminalColours => {
  const { NO_COLOR, COLORTERM = '', TERM = '' } = process.env;
  if (!process.stdout.isTTY || (NO_COLOR ?? '') !== '' || TERM === 'dumb') return 'none';
  if (/truecolor|24bit/.test(COLORTERM) || /direct|kitty|ghostty|alacritty/.test(TERM)) return 'true';
  return '256';
};

/** Refuses options that cannot be combined. @throws UsageError @param isGame true if recorded games are drawn */
const checkTogether = (values: Chosen, isGame: boolean): void => {
  const pairs: readonly (readonly [boolean, string])[] = [
    [values.terminal && (values.png || values.grid), '--terminal: got --png or --grid with it, wanted one of them'],
    [!values.terminal && values.colours !== undefined, '--colours: got it without --terminal, wanted both'],
    [
      values.patterns && (values.terminal || values.grid),
      '--patterns: got it with --terminal or --grid, wanted it without them',
    ],
    [
      values.grid && values.phase !== undefined,
      '--phase: got it with --grid, which draws all phases, wanted one of the two',
    ],
    [values.columns !== undefined && !values.grid, '--columns: got it without --grid, wanted both'],
    [
      (values.columns ?? 1) > MOST_COLUMNS,
      `--columns: got "${values.columns}", wanted a whole number from 1 to ${MOST_COLUMNS}`,
    ],
    [!isGame && (values.game ?? values.phase) !== undefined, '--game, --phase: got a position, wanted recorded games'],
    [isGame && values.line !== undefined, '--line: got recorded games, wanted positions'],
  ];
  for (const [isWrong, message] of pairs) if (isWrong) throw new UsageError(message);
};

const readPhases = async (path: string, values: Chosen, isGame: boolean): Promise<Phases> => {
  if (isGame) return recordedGame(path, values);
  const map = readMap({ ...values, map: values.map ?? 'standard' });
  const rules = readRules(values.rules ?? DEFAULT_RULES.name);
  return positions(path, map, rules, values.grid ? 0 : (values.line ?? 1));
};

/** Checks the value of --width, in pixels or characters. @throws UsageError unless it is from `least` to `most` */
const checkWidth = (value: number, least: number, most: number): void => {
  if (value < least || value > most)
    throw new UsageError(`--width: got "${value}", wanted a whole number from ${least} to ${most}`);
};

/**
 * Returns the phases of a grid: the movement phases of a game and its end, or all positions.
 * @throws LepantoError for more than MOST_BOARDS
 */
const gridPhases = ({ phases, of }: Phases): DrawnPhase[] => {
  const shown = of === '' ? [...phases] : phases.filter(({ phase }) => phase.endsWith('M') || phase === COMPLETED);
  if (shown.length > MOST_BOARDS)
    throw new LepantoError('file', `${of}: got ${shown.length} boards, wanted at most ${MOST_BOARDS}`);
  return shown;
};

const drawSvg = (found: Phases, values: Chosen, theme: Theme, width: number | undefined): string => {
  const board = boardOf(found.map);
  if (values.grid) {
    const { columns = 4 } = values;
    const cell = width === undefined ? 300 : Math.max(60, Math.round(width / columns) - 18);
    return drawGrid(board, gridPhases(found), { theme, columns, cell });
  }
  const phase = phaseOf(found, values.phase);
  const title = found.of === '' ? phaseTitle(phase.phase) : `${phaseTitle(phase.phase)} · ${found.of}`;
  const size = width === undefined || values.png ? {} : { width };
  return drawBoard(board, phase, { theme, orders: !values['no-orders'], patterns: values.patterns, title, ...size });
};

const drawText = (found: Phases, values: Chosen): string => {
  const { width, height } = boardOf(found.map).geometry;
  // A line of text has two dots of height. Leaves some lines for the legend and the prompt.
  const high = ((process.stdout.rows ?? Number.POSITIVE_INFINITY) - 5) * 2 * (width / height);
  const here = Math.floor(Math.min(400, Math.max(MIN_COLUMNS, Math.min(process.stdout.columns ?? 100, high))));
  const { width: columns = here, colours = coloursHere() } = values;
  checkWidth(columns, MIN_COLUMNS, MOST_CHARACTERS);
  const phase = phaseOf(found, values.phase);
  return drawTerminal(boardOf(found.map), phase, { columns, colours, orders: !values['no-orders'] });
};

const writeOut = async (out: string | undefined, content: string | Uint8Array): Promise<void> => {
  if (out !== undefined) writeWhole(out, content);
  else if (typeof content === 'string') await writeText(process.stdout, content);
  else process.stdout.write(content);
};

/** Returns the options with --columns, the former name of --width with --terminal, as --width. Prints a warning. */
const widthByOlderName = (values: Chosen): Chosen => {
  if (!values.terminal || values.columns === undefined) return values;
  say('--columns with --terminal is now --width; the old name works until 0.3');
  return { ...values, columns: undefined, width: values.width ?? values.columns };
};

/** Returns the allowed extensions of the file given by --out. */
const endingsOf = ({ png, terminal }: Chosen): string[] => (terminal ? [] : [png ? '.png' : '.svg']);

export const run = async (args: string[]): Promise<number> => {
  const parsed = readArguments(args, options);
  if (args.includes('--json')) throw new UsageError('--json: got it for a picture, wanted it with other commands only');
  const path = onePath('draw', parsed.positionals, 'one, or none for standard input', '-');
  const { out } = parsed.values;
  const values = { ...widthByOlderName(parsed.values), png: parsed.values.png || /\.png$/i.test(out ?? '') };
  const { theme, width } = values;
  if (width !== undefined && !values.terminal) checkWidth(width, LEAST_PIXELS, options.width.most);
  if (out !== undefined) checkFile('--out', out, endingsOf(values));
  const isGame = path !== '-' && !(await isPositionFile(path));
  checkTogether(values, isGame);
  if (values.png && out === undefined && process.stdout.isTTY)
    throw new UsageError('--png: got a terminal to write to, wanted --out FILE');
  // A board is drawn with characters in a terminal, instead of printing a hundred kilobytes of SVG.
  const isPoured = out === undefined && !values.terminal && process.stdout.isTTY === true;
  if (isPoured && (values.grid || values.patterns || values.theme !== 'auto' || values.width !== undefined))
    throw new UsageError('--out: got a terminal to write an SVG to, wanted --out FILE, or --terminal');
  const found = await readPhases(path, values, isGame);
  if (values.terminal || isPoured) await writeOut(out, drawText(found, values));
  else {
    const svg = drawSvg(found, values, values.png && theme === 'auto' ? 'light' : theme, width);
    await writeOut(out, values.png ? await renderPng(svg, width ?? 1200) : svg);
  }
  return 0;
};

/** True if a file has positions instead of recorded games. @throws LepantoError if it cannot be read */
const isPositionFile = async (path: string): Promise<boolean> => {
  if (!isForeign(path)) return false;
  checkInput(path);
  return holdsPositions(path);
};
