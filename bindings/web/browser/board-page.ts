// Script of the page of a position: a board, and a panel with orders, game, analysis (search and comparison of agents),
// setup and messages. Humans order by clicks, dragging, lists or text. Agents answer in a worker or on the server. The
// engine in the page adjudicates. The address has the whole state, and the browser stores the branches.
import type { Round } from '../../../selfplay/question/agent.js';
import { boardOf } from '../../draw/drawn-board.js';
import type { DrawnOrder } from '../../draw/drawn-phase.js';
import { answeredOrders } from '../../draw/read-phase.js';
import { phaseTitle, powerTitle } from '../../draw/titles.js';
import { neededOrders } from '../orders/complete-orders.js';
import { type Help, province } from '../orders/order-clicks.js';
import { isOver, lineOver, playTurn, type Turn } from '../orders/timeline.js';
import { positionIn, readWrittenPosition } from '../orders/written-position.js';
import type { GivenOrders, PositionPageData } from '../page-data.js';
import { pageAddress } from './address.js';
import { boardPainter } from './board-painter.js';
import { BoardState, COMPARED, HUMAN, STAND_IN } from './board-state.js';
import { boardView } from './board-view.js';
import { comparePanel } from './compare-panel.js';
import { gamePanel } from './game-panel.js';
import { offerKeys } from './keys.js';
import { messagesPanel } from './messages-panel.js';
import { linkOrders } from './order-links.js';
import { orderMaker, tagAt } from './order-maker.js';
import { orderedIn, orderFor, withOrder, withoutOrder } from './order-text.js';
import { ordersPanel } from './orders-panel.js';
import { byId, complain, control, element, onClick, pageData, say, showText, takesKeys, trying } from './page.js';
import { AgentWorker, askAll, searchDriver } from './play-agents.js';
import { type Searched, searchPanel } from './search-panel.js';
import { setupPanel } from './setup-panel.js';
import { animateMoves, originsIn, spotsOn, wantsMotion } from './unit-motion.js';

/** Time for which the orders of a phase are shown before the units move, in milliseconds. */
const ORDERS_MS = 1500;
/** Number of the latest sentences about faults of bots that are listed. */
const MOST_FAULTS = 8;

const data = pageData<PositionPageData>();
const { own, ownAgents, agents: serverAgents, saves, isStatic, found = null } = data;
/** True if the page starts as a game against agents, false if the user orders all powers. */
const isGame = isStatic || location.pathname.endsWith('/play');
const table = new BoardState(own, found === null && isGame ? 'play' : 'edit');
const names = [HUMAN, ...ownAgents, ...serverAgents];
const worker = new AgentWorker();
const view = boardView(byId('board'));
const draw = boardPainter(view, boardOf);

/**
 * The board shows the current orders ('now'), the orders that led to this phase, or the results of the current orders.
 */
let shows: 'now' | 'last' | 'outcome' = found === null ? 'now' : 'outcome';
/** Orders under the pointer or focus, drawn instead of their power's orders; null for none. */
let previewed: readonly DrawnOrder[] | null = null;
/** Aborts the current question to agents; null for none. */
let asking: AbortController | null = null;
/** Number of each fault of bots, keyed by sentence. */
const faults = new Map<string, number>();

// ---- sections ----

const sections = ['orders', 'game', 'analysis', 'setup', 'messages'] as const;
type Section = (typeof sections)[number];
let section: Section = 'orders';

const markSection = (wanted: Section): void => {
  section = wanted;
  for (const one of sections) {
    byId(`tab-${one}`).hidden = one !== wanted;
    const tab = byId(`to-${one}`);
    tab.setAttribute('aria-selected', String(one === wanted));
    tab.tabIndex = one === wanted ? 0 : -1;
  }
};

const openSection = (wanted: Section): void => {
  markSection(wanted);
  if (wanted !== 'setup' && setup.mode() !== 'orders') setup.useMode('orders');
  if (wanted === 'analysis' && table.state.agents.length === 0) searching.begin();
  paintBoard();
};

