// Tests the pages in a real browser: the replay page, the pages of `lepanto view` with the position editor, and the page
// of a search. Structure is compared, not pixels.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
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
import { browserTests, type Open, serveFolder, type TestPage } from '../../tools/chromium.js';
import { makeFolder, runLepanto } from '../../tools/command.js';
import { examplePage } from '../../tools/example-page.js';
import { killRunning, startServer } from '../../tools/running.js';

const place = makeFolder('pages');
const HOSTILE = `<img src=x onerror="window.hacked=1"></script><script>window.hacked=2</script>`;
/** Address of the page that plays on, with characters that must be escaped. */
const PLAYGROUND = '../play/?a="b"';

const lepanto = (...args: string[]): string => {
  const { code, out, err } = runLepanto(args, { cwd: place });
  assert.is(code, 0, err);
  return out;
};

/** Address of a file in the place of the tests. */
const file = (name: string): string => pathToFileURL(join(place, name)).href;

/** Starts `lepanto view` of a folder in the place of the tests, and returns the address of its pages. */
const view = async (folder: string): Promise<string> => {
  killRunning();
  return (await startServer(['view', folder, '--workers', '1'], place)).address;
};

/** An address with a value as JSON after '#'. */
const withJson = (address: string, value: object): string => `${address}#${encodeURIComponent(JSON.stringify(value))}`;

/**
 * True if a canvas has a pixel of a colour of the page.
 * @param name of the custom property that holds the colour: '--bad'
 * @param of the element that has it
 */
const hasColour = (page: TestPage, canvas: string, name: string, of = 'body'): Promise<unknown> =>
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

const pages = suite('pages');
const inBrowser = browserTests(pages, () => {
  mkdirSync(join(place, 'runs'));
  lepanto(...'selfplay --games 512 --until 1902 --agents random --seed 9 --out whole --quiet'.split(' '));
  lepanto(...'selfplay --games 2 --until 1903 --agents dumbbot --seed 4 --out runs/bots --quiet'.split(' '));
  lepanto(...'selfplay --games 1 --until 1872 --map colonial --agents random --seed 4 --out asia --quiet'.split(' '));
  lepanto('replay', 'runs/bots', '--game', '1', '--html', 'game.html', '--play', PLAYGROUND);
  lepanto('replay', 'asia', '--html', 'asia.html');
});
pages.after(killRunning);

const bots = () => openSource(join(place, 'runs/bots'));
/** A game of runs/bots. */
const dumbbots = (index: number) => {
  for (const { game } of recordsOf(bots())) if (game?.index === index) return wholeRecord(bots(), game);
  throw new Error(`runs/bots has no game ${index}`);
};

/** Writes the replay of a game of runs/bots, and returns its address. */
const writeReplay = (
  name: string,
  record: ReturnType<typeof dumbbots>,
  texts: Parameters<typeof replayPage>[2],
): string => {
  writeFileSync(join(place, name), pageDocument(replayPage(bots(), record, texts)));
  return file(name);
};

/** Writes the replay of a game in which a search weighed two order sets of France in the first phases. */
const writeWeighed = (name: string, title: string, agent: string): string => {
  const candidate = (probability: number, value: number, ...texts: string[]) => ({
    ...{ probability, value, error: 0.004, orders: orders(newGame(), { FRANCE: texts }) },
  });
  const gascony = candidate(0, 0.25, 'A PAR - GAS', 'F BRE - MAO');
  const played = dumbbots(0);
  const phases = played.phases.map((phase, i) => {
    if (i > 1) return phase;
    const value = [0.21, 0.15][i];
    const candidates = [candidate(0.625, value, 'A PAR - BUR'), gascony];
    return { ...phase, targets: [{ power: standard.powerNames.indexOf('FRANCE') as Power, value, candidates }] };
  });
  return writeReplay(name, { ...played, phases }, { title, agents: [agent, ...'ABCDEF'] });
};

inBrowser('a replay plays to its end and asks for nothing', async (open) => {
  const page = await open(file('game.html'));
  await page.untilText('#phase', 'Spring 1901');
  assert.is((await page.units()).length, 22);
  // The game is continued with its agents, and with a human in place of the one that is looked at.
  const continuation = async (): Promise<unknown[]> => {
    const [link, position = ''] = (await page.attribute('#go-on', 'href')).split('#');
    const { phase, seats } = JSON.parse(decodeURIComponent(position));
    return [link, phase, seats];
  };
  const seats = Object.fromEntries(standard.powerNames.map((power) => [power, 'dumbbot']));
  assert.equal(await continuation(), [PLAYGROUND, 'S1901M', seats]);
  await page.click('#powers button:nth-child(3)');
  assert.equal(await continuation(), [PLAYGROUND, 'S1901M', { ...seats, FRANCE: 'human' }]);
  await page.click('#only button');
  await page.select('#speed', '8');
  await page.click('#play');
  assert.is(await page.text('#play'), 'Pause');
  await page.untilText('#phase', 'The end');
  assert.is(await page.text('#play'), 'Play');
  assert.is(await page.text('#orders'), 'No power wins alone.');
  // Those that have gone fade for a moment.
  const { phases } = dumbbots(1);
  const steps = phases.length + phases.filter((phase) => phase.orders.length > 0).length;
  assert.is(Number(await page.attribute('#at', 'max')), steps - 1);
  assert.match(await page.attribute('#board svg', 'aria-label'), /^Board in The end\. Centres: Austria \d/);
  assert.equal(page.requests, [file('game.html')]);
});

inBrowser('the committed example plays', async (open) => {
  const page = await open(`${pathToFileURL(examplePage).href}#F1904M`);
  await page.untilText('#phase', 'Fall 1904: orders');
  assert.ok((await page.count('#board .order')) > 15);
});

