// Makes the site: static files that need no server of their own, of the Markdown of the repository.
//
//   npm run site [-- OUT]        into dist/site if no folder is named; the path of the site's root is in SITE_BASE
//
// VitePress and pdoc are installed here when they are first wanted, and not by `npm ci`. A link of a document leads to the page
// of another document, to a copy of a figure or a replay, and to the repository for everything else.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commands } from '../../../bindings/cli/commands.js';
import { drawBoard } from '../../../bindings/draw/draw-board.js';
import { boardOf } from '../../../bindings/draw/drawn-board.js';
import { readDrawnPhase } from '../../../bindings/draw/read-phase.js';
import { writePlayground } from '../../../bindings/web/view-pages.js';
import { standard } from '../../../engine/internal.js';
import { DEFAULT_RULES } from '../../../engine/notation/text/index.js';
import { readText, root } from '../../tools/data.js';
import { referencePage } from './reference-pages.js';

interface Page {
  readonly text: string;
  /** Path of its Markdown in the repository. */
  readonly file: string;
}
interface Group {
  readonly text: string;
  readonly items: readonly Page[];
}

const here = join(root, 'test/docs/site');
/** Folder of VitePress's input, of this process alone; it finds its packages from here. */
const pages = join(here, `pages-${process.pid}`);
const files = join(pages, 'public/files');
const tools = join(here, 'node_modules');
const pythonTools = join(tools, '.python');

/** All documents that the site shows. */
export const groups: readonly Group[] = JSON.parse(readFileSync(join(here, 'pages.json'), 'utf8'));
const documents = groups.flatMap(({ items }) => items.map(({ file }) => file));

const run = (command: string, args: readonly string[], cwd = root, env: NodeJS.ProcessEnv = {}): void => {
  execFileSync(command, args, { cwd, stdio: ['ignore', 'inherit', 'inherit'], env: { ...process.env, ...env } });
};

const installTools = (): void => {
  // npm writes this file last.
  if (!existsSync(join(tools, '.package-lock.json')))
    run('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts'], here);
  const env = { PYTHONPATH: pythonTools, PIP_ROOT_USER_ACTION: 'ignore' };
  // Those of another version of Python are of no use.
  if (spawnSync('python3', ['-c', 'import numpy, pdoc'], { env: { ...process.env, ...env } }).status === 0) return;
  rmSync(pythonTools, { recursive: true, force: true });
  const wanted = ['--requirement', join(here, 'requirements.txt'), '--target', pythonTools];
  run('python3', ['-m', 'pip', 'install', '--quiet', '--no-compile', ...wanted], root, env);
};

/** Where a document is on the site: a folder's README is the page of the folder. */
const routeOf = (file: string): string =>
  file === 'README.md' ? 'start.md' : file.replace(/(^|\/)README\.md$/, '$1index.md');

const repository = JSON.parse(readText('package.json')).homepage.replace(/#.*/, '').replace(/\/$/, '');

/** A link of a document, as the site has it. */
const linkFrom = (file: string, link: string): string => {
  const [path, anchor] = link.split('#');
  const hash = anchor === undefined ? '' : `#${anchor}`;
  if (path === '' || /^([a-z]+:|\/)/.test(path)) return link;
  const target = posix.join(posix.dirname(file), path).replace(/\/$/, '');
  if (documents.includes(target)) return `/${routeOf(target).replace(/(index)?\.md$/, '')}${hash}`;
  if (!/\.(svg|html)$/.test(target)) return `${repository}/blob/HEAD/${target}${hash}`;
  mkdirSync(dirname(join(files, target)), { recursive: true });
  cpSync(join(root, target), join(files, target));
  return `/files/${target}`;
};

const base = process.env.SITE_BASE || '/';

/** The Markdown of a page. A link that leaves VitePress for another page needs its whole path. */
const pageOf = (file: string, text: string): string =>
  text
    .split(/(^```[\s\S]*?^```|`[^`\n]*`)/m)
    .map((part, i) =>
      i % 2 === 1
        ? part
        : part.replace(/\]\(([^)\s]+)\)/g, (_, link: string) => {
            const to = linkFrom(file, link);
            return /^\/(files|api)\/.*\.html$/.test(to) ? `](${base}${to.slice(1)}){target="_self"}` : `](${to})`;
          }),
    )
    .join('');

const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(pages, path)), { recursive: true });
  writeFileSync(join(pages, path), text);
};

/** A section of a document: from its heading to the next one of the same level. */
const sectionOf = (text: string, heading: string): string => {
  const begin = text.indexOf(`\n## ${heading}\n`);
  if (begin < 0) throw new Error(`got no section ${heading}, wanted it for the site`);
  const end = text.indexOf('\n## ', begin + 1);
  return text.slice(begin, end < 0 ? undefined : end);
};