for (const one of sections) {
  const tab = element('button', { type: 'button', role: 'tab', id: `to-${one}`, 'aria-controls': `tab-${one}` });
  tab.textContent = one[0].toUpperCase() + one.slice(1);
  tab.addEventListener('click', () => trying(() => openSection(one)));
  byId('tabs').append(tab);
  byId(`tab-${one}`).prepend(element('h2', { class: 'unseen' }, tab.textContent));
  for (const [name, value] of Object.entries({ role: 'tabpanel', 'aria-labelledby': `to-${one}` }))
    byId(`tab-${one}`).setAttribute(name, value);
}
byId('tabs').addEventListener('keydown', (event) => {
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key] ?? 0;
  if (by === 0 || event.shiftKey) return;
  event.stopPropagation();
  openSection(sections[(sections.indexOf(section) + by + sections.length) % sections.length]);
  byId(`to-${section}`).focus();
});

// ---- drawing ----

/** Returns the orders to draw: written or previewed orders, illegal ones in red, and orders found by a search. */
const drawnOrders = (): readonly DrawnOrder[] => {
  const { turn } = table.state;
  const isShown = (power: string): boolean => table.player() === null || table.mayOrder(power);
  const previewedPower = previewed?.[0]?.power;
  const { answer, wrong } = table.checked;
  const told = answer === null ? [] : answeredOrders(turn.units, answer);
  if (shows === 'outcome' && previewed === null) return told.filter(({ power }) => isShown(power));
  const given = Object.entries(table.given()).flatMap(([power, list]) => list.map((order) => ({ power, order })));
  const asWritten = told
    .filter((one) => one.order !== null)
    .map(({ power, order, unit = null, reason = null }): DrawnOrder => {
      const isWrong = wrong.some((one) => one.power === power && one.order === order);
      return { power, order, unit, ...(isWrong && { result: 'illegal', reason }) };
    });
  const written: readonly DrawnOrder[] = answer === null ? given : asWritten;
  const isOrdered = (power: string): boolean => (table.given()[power] ?? []).length > 0 || power === previewedPower;
  const weighed = section === 'analysis' ? searching.arrows(isOrdered) : [];
  const kept = written.filter(({ power }) => isShown(power) && power !== previewedPower);
  return [...weighed, ...kept, ...(previewed ?? [])];
};

const paintBoard = (): void => {
  const { turn } = table.state;
  const { phase, units, centers, retreats, parent, answer } = turn;
  if (shows === 'last' && parent !== null && answer !== null) {
    const { phase: last, units: before, centers: had, retreats: waited } = parent;
    draw(table.map, {
      phase: last,
      units: before,
      centers: had,
      retreats: waited,
      orders: answeredOrders(before, answer),
    });
  } else draw(table.map, { phase, units, centers, retreats, orders: isOver(turn) ? [] : drawnOrders() });
  maker.show();
};

const showBusy = (): void => {
  const isBusy = asking !== null;
  const { turn } = table.state;
  for (const id of ['ready', 'others', 'outcome']) control(id).disabled = isBusy || isOver(turn);
  for (const id of ['start', 'save', 'save-here', 'open', 'send', 'next-round']) control(id).disabled = isBusy;
  byId('stop').hidden = !isBusy;
  control('undo').disabled = isBusy || table.past.length === 0;
  control('redo').disabled = isBusy || table.future.length === 0;
  control('last').disabled = turn.answer === null;
  for (const one of ['last', 'outcome'] as const) byId(one).setAttribute('aria-pressed', String(shows === one));
};

const showFaults = (): void => {
  const lines = [...faults].map(([fault, count]) => (count > 1 ? `${fault} (${count} times)` : fault));
  const more = lines.length > MOST_FAULTS ? [`and ${lines.length - MOST_FAULTS} more before`] : [];
  const told = ['What bots got wrong:', ...lines.slice(-MOST_FAULTS), ...more];
  showText('faults', lines.length === 0 ? '' : told.join('\n'));
};

/** True until something was painted: then a move is possible, and sections that are hidden come after it. */
let isStarting = true;

const paintHidden = (): void => {
  setup.paint();
  game.paint();
  messages.paint();
};

const paint = (): void => {
  paintBoard();
  const { turn, handed } = table.state;
  const isLast = shows === 'last' && turn.parent !== null;
  byId('phase').textContent = isLast ? `${phaseTitle(turn.parent?.phase ?? '')}: orders` : phaseTitle(turn.phase);
  const waits = table.player();
  const rest = table.humans().filter((power) => handed[power] === undefined && power !== waits);
  byId('ready').textContent =
    waits !== null && rest.length > 0
      ? `Done: on to ${powerTitle(rest[0])}`
      : table.isAnalysis()
        ? 'Play the phase'
        : 'Ready';
  byId('others').hidden = table.isAnalysis();
  orders.paint({ outcome: shows === 'outcome' });
  if (isStarting) setTimeout(paintHidden);
  else paintHidden();
  isStarting = false;
  showBusy();
  address.keep();
};

