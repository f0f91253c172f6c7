// Controls the section Game: phases and their branches, players, saved games.
import { phaseTitle, powerTitle } from '../../draw/titles.js';
import { openPlay } from '../orders/saved-play.js';
import { lineOver, type Turn } from '../orders/timeline.js';
import { type BoardState, randomSeed } from './board-state.js';
import { button, byId, control, element, onClick, onTry, say, swatch, trying } from './page.js';
import { type AgentWorker, agentSelect, askServer } from './play-agents.js';

/** Largest file of a saved game that is opened, in bytes. */
const MOST_BYTES = 1 << 25;
/** Largest number of orders that are listed to describe a branch. */
const MOST_TOLD = 3;

/** Runs an operation that takes time, and shows its error. Does nothing while another one runs. `signal` aborts it. */
export type Busy = (act: (signal: AbortSignal) => Promise<void>) => Promise<void>;

export interface GamePanel {
  readonly paint: () => void;
}

/**
 * Describes a branch of a phase by up to three of its orders that not all other branches have; if there are none, by
 * orders that it lacks.
 */
const whatDiffers = (branch: Turn, branches: readonly Turn[]): string => {
  const ordersOf = (of: readonly Turn[]): string[] => of.flatMap(({ given }) => Object.values(given).flat());
  const brief = (orders: readonly string[]): string =>
    orders.slice(0, MOST_TOLD).join(', ') +
    (orders.length > MOST_TOLD ? `, and ${orders.length - MOST_TOLD} more` : '');
  const [own, others] = [ordersOf([branch]), branches.filter((one) => one !== branch)];
  const more = own.filter((order) => !others.every((one) => ordersOf([one]).includes(order)));
  return more.length > 0 ? brief(more) : `without ${brief(ordersOf(others).filter((order) => !own.includes(order)))}`;
};

/**
 * Makes the section Game: phases and branches, agents of the powers, and saved games.
 * @param names names of agents to choose from; agents that the user adds are appended
 * @param go shows a phase
 */
export const gamePanel = (
  table: BoardState,
  names: string[],
  worker: AgentWorker,
  busy: Busy,
  go: (turn: Turn) => void,
): GamePanel => {
  const showLine = (): void => {
    const { turn } = table.state;
    const made = lineOver(turn).flatMap((one) => {
      const name = one.phase === 'COMPLETED' ? 'End' : one.phase;
      const step = button(name, () => trying(() => go(one)), { 'aria-current': one === turn && 'step' });
      const branches = one.parent?.children ?? [];
      const item = element('li', {}, step);
      if (branches.length < 2) return [item];
      const others = branches.map((branch) =>
        button(whatDiffers(branch, branches), () => trying(() => go(branch)), { 'aria-pressed': `${branch === one}` }),
      );
      const label = { class: 'branches', 'aria-label': `Branches after ${phaseTitle(one.parent?.phase ?? '')}` };
      return [element('li', { ...label, role: 'group' }, ...others), item];
    });
    byId('line').replaceChildren(...made);
  };

  const showSeats = (): void => {
    const { seats, turn } = table.state;
    for (const agent of Object.values(seats)) if (!names.includes(agent)) names.push(agent);
    const chosen = table.map.powerNames.map((power, q) => {
      const select = agentSelect(names, seats[power], { 'data-power': power }, (agent) =>
        trying(() => {
          table.change({ seats: { ...table.state.seats, [power]: agent }, handed: {} });
          say(table.words());
        }),
      );
      return element('label', {}, swatch(q), `${powerTitle(power)} ${turn.centers[power]?.length ?? 0}`, select);
    });
    byId('seats').replaceChildren(...chosen);
  };

  /** Returns the shown branch as a saved game, with all branches in its field `lepanto`. */
  const savedGame = async (): Promise<object> => ({
    ...((await worker.ask({ save: table.askedGame() })) as object),
    lepanto: table.wholeGame(),
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
      table.openSaved(openPlay(await file.text(), table.mapNamed));
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

  onClick('save', () => void save());
  onClick('save-here', () => void saveHere());
  onClick('open', () => control('file').click());
  byId('file').addEventListener('change', () => {
    const [file] = control('file').files ?? [];
    // Without this the user could not choose the same file again.
    control('file').value = '';
    if (file !== undefined) void openSaved(file);
  });
  onClick('add', () => void addAgent());
  onTry('start', 'click', () =>
    table.change({ ...table.startOf(table.state.map, table.state.rules), seed: randomSeed() }),
  );
  onTry('hot', 'change', () => {
    table.change({ hot: control('hot').checked, handed: {}, text: '' });
    say(table.words());
  });
  for (const id of ['seed', 'rounds'] as const)
    onTry(id, 'change', () => table.use({ ...table.state, [id]: Number(control(id).value) | 0 }));

  return {
    paint: () => {
      showLine();
      showSeats();
      control('hot').checked = table.state.hot;
      for (const id of ['seed', 'rounds'] as const) control(id).value = String(table.state[id]);
    },
  };
};
