// Tests the page to play on in a real browser: whole games by clicks and by taps, without a network, with bots of the server,
// and with addresses and saved branches that mean harm.
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { loadMap, newGame, standard } from '../../../engine/internal.js';
import { formatPosition } from '../../../engine/notation/json/position.js';
import { browserTests, serveFolder, type TestPage } from '../../tools/chromium.js';
import { makeFolder, runLepanto } from '../../tools/command.js';
import { killRunning, startServer } from '../../tools/running.js';
import { writeAgent } from '../../tools/simple-agents.js';

const place = makeFolder('play');
const folder = join(place, 'playground');
const HOSTILE = `<img src=x onerror="window.hacked=1">`;
const HOSTILE_FILE = '<img src=x onerror=window.hacked=1>.json';
const MOST_BYTES = 1_500_000;
const PHONE = { width: 390, height: 844, isPhone: true, isStill: true };
const STILL = { height: 800, isStill: true };

/** The phase that is shown, as 'S1901M', or 'End'. */
const phaseOn = (page: TestPage): Promise<string> => page.text('#line [aria-current]');

/** Waits until the bots have answered and another phase is shown. */
const phaseAfter = (page: TestPage, phase: string): Promise<unknown> =>
  page.until(
    `document.querySelector('#line [aria-current]').textContent !== '${phase}' && document.querySelector('#stop').hidden`,
  );

/** A point of the screen where a click is one on a province. */
const spotOf = async (page: TestPage, tag: string): Promise<{ x: number; y: number }> => {
  const spot = await page.evaluate(`(() => {
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
  })()`);
  if (spot === null) throw new Error(`${tag} is nowhere to be clicked`);
  return spot as { x: number; y: number };
};

/** Centres that a power goes for. */
const goals: Readonly<Record<string, readonly string[]>> = {
  FRANCE: ['SPA', 'POR', 'BEL', 'HOL'],
  RUSSIA: ['RUM', 'PER', 'TAS'],
};

/** Presses a point: a click, or a tap on a touch screen. */
type Press = (page: TestPage, x: number, y: number) => Promise<void>;
const click: Press = (page, x, y) => page.mouse.click(x, y);
const tap: Press = (page, x, y) => page.touchscreen.tap(x, y);

const pressProvinces = async (page: TestPage, press: Press, ...tags: string[]): Promise<void> => {
  for (const tag of tags) {
    const { x, y } = await spotOf(page, tag);
    await press(page, x, y);
  }
};

const pressButton = async (page: TestPage, press: Press, selector: string): Promise<void> => {
  await page.untilThere(selector);
  await page.$eval(selector, (shape) => shape.scrollIntoView({ block: 'center' }));
  const box = await (await page.$(selector))?.boundingBox();
  if (!box) throw new Error(`${selector} is not on the screen`);
  await press(page, box.x + box.width / 2, box.y + box.height / 2);
};

/** Provinces that light up. */
const litOn = (page: TestPage): Promise<string[]> => page.attributes('#board .province.target', 'data-province');

/** What a power has to order: its units, its dislodged units, or in winter the first places that light up, as many as are due. */
const waiting = async (page: TestPage, power: string): Promise<string[]> => {
  const position = JSON.parse(decodeURIComponent(page.url().split('#')[1]));
  const tag = (unit: string): string => unit.slice(2).split('/')[0];
  const units: string[] = position.units[power] ?? [];
  if (position.phase.endsWith('M')) return units.map(tag);
  if (position.phase.endsWith('R')) return Object.keys(position.retreats[power] ?? {}).map(tag);
  return (await litOn(page)).slice(0, Math.abs((position.centers[power] ?? []).length - units.length));
};

/** Orders everything that a power has by clicks alone: towards the first target that is lit, or by the first button. */
const orderAll = async (page: TestPage, press: Press, power: string): Promise<void> => {
  const near = goals[power] ?? [];
  for (const tag of await waiting(page, power)) {
    await pressProvinces(page, press, tag);
    // Builds and removals are all in one click.
    if (/adjustments/.test(await page.text('#phase'))) continue;
    const lit = (await litOn(page)).filter((one) => one !== tag);
    // Where nothing is lit, a click on the unit itself disbands it.
    await pressProvinces(page, press, lit.find((one) => near.includes(one)) ?? lit[0] ?? tag);
  }
};