const show = (wanted: typeof shows): void => {
  shows = wanted === 'last' && table.state.turn.answer === null ? 'now' : wanted;
  paint();
};

// ---- orders ----

const give = (power: string, order: string): void => {
  if (shows === 'last') shows = 'now';
  let text = withOrder(table.map, table.state.text, power, order);
  const ordered = new Set(
    [...Object.values(table.written.orders).flat(), order].map((one) => orderedIn(table.map, one)),
  );
  const needed = neededOrders(table.map, order, table.open(), (home) => !ordered.has(home));
  for (const also of needed) text = withOrder(table.map, text, also.power, also.order);
  table.change({ text });
  say([order, ...needed.map((also) => also.order)].join('; also '));
};

const clear = (home: string): void => {
  table.change({ text: withoutOrder(table.map, table.state.text, home) });
  say(table.words());
};

const maker = orderMaker({
  board: view.svg,
  orderables: () => table.open(),
  phase: () => table.state.turn.phase,
  says: () => table.words(),
  written: (home) => orderFor(table.map, table.written, home),
  give,
  clear,
});

const go = (turn: Turn): void => table.change({ turn, text: table.givenBefore(turn), handed: {} });

// ---- playing ----

/** Resolves after a time, or with the first key or click. */
const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      for (const type of ['keydown', 'pointerdown']) removeEventListener(type, end, true);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    for (const type of ['keydown', 'pointerdown']) addEventListener(type, end, true);
  });

/** Shows the results of a phase, then the next phase. */
const showPlayed = async (next: Turn, isFirst: boolean): Promise<void> => {
  shows = 'now';
  const changes = { turn: next, text: table.givenBefore(next), handed: {} };
  // All phases that one press of Ready plays are undone at once.
  if (isFirst) table.change(changes);
  else table.use({ ...table.state, ...changes });
  if (!wantsMotion()) return;
  show('last');
  await pause(ORDERS_MS);
  // The user may have changed the shown phase meanwhile.
  if (table.state.turn !== next || (shows as string) !== 'last') return;
  const before = spotsOn(view.svg);
  show('now');
  animateMoves(view.svg, before, originsIn(next.answer?.orders ?? []));
};

/** Asks agents for the orders of powers, or for messages in a round of press. Shows the agents' faults. */
const askFor = async (powers: readonly string[], signal: AbortSignal, round?: Round): Promise<GivenOrders> => {
  const { seats } = table.state;
  const agentOf = (power: string): string => (table.isHuman(power) ? STAND_IN : seats[power]);
  const game = table.askedGame();
  const asked = {
    game,
    ...(round !== undefined && { round }),
    seats: Object.fromEntries(powers.map((power) => [power, agentOf(power)])),
  };
  const answer = await askAll(worker, asked, serverAgents, signal);
  for (const fault of answer.faults) faults.set(fault, (faults.get(fault) ?? 0) + 1);
  showFaults();
  return answer;
};

/** Runs an operation that asks agents, one at a time. */
const busy = async (act: (signal: AbortSignal) => Promise<void>): Promise<void> => {
  if (asking !== null) return;
  asking = new AbortController();
  showText('trouble', '');
  showBusy();
  try {
    await act(asking.signal);
  } catch (error) {
    complain(error);
    say(table.words());
  } finally {
    asking = null;
    showBusy();
  }
};

/** True if surviving humans have no orders due, so that the game can continue without them. */
const needsNobody = (): boolean => {
  const { turn } = table.state;
  const isIn = (power: string): boolean => turn.units[power].length + turn.centers[power].length > 0;
  return (
    !isOver(turn) &&
    table.humans().length === 0 &&
    table.map.powerNames.some((power) => table.isHuman(power) && isIn(power))
  );
};

const playPhase = async (signal: AbortSignal, isFirst: boolean): Promise<void> => {
  await messages.finish(signal);
  const given = table.given();
  const bots = table.map.powerNames.filter(
    (power) => table.hasOrders(power) && !table.isHuman(power) && given[power] === undefined,
  );
  const { turn } = table.state;
  if (bots.length > 0) say(`${bots.map(powerTitle).join(', ')}: thinking ...`);
  const answers = bots.length > 0 ? (await askFor(bots, signal)).orders : {};
  if (table.state.turn !== turn || signal.aborted) return;
  await showPlayed(playTurn(turn, { ...given, ...answers }, table.map, table.rules), isFirst);
};

