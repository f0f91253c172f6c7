// Tests the site: it is made, every link in it leads somewhere, each of its code blocks is one of a document, and it searches
// and changes its colours in a browser. TypeDoc, which is asked for its part, refuses a public name without a docstring.
//
// Making it installs VitePress and pdoc. If that is impossible, the tests say so and are skipped, and TypeDoc runs alone.
import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, posix } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { commands } from '../../bindings/cli/commands.js';
import { groups } from '../docs/site/make-site.js';
import { browserTests, serveFolder } from '../tools/chromium.js';
import { blocksOf } from '../tools/code-blocks.js';
import { makeFolder } from '../tools/command.js';
import { readText, root } from '../tools/data.js';

const out = join(makeFolder('site'), 'site');
/** As on GitHub Pages, where a project's site is a folder. */
const BASE = '/lepanto/';

const runNode = (env: NodeJS.ProcessEnv, script: string, ...args: string[]): SpawnSyncReturns<string> =>
  spawnSync(process.execPath, [join(root, script), ...args], {
    ...{ cwd: root, encoding: 'utf8', timeout: 500_000 },
    env: { ...process.env, NO_COLOR: '1', ...env },
  });

const typedoc = (...args: string[]): SpawnSyncReturns<string> =>
  runNode({}, 'test/docs/node_modules/typedoc/bin/typedoc', '--emit', 'none', ...args);