/**
 * Plays to the end of the game or to a year.
 * @param order gives the orders of a phase, and goes on
 * @returns the phases
 */
const playUntil = async (
  page: TestPage,
  year: string,
  order: (phase: string) => Promise<unknown>,
): Promise<string[]> => {
  const phases: string[] = [];
  for (let n = 0; n < 60; n++) {
    const phase = await phaseOn(page);
    phases.push(phase);
    if (phase.includes(year) || phase === 'End') break;
    await order(phase);
    await phaseAfter(page, phase);
  }
  return phases;
};

/** Waits until the page has put its position into the address. */
const settled = (page: TestPage, phase: string): Promise<unknown> =>
  page.until(`decodeURIComponent(location.hash).includes('"phase":"${phase}"')`);

/** Plays a power by clicks alone. @returns the phases */
const playTo = (page: TestPage, press: Press, power: string, year: string): Promise<string[]> =>
  playUntil(page, year, async (phase) => {
    await settled(page, phase);
    await orderAll(page, press, power);
    await pressButton(page, press, '#ready');
  });

/** Plays by keys alone: the next unit without an order, its second order in the list, and the phase. @returns the phases */
const playByKeys = (page: TestPage, year: string): Promise<string[]> =>
  playUntil(page, year, async (phase) => {
    const units = await page.count('#units li');
    for (let unit = 0; unit < units && !phase.endsWith('A'); unit++) {
      await page.keyboard.press('n');
      if ((await page.count('#units li.missing[aria-current]')) === 0) break;
      // In a list of orders the first is to stay.
      await page.keyboard.press('ArrowDown');
      if (phase.endsWith('M')) await page.keyboard.press('ArrowDown');
    }
    assert.is(await page.count('#units li.missing'), 0, phase);
    await page.keyboard.press('p');
  });

const seatOf = (power: string): string => `#seats select[data-power=${power}]`;

const everySeat = (agent: string, others: Record<string, string>): Record<string, string> => ({
  ...Object.fromEntries(standard.powerNames.map((power) => [power, agent])),
  ...others,
});

const hashOf = (position: object): string => `#${encodeURIComponent(JSON.stringify(position))}`;

/** An address with a position, by default the start, and with bots that are quick for all but France. */
const addressWith = (more: object = {}): string => {
  const { phase, units, centers } = formatPosition(newGame());
  return hashOf({ phase, units, centers, seats: everySeat('dumbbot', { FRANCE: 'human' }), seed: 5, ...more });
};

/** An address with the start of a map, one power of which is a human's; the others hold. */
const startOf = (name: string, human: number): string => {
  const map = loadMap(name);
  const { phase, units, centers } = formatPosition(newGame(map));
  const seats = Object.fromEntries(map.powerNames.map((power, i) => [power, i === human ? 'human' : 'hold']));
  return hashOf({ map: name, phase, units, centers, seats, seed: 1 });
};

const play = suite('play');
let hosted: Awaited<ReturnType<typeof serveFolder>>;
const inBrowser = browserTests(play, async () => {
  const { code, out, err } = runLepanto(['play', '--files', folder]);
  assert.is(code, 0, err);
  assert.match(out, /^\S+playground: \d+ bytes; open it/);
  hosted = await serveFolder(folder);
});
play.after(killRunning);

