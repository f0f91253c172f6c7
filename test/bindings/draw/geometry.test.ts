// Tests that the geometries that ship with Lepanto say what the maps say, from the geometry and the rows alone.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { diagramOf } from '../../../bindings/draw/diagram.js';
import { boardOf } from '../../../bindings/draw/drawn-board.js';
import type { GeometryData } from '../../../bindings/draw/geometry.js';
import { geometryFor, shippedGeometries } from '../../../bindings/draw/shipped-geometry.js';
import { loadMap, mapNames } from '../../../engine/internal.js';
import { borderFigures, geometryFaults } from '../../tools/geometry-faults.js';

/** The geometry of the standard map, changed. */
const changed = (change: (geometry: GeometryData) => Partial<GeometryData>): string[] => {
  const { rows } = loadMap('standard');
  const [geometry] = shippedGeometries;
  return geometryFaults({ ...geometry, ...change(geometry) }, rows);
};

const geometry = suite('geometry');

geometry('every pair of neighbours has a common border or a link, and no other pair touches', () => {
  const wanted = new Map([
    ['standard', { pairs: 206, links: 0 }],
    ['ancmed', { pairs: 222, links: 3 }],
    ['loeb9', { pairs: 239, links: 1 }],
    ['colonial', { pairs: 326, links: 3 }],
  ]);
  for (const data of shippedGeometries) {
    const { rows } = loadMap(data.name);
    assert.equal(geometryFaults(data, rows), [], data.name);
    const { pairs, links, shortest } = borderFigures(data, rows);
    assert.equal({ pairs, links }, wanted.get(data.name), data.name);
    assert.ok(shortest > 8, `${data.name}: ${shortest}`);
    assert.ok(JSON.stringify(data).length < 48_000, data.name);
    wanted.delete(data.name);
  }
  assert.is(wanted.size, 0);
});

geometry('the check sees a border too many, one too few, a crossing, and places that are wrong', () => {
  const faulty = (what: RegExp, change: (geometry: GeometryData) => Partial<GeometryData>): void => {
    const faults = changed(change);
    assert.ok(
      faults.some((fault) => what.test(fault)),
      `${what}: ${faults.join('; ')}`,
    );
  };
  const place = (tag: string, row: number[]) => (data: GeometryData) => ({ places: { ...data.places, [tag]: row } });
  faulty(/^BUR PAR: got a border of 0/, ({ arcs }) => ({
    arcs: arcs.filter((arc) => !/^(PAR BUR|BUR PAR) /.test(arc)),
  }));
  faulty(/^MUN PAR: no neighbours, but touch/, ({ arcs }) => ({
    arcs: arcs.map((arc) => arc.replace(/^MUN BUR |^BUR MUN /, 'MUN PAR ')),
  }));
  faulty(/^MUN PAR: no neighbours, but linked/, () => ({ links: { 'MUN PAR': [0, 0, 1, 1] } }));
  faulty(/crosses/, ({ arcs }) => ({ arcs: [...arcs, 'BUR PAR 0 0 4000 3400'] }));
  faulty(/^PAR: its unit lies outside/, place('PAR', [0, 0, 0, 0, 330, 530, 330, 510]));
  faulty(/^PAR name covers PAR center/, ({ places: { PAR, ...rest } }) => ({
    places: { ...rest, PAR: [...PAR.slice(0, 4), PAR[4], PAR[5], PAR[4], PAR[5]] },
  }));
  faulty(/^places: got others/, ({ places: { PAR: _, ...rest } }) => ({ places: rest }));
  faulty(/^MAO WES: got a border|NAF SPA/, ({ arcs }) => ({
    arcs: arcs.filter((arc) => !/^(MAO WES|WES MAO) /.test(arc)),
  }));
});

geometry('maps with the same provinces share a geometry, options and all', () => {
  for (const name of mapNames.filter((one) => one !== 'pure')) assert.ok(geometryFor(loadMap(name)) !== null, name);
  assert.is(geometryFor(loadMap('chaos'))?.name, 'standard');
  assert.is(geometryFor(loadMap('loeb9,ice=no'))?.name, 'loeb9');
  assert.is(geometryFor(loadMap('pure')), null);
});

geometry('a board has a shape for every province, and a spot for every place', () => {
  for (const { name } of shippedGeometries) {
    const map = loadMap(name);
    const { shapes, spots } = boardOf(map);
    const drawn = new Set([...shapes.land.keys(), ...shapes.water.keys()]);
    for (const tag of map.provinceTags) assert.ok(drawn.has(tag), `${name}: ${tag}`);
    for (const tag of map.locationTags) assert.ok(spots.has(tag), `${name}: ${tag}`);
    for (const d of [...shapes.land.values(), ...shapes.water.values()]) assert.match(d, /^M[-\d]+ [-\d]+[lq].*z$/);
  }
});

geometry('a map without a geometry is drawn from its graph: every way a line, no disc on another', () => {
  for (const name of ['pure', 'standard', 'colonial,tsr']) {
    const map = loadMap(name);
    const diagram = diagramOf(map);
    assert.equal(diagramOf(map), diagram, 'the same each time');
    const { pairs, links } = borderFigures(diagram, map.rows);
    assert.is(links, pairs);
    const middles = map.provinceTags.map((tag) => diagram.places[tag]);
    for (const [i, [x, y]] of middles.entries()) {
      assert.ok(x > 30 && y > 20 && x < diagram.width - 30 && y < diagram.height - 30, map.provinceTags[i]);
      for (const [a, b] of middles.slice(i + 1)) assert.ok(Math.hypot(a - x, b - y) > 64, map.provinceTags[i]);
    }
  }
});

geometry.run();
