// Tests what is drawn: structure of the SVG of fixed positions, not pixels; the terminal; the command.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseXml } from '@rgrove/parse-xml';
import * as fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  looksOf,
  luminanceOf,
  mixColours,
  paper,
  patterns,
  powerStyle,
  styleOf,
  tintOf,
} from '../../../bindings/draw/colours.js';
import { drawBoard } from '../../../bindings/draw/draw-board.js';
import { boardOf, gateBetween } from '../../../bindings/draw/drawn-board.js';
import type { DrawnPhase } from '../../../bindings/draw/drawn-phase.js';
import { escapeXml } from '../../../bindings/draw/escape-xml.js';
import { drawnPhases } from '../../../bindings/draw/game-phases.js';
import { renderPng } from '../../../bindings/draw/png.js';
import { readDrawnPhase } from '../../../bindings/draw/read-phase.js';
import { drawGrid } from '../../../bindings/draw/small-multiples.js';
import { drawTerminal } from '../../../bindings/draw/terminal.js';
import { phaseTitle } from '../../../bindings/draw/titles.js';
import { compileMap, DATC_3_2, loadMap, mapNames, newGame, standard } from '../../../engine/internal.js';
import { adjudicateRecord } from '../../../engine/notation/json/adjudicate-record.js';
import { formatPosition } from '../../../engine/notation/json/position.js';
import { DEFAULT_RULES } from '../../../engine/notation/text/index.js';
import { LepantoError } from '../../../engine/rules/error.js';
import { parseAgents } from '../../../selfplay/agents/registry.js';
import { playGame } from '../../../selfplay/games/play.js';
import { anyRecord } from '../../tools/any-record.js';
import { callLepanto, type Ended, makeFolder, runLepanto } from '../../tools/command.js';
import { root } from '../../tools/data.js';
import { saying } from '../../tools/errors.js';

/** How often a pattern occurs. */
const count = (text: string, pattern: RegExp): number => [...text.matchAll(new RegExp(pattern, 'g'))].length;

/** What the group of a pattern captures, wherever it matches. */
const all = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(new RegExp(pattern, 'g'))].map(([, found]) => found);

const phaseFrom = (record: object, map = standard): DrawnPhase => readDrawnPhase(record, map, DEFAULT_RULES).phase;

/** A group from where it begins to where it ends. */
const groupAt = (svg: string, begin: number): string => {
  let depth = 0;
  for (const { 0: tag, index } of svg.slice(begin).matchAll(/<g[ >]|<\/g>/g)) {
    depth += tag === '</g>' ? -1 : 1;
    if (depth === 0) return svg.slice(begin, begin + index);
  }
  return '';
};

/** What is drawn of the orders of a unit: their lines, and their marks. */
const layersOf = (svg: string, unit: string): { readonly line: string; readonly mark: string } => {
  const layer = (cls: string): string =>
    [...svg.matchAll(new RegExp(`<g class="${cls}" data-unit="${unit}"`, 'g'))]
      .map(({ index }) => groupAt(svg, index))
      .join('');
  return { line: layer('order'), mark: layer('mark') };
};

/** Every kind of order of a movement phase with every result. */
const movement = {
  phase: 'S1902M',
  units: {
    ENGLAND: ['A YOR', 'F NTH', 'F NWG', 'A LON', 'F ENG'],
    FRANCE: ['F MAO', 'A PIC', 'A BUR'],
    GERMANY: ['A MUN', 'A BEL', 'A RUH', 'F DEN'],
    RUSSIA: ['A RUM', 'F BOT', 'F STP/NC'],
    AUSTRIA: ['A SER', 'A BUD', 'A BUL'],
    TURKEY: ['F SMY', 'A ARM'],
  },
  centers: { ENGLAND: ['LON'], FRANCE: ['PAR'] },
  orders: {
    ENGLAND: [
      'A YOR - NWY VIA',
      'F NTH C A YOR - NWY',
      'F NWG S A YOR - NWY',
      'A LON - BRE VIA',
      'F ENG C A LON - BRE',
    ],
    FRANCE: ['F MAO - IRI', 'A PIC - BEL', 'A BUR S A PIC - BEL'],
    GERMANY: ['A MUN - BUR', 'A BEL H', 'A RUH S A BEL', 'F DEN - SWE'],
    RUSSIA: ['A RUM H', 'F BOT - SWE', 'F STP/NC - BAR'],
    AUSTRIA: ['A SER - RUM', 'A BUD S A SER - RUM', 'A BUL S A SER - RUM'],
    TURKEY: ['F SMY - LON', 'A ARM S F SMY - SYR'],
  },
};

