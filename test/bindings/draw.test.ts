// Tests that boards are drawn: what is on them, by structure, not by pixel.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { drawBoard } from '../../bindings/draw/draw-board.js';
import type { DrawnPhase } from '../../bindings/draw/drawn-phase.js';
import { standard } from '../../engine/internal.js';

/** How often a pattern occurs. */
const count = (text: string, pattern: RegExp): number => [...text.matchAll(new RegExp(pattern, 'g'))].length;

const phase: DrawnPhase = {
  phase: 'S1901M',
  units: { FRANCE: ['A PAR', 'A MAR'], GERMANY: ['A MUN'], RUSSIA: ['F STP/SC'] },
  centers: { FRANCE: ['PAR', 'MAR'], GERMANY: ['MUN'] },
  orders: [
    { power: 'FRANCE', order: 'A PAR - BUR', result: 'succeeds' },
    { power: 'FRANCE', order: 'A MAR S A PAR - BUR', result: 'given' },
    { power: 'GERMANY', order: 'A MUN - BUR', result: 'fails', reason: 'bounced with A PAR' },
  ],
};

const draw = suite('draw');

draw('a board has each province, centre, unit and order once', () => {
  const svg = drawBoard(standard, phase, { theme: 'light' });
  assert.is(count(svg, /class="province [^"]+" data-province="/), 75);
  assert.is(count(svg, /<g class="center" /), 34);
  assert.is(count(svg, /<g class="unit" /), 4);
  assert.is(count(svg, /<g class="order" /), 3);
  assert.match(svg, /data-unit="A MUN" data-power="GERMANY" data-kind="move" data-result="fails"/);
  assert.match(svg, /<title>GERMANY: A MUN - BUR, fails: bounced with A PAR<\/title>/);
  assert.match(svg, /data-unit="F STP\/SC" data-power="RUSSIA" data-province="STP"/);
  assert.not.match(svg, /<script|undefined|NaN/);
});

draw.run();