inBrowser('keys, slider, chart and address move through a replay', async (open) => {
  const page = await open(`${file('game.html')}#F1902M`);
  await page.untilText('#phase', 'Fall 1902: orders');
  const ordered = dumbbots(1).phases.find(({ phase }) => phase === 'F1902M')?.orders.length;
  assert.equal([await page.count('#board .order'), await page.count('#orders tr')], [ordered, ordered]);
  const told = (await page.texts('#orders td:last-child')).join('; ');
  assert.match(told, /(^|; )fails, (bounced with|lost|[AF] [A-Z]{3})/);
  const go = async (...keys: ('ArrowLeft' | 'ArrowRight' | 'End' | 'Home' | 'PageDown' | 'PageUp')[]) => {
    for (const key of keys) await page.keyboard.press(key);
    return page.text('#phase');
  };
  assert.is(await go('ArrowLeft'), 'Fall 1902');
  assert.is(await page.count('#board .order'), 0);
  const next = await go('ArrowRight', 'ArrowRight');
  assert.match(next, /^(Fall 1902, retreats|Winter 1902, adjustments|Spring 1903)$/);
  assert.is((await page.count('#board .dislodged')) > 0, next.includes('retreats'));
  assert.is(await go('PageUp'), 'Spring 1901');
  assert.is(await go('PageDown'), 'Spring 1902');
  assert.is(await go('End'), 'The end');
  assert.is(await go('Home'), 'Spring 1901');
  assert.match(page.url(), /#S1901M&at=position$/);
  for (const action of ['Pause', 'Play']) {
    await page.keyboard.press('Space');
    assert.is(await page.text('#play'), action);
  }
  await page.fill('#at', '3');
  assert.is(await page.text('#phase'), 'Fall 1901: orders');
  await page.setHash('#S1903M');
  await page.untilText('#phase', 'Spring 1903: orders');
});

inBrowser('a replay fits a phone, the dark and those who want no motion', async (open) => {
  const page = await open(undefined, { width: 375, height: 740 });
  await page.prefer({ 'color-scheme': 'dark', 'reduced-motion': 'reduce' });
  await page.open(file('game.html'));
  const look = await page.evaluate(`[
    document.documentElement.scrollWidth,
    getComputedStyle(document.body).backgroundColor,
    getComputedStyle(document.querySelector('.unit')).transitionDuration,
  ]`);
  assert.equal(look, [375, 'rgb(16, 20, 24)', '0s']);
});

inBrowser('what a search weighed is shown, and nothing that an agent is called is run', async (open) => {
  const page = await open(`${writeWeighed('hostile.html', HOSTILE, HOSTILE)}#S1901M`);
  await page.untilText('#phase', 'Spring 1901: orders');
  assert.equal(await page.texts('details li'), [
    '62.5 %, value 0.210 ± 0.004: A PAR - BUR',
    '0.0 %, value 0.250 ± 0.004: A PAR - GAS, F BRE - MAO',
  ]);
  // What was weighed lies below what was ordered, as wide as it was likely; a set that is picked is drawn alone.
  const arrows = (): Promise<string[]> =>
    page.$$eval('#board .weighed .order', (all) =>
      all.map((one) => `${one.getAttribute('data-order')} ${one.querySelector('.a2')?.getAttribute('stroke-width')}`),
    );
  const all = ['A PAR - BUR 3.6', 'A PAR - GAS 0.6', 'F BRE - MAO 0.6'];
  assert.equal(await arrows(), all);
  await page.press('details li:nth-child(2) button');
  assert.equal(await arrows(), all.slice(1));
  assert.is(await page.count('#board .weighed .picked'), 2);
  await page.press('details li:nth-child(2) button');
  for (const shown of [[], all]) {
    await page.keyboard.press('c');
    assert.equal(await arrows(), shown);
  }
  // Its value falls, which the chart marks.
  assert.ok(await hasColour(page, '#values canvas', '--bad'));
  assert.is(await page.text('#values .told'), 'Spring 1901: France 0.210');
  assert.is(await page.text('#values a'), 'France in Spring 1901, 0.210 to 0.150');
  await page.focus('#values [role=slider]');
  await page.keyboard.press('ArrowRight');
  assert.match(page.url(), /#F1901M/);
  await page.click('#values a');
  await page.untilText('#only', 'Only France');
  assert.match(page.url(), /#S1901M&only=FRANCE$/);
  await page.click('#only button');
  assert.is(await page.text('h1'), HOSTILE);
  assert.is((await page.texts('#powers .agent'))[0], HOSTILE);
  assert.equal([await page.count('img'), page.errors], [0, []]);
  // And if it had got into the page, the policy would have stopped it.
  await page.evaluate(`document.body.innerHTML += ${JSON.stringify(HOSTILE)};
    { const script = document.createElement('script'); script.textContent = 'window.hacked = 3'; document.body.append(script); }`);
  assert.is(await page.evaluate('window.hacked'), undefined);
  assert.match(page.errors.splice(0).join(), 'Content Security Policy');
});

// ---- the board ----

/** The least size of a name on the board in pixels, how much the page overflows, and whether its units are simplified. */
const sizesOn = (page: TestPage) =>
  page.evaluate(`(() => {
    const svg = document.querySelector('#board svg');
    const scale = svg.getScreenCTM().a;
    const names = [...svg.querySelectorAll('.names text')].filter((one) => getComputedStyle(one).display !== 'none');
    return {
      name: Math.min(...names.map((one) => parseFloat(getComputedStyle(one).fontSize) * scale)),
      over: document.documentElement.scrollWidth - innerWidth,
      far: svg.classList.contains('far'),
      view: svg.getAttribute('viewBox'),
    };
  })()`) as Promise<{ name: number; over: number; far: boolean; view: string }>;

const zoomOf = (view: string): number => Number(view.split(' ')[2]);

inBrowser('a board is as large as its window, and names are read on it', async (open) => {
  for (const name of ['game.html', 'asia.html'])
    for (const [width, height] of [
      [1280, 800],
      [1440, 900],
      [1920, 1080],
    ]) {
      const page = await open(file(name), { width, height });
      const { view: _, name: size, ...rest } = await sizesOn(page);
      assert.ok(size >= 8.999, `${name} ${width}: names of ${size} px`);
      assert.equal(rest, { over: 0, far: false });
      assert.is(await page.evaluate('document.documentElement.scrollHeight'), height);
    }
});

/**
 * Letters of names that are under units or buttons, as 'MUN under A MUN', in the page. Boxes of texts have room above and
 * below their capitals, which is cut off where a unit lies.
 */
const COVERED = `(() => {
  const boxes = [...document.querySelectorAll('#board .unit')].flatMap((unit) =>
    [...unit.querySelectorAll('.edge')].map((edge) => [unit.getAttribute('data-unit'), edge.getBoundingClientRect(), 0.25]));
  boxes.push(['buttons', document.querySelector('.zoom').getBoundingClientRect(), 0]);
  return [...document.querySelectorAll('#board .names > text')].filter((text) => text.checkVisibility()).flatMap((text) => {
    const { left, right, top, bottom, height } = text.getBoundingClientRect();
    return boxes
      .filter(([, box, cut]) =>
        box.left < right && left < box.right && box.top < bottom - height * cut && top + height * cut < box.bottom)
      .map(([name]) => text.textContent + ' under ' + name);
  });
})()`;

inBrowser('no unit covers a name, and no button a province', async (open) => {
  for (const [name, width, height] of [
    ['game.html', 390, 844],
    ['game.html', 620, 800],
    ['game.html', 800, 600],
    ['asia.html', 620, 800],
    ['asia.html', 1280, 800],
  ] as const) {
    const page = await open(file(name), { width, height, isStill: true });
    for (let step = 0; step < 8; step++) {
      assert.equal(await page.evaluate(COVERED), [], `${name} at ${width}, step ${step}`);
      await page.keyboard.press('ArrowRight');
    }
  }
});

inBrowser('letters of the charts of a replay have one size in a narrow and in a wide column', async (open) => {
  const page = await open();
  for (const width of [390, 880, 1280, 1920]) {
    await page.setViewport({ width, height: 1080 });
    await page.open(file('game.html'));
    await page.untilThere('#chart canvas');
    // Also where the window changes later.
    for (const now of [width, 700]) {
      await page.setViewport({ width: now, height: 1080 });
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
      // Letters are drawn in pixels of the screen: the picture is not scaled, and fills its column.
      const scaleAndRoom = await page.evaluate(
        `(({ width, clientWidth }, { clientWidth: room }) =>
          [Number((width / clientWidth / devicePixelRatio).toFixed(2)), room - clientWidth])(
          document.querySelector('#chart canvas'), document.querySelector('#chart'))`,
      );
      assert.equal(scaleAndRoom, [1, 0], `${width}, ${now}`);
    }
  }
});

inBrowser('wheel, keys, buttons and a drag zoom and move the board', async (open) => {
  const page = await open(file('game.html'), { height: 800 });
  const viewed = async (): Promise<string> => (await sizesOn(page)).view;
  const whole = await sizesOn(page);
  assert.is(zoomOf(whole.view), 1000);
  await page.mouse.move(400, 400);
  await page.mouse.wheel({ deltaY: -240 });
  await page.untilThere('#board.zoomed');
  const wheeled = await sizesOn(page);
  assert.ok(zoomOf(wheeled.view) < 700, wheeled.view);
  assert.ok(Math.abs(wheeled.name - whole.name) < 0.01, 'names keep their size');
  // A drag moves the board, and is no click on a unit.
  await page.mouse.down();
  await page.mouse.move(300, 350, { steps: 4 });
  await page.mouse.up();
  const dragged = await viewed();
  assert.is.not(dragged, wheeled.view);
  assert.is(await page.count('#only:not([hidden])'), 0);
  await page.keyboard.down('Shift');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.up('Shift');
  assert.ok(Number.parseFloat(await viewed()) < Number.parseFloat(dragged));
  await page.click('button[aria-label="Move down"]');
  const moved = await viewed();
  for (const key of ['a', 'e', 'Tab'] as const) await page.keyboard.press(key);
  assert.is(await viewed(), moved);
  await page.keyboard.press('0');
  assert.is(await viewed(), whole.view);
  await page.click('button[aria-label="Zoom in"]');
  await page.keyboard.press('+');
  assert.ok(zoomOf(await viewed()) < 450);
  await page.keyboard.press('-');
  await page.click('button[aria-label="Whole board"]');
  assert.is(await viewed(), whole.view);
  assert.match(await page.text('#phase'), /^Spring 1901/);
});

inBrowser('on a phone a pinch makes names readable and units whole', async (open) => {
  for (const name of ['game.html', 'asia.html']) {
    const page = await open(file(name), { width: 390, height: 844, isPhone: true });
    const { over, far } = await sizesOn(page);
    assert.equal([over, far], [0, true]);
    const client = await page.createCDPSession();
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...across: number[]): Promise<unknown> =>
      client.send('Input.dispatchTouchEvent', { type, touchPoints: across.map((x, id) => ({ x, y: 200, id })) });
    await touch('touchStart', 160);
    await touch('touchStart', 160, 220);
    for (let step = 1; step <= 10; step++) await touch('touchMove', 160 - 3 * step, 220 + 3 * step);
    await touch('touchEnd');
    await page.untilThere('#board.zoomed');
    const after = await sizesOn(page);
    assert.ok(after.name >= 8, `${name}: names of ${after.name} px`);
    assert.not(after.far);
    assert.is(await page.evaluate('visualViewport.scale'), 1);
  }
});

inBrowser('orders and board mark each other, and a power or a unit filters, in the address too', async (open) => {
  const page = await open(`${file('game.html')}#F1901M`);
  await page.untilText('#phase', 'Fall 1901: orders');
  const all = await page.count('#orders tr');
  assert.is(dumbbots(1).phases.find(({ phase }) => phase === 'F1901M')?.orders.length, all);
  const unit = await page.attribute('#orders tr', 'data-unit');
  const power = await page.attribute('#orders tr', 'data-power');
  await page.focus('#orders tr button');
  assert.is(await page.count(`#board .unit.marked[data-unit="${unit}"][data-power="${power}"]`), 1);
  await page.hover('#board .unit[data-power="TURKEY"]');
  assert.equal(await page.attributes('#orders tr.marked', 'data-power'), ['TURKEY']);
  await page.click('#powers button:nth-child(3)');
  assert.is(await page.text('#orders h3'), 'France');
  assert.ok((await page.count('#orders tr')) < all);
  assert.is(await page.count('#board .unit.faint[data-power=FRANCE]'), 0);
  assert.ok((await page.count('#board .order.faint')) > 5);
  assert.match(page.url(), /#F1901M&only=FRANCE$/);
  await page.reloadBoard();
  await page.untilText('#only', 'Only France');
  await page.keyboard.press('ArrowLeft');
  assert.match(page.url(), /#F1901M&at=position&only=FRANCE$/);
  await page.click('#only button');
  assert.match(page.url(), /#F1901M&at=position$/);
  // A unit is followed where it goes.
  await page.setHash(`#F1901M&only=${encodeURIComponent(`${power} ${unit}`)}`);
  await page.untilText('#only', `Only ${unit}`);
  assert.ok((await page.texts('#orders td:first-child')).every((text) => text.includes(unit.slice(2, 5))));
  await page.keyboard.press('ArrowRight');
  assert.is(await page.count('#only:not([hidden])'), 1);
  // The chart says what it shows.
  await page.hover('#chart .u-over');
  assert.match(await page.text('#counted'), /^(Spring|Fall|Winter) 190\d.*: \p{L}+ \d+, /u);
  assert.match(await page.attribute('#chart [role=slider]', 'aria-valuetext'), /France \d/);
  assert.match(await page.attribute('#chart [role=slider]', 'aria-label'), /; 18 win$/);
  // Each power has its colour, dark as the page is; that of the others is faint while one is shown alone. Equal lines hide
  // parts of each other.
  await page.click('#only button');
  const colours = (): Promise<unknown[]> =>
    Promise.all(standard.powerNames.map((_, q) => hasColour(page, '#chart canvas', '--power', `.p${q}`)));
  for (const theme of ['dark', 'light']) {
    await page.prefer({ 'color-scheme': theme });
    const found = await colours();
    assert.ok(found.filter(Boolean).length > 4, `${theme}: ${found}`);
  }
  await page.setHash('#F1901M&only=FRANCE');
  await page.untilText('#only', 'Only France');
  assert.equal(await colours(), [false, false, true, false, false, false, false]);
});

/** Writes a replay with weighed orders and an agent of a long name, and returns its address. */
const writeOpenPage = (): string => {
  const long = `search:${Array.from({ length: 60 }, (_, i) => `option${i}=0.25`).join(':')}`;
  return `${writeWeighed('open.html', 'T', long)}#S1901M`;
};

inBrowser('a step leaves what is open and where the list was', async (open) => {
  const page = await open(writeOpenPage(), { height: 620 });
  await page.untilText('#phase', 'Spring 1901: orders');
  await page.click('#orders summary');
  await page.evaluate("document.querySelector('#orders').scrollTop = 60");
  await page.keyboard.press('ArrowRight');
  assert.is(await page.count('#orders details[open]'), 1);
  assert.is(await page.$eval('#orders', (list) => list.scrollTop), 60);
  // Names of agents do not make a phone's page wider.
  await page.setViewport({ width: 390, height: 844 });
  assert.is(await page.width(), 390);
  // Printed with everything but what one clicks.
  await page.emulateMediaType('print');
  const printed = await page.evaluate(`[
    document.querySelector('#powers .agent').checkVisibility(),
    document.querySelector('#play').checkVisibility(),
    getComputedStyle(document.querySelector('#board .texture')).display === 'none',
    getComputedStyle(document.body).backgroundColor,
  ]`);
  assert.equal(printed, [true, false, false, 'rgba(0, 0, 0, 0)']);
});

inBrowser('a page follows the dark switch of the site that it lies on, also when it is turned later', async (open) => {
  mkdirSync(join(place, 'hosted'));
  cpSync(join(place, 'game.html'), join(place, 'hosted/index.html'));
  writeFileSync(join(place, 'hosted/other.html'), '<link rel="icon" href="data:,">');
  const { address } = await serveFolder(join(place, 'hosted'));
  const [page, other] = [await open(), await open(`${address}other.html`)];
  const colours = (): Promise<unknown> =>
    page.evaluate(`[getComputedStyle(document.body).backgroundColor,
      getComputedStyle(document.querySelector('#board .province.sea')).fill].join()`);
  const turn = async (theme: string): Promise<void> => {
    await other.evaluate(`localStorage.setItem('vitepress-theme-appearance', '${theme}')`);
    await page.bringToFront();
    await page.until(`localStorage.getItem('vitepress-theme-appearance') === '${theme}'`);
  };
  await page.prefer({ 'color-scheme': 'dark' });
  await page.open(address);
  const dark = await colours();
  await turn('light');
  await page.until("getComputedStyle(document.documentElement).colorScheme === 'light'");
  const light = await colours();
  assert.is.not(light, dark);
  await page.prefer({ 'color-scheme': 'light' });
  await turn('dark');
  await page.reloadBoard();
  assert.is(await colours(), dark);
  await turn('auto');
  await page.until("document.documentElement.style.colorScheme === ''");
  assert.is(await colours(), light);
});

inBrowser('messages are beside the orders, filtered by power, and hostile ones are text', async (open) => {
  const { phases, ...record } = dumbbots(1);
  const message = { phase: 'S1901M', round: 1, sender: 'FRANCE', recipients: ['ITALY', 'RUSSIA'], time_sent: 1 };
  const messages = [
    { ...message, text: HOSTILE },
    { ...message, sender: 'TURKEY', recipients: ['GLOBAL'], time_sent: 3, text: 'Hello.', content: { a: HOSTILE } },
  ];
  const told = [{ ...phases[0], messages }, ...phases.slice(1)];
  const address = `${writeReplay('press.html', { ...record, phases: told }, { title: 'Press' })}#S1901M`;
  const page = await open(address);
  await page.untilText('#phase', 'Spring 1901: orders');
  const heads = (): Promise<string[]> => page.texts('#messages b');
  assert.equal(await heads(), ['France to Italy, Russia, round 1', 'Turkey to all, round 1']);
  assert.equal(await page.texts('#messages span'), [HOSTILE, 'Hello.']);
  assert.is(await page.text('#messages code'), JSON.stringify({ a: HOSTILE }));
  await page.select('#reader', 'ENGLAND');
  assert.equal(await heads(), ['Turkey to all, round 1']);
  await page.select('#reader', 'RUSSIA');
  assert.is((await heads()).length, 2);
  await page.setHash('#F1901M');
  await page.untilText('#phase', 'Fall 1901: orders');
  assert.equal(await heads(), []);
  assert.equal([await page.evaluate('window.hacked'), page.requests], [undefined, [address]]);
  await page.open(file('game.html'));
  await page.untilText('#phase', 'Spring 1901');
  assert.is(await page.count('#press[hidden]'), 1);
});

/** Filters the games of a run of 512, shows all again, and turns a page. */
const tryFilters = async (page: TestPage): Promise<void> => {
  const lastColumn = async (): Promise<number[]> => (await page.texts('#games td:last-child')).map(Number);
  await page.fill('#owner', 'TURKEY');
  await page.fill('#centers-from', '6');
  await page.until("!document.querySelector('#found').textContent.includes('512')");
  const turkey = await lastColumn();
  assert.ok(turkey.length > 0 && turkey.every((n) => n >= 6), turkey.join());
  assert.match(page.url(), /#owner=TURKEY&centers-from=6/);
  await page.click('#reset');
  await page.untilText('#found', 'of 512 games');
  await page.click('#older');
  await page.untilText('#found', '51 to 100 of 512');
  assert.is(await page.text('#games tr:first-child a'), 'game 50');
  await page.press('#games-heads th:last-child button');
  await page.untilText('#found', '1 to 50');
  await page.until("document.querySelector('#games a').textContent !== 'game 0'");
  const sorted = await lastColumn();
  assert.ok(sorted[0] > 5 && sorted.every((n, i) => i === 0 || n <= sorted[i - 1]), sorted.join());
  await page.press('#games-heads th:first-child button');
  await page.untilText('#games', 'game 49');
  await page.click('#older');
  await page.untilText('#found', '51 to 100 of 512');
  assert.is((await page.count('#centers .square')) % 7, 0);
};

/** Opens the first game of the list, takes a position to the editor, and comes back. */
const followGame = async (page: TestPage): Promise<void> => {
  await page.click('#games tr:first-child a');
  await page.untilText('#phase', 'Spring 1901');
  assert.is((await page.units()).length, 22);
  const links = ['Game 49', 'Game 51', 'Edit this position', 'Play on from here', 'Compare agents'];
  assert.equal((await page.texts('nav a')).slice(2), links);
  await page.fill('#at', '3');
  // Units that fade out are gone.
  await page.until("![...document.querySelectorAll('.unit')].some((unit) => unit.style.opacity === '0')");
  const there = await page.units();
  await page.click('#edit');
  await page.untilThere('#outcome');
  await page.untilThere('#board .unit');
  assert.equal(await page.units(), there);
  assert.ok((await page.count('#board .order')) > 10);
  await page.goBack();
  await page.untilText('#phase', '190');
};

inBrowser('a running run is followed, hostile names are text', async (open) => {
  const run = join(place, 'runs', 'so <b>bold<');
  mkdirSync(run);
  // Its check would say that something in it has changed.
  const { check: _, ...manifest } = JSON.parse(readFileSync(join(place, 'whole/manifest.json'), 'utf8'));
  manifest.agents[1] = HOSTILE;
  writeFileSync(join(run, 'manifest.json'), JSON.stringify(manifest));
  const copy = (shard: string): void => {
    for (const name of [`${shard}.lep`, `${shard}.table`]) cpSync(join(place, 'whole', name), join(run, name));
  };
  copy('games-00000');
  const address = await view('runs');
  const page = await open(address);
  assert.equal((await page.texts('#runs td:first-child')).sort(), ['bots', 'so <b>bold<']);
  assert.match(await page.text('#runs tr[data-state=running]'), /256 of 512 games/);
  assert.match(await page.text('#runs'), HOSTILE);
  await page.setViewport({ width: 375, height: 740 });
  assert.is(await page.width(), 375);
  await page.setViewport({ width: 1280, height: 900 });
  await page.fill('#wanted', 'dumbbot');
  assert.equal(await page.texts('#runs td:first-child'), ['bots']);
  await page.fill('#wanted', '');
  await page.click('#runs tr[data-state=running] a');
  await page.untilText('#state', '256 of 512 games, running');
  await page.untilText('#found', '1 to 50 of 256 games');
  assert.is(await page.text('#scores tr:nth-child(2) td:nth-child(2)'), HOSTILE);
  // News leave what they do not change, so that a click is not lost.
  await page.evaluate("window.link = document.querySelector('#games a')");
  copy('games-00001');
  await page.untilText('#state', '512 of 512 games, complete');
  await page.untilText('#found', '1 to 50 of 512 games');
  assert.equal(await page.evaluate('[window.link.isConnected, window.hacked === undefined]'), [true, true]);
  assert.is(await page.count('img, b b'), 0);
  await tryFilters(page);
  await followGame(page);
  assert.equal(page.requestsBeyond(address), []);
  assert.equal(page.errors, []);
  // The server goes, and the page says so.
  await page.goBack();
  await page.untilText('#state', '512');
  killRunning();
  await page.untilThere('#lost:not([hidden])');
  page.errors.splice(0);
});

/** Plays a gate into lists/gate, unless it is there. */
const playGate = (): void => {
  const gate = 'arena --gate random --against hold --games 7 --looks 1 --until 1901 --seed 1 --workers 1 --quiet';
  runLepanto([...gate.split(' '), '--out', 'lists/gate'], { cwd: place });
};

inBrowser('lists sort, and cells of an arena lead to its games', async (open) => {
  playGate();
  cpSync(join(place, 'whole'), join(place, 'lists/many'), { recursive: true });
  cpSync(join(place, 'runs/bots'), join(place, 'lists/few'), { recursive: true });
  const page = await open(await view('lists'));
  for (const wanted of ['many few', 'few many']) {
    await page.press('#runs-heads th:nth-child(3) button');
    assert.is(await page.text('#runs td:first-child'), wanted);
  }
  assert.is(await page.attribute('#runs-heads th:nth-child(3)', 'aria-sort'), 'ascending');
  // What is shown is downloaded, as a file of the browser.
  const csvOf = async (table: string): Promise<string[]> => {
    await page.evaluate(`window.saved = new Promise((resolve) => {
      URL.createObjectURL = (blob) => { resolve(blob.text()); return 'data:,'; };
      HTMLAnchorElement.prototype.click = () => {};
    });
    document.getElementById(${JSON.stringify(table)}).closest('figure').querySelector('.above button').click()`);
    return String(await page.evaluate('window.saved'))
      .trim()
      .split('\r\n');
  };
  const [head, few, many] = await csvOf('runs');
  assert.is(head, 'Run,Agents,Games,State,Score of a seat,Seed,Played by,Changed');
  assert.match(`${few}|${many}`, /^few,dumbbot,2,complete,.*\|many,random,512,complete,/);
  await page.untilText('#runs', 'dumbbot 0.143');
  await page.untilText('#arenas', '14');
  assert.is(await page.text('#arenas td:first-child'), 'gate');
  await page.click('#arenas a');
  await page.untilThere('#gates figure');
  assert.match(await page.text('.told'), /^7 pairs of games: random gain .* ± .*, p = /);
  assert.ok(await hasColour(page, '#gates canvas', '--ink', '#gates .c0'));
  await page.focus('#gates [role=slider]');
  await page.keyboard.press('Home');
  assert.match(await page.text('.told'), /^2 pairs of games/);
  // On A4 with margins, tables are whole: nothing scrolls on paper.
  await page.emulateMediaType('print');
  await page.setViewport({ width: 718, height: 1000 });
  const printed = await page.evaluate(
    "[...new Set([...document.querySelectorAll('.wide')].map((one) => getComputedStyle(one).overflowX))].join()",
  );
  assert.equal([await page.width(), printed], [718, 'visible']);
  await page.emulateMediaType();
  await page.setViewport({ width: 1280, height: 900 });
  // Cells are shaded, intervals drawn, powers have their names and colours; nothing is spelt "+-".
  const arenas = await page.text('#arenas, #gates');
  assert.not.match(arenas, /\+-|AUSTRIA/);
  assert.match(arenas, /random against 6 hold.*hold against 6 random/s);
  for (const [drawn, least] of Object.entries({ 'td.shade': 7, '.interval': 2, '.swatch': 7 }))
    assert.ok((await page.count(`#arenas ${drawn}`)) >= least, drawn);
  await page.press('#rows-heads th:nth-child(3) button');
  await page.untilThere('#rows-heads [aria-sort]');
  await new Promise((resolve) => setTimeout(resolve, 500));
  const scores = (await page.texts('#rows td:nth-child(3)')).map(Number);
  assert.equal(
    scores,
    scores.toSorted((a, b) => a - b),
  );
  assert.is((await csvOf('rows')).length, 15);
  await page.press('#arenas figure:nth-of-type(2) tr:nth-child(3) a');
  await page.untilText('#about', 'as France');
  await page.press('#rows a');
  await page.untilText('#phase', 'Spring 1901');
});

/** Opens the position editor at a position; without one it has the start. */
const openEditor = async (open: Open, position?: object): Promise<TestPage> => {
  const address = `${await view('runs')}board`;
  return open(position === undefined ? address : withJson(address, position), { width: 1400 });
};

/** Starts a search of the editor, for one power or for all. */
const search = async (page: TestPage, rollouts: string, power = ''): Promise<void> => {
  await page.fill('#rollouts', rollouts);
  await page.fill('#seek', power);
  await page.press('#search');
};

inBrowser('the editor adjudicates a case of DATC as it should, in the page', async (open) => {
  const page = await openEditor(open);
  assert.is((await page.units()).length, 22);
  const row = loadCases('datc-3.2.json').find(({ id }) => id === '6.F.14');
  if (row === undefined) throw new Error('there is no case 6.F.14');
  const ordered: Record<string, string[]> = {};
  for (const [power, order] of row.orders) if (order !== null) ordered[power] = [...(ordered[power] ?? []), order];
  await page.fill('#json', JSON.stringify({ phase: 'S1901M', units: row.units, orders: ordered }));
  await page.press('#read');
  assert.is(await page.count('#board .order'), row.orders.length);
  // Printed with its orders.
  await page.emulateMediaType('print');
  assert.ok(await page.evaluate("document.querySelector('#units select').checkVisibility()"));
  await page.emulateMediaType();
  await page.press('#outcome');
  const results = await page.texts('#results tr td:nth-child(2)');
  assert.equal(
    (await page.texts('#results tr td:first-child'))
      .map((order, i) => `${order.slice(0, 5)} ${results[i].split(',')[0]}`)
      .sort(),
    row.orders.map(([, order, result]) => `${order?.slice(0, 5)} ${result}`).sort(),
  );
  await page.press('#ready');
  await page.until("/^(Fall|Spring 1901, retreats)/.test(document.querySelector('#phase').textContent)");
  assert.is(
    (await page.units()).filter((unit) => !unit.startsWith('*')).length,
    Object.values(row.after).flat().length + Object.keys(row.dislodged ?? {}).length,
  );
  assert.equal(page.requests, [page.url().split('#')[0], page.url().replace(/board.*$/, 'board-page.js')]);
});

inBrowser('the editor takes units, centres and orders by clicks, other rules and maps, and searches', async (open) => {
  const page = await openEditor(open);
  await page.press('#clear');
  for (const [power, type, ...tags] of ['FRANCE A PAR MAR', 'RUSSIA F STP', 'GERMANY A MUN'].map((row) =>
    row.split(' '),
  )) {
    await page.fill('#owner', power);
    await page.fill('#type', type);
    await page.clickProvinces(...tags);
  }
  assert.equal(await page.units(), ['A MAR FRANCE', 'A MUN GERMANY', 'A PAR FRANCE', 'F STP/NC RUSSIA']);
  await page.clickProvinces('NTH');
  assert.match(await page.text('#trouble'), /NTH/);
  await page.press('#mode-centers');
  await page.fill('#owner', 'FRANCE');
  await page.clickProvinces('PAR');
  await page.press('#mode-orders');
  await page.clickProvinces('PAR', 'BUR', 'MAR', 'PAR', 'BUR', 'MUN', 'BUR');
  assert.is(await page.value('#orders'), 'A PAR - BUR\nA MAR S A PAR - BUR\nA MUN - BUR');
  // An order takes the place of what was written for its unit, in whatever words.
  await page.fill('#orders', 'Army Marseilles to Spain\nParis -> Burgundy\nGERMANY: Munich-Burgundy');
  await page.clickProvinces('MAR', 'PAR', 'BUR');
  assert.is(await page.value('#orders'), 'Paris -> Burgundy\nGERMANY: Munich-Burgundy\nA MAR S A PAR - BUR');
  await page.press('#outcome');
  assert.equal(await page.texts('#results td'), [
    ...['A PAR - BUR', 'succeeds', 'A MAR S A PAR - BUR', 'given'],
    ...['A MUN - BUR', 'fails, bounced with A PAR', 'F STP/NC (no order)', 'stands'],
  ]);
  const answer = JSON.parse(runLepanto(['adjudicate'], { input: await page.value('#json') }).out);
  assert.equal(answer.units.FRANCE, ['A BUR', 'A MAR']);
  await search(page, '200', 'FRANCE');
  await page.untilText('#searched', 'rollouts of');
  assert.match((await page.texts('#found li'))[0], /^\d+\.\d %, value \d\.\d{3}( ± \d\.\d{3})?: [AF] /);
  assert.equal((await page.texts('#found h3')).slice(0, 2), ['France', 'Germany (expected replies)']);
  await page.press('#found summary');
  await page.untilThere('#found figure');
  assert.ok((await page.count('#found .legend i')) >= 5);
  assert.match(await page.text('#found .told'), / rollouts: 1 \d\.\d{4}/);
  // A long one shows what it has found, is stopped, and leaves the server to the next one.
  await search(page, '1000000');
  await page.untilThere('#found li');
  assert.ok(Number(await page.value('#progress')) < 1);
  await page.press('#halt');
  await page.untilText('#searched', 'Stopped: ');
  assert.ok((await page.count('#found li')) > 5);
  await search(page, '200');
  await page.until("/^\\d+ rollouts/.test(document.getElementById('searched').textContent)");
  const [first] = await page.texts('#found li');
  await page.press('#found li button');
  for (const order of first.replace(/^.*?: | Use$/g, '').split(', '))
    assert.match(await page.value('#orders'), order, first);
  await page.fill('#rules', 'nonsense');
  assert.match(await page.text('#trouble'), /got preset "nonsense"/);
  await page.fill('#rules', '1971');
  await page.fill('#map', 'ancmed');
  assert.is((await page.units()).length, 15);
  assert.is(await page.count('#trouble[hidden]'), 1);
});

inBrowser('clicks in the editor are never stuck, and nothing is lost', async (open) => {
  const page = await openEditor(open);
  const written = (): Promise<string> => page.value('#orders');
  // After a unit and a target that is not yet all, another unit takes over.
  await page.clickProvinces('ROM');
  assert.equal((await page.attributes('#board .target', 'data-province')).sort(), ['APU', 'NAP', 'TUS', 'VEN']);
  assert.equal(await page.attributes('#board .helped', 'data-province'), ['TRI']);
  // The second click moves, also where a unit is, the third one supports that unit, and a fourth one moves again.
  for (const order of ['A ROM - VEN', 'A ROM S A VEN', 'A ROM - VEN']) {
    await page.clickProvinces('VEN');
    assert.is(await written(), order);
  }
  await page.fill('#orders', '');
  await page.clickProvinces('PAR', 'BUR');
  assert.is(await written(), 'A PAR - BUR');
  // With Shift a unit is supported at once; Escape, Cancel and an adjudication give up.
  await page.clickProvinces('ROM');
  await page.press('#board .province[data-province="VEN"]', { shiftKey: true });
  await page.clickProvinces('VEN');
  assert.is(await written(), 'A PAR - BUR\nA ROM S A VEN');
  for (const giveUp of [
    () => page.keyboard.press('Escape'),
    () => page.press('#choices button:last-child'),
    () => page.press('#outcome'),
  ]) {
    await page.clickProvinces('ROM');
    await giveUp();
    assert.match(await page.text('#told'), /^All powers: click or tap a unit/);
    assert.is(await page.count('#choices button, #board .target'), 0);
  }
  // Lines of no power are told, and given to none.
  const lines = 'nonsense\nA RUH - BUR\nA PAR - BUR';
  await page.fill('#orders', lines);
  assert.match(
    await page.text('#unread'),
    /^Not read: nonsense: got .*\nNot read: A RUH - BUR: nothing to order in RUH$/,
  );
  assert.match(await page.value('#json'), '"orders":{"FRANCE":["A PAR - BUR"]}');
  // All of it is undone and redone, and is there after a reload.
  await page.press('#mode-units');
  await page.fill('#owner', 'TURKEY');
  await page.clickProvinces('SYR');
  await page.press('#mode-centers');
  await page.clickProvinces('GRE');
  await page.fill('#map', 'ancmed');
  assert.match(await page.text('#told'), /The start of ancmed\. Undo brings back/);
  for (const count of [15, 23, 23, 22]) {
    assert.is((await page.units()).length, count);
    await page.press('#undo');
  }
  for (let i = 0; i < 3; i++) await page.press('#redo');
  assert.ok((await page.units()).includes('A SYR TURKEY'));
  // Not the address before, which has GREECE.
  await page.until('decodeURIComponent(location.hash).includes(\'"GRE"\')');
  const edited = async (): Promise<string> => [...(await page.value('#json'))].sort().join('');
  const before = await edited();
  await page.reloadBoard();
  assert.equal([await edited(), await written()], [before, lines]);
});

inBrowser('a winter in the editor has builds by clicks and civil disorder, and ends what was found', async (open) => {
  const units = { FRANCE: ['A GAS'], AUSTRIA: ['A VIE', 'A TYR'] };
  const centers = { FRANCE: ['PAR', 'BRE', 'MAR'], AUSTRIA: ['VIE'] };
  const page = await openEditor(open, { phase: 'W1901A', units, centers });
  for (const [tag, text] of [
    ['PAR', 'A PAR B'],
    ['BRE', 'A PAR B\nA BRE B'],
    ['BRE', 'A PAR B\nF BRE B'],
    ['BRE', 'A PAR B'],
  ]) {
    await page.clickProvinces(tag);
    assert.is(await page.value('#orders'), text);
  }
  await search(page, '100');
  await page.untilThere('#found li');
  await page.press('#outcome');
  assert.match(await page.text('#results'), /A (VIE|TYR) \(no order\)fails, civil disorder/);
  assert.is(await page.count('#board .mark[data-power=AUSTRIA][data-kind=none][data-result=fails]'), 1);
  await page.press('#ready');
  await page.until("document.querySelectorAll('#found li').length === 0");
});

inBrowser('the position of a run is edited on its own map, by its own rules', async (open) => {
  const rows = { ...standard.rows, name: 'mine', powers: standard.rows.powers.slice(0, 3) };
  mkdirSync(join(place, 'own'));
  writeFileSync(join(place, 'mine.json'), JSON.stringify({ format: 'lepanto-map', version: 1, ...rows }));
  const run = 'selfplay --games 1 --until 1901 --agents random --seed 3 --quiet';
  lepanto(...`${run} --map mine.json --rules 1971 --out own/run`.split(' '));
  const page = await open(`${await view('own')}replay?run=run&game=0`, { width: 1400 });
  await page.untilText('#phase', 'Spring 1901');
  await page.press('#edit');
  await page.untilThere('#outcome');
  await page.untilThere('#board .unit');
  assert.equal([await page.value('#rules'), await page.value('#map')], ['1971', 'mine']);
  assert.is(await page.count('#trouble:not([hidden])'), 0);
  assert.is((await page.units()).length, 9);
  await search(page, '100');
  await page.untilThere('#found li');
});

inBrowser('two agents are compared over a run, and side by side in its phases', async (open) => {
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

  const address = await view('runs');
  const page = await open(`${address}run?run=bots`, { height: 800 });
  const differences = (): Promise<string[]> => page.texts('#differences li');
  assert.is(await page.attribute('#compared a', 'href'), wanted);
  await page.open(address + wanted);
  await page.untilText('#answers', 'Answers 4 of 4.');
  const [head, ...lines] = await differences();
  assert.match(head, /^dumbbot and reply:plans=4 differ in \d+ % of their orders$/);
  assert.match(lines.join('\n'), /^only (dumbbot|reply:plans=4): [AF] [A-Z/]+ .* \d+ %$/m);
  assert.equal(await page.texts('.column h3'), [powerTitle(power), powerTitle(power)]);
  assert.match((await page.texts('.column ol li'))[0], /^\d+ %, value \d\.\d{3,} ± \d\.\d{3,}: [AF] /);
  assert.match(
    (await page.texts('.column p'))[1],
    /^value of the likeliest orders: .*; different answers: \d of 4; .* ms an answer$/,
  );
  // All powers: the page says what the command does, and lines are as wide as orders are frequent.
  await page.select('#power', '');
  await page.untilText('#answers', 'Answers 4 of 4.');
  assert.match((await differences())[0], `differ in ${Math.round(100 * distance)} % of`);
  const drawn = await page.$$eval('.column:last-child .order[data-kind=move]', (shapes) =>
    shapes.map((shape) => [
      Number(/(\d+) %/.exec(shape.querySelector('title')?.textContent ?? '')?.[1]),
      Number(shape.querySelector('path[class^=a]')?.getAttribute('stroke-width')),
    ]),
  );
  const shares = new Set(drawn.map(([share]) => share));
  assert.ok(shares.size > 1 && shares.has(100), JSON.stringify(drawn));
  for (const [share, width] of drawn) assert.ok(Math.abs(width - 3 * (0.2 + 0.016 * share)) < 0.1, `${share} ${width}`);
  await page.press('#likeliest');
  assert.ok((await page.count('.column .order[data-result]')) > 20);
  // Other agents, by name; those that are none are named, and nothing in an address is more than text.
  const turnTo = (value: object): Promise<unknown> => page.setHash(withJson('', value));
  await turnTo({ agents: ['hold', HOSTILE, 'exec:touch hacked'], power: 'ITALY', samples: 1, orders: 'A VEN - TRI' });
  await page.untilText('#answers', 'Answers 1 of 1.');
  const facts = await page.texts('.column p');
  assert.match(facts[1], /^agent: got "<img/);
  assert.match(facts[2], /^agent: got "exec/);
  await page.fill('#compared', 'greedy');
  await page.press('#compare');
  await page.untilText('#answers', 'Answers 1 of 1.');
  assert.match((await differences())[0], /^hold and greedy differ in \d+ %/);
  await page.select('#replies', 'written');
  await turnTo({ agents: [HOSTILE], samples: 1 });
  await page.untilText('.column p', 'agent: got');
  await page.untilText('#answers', 'Answers 1 of 1.');
  for (const wrong of ['%', JSON.stringify({ phase: HOSTILE, units: {} }), JSON.stringify({ map: HOSTILE })]) {
    await page.goto('about:blank');
    await page.goto(`${address}compare#${wrong}`);
    await page.untilThere('#trouble:not([hidden])');
    await page.untilThere('.column .unit');
    assert.is(await page.count('.column:first-child .unit'), 22, wrong);
  }
  assert.equal([await page.count('img'), await page.evaluate('window.hacked')], [0, undefined]);
  assert.not(existsSync(join(place, 'hacked')));
  // From a replay the position comes along.
  await page.goto(`${address}replay?run=bots&game=1#F1902M`);
  await page.until("document.querySelector('#compare')?.hash.length > 200");
  assert.match(decodeURIComponent(await page.attribute('#compare', 'href')), /^compare\?run=bots#\{.*F1902M/);
});

inBrowser('axe finds nothing on any page, in the light and in the dark', async (open) => {
  playGate();
  const address = await view('.');
  lepanto(...'search --start --rollouts 100 --seed 1 --workers 1 --quiet --top 2 --html axe-search.html'.split(' '));
  const ofView = 'board|play|compare#{"samples":2}|run?run=whole|replay?run=whole&game=0#F1901M|arena?run=lists%2Fgate';
  const all = [`${file('game.html')}#F1902M`, writeOpenPage(), file('axe-search.html'), address];
  all.push(...ofView.split('|').map((path) => address + path));
  const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  const page = await open(undefined, { height: 800 });
  /** What axe finds; in the dark only about colours, which alone are others there. */
  const findings = (theme: string): Promise<unknown> =>
    page.evaluate(`axe.run(${theme === 'dark' ? "{ runOnly: ['color-contrast'] }" : ''}).then(({ violations }) =>
      violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 120)).join(' | ')))`);
  const show = async (one: string, theme: string): Promise<void> => {
    await page.prefer({ 'color-scheme': theme });
    await page.goto('about:blank');
    await page.open(one);
    await page.untilThere('h1');
    // The policy of a page lets nothing in; a debugger may.
    await page.evaluate(axe);
  };
  for (const theme of ['light', 'dark'])
    for (const one of all) {
      await show(one, theme);
      await page.until("!document.querySelector('#state, #answers, #phase')?.textContent.includes('…')");
      await page.until("!document.querySelector('#reading:not([hidden])')");
      assert.equal(await findings(theme), [], `${one} ${theme}`);
      // Every page shows its keys.
      await page.keyboard.press('?');
      assert.is(await page.count('#keys[open], .keys[open]'), 1, one);
      assert.equal(await findings(theme), [], `keys of ${one} ${theme}`);
    }
  // The sections of the board in a spring, in retreats and in a winter, with illegal orders and what goes wrong.
  const centers = { FRANCE: ['PAR', 'BRE', 'MAR'], RUSSIA: ['MOS'] };
  const winter = { phase: 'W1901A', units: { FRANCE: ['A SPA'], RUSSIA: ['A UKR', 'A FIN'] }, centers };
  const retreats = { FRANCE: { 'A BUR': ['GAS', 'PAR'] } };
  const retreat = { phase: 'F1901R', units: { FRANCE: ['A SPA'], GERMANY: ['A BUR'] }, centers, retreats };
  const press = { ...formatPosition(newGame()), rounds: 1 };
  const states: readonly (readonly [name: string, reach: () => Promise<unknown>])[] = [
    ['orders', () => page.fill('#orders', 'F LON - MUN\nnonsense\nA PAR B\nA BRE B\nA MAR B\nA BUR - MUN')],
    ['a chosen unit', () => page.press('#units button')],
    ['outcome', () => page.press('#outcome')],
    ['game', () => page.press('#to-game')],
    ['setup', () => page.press('#to-setup')],
    ['an error', () => page.fill('#map', 'nowhere')],
    ['messages', () => page.press('#to-messages')],
    ['a message', () => page.fill('#message', 'Hello').then(() => page.press('#send'))],
    ['keys', () => page.keyboard.press('?')],
  ];
  for (const theme of ['light', 'dark']) {
    for (const position of [press, retreat, winter]) {
      await show(withJson(`${address}board`, position), theme);
      // What is the same in all phases is looked at in one.
      for (const [state, reach] of position === press ? states : states.slice(0, 3)) {
        await reach();
        assert.equal(await findings(theme), [], `${state} in ${position.phase}, ${theme}`);
      }
    }
    await page.press('#to-analysis');
    await page.untilText('#searched', 'rollouts of');
    await page.press('#found summary');
    assert.equal(await findings(theme), [], `analysis, ${theme}`);
  }
});

inBrowser('the page of a search adjudicates the order sets that are chosen', async (open) => {
  const set = (...texts: string[]): RankedRecord => ({
    ...{ orders: texts, probability: 0.5, value: 0.2, error: 0.01, rollouts: 9 },
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
  writeFileSync(join(place, 'search.html'), pageDocument(searchPage(newGame(map, rules.adjudication), rules, record)));
  const page = await open(file('search.html'));
  await page.untilThere('#found li');
  assert.equal(await page.texts('#found h3'), ['France', 'Germany (expected replies)']);
  assert.equal(await page.texts('#found li i'), ['(invalid: order was A MAR - SPA)']);
  const told = async (): Promise<string[]> => (await page.texts('#results tr')).slice(6, 12);
  const take = (list: number, line: number): Promise<unknown> =>
    page.press(`#found ol:nth-of-type(${list}) li:nth-child(${line}) button`);
  assert.equal(await told(), [
    'A PAR - BURsucceeds',
    'A MAR S A PAR - BURgiven',
    'F BRE - MAOsucceeds',
    'A MUN - BURfails, bounced with A PAR',
    'A BER - MUNfails, A MUN of the same power stayed',
    'F KIE - DENsucceeds',
  ]);
  await take(1, 2);
  assert.match((await told()).join('; '), /A PAR S A MAR - BURinvalid, order was A MAR - SPA; .*A MUN - BURsucceeds/);
  assert.is(await page.count('#board .order[data-power=FRANCE]'), 3);
  // The pointer on a set previews it; what is used twice is taken away.
  await page.hover('#found ol:nth-of-type(1) li:nth-child(1)');
  assert.is(await page.count('#board .order[data-unit="A PAR"][data-kind="move"]'), 1);
  await page.mouse.move(5, 5);
  await take(2, 1);
  assert.is(await page.count('#board .order[data-power=GERMANY]'), 0);
  await page.fill('#orders', `${await page.value('#orders')}\nENGLAND: F LON - ENG\nA RUH H`);
  assert.is(await page.text('#unread'), 'Not read: A RUH H: nothing to order in RUH');
  await page.fill('#orders', 'ENGLAND: F LON - ENG\nBrest -> English Channel');
  const results = (await page.texts('#results tr')).join('; ');
  assert.match(results, /F LON - ENGfails, .*; F BRE - ENGfails, bounced with F LON/);
  await page.fill('#orders', '');
  await take(1, 1);
  assert.is(await page.text('#next'), 'next: Fall 1901');
  await page.prefer({ 'reduced-motion': 'reduce' });
  await page.press('#ready');
  await page.untilText('#phase', 'Fall 1901');
  assert.equal(
    (await page.units()).filter((unit) => unit.endsWith('FRANCE')),
    ['A BUR FRANCE', 'A MAR FRANCE', 'F MAO FRANCE'],
  );
  assert.equal(page.requests, [file('search.html')]);
});

pages.run();