const draw = suite('draw');

draw('a board has each province, centre, unit and order once', () => {
  const svg = drawBoard(standard, phaseFrom(movement), { theme: 'light' });
  parseXml(svg);
  assert.is(count(svg, /class="province [^"]+" data-province="/), 75);
  assert.is(count(svg, /<g class="center" /), 34);
  assert.is(count(svg, /<g class="unit" /), 20);
  assert.is(count(svg, /<g class="order" /), 19, 'all but the hold of a unit that is dislodged');
  assert.match(svg, /data-unit="F STP\/NC" data-power="RUSSIA" data-province="STP"/);
  assert.match(svg, /<title>Fleet in St Petersburg, Russia<\/title>/);
  assert.match(svg, /data-province="PAR"[^>]*><title>Paris<\/title>/);
  assert.not.match(svg, /<script|undefined|NaN|Infinity|http(?!:\/\/www\.w3\.org\/2000\/svg)/);
});

/** What is drawn of some orders: in their lines, or in their marks. */
const LOOKS: readonly (readonly [unit: string, kind: string, result: string, of: 'line' | 'mark', look: RegExp])[] = [
  ['A YOR', 'move', 'succeeds', 'line', /class="a1"/],
  ['F MAO', 'move', 'succeeds', 'line', /class="a2"/],
  ['A PIC', 'move', 'fails', 'line', /opacity/],
  ['A PIC', 'move', 'fails', 'mark', /class="bad"/],
  ['F NWG', 'support', 'given', 'line', /stroke-dasharray="4.5 3.6".*<circle class="h1"/],
  ['A BUR', 'support', 'cut', 'mark', /class="bad"/],
  ['A RUH', 'support', 'given', 'line', /stroke-dasharray="4.5 3.6".*a12.5 12.5/],
  ['F NTH', 'convoy', 'available', 'line', /stroke-dasharray="1.5 2.8"/],
  ['A BEL', 'hold', 'stands', 'line', /a13 13/],
  ['A ARM', 'support', 'invalid', 'mark', /class="bad"/],
  ['F SMY', 'move', 'illegal', 'line', /stroke-width="1.4" stroke-dasharray="2 4"/],
];

draw('each kind of order, with each result, has its own look', () => {
  const svg = drawBoard(standard, phaseFrom(movement), { theme: 'light' });
  for (const [unit, kind, result, of, look] of LOOKS) {
    const order = `class="order" data-unit="${unit}" data-power="\\w+" data-kind="${kind}" data-result="${result}"`;
    assert.match(svg, new RegExp(order));
    assert.match(layersOf(svg, unit)[of], look, unit);
  }
  // A convoyed move is a wave of many short pieces, a plain one is one curve.
  assert.ok(count(layersOf(svg, 'A YOR').line, /L/) > 40);
  assert.is(count(layersOf(svg, 'F MAO').line, /<path class="a2" stroke-width="3" d="M[^"]*Q/), 1);
  // Lines are as wide as orders are frequent.
  const often = (share: number): string => {
    const orders = [{ power: 'FRANCE', order: 'F MAO - SPA/SC', share }];
    return layersOf(drawBoard(standard, { ...phaseFrom(movement), orders }), 'F MAO').line;
  };
  assert.match(often(1), /<title>FRANCE: F MAO - SPA\/SC, 100 %<.*<path class="a2" stroke-width="5.4" d="M[^"]*Q/);
  assert.match(often(0.25), /, 25 %<.*<path class="a2" stroke-width="1.8" d="M[^"]*Q/);
  // Dislodged: twelve rays; no ring of a hold that came to nothing.
  const dislodged = layersOf(svg, 'A RUM');
  assert.is(dislodged.line, '');
  assert.is(count(dislodged.mark, /M-?\d/), 12);
  assert.equal(all(svg, /class="standoff" data-province="(\w+)"/), ['SWE']);
});

draw('a standoff is found where the record does not name it', () => {
  const { contested: _, ...phase } = phaseFrom(movement);
  assert.is(drawBoard(standard, phase), drawBoard(standard, phaseFrom(movement)));
});