inBrowser('a whole game is played by clicks alone, from static files, and goes on without a network', async (open) => {
  const bytes = readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  assert.ok(bytes < MOST_BYTES, `${bytes} bytes`);
  const page = await open(hosted.address + addressWith(), STILL);
  const phases = await playTo(page, click, 'FRANCE', '1905');
  assert.match(phases.at(-1) ?? '', /1905|End/);
  assert.ok(phases.some((one) => one.startsWith('W')) && phases.length > 10, phases.join());
  assert.ok((await page.count('#results tr')) > 0);
  assert.is(await page.text('#trouble'), '');
  assert.equal(page.requestsBeyond(hosted.address), []);
  await page.evaluate('navigator.serviceWorker.ready');
  hosted.close();
  // All of it is kept: the page, its branches, the agents and the weights of the net.
  const before = await page.text('#line');
  await page.reloadBoard();
  assert.is(await page.text('#line'), before);
  await page.select(seatOf('ITALY'), 'net');
  await page.click('#ready');
  await page.until(`document.querySelector('#line').textContent !== ${JSON.stringify(before)}`);
  assert.is(await page.text('#trouble'), '');
  for (const error of page.errors.splice(0)) assert.match(error, 'ERR_CONNECTION_REFUSED');
  hosted = await serveFolder(folder);
});

inBrowser('a game is played on a touch screen', async (open) => {
  const page = await open(hosted.address + addressWith({ seed: 6 }), PHONE);
  assert.match((await playTo(page, tap, 'FRANCE', '1905')).at(-1) ?? '', /1905|End/);
  assert.is(await page.width(), 390);
});

inBrowser('three years of colonial with its railroad and canal are played by clicks alone', async (open) => {
  const map = 'colonial,tsr,suez';
  const page = await open(hosted.address + startOf(map, loadMap(map).powerNames.indexOf('RUSSIA')), STILL);
  const phases = await playTo(page, click, 'RUSSIA', '1873');
  assert.match(phases.at(-1) ?? '', /1873/);
  assert.ok(phases.some((one) => one.startsWith('W')));
  // A ride by rail is a click on one of its stops.
  await settled(page, phases.at(-1) ?? '');
  const units = { RUSSIA: ['A MOS'] };
  await page.setHash(addressWith({ map, phase: 'S1870M', units, centers: {}, seats: { RUSSIA: 'human' } }));
  await page.until("document.querySelectorAll('#board .unit').length === 1");
  await pressProvinces(page, click, 'MOS', 'IRK');
  assert.is(await page.value('#orders'), 'A MOS - TSR - IRK');
  assert.is(await page.text('#trouble'), '');
});

inBrowser('games are played by the keyboard alone, on two maps', async (open) => {
  for (const [map, until] of [
    ['standard', '1904'],
    ['colonial,tsr,suez', '1874'],
  ]) {
    const page = await open(hosted.address + startOf(map, 2), STILL);
    assert.match((await playByKeys(page, until)).at(-1) ?? '', until);
    await page.keyboard.press('?');
    assert.is(await page.count('#keys[open]'), 1);
  }
});

