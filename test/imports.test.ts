// Who may import whom, and that the engine needs nothing but the language.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const root = fileURLToPath(new URL('../../', import.meta.url));
const built = fileURLToPath(new URL('../', import.meta.url));

/** From the inside to the outside: a folder imports itself and those before it. */
const layers = ['engine', 'selfplay', 'bindings', 'bench', 'test'];
/** The table of subcommands loads whatever a command needs, by literal dynamic imports. */
const exempt = ['bindings/lepanto.ts'];

const filesUnder = (folder: string, ending: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending) && !name.endsWith('.d.ts'))
    .map((name) => join(folder, name));

/** What a source imports, statically or not: `from 'x'`, `import 'x'`, `import('x')`, `require('x')`. */
const importsOf = (source: string): string[] =>
  [...source.matchAll(/(?:^|[\s;}])(?:from|import|import\s*\(|require\s*\()\s*['"]([^'"\n]+)['"]/g)].map(
    (found) => found[1],
  );

const layerOf = (path: string): number => layers.indexOf(relative(root, path).split(/[\\/]/)[0]);

/** Why an import is not allowed; null if it is. */
const wrongImport = (file: string, specifier: string): string | null => {
  const name = relative(root, file);
  if (!specifier.startsWith('.'))
    return layerOf(file) === 0 ? `${name} imports ${specifier}, and the engine needs nothing` : null;
  if (exempt.includes(name)) return null;
  const target = join(dirname(file), specifier);
  return layerOf(target) > layerOf(file) ? `${name} imports outwards: ${relative(root, target)}` : null;
};

const imports = suite('imports');

imports('the pattern finds every form of import', () => {
  const source = `import type { A } from './a.js';\nimport './b.js';\nexport * from "./c.js";
    const d = await import('./d.js');\nconst e = require('e');\nexport {\n  f,\n} from './f.js';`;
  assert.equal(importsOf(source), ['./a.js', './b.js', './c.js', './d.js', 'e', './f.js']);
});

imports('the check sees an outward import and a dependency of the engine', () => {
  assert.match(wrongImport(join(root, 'engine/x.ts'), '../selfplay/agent.js') ?? '', 'imports outwards');
  assert.match(wrongImport(join(root, 'selfplay/x.ts'), '../bench/x.js') ?? '', 'imports outwards');
  assert.match(wrongImport(join(root, 'engine/map/x.ts'), 'node:fs') ?? '', 'needs nothing');
  assert.is(wrongImport(join(root, 'bindings/x.ts'), '../engine/index.js'), null);
  assert.is(wrongImport(join(root, 'selfplay/x.ts'), 'node:fs'), null);
});

imports('every folder imports only itself and those inside of it', () => {
  const wrong: string[] = [];
  let seen = 0;
  for (const layer of layers)
    for (const file of filesUnder(join(root, layer), '.ts'))
      for (const specifier of importsOf(readFileSync(file, 'utf8'))) {
        seen++;
        const what = wrongImport(file, specifier);
        if (what !== null) wrong.push(what);
      }
  assert.equal(wrong, []);
  assert.ok(seen > 50, `only ${seen} imports found`);
});

imports('the compiled engine imports only its own files', () => {
  const files = filesUnder(join(built, 'engine'), '.js');
  const foreign = files.flatMap((file) =>
    importsOf(readFileSync(file, 'utf8')).filter((name) => !name.startsWith('.')),
  );
  assert.equal(foreign, []);
  assert.ok(files.length > 10);
});

/** Links dist/engine into a context that has the language's own globals only, and plays three phases of holds there. */
const bareContext = `
  import { readFileSync } from 'node:fs';
  import vm from 'node:vm';
  const context = vm.createContext(Object.create(null));
  const modules = new Map();
  const load = (url) => {
    if (!modules.has(url.href))
      modules.set(url.href, new vm.SourceTextModule(readFileSync(url, 'utf8'), { context, identifier: url.href }));
    return modules.get(url.href);
  };
  const link = (specifier, from) => load(new URL(specifier, from.identifier));
  const main = new vm.SourceTextModule(
    "import * as e from './index.js';" +
    "const game = e.newGame(e.standard, e.DATC_3_2);" +
    "for (let i = 0; i < 3; i++) e.adjudicate(game, new Int32Array(0), 0, e.makeResults());" +
    "export const year = game.year;",
    { context, identifier: new URL('engine/index.js', process.argv[1]).href },
  );
  await main.link(link);
  await main.evaluate();
  console.log(main.namespace.year);
`;

imports('dist/engine plays without a single global of Node', () => {
  const flags = ['--experimental-vm-modules', '--no-warnings', '--input-type=module', '--eval', bareContext];
  const child = spawnSync(process.execPath, [...flags, new URL('../', import.meta.url).href], { encoding: 'utf8' });
  assert.is(child.stderr, '');
  assert.is(child.stdout, '1902\n');
});

imports.run();
