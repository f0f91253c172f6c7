// Plays a game: humans order by clicks, by dragging or as text, agents answer in a worker, and the engine in the page
// adjudicates. The address has the position, the orders that are written, and who plays; the browser keeps the branches.
import { type CompiledMap, newGame } from '../../../engine/internal.js';
import { type ByPower, formatPosition } from '../../../engine/notation/json/position.js';
import { type RuleSet, ruleSetByName } from '../../../engine/notation/text/index.js';
import { answeredOrders } from '../../draw/read-phase.js';
import { phaseTitle, powerTitle } from '../../draw/titles.js';
import type { AskedGame } from '../orders/asked-game.js';
import { neededOrders } from '../orders/complete-orders.js';
import { type Orderable, province } from '../orders/order-clicks.js';
import { type KeptPlay, openKept, openPlay } from '../orders/saved-play.js';
import { firstTurn, isOver, lineOver, lineTo, playTurn, storeTimeline, type Turn } from '../orders/timeline.js';
import { orderablesIn, positionIn, readWrittenPosition, type WrittenPosition } from '../orders/written-position.js';
import type { PositionPageData } from '../page-data.js';
import { pageAddress } from './address.js';
import { boardPainter } from './board-painter.js';
import { boardView } from './board-view.js';
import { glide, originsIn, spotsOn, wantsMotion } from './glide.js';
import { linkOrders } from './order-links.js';
import { orderMaker, tagAt } from './order-maker.js';
import {
  orderedIn,
  orderFor,
  readWritten,
  showUnread,
  type WrittenOrders,
  withOrder,
  withoutOrder,
} from './order-text.js';
import { button, byId, complain, control, element, onClick, pageData, say, showText, swatch, trying } from './page.js';
import { offerNames, pageMaps } from './page-maps.js';
import { AgentWorker, agentSelect, askAll, askServer } from './play-agents.js';
import { resultBlocks } from './result-list.js';

const HUMAN = 'human';
/** Who answers for a human that gives no orders. */
const STAND_IN = 'reply';
const MOST_NAME = 300;
/** Milliseconds that the orders of a phase are shown before their units move. */
const ORDERS_MS = 1500;
const KEPT = 'lepanto-play';
/** Of a saved game that is opened. */
const MOST_BYTES = 1 << 25;

const { own, ownAgents, agents: serverAgents, saves, isStatic } = pageData<PositionPageData>();
const { ownOf, mapNamed } = pageMaps(own);

// ---- the game ----

let [mapName, rulesName] = [own?.name ?? 'standard', 'datc-3.2'];
let map: CompiledMap = mapNamed(mapName);
let rules: RuleSet = ruleSetByName(rulesName);
let seed = 0;
let seats: Record<string, string> = {};
let turn: Turn = firstTurn(formatPosition(newGame(map, rules.adjudication)));
/** The orders that are being written. */
let text = '';
/** Hot seat: who has ordered in this phase, and what. */
let handed: ByPower = {};
let legal: readonly Orderable[] = [];
/** Whether the board shows the orders that led to this turn. */
let showsLast = false;
/** Ends what agents are being asked; null while nothing is. */
let asking: AbortController | null = null;
const names = [HUMAN, ...ownAgents, ...serverAgents];

const worker = new AgentWorker();
const view = boardView(byId('board'));
const draw = boardPainter(view);

const isHuman = (power: string): boolean => seats[power] === HUMAN;
const orders = (power: string): boolean => legal.some((one) => one.power === power);
/** Humans that have something to order in this phase. */
const humans = (): string[] => map.powerNames.filter((power) => isHuman(power) && orders(power));
/** Hot seat: whose turn it is; null where all humans order together. */
const player = (): string | null =>
  control('hot').checked ? (humans().find((power) => handed[power] === undefined) ?? null) : null;
const mayOrder = (power: string): boolean => {
  const one = player();
  return one === null ? isHuman(power) : power === one;
};
/** What may be ordered by clicks. */
const open = (): readonly Orderable[] => legal.filter(({ power }) => mayOrder(power));

const written = (): WrittenOrders => readWritten(map, text, turn);

const agentOf = (power: string): string => (isHuman(power) ? STAND_IN : seats[power]);

