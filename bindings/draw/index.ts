// Draws boards: a position with its orders as SVG. Has no dependencies and does not require Node.
//
//   drawBoard(standard, { phase: 'S1901M', units: {...}, centers: {...}, orders: [...] }, { theme: 'light' })
//
// A page with animation or input uses the parts: boardOf(map) once, then drawLayers() inside an
// `<svg class="${scopeOf(board, theme)}">` with styleOf(board.looks, scope, theme). README.md lists the classes and
// attributes for selecting elements.

export { type Pattern, type PowerLook, patterns, styleOf, type Theme, themes } from './colours.js';
export type { Point } from './curves.js';
export { type DrawOptions, drawBoard, drawLayers, drawUnit, scopeOf } from './draw-board.js';
export { type Board, boardOf, type Spots, spotsAt } from './drawn-board.js';
export type { DrawnOrder, DrawnPhase } from './drawn-phase.js';
export type { Arc, GeometryData } from './geometry.js';
export type { Shapes } from './paths.js';
export { drawGrid, type GridOptions } from './small-multiples.js';
export { drawTerminal, type TerminalColours, type TerminalOptions, terminalColours } from './terminal.js';
export { phaseTitle } from './titles.js';