/** Text that the README must have. @param pattern with one group */
const foundIn = (text: string, pattern: RegExp): string => {
  const found = pattern.exec(text)?.[1];
  if (found === undefined) throw new Error(`README.md: got no ${pattern}, wanted it for the home page`);
  return found;
};

/** Part of the board of the README, so large that a phone shows its names: x, y, width and height in drawing units. */
const HERO = [374, 357, 286, 286];

/** The README with the clone that its first command needs: a reader of the site has none yet. */
const withClone = (readme: string): string =>
  readme.replace('```sh\nnpm ci', `\`\`\`sh\ngit clone ${repository}\ncd lepanto\nnpm ci`);

/** The tokens of common.css with both themes side by side, `--light-accent` and `--dark-accent`: sheets of the site choose. */
const tokens = (): string => {
  const sheet = readText('bindings/web/browser/common.css');
  const [light = '', dark = ''] = Array.from(sheet.matchAll(/:root\{([^}]*)\}/g), ([, rules]) => rules);
  const named = (rules: string, theme: string): string[] =>
    Array.from(rules.matchAll(/--([\w-]+):([^;]+)/g), ([, name, value]) => `  --${theme}-${name}: ${value};`);
  return `:root {\n${[...named(light, 'light'), ...named(dark, 'dark')].join('\n')}\n}\n`;
};

/** A sheet of a reference, with the tokens that it uses. @returns path of the file */
const withTokens = (name: string): string => {
  const made = join(pages, 'reference', name);
  writeFileSync(made, tokens() + readFileSync(join(here, 'reference', name), 'utf8'));
  return made;
};

