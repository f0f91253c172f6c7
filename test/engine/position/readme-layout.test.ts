// Tests the tables of engine/README.md on the layout of positions and orders against the code.
import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { standard } from '../../../engine/map/standard.js';
import {
  DISLODGED_COUNT,
  DISLODGED_SIZE,
  PHASE,
  SEASON,
  STATUS,
  stateLayout,
  UNITS,
  WINNER,
  YEAR,
} from '../../../engine/position/game.js';
import { convoy, disband, move, moveVia, orderTypes, withLeave } from '../../../engine/rules/order.js';

const readme = readFileSync(new URL('../../../../engine/README.md', import.meta.url), 'utf8');

/** Rows of the table under a heading, without its head: the text of each cell. */
const tableUnder = (heading: string): string[][] => {
  const section = readme.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const lines = section.split('\n').filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
};

const layout = suite('layouts in the README');

layout('a position has the bytes that engine/README.md says', () => {
  const { units, coasts, owners, contested, dislodged, maxDislodged, stride } = stateLayout(standard);
  const sections = [
    [YEAR, 2, 'year'],
    [SEASON, 1, 'season'],
    [PHASE, 1, 'phase'],
    [STATUS, 1, 'status'],
    [WINNER, 1, 'power that won'],
    [DISLODGED_COUNT, 1, 'number of dislodged'],
    [DISLODGED_COUNT + 1, UNITS - DISLODGED_COUNT - 1, '0'],
    [units, standard.provinceCount, 'units'],
    [coasts, standard.coastalProvinces.length, 'coasts'],
    [owners, standard.centerCount, 'owners'],
    [contested, (standard.provinceCount + 7) >> 3, 'contested'],
    [dislodged, DISLODGED_SIZE * maxDislodged, 'dislodged units'],
    [stride, '', 'the next game'],
  ] as const;
  const rows = tableUnder('A position');
  assert.equal(
    rows.map(([offset, bytes]) => [offset, bytes]),
    sections.map(([offset, bytes]) => [`${offset}`, `${bytes}`]),
  );
  for (const [i, [, , what]] of sections.entries()) assert.ok(rows[i][2].startsWith(what), `${rows[i][2]}: ${what}`);
});

layout('an order has the bits that engine/README.md says', () => {
  // A convoy names all places, a move by convoy says so: the bits that change when a field takes all its bits.
  const all = convoy(0xff, 0xff, 0xff);
  const fields: Readonly<Record<string, number>> = {
    type: 0xf,
    via: move(0, 0) ^ moveVia(0, 0),
    target: all ^ convoy(0xff, 0xff, 0),
    helped: all ^ convoy(0xff, 0, 0xff),
    location: all ^ convoy(0, 0xff, 0xff),
    leave: withLeave(0, 3),
  };
  const rows = tableUnder('An order');
  assert.equal(
    rows.map(([, name]) => name),
    Object.keys(fields),
  );
  for (const [bits, name] of rows) {
    const [low, high = low] = bits.split('-').map(Number);
    assert.is(fields[name], (2 ** (high + 1) - 2 ** low) | 0, name);
  }
  assert.ok(orderTypes.length <= 16 && (disband(0) & ~0xf) === 0);
});
layout.run();