draw('retreats, disbands, builds, removals and civil disorder are drawn', () => {
  const retreats = phaseFrom({
    phase: 'F1902R',
    units: { AUSTRIA: ['A TRI'], FRANCE: ['A BEL', 'A PAR'] },
    retreats: { ITALY: { 'A TRI': ['VEN', 'TYR'] }, GERMANY: { 'A BEL': ['HOL'] }, ENGLAND: { 'A PAR': ['PIC'] } },
    orders: { ITALY: ['A TRI - VEN'], GERMANY: ['A BEL D'] },
  });
  const svg = drawBoard(standard, retreats);
  assert.is(count(svg, /<g class="unit dislodged" /), 3);
  assert.match(layersOf(svg, 'A TRI').line, /stroke-dasharray=".1 5"/);
  assert.match(svg, /class="mark" data-unit="A BEL" data-power="GERMANY" data-kind="disband"/);
  assert.match(svg, /class="mark" data-unit="A PAR" data-power="ENGLAND" data-kind="none" data-result="fails"/);
  // The dislodged unit does not cover the one that came.
  assert.is(new Set(all(svg, /data-unit="A TRI"[^>]*transform="([^"]+)"/)).size, 2);

  const winter = phaseFrom({
    phase: 'W1902A',
    units: { AUSTRIA: ['A TRI'], FRANCE: ['F MAO', 'A BEL'] },
    centers: { AUSTRIA: ['TRI', 'VIE', 'BUD'], FRANCE: [] },
    orders: { AUSTRIA: ['A BUD B', 'F VIE B'], FRANCE: ['F MAO D'] },
  });
  const built = drawBoard(standard, winter);
  for (const part of [
    /class="unit" data-unit="A BUD" data-power="AUSTRIA"/,
    /class="mark" data-unit="A BUD" [^>]*data-kind="build" data-result="succeeds"><g [^>]*><g class="pin"><path class="good"/,
    /class="mark" data-unit="F MAO" [^>]*data-kind="disband" data-result="succeeds"/,
    /class="mark" data-unit="A BEL" [^>]*data-kind="none" data-result="fails"><g [^>]*><g class="pin"><path class="bad" stroke-width="1.6" stroke-dasharray/,
  ])
    assert.match(built, part);
});

draw('a move bends only where a straight line would leave its provinces by more than a unit', () => {
  const board = boardOf(standard);
  assert.is(gateBetween(board, 'VEN', 'TRI'), null);
  assert.is(gateBetween(board, 'SIL', 'MUN'), null);
  // North of Sweden, at the end of the common border that is closer to the way.
  const [x, y] = gateBetween(board, 'NWY', 'STP') ?? [0, 0];
  assert.ok(x > 560 && x < 640 && y > 40 && y < 80, `${x} ${y}`);
  assert.equal(gateBetween(board, 'STP', 'NWY'), [x, y]);
});

draw('a unit whose build has no result yet is pale, and takes no clicks', () => {
  const orders = [
    { power: 'AUSTRIA', order: 'A BUD B' },
    { power: 'RUSSIA', order: 'F STP/SC B' },
    { power: 'RUSSIA', order: 'A MOS B', result: 'illegal' },
  ];
  const svg = drawBoard(standard, { phase: 'W1902A', units: {}, orders });
  const planned = Array.from(svg.matchAll(/<g class="planned"/g), ({ index }) => groupAt(svg, index));
  assert.is(planned.length, 2);
  assert.match(planned[0], /opacity=".*fill-rule="evenodd"/, 'an army');
  assert.not.match(planned.join(''), /data-unit/);
});

draw('legends of pages tell powers of one colour by patterns', () => {
  const { looks } = boardOf(loadMap('chaos'));
  const style = powerStyle(looks);
  const seen = looks.map(({ light, pattern }, i) => {
    const [, shape = ''] = new RegExp(`\\.p${i}\\{--pattern:([^}]+)`).exec(style) ?? [];
    assert.is(shape === '', pattern === 'plain');
    return `${light} ${shape}`;
  });
  assert.is(new Set(seen).size, 34);
});

draw('an answer of adjudicate is drawn as what it answered', () => {
  const winter = {
    phase: 'W1902A',
    units: { AUSTRIA: ['A TRI', 'A VIE'], FRANCE: ['F MAO', 'A BEL'] },
    centers: { AUSTRIA: ['TRI', 'VIE', 'BUD'], FRANCE: ['PAR'] },
    orders: { AUSTRIA: ['A BUD B'], FRANCE: ['F MAO D'] },
  };
  const retreat = {
    phase: 'S1902R',
    units: { AUSTRIA: ['A TRI'] },
    retreats: { ITALY: { 'A TRI': ['TYR', 'VEN'], 'F NAP': ['ROM'] } },
    orders: { ITALY: ['A TRI R VEN', 'F NAP D'] },
  };
  for (const record of [movement, winter, retreat]) {
    const answer: object = JSON.parse(JSON.stringify(adjudicateRecord(record)));
    assert.is(drawBoard(standard, phaseFrom(answer)), drawBoard(standard, phaseFrom(record)), record.phase);
  }
});

/** Orders of answers that are refused, with what is said of them. */
const WRONG_ORDERS: readonly (readonly [order: unknown, error: RegExp])[] = [
  [1, /^orders, entry 1: got 1, wanted an object$/],
  [{ power: 'SPAIN', unit: 'A PAR' }, /^orders, entry 1: got power "SPAIN", wanted AUSTRIA, /],
  [{ power: 'FRANCE', unit: 7 }, /^orders, entry 1, unit: got 7, wanted text$/],
  [{ power: 'FRANCE', unit: 'A XXX', order: null }, /^orders, entry 1, unit: got "A XXX" \(/],
  [{ power: 'FRANCE', unit: 'PAR' }, /^orders, entry 1, unit: got "PAR", wanted one like A PAR/],
  [{ power: 'FRANCE', unit: 'A PAR', end: 'XXX' }, /^orders, entry 1, end: got "XXX", wanted the tag/],
];

draw('an order of an answer is checked', () => {
  const answer = { phase: 'S1901M', units: {}, centers: {} };
  for (const [order, error] of WRONG_ORDERS)
    assert.throws(() => phaseFrom({ ...answer, orders: [order] }), saying(error));
  assert.throws(() => phaseFrom({ ...answer, orders: [], contested: ['XXX'] }), /^contested: got "XXX", wanted tags/);
});

draw('whatever a record says, it is drawn or refused', () => {
  const text = fc.oneof(fc.constantFrom('A PAR', 'F STP/SC', 'A PAR - BUR', 'A PAR R GAS', 'A BUD B'), fc.string());
  const answer = fc.record(
    {
      power: fc.constantFrom('FRANCE', 'RUSSIA', 'x'),
      unit: fc.option(text),
      order: fc.option(text),
      result: fc.option(fc.constantFrom('succeeds', 'fails', 'stands', 'illegal', '<b>')),
      fate: fc.option(fc.constantFrom('dislodged', 'destroyed')),
      end: text,
    },
    { requiredKeys: ['power'] },
  );
  // Of what is asked, and of what is answered.
  const answered = fc.record({ orders: fc.array(answer), contested: fc.array(text), built: fc.array(text) });
  const record = fc
    .tuple(anyRecord, fc.option(fc.oneof(answered, fc.constant({ orders: [], contested: ['BUR'] }))))
    .map(([asked, more]) => ({ ...asked, ...more }));
  let drawn = 0;
  const one = (input: unknown): void => {
    try {
      parseXml(drawBoard(standard, phaseFrom(input as object), { theme: 'light' }));
      drawn++;
    } catch (error) {
      assert.instance(error, LepantoError);
    }
  };
  fc.assert(fc.property(fc.oneof(record, fc.jsonValue()), one), { numRuns: 400, seed: 7 });
  assert.ok(drawn > 10, String(drawn));
});

draw('names from outside show as text, whatever they are', () => {
  const evil = '<script>alert(1)</script>"\'&\u0001\ud800';
  assert.is(escapeXml(evil), '&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;');
  const phase: DrawnPhase = {
    phase: evil,
    units: { FRANCE: ['A PAR'], [evil]: ['A MUN'] },
    centers: { [evil]: ['MUN'] },
    orders: [
      { power: 'FRANCE', order: 'A PAR - BUR', result: evil, reason: evil },
      { power: evil, order: 'A MUN - BUR', result: 'fails' },
      { power: 'FRANCE', unit: 'A PAR', order: evil, result: 'illegal' },
    ],
  };
  for (const svg of [
    drawBoard(standard, phase, { title: evil, influence: { BUR: evil } }),
    drawGrid(boardOf(standard), [phase], { titles: [evil] }),
  ]) {
    parseXml(svg);
    assert.not.match(svg, /<script/);
  }
  const provinces = standard.rows.provinces.map((row, p) => (p === 0 ? { ...row, name: evil } : row));
  const svg = drawBoard(compileMap({ ...standard.rows, name: 'mine', provinces }), phase);
  parseXml(svg);
  assert.match(svg, /data-province="BOH"[^>]*><title>&lt;script&gt;/);
});

draw('every map that ships is drawn, and a phase of each kind has its title', () => {
  for (const name of mapNames) {
    const game = newGame(loadMap(name));
    const { units } = formatPosition(game);
    const svg = drawBoard(game.map, { phase: 'S1901M', units }, { theme: 'dark' });
    parseXml(svg);
    assert.is(count(svg, /<g class="unit" /), Object.values(units).flat().length, name);
  }
  const titles = ['S1901M', 'F1901R', 'W1901A', 'COMPLETED'].map(phaseTitle).join('; ');
  assert.is(titles, 'Spring 1901; Fall 1901, retreats; Winter 1901, adjustments; The end');
});

draw('style sheets of two maps, or of two themes, do not meet', () => {
  const scopes = ['standard', 'ancmed'].flatMap((name) =>
    (['light', 'dark'] as const).map((theme) => {
      const map = loadMap(name);
      const svg = drawBoard(map, { phase: 'S1901M', units: {} }, { theme });
      const [, scope] = /^<svg [^>]*class="([^"]+)"/.exec(svg) ?? [];
      const [, style] = /<style>(.*?)<\/style>/.exec(svg) ?? [];
      for (const rule of style.split('}').filter((one) => one !== '')) assert.ok(rule.startsWith(`.${scope} `), rule);
      return scope;
    }),
  );
  assert.is(new Set(scopes).size, 4);
  assert.match(styleOf([], 'x', 'auto'), /@media \(prefers-color-scheme:dark\)\{\.x /);
});

// ---- colours ----

/** OKLab of linear light. */
const oklab = ([r, g, b]: readonly number[]): number[] => {
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
};

/** Machado, Oliveira and Fernandes 2009, severity 1: what is left of colours for each kind of vision. */
const visions = {
  normal: [1, 0, 0, 0, 1, 0, 0, 0, 1],
  protan: [0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998],
  deutan: [0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.01182, 0.04294, 0.968881],
  tritan: [1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.3039],
};

/** A hundred times the least distance of any two of some colours, by the worst of four kinds of vision. */
const leastDistance = (colours: readonly string[]): number => {
  let least = Number.POSITIVE_INFINITY;
  for (const m of Object.values(visions)) {
    const seen = colours.map((hex) => {
      const light = [1, 3, 5].map((i) => {
        const v = Number.parseInt(hex.slice(i, i + 2), 16) / 255;
        return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
      });
      const part = (k: number): number => m[k] * light[0] + m[k + 1] * light[1] + m[k + 2] * light[2];
      return oklab([0, 3, 6].map((k) => Math.max(0, Math.min(1, part(k)))));
    });
    seen.forEach((a, i) => {
      for (const b of seen.slice(i + 1)) least = Math.min(least, Math.hypot(...a.map((v, k) => v - b[k])));
    });
  }
  return 100 * least;
};

draw('powers are told apart with any colour vision', () => {
  const least = Object.fromEntries(
    ['standard', 'ancmed', 'loeb9', 'colonial'].map((name) => {
      const { looks } = boardOf(loadMap(name));
      const of = (shade: 'light' | 'dark'): number => leastDistance(looks.map((look) => look[shade]));
      return [name, [of('light'), of('dark')].map(Math.floor)];
    }),
  );
  assert.equal(least, { standard: [13, 6], ancmed: [11, 11], loeb9: [12, 6], colonial: [12, 7] });
  const { looks } = boardOf(standard);
  for (const shade of ['light', 'dark'] as const) {
    const tints = looks.map((look) => tintOf(look, shade));
    assert.ok(leastDistance([...tints, paper[shade].land]) > 4, shade);
  }
});

draw('thirty-four powers are told apart by colour and pattern, and by their codes', () => {
  const { looks, map } = boardOf(loadMap('chaos'));
  assert.is(new Set(looks.map(({ light, pattern }) => `${light} ${pattern}`)).size, 34);
  assert.is(new Set(looks.map(({ code }) => code)).size, 34);
  assert.is(looks[map.powerNames.indexOf('ANKARA')].code, 'ANK');
  const svg = drawBoard(map, {
    phase: 'S1901M',
    units: { ANKARA: ['A CON'], TUNIS: ['F ION'] },
    centers: { TUNIS: ['TUN'] },
  });
  assert.match(svg, /data-unit="A CON".*?<text class="code g0" y="2.5">ANK<\/text>/);
  assert.match(svg, /data-unit="F ION".*?<text class="code" y="8.2">TUN<\/text>/);
  assert.match(svg, /fill="url\(#lb-\w+-(stripes|dots)\)"/);
  // As many powers as a map may have.
  const names = Array.from({ length: 64 }, (_, i) => `P${i}`);
  const many = looksOf(names, names);
  assert.is(new Set(many.map(({ code }) => code)).size, 64);
  assert.ok(new Set(many.map(({ light, pattern }) => `${light} ${pattern}`)).size >= 12 * patterns.length);
});

draw('any map has a pattern for each power where it is asked for', () => {
  const centers = Object.fromEntries(
    standard.rows.powers.map(({ name, homes }) => [name, homes.split(' ').slice(0, 1)]),
  );
  const svg = drawBoard(standard, { phase: 'S1901M', units: {}, centers }, { patterns: true });
  parseXml(svg);
  const filled = all(svg, /<path class="texture" fill="url\(#([\w-]+)\)"/);
  assert.is(new Set(filled).size, standard.powerCount - 1, 'one is plain');
  for (const id of filled) assert.ok(svg.includes(`<pattern id="${id}"`), id);
  assert.not.match(drawBoard(standard, { phase: 'S1901M', units: {}, centers }), /texture" fill|<pattern/);
});

draw("the land of no power looks like nobody's, with any colour vision", () => {
  for (const name of ['standard', 'ancmed', 'loeb9', 'colonial'])
    for (const look of boardOf(loadMap(name)).looks)
      assert.ok(leastDistance([tintOf(look, 'light'), paper.light.land]) > 2, `${name} ${look.light}`);
});

draw('colours mix, and are light or dark', () => {
  assert.is(mixColours('#000000', '#ffffff', 0.5), '#808080');
  assert.is(luminanceOf('#000000'), 0);
  assert.ok(Math.abs(luminanceOf('#ffffff') - 1) < 1e-9);
});

// ---- a game ----

draw('a game is drawn phase by phase, and as small multiples', async () => {
  const record = await playGame({ agents: parseAgents('random', 7), until: 1903, seed: 3 });
  const phases = [...drawnPhases(standard, DATC_3_2, record)];
  const unitsOf = (some: readonly DrawnPhase[]): number =>
    some.flatMap(({ units }) => Object.values(units).flat()).length;
  assert.is(phases[0].phase, 'S1901M');
  assert.is(phases.at(-1)?.phase, 'COMPLETED');
  assert.is(phases.at(-1)?.orders, undefined);
  for (const phase of phases) {
    if (phase.phase.endsWith('M')) assert.is(phase.orders?.length, unitsOf([phase]));
    parseXml(drawBoard(standard, phase));
  }
  const grid = drawGrid(boardOf(standard), phases.slice(0, 5), { columns: 3, theme: 'light' });
  parseXml(grid);
  assert.is(count(grid, /<g class="board" /), 5);
  assert.is(count(grid, /<path id="/), boardOf(standard).shapes.land.size + 1, 'shapes are there once');
  assert.is(count(grid, /<(circle|path) class="u\d edge"/), unitsOf(phases.slice(0, 5)));
});

draw('the terminal shows every unit and tag, in as many columns as it has', () => {
  const phase = phaseFrom(movement);
  for (const colours of ['true', '256', 'none'] as const)
    for (const columns of [60, 100]) {
      const text = drawTerminal(boardOf(standard), phase, { columns, colours });
      const plain = text.replace(/\p{Cc}\[[0-9;]*m/gu, '');
      const lines = plain.split('\n');
      const rows = Math.round((columns * 850) / 1000 / 2);
      for (const line of lines.slice(0, rows)) assert.ok(line.length <= columns);
      assert.match(plain, /A RUM/);
      assert.match(plain, /Spring 1902\n/);
      if (colours === 'none') assert.is(text, plain);
      else assert.ok(text.includes(colours === 'true' ? '\x1b[38;2;' : '\x1b[38;5;'));
      if (columns === 100) for (const tag of ['NAO', 'SIL', 'TUN']) assert.ok(plain.includes(tag), tag);
    }
  const plain = drawTerminal(boardOf(standard), phase, { colours: 'none' });
  assert.match(plain, /France 1: F MAO - IRI, A PIC - BEL fails, A BUR S A PIC - BEL cut\n/);
  for (const sign of ['(A BEL)', '~F NTH~', 'A RUM!']) assert.ok(plain.includes(sign), sign);
  const { orders: _, ...position } = phase;
  const bare = drawTerminal(boardOf(standard), position, { colours: 'none' });
  assert.match(bare, /France 1: A BUR, F MAO, A PIC\n/);
  assert.ok(bare.includes('A BEL') && !bare.includes('(A BEL)'));
});

draw('a terminal gets a board of characters, never an SVG', () => {
  const env = { ...process.env, NODE_OPTIONS: '--import=data:text/javascript,process.stdout.isTTY=true' };
  const inTerminal = (...args: string[]): Ended =>
    runLepanto(['draw', ...args], { env, input: '{"phase":"S1901M","units":{"FRANCE":["A PAR"]}}' });
  const { code, out, err } = inTerminal();
  assert.is(code, 0, err);
  assert.match(out, /A PAR.*Spring 1901/s);
  assert.not.match(out, /<svg/);
  assert.ok(out.length < 40_000, `${out.length} characters`);
  const poured = inTerminal('--theme', 'dark');
  assert.equal([poured.code, poured.out], [2, '']);
  assert.match(poured.err, /--out: got a terminal to write an SVG to, wanted --out FILE, or --terminal/);
});

draw('in 256 colours no two powers of a map have one', () => {
  for (const name of ['standard', 'ancmed', 'loeb9', 'colonial']) {
    const map = loadMap(name);
    const text = drawTerminal(boardOf(map), { phase: 'S1901M', units: {} }, { colours: '256' });
    const legend = text.split('\n').slice(-4).join('\n');
    const colours = Array.from(legend.matchAll(/48;5;(\d+)m (\p{L}+) 0/gu), ([, colour]) => colour);
    assert.equal([colours.length, new Set(colours).size], [map.powerCount, map.powerCount], name);
  }
});

draw('a PNG begins as one, and has its width', async () => {
  const svg = drawBoard(standard, phaseFrom(movement), { theme: 'light' });
  const png = await renderPng(svg, 400);
  const view = new DataView(png.buffer, png.byteOffset);
  assert.is(view.getUint32(0), 0x8950_4e47);
  assert.is(view.getUint32(16), 400);
});

// ---- the command ----

const place = makeFolder('draw');

process.chdir(place);
const lepanto = async (command: string, input = ''): Promise<string> => {
  const { code, out, err } = await callLepanto(command.split(' '), input);
  assert.is(code, 0, err);
  return out;
};

/** A call that fails: what comes after `lepanto draw`, its standard input, its exit code and what it says. */
type Refusal = readonly [command: string, input: string, code: number, error: RegExp];

const assertRefused = async (refusals: readonly Refusal[]): Promise<void> => {
  for (const [command, input, wanted, error] of refusals) {
    const { code, out, err } = await callLepanto(['draw', ...command.split(' ').filter((word) => word !== '')], input);
    assert.match(err, error);
    assert.equal([code, out], [wanted, ''], err);
  }
};

draw('lepanto draw draws positions from a file and from standard input', async () => {
  const line = JSON.stringify(movement);
  const other = JSON.stringify({ phase: 'S1M', map: 'ancmed', units: { ROME: ['A ROM'] } });
  writeFileSync(join(place, 'positions.jsonl'), `${line}\n\n${other}\n`);
  const wanted = drawBoard(standard, phaseFrom(movement), { theme: 'dark' });
  assert.is(await lepanto('draw --theme dark', line), wanted);
  await lepanto('draw positions.jsonl --theme dark --out a.svg');
  assert.is(readFileSync(join(place, 'a.svg'), 'utf8'), wanted);
  assert.match(await lepanto('draw positions.jsonl --line 3'), /on the map ancmed<\/title>/);
  assert.is(count(await lepanto('draw --grid', `${line}\n${line}\n`), /<g class="board"/), 2);
  assert.is(await lepanto('draw --theme dark', `\uFEFF${JSON.stringify(movement, null, 2)}\n`), wanted);
  assert.match(await lepanto('draw positions.jsonl --terminal --width 60'), /^[^[]*Spring 1902\n/);
  await lepanto('draw positions.jsonl --out b.png --width 300');
  assert.is(readFileSync(join(place, 'b.png')).readUInt32BE(16), 300);
  assert.not.match(await lepanto('draw --no-orders', line), /class="order"/);
});

draw('the board of the README is what lepanto draw makes of its position', async () => {
  const folder = join(root, 'bindings/draw');
  const made = await lepanto(`draw ${join(folder, 'example-board.json')}`);
  const kept = readFileSync(join(folder, 'example-board.svg'), 'utf8');
  // Sines may differ in their last digit.
  const bare = (svg: string): string => svg.replace(/-?\d+\.\d/g, '#').replace(/ ?#/g, '#');
  const numbers = (svg: string): number[] => [...svg.matchAll(/-?\d+\.\d/g)].map(Number);
  const advice = 'make it anew: lepanto draw example-board.json --out example-board.svg';
  assert.is(bare(made).length, bare(kept).length, advice);
  const [ours, theirs] = [numbers(made), numbers(kept)];
  assert.is(ours.length, theirs.length);
  assert.ok(ours.every((value, i) => Math.abs(value - theirs[i]) < 0.3));
});

const WRONG_GAMES: readonly Refusal[] = [
  ['run --phase S1950M', '', 2, /--phase: got "S1950M", wanted a phase of game 0, which has S1901M to /],
  ['run --phase F1901', '', 2, /, or COMPLETED: F1901M( F1901R)?\n/],
  ['run --game 7', '', 1, /run: got no game 7/],
  ['run --line 1', '', 2, /--line: got recorded games, wanted positions/],
  ['half.json', '', 1, /^lepanto: half\.json, .*not JSON/],
];

draw('lepanto draw draws games of a run, of a file, and those that are cut short', async () => {
  await lepanto('selfplay --games 2 --agents random --until 1902 --seed 4 --out run --quiet');
  const svg = await lepanto('draw run --game 1 --phase f1901m');
  assert.match(svg, /<title>Fall 1901 · game 1 on the map standard<\/title>/);
  assert.match(svg, /class="order"/);
  assert.match(await lepanto('draw run'), /<title>(Fall|Winter) 1902[^<]* · game 0 on/);
  assert.is(count(await lepanto('draw run --grid'), /<g class="board"/), 5);
  await lepanto('convert run games.jsonl --quiet');
  assert.is(await lepanto('draw games.jsonl --game 1 --phase F1901M'), svg);
  const [first] = readFileSync(join(place, 'games.jsonl'), 'utf8').split('\n');
  const game: { phases: unknown[] } = JSON.parse(first);
  writeFileSync(join(place, 'short.json'), JSON.stringify({ ...game, phases: game.phases.slice(0, 2) }));
  const short = await callLepanto(['draw', 'short.json']);
  assert.is(short.code, 0);
  assert.match(short.err, /the game has no end/);
  writeFileSync(join(place, 'half.json'), first.slice(0, 900));
  await assertRefused(WRONG_GAMES);
});

/** A position in one line. */
const SPRING = '{"phase":"S1901M","units":{"FRANCE":["A PAR"]}}';
const WRONG_CALLS: readonly Refusal[] = [
  ['nowhere.json', '', 1, /cannot read nowhere\.json: there is no such file/],
  ['', '', 1, /standard input: got no position/],
  ['', '{\n"phase"', 1, /standard input, line 1: got no JSON, wanted a position/],
  ['', '{"phase":"S1901M","units":{"SPAIN":["A PAR"]}}', 1, /line 1: units: got power "SPAIN", wanted one of AUSTRIA/],
  ['', '{"phase":"S1901M","units":{"FRANCE":["A XYZ"]}}', 1, /line 1: units of FRANCE, "A XYZ": /],
  ['', '{"phase":"X1","units":{}}', 1, /line 1: phase: got "X1", wanted one like S1901M/],
  ['--theme pink', SPRING, 2, /--theme: got "pink", wanted one of light, dark, auto/],
  ['--map moon', SPRING, 2, /--map: got "moon"/],
  ['--phase S1901M', SPRING, 2, /--game, --phase: got a position, wanted recorded games/],
  ['--terminal --png', SPRING, 2, /--terminal: got --png or --grid with it/],
  ['--patterns --terminal', SPRING, 2, /--patterns: got it with --terminal or --grid/],
  ['--columns 3', SPRING, 2, /--columns: got it without --grid/],
  ['--grid --columns 60', SPRING, 2, /--columns: got "60", wanted a whole number from 1 to 40/],
  ['--width 60', SPRING, 2, /--width: got "60", wanted a whole number from 100/],
  ['--terminal --width 2000', SPRING, 2, /--width: got "2000", wanted .* from 40 to 1000/],
  ['--out no/where.svg', SPRING, 2, /--out: got "no\/where\.svg", but .* is not a directory/],
  ['a b', '', 2, /draw: got 2 paths, wanted one/],
  ['--grid', `${SPRING}\n{"map":"ancmed","phase":"S1M","units":{}}`, 1, /line 2: got the map ancmed, wanted standard/],
];

draw('lepanto draw says what it got and what it wanted', () => assertRefused(WRONG_CALLS));

draw.run();