const ready = (): Promise<void> =>
  busy(async (signal) => {
    maker.unchoose();
    const one = table.player();
    if (one !== null) {
      const handed = { ...table.state.handed, [one]: [...(table.written.orders[one] ?? [])] };
      table.change({ handed, text: '' });
      if (table.player() !== null) return say(table.words());
    }
    await playPhase(signal, true);
    while (needsNobody() && !signal.aborted) await playPhase(signal, false);
    faultsAtEnd();
  });

const faultsAtEnd = (): void => {
  const count = [...faults.values()].reduce((sum, n) => sum + n, 0);
  if (!isOver(table.state.turn) || count === 0) return;
  const what = count === 1 ? 'one thing wrong: it is' : `${count} things wrong: they are`;
  say(`${table.words()} Bots got ${what} listed below.`);
};

/** Writes the orders that bots would give, for powers without orders. */
const showBots = (): Promise<void> =>
  busy(async (signal) => {
    const { turn } = table.state;
    const isOpen = (power: string): boolean =>
      !table.isHuman(power) && (table.written.orders[power] ?? []).length === 0;
    const rest = table.map.powerNames.filter((power) => table.hasOrders(power) && isOpen(power));
    say('Bots are thinking ...');
    const { orders: answers } = await askFor(rest, signal);
    if (table.state.turn !== turn || signal.aborted) return;
    const lines = Object.entries(answers).flatMap(([power, list]) => list.map((order) => `${power} ${order}`));
    table.change({ text: [table.state.text.trim(), ...lines].filter((line) => line !== '').join('\n') });
    say('These orders of bots count now: change them, or play on.');
  });

// ---- sections ----

const game = gamePanel(table, names, worker, busy, go);
const messages = messagesPanel(
  table,
  async (round, signal) => {
    const bots = table.map.powerNames.filter(
      (power) => serverAgents.includes(table.state.seats[power]) && table.state.turn.units[power].length > 0,
    );
    return (await askFor(bots, signal, { round, rounds: table.state.rounds })).said ?? {};
  },
  busy,
);
const setup = setupPanel(table, maker.unchoose);
const orders = ordersPanel(table, maker, { give, clear, showLast: () => show('last') });
const searchedAt = (position: NonNullable<PositionPageData['position']>): Searched => ({
  ...{ position: positionIn(position), map: position.map, rules: position.rules },
});
const searching = searchPanel(
  table,
  found === null ? searchDriver(data, () => table.maps.ownOf(table.map)) : null,
  found !== null && data.position !== null ? { ...found, at: searchedAt(data.position) } : null,
  (next) => {
    if (next === previewed) return;
    previewed = next;
    paintBoard();
  },
  paintBoard,
);
const comparing = comparePanel(table, [...ownAgents, ...serverAgents], serverAgents, new AgentWorker());

table.onTurn = () => {
  if (shows === 'last') shows = 'now';
  maker.unchoose();
  say(table.words());
};
table.onChange = () => {
  previewed = null;
  searching.settle();
  comparing.settle();
  paint();
};

const address = pageAddress({
  said: () => table.said(),
  read: (said) => {
    const { map = table.state.map, rules = table.state.rules } = data.position ?? {};
    table.read(said, { map, rules, ...positionIn(data.position ?? table.state.turn) });
    say(table.words());
    if (table.state.agents.length > 0) openSection('analysis');
  },
  start: () => {
    if (data.position === null) table.use(table.state);
    else {
      const asked = { ...data.position, retreats: undefined, ...positionIn(data.position) };
      const { orders: text, map, rules, ...placed } = readWrittenPosition(asked, table.mapNamed, table.state);
      table.place(placed, { map, rules, text });
      table.past.length = 0;
      showBusy();
    }
    if (location.pathname.endsWith('/compare')) table.use({ ...table.state, agents: COMPARED });
    say(table.words());
  },
  onWritten: (written) => table.keep(written),
});
// Saves the branches for the current address if the user leaves the page before the address is written.
addEventListener('pagehide', () => table.keep());

// ---- controls ----

const helpOf = ({ shiftKey, altKey }: MouseEvent): Help => (shiftKey ? 'S' : altKey ? 'C' : null);
let pressed: string | null = null;
/** True after a drag, to ignore the click at its end. */
let isDragged = false;