const askedGame = (): AskedGame => {
  const [start, ...later] = lineTo(turn);
  return {
    ...{ map: mapName, rules: rulesName, own: ownOf(map), seed },
    ...{ start: positionIn(start), played: later.map(({ given }) => given) },
  };
};

// ---- what is kept ----

/** The address and the one before it: a reload that is under way when it changes opens that. */
let addresses: readonly string[] = [''];

/** The game with its branches. */
const wholeGame = (): KeptPlay => ({
  ...{ map: mapName, rules: rulesName, seed, seats },
  ...{ start: positionIn(lineTo(turn)[0]), ...storeTimeline(turn) },
});

const keepBranches = (): void => {
  try {
    sessionStorage.setItem(KEPT, JSON.stringify({ addresses, ...wholeGame() }));
  } catch {
    // Full, or forbidden: then the branches last as long as the page.
  }
};
// A page that is left before that moment keeps them for the address that it has.
addEventListener('pagehide', keepBranches);

/** The branches that were kept for an address; null if there are none. */
const keptTurn = (address: string): Turn | null => {
  try {
    const whole = JSON.parse(sessionStorage.getItem(KEPT) ?? 'null') as
      | (KeptPlay & { readonly addresses: readonly string[] })
      | null;
    return whole?.addresses.includes(address) ? openKept(whole, mapNamed).turn : null;
  } catch {
    return null;
  }
};

/** Who plays, as an address says it; by default one human among bots. */
const readSeats = (value: unknown): void => {
  const said = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  const first = map.powerNames.includes('FRANCE') ? 'FRANCE' : map.powerNames[0];
  seats = Object.fromEntries(
    map.powerNames.map((power) => {
      const agent = Object.hasOwn(said, power) ? said[power] : null;
      const given = typeof agent === 'string' && agent.length <= MOST_NAME ? agent : null;
      return [power, given ?? (power === first ? HUMAN : STAND_IN)];
    }),
  );
  for (const agent of Object.values(seats)) if (!names.includes(agent)) names.push(agent);
};

const useMap = (written: Pick<WrittenPosition, 'map' | 'rules'>): void => {
  [map, rules] = [mapNamed(written.map), ruleSetByName(written.rules)];
  [mapName, rulesName] = [written.map, written.rules];
  control('map').value = mapName;
  control('rules').value = rulesName;
};

const randomSeed = (): number => crypto.getRandomValues(new Int32Array(1))[0];
const readSeed = (value: unknown): number => (Number.isInteger(value) ? Number(value) | 0 : randomSeed());

/** @throws for an address that is no game */
const readAddress = (said: Record<string, unknown>): void => {
  const before = { map: mapName, rules: rulesName, orders: '', phase: '', units: {}, centers: {}, retreats: {} };
  const position = readWrittenPosition(said, mapNamed, before);
  useMap(position);
  readSeats(said.seats);
  seed = readSeed(said.seed);
  addresses = [location.hash];
  go(keptTurn(location.hash) ?? firstTurn(position), position.orders);
};

const startGame = (): void => {
  const next = { map: control('map').value.trim(), rules: control('rules').value.trim() };
  const start = formatPosition(newGame(mapNamed(next.map), ruleSetByName(next.rules).adjudication));
  const before = map;
  useMap(next);
  readSeats(before === map ? seats : null);
  seed = randomSeed();
  go(firstTurn(start));
};

const address = pageAddress({
  said: () => {
    const shown = isOver(turn) ? (turn.parent ?? turn) : turn;
    return { map: mapName, rules: rulesName, ...positionIn(shown), orders: text, seats, seed };
  },
  read: readAddress,
  start: startGame,
  onWritten: (written) => {
    addresses = [written, addresses[0]];
    byId('compare').setAttribute('href', `compare${isStatic ? '.html' : location.search}${written}`);
    keepBranches();
  },
});

// ---- what is shown ----

const due = (power: string): number => (turn.centers[power]?.length ?? 0) - (turn.units[power]?.length ?? 0);

