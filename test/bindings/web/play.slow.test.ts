// Tests the page to play on in a real browser: whole games by clicks and by taps, without a network, with bots of the server,
// and with addresses and saved branches that mean harm.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Browser, Page } from 'puppeteer-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { loadMap, newGame, standard } from '../../../engine/internal.js';
import { formatPosition } from '../../../engine/notation/json/position.js';
import { chromiumPath, openPage, startChromium, type WatchedPage } from '../../tools/chromium.js';
import { entry, makeFolder, runLepanto } from '../../tools/command.js';

const place = makeFolder('play');
const folder = join(place, 'playground');
const HOSTILE = `<img src=x onerror="window.hacked=1">`;
const HOSTILE_FILE = '<img src=x onerror=window.hacked=1>.json';
const PATIENCE = { timeout: 300_000 } as const;
const MOST_BYTES = 1_500_000;

const types: Readonly<Record<string, string>> = { html: 'text/html', js: 'text/javascript' };

/** A server of static files, as any host is. */
const serveFiles = async (): Promise<{ readonly server: Server; readonly address: string }> => {
  const server = createServer(({ url = '' }, response) => {
    const name = url.split('?')[0].slice(1) || 'index.html';
    if (!readdirSync(folder).includes(name)) response.writeHead(404).end();
    else
      response
        .writeHead(200, { 'Content-Type': types[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream' })
        .end(readFileSync(join(folder, name)));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { server, address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
};

const textOf = (page: Page, selector: string): Promise<string> =>
  page.$eval(selector, ({ textContent }) => (textContent ?? '').trim());

const waitForPhase = (page: Page, words: string): Promise<unknown> =>
  page.waitForFunction(
    `/${words}/.test(document.querySelector('#phase').textContent) && document.querySelector('#stop').hidden`,
    PATIENCE,
  );

/** A point of the screen where a click is one on a province, or on what a selector names. */
const spotOf = (page: Page, tag: string): Promise<{ x: number; y: number } | null> =>
  page.evaluate(`(() => {
    const tag = ${JSON.stringify(tag)};
    const shape = document.querySelector('#board .province[data-province="' + tag + '"]');
    shape.scrollIntoView({ block: 'center' });
    const { left, top, width, height } = shape.getBoundingClientRect();
    for (let n = 4; n < 40; n *= 2)
      for (let i = 1; i < n; i++)
        for (let j = 1; j < n; j++) {
          const [x, y] = [left + (width * i) / n, top + (height * j) / n];
          const found = document.elementFromPoint(x, y)?.closest('[data-province]')?.getAttribute('data-province');
          if (found?.replace('@', '') === tag) return { x, y };
        }
    return null;
  })()`) as Promise<{ x: number; y: number } | null>;

/** Centres that a power goes for. */
const goals: Readonly<Record<string, readonly string[]>> = {
  FRANCE: ['SPA', 'POR', 'BEL', 'HOL'],
  RUSSIA: ['RUM', 'PER', 'TAS'],
};

type Press = (page: Page, x: number, y: number) => Promise<void>;
const click: Press = (page, x, y) => page.mouse.click(x, y);
const tap: Press = (page, x, y) => page.touchscreen.tap(x, y);

const pressProvince = async (page: Page, press: Press, tag: string): Promise<void> => {
  const spot = await spotOf(page, tag);
  assert.ok(spot, `${tag} is nowhere to be clicked`);
  if (spot) await press(page, spot.x, spot.y);
};

const pressButton = async (page: Page, press: Press, selector: string): Promise<void> => {
  const found = await page.waitForSelector(selector, PATIENCE);
  await found?.evaluate((shape) => shape.scrollIntoView({ block: 'center' }));
  const box = await found?.boundingBox();
  assert.ok(box, selector);
  if (box) await press(page, box.x + box.width / 2, box.y + box.height / 2);
};

/** What a power has to order: its units, its dislodged units, or in winter the first places that light up, as many as are due. */
const waiting = (page: Page, power: string): Promise<string[]> =>
  page.evaluate(`(() => {
    const position = JSON.parse(decodeURIComponent(location.hash.slice(1)));
    const of = (byPower) => byPower[${JSON.stringify(power)}] ?? [];
    const tag = (unit) => unit.slice(2).split('/')[0];
    if (position.phase.endsWith('M')) return of(position.units).map(tag);
    if (position.phase.endsWith('R')) return Object.keys(of(position.retreats)).map(tag);
    const due = of(position.centers).length - of(position.units).length;
    const lit = [...document.querySelectorAll('#board .province.target')].map((one) => one.getAttribute('data-province'));
    return lit.slice(0, Math.abs(due));
  })()`) as Promise<string[]>;

const litOn = (page: Page): Promise<string[]> =>
  page.$$eval('#board .province.target', (shapes) => shapes.map((shape) => shape.getAttribute('data-province') ?? ''));

/** Orders everything that a power has by clicks alone: towards the first target that is lit, or by the first button. */
const orderAll = async (page: Page, press: Press, power: string): Promise<void> => {
  const near = goals[power] ?? [];
  for (const tag of await waiting(page, power)) {
    await pressProvince(page, press, tag);
    // Builds and removals are all in one click.
    if (/adjustments/.test(await textOf(page, '#phase'))) continue;
    const lit = await litOn(page);
    const wanted = lit.find((one) => near.includes(one) && one !== tag) ?? lit.find((one) => one !== tag);
    // Where nothing is lit, a click on the unit itself disbands it.
    await pressProvince(page, press, wanted ?? tag);
  }
};

const play = suite('play');
let browser: Browser;
let hosted: Awaited<ReturnType<typeof serveFiles>>;
let playing: ChildProcess | undefined;

const inBrowser = (name: string, run: () => Promise<void>): void => {
  if (chromiumPath === undefined) play.skip(name, () => {});
  else play(name, run);
};

/** A page without motion. @param more of its address */
const openGame = async (address: string, width = 1280, height = 800): Promise<WatchedPage> => {
  const watched = await openPage(browser, width, height);
  const isPhone = width < 800;
  await watched.page.setViewport({ width, height, hasTouch: isPhone, isMobile: isPhone });
  await watched.page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'reduce' }]);
  await watched.page.goto(address);
  await watched.page.waitForSelector('#board .unit', PATIENCE);
  return watched;
};

/** Waits until the page has put its position into the address. */
const settled = (page: Page, phase: string): Promise<unknown> =>
  page.waitForFunction(`decodeURIComponent(location.hash).includes('"phase":"${phase}"')`, PATIENCE);

/** The orders that are written. */
const ordersIn = (page: Page): Promise<string> =>
  page.$eval('#orders', (area) => (area as unknown as { value: string }).value);

const seatOf = (page: Page, power: string): Promise<string> =>
  page.$eval(`#seats select[data-power=${power}]`, (select) => (select as unknown as { value: string }).value);

/** An address with a position, by default the start, and with bots that are quick for all but France. */
const addressWith = (more: object = {}): string => {
  const { phase, units, centers } = formatPosition(newGame());
  const seats = Object.fromEntries(standard.powerNames.map((name) => [name, name === 'FRANCE' ? 'human' : 'dumbbot']));
  return `#${encodeURIComponent(JSON.stringify({ phase, units, centers, seats, seed: 5, ...more }))}`;
};

play.before(async () => {
  if (chromiumPath === undefined) return;
  const { code, out, err } = runLepanto(['play', '--files', folder]);
  assert.is(code, 0, err);
  assert.match(out, /^\S+playground: \d+ bytes; open it/);
  hosted = await serveFiles();
  browser = await startChromium(chromiumPath);
});
play.after(async () => {
  await browser?.close();
  hosted?.server.close();
  playing?.kill('SIGKILL');
});

/** Plays a power by clicks alone, to the end of the game or to a year. @returns the phases */
const playTo = async (page: Page, press: Press, power: string, year: string): Promise<string[]> => {
  const phases: string[] = [];
  for (let n = 0; n < 60; n++) {
    const at = (await page.$eval('#line [aria-current]', ({ textContent }) => textContent)) ?? '';
    phases.push(at);
    if (at.includes(year) || at === 'End') return phases;
    await settled(page, at);
    await orderAll(page, press, power);
    await pressButton(page, press, '#ready');
    await page.waitForFunction(
      `document.querySelector('#line [aria-current]').textContent !== ${JSON.stringify(at)} && document.querySelector('#stop').hidden`,
      PATIENCE,
    );
  }
  return phases;
};

inBrowser('a whole game to 1905 by clicks alone, from static files, and on without a network', async () => {
  const bytes = readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  assert.ok(bytes < MOST_BYTES, `${bytes} bytes`);
  const game = await openGame(hosted.address + addressWith());
  const { page, errors, requests } = game;
  const phases = await playTo(page, click, 'FRANCE', '1905');
  assert.match(phases.at(-1) ?? '', /1905|End/);
  assert.ok(phases.some((one) => one.startsWith('W')) && phases.length > 10, phases.join());
  assert.ok((await page.$$('#results tr')).length > 0);
  assert.is(await textOf(page, '#trouble'), '');
  assert.equal(
    requests.filter((one) => !one.startsWith(hosted.address)),
    [],
  );
  await page.evaluate('navigator.serviceWorker.ready');
  hosted.server.closeAllConnections();
  hosted.server.close();
  // All of it is kept: the page, its branches, the agents and the weights of the net.
  const before = await textOf(page, '#line');
  await page.reload();
  await page.waitForSelector('#board .unit', PATIENCE);
  assert.is(await textOf(page, '#line'), before);
  await page.select('#seats select[data-power=ITALY]', 'net');
  await page.click('#ready');
  await page.waitForFunction(`document.querySelector('#line').textContent !== ${JSON.stringify(before)}`, PATIENCE);
  assert.is(await textOf(page, '#trouble'), '');
  assert.equal(
    errors.filter((error) => !error.includes('ERR_CONNECTION_REFUSED')),
    [],
  );
  await page.close();
  hosted = await serveFiles();
});

inBrowser('a game is played on a touch screen', async () => {
  const game = await openGame(hosted.address + addressWith({ seed: 6 }), 390, 844);
  const phases = await playTo(game.page, tap, 'FRANCE', '1905');
  assert.match(phases.at(-1) ?? '', /1905|End/);
  assert.is(await game.page.evaluate('document.documentElement.scrollWidth'), 390);
  assert.equal(game.errors, []);
  await game.page.close();
});

/** Orders by keys alone until a year: the next unit without an order, its second order in the list, and the phase. */
const playByKeys = async ({ page }: WatchedPage, until: string): Promise<string[]> => {
  const phases: string[] = [];
  for (let n = 0; n < 30; n++) {
    const at = (await page.$eval('#line [aria-current]', ({ textContent }) => textContent)) ?? '';
    phases.push(at);
    if (at.includes(until) || at === 'End') return phases;
    const { length } = await page.$$('#units li');
    for (let unit = 0; unit < length && !at.endsWith('A'); unit++) {
      await page.keyboard.press('n');
      if ((await page.$$('#units li.missing[aria-current]')).length === 0) break;
      // In a list of orders the first is to stay.
      await page.keyboard.press('ArrowDown');
      if (at.endsWith('M')) await page.keyboard.press('ArrowDown');
    }
    assert.is((await page.$$('#units li.missing')).length, 0, at);
    await page.keyboard.press('p');
    await page.waitForFunction(
      `document.querySelector('#line [aria-current]').textContent !== ${JSON.stringify(at)} && document.querySelector('#stop').hidden`,
      PATIENCE,
    );
  }
  return phases;
};

/** An address with the start of a map, one power of which is a human's; the others hold. */
const startOf = (name: string, human: number): string => {
  const map = loadMap(name);
  const { phase, units, centers } = formatPosition(newGame(map));
  const seats = Object.fromEntries(map.powerNames.map((power, i) => [power, i === human ? 'human' : 'hold']));
  return `#${encodeURIComponent(JSON.stringify({ map: name, phase, units, centers, seats, seed: 1 }))}`;
};

inBrowser('three years on colonial with its railroad and canal by clicks alone', async () => {
  const map = 'colonial,tsr,suez';
  const { page, errors } = await openGame(hosted.address + startOf(map, loadMap(map).powerNames.indexOf('RUSSIA')));
  const phases = await playTo(page, click, 'RUSSIA', '1873');
  assert.match(phases.at(-1) ?? '', /1873/);
  assert.ok(phases.some((one) => one.startsWith('W')));
  assert.ok(!phases.includes('End'));
  // A ride by rail is a click on one of its stops.
  const rail = addressWith({
    map,
    phase: 'S1870M',
    units: { RUSSIA: ['A MOS'] },
    centers: {},
    seats: { RUSSIA: 'human' },
  });
  await page.evaluate(`location.hash = ${JSON.stringify(rail)}`);
  await page.waitForFunction("document.querySelectorAll('#board .unit').length === 1", PATIENCE);
  for (const tag of ['MOS', 'IRK']) await pressProvince(page, click, tag);
  assert.is(await ordersIn(page), 'A MOS - TSR - IRK');
  assert.is(await textOf(page, '#trouble'), '');
  assert.equal(errors, []);
  await page.close();
});

inBrowser('games are played by the keyboard alone, on two maps', async () => {
  for (const [map, until] of [
    ['standard', '1904'],
    ['colonial,tsr,suez', '1874'],
  ]) {
    const game = await openGame(hosted.address + startOf(map, 2));
    const phases = await playByKeys(game, until);
    assert.ok(phases.at(-1)?.includes(until), phases.join());
    await game.page.keyboard.press('?');
    assert.ok(await game.page.$eval('#keys', (dialog) => dialog.hasAttribute('open')));
    assert.equal(game.errors, []);
    await game.page.close();
  }
});

inBrowser('undo, branches, hot seat, bots for the others, dragging, and a game that is saved', async () => {
  const { page, errors } = await openGame(hosted.address + addressWith());
  const line = (): Promise<string[]> =>
    page.$$eval('#line button', (found) => found.map(({ textContent }) => textContent ?? ''));
  const orders = (): Promise<string> => ordersIn(page);
  // An army by dragging, and a support that brings the move with it.
  const [from, to] = [await spotOf(page, 'PAR'), await spotOf(page, 'BUR')];
  assert.ok(from && to);
  if (from && to) {
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(to.x, to.y, { steps: 4 });
    await page.mouse.up();
  }
  assert.is(await orders(), 'A PAR - BUR');
  // Single orders are taken back and given again, by buttons and by keys.
  for (const tag of ['MAR', 'SPA']) await pressProvince(page, click, tag);
  const both = 'A PAR - BUR\nA MAR - SPA';
  assert.is(await orders(), both);
  await page.click('#undo');
  assert.is(await orders(), 'A PAR - BUR');
  await page.keyboard.press('u');
  assert.is(await orders(), '');
  await page.click('#redo');
  await page.keyboard.press('r');
  assert.is(await orders(), both);
  await page.keyboard.press('u');
  await page.click('#ready');
  await waitForPhase(page, 'Fall 1901');
  await page.click('#undo');
  assert.is(await orders(), 'A PAR - BUR');
  for (const tag of ['MAR', 'PAR', 'GAS']) await pressProvince(page, click, tag);
  assert.is(await orders(), 'A PAR - BUR\nA MAR S A PAR - GAS');
  await page.click('#ready');
  await waitForPhase(page, 'Fall 1901');
  // Branches are told by what differs in them.
  const branches = ['S1901M', 'without A MAR S A PAR - GAS', 'A MAR S A PAR - GAS', 'F1901M'];
  assert.equal(await line(), branches);
  await page.click('#to-game');
  await page.click('#line .branches button:nth-child(1)');
  assert.match((await page.$eval('#line [aria-pressed=true]', ({ textContent }) => textContent)) ?? '', /^without/);
  await page.click('#last');
  assert.is(await textOf(page, '#phase'), 'Spring 1901: orders');
  assert.ok((await page.$$('#board .order')).length > 15);
  await page.click('#to-orders');
  await page.click('#others');
  await page.waitForFunction("document.querySelector('#orders').value.split('\\n').length > 15", PATIENCE);
  // What is saved is a game that the commands read.
  await page.evaluate("URL.createObjectURL = (blob) => { window.saved = blob; return '#'; }");
  await page.click('#to-game');
  await page.click('#save');
  await page.waitForFunction('window.saved !== undefined', PATIENCE);
  writeFileSync(join(place, 'saved.json'), String(await page.evaluate('window.saved.text()')));
  const { code, out, err } = runLepanto(['replay', join(place, 'saved.json'), '--game', '0']);
  assert.is(code, 0, err);
  assert.match(out, /A PAR - BUR/);
  // It is opened with its branches; what is no game is refused, and the game that was there stays.
  const choose = async (name: string): Promise<void> => {
    const input = await page.$('#file');
    await (input as unknown as { uploadFile: (path: string) => Promise<void> }).uploadFile(join(place, name));
  };
  await page.goto(hosted.address);
  await page.waitForSelector('#board .unit', PATIENCE);
  await choose('saved.json');
  await page.waitForFunction("document.querySelector('#told').textContent.startsWith('saved.json')", PATIENCE);
  assert.equal(await line(), branches);
  // Its agents, its seats and its branches stay, also after a reload.
  for (const isReloaded of [false, true]) {
    assert.equal([await seatOf(page, 'FRANCE'), await seatOf(page, 'ITALY')], ['human', 'dumbbot']);
    assert.equal(await line(), branches);
    if (isReloaded) continue;
    await settled(page, 'F1901M');
    await page.reload();
    await page.waitForSelector('#board .unit', PATIENCE);
  }
  writeFileSync(join(place, HOSTILE_FILE), JSON.stringify({ lepanto: { map: HOSTILE } }));
  await choose(HOSTILE_FILE);
  await page.waitForSelector('#trouble:not([hidden])', PATIENCE);
  assert.match(await textOf(page, '#trouble'), /^rules: got nothing/);
  assert.equal(await line(), branches);
  await page.select('#seats select[data-power=ITALY]', 'human');
  await page.click('#to-game');
  await page.click('#hot');
  await page.click('#ready');
  assert.match(await textOf(page, '#told'), /^Italy: click/);
  assert.is(await orders(), '');
  assert.equal(errors, []);
  await page.close();
});

inBrowser(
  'what is wrong is said before Ready, humans talk, and any key or click skips the show of a phase',
  async () => {
    const { page, errors } = await openPage(browser);
    // The show would last for ever.
    await page.evaluateOnNewDocument(`{
    const later = setTimeout;
    window.setTimeout = (act, ms, ...more) => later(act, ms === 1500 ? 1e9 : ms, ...more);
  }`);
    await page.goto(hosted.address + addressWith());
    await page.waitForSelector('#board .unit', PATIENCE);
    assert.is(await textOf(page, '#issues'), 'no order for F BRE, A MAR, A PAR');
    const issuesOf = async (hash: string): Promise<string> => {
      await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
      await page.waitForFunction("/adjustments/.test(document.querySelector('#phase').textContent)", PATIENCE);
      return textOf(page, '#issues');
    };
    const winter = {
      phase: 'W1901A',
      centers: { FRANCE: ['PAR', 'BRE', 'MAR'] },
      units: { FRANCE: ['A SPA', 'A POR'] },
    };
    assert.is(await issuesOf(addressWith(winter)), '1 build not used');
    assert.match(await issuesOf(addressWith({ ...winter, orders: 'A PAR B\nA MAR B' })), /^A MAR B: .*/);
    assert.ok(await page.$eval('#issues', (told) => told.classList.contains('bad')));
    const removal = { ...winter, centers: { FRANCE: ['PAR'] } };
    assert.is(await issuesOf(addressWith(removal)), '1 removal missing');
    // Two humans: what one says is read by the other in the next round, and by nobody else.
    const seats = Object.fromEntries(
      standard.powerNames.map((name, i) => [name, i === 2 || i === 4 ? 'human' : 'hold']),
    );
    await page.evaluate(`location.hash = ${JSON.stringify(addressWith({ seats, rounds: 1 }))}`);
    await waitForPhase(page, 'Spring 1901');
    await page.click('#to-messages');
    await page.select('#sender', 'FRANCE');
    await page.select('#recipient', 'ITALY');
    await page.type('#message', HOSTILE);
    await page.click('#send');
    assert.is(await textOf(page, '#messages p b'), 'France to Italy');
    await page.click('#next-round');
    await page.waitForFunction("document.querySelector('#next-round').hidden", PATIENCE);
    assert.is(await textOf(page, '#messages p span'), HOSTILE);
    for (const skip of [() => page.keyboard.press('x'), () => page.mouse.click(2, 2)]) {
      await page.click('#ready');
      await page.waitForFunction("/: orders$/.test(document.querySelector('#phase').textContent)", PATIENCE);
      await skip();
      await page.waitForFunction("!/: orders$/.test(document.querySelector('#phase').textContent)", PATIENCE);
    }
    assert.is(await textOf(page, '#phase'), 'Spring 1902');
    assert.equal(errors, []);
    await page.close();
  },
);

inBrowser('no address, no name of an agent and no saved branch does harm', async () => {
  const { page, errors } = await openGame(
    hosted.address + addressWith({ seats: { FRANCE: HOSTILE, ITALY: 'exec:touch hacked', __proto__: 'x' } }),
  );
  assert.is(await page.$eval('#seats select[data-power=FRANCE]', (one) => one.getAttribute('title')), HOSTILE);
  await page.click('#ready');
  await page.waitForSelector('#trouble:not([hidden])', PATIENCE);
  assert.match(
    await textOf(page, '#trouble'),
    /^agent: got "(<img src=x onerror="window.hacked=1">|exec:touch hacked)", wanted one of .*, or a module or bot that lepanto play --agents lists/,
  );
  for (const hash of [
    '#%',
    '#{}',
    `#${encodeURIComponent(JSON.stringify({ phase: HOSTILE, units: {} }))}`,
    addressWith({ map: HOSTILE }),
    addressWith({ rules: HOSTILE }),
    addressWith({ units: { FRANCE: [HOSTILE] } }),
  ]) {
    await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
    await page.waitForSelector('#trouble:not([hidden])', PATIENCE);
    assert.is((await page.$$('#board .unit')).length, 22, hash);
  }
  const hash = addressWith({ orders: HOSTILE });
  const kept = { addresses: [hash], turns: [{ parent: 7, given: { FRANCE: [HOSTILE] } }], shown: 9, start: HOSTILE };
  for (const wrong of [JSON.stringify(kept), '{', HOSTILE, 'null', '7']) {
    const put = `try { sessionStorage.setItem('lepanto-play', ${JSON.stringify(wrong)}) } catch {}`;
    const { identifier } = await page.evaluateOnNewDocument(put);
    await page.goto('about:blank');
    await page.goto(hosted.address + hash);
    await page.waitForSelector('#board .unit', PATIENCE);
    assert.match(await textOf(page, '#unread'), /^Not read: <img/);
    await page.removeScriptToEvaluateOnNewDocument(identifier);
  }
  assert.is((await page.$$('img')).length, 0);
  assert.is(await page.evaluate('window.hacked'), undefined);
  assert.equal(errors, []);
  await page.close();
});

inBrowser('agents are compared, and orders searched for, from static files, too', async () => {
  const compared = { agents: ['dumbbot', 'reply'], power: 'FRANCE', samples: 8 };
  const { page, errors } = await openGame(`${hosted.address}${addressWith(compared)}`, 390, 844);
  await page.waitForFunction("document.querySelector('#answers')?.textContent === 'Answers 8 of 8.'", PATIENCE);
  assert.is(await page.evaluate('document.documentElement.scrollWidth'), 390);
  assert.is((await page.$$('.column')).length, 2);
  await page.evaluate("document.querySelector('#rollouts').value = '200'");
  await pressButton(page, tap, '#board-again');
  await pressButton(page, tap, '#search');
  await page.waitForFunction("document.querySelector('#searched').textContent.includes('rollouts of')", PATIENCE);
  assert.ok((await page.$$('#found li')).length > 7);
  assert.ok((await page.$$('#board .order')).length > 7);
  assert.is((await page.$$('#bar span')).length, 7);
  assert.equal(errors, []);
  await page.close();
});

inBrowser('a bot of the server plays in its seat', async () => {
  writeFileSync(
    join(place, 'agent.mjs'),
    `export default { name: 'mine', help: '', options: {}, make: () => ({ name: 'mine', options: {}, answer: () => [{ orders: [] }] }) };`,
  );
  writeFileSync(
    join(place, 'talker.mjs'),
    `export default { name: 'talker', help: '', options: {}, make: () => ({ answer: (all) => all.map(() => ({ orders: [] })),
      talk: (all) => all.map(({ past }) => [{ recipients: ['FRANCE'], text: 'got ' + past.messages.map(({ text }) => text).join() }]) }) };`,
  );
  writeFileSync(
    join(place, 'loop.mjs'),
    `export default { name: 'loop', help: '', options: {}, make: () => ({ answer: () => { for (;;); } }) };`,
  );
  const bots = './agent.mjs,./talker.mjs,./loop.mjs,exec:node bot.mjs';
  const args = ['play', place, '--agents', bots, '--workers', '1', '--choice-ms', '1500'];
  playing = spawn(process.execPath, [entry, ...args], { cwd: place, stdio: ['ignore', 'pipe', 'inherit'] });
  const [text] = (await once(playing.stdout?.setEncoding('utf8') as NodeJS.ReadableStream, 'data')) as [string];
  assert.match(text, /^http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}\/play\n$/);
  const { page, errors, requests } = await openGame(text.trim() + addressWith());
  await page.select('#seats select[data-power=TURKEY]', './agent.mjs');
  await page.click('#ready');
  await waitForPhase(page, 'Fall 1901');
  const turkish = await page.$$eval('#results tr[data-power=TURKEY]', (rows) =>
    rows.map(({ textContent }) => textContent),
  );
  assert.equal(turkish.sort(), ['A CON (no order)stands', 'A SMY (no order)stands', 'F ANK (no order)stands']);
  assert.ok(requests.some((one) => one.endsWith('/api/orders')));
  // Bots talk, and hear what is said to them.
  const shown = async (hash: string): Promise<void> => {
    await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
    await page.waitForFunction(`decodeURIComponent(location.hash) === decodeURIComponent(${JSON.stringify(hash)})`);
    await page.waitForFunction("document.querySelector('#stop').hidden", PATIENCE);
  };
  const bot = (name: string): Record<string, string> =>
    Object.fromEntries(standard.powerNames.map((power) => [power, { FRANCE: 'human', TURKEY: name }[power] ?? 'hold']));
  await shown(addressWith({ seats: bot('./talker.mjs'), rounds: 2 }));
  await page.click('#to-messages');
  await page.select('#recipient', 'TURKEY');
  await page.type('#message', 'hello');
  await page.click('#send');
  for (const round of [1, 2]) {
    await page.click('#next-round');
    await page.waitForFunction(`document.querySelectorAll('#messages p').length === ${round + 1}`, PATIENCE);
  }
  assert.equal(await page.$$eval('#messages p span', (all) => all.map(({ textContent }) => textContent)), [
    'hello',
    'got ',
    'got hello,got ',
  ]);
  // One that loops stops nothing: the game goes on, what it got wrong is shown, and counted at the end.
  const french = 'PAR BRE MAR SPA POR BEL HOL LON EDI LVP MUN BER KIE DEN VEN ROM'.split(' ');
  const ending = {
    ...{ phase: 'F1901M', units: { FRANCE: ['A GRE', 'A ROM'], TURKEY: ['A CON'] }, orders: 'A ROM - NAP' },
    ...{ centers: { FRANCE: [...french, 'GRE'], TURKEY: ['CON'] }, seats: bot('./loop.mjs') },
  };
  await shown(addressWith(ending));
  await page.click('#ready');
  await page.waitForFunction("/ wins/.test(document.querySelector('#told').textContent)", PATIENCE);
  assert.is(await textOf(page, '#told'), 'France wins. Agents made one error: it is listed below.');
  await page.click('#to-orders');
  assert.match(
    await textOf(page, '#faults'),
    /loop\.mjs failed one time, .*TURKEY in F1901M.*: got no answer in 1\.5 s/,
  );
  // The game is saved among the runs, but never over another.
  await page.click('#to-game');
  await page.click('#save-here');
  await page.waitForFunction("document.querySelector('#told').textContent.startsWith('Saved as game.json')", PATIENCE);
  assert.equal(errors, []);
  const before = readFileSync(join(place, 'game.json'), 'utf8');
  await page.click('#save-here');
  await page.waitForSelector('#trouble:not([hidden])', PATIENCE);
  assert.match(await textOf(page, '#trouble'), /^name: got game\.json, which exists, wanted a new one/);
  assert.is(readFileSync(join(place, 'game.json'), 'utf8'), before);
  assert.match(errors.join(), /^[^,]* 400 [^,]*$/);
  // The page that compares agents asks it, too.
  const compared = { agents: ['./agent.mjs', 'hold'], power: 'TURKEY', samples: 2 };
  await page.goto(`${text.trim().replace(/play$/, 'compare')}#${encodeURIComponent(JSON.stringify(compared))}`);
  await page.waitForFunction("document.querySelector('#answers').textContent === 'Answers 2 of 2.'", PATIENCE);
  assert.is(await textOf(page, '#differences'), './agent.mjs and hold differ in 0 % of their orders');
  assert.not(existsSync(join(place, 'hacked')));
  await page.close();
  playing.kill('SIGINT');
  const [code] = await once(playing, 'exit');
  assert.is(code, 0);
});

if (chromiumPath === undefined) {
  process.stdout.write('SKIPPED: there is no Chromium; on Debian, apt-get install chromium\n');
  play('says why it was skipped', () => {
    assert.is(chromiumPath, undefined);
  });
}

play.run();