inBrowser('orders are dragged, undone and given by bots, games have branches, are saved and opened', async (open) => {
  const page = await open(hosted.address + addressWith(), STILL);
  const written = async (orders: string): Promise<void> => assert.is(await page.value('#orders'), orders);
  const ready = async (): Promise<void> => {
    await page.click('#ready');
    await phaseAfter(page, 'S1901M');
    assert.match(await page.text('#phase'), /^Fall 1901/);
  };
  // An army by dragging, and a support that brings the move with it.
  const [from, to] = [await spotOf(page, 'PAR'), await spotOf(page, 'BUR')];
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(to.x, to.y, { steps: 4 });
  await page.mouse.up();
  await written('A PAR - BUR');
  // Single orders are taken back and given again, by buttons and by keys.
  await pressProvinces(page, click, 'MAR', 'SPA');
  const both = 'A PAR - BUR\nA MAR - SPA';
  await written(both);
  await page.click('#undo');
  await written('A PAR - BUR');
  await page.keyboard.press('u');
  await written('');
  await page.click('#redo');
  await page.keyboard.press('r');
  await written(both);
  await page.keyboard.press('u');
  await ready();
  await page.click('#undo');
  await written('A PAR - BUR');
  await pressProvinces(page, click, 'MAR', 'PAR', 'GAS');
  await written('A PAR - BUR\nA MAR S A PAR - GAS');
  await ready();
  // Branches are told by what differs in them.
  const branches = ['S1901M', 'without A MAR S A PAR - GAS', 'A MAR S A PAR - GAS', 'F1901M'];
  assert.equal(await page.texts('#line button'), branches);
  await page.click('#to-game');
  await page.click('#line .branches button:nth-child(1)');
  assert.match(await page.text('#line [aria-pressed=true]'), /^without/);
  await page.click('#last');
  assert.is(await page.text('#phase'), 'Spring 1901: orders');
  assert.ok((await page.count('#board .order')) > 15);
  await page.click('#to-orders');
  await page.click('#others');
  await page.until("document.querySelector('#orders').value.split('\\n').length > 15");
  // What is saved is a game that the commands read.
  await page.evaluate("URL.createObjectURL = (blob) => { window.saved = blob; return '#'; }");
  await page.click('#to-game');
  await page.click('#save');
  await page.until('window.saved !== undefined');
  writeFileSync(join(place, 'saved.json'), String(await page.evaluate('window.saved.text()')));
  const { code, out, err } = runLepanto(['replay', join(place, 'saved.json'), '--game', '0']);
  assert.is(code, 0, err);
  assert.match(out, /A PAR - BUR/);
  // It is opened with its branches; what is no game is refused, and the game that was there stays.
  const choose = async (name: string): Promise<void> => {
    const input = (await page.$('#file')) as unknown as { uploadFile(path: string): Promise<void> };
    await input.uploadFile(join(place, name));
  };
  await page.open(hosted.address);
  await choose('saved.json');
  await page.untilText('#told', 'saved.json');
  // Its agents, its seats and its branches stay, also after a reload.
  const assertKept = async (): Promise<void> => {
    const seats = [await page.value(seatOf('FRANCE')), await page.value(seatOf('ITALY'))];
    assert.equal([...seats, ...(await page.texts('#line button'))], ['human', 'dumbbot', ...branches]);
  };
  await assertKept();
  await settled(page, 'F1901M');
  await page.reloadBoard();
  await assertKept();
  writeFileSync(join(place, HOSTILE_FILE), JSON.stringify({ lepanto: { map: HOSTILE } }));
  await choose(HOSTILE_FILE);
  await page.untilThere('#trouble:not([hidden])');
  assert.match(await page.text('#trouble'), /^rules: got nothing/);
  await assertKept();
  await page.select(seatOf('ITALY'), 'human');
  await page.click('#to-game');
  await page.click('#hot');
  await page.click('#ready');
  assert.match(await page.text('#told'), /^Italy: click/);
  await written('');
});

inBrowser('trouble is told before Ready, humans talk, and a key or a click skips the show of a phase', async (open) => {
  const page = await open();
  // The show would last for ever.
  await page.evaluateOnNewDocument(`{
    const later = setTimeout;
    window.setTimeout = (act, ms, ...more) => later(act, ms === 1500 ? 1e9 : ms, ...more);
  }`);
  await page.open(hosted.address + addressWith());
  assert.is(await page.text('#issues'), 'no order for F BRE, A MAR, A PAR');
  const units = { FRANCE: ['A SPA', 'A POR'] };
  for (const [centers, orders, trouble] of [
    [['PAR', 'BRE', 'MAR'], undefined, /^1 build not used$/],
    [['PAR', 'BRE', 'MAR'], 'A PAR B\nA MAR B', /^A MAR B: .*/],
    [['PAR'], undefined, /^1 removal missing$/],
  ] as const) {
    await page.setHash(addressWith({ phase: 'W1901A', centers: { FRANCE: centers }, units, orders }));
    await page.untilText('#phase', 'adjustments');
    assert.match(await page.text('#issues'), trouble);
    if (orders !== undefined) assert.is(await page.count('#issues.bad'), 1);
  }
  // Two humans: what one says is read by the other in the next round, and by nobody else.
  await page.setHash(addressWith({ seats: everySeat('hold', { FRANCE: 'human', ITALY: 'human' }), rounds: 1 }));
  await page.untilText('#phase', 'Spring 1901');
  await page.until("document.querySelector('#stop').hidden");
  await page.click('#to-messages');
  await page.select('#sender', 'FRANCE');
  await page.select('#recipient', 'ITALY');
  await page.type('#message', HOSTILE);
  await page.click('#send');
  assert.is(await page.text('#messages p b'), 'France to Italy');
  await page.click('#next-round');
  await page.until("document.querySelector('#next-round').hidden");
  assert.is(await page.text('#messages p span'), HOSTILE);
  for (const skip of [() => page.keyboard.press('x'), () => page.mouse.click(2, 2)]) {
    await page.click('#ready');
    await page.until("/: orders$/.test(document.querySelector('#phase').textContent)");
    await skip();
    await page.until("!/: orders$/.test(document.querySelector('#phase').textContent)");
  }
  assert.is(await page.text('#phase'), 'Spring 1902');
});