const words = (): string => {
  if (isOver(turn)) {
    const most = Math.max(...map.powerNames.map((power) => turn.centers[power].length));
    return `${powerTitle(map.powerNames.find((power) => turn.centers[power].length === most) ?? '')} wins.`;
  }
  const one = player();
  const who = one === null ? humans() : [one];
  if (who.length === 0) return 'Nobody here has anything to order: Ready plays on.';
  const adjust = (power: string): string => {
    const count = due(power);
    return `${powerTitle(power)} ${count > 0 ? `may build ${count}` : `must remove ${-count}`}`;
  };
  if (turn.phase.endsWith('A'))
    return `${who.map(adjust).join(', ')}: click where; once more for another unit, or none.`;
  return `${who.map(powerTitle).join(', ')}: click a unit to order it, or drag it.`;
};

const showResults = (): void => {
  const { answer, parent } = turn;
  byId('results').replaceChildren();
  if (answer === null || parent === null) return;
  const blocks = resultBlocks(map, answeredOrders(parent.units, answer), () => showLast(true));
  byId('results').replaceChildren(element('h2', {}, `${phaseTitle(parent.phase)}: what was ordered`), ...blocks);
};

/** The phases of the branch, and where there are several, its branches. */
const showLine = (): void => {
  const made = lineOver(turn).flatMap((one) => {
    const step = button(one.phase === 'COMPLETED' ? 'End' : one.phase, () => trying(() => go(one)));
    if (one === turn) step.setAttribute('aria-current', 'step');
    const branches = one.parent?.children ?? [];
    if (branches.length < 2) return [step];
    const others = branches.map((branch, i) => {
      const other = button(String.fromCharCode(97 + (i % 26)), () => trying(() => go(branch)));
      other.title = `Branch ${i + 1} of ${branches.length}`;
      other.setAttribute('aria-pressed', String(branch === one));
      return other;
    });
    return [...others, step];
  });
  byId('line').replaceChildren(...made);
};

const showSeats = (): void => {
  const chosen = map.powerNames.map((power, q) => {
    const select = agentSelect(names, seats[power], { 'data-power': power }, (agent) => {
      seats = { ...seats, [power]: agent };
      handed = {};
      paint();
    });
    return element('label', {}, swatch(q), `${powerTitle(power)} ${turn.centers[power].length}`, select);
  });
  byId('seats').replaceChildren(...chosen);
};

const paintBoard = (): void => {
  const { phase, units, centers, retreats, parent, answer } = turn;
  if (showsLast && parent !== null && answer !== null) {
    const { phase: last, units: before, centers: had, retreats: waited } = parent;
    const told = answeredOrders(before, answer);
    draw(map, { phase: last, units: before, centers: had, retreats: waited, orders: told });
    return;
  }
  const given = { ...handed, ...written().orders };
  const shown = Object.entries(given).filter(([power]) => player() === null || mayOrder(power));
  const drawn = shown.flatMap(([power, list]) => list.map((order) => ({ power, order })));
  draw(map, { phase, units, centers, retreats, orders: isOver(turn) ? [] : drawn });
};

const showBusy = (): void => {
  const isBusy = asking !== null;
  for (const id of ['ready', 'others']) control(id).disabled = isBusy || isOver(turn);
  for (const id of ['start', 'save', 'save-here', 'open']) control(id).disabled = isBusy;
  byId('stop').hidden = !isBusy;
  control('undo').disabled = isBusy || turn.parent === null;
  control('redo').disabled = isBusy || turn.last === null;
  control('last').disabled = turn.answer === null;
  byId('last').setAttribute('aria-pressed', String(showsLast));
};

const paint = (): void => {
  if (control('orders').value !== text) control('orders').value = text;
  paintBoard();
  maker.show();
  const at = showsLast && turn.parent !== null ? `${phaseTitle(turn.parent.phase)}: orders` : phaseTitle(turn.phase);
  byId('phase').textContent = at;
  showUnread(written());
  const waits = player();
  const rest = humans().filter((power) => handed[power] === undefined && power !== waits);
  byId('ready').textContent = waits !== null && rest.length > 0 ? `Done: on to ${powerTitle(rest[0])}` : 'Ready';
  showBusy();
  address.keep();
};

const showLast = (wanted: boolean): void => {
  showsLast = wanted && turn.answer !== null;
  paint();
};

/** Orders that humans gave in a turn that was played before. */
const givenBefore = ({ last }: Turn): string =>
  last === null
    ? ''
    : Object.entries(last.given)
        .filter(([power]) => isHuman(power) && !control('hot').checked)
        .flatMap(([power, list]) => list.map((order) => (order === 'WAIVE' ? `${power} WAIVE` : order)))
        .join('\n');

