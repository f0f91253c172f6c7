// Bundles the scripts, styles and HTML of the pages into dist/bindings/web.
import { readFileSync } from 'node:fs';
import { deflateSync } from 'node:zlib';
import { build } from 'esbuild';

/** Size from which a JSON file, such as a map or its geometry, is deflated in a bundle, in bytes. */
const PACKED_BYTES = 5000;

/** Packs large JSON files. Their modules wait for themselves, so that their importers see plain data. */
const packJson = {
  name: 'pack-json',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.json$/ }, ({ path }) => {
      const text = JSON.stringify(JSON.parse(readFileSync(path, 'utf8')));
      if (text.length < PACKED_BYTES) return { contents: text, loader: 'json' };
      const packed = deflateSync(text, { level: 9 }).toString('base64');
      const unpack = new URL('browser/inflate.ts', import.meta.url).pathname;
      return {
        contents: `import { inflate } from ${JSON.stringify(unpack)};\nexport default await inflate('${packed}');`,
      };
    }),
};

/** Adds uPlot's licence, which is a separate file of its package, to the scripts that contain uPlot. */
const plotLicence = {
  name: 'plot-licence',
  setup: ({ onLoad }) =>
    onLoad({ filter: /uPlot\.esm\.js$/ }, ({ path }) => {
      const licence = readFileSync(new URL('../LICENSE', `file://${path}`), 'utf8').trim();
      return { contents: `/*! uPlot\n\n${licence} */\n${readFileSync(path, 'utf8')}` };
    }),
};

const common = {
  ...{ bundle: true, format: 'esm', minify: true, charset: 'utf8', logLevel: 'warning', target: 'es2022' },
  ...{ outdir: 'dist/bindings/web', outbase: 'bindings/web', loader: { '.html': 'copy' } },
};
const pages = ['*-page.ts', '*.css', '*.html'].map((files) => `bindings/web/browser/${files}`);
await build({ ...common, entryPoints: pages, plugins: [packJson, plotLicence] });
// A worker hears its first message at once: it waits for no data.
await build({ ...common, entryPoints: ['bindings/web/workers/*.ts'] });
