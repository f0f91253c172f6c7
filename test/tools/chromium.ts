// Tests pages in the Chromium of the machine, as Debian packages it. Without one the tests say so and count as skipped.
import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const program = [process.env.LEPANTO_CHROMIUM ?? '', ...places].find((path) => path !== '' && existsSync(path));

/** The longest wait for a page to show something, in milliseconds. */
const PATIENCE = { timeout: 300_000 } as const;

/** Adds to a page of Puppeteer what tests read and do on it. Selectors name the first element that matches. */
const extendPage = (page: Page) => {
  /** Errors of scripts, of the console and of the policy. Any that a test leaves here fails it. */
  const errors: string[] = [];
  /** Addresses that the page asked for. */
  const requests: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warn') errors.push(message.text());
  });
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('request', (request) => {
    if (!request.url().startsWith('data:')) requests.push(request.url());
  });
  const json = JSON.stringify;
  const element = (selector: string): string => `document.querySelector(${json(selector)})`;
  /** Waits until an expression is true in the page. */
  const until = (condition: string): Promise<unknown> => page.waitForFunction(condition, PATIENCE);
  /** Waits until an element is there. */
  const untilThere = (selector: string): Promise<unknown> => page.waitForSelector(selector, PATIENCE);
  /** Waits until the text of an element contains some words. */
  const untilText = (selector: string, words: string): Promise<unknown> =>
    until(`${element(selector)}?.textContent.includes(${json(words)})`);
  /** Texts of all elements that match. */
  const texts = (selector: string): Promise<string[]> =>
    page.$$eval(selector, (found) => found.map(({ textContent }) => (textContent ?? '').trim()));
  /** Values of an attribute of all elements that match; '' where an element has none. */
  const attributes = (selector: string, name: string): Promise<string[]> =>
    page.$$eval(selector, (found, of) => found.map((one) => one.getAttribute(of) ?? ''), name);
  /** Clicks an element by its event, wherever it is on the screen. @param more of the event: { shiftKey: true } */
  const press = (selector: string, more: object = {}): Promise<unknown> =>
    page.evaluate(`${element(selector)}.dispatchEvent(new MouseEvent('click', ${json({ bubbles: true, ...more })}))`);
  return Object.assign(page, {
    ...{ errors, requests, until, untilThere, untilText, texts, attributes, press },
    /** Opens an address, and waits for the units of the board if there is one. */
    open: async (address: string): Promise<void> => {
      await page.goto(address);
      await until("!document.querySelector('#board') || document.querySelector('.unit')");
    },
    /** Loads the page again, and waits for its units. */
    reloadBoard: async (): Promise<void> => {
      await page.reload();
      await untilThere('#board .unit');
    },
    /** Changes the part of the address after '#'. */
    setHash: (hash: string): Promise<unknown> => page.evaluate(`location.hash = ${json(hash)}`),
    /** Text of all elements that match, joined by spaces. */
    text: async (selector: string): Promise<string> => (await texts(selector)).join(' '),
    /** Number of elements that match. */
    count: async (selector: string): Promise<number> => (await page.$$(selector)).length,
    /** Value of an attribute; '' if there is none. */
    attribute: async (selector: string, name: string): Promise<string> => (await attributes(selector, name))[0],
    /** Value of an input, a select or a text area. */
    value: async (selector: string): Promise<string> => String(await page.evaluate(`${element(selector)}.value`)),
    /** Puts a value into an input, a select or a text area. */
    fill: (selector: string, value: string): Promise<unknown> =>
      page.evaluate(
        `{ const it = ${element(selector)}; it.value = ${json(value)};
           for (const type of ['input', 'change']) it.dispatchEvent(new Event(type, { bubbles: true })); }`,
      ),
    /** Clicks provinces of the board by their tags, one after the other. */
    clickProvinces: async (...tags: string[]): Promise<void> => {
      for (const tag of tags) await press(`#board .province[data-province="${tag}"]`);
    },
    /** 'A PAR FRANCE' of each unit on the board, sorted. */
    units: (): Promise<string[]> => {
      const nameOf = "(unit) => unit.getAttribute('data-unit') + ' ' + unit.getAttribute('data-power')";
      return page.evaluate(`[...document.querySelectorAll('#board .unit')].map(${nameOf}).sort()`) as Promise<string[]>;
    },
    /** Sets what the reader prefers: { 'color-scheme': 'dark' }. */
    prefer: (wishes: Readonly<Record<string, string>>): Promise<void> =>
      page.emulateMediaFeatures(Object.entries(wishes).map(([name, value]) => ({ name: `prefers-${name}`, value }))),
    /** Addresses that the page asked for outside of one. */
    requestsBeyond: (address: string): string[] => requests.filter((one) => !one.startsWith(address)),
    /** Width of what the page contains, in pixels. */
    width: (): Promise<unknown> => page.evaluate('document.documentElement.scrollWidth'),
  });
};

