// Tests who may import whom, that there are no import cycles, and that the engine needs only the language.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runBare } from '../tools/bare-context.js';
import { readText, root } from '../tools/data.js';

const built = fileURLToPath(new URL('../../', import.meta.url));

/** Layers from the inside to the outside, each with its rooms: the picture in ARCHITECTURE.md. */
const readRooms = (text: string): Map<string, string[]> => {
  const [, picture = ''] = /^```text\n([\s\S]*?)^```/m.exec(text) ?? [];
  const rooms = new Map<string, string[]>();
  let layer = '';
  for (const line of picture.trim().split('\n')) {
    const names = line.trim().split(/\s+/);
    if (!line.startsWith(' ')) layer = names.shift() ?? '';
    rooms.set(layer, [...(rooms.get(layer) ?? []), ...names]);
  }
  return rooms;
};

const rooms = readRooms(readText('ARCHITECTURE.md'));
const pictured = [...rooms].flatMap(([layer, names]) => names.map((name) => `${layer}/${name}`));
/** The layers in the order of the picture. `test` sees them all. */
const layers = [...rooms.keys(), 'test'];
/** Paths of the rooms in the order of the picture. The longest path that fits a file is its room. */
const modules = pictured.map((path) => path.replace(/\*$/, ''));
/** Rooms with a star in the picture: of other rooms they import public names alone. */
const publicRooms = pictured.filter((path) => path.endsWith('*')).map((path) => path.slice(0, -1));
/** Sources of the entries of the package, for users and public rooms. Other rooms import engine/internal.ts, or files of rooms. */
const entries = Object.values<string>(JSON.parse(readText('package.json')).exports)
  .filter((path) => path.endsWith('.js'))
  .map((path) => path.replace(/^\.\/dist\//, '').replace(/\.js$/, '.ts'));
const filesUnder = (folder: string, ending: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending) && !name.endsWith('.d.ts') && !name.startsWith(join('python', 'src')))
    .map((name) => join(folder, name));

/** What a source imports, statically or not: `from 'x'`, `import 'x'`, `import('x')`, `require('x')`. */
const importsOf = (source: string): string[] =>
  [...source.matchAll(/(?:^|[\s;}])(?:from|import|import\s*\(|require\s*\()\s*['"]([^'"\n]+)['"]/g)].map(
    (found) => found[1],
  );

const layerOf = (path: string): number => layers.indexOf(relative(root, path).split(/[\\/]/)[0]);

/** Place of a file in the order of the modules: behind all if none is named for it, -1 in a folder without a name. */
const moduleOf = (path: string): number => {
  const parts = relative(root, path)
    .replace(/\.[jt]s$/, '')
    .split(/[\\/]/);
  for (let n = parts.length; n > 1; n--) {
    const found = modules.indexOf(parts.slice(0, n).join('/'));
    if (found >= 0) return found;
  }
  return parts.length === 2 || parts[0] === 'test' ? modules.length : -1;
};

/** Why an import is not allowed; null if it is. */
const wrongImport = (file: string, specifier: string): string | null => {
  const name = relative(root, file);
  if (!specifier.startsWith('.'))
    return layerOf(file) === 0 ? `${name} imports ${specifier}, and the engine needs nothing` : null;
  const target = join(dirname(file), specifier);
  const entry = relative(root, target).replace(/\.js$/, '.ts');
  const room = publicRooms.find((path) => name.startsWith(`${path}/`));
  const isForeign = room !== undefined && !entry.startsWith(`${room}/`);
  if (isForeign && !entries.includes(entry)) return `${name} imports ${entry}, which is not public`;
  if (!isForeign && entries.includes(entry)) return `${name} imports ${entry}, which is for users`;
  const inwards =
    layerOf(target) < layerOf(file) || (layerOf(target) === layerOf(file) && moduleOf(target) <= moduleOf(file));
  return inwards ? null : `${name} imports outwards: ${relative(root, target)}`;
};

/** Files that import one another in a circle, or one that does; types count. */
const circlesIn = (imported: ReadonlyMap<string, readonly string[]>): string[] => {
  const left = new Map(imported);
  for (;;) {
    const free = [...left].filter(([, targets]) => !targets.some((target) => left.has(target)));
    if (free.length === 0) return [...left.keys()];
    for (const [file] of free) left.delete(file);
  }
};

const sources = layers.flatMap((layer) => filesUnder(join(root, layer), '.ts'));
/** What each source imports. */
const importsBy = new Map(sources.map((file) => [file, importsOf(readFileSync(file, 'utf8'))]));

const imports = suite('imports');

imports('the pattern finds every form of import', () => {
  const names = ['./a.js', './b.js', './c.js', './d.js', 'e', './f.js'];
  const [a, b, c, d, e, f] = names.map((name) => `'${name}'`);
  const source = `import type { A } from ${a};\nimport ${b};\nexport * from ${c};
    const d = await import(${d});\nconst e = require(${e});\nexport {\n  f,\n} from ${f};`;
  assert.equal(importsOf(source), names);
});

/** Imports, and a word of why each is not allowed; '' if it is. */
const VERDICTS: readonly (readonly [file: string, specifier: string, why: string])[] = [
  ['engine/x.ts', '../selfplay/x.js', 'imports outwards'],
  ['selfplay/x.ts', '../bench/x.js', 'imports outwards'],
  ['selfplay/search/x.ts', '../agents/x.js', 'imports outwards'],
  ['engine/notation/json/x.ts', '../../../bindings/cli/x.js', 'imports outwards'],
  ['engine/map/x.ts', 'node:fs', 'needs nothing'],
  ['engine/map/x.ts', '../position/x.js', 'imports outwards'],
  ['engine/rules/order.ts', '../map/x.js', 'imports outwards'],
  ['engine/legal/x.ts', '../internal.js', 'imports outwards'],
  ['engine/legal/x.ts', '../rules/order.js', ''],
  ['engine/x.ts', './index.js', 'for users'],
  ['bindings/protocols/daide/x.ts', '../../../engine/internal.js', 'not public'],
  ['bindings/protocols/daide/x.ts', '../../terminal/output.js', 'not public'],
  ['bindings/protocols/daide/x.ts', '../../cluster/queue/index.js', 'imports outwards'],
  ['bindings/protocols/daide/x.ts', '../../../engine/index.js', ''],
  ['bindings/protocols/daide/x.ts', './seats.js', ''],
  ['selfplay/agents/x.ts', '../search/x.js', ''],
  ['bindings/x.ts', '../engine/internal.js', ''],
  ['selfplay/x.ts', 'node:fs', ''],
];

imports('the check sees what a file may not import, and why', () => {
  for (const [file, specifier, why] of VERDICTS) {
    const found = wrongImport(join(root, file), specifier);
    if (why === '') assert.is(found, null);
    else assert.match(found ?? '', why, `${file}: ${specifier}`);
  }
});

imports('every folder imports only itself and those inside of it, every module those before it', () => {
  const all = [...importsBy].flatMap(([file, names]) => names.map((name) => wrongImport(file, name)));
  assert.equal(
    all.filter((what) => what !== null),
    [],
  );
  assert.ok(all.length > 500, `only ${all.length} imports found`);
});

imports('every module has its place in the order', () => {
  const unknown = sources.filter((file) => moduleOf(file) < 0).map((file) => relative(root, file));
  assert.equal(unknown, []);
});

imports('nothing imports in a circle, types included', () => {
  assert.equal(circlesIn(new Map(Object.entries({ a: ['b'], b: ['c', 'd'], c: ['b'], d: [] }))), ['a', 'b', 'c']);
  const imported = new Map<string, string[]>();
  for (const [file, names] of importsBy) {
    const targets = names.map((name) => join(dirname(file), name.replace(/\.js$/, '.ts')));
    imported.set(
      file,
      targets.filter((target) => importsBy.has(target)),
    );
  }
  assert.equal(circlesIn(imported), []);
  assert.ok([...imported.values()].flat().length > 400);
});

/** Modules beside the core of the Python package that start its language models. */
const outerPython = ['__main__', 'benchmark'];

/** Modules of the package that a Python source imports, in functions too, but not in docstrings or its `__main__` block. */
const pythonImportsOf = (module: string, source: string): string[] => {
  const [code] = source.replace(/"""[\s\S]*?"""/g, '').split('if __name__ ==');
  const found: string[] = [];
  for (const [, dots, from, names] of code.matchAll(
    /^\s*from (?:(\.+)|lepanto\b\.?)([.\w]*) import (\w+(?:, \w+)*|\()/gm,
  )) {
    const folders = dots === undefined ? [] : module.split('/').slice(0, -dots.length);
    const base = from.replaceAll('.', '/');
    found.push(...(base === '' ? names.split(', ') : [base]).map((name) => [...folders, name].join('/')));
  }
  for (const [, name] of code.matchAll(/^\s*import lepanto\b\.?([\w.]*)/gm)) found.push(name || '__init__');
  return found;
};

imports('the Python package has no circle, and its core needs neither llm nor train', () => {
  const folder = join(root, 'bindings/python/src/lepanto');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.py') && !name.startsWith('js'))
    .map((name) => name.replaceAll('\\', '/').slice(0, -3));
  assert.equal(pythonImportsOf('train/x', '    from ..batch import Batch\nfrom .net import (\nfrom . import a, b\n'), [
    ...['batch', 'train/net', 'train/a', 'train/b'],
  ]);
  assert.equal(pythonImportsOf('a/b/x', 'from ...c import C\nfrom ..d.e import E\nfrom ... import f as g\n'), [
    'c',
    'a/d/e',
    'f',
  ]);
  const imported = new Map<string, string[]>();
  const upwards: string[] = [];
  for (const module of files) {
    const targets = pythonImportsOf(module, readFileSync(join(folder, `${module}.py`), 'utf8'))
      .map((name) => (files.includes(name) ? name : `${name}/__init__`))
      .filter((name) => files.includes(name));
    imported.set(module, targets);
    const isCore = !module.includes('/') && !outerPython.includes(module);
    upwards.push(
      ...targets.filter((name) => isCore && /^(llm|train)\//.test(name)).map((name) => `${module} imports ${name}`),
    );
  }
  assert.equal(circlesIn(imported), []);
  assert.equal(upwards, []);
  assert.ok([...imported.values()].flat().length > 100);
});

imports('one file alone starts threads by piscina', () => {
  const users = sources.filter((file) => importsBy.get(file)?.includes('piscina'));
  assert.equal(users, [join(root, 'selfplay/crew/threads.ts')]);
});

/** The sources that a file needs, itself included: all that it imports, directly or not, but for types. */
const closureOf = (entry: string): ReadonlySet<string> => {
  const seen = new Set<string>();
  const open = [entry];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    const source = readText(file).replace(/^(?:im|ex)port type [^;]*;/gm, '');
    for (const [, specifier] of source.matchAll(/^(?:import|export|\})[^;'"(]*['"](\.[^'"]+\.js)['"]/gm))
      open.push(join(dirname(file), specifier).replace(/\.js$/, '.ts'));
  }
  return seen;
};

imports('what an entry loads stays small', () => {
  const most: Readonly<Record<string, number>> = {
    'engine/adjudicate/movement/index.ts': 20,
    'engine/notation/index.ts': 70,
    'bindings/formats/games/index.ts': 90,
    'bindings/formats/tensors/index.ts': 75,
  };
  for (const [entry, files] of Object.entries(most)) {
    const size = closureOf(entry).size;
    assert.ok(size > 5 && size <= files, `${entry} loads ${size} files, wanted at most ${files}`);
  }
});

imports('the compiled engine imports only its own files', () => {
  const files = filesUnder(join(built, 'engine'), '.js');
  const foreign = files.flatMap((file) =>
    importsOf(readFileSync(file, 'utf8')).filter((name) => !name.startsWith('.')),
  );
  assert.equal(foreign, []);
  assert.ok(files.length > 10);
});

/** What compiled entries do without a single global of Node: code in which `e` is the entry, and its answer. */
const BARE: readonly (readonly [what: string, entry: string, code: string, answer: string])[] = [
  [
    'dist/engine plays',
    'engine/internal.js',
    `const game = e.newGame();
    for (let i = 0; i < 3; i++) e.adjudicate(game, new Int32Array(0));
    export const answer = game.year;`,
    '1902',
  ],
  [
    'dist/engine/notation reads, plays and tells orders as text',
    'engine/notation/index.js',
    `import { adjudicate, rulesByName, standard } from './engine/index.js';
    const { game } = e.parsePosition(
      { phase: 'S1901M', units: { FRANCE: ['A PAR', 'A MAR'] } }, standard, rulesByName('datc-3.2'));
    const told = e.outcomes(game, adjudicate(game, e.orders(game, { FRANCE: ['A PAR - BUR', 'mar s par - bur'] })));
    const legal = e.legalRecord(e.formatPosition(game)).orders.FRANCE['A MAR'].length;
    const { next_phase } = e.adjudicateRecord({ ...e.formatPosition(game), orders: { FRANCE: ['A BUR - MUN'] } });
    export const answer = [...told.map(({ order, result }) => order + ' ' + result), legal, next_phase].join(', ');`,
    'A MAR S A PAR - BUR given, A PAR - BUR succeeds, 7, S1902M',
  ],
  // 81 rows of five flags and 40 rows of centres; 23 rows of units with two, 81 kinds of area, 40 centres, 24 homes.
  [
    'dist/bindings/formats/tensors encodes',
    'bindings/formats/tensors/index.js',
    `import { newGame } from './engine/index.js';
    const game = newGame();
    const flags = (board) => board.reduce((sum, flag) => sum + flag, 0);
    export const answer = [e.dipnetBoard(game), e.deepmindBoard(game), e.dipccBoard(game)].map(flags).join(' ');`,
    '445 445 191',
  ],
  [
    'dist/bindings/draw draws',
    'bindings/draw/index.js',
    `import { standard } from './engine/index.js';
    const orders = [{ power: 'FRANCE', order: 'A PAR - BUR', result: 'succeeds' }];
    const svg = e.drawBoard(standard, { phase: 'S1901M', units: { FRANCE: ['A PAR'] }, orders });
    export const answer = [svg.startsWith('<svg '), svg.includes('data-kind="move"')].join(' ');`,
    'true true',
  ],
];

for (const [what, entry, code, answer] of BARE)
  imports(`${what} without a single global of Node`, () => assert.is(runBare(entry, code), answer));

imports.run();