inBrowser('no address, no name of an agent and no saved branch does harm', async (open) => {
  const seats = { FRANCE: HOSTILE, ITALY: 'exec:touch hacked', __proto__: 'x' };
  const page = await open(hosted.address + addressWith({ seats }), STILL);
  assert.is(await page.attribute(seatOf('FRANCE'), 'title'), HOSTILE);
  await page.click('#ready');
  await page.untilThere('#trouble:not([hidden])');
  assert.match(
    await page.text('#trouble'),
    /^agent: got "(<img src=x onerror="window.hacked=1">|exec:touch hacked)", wanted one of .*, or a module or bot that lepanto play --agents lists/,
  );
  for (const hash of [
    ...['#%', '#{}', hashOf({ phase: HOSTILE, units: {} })],
    ...[{ map: HOSTILE }, { rules: HOSTILE }, { units: { FRANCE: [HOSTILE] } }].map(addressWith),
  ]) {
    await page.setHash(hash);
    await page.untilThere('#trouble:not([hidden])');
    assert.is(await page.count('#board .unit'), 22, hash);
  }
  const hash = addressWith({ orders: HOSTILE });
  const kept = { addresses: [hash], turns: [{ parent: 7, given: { FRANCE: [HOSTILE] } }], shown: 9, start: HOSTILE };
  for (const wrong of [JSON.stringify(kept), '{', HOSTILE, 'null', '7']) {
    const put = `try { sessionStorage.setItem('lepanto-play', ${JSON.stringify(wrong)}) } catch {}`;
    const { identifier } = await page.evaluateOnNewDocument(put);
    await page.goto('about:blank');
    await page.open(hosted.address + hash);
    assert.match(await page.text('#unread'), /^Not read: <img/);
    await page.removeScriptToEvaluateOnNewDocument(identifier);
  }
  assert.equal([await page.count('img'), await page.evaluate('window.hacked')], [0, undefined]);
});

inBrowser('agents are compared, and orders searched for, from static files, too', async (open) => {
  const compared = { agents: ['dumbbot', 'reply'], power: 'FRANCE', samples: 8 };
  const page = await open(hosted.address + addressWith(compared), PHONE);
  await page.untilText('#answers', 'Answers 8 of 8.');
  assert.is(await page.width(), 390);
  assert.is(await page.count('.column'), 2);
  await page.evaluate("document.querySelector('#rollouts').value = '200'");
  await pressButton(page, tap, '#board-again');
  await pressButton(page, tap, '#search');
  await page.untilText('#searched', 'rollouts of');
  assert.ok((await page.count('#found li')) > 7);
  assert.ok((await page.count('#board .order')) > 7);
  assert.is(await page.count('#bar span'), 7);
});

