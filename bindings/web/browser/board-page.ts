// Script of the page of a position: a board, and a panel with orders, game, analysis (search and comparison of agents),
// setup and messages. Humans order by clicks, dragging, lists or text. Agents answer in a worker or on the server. The
// engine in the page adjudicates. The address has the whole state, and the browser stores the branches.
import { boardOf } from '../../draw/drawn-board.js';
import type { DrawnOrder } from '../../draw/drawn-phase.js';
import { answeredOrders } from '../../draw/read-phase.js';
import { phaseTitle, powerTitle } from '../../draw/titles.js';
import { neededOrders } from '../orders/complete-orders.js';
import { type Help, province } from '../orders/order-clicks.js';
import { isOver, lineOver, type Turn } from '../orders/timeline.js';
import { positionIn, readWrittenPosition } from '../orders/written-position.js';
import type { PositionPageData } from '../page-data.js';
import { pageAddress } from './address.js';
import { boardPainter } from './board-painter.js';
import { BoardState, COMPARED, HUMAN } from './board-state.js';
import { boardView } from './board-view.js';
import { comparePanel } from './compare-panel.js';
import { gamePanel } from './game-panel.js';
import { offerKeys } from './keys.js';
import { messagesPanel } from './messages-panel.js';
import { linkOrders } from './order-links.js';
import { orderMaker, tagAt } from './order-maker.js';
import { orderedIn, orderFor, withOrder, withoutOrder } from './order-text.js';
import { ordersPanel } from './orders-panel.js';
import { byId, control, onClick, onTry, pageData, say, takesKeys, trying } from './page.js';
import { phasePlayer } from './phase-player.js';
import { AgentWorker, searchDriver } from './play-agents.js';
import { type Searched, searchPanel } from './search-panel.js';
import { setupPanel } from './setup-panel.js';
import { type Section, sections, sectionTabs } from './tabs.js';
import { animateMoves, originsIn, pause, spotsOn, wantsMotion } from './unit-motion.js';

/** Time for which the orders of a phase are shown before the units move, in milliseconds. */
const ORDERS_MS = 1500;

const data = pageData<PositionPageData>();
const { own, ownAgents, agents: serverAgents, saves, isStatic, found = null } = data;
/** True if the page starts as a game against agents, false if the user orders all powers at the start. */
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
/**
 * Orders of one power that are drawn instead of its written ones, because the pointer or the focus is on them; null for
 * none.
 */
let previewed: readonly DrawnOrder[] | null = null;
// ---- sections ----

const openSection = (wanted: Section): void => {
  tabs.mark(wanted);
  if (wanted !== 'setup' && setup.mode() !== 'orders') setup.useMode('orders');
  if (wanted === 'analysis' && table.state.agents.length === 0) searching.begin();
  paintBoard();
};

const tabs = sectionTabs((wanted) => trying(() => openSection(wanted)));

// ---- drawing ----

/**
 * Returns the orders to draw: written or previewed orders, illegal ones marked as illegal, and orders found by a
 * search.
 */
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
  const weighed = tabs.shown() === 'analysis' ? searching.arrows(isOrdered) : [];
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
  const isBusy = player.isBusy();
  const { turn } = table.state;
  for (const id of ['ready', 'others', 'outcome']) control(id).disabled = isBusy || isOver(turn);
  for (const id of ['start', 'save', 'save-here', 'open', 'send', 'next-round']) control(id).disabled = isBusy;
  byId('stop').hidden = !isBusy;
  control('undo').disabled = isBusy || table.past.length === 0;
  control('redo').disabled = isBusy || table.future.length === 0;
  control('last').disabled = turn.answer === null;
  for (const one of ['last', 'outcome'] as const) byId(one).setAttribute('aria-pressed', String(shows === one));
};

/**
 * True until the page was painted once. The first paint shows the hidden sections later, so that the user can move
 * earlier.
 */
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

/**
 * Draws the results of a phase, then the next phase, and makes the next phase the shown one.
 * @param isFirst true for the first phase after a press of Ready
 */