const go = (to: Turn, given = givenBefore(to)): void => {
  turn = to;
  if (turn.parent !== null) turn.parent.last = turn;
  text = given;
  handed = {};
  showsLast = false;
  legal = isOver(turn) ? [] : orderablesIn(turn, map, rules.adjudication);
  maker.unchoose();
  say(words());
  showResults();
  showLine();
  showSeats();
  paint();
};

// ---- orders ----

const give = (power: string, order: string): void => {
  showsLast = false;
  text = withOrder(map, text, power, order);
  const ordered = new Set(Object.values(written().orders).flatMap((list) => list.map((one) => orderedIn(map, one))));
  const needed = neededOrders(map, order, open(), (home) => !ordered.has(home));
  for (const also of needed) text = withOrder(map, text, also.power, also.order);
  say([order, ...needed.map((also) => also.order)].join('; also '));
  paint();
};

const maker = orderMaker({
  board: view.svg,
  orderables: open,
  phase: () => turn.phase,
  says: words,
  written: (home) => orderFor(map, written(), home),
  give,
  clear: (home) => {
    text = withoutOrder(map, text, home);
    say(words());
    paint();
  },
});

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Shows what a phase came to, and then the next one. */
const show = async (next: Turn): Promise<void> => {
  go(next);
  if (!wantsMotion()) return;
  showLast(true);
  await pause(ORDERS_MS);
  // Somebody may have gone elsewhere meanwhile.
  if (turn !== next || !showsLast) return;
  const before = spotsOn(view.svg);
  showLast(false);
  glide(view.svg, before, originsIn(next.answer?.orders ?? []));
};

/** The orders of a phase: those that are written, and those of agents for powers without any. */
const askFor = (powers: readonly string[], signal: AbortSignal): Promise<ByPower> =>
  askAll(worker, askedGame(), Object.fromEntries(powers.map((power) => [power, agentOf(power)])), serverAgents, signal);

/** Does what asks agents, one thing at a time. */
const busy = async (act: (signal: AbortSignal) => Promise<void>): Promise<void> => {
  if (asking !== null) return;
  asking = new AbortController();
  showText('trouble', '');
  showBusy();
  try {
    await act(asking.signal);
  } catch (error) {
    complain(error);
    say(words());
  } finally {
    asking = null;
    showBusy();
  }
};

const waiting = (given: Readonly<Record<string, readonly string[]>>): string[] =>
  map.powerNames.filter((power) => orders(power) && !isHuman(power) && given[power] === undefined);

/** Whether the game can go on without a word from a human that is still in it. */
const needsNobody = (): boolean =>
  !isOver(turn) &&
  humans().length === 0 &&
  map.powerNames.some((power) => isHuman(power) && turn.units[power].length + turn.centers[power].length > 0);

const playPhase = async (signal: AbortSignal): Promise<void> => {
  const given: ByPower = { ...handed, ...(written().orders as ByPower) };
  const bots = waiting(given);
  const at = turn;
  say(`${bots.map(powerTitle).join(', ')}: thinking ...`);
  const answers = await askFor(bots, signal);
  if (turn !== at || signal.aborted) return;
  await show(playTurn(turn, { ...given, ...answers }, map, rules));
};

const ready = (): Promise<void> =>
  busy(async (signal) => {
    maker.unchoose();
    const one = player();
    if (one !== null) {
      handed = { ...handed, [one]: [...(written().orders[one] ?? [])] };
      text = '';
      if (player() !== null) {
        say(words());
        return paint();
      }
    }
    await playPhase(signal);
    while (needsNobody() && !signal.aborted) await playPhase(signal);
  });

const letBotsAnswer = (): Promise<void> =>
  busy(async (signal) => {
    const given = written().orders;
    const at = turn;
    const rest = map.powerNames.filter((power) => orders(power) && (given[power] ?? []).length === 0);
    say('Bots are thinking ...');
    const answers = await askFor(rest, signal);
    if (turn !== at || signal.aborted) return;
    const lines = Object.entries(answers).flatMap(([power, list]) => list.map((order) => `${power} ${order}`));
    text = [text.trim(), ...lines].filter((line) => line !== '').join('\n');
    say('Orders of bots are written below: change them, or play on with Ready.');
    paint();
  });

