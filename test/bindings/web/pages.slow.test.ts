// Tests the pages in a real browser: the replay page, the pages of `lepanto view` with the position editor, and the page
// of a search. Structure is compared, not pixels.
//
// The browser is Chromium as Debian packages it. Without one the tests say so and count as skipped.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'puppeteer-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { powerTitle } from '../../../bindings/draw/titles.js';
import { openSource, recordsOf, wholeRecord } from '../../../bindings/formats/games/recorded-run.js';
import type { RankedRecord, SearchRecord } from '../../../bindings/reports/search-record.js';
import { pageDocument } from '../../../bindings/web/document.js';
import { replayPage } from '../../../bindings/web/replay-page.js';
import { searchPage } from '../../../bindings/web/search-page.js';
import { newGame, type Power, standard, takeMap } from '../../../engine/internal.js';
import { formatPosition, orders } from '../../../engine/notation/json/position.js';
import { ruleSetByName } from '../../../engine/notation/text/index.js';
import { loadCases } from '../../tools/cases.js';
import { chromiumPath, openPage, startChromium } from '../../tools/chromium.js';
import { entry, makeFolder, runLepanto } from '../../tools/command.js';
import { examplePage } from '../../tools/example-page.js';

const place = makeFolder('pages');
const axePath = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const HOSTILE = `<img src=x onerror="window.hacked=1"></script><script>window.hacked=2</script>`;
/** Address of the page that plays on, with characters that must be escaped. */
const PLAYGROUND = '../play/?a="b"';
/** The most that a page may take to show something, in milliseconds. */
const PATIENCE = { timeout: 300_000 } as const;

const lepanto = (...args: string[]): string => {
  const { code, out, err } = runLepanto(args, { cwd: place });
  assert.is(code, 0, err);
  return out;
};

/** Text of the elements that fit a selector. */
const textsOf = (page: Page, selector: string): Promise<string[]> =>
  page.$$eval(selector, (found) => found.map(({ textContent }) => (textContent ?? '').trim()));

const textOf = async (page: Page, selector: string): Promise<string> => (await textsOf(page, selector)).join(' ');

/** Waits until the text of an element fits. */
const waitForText = (page: Page, selector: string, wanted: string): Promise<unknown> =>
  page.waitForFunction(
    `document.querySelector(${JSON.stringify(selector)})?.textContent.includes(${JSON.stringify(wanted)})`,
    PATIENCE,
  );

/** Clicks what a selector names, wherever it is on the screen. */
const press = (page: Page, selector: string): Promise<unknown> =>
  page.evaluate(
    `document.querySelector(${JSON.stringify(selector)}).dispatchEvent(new MouseEvent('click', { bubbles: true }))`,
  );

/** Puts a value into an input or a select. */
const fill = (page: Page, id: string, value: string): Promise<unknown> =>
  page.evaluate(
    `{ const it = document.getElementById(${JSON.stringify(id)}); it.value = ${JSON.stringify(value)};
       for (const type of ['input', 'change']) it.dispatchEvent(new Event(type, { bubbles: true })); }`,
  );

/** The value of an input or a text area. */
const valueIn = (page: Page, id: string): Promise<unknown> =>
  page.evaluate(`document.getElementById(${JSON.stringify(id)}).value`);

/** 'A PAR, FRANCE' of each unit that is shown, sorted. */
const unitsOn = async (page: Page): Promise<string[]> => {
  const found = await page.$$eval('#board .unit', (units) =>
    units.map((unit) => `${unit.getAttribute('data-unit')} ${unit.getAttribute('data-power')}`),
  );
  return found.sort();
};

/** Opens a section of the panel of a board: 'analysis'. */
const openTab = (page: Page, name: string): Promise<unknown> => press(page, `#to-${name}`);

/**
 * True if a canvas has a pixel of a colour of the page.
 * @param name of the custom property that holds the colour: '--bad'
 * @param of the element that has it
 */
const hasColour = (page: Page, canvas: string, name: string, of = 'body'): Promise<unknown> =>
  page.evaluate(`(async () => {
    const copy = new OffscreenCanvas(2000, 1000).getContext('2d', { willReadFrequently: true });
    // A change of colours is drawn with one of the next frames.
    for (let frame = 0; frame < 30; frame++) {
      await new Promise(requestAnimationFrame);
      const { width, height } = copy.canvas;
      copy.clearRect(0, 0, width, height);
      copy.drawImage(document.querySelector('${canvas}'), 0, 0);
      const { data } = copy.getImageData(0, 0, width, height);
      copy.fillStyle = getComputedStyle(document.querySelector('${of}')).getPropertyValue('${name}');
      copy.fillRect(0, 0, 1, 1);
      const [r, g, b] = copy.getImageData(0, 0, 1, 1).data;
      for (let i = 0; i < data.length; i += 4)
        // The edges of a line are less than opaque; lines that are faint are less than an eighth of it.
        if (data[i + 3] > 80 && Math.abs(data[i] - r) + Math.abs(data[i + 1] - g) + Math.abs(data[i + 2] - b) < 24)
          return true;
    }
    return false;
  })()`);

let viewing: ChildProcess | undefined;

