// Builds pages as HTML documents with style, script and data. The content security policy of a page allows only this
// style and script, by their hashes, so that text of a game or an agent can never run as code.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { deflateSync } from 'node:zlib';
import { writeWhole } from '../../selfplay/records/whole-file.js';
import { escapeXml } from '../draw/escape-xml.js';
import type { Deflated } from './page-data.js';

export interface PageParts {
  readonly title: string;
  /** Heading of the page. Default: the title. */
  readonly heading?: string;
  /** `above`, `below`: HTML above and below the heading. Untrusted text in it must be escaped. */
  readonly above?: string;
  readonly below?: string;
  /** True for a page with a board and a panel next to it. */
  readonly isStage?: boolean;
  /** CSS after common.css. Style sheets of a page with a board come after it. */
  readonly style?: string;
  /**
   * Name of the page's script, style and HTML among the built files of browser/: 'runs-page' for runs-page.js. Default:
   * none.
   */
  readonly script?: string;
  /**
   * True if the page fetches its script, such as 'board-page.js'. The page is then shown before the script has arrived,
   * and the browser parses the script in another thread. Default: the script is in the document.
   */
  readonly fetchesScript?: boolean;
  /** Data for the script, which reads it with pageData(). */
  readonly data: unknown;
  /** Addresses that the page's script may fetch: 'self' for all addresses of its server. Default: none. */
  readonly connects?: "'self'";
  /** True if the page may run workers of its server. Default: false. */
  readonly workers?: boolean;
}

/** Returns JSON for a script element of a page. Escapes characters that could end the element. */
const scriptJson = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[<>\u2028\u2029]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** Returns the data of a page as deflated JSON. The page's script reads them with inflated(). */
export const deflated = (value: unknown): Deflated => ({
  deflated: deflateSync(JSON.stringify(value), { level: 9 }).toString('base64'),
});

/** A page as HTML, and the content security policy for the header of the server's response. */
export interface ShownPage {
  readonly html: string;
  readonly policy: string;
}

const files = new Map<string, string>();

/** Returns the text of a built file of browser/. Reads each file once, so that a page and its script always match. */
export const browserFile = (name: string): string => {
  const text = files.get(name) ?? readFileSync(new URL(`./browser/${name}`, import.meta.url), 'utf8');
  files.set(name, text);
  return text;
};

const fileOf = ({ script }: PageParts, ending: string): string =>
  script === undefined ? '' : browserFile(`${script}.${ending}`);

const scriptOf = (parts: PageParts): string => fileOf(parts, 'js').trimEnd();

const styleSheetOf = (parts: PageParts): string =>
  `\n${browserFile('common.css')}${parts.style ?? ''}\n${parts.isStage ? fileOf(parts, 'css') : ''}`;

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
  // An end tag would close the element early. Both texts are part of this package, so one in them is a bug.
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

/**
 * Writes a page to a file, atomically. @returns number of bytes written @throws LepantoError if the file cannot be
 * written
 */
export const writePage = (file: string, parts: PageParts): number => {
  const page = Buffer.from(pageDocument(parts));
  writeWhole(file, page);
  return page.length;
};
