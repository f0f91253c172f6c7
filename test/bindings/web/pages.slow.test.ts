// Tests the pages in a real browser: the replay page, the pages of `lepanto view` with the position editor, and the page
// of a search. Structure is compared, not pixels.
//
// The browser is Chromium as Debian packages it. Without one the tests say so and count as skipped.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'puppeteer-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openSource, recordsOf, wholeRecord } from '../../../bindings/formats/games/recorded-run.js';
import { orders } from '../../../bindings/notation/json/position.js';
import { pageDocument } from '../../../bindings/web/document.js';
import { replayPage } from '../../../bindings/web/replay-page.js';
import { newGame, type Power, standard } from '../../../engine/internal.js';
import { loadCases } from '../../tools/cases.js';
import { chromiumPath, openPage, startChromium } from '../../tools/chromium.js';
import { entry, makeFolder, runLepanto } from '../../tools/command.js';
import { examplePage } from '../../tools/example-page.js';

const place = makeFolder('pages');
const HOSTILE = `<img src=x onerror="window.hacked=1"></script><script>window.hacked=2</script>`;
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
  for (const { record } of recordsOf(source)) if (record?.index === index) return wholeRecord(source, record);
  throw new Error(`${run} has no game ${index}`);
};

const dumbbots = openSourceLater('runs/bots');