const startView = async (directory: string): Promise<string> => {
  viewing?.kill('SIGKILL');
  viewing = spawn(process.execPath, [entry, 'view', directory, '--workers', '1'], {
    cwd: place,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [text] = (await once(viewing.stdout?.setEncoding('utf8') as NodeJS.ReadableStream, 'data')) as [string];
  return text.trim();
};

const pages = suite('pages');

let browser: Browser;

/** A test that is skipped where there is no Chromium. */
const inBrowser = (name: string, run: () => Promise<void>): void => {
  if (chromiumPath === undefined) pages.skip(name, () => {});
  else pages(name, run);
};

const prepare = async (path: string): Promise<void> => {
  mkdirSync(join(place, 'runs'));
  lepanto(...'selfplay --games 512 --until 1902 --agents random --seed 9 --out whole --quiet'.split(' '));
  lepanto(...'selfplay --games 2 --until 1903 --agents dumbbot --seed 4 --out runs/bots --quiet'.split(' '));
  lepanto(...'selfplay --games 1 --until 1872 --map colonial --agents random --seed 4 --out asia --quiet'.split(' '));
  lepanto('replay', 'runs/bots', '--game', '1', '--html', 'game.html', '--play', PLAYGROUND);
  lepanto('replay', 'asia', '--html', 'asia.html');
  browser = await startChromium(path);
};

pages.before(() => (chromiumPath === undefined ? undefined : prepare(chromiumPath)));
pages.after(async () => {
  await browser?.close();
  viewing?.kill('SIGKILL');
});

/** The games of a run in the place of the tests, read when they are asked for. */
const openSourceLater = (run: string) => (index: number) => {
  const source = openSource(join(place, run));
  for (const { game } of recordsOf(source)) if (game?.index === index) return wholeRecord(source, game);
  throw new Error(`${run} has no game ${index}`);
};

/** The agents with which a replay continues, by power. */
const seatsAfter = async (page: Page): Promise<unknown> => {
  const [, position = ''] = (await page.$eval('#go-on', (link) => link.getAttribute('href') ?? '')).split('#');
  return JSON.parse(decodeURIComponent(position)).seats;
};

const dumbbots = openSourceLater('runs/bots');

inBrowser('a replay plays to its end and asks for nothing', async () => {
  const { page, errors, requests } = await openPage(browser);
  const address = pathToFileURL(join(place, 'game.html')).href;
  await page.goto(address);
  await waitForText(page, '#phase', 'Spring 1901');
  const { phases } = dumbbots(1);
  const start = phases[0];
  assert.is((await unitsOn(page)).length, 22);
  assert.is(start.phase, 'S1901M');
  const [link, position = ''] = (await page.$eval('#go-on', (shape) => shape.getAttribute('href') ?? '')).split('#');
  assert.is(link, PLAYGROUND);
  assert.is(JSON.parse(decodeURIComponent(position)).phase, 'S1901M');
  // The game is continued with its agents, and with a human in place of the one that is looked at.
  const seats = Object.fromEntries(standard.powerNames.map((power) => [power, 'dumbbot']));
  assert.equal(await seatsAfter(page), seats);
  await page.click('#powers button:nth-child(3)');
  assert.equal(await seatsAfter(page), { ...seats, FRANCE: 'human' });
  await page.click('#only button');
  await page.select('#speed', '8');
  await page.click('#play');
  assert.is(await textOf(page, '#play'), 'Pause');
  await waitForText(page, '#phase', 'The end');
  assert.is(await textOf(page, '#play'), 'Play');
  assert.match(await textOf(page, '#orders'), /^No power wins alone\.$/);
  // Those that have gone fade for a moment.
  const last = Number(await page.$eval('#at', (slider) => slider.getAttribute('max')));
  const orders = phases.filter((phase) => phase.orders.length > 0).length;
  assert.is(last, phases.length + orders - 1);
  assert.match(
    await page.$eval('#board svg', (svg) => svg.getAttribute('aria-label') ?? ''),
    /^Board in The end\. Centres: Austria \d/,
  );
  assert.equal(requests, [address]);
  assert.equal(errors, []);
  await page.close();
});

inBrowser('the committed example plays', async () => {
  const { page, errors } = await openPage(browser);
  await page.goto(`${pathToFileURL(examplePage).href}#F1904M`);
  await waitForText(page, '#phase', 'Fall 1904: orders');
  assert.ok((await page.$$('#board .order')).length > 15);
  assert.equal(errors, []);
  await page.close();
});

inBrowser('keys, slider, chart and address move through a replay', async () => {
  const { page, errors } = await openPage(browser);
  const address = pathToFileURL(join(place, 'game.html')).href;
  await page.goto(`${address}#F1902M`);
  const title = (): Promise<string> => textOf(page, '#phase');
  await waitForText(page, '#phase', 'Fall 1902: orders');
  const shown = dumbbots(1).phases.find(({ phase }) => phase === 'F1902M');
  assert.is((await page.$$('#board .order')).length, shown?.orders.length);
  assert.is((await page.$$('#orders tr')).length, shown?.orders.length);
  const told = await textsOf(page, '#orders td:last-child');
  assert.ok(
    told.some((text) => /^fails, (bounced with|lost|[AF] [A-Z]{3})/.test(text)),
    told.join('; '),
  );
  await page.keyboard.press('ArrowLeft');
  assert.is(await title(), 'Fall 1902');
  assert.is((await page.$$('#board .order')).length, 0);
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  assert.is((await page.$$('#board .dislodged')).length > 0, (await title()).includes('retreats'));
  assert.match(await title(), /^(Fall 1902, retreats|Winter 1902, adjustments|Spring 1903)$/);
  await page.keyboard.press('PageUp');
  assert.is(await title(), 'Spring 1901');
  await page.keyboard.press('PageDown');
  assert.is(await title(), 'Spring 1902');
  await page.keyboard.press('End');
  assert.is(await title(), 'The end');
  await page.keyboard.press('Home');
  assert.is(await title(), 'Spring 1901');
  assert.match(page.url(), /#S1901M&at=position$/);
  await page.keyboard.press('Space');
  assert.is(await textOf(page, '#play'), 'Pause');
  await page.keyboard.press('Space');
  assert.is(await textOf(page, '#play'), 'Play');
  await fill(page, 'at', '3');
  assert.is(await title(), 'Fall 1901: orders');
  await page.evaluate("location.hash = '#S1903M'");
  await waitForText(page, '#phase', 'Spring 1903: orders');
  assert.equal(errors, []);
  await page.close();
});

inBrowser('a replay fits a phone, the dark and those who want no motion', async () => {
  const { page, errors } = await openPage(browser, 375, 740);
  await page.emulateMediaFeatures([
    { name: 'prefers-color-scheme', value: 'dark' },
    { name: 'prefers-reduced-motion', value: 'reduce' },
  ]);
  await page.goto(pathToFileURL(join(place, 'game.html')).href);
  await waitForText(page, '#phase', 'Spring 1901');
  const look = (await page.evaluate(`({
    width: document.documentElement.scrollWidth,
    paper: getComputedStyle(document.body).backgroundColor,
    motion: getComputedStyle(document.querySelector('.unit')).transitionDuration,
  })`)) as { width: number; paper: string; motion: string };
  assert.equal(look, { width: 375, paper: 'rgb(16, 20, 24)', motion: '0s' });
  assert.equal(errors, []);
  await page.close();
});

inBrowser(
  'what a search weighed is shown where the record has it, and nothing that an agent is called is run',
  async () => {
    const source = openSource(join(place, 'runs/bots'));
    const played = dumbbots(0);
    const burgundy = orders(newGame(), { FRANCE: ['A PAR - BUR'] });
    const candidate = { orders: burgundy, probability: 0.625, value: 0.21, error: 0.004 };
    const gascony = orders(newGame(), { FRANCE: ['A PAR - GAS', 'F BRE - MAO'] });
    const better = { ...candidate, orders: gascony, probability: 0, value: 0.25 };
    const power = standard.powerNames.indexOf('FRANCE') as Power;
    const [first, second, ...others] = played.phases;
    const weighed = (value: number) => ({ power, value, candidates: [{ ...candidate, value }, better] });
    const phases = [
      { ...first, targets: [weighed(0.21)] },
      { ...second, targets: [weighed(0.15)] },
    ];
    const record = { ...played, phases: [...phases, ...others] };
    const agents = [HOSTILE, ...'ABCDEF'];
    writeFileSync(join(place, 'hostile.html'), pageDocument(replayPage(source, record, { title: HOSTILE, agents })));
    const { page, errors } = await openPage(browser);
    await page.goto(`${pathToFileURL(join(place, 'hostile.html')).href}#S1901M`);
    await waitForText(page, '#phase', 'Spring 1901: orders');
    assert.equal(await textsOf(page, 'details li'), [
      '62.5 %, value 0.210 ± 0.004: A PAR - BUR',
      '0.0 %, value 0.250 ± 0.004: A PAR - GAS, F BRE - MAO',
    ]);
    // What was weighed lies below what was ordered, as wide as it was likely; a set that is picked is drawn alone.
    const arrows = (): Promise<string[]> =>
      page.$$eval('#board .weighed .order', (found) =>
        found.map(
          (one) => `${one.getAttribute('data-order')} ${one.querySelector('.a2')?.getAttribute('stroke-width')}`,
        ),
      );
    const all = ['A PAR - BUR 3.6', 'A PAR - GAS 0.6', 'F BRE - MAO 0.6'];
    assert.equal(await arrows(), all);
    await press(page, 'details li:nth-child(2) button');
    assert.equal(await arrows(), all.slice(1));
    assert.is((await page.$$('#board .weighed .picked')).length, 2);
    await press(page, 'details li:nth-child(2) button');
    await page.keyboard.press('c');
    assert.equal(await arrows(), []);
    await page.keyboard.press('c');
    assert.equal(await arrows(), all);
    // Its value falls, which the chart marks.
    assert.ok(await hasColour(page, '#values canvas', '--bad'));
    assert.match(await textOf(page, '#values .told'), /^Spring 1901: France 0\.210$/);
    assert.is(await textOf(page, '#values a'), 'France in Spring 1901, 0.210 to 0.150');
    await page.evaluate("document.querySelector('#values [role=slider]').focus()");
    await page.keyboard.press('ArrowRight');
    assert.match(page.url(), /#F1901M/);
    await page.click('#values a');
    await waitForText(page, '#only', 'Only France');
    assert.match(page.url(), /#S1901M&only=FRANCE$/);
    await page.click('#only button');
    assert.is(await textOf(page, 'h1'), HOSTILE);
    assert.is((await textsOf(page, '#powers .agent'))[0], HOSTILE);
    assert.is((await page.$$('img')).length, 0);
    assert.equal(errors, []);
    // And if it had got into the page, the policy would have stopped it.
    await page.evaluate(`document.body.innerHTML += ${JSON.stringify(HOSTILE)};
    { const script = document.createElement('script'); script.textContent = 'window.hacked = 3'; document.body.append(script); }`);
    assert.is(await page.evaluate('window.hacked'), undefined);
    assert.ok(
      errors.some((error) => error.includes('Content Security Policy')),
      errors.join(),
    );
    await page.close();
  },
);

// ---- the board ----

/** The least size of a name on the board in pixels, how much the page overflows, and whether its units are simplified. */
const sizesOn = async (page: Page): Promise<{ name: number; over: number; far: boolean; view: string }> =>
  (await page.evaluate(`(() => {
    const svg = document.querySelector('#board svg');
    const scale = svg.getScreenCTM().a;
    const names = [...svg.querySelectorAll('.names text')].filter((one) => getComputedStyle(one).display !== 'none');
    return {
      name: Math.min(...names.map((one) => parseFloat(getComputedStyle(one).fontSize) * scale)),
      over: document.documentElement.scrollWidth - innerWidth,
      far: svg.classList.contains('far'),
      view: svg.getAttribute('viewBox'),
    };
  })()`)) as { name: number; over: number; far: boolean; view: string };

const zoomOf = (view: string): number => Number(view.split(' ')[2]);

inBrowser('a board is as large as its window, and names are read on it', async () => {
  for (const file of ['game.html', 'asia.html'])
    for (const [width, height] of [
      [1280, 800],
      [1440, 900],
      [1920, 1080],
    ]) {
      const { page, errors } = await openPage(browser, width, height);
      await page.goto(pathToFileURL(join(place, file)).href);
      await page.waitForSelector('#board .unit', PATIENCE);
      const { name, over, far } = await sizesOn(page);
      assert.ok(name >= 8.999, `${file} ${width}: names of ${name} px`);
      assert.is(over, 0);
      assert.not(far);
      assert.is(await page.evaluate('document.documentElement.scrollHeight'), height);
      assert.equal(errors, []);
      await page.close();
    }
});

/**
 * Letters of names that are under units, as 'MUN under A MUN', in the page. Boxes of texts have room above and below their
 * capitals, which is cut off.
 */
const COVERED = `(() => {
  const units = [...document.querySelectorAll('#board .unit')].flatMap((unit) =>
    [...unit.querySelectorAll('.edge')].map((edge) => ({ unit, box: edge.getBoundingClientRect() })));
  return [...document.querySelectorAll('#board .names > text')].filter((text) => text.checkVisibility()).flatMap((text) => {
    const { left, right, top, bottom, height } = text.getBoundingClientRect();
    const [high, low] = [top + height * 0.25, bottom - height * 0.25];
    return units
      .filter(({ box }) => box.left < right && left < box.right && box.top < low && high < box.bottom)
      .map(({ unit }) => text.textContent + ' under ' + unit.getAttribute('data-unit'));
  });
})()`;

inBrowser('no unit covers a name, and no button a province', async () => {
  for (const [file, width, height] of [
    ['game.html', 390, 844],
    ['game.html', 620, 800],
    ['game.html', 800, 600],
    ['asia.html', 620, 800],
    ['asia.html', 1280, 800],
  ] as const) {
    const { page, errors } = await openPage(browser, width, height);
    await page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'reduce' }]);
    await page.goto(pathToFileURL(join(place, file)).href);
    await page.waitForSelector('#board .unit', PATIENCE);
    for (let step = 0; step < 8; step++) {
      assert.equal(await page.evaluate(COVERED), [], `${file} at ${width}, step ${step}`);
      await page.keyboard.press('ArrowRight');
    }
    const covered = await page.evaluate(`(() => {
      const { left, right, top, bottom } = document.querySelector('.zoom').getBoundingClientRect();
      return [...document.querySelectorAll('#board .names > text')].filter((text) => {
        const box = text.getBoundingClientRect();
        return box.left < right && left < box.right && box.top < bottom && top < box.bottom;
      }).map((text) => text.textContent);
    })()`);
    assert.equal(covered, [], `${file} at ${width}`);
    assert.equal(errors, []);
    await page.close();
  }
});

inBrowser('letters of the charts of a replay have one size in a narrow and in a wide column', async () => {
  const { page } = await openPage(browser, 1280, 800);
  const sizes = new Set<number>();
  for (const width of [390, 880, 1280, 1920]) {
    await page.setViewport({ width, height: 1080 });
    await page.goto(pathToFileURL(join(place, 'game.html')).href);
    await page.waitForSelector('#chart canvas', PATIENCE);
    // Also where the window changes later.
    for (const now of [width, 700]) {
      await page.setViewport({ width: now, height: 1080 });
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
      // Letters are drawn in pixels of the screen: the picture is not scaled, and fills its column.
      const [scale, free] = (await page.evaluate(
        `(({ width, clientWidth }, { clientWidth: room }) => [width / clientWidth / devicePixelRatio, room - clientWidth])(
          document.querySelector('#chart canvas'), document.querySelector('#chart'))`,
      )) as [number, number];
      sizes.add(Number(scale.toFixed(2)));
      assert.is(free, 0);
    }
  }
  assert.equal([...sizes], [1]);
  await page.close();
});

inBrowser('wheel, keys, buttons and a drag zoom and move the board', async () => {
  const { page, errors } = await openPage(browser, 1280, 800);
  await page.goto(pathToFileURL(join(place, 'game.html')).href);
  await page.waitForSelector('#board .unit', PATIENCE);
  const whole = await sizesOn(page);
  assert.is(zoomOf(whole.view), 1000);
  await page.mouse.move(400, 400);
  await page.mouse.wheel({ deltaY: -240 });
  await page.waitForFunction("document.querySelector('#board').classList.contains('zoomed')", PATIENCE);
  const wheeled = await sizesOn(page);
  assert.ok(zoomOf(wheeled.view) < 700, wheeled.view);
  assert.ok(Math.abs(wheeled.name - whole.name) < 0.01, 'names keep their size');
  // A drag moves the board, and is no click on a unit.
  await page.mouse.down();
  await page.mouse.move(300, 350, { steps: 4 });
  await page.mouse.up();
  const dragged = await sizesOn(page);
  assert.is.not(dragged.view, wheeled.view);
  assert.is((await page.$$('#only:not([hidden])')).length, 0);
  await page.keyboard.down('Shift');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.up('Shift');
  assert.ok(Number((await sizesOn(page)).view.split(' ')[0]) < Number(dragged.view.split(' ')[0]));
  await page.click('button[aria-label="Move down"]');
  const moved = await sizesOn(page);
  for (const key of ['a', 'e', 'Tab'] as const) await page.keyboard.press(key);
  assert.is((await sizesOn(page)).view, moved.view);
  await page.keyboard.press('0');
  assert.is((await sizesOn(page)).view, whole.view);
  await page.click('button[aria-label="Zoom in"]');
  await page.keyboard.press('+');
  assert.ok(zoomOf((await sizesOn(page)).view) < 450);
  await page.keyboard.press('-');
  await page.click('button[aria-label="Whole board"]');
  assert.is((await sizesOn(page)).view, whole.view);
  assert.match(await textOf(page, '#phase'), /^Spring 1901/);
  assert.equal(errors, []);
  await page.close();
});

inBrowser('on a phone a pinch makes names readable and units whole', async () => {
  const { page, errors } = await openPage(browser);
  await page.setViewport({ width: 390, height: 844, isMobile: true, hasTouch: true });
  for (const file of ['game.html', 'asia.html']) {
    await page.goto(pathToFileURL(join(place, file)).href);
    await page.waitForSelector('#board .unit', PATIENCE);
    const before = await sizesOn(page);
    assert.is(before.over, 0);
    assert.ok(before.far);
    const client = await page.createCDPSession();
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...across: number[]): Promise<unknown> =>
      client.send('Input.dispatchTouchEvent', { type, touchPoints: across.map((x, id) => ({ x, y: 200, id })) });
    await touch('touchStart', 160);
    await touch('touchStart', 160, 220);
    for (let step = 1; step <= 10; step++) await touch('touchMove', 160 - 3 * step, 220 + 3 * step);
    await touch('touchEnd');
    await page.waitForFunction("document.querySelector('#board').classList.contains('zoomed')", PATIENCE);
    const after = await sizesOn(page);
    assert.ok(after.name >= 8, `${file}: names of ${after.name} px`);
    assert.not(after.far);
    assert.is(await page.evaluate('visualViewport.scale'), 1);
  }
  assert.equal(errors, []);
  await page.close();
});

inBrowser('orders and board mark each other, and a power or a unit filters, in the address too', async () => {
  const { page, errors } = await openPage(browser);
  const address = pathToFileURL(join(place, 'game.html')).href;
  await page.goto(`${address}#F1901M`);
  await waitForText(page, '#phase', 'Fall 1901: orders');
  const all = (await page.$$('#orders tr')).length;
  const [unit, power] = (await page.$eval('#orders tr', (row) => [
    row.getAttribute('data-unit'),
    row.getAttribute('data-power'),
  ])) as string[];
  await page.focus('#orders tr button');
  assert.ok((await page.$$(`#board .unit.marked[data-unit="${unit}"][data-power="${power}"]`)).length === 1);
  await page.hover('#board .unit[data-power="TURKEY"]');
  assert.equal(await page.$$eval('#orders tr.marked', (rows) => rows.map((row) => row.getAttribute('data-power'))), [
    'TURKEY',
  ]);
  await page.click('#powers button:nth-child(3)');
  const french = dumbbots(1).phases.find(({ phase }) => phase === 'F1901M');
  assert.match(await textOf(page, '#orders h3'), /^France$/);
  assert.ok((await page.$$('#orders tr')).length < all);
  assert.is((await page.$$('#board .unit.faint[data-power=FRANCE]')).length, 0);
  assert.ok((await page.$$('#board .order.faint')).length > 5);
  assert.ok((french?.orders.length ?? 0) === all);
  assert.match(page.url(), /#F1901M&only=FRANCE$/);
  await page.reload();
  await waitForText(page, '#only', 'Only France');
  await page.keyboard.press('ArrowLeft');
  assert.match(page.url(), /#F1901M&at=position&only=FRANCE$/);
  await page.click('#only button');
  assert.match(page.url(), /#F1901M&at=position$/);
  // A unit is followed where it goes.
  await page.evaluate(`location.hash = '#F1901M&only=${encodeURIComponent(`${power} ${unit}`)}'`);
  await waitForText(page, '#only', `Only ${unit}`);
  assert.ok((await textsOf(page, '#orders td:first-child')).every((text) => text.includes(unit.slice(2, 5))));
  await page.keyboard.press('ArrowRight');
  assert.is((await page.$$('#only:not([hidden])')).length, 1);
  // The chart says what it shows.
  await page.hover('#chart .u-over');
  assert.match(await textOf(page, '#counted'), /^(Spring|Fall|Winter) 190\d.*: \p{L}+ \d+, /u);
  const chartSays = (name: string): Promise<string> =>
    page.$eval('#chart [role=slider]', (chart, of) => chart.getAttribute(of) ?? '', name);
  assert.match(await chartSays('aria-valuetext'), /France \d/);
  assert.match(await chartSays('aria-label'), /; 18 win$/);
  // Each power has its colour, dark as the page is; that of the others is faint while one is shown alone. Equal lines hide
  // parts of each other.
  await page.click('#only button');
  const colours = Array.from({ length: 7 }, (_, q) => `.p${q}`);
  for (const theme of ['dark', 'light']) {
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: theme }]);
    const found = await Promise.all(colours.map((of) => hasColour(page, '#chart canvas', '--power', of)));
    assert.ok(found.filter(Boolean).length > 4, `${theme}: ${found}`);
  }
  await page.evaluate("location.hash = '#F1901M&only=FRANCE'");
  await waitForText(page, '#only', 'Only France');
  const left = await Promise.all(colours.map((of) => hasColour(page, '#chart canvas', '--power', of)));
  assert.equal(left, [false, false, true, false, false, false, false]);
  assert.equal(errors, []);
  await page.close();
});

/** Writes the page of a game with weighed orders and an agent of a long name, and returns its address. */
const writeOpenPage = (): string => {
  const source = openSource(join(place, 'runs/bots'));
  const played = dumbbots(0);
  const target = (order: string) => {
    const candidate = { orders: orders(newGame(), { FRANCE: [order] }), probability: 1, value: 0.2, error: 0.1 };
    return { power: standard.powerNames.indexOf('FRANCE') as Power, value: 0.2, candidates: [candidate] };
  };
  const phases = played.phases.map((phase, i) => (i < 2 ? { ...phase, targets: [target('A PAR - BUR')] } : phase));
  const long = `search:${Array.from({ length: 60 }, (_, i) => `option${i}=0.25`).join(':')}`;
  const agents = [long, ...'ABCDEF'];
  const path = join(place, 'open.html');
  writeFileSync(path, pageDocument(replayPage(source, { ...played, phases }, { title: 'T', agents })));
  return `${pathToFileURL(path).href}#S1901M`;
};

inBrowser('a step leaves what is open and where the list was', async () => {
  const { page, errors } = await openPage(browser, 1280, 620);
  await page.goto(writeOpenPage());
  await waitForText(page, '#phase', 'Spring 1901: orders');
  await page.click('#orders summary');
  await page.evaluate("document.querySelector('#orders').scrollTop = 60");
  await page.keyboard.press('ArrowRight');
  assert.is(await page.$eval('#orders details', (details) => details.hasAttribute('open')), true);
  assert.is(await page.$eval('#orders', (list) => list.scrollTop), 60);
  // Names of agents do not make a phone's page wider.
  await page.setViewport({ width: 390, height: 844 });
  assert.is(await page.evaluate('document.documentElement.scrollWidth'), 390);
  // Printed with everything but what one clicks.
  await page.emulateMediaType('print');
  assert.ok(await page.evaluate("document.querySelector('#powers .agent').checkVisibility()"));
  assert.not(await page.evaluate("document.querySelector('#play').checkVisibility()"));
  assert.is.not(await page.evaluate("getComputedStyle(document.querySelector('#board .texture')).display"), 'none');
  assert.is(await page.evaluate('getComputedStyle(document.body).backgroundColor'), 'rgba(0, 0, 0, 0)');
  assert.equal(errors, []);
  await page.close();
});

inBrowser('a page follows the dark switch of the site that it lies on, also when it is turned later', async () => {
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(request.url === '/other' ? '' : readFileSync(join(place, 'game.html')));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const [{ page, errors }, { page: other }] = [await openPage(browser), await openPage(browser)];
  const colours = (): Promise<unknown> =>
    page.evaluate(`[getComputedStyle(document.body).backgroundColor,
      getComputedStyle(document.querySelector('#board .province.sea')).fill].join()`);
  await other.goto(`${address}other`);
  const turn = async (theme: string): Promise<void> => {
    await other.evaluate(`localStorage.setItem('vitepress-theme-appearance', '${theme}')`);
    await page.waitForFunction(`localStorage.getItem('vitepress-theme-appearance') === '${theme}'`, PATIENCE);
  };
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
  await page.goto(address);
  await page.waitForSelector('#board .sea', PATIENCE);
  const dark = await colours();
  await turn('light');
  await page.waitForFunction("getComputedStyle(document.documentElement).colorScheme === 'light'", PATIENCE);
  const light = await colours();
  assert.is.not(light, dark);
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'light' }]);
  await turn('dark');
  await page.reload();
  await page.waitForSelector('#board .sea', PATIENCE);
  assert.is(await colours(), dark);
  await turn('auto');
  await page.waitForFunction("document.documentElement.style.colorScheme === ''", PATIENCE);
  assert.is(await colours(), light);
  assert.equal(errors, []);
  for (const one of [page, other]) await one.close();
  server.close();
});

