// Puts pages together: one HTML document with its style, its script and its data. The policy in its head allows exactly
// that style and that script, by their hashes, so that text of a game or an agent cannot become either.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { deflateSync } from 'node:zlib';
import { writeWhole } from '../../selfplay/records/whole-file.js';
import { escapeXml } from '../draw/escape-xml.js';
import type { Deflated } from './page-data.js';

export interface PageParts {
  readonly title: string;
  /** Default: the title. */
  readonly heading?: string;
  /** HTML above the heading, and below it; text from outside must be escaped in it. */
  readonly above?: string;
  readonly below?: string;
  /** Whether it has a board with a panel beside it. */
  readonly isStage?: boolean;
  /** CSS behind common.css and before that of its script, 'runs-page.css'. */
  readonly style?: string;
  /** Its script, bundled by the build, and its HTML, which the script fills: 'runs-page' for browser/runs-page.ts. Default: none. */
  readonly script?: string;
  /**
   * True if the page fetches its script, 'board-page.js' next to it. It is then shown before the script has come, and
   * the browser parses the script in another thread. Default: the script is in the document.
   */
  readonly fetchesScript?: boolean;
  /** What the script reads by pageData(). */
  readonly data: unknown;
  /** What the page may fetch. Default: nothing. */
  readonly connects?: "'self'";
  /** Whether it runs workers of its server. Default: none. */
  readonly workers?: boolean;
}

/** JSON that ends no script, whatever it holds. */
const scriptJson = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[<>\u2028\u2029]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** Data of a page in fewer bytes: its script reads them by inflated(). */
export const deflated = (value: unknown): Deflated => ({
  deflated: deflateSync(JSON.stringify(value), { level: 9 }).toString('base64'),
});

/** A page with the policy that it states itself, for the header of a server. */
export interface ShownPage {
  readonly html: string;
  readonly policy: string;
}

const files = new Map<string, string>();

/** A file of browser/, as the build left it. Read once: a page and its script stay of one version. */
export const browserFile = (name: string): string => {
  const text = files.get(name) ?? readFileSync(new URL(`./browser/${name}`, import.meta.url), 'utf8');
  files.set(name, text);
  return text;
};

const fileOf = ({ script }: PageParts, ending: string): string =>
  script === undefined ? '' : browserFile(`${script}.${ending}`);

const scriptOf = (parts: PageParts): string => fileOf(parts, 'js').trimEnd();

const styleSheetOf = (parts: PageParts): string =>
  `\n${browserFile('common.css')}${parts.style ?? ''}\n${fileOf(parts, 'css')}`;

const hashOf = (text: string): string => `sha256-${createHash('sha256').update(text).digest('base64')}`;

export const policyOf = (parts: PageParts): string =>
  [
    "default-src 'none'",
    `script-src '${hashOf(scriptOf(parts))}'`,
    `style-src '${hashOf(styleSheetOf(parts))}'`,
    'img-src data:',
    `connect-src ${parts.connects ?? "'none'"}`,
    ...(parts.workers ? ["worker-src 'self'"] : []),
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');

export const pageDocument = (parts: PageParts): string => {
  const { title, heading = title, above = '', below = '', isStage, data } = parts;
  const script = scriptOf(parts);
  const style = styleSheetOf(parts);
  // Neither may end its own element; both are this package's, so that it would be a mistake in them.
  if (/<\/script/i.test(script) || /<\/style/i.test(style))
    throw new Error('page: got an end tag in its script or its style');
  const fetched = `src="${parts.script}.js" integrity="${hashOf(script)}">`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policyOf(parts)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeXml(title)}</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<main class="${isStage ? 'stage' : ''}">
<div class="head">${above}<h1>${escapeXml(heading)}</h1>${below}</div>
${fileOf(parts, 'html')}</main>
<script type="application/json" id="data">${scriptJson(data)}</script>
<script type="module" ${parts.fetchesScript ? fetched : `>${script}`}</script>
</body>
</html>
`;
};

export const shownPage = (parts: PageParts): ShownPage => ({ html: pageDocument(parts), policy: policyOf(parts) });

/** Writes a page into a file. @returns bytes written */
export const writePage = (file: string, parts: PageParts): number => {
  const page = Buffer.from(pageDocument(parts));
  writeWhole(file, page);
  return page.length;
};
