// Starts the Chromium of the machine for tests of pages.
import { existsSync } from 'node:fs';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Its program; undefined where there is none: then tests in a browser are skipped. */
export const chromiumPath = [process.env.LEPANTO_CHROMIUM ?? '', ...places].find(
  (path) => path !== '' && existsSync(path),
);

/** A browser without a window. @param path chromiumPath */
export const startChromium = (path: string): Promise<Browser> =>
  puppeteer.launch({
    executablePath: path,
    // Tests run as root in containers, where there is no sandbox of its own and little shared memory.
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run'],
  });

/** A page, and what went wrong in it. */
export interface WatchedPage {
  readonly page: Page;
  /** Errors of scripts, of the console and of the policy. */
  readonly errors: string[];
  /** Addresses that it asked for. */
  readonly requests: string[];
}

/** An empty page of a size in pixels. */
export const openPage = async (browser: Browser, width = 1280, height = 900): Promise<WatchedPage> => {
  const page = await browser.newPage();
  await page.setViewport({ width, height });
  const errors: string[] = [];
  const requests: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warn') errors.push(message.text());
  });
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('request', (request) => {
    if (!request.url().startsWith('data:')) requests.push(request.url());
  });
  return { page, errors, requests };
};