/** Filters the games of a run of 512, shows all again, and turns a page. */
const tryFilters = async (page: Page): Promise<void> => {
  await fill(page, 'owner', 'TURKEY');
  await fill(page, 'centers-from', '6');
  await page.waitForFunction("!document.querySelector('#found').textContent.includes('512')", PATIENCE);
  const turkey = await textsOf(page, '#games td:last-child');
  assert.ok(turkey.length > 0 && turkey.every((n) => Number(n) >= 6), turkey.join());
  assert.match(page.url(), /#owner=TURKEY&centers-from=6/);
  await page.click('#reset');
  await waitForText(page, '#found', 'of 512 games');
  await page.click('#older');
  await waitForText(page, '#found', '51 to 100 of 512');
  assert.is(await textOf(page, '#games tr:first-child a'), 'game 50');
  await press(page, '#games-heads th:last-child button');
  await page.waitForFunction(
    "document.querySelector('#found').textContent.startsWith('1 to 50') && document.querySelector('#games a').textContent !== 'game 0'",
    PATIENCE,
  );
  const sorted = (await textsOf(page, '#games td:last-child')).map(Number);
  assert.ok(sorted[0] > 5 && sorted.every((n, i) => i === 0 || n <= sorted[i - 1]), sorted.join());
  await press(page, '#games-heads th:first-child button');
  await waitForText(page, '#games', 'game 49');
  await page.click('#older');
  await waitForText(page, '#found', '51 to 100 of 512');
  assert.is((await page.$$('#centers .square')).length % 7, 0);
};

/** Opens the first game of the list, takes a position to the editor, and comes back. */
const followGame = async (page: Page): Promise<void> => {
  await page.click('#games tr:first-child a');
  await waitForText(page, '#phase', 'Spring 1901');
  assert.is((await unitsOn(page)).length, 22);
  assert.equal((await textsOf(page, 'nav a')).slice(2), [
    'Game 49',
    'Game 51',
    'Edit this position',
    'Play on from here',
    'Compare agents',
  ]);
  await fill(page, 'at', '3');
  // Units that fade out are gone.
  await page.waitForFunction("![...document.querySelectorAll('.unit')].some((unit) => unit.style.opacity === '0')");
  const there = await unitsOn(page);
  await page.click('#edit');
  await page.waitForSelector('#outcome', PATIENCE);
  await page.waitForSelector('#board .unit', PATIENCE);
  assert.equal(await unitsOn(page), there);
  assert.ok((await page.$$('#board .order')).length > 10);
  await page.goBack();
  await waitForText(page, '#phase', '190');
};

inBrowser('messages are beside the orders, filtered by power, and hostile ones are text', async () => {
  const source = openSource(join(place, 'runs/bots'));
  const { phases, ...record } = dumbbots(1);
  const message = {
    phase: 'S1901M',
    round: 1,
    sender: 'FRANCE',
    recipients: ['ITALY', 'RUSSIA'],
    time_sent: 1,
    text: HOSTILE,
  };
  const open = {
    ...message,
    sender: 'TURKEY',
    recipients: ['GLOBAL'],
    time_sent: 3,
    text: 'Hello.',
    content: { a: HOSTILE },
  };
  const told = [{ ...phases[0], messages: [message, open] }, ...phases.slice(1)];
  writeFileSync(
    join(place, 'press.html'),
    pageDocument(replayPage(source, { ...record, phases: told }, { title: 'Press' })),
  );
  const { page, errors, requests } = await openPage(browser);
  const address = pathToFileURL(join(place, 'press.html')).href;
  await page.goto(`${address}#S1901M`);
  await waitForText(page, '#phase', 'Spring 1901: orders');
  const heads = (): Promise<string[]> => textsOf(page, '#messages b');
  assert.equal(await heads(), ['France to Italy, Russia, round 1', 'Turkey to all, round 1']);
  assert.equal(await textsOf(page, '#messages span'), [HOSTILE, 'Hello.']);
  assert.is(await textOf(page, '#messages code'), JSON.stringify({ a: HOSTILE }));
  await page.select('#reader', 'ENGLAND');
  assert.equal(await heads(), ['Turkey to all, round 1']);
  await page.select('#reader', 'RUSSIA');
  assert.is((await heads()).length, 2);
  await page.evaluate("location.hash = '#F1901M'");
  await waitForText(page, '#phase', 'Fall 1901: orders');
  assert.equal(await heads(), []);
  assert.is(await page.evaluate('window.hacked'), undefined);
  assert.equal([errors, requests], [[], [`${address}#S1901M`]]);
  await page.goto(pathToFileURL(join(place, 'game.html')).href);
  await waitForText(page, '#phase', 'Spring 1901');
  assert.is(await page.$eval('#press', (panel) => panel.getAttribute('hidden')), '');
  await page.close();
});

inBrowser('a running run is followed, hostile names are text', async () => {
  const run = join(place, 'runs', 'so <b>bold<');
  mkdirSync(run);
  const manifest = JSON.parse(readFileSync(join(place, 'whole/manifest.json'), 'utf8')) as {
    agents: string[];
    check?: string;
  };
  manifest.agents[1] = HOSTILE;
  // Its check would say that something in it has changed.
  delete manifest.check;
  writeFileSync(join(run, 'manifest.json'), JSON.stringify(manifest));
  const copy = (shard: string): void => {
    for (const ending of ['lep', 'table'])
      cpSync(join(place, 'whole', `${shard}.${ending}`), join(run, `${shard}.${ending}`));
  };
  copy('games-00000');
  const address = await startView('runs');
  const { page, errors, requests } = await openPage(browser);
  await page.goto(address);
  assert.equal((await textsOf(page, '#runs td:first-child')).sort(), ['bots', 'so <b>bold<']);
  assert.match(await textOf(page, '#runs tr[data-state=running]'), /256 of 512 games/);
  assert.ok((await textOf(page, '#runs')).includes(HOSTILE));
  await page.setViewport({ width: 375, height: 740 });
  assert.is(await page.evaluate('document.documentElement.scrollWidth'), 375);
  await page.setViewport({ width: 1280, height: 900 });
  await fill(page, 'wanted', 'dumbbot');
  assert.equal(await textsOf(page, '#runs td:first-child'), ['bots']);
  await fill(page, 'wanted', '');
  await page.click('#runs tr[data-state=running] a');
  await waitForText(page, '#state', '256 of 512 games, running');
  await waitForText(page, '#found', '1 to 50 of 256 games');
  assert.is(await textOf(page, '#scores tr:nth-child(2) td:nth-child(2)'), HOSTILE);
  // News leave what they do not change, so that a click is not lost.
  await page.evaluate("window.link = document.querySelector('#games a')");
  copy('games-00001');
  await waitForText(page, '#state', '512 of 512 games, complete');
  await waitForText(page, '#found', '1 to 50 of 512 games');
  assert.ok(await page.evaluate('window.link.isConnected'));
  assert.is(await page.evaluate('window.hacked'), undefined);
  assert.is((await page.$$('img, b b')).length, 0);
  await tryFilters(page);
  await followGame(page);
  assert.equal(
    requests.filter((one) => !one.startsWith(new URL(address).origin)),
    [],
  );
  assert.equal(errors, []);
  // The server goes, and the page says so.
  await page.goBack();
  await waitForText(page, '#state', '512');
  viewing?.kill('SIGKILL');
  await page.waitForSelector('#lost:not([hidden])', PATIENCE);
  await page.close();
});

/** Plays a gate into lists/gate, unless it is there. */
const playGate = (): void => {
  const gate = 'arena --gate random --against hold --games 7 --looks 1 --until 1901 --seed 1 --workers 1 --quiet';
  runLepanto([...gate.split(' '), '--out', 'lists/gate'], { cwd: place });
};

inBrowser('lists sort, and cells of an arena lead to its games', async () => {
  const lists = join(place, 'lists');
  playGate();
  const copy = (from: string, to: string): void => cpSync(join(place, from), join(lists, to), { recursive: true });
  copy('whole', 'many');
  copy('runs/bots', 'few');
  const address = await startView('lists');
  const { page, errors } = await openPage(browser);
  await page.goto(address);
  const first = (): Promise<string[]> => textsOf(page, '#runs td:first-child');
  for (const wanted of [
    ['many', 'few'],
    ['few', 'many'],
  ]) {
    await press(page, '#runs-heads th:nth-child(3) button');
    assert.equal(await first(), wanted);
  }
  assert.is(await page.$eval('#runs-heads th:nth-child(3)', (head) => head.getAttribute('aria-sort')), 'ascending');
  // What is shown is downloaded, as a file of the browser.
  const csvOf = async (table: string): Promise<string> => {
    await page.evaluate(`window.saved = new Promise((resolve) => {
      URL.createObjectURL = (blob) => { resolve(blob.text()); return 'data:,'; };
      HTMLAnchorElement.prototype.click = () => {};
    }); undefined`);
    await page.evaluate(
      `document.getElementById(${JSON.stringify(table)}).closest('figure').querySelector('.above button').click()`,
    );
    return String(await page.evaluate('window.saved'));
  };
  const [head, few, many] = (await csvOf('runs')).split('\r\n');
  assert.match(head, /^Run,Agents,Games,State,Score of a seat,Seed,Played by,Changed$/);
  assert.match(`${few}|${many}`, /^few,dumbbot,2,complete,.*\|many,random,512,complete,/);
  await waitForText(page, '#runs', 'dumbbot 0.143');
  await waitForText(page, '#arenas', '14');
  assert.is(await textOf(page, '#arenas td:first-child'), 'gate');
  await page.click('#arenas a');
  await page.waitForSelector('#gates figure', PATIENCE);
  assert.match(await textOf(page, '.told'), /^7 pairs of games: random gain .* ± .*, p = /);
  const focus = (selector: string): Promise<unknown> =>
    page.evaluate(`document.querySelector(${JSON.stringify(selector)}).focus()`);
  assert.ok(await hasColour(page, '#gates canvas', '--ink', '#gates .c0'));
  await focus('#gates [role=slider]');
  await page.keyboard.press('Home');
  assert.match(await textOf(page, '.told'), /^2 pairs of games/);
  // On A4 with margins, tables are whole: nothing scrolls on paper.
  await page.emulateMediaType('print');
  await page.setViewport({ width: 718, height: 1000 });
  assert.is(await page.evaluate('document.documentElement.scrollWidth'), 718);
  assert.ok(
    await page.evaluate(
      "[...document.querySelectorAll('.wide')].every((one) => getComputedStyle(one).overflowX === 'visible')",
    ),
  );
  await page.emulateMediaType();
  await page.setViewport({ width: 1280, height: 900 });
  // Cells are shaded, intervals drawn, powers have their names and colours; nothing is spelt "+-".
  const arenas = await textOf(page, '#arenas, #gates');
  assert.not.match(arenas, /\+-|AUSTRIA/);
  assert.match(arenas, /random against 6 hold.*hold against 6 random/s);
  assert.ok((await page.$$('#arenas td.shade')).length >= 7);
  assert.ok((await page.$$('#arenas .interval')).length >= 2);
  assert.ok((await page.$$('#arenas .swatch')).length >= 7);
  const rows = (): Promise<string[]> => textsOf(page, '#rows td:nth-child(3)');
  await press(page, '#rows-heads th:nth-child(3) button');
  await page.waitForFunction("document.querySelector('#rows-heads [aria-sort]') !== null", PATIENCE);
  await new Promise((resolve) => setTimeout(resolve, 500));
  const scores = (await rows()).map(Number);
  assert.equal(
    scores,
    [...scores].sort((a, b) => a - b),
  );
  assert.is((await csvOf('rows')).trim().split('\r\n').length, 15);
  await press(page, '#arenas figure:nth-of-type(2) tr:nth-child(3) a');
  await waitForText(page, '#about', 'as France');
  await press(page, '#rows a');
  await waitForText(page, '#phase', 'Spring 1901');
  assert.equal(errors, []);
  await page.close();
});

inBrowser('the editor adjudicates a case of DATC as it should, in the page', async () => {
  const address = await startView('runs');
  const { page, errors, requests } = await openPage(browser, 1400, 900);
  await page.goto(`${address}board`);
  await page.waitForSelector('#board .unit', PATIENCE);
  assert.is((await unitsOn(page)).length, 22);
  const row = loadCases('datc-3.2.json').find(({ id }) => id === '6.F.14');
  if (row === undefined) throw new Error('there is no case 6.F.14');
  const orders: Record<string, string[]> = {};
  for (const [power, order] of row.orders) if (order !== null) orders[power] = [...(orders[power] ?? []), order];
  await fill(page, 'json', JSON.stringify({ phase: 'S1901M', units: row.units, orders }));
  await press(page, '#read');
  assert.is((await page.$$('#board .order')).length, row.orders.length);
  // Printed with its orders.
  await page.emulateMediaType('print');
  assert.ok(await page.evaluate("document.querySelector('#units select').checkVisibility()"));
  await page.emulateMediaType();
  await press(page, '#outcome');
  const told = await page.$$eval('#results tr', (rows) =>
    rows.map((one) => [...one.children].map((td) => td.textContent ?? '')),
  );
  assert.equal(
    told.map(([order, result]) => `${order.slice(0, 5)} ${result.split(',')[0]}`).sort(),
    row.orders.map(([, order, result]) => `${order?.slice(0, 5)} ${result}`).sort(),
  );
  await press(page, '#ready');
  await page.waitForFunction(
    "/^(Fall|Spring 1901, retreats)/.test(document.querySelector('#phase').textContent)",
    PATIENCE,
  );
  const after = Object.entries(row.after).flatMap(([power, units]) => units.map((unit) => `${unit} ${power}`));
  assert.equal(
    (await unitsOn(page)).filter((unit) => !unit.startsWith('*')).length,
    after.length + Object.keys(row.dislodged ?? {}).length,
  );
  assert.equal(requests, [`${address}board`, `${address}board-page.js`]);
  assert.equal(errors, []);
  await page.close();
});

inBrowser(
  'the editor takes units, centres and orders by clicks, other rules and maps, and asks the search',
  async () => {
    const address = await startView('runs');
    const { page, errors } = await openPage(browser, 1400, 900);
    await page.goto(`${address}board`);
    await page.waitForSelector('#board .unit', PATIENCE);
    const click = (tag: string): Promise<unknown> => press(page, `#board .province[data-province="${tag}"]`);
    await press(page, '#clear');
    await fill(page, 'owner', 'FRANCE');
    await click('PAR');
    await click('MAR');
    await fill(page, 'owner', 'RUSSIA');
    await fill(page, 'type', 'F');
    await click('STP');
    await fill(page, 'owner', 'GERMANY');
    await fill(page, 'type', 'A');
    await click('MUN');
    assert.equal(await unitsOn(page), ['A MAR FRANCE', 'A MUN GERMANY', 'A PAR FRANCE', 'F STP/NC RUSSIA']);
    await click('NTH');
    assert.match(await textOf(page, '#trouble'), /NTH/);
    await press(page, '#mode-centers');
    await fill(page, 'owner', 'FRANCE');
    await click('PAR');
    await press(page, '#mode-orders');
    await click('PAR');
    await click('BUR');
    await click('MAR');
    await click('PAR');
    await click('BUR');
    await click('MUN');
    await click('BUR');
    assert.is(await valueIn(page, 'orders'), 'A PAR - BUR\nA MAR S A PAR - BUR\nA MUN - BUR');
    // An order takes the place of what was written for its unit, in whatever words.
    await fill(page, 'orders', 'Army Marseilles to Spain\nParis -> Burgundy\nGERMANY: Munich-Burgundy');
    await click('MAR');
    await click('PAR');
    await click('BUR');
    assert.is(await valueIn(page, 'orders'), 'Paris -> Burgundy\nGERMANY: Munich-Burgundy\nA MAR S A PAR - BUR');
    await press(page, '#outcome');
    assert.equal(await textsOf(page, '#results td'), [
      ...['A PAR - BUR', 'succeeds', 'A MAR S A PAR - BUR', 'given'],
      ...['A MUN - BUR', 'fails, bounced with A PAR', 'F STP/NC (no order)', 'stands'],
    ]);
    const input = String(await valueIn(page, 'json'));
    const answer = JSON.parse(runLepanto(['adjudicate'], { input }).out) as { units: Record<string, string[]> };
    assert.equal(answer.units.FRANCE, ['A BUR', 'A MAR']);
    const found = (wanted: string): Promise<unknown> => waitForText(page, '#searched', wanted);
    await fill(page, 'rollouts', '200');
    await fill(page, 'seek', 'FRANCE');
    await press(page, '#search');
    await found('rollouts of');
    assert.match((await textsOf(page, '#found li'))[0], /^\d+\.\d %, value \d\.\d{3}( ± \d\.\d{3})?: [AF] /);
    assert.equal((await textsOf(page, '#found h3')).slice(0, 2), ['France', 'Germany (expected replies)']);
    await press(page, '#found summary');
    await page.waitForSelector('#found figure', PATIENCE);
    assert.ok((await page.$$('#found .legend i')).length >= 5);
    assert.match(await textOf(page, '#found .told'), / rollouts: 1 \d\.\d{4}/);
    // A long one shows what it has found, is stopped, and leaves the server to the next one.
    await fill(page, 'rollouts', '1000000');
    await fill(page, 'seek', '');
    await press(page, '#search');
    await page.waitForSelector('#found li', PATIENCE);
    assert.ok(Number(await valueIn(page, 'progress')) < 1);
    await press(page, '#halt');
    await found('Stopped: ');
    assert.ok((await page.$$('#found li')).length > 5);
    await fill(page, 'rollouts', '200');
    await press(page, '#search');
    await page.waitForFunction("/^\\d+ rollouts/.test(document.getElementById('searched').textContent)", PATIENCE);
    const [first] = await textsOf(page, '#found li');
    await press(page, '#found li button');
    const wanted = first.replace(/^.*?: | Use$/g, '').split(', ');
    for (const order of wanted) assert.ok(String(await valueIn(page, 'orders')).includes(order), first);
    await fill(page, 'rules', 'nonsense');
    assert.match(await textOf(page, '#trouble'), /got preset "nonsense"/);
    await fill(page, 'rules', '1971');
    await fill(page, 'map', 'ancmed');
    assert.is((await unitsOn(page)).length, 15);
    assert.is(await page.$eval('#trouble', (trouble) => trouble.getAttribute('hidden')), '');
    assert.equal(errors, []);
    await page.close();
  },
);

inBrowser('clicks in the editor are never stuck, and nothing is lost', async () => {
  const address = await startView('runs');
  const { page, errors } = await openPage(browser, 1400, 900);
  await page.goto(`${address}board`);
  await page.waitForSelector('#board .unit', PATIENCE);
  const click = (tag: string): Promise<unknown> => press(page, `#board .province[data-province="${tag}"]`);
  const told = (): Promise<string> => textOf(page, '#told');
  const written = (): Promise<unknown> => valueIn(page, 'orders');
  // After a unit and a target that is not yet all, another unit takes over.
  await click('ROM');
  assert.equal(
    (await page.$$eval('#board .target', (all) => all.map((one) => one.getAttribute('data-province')))).sort(),
    ['APU', 'NAP', 'TUS', 'VEN'],
  );
  // The second click moves, also where a unit is, the third one supports that unit, and a fourth one moves again.
  const helped = await page.$$eval('#board .helped', (all) => all.map((one) => one.getAttribute('data-province')));
  assert.equal(helped, ['TRI']);
  for (const order of ['A ROM - VEN', 'A ROM S A VEN', 'A ROM - VEN']) {
    await click('VEN');
    assert.is(await written(), order);
  }
  await fill(page, 'orders', '');
  await click('PAR');
  await click('BUR');
  assert.is(await written(), 'A PAR - BUR');
  // With Shift a unit is supported at once; Escape and Cancel give up.
  await click('ROM');
  await page.evaluate(
    `document.querySelector('#board .province[data-province="VEN"]').dispatchEvent(new MouseEvent('click', { bubbles: true, shiftKey: true }))`,
  );
  await click('VEN');
  assert.is(await written(), 'A PAR - BUR\nA ROM S A VEN');
  await click('ROM');
  await page.keyboard.press('Escape');
  assert.match(await told(), /^All powers: click or tap a unit/);
  await click('ROM');
  await press(page, '#choices button:last-child');
  assert.is((await page.$$('#choices button, #board .target')).length, 0);
  await click('ROM');
  await press(page, '#outcome');
  assert.match(await told(), /^All powers: click or tap a unit/);
  // Lines of no power are told, and given to none.
  await fill(page, 'orders', 'nonsense\nA RUH - BUR\nA PAR - BUR');
  assert.match(
    await textOf(page, '#unread'),
    /^Not read: nonsense: got .*\nNot read: A RUH - BUR: nothing to order in RUH$/,
  );
  assert.match(String(await valueIn(page, 'json')), /"orders":\{"FRANCE":\["A PAR - BUR"\]\}/);
  // All of it is undone and redone, and is there after a reload.
  await press(page, '#mode-units');
  await fill(page, 'owner', 'TURKEY');
  await click('SYR');
  await press(page, '#mode-centers');
  await click('GRE');
  await fill(page, 'map', 'ancmed');
  assert.match(await told(), /The start of ancmed\. Undo brings back/);
  for (const count of [15, 23, 23, 22]) {
    assert.is((await unitsOn(page)).length, count);
    await press(page, '#undo');
  }
  for (let i = 0; i < 3; i++) await press(page, '#redo');
  assert.ok((await unitsOn(page)).includes('A SYR TURKEY'));
  // Not the address before, which has GREECE.
  await page.waitForFunction('decodeURIComponent(location.hash).includes(\'"GRE"\')', PATIENCE);
  const edited = async (): Promise<string> => [...String(await valueIn(page, 'json'))].sort().join('');
  const before = await edited();
  await page.reload();
  await page.waitForSelector('#board .unit', PATIENCE);
  assert.is(await edited(), before);
  assert.is(await written(), 'nonsense\nA RUH - BUR\nA PAR - BUR');
  assert.equal(errors, []);
  await page.close();
});

inBrowser('winter in the editor: centres, civil disorder, and orders that were found before', async () => {
  const address = await startView('runs');
  const { page, errors } = await openPage(browser, 1400, 900);
  const winter = {
    ...{ phase: 'W1901A', units: { FRANCE: ['A GAS'], AUSTRIA: ['A VIE', 'A TYR'] } },
    centers: { FRANCE: ['PAR', 'BRE', 'MAR'], AUSTRIA: ['VIE'] },
  };
  await page.goto(`${address}board#${encodeURIComponent(JSON.stringify(winter))}`);
  await page.waitForSelector('#board .unit', PATIENCE);
  const click = (tag: string): Promise<unknown> => press(page, `#board .province[data-province="${tag}"]`);
  await click('PAR');
  assert.is(await valueIn(page, 'orders'), 'A PAR B');
  for (const text of ['A PAR B\nA BRE B', 'A PAR B\nF BRE B', 'A PAR B']) {
    await click('BRE');
    assert.is(await valueIn(page, 'orders'), text);
  }
  await fill(page, 'rollouts', '100');
  await press(page, '#search');
  await page.waitForSelector('#found li', PATIENCE);
  await press(page, '#outcome');
  assert.match(await textOf(page, '#results'), /A (VIE|TYR) \(no order\)fails, civil disorder/);
  assert.is((await page.$$('#board .mark[data-power=AUSTRIA][data-kind=none][data-result=fails]')).length, 1);
  await press(page, '#ready');
  await page.waitForFunction("document.querySelectorAll('#found li').length === 0", PATIENCE);
  assert.equal(errors, []);
  await page.close();
});

inBrowser('the position of a run is edited on its own map, by its own rules', async () => {
  const rows = { ...standard.rows, name: 'mine', powers: standard.rows.powers.slice(0, 3) };
  mkdirSync(join(place, 'own'));
  writeFileSync(join(place, 'mine.json'), JSON.stringify({ format: 'lepanto-map', version: 1, ...rows }));
  const run = 'selfplay --games 1 --until 1901 --agents random --seed 3 --quiet';
  lepanto(...`${run} --map mine.json --rules 1971 --out own/run`.split(' '));
  const address = await startView('own');
  const { page, errors } = await openPage(browser, 1400, 900);
  await page.goto(`${address}replay?run=run&game=0`);
  await waitForText(page, '#phase', 'Spring 1901');
  await press(page, '#edit');
  await page.waitForSelector('#outcome', PATIENCE);
  await page.waitForSelector('#board .unit', PATIENCE);
  assert.equal([await valueIn(page, 'rules'), await valueIn(page, 'map')], ['1971', 'mine']);
  assert.is((await page.$$('#trouble:not([hidden])')).length, 0);
  assert.is((await unitsOn(page)).length, 9);
  await fill(page, 'rollouts', '100');
  await press(page, '#search');
  await page.waitForSelector('#found li', PATIENCE);
  assert.equal(errors, []);
  await page.close();
});

inBrowser('two agents are compared over a run, and side by side in its phases', async () => {
  interface Compared {
    readonly games: number;
    readonly phases: readonly { game: number; distance: number; page: string; power: string }[];
  }
  const compare = (...more: string[]): Compared =>
    JSON.parse(lepanto(...'compare runs/bots --agents dumbbot,reply:plans=4 --samples 4 --json'.split(' '), ...more));
  const first = compare('--games', '1', '--workers', '1');
  rmSync(join(place, 'runs/bots/compare.json'));
  const found = compare('--workers', '2');
  assert.equal([first.games, found.games], [1, 2]);
  assert.equal(
    found.phases.filter(({ game }) => game === 0),
    first.phases,
  );
  assert.equal(compare('--games', '1'), first);
  const [{ distance, page: wanted, power }] = found.phases;
  assert.ok(distance > 0.2 && distance <= 1, String(distance));

  const address = await startView('runs');
  const { page, errors } = await openPage(browser, 1280, 800);
  const told = (text: string): Promise<unknown> => waitForText(page, '#answers', text);
  await page.goto(`${address}run?run=bots`);
  assert.is(await page.$eval('#compared a', (link) => link.getAttribute('href')), wanted);
  await page.goto(address + wanted);
  await told('Answers 4 of 4.');
  const [head, ...lines] = await textsOf(page, '#differences li');
  assert.match(head, /^dumbbot and reply:plans=4 differ in \d+ % of their orders$/);
  assert.ok(
    lines.some((line) => /^only (dumbbot|reply:plans=4): [AF] [A-Z/]+ .* \d+ %$/.test(line)),
    lines.join(),
  );
  assert.equal(await textsOf(page, '.column h3'), [powerTitle(power), powerTitle(power)]);
  assert.match((await textsOf(page, '.column ol li'))[0], /^\d+ %, value \d\.\d{3,} ± \d\.\d{3,}: [AF] /);
  assert.match(
    (await textsOf(page, '.column p'))[1],
    /^value of the likeliest orders: .*; different answers: \d of 4; .* ms an answer$/,
  );
  // All powers: the page says what the command does, and lines are as wide as orders are frequent.
  await page.select('#power', '');
  await told('Answers 4 of 4.');
  const all = (await textsOf(page, '#differences li'))[0];
  assert.match(all, `differ in ${Math.round(100 * distance)} % of`);
  const drawn = await page.$$eval('.column:last-child .order[data-kind=move]', (shapes) =>
    shapes.map((shape) => [
      Number(/(\d+) %/.exec(shape.querySelector('title')?.textContent ?? '')?.[1]),
      Number(shape.querySelector('path[class^=a]')?.getAttribute('stroke-width')),
    ]),
  );
  const widths = new Map(drawn.map(([share, width]) => [share, width]));
  assert.ok(widths.size > 1 && widths.has(100), JSON.stringify(drawn));
  for (const [share, width] of widths)
    assert.ok(Math.abs(width - 3 * (0.2 + 0.016 * share)) < 0.1, `${share} ${width}`);
  await press(page, '#likeliest');
  assert.ok((await page.$$('.column .order[data-result]')).length > 20);
  // Other agents, by name; those that are none are named, and nothing in an address is more than text.
  const asked = { agents: ['hold', HOSTILE, 'exec:touch hacked'], power: 'ITALY', samples: 1, orders: 'A VEN - TRI' };
  await page.evaluate(`location.hash = ${JSON.stringify(encodeURIComponent(JSON.stringify(asked)))}`);
  await told('Answers 1 of 1.');
  const facts = await textsOf(page, '.column p');
  assert.match(facts[1], /^agent: got "<img/);
  assert.match(facts[2], /^agent: got "exec/);
  await fill(page, 'compared', 'greedy');
  await press(page, '#compare');
  await told('Answers 1 of 1.');
  assert.match((await textsOf(page, '#differences li'))[0], /^hold and greedy differ in \d+ %/);
  await page.select('#replies', 'written');
  await page.evaluate(
    `location.hash = ${JSON.stringify(encodeURIComponent(JSON.stringify({ agents: [HOSTILE], samples: 1 })))}`,
  );
  await waitForText(page, '.column p', 'agent: got');
  await told('Answers 1 of 1.');
  for (const wrong of ['%', JSON.stringify({ phase: HOSTILE, units: {} }), JSON.stringify({ map: HOSTILE })]) {
    await page.goto('about:blank');
    await page.goto(`${address}compare#${wrong}`);
    await page.waitForSelector('#trouble:not([hidden])', PATIENCE);
    await page.waitForSelector('.column .unit', PATIENCE);
    assert.is((await page.$$('.column:first-child .unit')).length, 22, wrong);
  }
  assert.equal([(await page.$$('img')).length, await page.evaluate('window.hacked')], [0, undefined]);
  assert.not(existsSync(join(place, 'hacked')));
  // From a replay the position comes along.
  await page.goto(`${address}replay?run=bots&game=1#F1902M`);
  await page.waitForFunction("document.querySelector('#compare')?.hash.length > 200", PATIENCE);
  const href = await page.$eval('#compare', (link) => link.getAttribute('href') ?? '');
  assert.match(decodeURIComponent(href), /^compare\?run=bots#\{.*F1902M/);
  assert.equal(errors, []);
  await page.close();
});

inBrowser('axe finds nothing on any page, in the light and in the dark', async () => {
  playGate();
  const address = await startView('.');
  lepanto(...'search --start --rollouts 100 --seed 1 --workers 1 --quiet --top 2 --html axe-search.html'.split(' '));
  const { page, errors } = await openPage(browser, 1280, 800);
  const file = (name: string): string => pathToFileURL(join(place, name)).href;
  const pages = [
    ...[`${file('game.html')}#F1902M`, writeOpenPage(), file('axe-search.html'), address],
    ...[
      `${address}board`,
      `${address}play`,
      `${address}compare#{"samples":2}`,
      `${address}run?run=whole`,
      `${address}replay?run=whole&game=0#F1901M`,
    ],
    `${address}arena?run=lists%2Fgate`,
  ];
  /** What axe finds; in the dark only about colours, which alone are others there. */
  const findings = (theme: string): Promise<unknown> =>
    page.evaluate(`axe.run(${theme === 'dark' ? "{ runOnly: ['color-contrast'] }" : ''}).then(({ violations }) =>
      violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 120)).join(' | ')))`);
  const open = async (one: string, theme: string): Promise<void> => {
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: theme }]);
    await page.goto('about:blank');
    await page.goto(one);
    await page.waitForSelector('h1', PATIENCE);
    await page.waitForFunction("!document.querySelector('#board') || document.querySelector('.unit')", PATIENCE);
    // The policy of a page lets nothing in; a debugger may.
    await page.evaluate(readFileSync(axePath, 'utf8'));
  };
  for (const theme of ['light', 'dark'])
    for (const one of pages) {
      await open(one, theme);
      await page.waitForFunction(
        "!document.querySelector('#state, #answers, #phase')?.textContent.includes('…')",
        PATIENCE,
      );
      await page.waitForFunction("!document.querySelector('#reading:not([hidden])')", PATIENCE);
      assert.equal(await findings(theme), [], `${one} ${theme}`);
      // Every page shows its keys.
      await page.keyboard.press('?');
      assert.is((await page.$$('#keys[open], .keys[open]')).length, 1, one);
      assert.equal(await findings(theme), [], `keys of ${one} ${theme}`);
    }
  // The sections of the board in a spring, in retreats and in a winter, with illegal orders and what goes wrong.
  const centers = { FRANCE: ['PAR', 'BRE', 'MAR'], RUSSIA: ['MOS'] };
  const winter = { phase: 'W1901A', units: { FRANCE: ['A SPA'], RUSSIA: ['A UKR', 'A FIN'] }, centers };
  const retreats = { FRANCE: { 'A BUR': ['GAS', 'PAR'] } };
  const retreat = { phase: 'F1901R', units: { FRANCE: ['A SPA'], GERMANY: ['A BUR'] }, centers, retreats };
  const press1 = { ...formatPosition(newGame()), rounds: 1 };
  const states: readonly (readonly [name: string, reach: () => Promise<unknown>])[] = [
    ['orders', () => fill(page, 'orders', 'F LON - MUN\nnonsense\nA PAR B\nA BRE B\nA MAR B\nA BUR - MUN')],
    ['a chosen unit', () => press(page, '#units button')],
    ['outcome', () => press(page, '#outcome')],
    ['game', () => openTab(page, 'game')],
    ['setup', () => openTab(page, 'setup')],
    ['an error', () => fill(page, 'map', 'nowhere')],
    ['messages', () => openTab(page, 'messages')],
    ['a message', () => fill(page, 'message', 'Hello').then(() => press(page, '#send'))],
    ['keys', () => page.keyboard.press('?')],
  ];
  for (const theme of ['light', 'dark']) {
    for (const position of [press1, retreat, winter]) {
      await open(`${address}board#${encodeURIComponent(JSON.stringify(position))}`, theme);
      // What is the same in all phases is looked at in one.
      for (const [state, reach] of position === press1 ? states : states.slice(0, 3)) {
        await reach();
        assert.equal(await findings(theme), [], `${state} in ${position.phase}, ${theme}`);
      }
    }
    await openTab(page, 'analysis');
    await waitForText(page, '#searched', 'rollouts of');
    await press(page, '#found summary');
    assert.equal(await findings(theme), [], `analysis, ${theme}`);
  }
  assert.equal(errors, []);
  await page.close();
});

inBrowser('the page of a search adjudicates the order sets that are chosen', async () => {
  const set = (...orders: string[]): RankedRecord => ({
    orders,
    probability: 0.5,
    value: 0.2,
    error: 0.01,
    rollouts: 9,
  });
  const supports = set('A PAR S A MAR - BUR', 'A MAR - SPA', 'F BRE - MAO');
  const record: SearchRecord = {
    ...{ id: null, phase: 'S1901M', depth: 1, rollouts: 9, seconds: 1 },
    powers: { FRANCE: [set('A PAR - BUR', 'A MAR S A PAR - BUR', 'F BRE - MAO'), supports] },
    replies: { GERMANY: [set('A MUN - BUR', 'A BER - MUN', 'F KIE - DEN'), set('A MUN H')] },
  };
  // On a map that does not ship, by rules of its own.
  const map = takeMap({ ...standard.rows, name: 'searched' });
  const rules = ruleSetByName('1971');
  const parts = searchPage(newGame(map, rules.adjudication), rules, record);
  writeFileSync(join(place, 'search.html'), pageDocument(parts));
  const { page, errors, requests } = await openPage(browser);
  const address = pathToFileURL(join(place, 'search.html')).href;
  await page.goto(address);
  await page.waitForSelector('#found li', PATIENCE);
  assert.equal(await textsOf(page, '#found h3'), ['France', 'Germany (expected replies)']);
  assert.equal(await textsOf(page, '#found li i'), ['(invalid: order was A MAR - SPA)']);
  const told = async (): Promise<string[]> => (await textsOf(page, '#results tr')).slice(6, 12);
  assert.equal(await told(), [
    ...['A PAR - BURsucceeds', 'A MAR S A PAR - BURgiven', 'F BRE - MAOsucceeds'],
    ...[
      'A MUN - BURfails, bounced with A PAR',
      'A BER - MUNfails, A MUN of the same power stayed',
      'F KIE - DENsucceeds',
    ],
  ]);
  const take = (list: number, line: number): Promise<unknown> =>
    press(page, `#found ol:nth-of-type(${list}) li:nth-child(${line}) button`);
  await take(1, 2);
  assert.match((await told()).join('; '), /A PAR S A MAR - BURinvalid, order was A MAR - SPA; .*A MUN - BURsucceeds/);
  assert.is((await page.$$('#board .order[data-power=FRANCE]')).length, 3);
  // The pointer on a set previews it; what is used twice is taken away.
  await page.hover('#found ol:nth-of-type(1) li:nth-child(1)');
  assert.is((await page.$$('#board .order[data-unit="A PAR"][data-kind="move"]')).length, 1);
  await page.mouse.move(5, 5);
  await take(2, 1);
  assert.is((await page.$$('#board .order[data-power=GERMANY]')).length, 0);
  const before = String(await valueIn(page, 'orders'));
  await fill(page, 'orders', `${before}\nENGLAND: F LON - ENG\nA RUH H`);
  assert.is(await textOf(page, '#unread'), 'Not read: A RUH H: nothing to order in RUH');
  await fill(page, 'orders', 'ENGLAND: F LON - ENG\nBrest -> English Channel');
  assert.match(
    (await textsOf(page, '#results tr')).join('; '),
    /F LON - ENGfails, .*; F BRE - ENGfails, bounced with F LON/,
  );
  await fill(page, 'orders', '');
  await take(1, 1);
  assert.is(await textOf(page, '#next'), 'next: Fall 1901');
  await page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'reduce' }]);
  await press(page, '#ready');
  await waitForText(page, '#phase', 'Fall 1901');
  assert.equal(
    (await unitsOn(page)).filter((unit) => unit.endsWith('FRANCE')),
    ['A BUR FRANCE', 'A MAR FRANCE', 'F MAO FRANCE'],
  );
  assert.equal(requests, [address]);
  assert.equal(errors, []);
  await page.close();
});

if (chromiumPath === undefined) {
  process.stdout.write('SKIPPED: there is no Chromium; on Debian, apt-get install chromium\n');
  pages('says why it was skipped', () => {
    assert.is(chromiumPath, undefined);
  });
}

pages.run();