inBrowser('a bot of the server plays in its seat', async (open) => {
  const hold = 'answer: (all) => all.map(() => ({ orders: [] }))';
  writeAgent(join(place, 'agent.mjs'), hold);
  writeAgent(
    join(place, 'talker.mjs'),
    `${hold}, talk: (all) =>
      all.map(({ past }) => [{ recipients: ['FRANCE'], text: '[' + past.messages.map(({ text }) => text).join() + ']' }])`,
  );
  writeAgent(join(place, 'loop.mjs'), 'answer: () => { for (;;); }');
  const bots = './agent.mjs,./talker.mjs,./loop.mjs,exec:node bot.mjs';
  const args = ['play', place, '--agents', bots, '--workers', '1', '--choice-ms', '1500'];
  const { child, address } = await startServer(args, place);
  assert.match(address, /^http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}\/play$/);
  const page = await open(address + addressWith(), STILL);
  await page.select(seatOf('TURKEY'), './agent.mjs');
  await page.click('#ready');
  await phaseAfter(page, 'S1901M');
  const turkish = ['A CON (no order)stands', 'A SMY (no order)stands', 'F ANK (no order)stands'];
  assert.equal((await page.texts('#results tr[data-power=TURKEY]')).sort(), turkish);
  assert.ok(page.requests.some((one) => one.endsWith('/api/orders')));
  // Bots talk, and hear what is said to them.
  const shown = async (hash: string): Promise<void> => {
    await page.goto('about:blank');
    await page.open(address + hash);
  };
  const against = (bot: string) => everySeat('hold', { FRANCE: 'human', TURKEY: bot });
  await shown(addressWith({ seats: against('./talker.mjs'), rounds: 2 }));
  await page.click('#to-messages');
  await page.select('#recipient', 'TURKEY');
  await page.type('#message', 'hello');
  await page.click('#send');
  for (const round of [1, 2]) {
    await page.click('#next-round');
    await page.until(`document.querySelectorAll('#messages p').length === ${round + 1}`);
  }
  assert.equal(await page.texts('#messages p span'), ['hello', '[]', '[hello,[]]']);
  // One that loops stops nothing: the game goes on, what it got wrong is shown, and counted at the end.
  const french = 'PAR BRE MAR SPA POR BEL HOL LON EDI LVP MUN BER KIE DEN VEN ROM GRE'.split(' ');
  const ending = {
    ...{ phase: 'F1901M', units: { FRANCE: ['A GRE', 'A ROM'], TURKEY: ['A CON'] }, orders: 'A ROM - NAP' },
    ...{ centers: { FRANCE: french, TURKEY: ['CON'] }, seats: against('./loop.mjs') },
  };
  await shown(addressWith(ending));
  await page.click('#ready');
  await page.untilText('#told', ' wins');
  assert.is(await page.text('#told'), 'France wins. Agents made one error: it is listed below.');
  await page.click('#to-orders');
  const faults = await page.text('#faults');
  assert.match(faults, /loop\.mjs failed one time, .*TURKEY in F1901M.*: got no answer in 1\.5 s/);
  // The game is saved among the runs, but never over another.
  await page.click('#to-game');
  await page.click('#save-here');
  await page.untilText('#told', 'Saved as game.json');
  assert.equal(page.errors, []);
  const before = readFileSync(join(place, 'game.json'), 'utf8');
  await page.click('#save-here');
  await page.untilThere('#trouble:not([hidden])');
  assert.match(await page.text('#trouble'), /^name: got game\.json, which exists, wanted a new one/);
  assert.is(readFileSync(join(place, 'game.json'), 'utf8'), before);
  assert.match(page.errors.splice(0).join(), /^[^,]* 400 [^,]*$/);
  // The page that compares agents asks it, too.
  const compared = { agents: ['./agent.mjs', 'hold'], power: 'TURKEY', samples: 2 };
  await page.goto(address.replace(/play$/, 'compare') + hashOf(compared));
  await page.untilText('#answers', 'Answers 2 of 2.');
  assert.is(await page.text('#differences'), './agent.mjs and hold differ in 0 % of their orders');
  assert.not(existsSync(join(place, 'hacked')));
  child.kill('SIGINT');
  assert.is((await once(child, 'exit'))[0], 0);
});

play.run();