/** The home page: its figures, its command and its program are those of the README. */
const writeHome = (): void => {
  const readme = readText('README.md');
  const parts: Readonly<Record<string, string>> = {
    speed: foundIn(readme, /^\| phase-steps\/s, heuristic sampler \| ([\d,]+) /m),
    ratio: foundIn(readme, /phase-steps\/s,\s+Lepanto\s+[\d,]+:\s+([\d,]+)\s+times as many/),
    install: foundIn(withClone(readme), /(^```sh\n[\s\S]*?^```)/m),
    program: foundIn(sectionOf(readme, 'As a library'), /(^```ts\n[\s\S]*?^```)/m),
  };
  const text = readFileSync(join(here, 'index.md'), 'utf8').replace(/\{(\w+)\}/g, (_, name: string) => parts[name]);
  write('index.md', pageOf('index.md', text));
  const record = JSON.parse(readText('bindings/draw/example-board.json'));
  const { phase } = readDrawnPhase(record, standard, DEFAULT_RULES);
  const board = drawBoard(boardOf(standard), phase, { legend: false });
  write('public/board.svg', board.replace(/viewBox="[^"]*"/, `viewBox="${HERO.join(' ')}"`));
};

/** The help of a command, as `lepanto NAME --help` prints it. */
const helpOf = async (name: string): Promise<string> => {
  const [, example, load] = commands[name];
  const { help } = await load();
  const print = (): string =>
    execFileSync(process.execPath, [join(root, 'dist/bindings/cli/lepanto.js'), name, '--help'], { encoding: 'utf8' });
  return help === null ? print() : `${help.trim()}\n\nexample: lepanto ${example}\n`;
};

/** A page for each command, and a list of them. */
const writeCommands = async (): Promise<void> => {
  const title = (about: string): string => `${about[0].toUpperCase()}${about.slice(1)}.`;
  for (const [name, [about]] of Object.entries(commands)) {
    const help = `\`\`\`text\n${(await helpOf(name)).trimEnd()}\n\`\`\`\n`;
    write(`commands/${name}.md`, `---\naside: false\n---\n\n# lepanto ${name}\n\n${title(about)}\n\n${help}`);
  }
  const rowOf = (name: string): string => `| [\`lepanto ${name}\`](/commands/${name}) | ${commands[name][0]} |`;
  const rows = Object.keys(commands).map(rowOf);
  const intro = 'What `lepanto COMMAND --help` prints, one page for each command.';
  write('commands/index.md', `# Commands\n\n${intro}\n\n| command | what it does |\n|---|---|\n${rows.join('\n')}\n`);
};

/** Tables of strength lie where they were measured: this page has them together. */
const writeStrength = (): void => {
  const part = (file: string, heading: string): string => pageOf(file, sectionOf(readText(file), heading));
  const population = part('bench/strength/results.md', 'A population');
  write('strength.md', `# Strength\n${population}\n${part('selfplay/nets/README.md', 'The net that ships')}`);
};

const writeReplays = (): void => {
  const folder = join(files, 'replays');
  mkdirSync(folder, { recursive: true });
  const lepanto = (...args: string[]): void =>
    run(process.execPath, [join(root, 'dist/bindings/cli/lepanto.js'), ...args], folder);
  for (const [name, agents, ...rest] of [
    ['net', 'dumbbot,dumbbot,net,dumbbot,dumbbot,dumbbot,dumbbot', '--until', '1908'],
    ['ancmed', 'dumbbot', '--map', 'ancmed'],
  ]) {
    const fixed = ['--games', '1', '--seed', '3', '--out', name, '--quiet'];
    lepanto('selfplay', '--agents', agents, ...rest, ...fixed);
    lepanto('replay', name, '--game', '0', '--html', `${name}.html`, '--play', '../../playground/');
    rmSync(join(folder, name), { recursive: true });
  }
};

/** The Markdown of a document as the site has it: the README is a guide for readers who have no clone yet. */
const textOf = (file: string): string => {
  const text = pageOf(file, readText(file));
  if (file === 'README.md') return withClone(text).replace(/^# .*/, '# First steps');
  // Its words would hide the pages that explain them.
  return file === 'CHANGELOG.md' ? `---\nsearch: false\n---\n\n${text}` : text;
};

const writePages = async (): Promise<void> => {
  for (const file of documents) write(routeOf(file), textOf(file));
  writeStrength();
  write('replays.md', pageOf('replays.md', readFileSync(join(here, 'replays.md'), 'utf8')));
  writeHome();
  await writeCommands();
  linkFrom('README.md', 'bindings/web/example-game.html');
  writeReplays();
  const back = `<nav aria-label="Pages"><a href="${base}">Lepanto</a><a href="${base}start.html">Guide</a></nav>`;
  writePlayground(join(pages, 'public/playground'), back);
  cpSync(join(here, 'theme'), join(pages, '.vitepress/theme'), { recursive: true });
  write('.vitepress/theme/tokens.css', tokens());
  cpSync(join(here, 'reference'), join(pages, 'reference'), { recursive: true });
  cpSync(join(here, 'config.mjs'), join(pages, '.vitepress/config.mjs'));
  const linkTo = (file: string): string => `/${routeOf(file).replace(/(index)?\.md$/, '')}`;
  const sidebar: object[] = groups.map(({ text, items }) => ({
    text,
    items: items.map((page) => ({ text: page.text, link: linkTo(page.file) })),
  }));
  const named = Object.keys(commands).map((name) => ({ text: name, link: `/commands/${name}` }));
  sidebar.splice(1, 0, { text: 'Commands', link: '/commands/', collapsed: true, items: named });
  const nav = [
    { text: 'Guide', link: '/start' },
    { text: 'Reference', link: '/api' },
    { text: 'Replays', link: '/replays' },
    { text: 'Play', link: '/playground/', target: '_self' },
    { text: 'Strength', link: '/strength' },
    { text: 'Speed', link: '/bench/results' },
  ];
  write('site.json', JSON.stringify({ base, repository, sidebar, nav }));
};

const makeSite = async (out: string): Promise<void> => {
  installTools();
  const part = `${out}.${process.pid}.part`;
  try {
    await writePages();
    const api = join(pages, 'public/api');
    const typedoc = join(root, 'test/docs/node_modules/typedoc/bin/typedoc');
    run(process.execPath, [
      ...[typedoc, '--options', join(root, 'test/docs/typedoc.json'), '--out', join(api, 'typescript')],
      ...['--json', join(pages, 'typescript.json'), '--customCss', withTokens('typedoc.css')],
      ...['--titleLink', base, '--logLevel', 'Warn', '--treatWarningsAsErrors'],
      // A copy need have no remote.
      ...['--sourceLinkTemplate', `${repository}/blob/{gitRevision}/{path}#L{line}`],
    ]);
    withTokens('custom.css');
    const lists = [join(pages, 'python.json'), join(here, 'first-names.json')];
    const places = [join(pages, 'reference'), join(root, 'bindings/python/src'), join(api, 'python'), base];
    const env = { PYTHONPATH: pythonTools, PYTHONDONTWRITEBYTECODE: '1' };
    run('python3', [join(here, 'reference.py'), ...places, ...lists], root, env);
    const [python, first] = lists.map((path) => JSON.parse(readFileSync(path, 'utf8')));
    write('api.md', pageOf('api.md', referencePage(api, join(pages, 'typescript.json'), python, first)));
    run(process.execPath, [join(tools, 'vitepress/bin/vitepress.js'), 'build', pages, '--outDir', part]);
    rmSync(out, { recursive: true, force: true });
    renameSync(part, out);
  } finally {
    for (const left of [pages, part]) rmSync(left, { recursive: true, force: true });
  }
  process.stdout.write(
    `${relative(process.cwd(), out)}: open it by any server of files, like \`python3 -m http.server\`\n`,
  );
};

if (process.argv[1] === fileURLToPath(import.meta.url))
  await makeSite(resolve(process.argv[2] ?? join(root, 'dist/site')));