/** The branch that is shown as a saved game, and the game with its branches in a field of it. */
const savedGame = async (): Promise<object> => ({
  ...((await worker.ask({ save: askedGame() })) as object),
  lepanto: wholeGame(),
});

const save = (): Promise<void> =>
  busy(async () => {
    const file = URL.createObjectURL(new Blob([JSON.stringify(await savedGame())], { type: 'application/json' }));
    element('a', { href: file, download: 'lepanto-game.json' }).click();
    setTimeout(() => URL.revokeObjectURL(file), 60_000);
    say('Saved: lepanto replay and lepanto convert read the file, and this page opens it with all its branches.');
  });

const saveHere = (): Promise<void> =>
  busy(async (signal) => {
    const asked = { name: control('name').value.trim(), game: await savedGame() };
    const { file } = await askServer<{ readonly file: string }>('api/save', asked, signal);
    say(`Saved as ${file}: it is among the imported games of the list of runs.`);
  });

const openSaved = (file: File): Promise<void> =>
  busy(async () => {
    if (file.size > MOST_BYTES)
      throw new Error(`${file.name}: got ${file.size} bytes, wanted a saved game of at most ${MOST_BYTES}`);
    const opened = openPlay(await file.text(), mapNamed);
    useMap(opened.start);
    readSeats(opened.seats);
    seed = readSeed(opened.seed);
    go(opened.turn);
    say(`${file.name}: play on from any of its phases.`);
  });

const addAgent = (): Promise<void> =>
  busy(async () => {
    const name = control('agent').value.trim();
    await worker.ask({ check: name });
    if (!names.includes(name)) names.push(name);
    control('agent').value = '';
    say(`${name}: choose it for a power.`);
    showSeats();
  });

/** Back to where a human last had something to order. */
const undo = (): void => {
  let to = turn.parent;
  const isTheirs = (one: Turn): boolean =>
    orderablesIn(one, map, rules.adjudication).some(({ power }) => isHuman(power));
  while (to !== null && to.parent !== null && !isTheirs(to)) to = to.parent;
  if (to !== null) go(to);
};

// ---- controls ----

let pressed: string | null = null;

byId('board').addEventListener('click', ({ target, shiftKey, altKey }) => {
  const tag = tagAt(target);
  if (tag === null || asking !== null || isOver(turn)) return;
  if (showsLast) showLast(false);
  trying(() => maker.click(tag, shiftKey ? 'S' : altKey ? 'C' : null));
});
// A unit that is dragged moves, unless the board is zoomed: then the drag moves the board.
view.svg.addEventListener('pointerdown', ({ target, pointerType }) => {
  pressed = pointerType === 'mouse' && asking === null ? tagAt(target) : null;
});
view.svg.addEventListener('pointerup', ({ target }) => {
  const [from, to] = [pressed, tagAt(target)];
  pressed = null;
  if (from === null || to === null || from === to || byId('board').classList.contains('zoomed')) return;
  if (!open().some(({ home }) => home === province(from))) return;
  trying(() => maker.drag(province(from), to));
});
onClick('ready', () => void ready());
onClick('others', () => void letBotsAnswer());
onClick('save', () => void save());
onClick('save-here', () => void saveHere());
onClick('open', () => control('file').click());
byId('file').addEventListener('change', () => {
  const [file] = control('file').files ?? [];
  // The same file may be chosen again.
  control('file').value = '';
  if (file !== undefined) void openSaved(file);
});
onClick('add', () => void addAgent());
onClick('stop', () => {
  asking?.abort();
  worker.stop('Stopped.');
});
onClick('undo', () => trying(undo));
onClick('redo', () => trying(() => turn.last !== null && go(turn.last)));
onClick('last', () => trying(() => showLast(!showsLast)));
onClick('start', () => trying(startGame));
byId('orders').addEventListener('input', () => {
  text = control('orders').value;
  showsLast = false;
  trying(paint);
});
byId('hot').addEventListener('change', () => trying(() => go(turn)));
addEventListener('keydown', ({ key }) => key === 'Escape' && maker.unchoose());

offerNames();
byId('among').hidden = !saves;
linkOrders(view.svg, byId('results'));
address.open();
if (isStatic && 'serviceWorker' in navigator)
  void navigator.serviceWorker.register('offline-worker.js').catch(() => {});