const unescapeHtml = (text: string): string =>
  text
    .replace(/&#(x?)([\da-f]+);/gi, (_, hex, code) => String.fromCodePoint(Number.parseInt(code, hex === '' ? 10 : 16)))
    .replace(/&(lt|gt|quot|amp);/g, (_, name: string) => ({ lt: '<', gt: '>', quot: '"', amp: '&' })[name] ?? '');

/** The text of a page. */
const textIn = (html: string): string => unescapeHtml(html.replace(/<[^>]*>/g, ''));

const made = runNode({ SITE_BASE: BASE }, 'dist/test/docs/site/make-site.js', out);
const site = suite('site');

if (
  made.status !== 0 &&
  /ENOTFOUND|ECONNREFUSED|EAI_AGAIN|ENOTCACHED|ETIMEDOUT|No matching distribution|No module named pip/.test(made.stderr)
) {
  process.stdout.write(`SKIPPED: the site: ${made.stderr.trim().split('\n').at(-1)}\n`);
  site.skip('is made', () => {});
  site('every public name is documented', () => {
    const { status, stdout, stderr } = typedoc('--options', 'test/docs/typedoc.json', '--treatWarningsAsErrors');
    assert.not.match(stdout + stderr, /warning\]/);
    assert.is(status, 0, stderr);
  });
} else {
  const pages = (made.status === 0 ? readdirSync(out, { recursive: true, encoding: 'utf8' }) : []).filter((name) =>
    name.endsWith('.html'),
  );
  const htmlOf = (page: string): string => readFileSync(join(out, page), 'utf8');

  site('is made, without a warning', () => {
    assert.is(made.status, 0, `${made.error?.message ?? ''}${made.stdout}${made.stderr}`);
    assert.not.match(made.stdout + made.stderr, /warn/i);
    for (const page of 'index start replays strength bench/results bindings/python/GUIDE playground/index'.split(' '))
      assert.ok(pages.includes(`${page}.html`), page);
    assert.ok(pages.includes('api/typescript/modules/lepanto_notation.html'));
    assert.ok(pages.includes('api/python/lepanto/batch.html'));
  });

  site('every link leads to a page, a file and a place in it', () => {
    const dead = new Set<string>();
    const idsIn = (page: string): string[] =>
      Array.from(htmlOf(page).matchAll(/\s(?:id|name)="([^"]*)"/g), ([, one]) => unescapeHtml(one));
    const idsOf = new Map(pages.map((page) => [page, new Set(idsIn(page))]));
    let seen = 0;
    for (const page of pages) {
      // Scripts hold texts that look like tags.
      const html = htmlOf(page).replace(/<script[\s\S]*?<\/script>/g, '');
      for (const [, , link] of html.matchAll(/<(?:a|img|link|iframe)\s[^>]*?(href|src)="([^"]*)"/g)) {
        const [path, hash = ''] = unescapeHtml(link).split('#');
        // A file that is named without quotes becomes a link to a server of its name.
        if (/^http:.*\.md$/.test(path)) dead.add(`${page}: ${link}`);
        if (/^(https?|data|mailto):/.test(path)) continue;
        seen++;
        const name = path.startsWith('/') ? path.slice(BASE.length) : posix.join(dirname(page), path);
        // As any server of files finds them: an address without its .html is dead on most.
        const candidates = path === '' ? [page] : [name, posix.join(name, 'index.html')];
        const file = candidates.find((one) => statSync(join(out, one), { throwIfNoEntry: false })?.isFile());
        const isInPlace = !path.startsWith('/') || path.startsWith(BASE);
        const hasPlace = hash === '' || !file?.endsWith('.html') || idsOf.get(file)?.has(decodeURIComponent(hash));
        if (file === undefined || !isInPlace || !hasPlace) dead.add(`${page}: ${link}`);
      }
    }
    assert.equal([...dead], []);
    assert.ok(seen > 1000, `${seen} links`);
  });

  site('links to the repository lead to what is in it', () => {
    const link = /href="https:\/\/github\.com\/[^/"]+\/lepanto\/blob\/HEAD\/([^"#]*)/g;
    const linked = pages
      .filter((name) => !name.startsWith('api/'))
      .flatMap((page) => Array.from(htmlOf(page).matchAll(link), ([, path]) => path));
    assert.equal(
      linked.filter((path) => !existsSync(join(root, path))),
      [],
    );
    assert.ok(linked.length > 50, `${linked.length} links`);
  });

  site('the home page has the figures, the command and the program of the README, and a way to play', () => {
    const readme = readText('README.md');
    const html = htmlOf('index.html');
    const text = textIn(html);
    const [, speed] = /\| phase-steps\/s, heuristic sampler \| ([\d,]+)/.exec(readme) ?? [];
    const [, ratio] = /([\d,]+) times as many \(/.exec(readme) ?? [];
    assert.match(text, `${speed} phase-steps a second on one thread, ${ratio} times as many`);
    assert.match(text, 'git clone https://github.com/');
    assert.match(text, '13 fails bounced with A MUN');
    assert.match(html, /<a class="VPButton[^>]*href="\/lepanto\/playground\/"/);
    assert.match(htmlOf('start.html'), /<h1[^>]*>First steps/);
    const [, , wide] = (/viewBox="([\d ]+)"/.exec(readFileSync(join(out, 'board.svg'), 'utf8'))?.[1] ?? '').split(' ');
    assert.ok(Number(wide) < 310, 'names of 9 units are 9 pixels on a phone');
  });

  site('every command has a page with its help, and each module its sentence and first names', () => {
    for (const [name, [about]] of Object.entries(commands)) {
      const text = textIn(htmlOf(`commands/${name}.html`));
      assert.match(text, `usage: lepanto ${name}`);
      assert.match(text.toLowerCase(), about.toLowerCase());
    }
    const [, ...modules] = htmlOf('api.html').split('<h3');
    assert.ok(modules.length > 30, `${modules.length} modules`);
    for (const module of modules)
      assert.match(module, /<p>[A-Z`<].*[.)].*<a href="\/lepanto\/api\//, module.slice(0, 200));
    assert.match(htmlOf('api/python/lepanto.html'), /<section id="Batch">[\s\S]*<section id="ADJUSTMENT">/);
    const first = JSON.parse(readText('test/docs/site/first-names.json'));
    for (const [language, page] of [
      ['typescript', 'index'],
      ['python', 'lepanto'],
    ]) {
      const home = htmlOf(`api/${language}/${page}.html`);
      for (const [name, names] of Object.entries(first[language] as Record<string, string[]>)) {
        if (name === page) continue;
        const text = new RegExp(`${name}</a>(?:<a [^>]*>.*?</a></span>)?</dt>\\s*<dd[^>]*>(.*?)</dd>`, 's')
          .exec(home)?.[1]
          .replace(/<[^>]*>/g, '');
        assert.match(text ?? '', new RegExp(`^\\s*[A-Z][^]*\\.\\s+First: ${names.join(', ')}`), name);
      }
    }
    // What a class has of a private base is documented with it, and the base is not named.
    assert.match(htmlOf('api/python/lepanto/batch.html'), '<div id="Batch.expand" class="classattr">');
    assert.not.match(htmlOf('api/python/lepanto/batch.html'), 'lepanto._');
    assert.match(textIn(htmlOf('api/python/lepanto/arrays.html')), 'NDArray[uint8]');
  });

  site('its code blocks are those of the documents, which code-blocks.test.ts finds run', () => {
    const squeeze = (code: string): string => code.replace(/\s+/g, ' ').trim();
    const files = groups.flatMap(({ items }) => items.map(({ file }) => file));
    const known = new Set(files.flatMap((file) => blocksOf(readText(file)).map(({ code }) => squeeze(code))));
    const unknown: string[] = [];
    let seen = 0;
    for (const page of pages.filter((name) => !/^(api|files|commands)\//.test(name)))
      for (const [, code] of htmlOf(page).matchAll(/<pre[^>]*><code[^>]*>([\s\S]*?)<\/code><\/pre>/g)) {
        seen++;
        // make-site.ts puts the clone in front of the README's first command.
        const text = squeeze(textIn(code)).replace(/^git clone \S+ cd lepanto /, '');
        if (!known.has(text)) unknown.push(`${page}: ${text.slice(0, 80)}`);
      }
    assert.equal(unknown, []);
    assert.ok(seen >= known.size, `${seen} blocks of ${known.size}`);
  });

  browserTests(site)('pages are light and dark, no wider than the window, and found by a search', async (open) => {
    const { address } = await serveFolder(out, BASE);
    /** A page of each kind. */
    const kinds = `index start api bench/results replays 404 playground/index commands/index commands/arena
      bindings/protocols/BOT-PROTOCOL api/typescript/index api/typescript/modules/lepanto api/typescript/functions/lepanto.adjudicate
      api/typescript/classes/lepanto.Game api/typescript/interfaces/lepanto.BatchOptions api/typescript/types/lepanto.ErrorCode
      api/typescript/variables/lepanto.Fate api/python/lepanto api/python/lepanto/batch api/python/lepanto/llm
      api/python/lepanto/diplomacy`
      .split(/\s+/)
      .map((one) => `${one}.html`);
    const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    for (const width of [1280, 390]) {
      const page = await open(undefined, { width });
      const backgrounds: unknown[] = [];
      for (const theme of ['light', 'dark']) {
        await page.prefer({ 'color-scheme': theme });
        // The dark is as wide as the light: on a phone one page is enough.
        for (const name of width < 1000 && theme === 'dark' ? kinds.slice(0, 1) : kinds) {
          await page.goto(address + name);
          // TypeDoc shows its pages when their scripts have run.
          await page.until('document.body.checkVisibility()');
          const wide = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
          assert.ok((wide as number) <= 0, `${name} at ${width}: ${wide} pixels too wide`);
          if (width < 1000) continue;
          await page.evaluate(axe);
          // The dark changes colours alone. A replay in a frame is tested as a page.
          const rules = theme === 'dark' ? "runOnly: ['color-contrast', 'link-in-text-block']," : '';
          const found = await page.evaluate(`axe.run(document, { iframes: false, ${rules} })
            .then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html))`);
          assert.equal(found, [], `${name} ${theme}`);
        }
        backgrounds.push(await page.evaluate('getComputedStyle(document.body).backgroundColor'));
      }
      assert.is.not(backgrounds[0], backgrounds[1]);
      await page.goto(`${address}start.html`, { waitUntil: 'networkidle0' });
      await page.keyboard.down('Control');
      await page.keyboard.press('k');
      await page.keyboard.up('Control');
      await page.untilThere('.VPLocalSearchBox input');
      await page.type('.VPLocalSearchBox input', 'szykman');
      await page.untilThere('.VPLocalSearchBox .result');
      for (const [words, ...wanted] of [
        ['how to write a bot', 'start.html#a-bot-of-your-own', 'BOT-PROTOCOL.html#'],
        ['legalByPower', 'api.html#lepanto'],
        ['episode_seeds', 'api.html#lepanto'],
      ]) {
        await page.evaluate("document.querySelector('.VPLocalSearchBox input').select()");
        await page.type('.VPLocalSearchBox input', words);
        // The first hits, once the search has heard all words.
        const found = `[...document.querySelectorAll('.VPLocalSearchBox .result')].slice(0, 4).map((one) => one.getAttribute('href'))`;
        const has = `((hits) => ${JSON.stringify(wanted)}.every((one) => hits.some((hit) => hit.includes(one))))(${found})`;
        await page.waitForFunction(has, { timeout: 20_000 }).catch(async () => {
          throw new Error(`${words}: got ${await page.evaluate(`${found}.join()`)}`);
        });
      }
      assert.equal(page.requestsBeyond(new URL('/', address).href), []);
    }
  });
}

site('what lacks a docstring is named, but for members of families', () => {
  const place = makeFolder('docs');
  const source = join(place, 'x.ts');
  writeFileSync(
    source,
    'export const play = (): void => {};\n/** Documented. */\nexport const Kind: { readonly A: 0 } = { A: 0 };\n',
  );
  writeFileSync(join(place, 'package.json'), '{"name": "x"}');
  writeFileSync(
    join(place, 'tsconfig.json'),
    '{"files": ["x.ts"], "compilerOptions": {"skipLibCheck": true, "types": []}}',
  );
  const kinds = ['Function', 'Variable', 'Property'].flatMap((kind) => ['--requiredToBeDocumented', kind]);
  const { stdout, stderr } = typedoc(
    ...['--plugin', join(root, 'test/docs/plugin.mjs'), '--validation.notDocumented', ...kinds],
    ...['--entryPoints', source, '--tsconfig', join(place, 'tsconfig.json'), '--packagesRequiringDocumentation', 'x'],
  );
  const warnings = [...(stdout + stderr).matchAll(/^\[warning\] (\S+) .*not have any documentation$/gm)];
  assert.equal(
    warnings.map(([, name]) => name),
    ['play'],
  );
});

site.run();
