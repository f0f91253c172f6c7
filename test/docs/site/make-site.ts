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
import { writePlayground } from '../../../bindings/web/view-pages.js';

interface Page {
  readonly text: string;
  /** Path of its Markdown in the repository. */
  readonly file: string;
}
interface Group {
  readonly text: string;
  readonly items: readonly Page[];
}

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const here = join(root, 'test/docs/site');
/** Folder of VitePress's input, of this process alone; it finds its packages from here. */
const pages = join(here, `pages-${process.pid}`);
const files = join(pages, 'public/files');
const tools = join(here, 'node_modules');
const python = join(tools, '.python');

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
  const env = { PYTHONPATH: python, PIP_ROOT_USER_ACTION: 'ignore' };
  // Those of another version of Python are of no use.
  if (spawnSync('python3', ['-c', 'import numpy, pdoc'], { env: { ...process.env, ...env } }).status === 0) return;
  rmSync(python, { recursive: true, force: true });
  const wanted = ['--requirement', join(here, 'requirements.txt'), '--target', python];
  run('python3', ['-m', 'pip', 'install', '--quiet', '--no-compile', ...wanted], root, env);
};

/** Where a document is on the site: a folder's README is the page of the folder. */
const routeOf = (file: string): string =>
  file === 'README.md' ? 'start.md' : file.replace(/(^|\/)README\.md$/, '$1index.md');

const repository = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  .homepage.replace(/#.*/, '')
  .replace(/\/$/, '');

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

/** Tables of strength lie where they were measured: this page has them together. */
const writeStrength = (): void => {
  const sections = [
    ['README.md', 'Bots'],
    ['selfplay/nets/README.md', 'The net that ships'],
  ] as const;
  const text = sections.map(([file, heading]) =>
    pageOf(file, sectionOf(readFileSync(join(root, file), 'utf8'), heading)),
  );
  write('strength.md', `# Strength\n${text.join('\n')}`);
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

const writePages = (): void => {
  for (const file of documents) write(routeOf(file), pageOf(file, readFileSync(join(root, file), 'utf8')));
  writeStrength();
  for (const file of ['index.md', 'replays.md', 'api.md'])
    write(file, pageOf(file, readFileSync(join(here, file), 'utf8')));
  linkFrom('README.md', 'bindings/draw/example-board.svg');
  linkFrom('README.md', 'bindings/web/example-game.html');
  writeReplays();
  const back = `<nav aria-label="Pages"><a href="${base}">Lepanto</a><a href="${base}start">Guide</a></nav>`;
  writePlayground(join(pages, 'public/playground'), back);
  cpSync(join(here, 'theme'), join(pages, '.vitepress/theme'), { recursive: true });
  cpSync(join(here, 'config.mjs'), join(pages, '.vitepress/config.mjs'));
  const linkTo = (file: string): string => `/${routeOf(file).replace(/(index)?\.md$/, '')}`;
  const sidebar = groups.map(({ text, items }) => ({
    text,
    items: items.map((page) => ({ text: page.text, link: linkTo(page.file) })),
  }));
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

const makeSite = (out: string): void => {
  installTools();
  const part = `${out}.${process.pid}.part`;
  try {
    writePages();
    const api = join(pages, 'public/api');
    const typedoc = join(root, 'test/docs/node_modules/typedoc/bin/typedoc');
    run(process.execPath, [
      ...[typedoc, '--options', join(root, 'test/docs/typedoc.json'), '--out', join(api, 'typescript')],
      ...['--titleLink', base, '--logLevel', 'Warn', '--treatWarningsAsErrors'],
      // A copy need have no remote.
      ...['--sourceLinkTemplate', `${repository}/blob/{gitRevision}/{path}#L{line}`],
    ]);
    const reference = [join(here, 'reference.py'), join(root, 'bindings/python/src'), join(api, 'python'), base];
    run('python3', reference, root, { PYTHONPATH: python, PYTHONDONTWRITEBYTECODE: '1' });
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

if (process.argv[1] === fileURLToPath(import.meta.url)) makeSite(resolve(process.argv[2] ?? join(root, 'dist/site')));