byId('board').addEventListener('click', (event) => {
  const tag = tagAt(event.target);
  if (isDragged || tag === null || asking !== null) return;
  if (setup.mode() !== 'orders') return trying(() => setup.click(tag));
  if (isOver(table.state.turn)) return;
  if (shows === 'last') show('now');
  trying(() => maker.click(tag, helpOf(event)));
});
// Dragging a unit orders a move, unless the board is zoomed: then it moves the board.
view.svg.addEventListener('pointerdown', ({ target, pointerType }) => {
  isDragged = false;
  pressed = pointerType === 'mouse' && asking === null && setup.mode() === 'orders' ? tagAt(target) : null;
});
view.svg.addEventListener('pointerup', ({ target }) => {
  const [from, to] = [province(pressed ?? ''), tagAt(target)];
  pressed = null;
  if (from === '' || to === null || from === province(to) || byId('board').classList.contains('zoomed')) return;
  if (!table.open().some(({ home }) => home === from)) return;
  isDragged = true;
  if (shows === 'last') show('now');
  trying(() => maker.drag(from, to));
});
onClick('ready', () => void ready());
onClick('others', () => void showBots());
onClick('stop', () => {
  asking?.abort();
  worker.stop('Stopped.');
});
const undo = (): void => {
  maker.unchoose();
  table.undo();
  say(table.words());
};
const redo = (): void => {
  maker.unchoose();
  table.redo();
  say(table.words());
};
onClick('undo', () => trying(undo));
onClick('redo', () => trying(redo));
const toggle = (wanted: 'last' | 'outcome') => (): void =>
  trying(() => {
    maker.unchoose();
    show(shows === wanted ? 'now' : wanted);
  });
onClick('last', toggle('last'));
onClick('outcome', toggle('outcome'));
byId('orders').addEventListener('input', () =>
  trying(() => {
    if (shows === 'last') shows = 'now';
    table.change({ text: control('orders').value }, true);
  }),
);

/** Shows the phase before or after the shown one in its branch. @param by -1 or 1 */
const stepBy = (by: number): void => {
  const line = lineOver(table.state.turn);
  const next = line[line.indexOf(table.state.turn) + by];
  if (next !== undefined && asking === null) go(next);
};

offerKeys([
  ['←  →', 'phase before, phase after', 'ArrowLeft', () => trying(() => stepBy(-1))],
  ['', '', 'ArrowRight', () => trying(() => stepBy(1))],
  ['U  Ctrl+Z', 'undo the last order or step', 'u', () => trying(undo)],
  ['R  Ctrl+Shift+Z', 'redo', 'r', () => trying(redo)],
  ['N', 'next unit without an order, or with a wrong one', 'n', () => trying(orders.nextMistake)],
  ['S  C', 'support, convoy with the chosen unit (or Shift, Alt and a click)', 's', () => maker.useHelp('S')],
  ['', '', 'c', () => maker.useHelp('C')],
  ['Delete', 'take back the order of the chosen unit', 'Delete', () => trying(() => clear(maker.chosen() ?? ''))],
  ['P  Ctrl+Enter', 'play the phase', 'p', () => void ready()],
  ['L', 'the last orders', 'l', toggle('last')],
  ['O', 'what comes of the orders', 'o', toggle('outcome')],
  ['1 to 5', 'the sections of the panel', '', () => {}],
  ...sections.map((one, i): [string, string, string, () => void] => [
    '',
    '',
    String(i + 1),
    () => trying(() => openSection(one)),
  ]),
  ['Escape', 'choose nothing', 'Escape', maker.unchoose],
  ['+  −  0, Shift and arrows', 'zoom and move the board', '', () => {}],
]);
addEventListener('keydown', (event) => {
  const { key, ctrlKey, metaKey, shiftKey, target } = event;
  if (!(ctrlKey || metaKey)) return;
  if (key === 'Enter') void ready();
  else if (key.toLowerCase() === 'z' && !takesKeys(target)) trying(shiftKey ? redo : undo);
});

byId('among').hidden = !saves;
linkOrders(view.svg, byId('units'), byId('results'));
markSection(found === null ? 'orders' : 'analysis');
address.open();
if (isStatic && 'serviceWorker' in navigator)
  void navigator.serviceWorker.register('offline-worker.js').catch(() => {});
