// Bundles the scripts, styles and HTML of the pages into dist/bindings/web.
// `npm run build:web` checks browser/ without Node's types and bundles each *-page.ts with esbuild; document.ts reads the
// bundles when a page is made. common.css has the colours, sizes and spacing of all pages and of the site, page-data.ts the
// types that server and pages exchange, orders/ a game as a page plays it, workers/ the agents.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { deflateSync } from 'node:zlib';
import { build } from 'esbuild';

const web = 'bindings/web/browser/';

/** Size from which a JSON file, such as a map or its geometry, is deflated in a bundle, in bytes. */
const PACKED_BYTES = 5000;

const isLarge = (text) => text.length >= PACKED_BYTES;
const readJson = (path) => JSON.stringify(JSON.parse(readFileSync(path, 'utf8')));

/** Finds the large JSON files that a script imports. @param found takes their texts, by path */
const findJson = (found) => ({
  name: 'find-json',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.json$/ }, ({ path }) => {
      const text = readJson(path);
      if (isLarge(text)) found.set(path, text);
      return { contents: text, loader: 'json' };
    }),
});

/**
 * Packs large JSON files into one deflated text. The script waits for it once, so that its modules see plain data.
 * @param texts of the files, by path
 */
const packJson = (texts) => ({
  name: 'pack-json',
  setup: ({ onLoad, onResolve }) => {
    onResolve({ filter: /^packed$/ }, () => ({ path: 'packed', namespace: 'packed' }));
    onLoad({ filter: /.*/, namespace: 'packed' }, () => {
      const packed = deflateSync(`[${[...texts.values()].join()}]`, { level: 9 }).toString('base64');
      const contents = `import { inflate } from './inflate.ts';\nexport default await inflate('${packed}');`;
      return { contents, resolveDir: resolve(web) };
    });
    onLoad({ filter: /\.json$/ }, ({ path }) => {
      const place = [...texts.keys()].indexOf(path);
      return place < 0
        ? { contents: readJson(path), loader: 'json' }
        : { contents: `import all from 'packed';\nexport default all[${place}];` };
    });
  },
});

/** Replacements in uPlot, so that it makes number formats when a chart needs them. Loading it took 10 ms for them. */
const lazyFormats = [
  [/const numFormatter = new Intl.NumberFormat\(.*\);/, 'let numFormatter;'],
  [/numFormatter\.format\(/, '(numFormatter ??= new Intl.NumberFormat(nav.language)).format('],
  // No chart has times.
  [/const localTz = new Intl.DateTimeFormat\(\).resolvedOptions\(\).timeZone;/, 'const localTz = undefined;'],
];

/** Adds uPlot's licence, a separate file of its package, to the scripts that contain uPlot, and makes its formats lazy. */
const plot = {
  name: 'plot',
  setup: ({ onLoad }) =>
    onLoad({ filter: /uPlot\.esm\.js$/ }, ({ path }) => {
      const licence = readFileSync(new URL('../LICENSE', `file://${path}`), 'utf8').trim();
      let source = readFileSync(path, 'utf8');
      for (const [pattern, lazy] of lazyFormats) {
        if (!pattern.test(source)) throw new Error(`uPlot has no ${pattern}`);
        source = source.replace(pattern, lazy);
      }
      return { contents: `/*! uPlot\n\n${licence} */\n${source}` };
    }),
};

const common = {
  ...{ bundle: true, format: 'esm', minify: true, charset: 'utf8', logLevel: 'warning', target: 'es2022' },
  ...{ outdir: 'dist/bindings/web', outbase: 'bindings/web', loader: { '.html': 'copy' } },
};
const texts = new Map();
await build({ ...common, entryPoints: [`${web}board-page.ts`], plugins: [findJson(texts)], write: false });
const pages = ['*-page.ts', '*.css', '*.html'].map((files) => web + files);
await build({ ...common, entryPoints: pages, plugins: [packJson(texts), plot] });
// A worker hears its first message at once: it waits for no data.
await build({ ...common, entryPoints: ['bindings/web/workers/*.ts'] });