/** A page under test. */
export type TestPage = ReturnType<typeof extendPage>;

/** How a page is looked at. */
export interface Look {
  /** Size of the window in pixels. Default: 1280 x 900. */
  readonly width?: number;
  readonly height?: number;
  /** With a touch screen. */
  readonly isPhone?: boolean;
  /** For readers who want no motion. */
  readonly isStill?: boolean;
}

/** Opens a page; without an address it is empty. */
export type Open = (address?: string, look?: Look) => Promise<TestPage>;

/**
 * Returns a function that adds a test in the browser to a suite. A test fails if a page that it opened had an error.
 * @param prepare runs before all tests, if there is a browser
 */
export const browserTests = (tests: Test, prepare: () => unknown = () => {}) => {
  let browser: Browser | undefined;
  const openIn =
    (opened: TestPage[]): Open =>
    async (address, { width = 1280, height = 900, isPhone = false, isStill = false } = {}) => {
      // Tests run as root in containers, where there is no sandbox of its own and little shared memory.
      const args = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run'];
      browser ??= await puppeteer.launch({ executablePath: program ?? '', args });
      const page = extendPage(await browser.newPage());
      opened.push(page);
      await page.setViewport({ width, height, isMobile: isPhone, hasTouch: isPhone });
      if (isStill) await page.prefer({ 'reduced-motion': 'reduce' });
      if (address !== undefined) await page.open(address);
      return page;
    };
  if (program === undefined) {
    process.stdout.write('SKIPPED: there is no Chromium; on Debian, apt-get install chromium\n');
    tests('says why it was skipped', () => assert.is(program, undefined));
  } else {
    tests.before(async () => {
      await prepare();
    });
    tests.after(() => browser?.close());
  }
  return (title: string, run: (open: Open) => Promise<void>): void => {
    const add = program === undefined ? tests.skip : tests;
    add(title, async () => {
      const opened: TestPage[] = [];
      try {
        await run(openIn(opened));
        for (const page of opened) assert.equal(page.errors, [], page.url());
      } finally {
        for (const page of opened) await page.close();
      }
    });
  };
};

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};

/** Serves the files of a folder, as any host does; index.html for a folder. @param base path of the folder in addresses */
export const serveFolder = async (
  folder: string,
  base = '/',
): Promise<{ readonly address: string; readonly close: () => void }> => {
  const server = createServer(({ url = '' }, response) => {
    const asked = join(folder, decodeURIComponent(url.split('?')[0]).slice(base.length));
    const found = [asked, join(asked, 'index.html')].find((path) =>
      statSync(path, { throwIfNoEntry: false })?.isFile(),
    );
    if (found === undefined) response.writeHead(404).end();
    else
      response
        .writeHead(200, { 'content-type': types[extname(found)] ?? 'application/octet-stream' })
        .end(readFileSync(found));
  });
  // A failed test does not wait for it.
  server.unref();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}${base}`, close };
};