const showPlayed = async (next: Turn, isFirst: boolean): Promise<void> => {
  shows = 'now';
  const changes = { turn: next, text: table.givenBefore(next), handed: {} };
  // One undo takes back all phases that one press of Ready has played.
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

const player = phasePlayer(table, worker, serverAgents, {
  showBusy: () => showBusy(),
  unchoose: () => maker.unchoose(),
  talk: (signal) => messages.finish(signal),
  showPlayed,
});

// ---- sections ----

const game = gamePanel(table, names, worker, player.busy, go);
const messages = messagesPanel(table, player.askTalk, player.busy);
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
/** True after a drag, because the click that ends it must be ignored. */
let isDragged = false;

byId('board').addEventListener('click', (event) => {
  const tag = tagAt(event.target);
  if (isDragged || tag === null || player.isBusy()) return;
  if (setup.mode() !== 'orders') return trying(() => setup.click(tag));
  if (isOver(table.state.turn)) return;
  if (shows === 'last') show('now');
  trying(() => maker.click(tag, helpOf(event)));
});
// Dragging a unit orders a move, unless the board is zoomed: then it moves the board.
view.svg.addEventListener('pointerdown', ({ target, pointerType }) => {
  isDragged = false;
  pressed = pointerType === 'mouse' && !player.isBusy() && setup.mode() === 'orders' ? tagAt(target) : null;
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
onClick('ready', () => void player.ready());
onClick('others', () => void player.showBots());
onClick('stop', player.stop);
const goBack = (way: 'undo' | 'redo') => (): void => {
  maker.unchoose();
  table[way]();
  say(table.words());
};
const [undo, redo] = [goBack('undo'), goBack('redo')];
onTry('undo', 'click', undo);
onTry('redo', 'click', redo);
const toggle = (wanted: 'last' | 'outcome') => (): void =>
  trying(() => {
    maker.unchoose();
    show(shows === wanted ? 'now' : wanted);
  });
onClick('last', toggle('last'));
onClick('outcome', toggle('outcome'));
onTry('orders', 'input', () => {
  if (shows === 'last') shows = 'now';
  table.change({ text: control('orders').value }, true);
});

/**
 * Shows the phase before (by = -1) or after (by = 1) the shown one in its branch. Does nothing while agents are asked.
 */
const stepBy = (by: number): void => {
  const line = lineOver(table.state.turn);
  const next = line[line.indexOf(table.state.turn) + by];
  if (next !== undefined && !player.isBusy()) go(next);
};

offerKeys([
  ['←  →', 'phase before, phase after', 'ArrowLeft', () => trying(() => stepBy(-1))],
  ['', '', 'ArrowRight', () => trying(() => stepBy(1))],
  ['U  Ctrl+Z', 'undo the last order or step', 'u', () => trying(undo)],
  ['R  Ctrl+Shift+Z', 'redo', 'r', () => trying(redo)],
  ['N', 'next unit without an order, or with a wrong one', 'n', () => trying(orders.nextMistake)],
  ['S  C', 'support, convoy with the chosen unit (or Shift, Alt and a click)', 's', () => maker.useHelp('S')],
  ['', '', 'c', () => maker.useHelp('C')],
  ['Delete', 'clear the order of the chosen unit', 'Delete', () => trying(() => clear(maker.chosen() ?? ''))],
  ['P  Ctrl+Enter', 'play the phase', 'p', () => void player.ready()],
  ['L', 'the last orders', 'l', toggle('last')],
  ['O', 'outcome of the orders', 'o', toggle('outcome')],
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
  if (key === 'Enter') void player.ready();
  else if (key.toLowerCase() === 'z' && !takesKeys(target)) trying(shiftKey ? redo : undo);
});

byId('among').hidden = !saves;
linkOrders(view.svg, byId('units'), byId('results'));
tabs.mark(found === null ? 'orders' : 'analysis');
address.open();
if (isStatic && 'serviceWorker' in navigator)
  void navigator.serviceWorker.register('offline-worker.js').catch(() => {});