inBrowser('a replay plays to its end and asks for nothing', async () => {
  lepanto('replay', 'runs/bots', '--game', '1', '--html', 'game.html');
  const { page, errors, requests } = await openPage(browser);
  const address = pathToFileURL(join(place, 'game.html')).href;
  await page.goto(address);
  await waitForText(page, '#phase', 'Spring 1901');
  const { phases } = dumbbots(1);
  const start = phases[0];
  assert.is((await unitsOn(page)).length, 22);
  assert.is(start.phase, 'S1901M');
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
  assert.match(page.url(), /#S1901M$/);
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
    const targets = [{ power: standard.powerNames.indexOf('FRANCE') as Power, value: 0.21, candidates: [candidate] }];
    const [first, ...others] = played.phases;
    const record = { ...played, phases: [{ ...first, targets }, ...others] };
    const agents = [HOSTILE, ...'ABCDEF'];
    writeFileSync(join(place, 'hostile.html'), pageDocument(replayPage(source, record, { title: HOSTILE, agents })));
    const { page, errors } = await openPage(browser);
    await page.goto(`${pathToFileURL(join(place, 'hostile.html')).href}#S1901M`);
    await waitForText(page, '#phase', 'Spring 1901: orders');
    assert.is(await textOf(page, 'details li'), '62.5 %, value 0.210 ± 0.004: A PAR - BUR');
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
  assert.is((await page.$$('#centers .square')).length % 7, 0);
};

/** Opens the first game of the list, takes a position to the editor, and comes back. */
const followGame = async (page: Page): Promise<void> => {
  await page.click('#games tr:first-child a');
  await waitForText(page, '#phase', 'Spring 1901');
  assert.is((await unitsOn(page)).length, 22);
  assert.equal((await textsOf(page, 'nav a')).slice(2), ['Game 49', 'Game 51', 'Edit this position']);
  await fill(page, 'at', '3');
  // Units that fade out are gone.
  await page.waitForFunction("![...document.querySelectorAll('.unit')].some((unit) => unit.style.opacity === '0')");
  const there = await unitsOn(page);
  await page.click('#edit');
  await page.waitForSelector('#adjudicate', PATIENCE);
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
  const manifest = JSON.parse(readFileSync(join(place, 'whole/manifest.json'), 'utf8')) as { agents: string[] };
  manifest.agents[1] = HOSTILE;
  writeFileSync(join(run, 'manifest.json'), JSON.stringify(manifest));
  const copy = (shard: string): void => {
    for (const ending of ['lep', 'json'])
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
  await waitForText(page, '#state', '512 of 512 games, whole');
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

inBrowser('a training run is followed: stage, time, gates and curves', async () => {
  const run = join(place, 'trained', 'net');
  mkdirSync(run, { recursive: true });
  writeFileSync(join(run, 'config.toml'), 'seed = 1\n');
  const log = (...lines: object[]): void =>
    appendFileSync(join(run, 'metrics.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  log({ seconds: 0, stage: 'bootstrap', limit: 3600, positions: 0, games: 0 });
  log({ seconds: 600, stage: 'bootstrap', policy: 1.25, value: 1.5, positions: 5000, games: 640 });
  const address = await startView('trained');
  const { page, errors } = await openPage(browser);
  await page.goto(address);
  assert.match(await textOf(page, '#trainings'), /^netbootstrap10:00 of 1:00:00running/);
  await page.click('#trainings a');
  await waitForText(page, '#state', 'bootstrap, 10:00 of 1:00:00, 50:00 left, running; 640 games, 5,000 positions');
  assert.is(await textOf(page, '#measured'), 'policy 1.25, value 1.5');
  assert.is((await page.$$('#none:not([hidden])')).length, 1);
  log({ ...{ seconds: 900, stage: 'bootstrap', gate: 'net-0000', passed: true, reason: HOSTILE, positions: 5000 } });
  log({ seconds: 1800, stage: 'play', gate: 'net-0001', shares: { dumbbot: 0.25 }, errors: { dumbbot: 0.0125 } });
  const picture = '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"><script>top.hacked=3</script></svg>';
  writeFileSync(join(run, 'curves.svg'), picture);
  await waitForText(page, '#state', 'play, 30:00 of 1:00:00');
  assert.equal(await textsOf(page, '#anchors th'), ['Net', 'After', 'dumbbot', 'Gate']);
  const cells = ['net-000015:00', `passed: ${HOSTILE}`, 'net-000130:000.250 ± 0.013', 'kept out:'];
  assert.is(await textOf(page, '#gates'), cells.join(''));
  await page.waitForFunction("document.querySelector('#curves').naturalWidth === 40", PATIENCE);
  log({ seconds: 3600, stage: 'play', ended: true });
  await waitForText(page, '#state', 'done');
  assert.is(await page.evaluate('window.hacked'), undefined);
  assert.equal(errors, []);
  // The picture by itself runs nothing either.
  await page.goto(`${address}curves?run=net`);
  assert.is(await page.evaluate('window.hacked'), undefined);
  assert.match(errors.join(), /Blocked script execution/);
  await page.close();
});

inBrowser('the editor adjudicates a case of DATC as it should, in the page', async () => {
  const address = await startView('runs');
  const { page, errors, requests } = await openPage(browser, 1400, 900);
  await page.goto(`${address}editor`);
  await page.waitForSelector('#board .unit', PATIENCE);
  assert.is((await unitsOn(page)).length, 22);
  const row = loadCases('datc-3.2.json').find(({ id }) => id === '6.F.14');
  if (row === undefined) throw new Error('there is no case 6.F.14');
  const orders: Record<string, string[]> = {};
  for (const [power, order] of row.orders) if (order !== null) orders[power] = [...(orders[power] ?? []), order];
  await fill(page, 'json', JSON.stringify({ phase: 'S1901M', units: row.units, orders }));
  await page.click('#read');
  assert.is((await page.$$('#board .order')).length, row.orders.length);
  await page.click('#adjudicate');
  const told = await page.$$eval('#results tr', (rows) =>
    rows.map((one) => [...one.children].map((td) => td.textContent ?? '')),
  );
  assert.equal(
    told.map(([order, result]) => `${order.slice(0, 5)} ${result.split(',')[0]}`).sort(),
    row.orders.map(([, order, result]) => `${order?.slice(0, 5)} ${result}`).sort(),
  );
  await page.click('#go-on');
  const after = Object.entries(row.after).flatMap(([power, units]) => units.map((unit) => `${unit} ${power}`));
  assert.equal(
    (await unitsOn(page)).filter((unit) => !unit.startsWith('*')).length,
    after.length + Object.keys(row.dislodged ?? {}).length,
  );
  assert.equal(requests, [`${address}editor`]);
  assert.equal(errors, []);
  await page.close();
});

inBrowser(
  'the editor takes units, centres and orders by clicks, other rules and maps, and asks the search',
  async () => {
    const address = await startView('runs');
    const { page, errors } = await openPage(browser, 1400, 900);
    await page.goto(`${address}editor`);
    await page.waitForSelector('#board .unit', PATIENCE);
    const click = (tag: string): Promise<unknown> => press(page, `#board .province[data-province="${tag}"]`);
    await page.click('#clear');
    await fill(page, 'power', 'FRANCE');
    await click('PAR');
    await click('MAR');
    await fill(page, 'power', 'RUSSIA');
    await fill(page, 'type', 'F');
    await click('STP');
    await fill(page, 'power', 'GERMANY');
    await fill(page, 'type', 'A');
    await click('MUN');
    assert.equal(await unitsOn(page), ['A MAR FRANCE', 'A MUN GERMANY', 'A PAR FRANCE', 'F STP/NC RUSSIA']);
    await click('NTH');
    assert.match(await textOf(page, '#trouble'), /NTH/);
    await page.click('#mode-centers');
    await fill(page, 'power', 'FRANCE');
    await click('PAR');
    await page.click('#mode-orders');
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
    await page.click('#adjudicate');
    assert.equal(await textsOf(page, '#results td'), [
      ...['A PAR - BUR', 'succeeds', 'A MAR S A PAR - BUR', 'given'],
      ...['A MUN - BUR', 'fails, bounced with A PAR', 'F STP/NC (no order)', 'stands'],
    ]);
    const input = String(await valueIn(page, 'json'));
    const answer = JSON.parse(runLepanto(['adjudicate'], { input }).out) as { units: Record<string, string[]> };
    assert.equal(answer.units.FRANCE, ['A BUR', 'A MAR']);
    await fill(page, 'rollouts', '200');
    await page.click('#search');
    await page.waitForSelector('#found li', PATIENCE);
    assert.match((await textsOf(page, '#found li'))[0], /^\d+\.\d %, value \d\.\d{3}( ± \d\.\d{3})?: [AF] /);
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

inBrowser('the page of a search draws the order set that is chosen', async () => {
  lepanto(...'search --start --rollouts 300 --seed 1 --workers 1 --quiet --top 3 --html search.html'.split(' '));
  const { page, errors, requests } = await openPage(browser);
  const address = pathToFileURL(join(place, 'search.html')).href;
  await page.goto(address);
  await page.waitForSelector('.candidate', PATIENCE);
  assert.is((await page.$$('section')).length, 7);
  assert.is((await page.$$('#board .order')).length, 22);
  await press(page, 'section:nth-child(3) label:last-child input');
  assert.is((await page.$$('#board .order')).length, 19);
  await press(page, 'section:nth-child(3) label:nth-child(3) input');
  const drawn = await page.$$eval('#board .order[data-power=FRANCE] title', (titles) =>
    titles.map(({ textContent }) => textContent),
  );
  const wanted = (await textOf(page, 'section:nth-child(3) label:nth-child(3)')).split(/(?<=\))/).at(-1) ?? '';
  assert.is(drawn.length, 3);
  for (const order of wanted.split(', '))
    assert.ok(
      drawn.some((title) => title?.includes(order)),
      order,
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
