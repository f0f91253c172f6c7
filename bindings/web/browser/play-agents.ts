// Asks agents for orders: those of the browser in a worker of its own, and those of the server where there is one.
import type { ByPower } from '../../../engine/notation/json/position.js';
import type { AskedGame, AskedOrders } from '../orders/asked-game.js';
import type { GivenOrders, PlayAnswer, PlayQuestion } from '../page-data.js';
import { briefName } from './figures.js';
import { answerOf, element, showText } from './page.js';

type Question = Omit<PlayQuestion, 'id'>;

interface Waiting {
  readonly resolve: (found: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** A worker that is made for the first question, and made anew once it was stopped. */
export class AgentWorker {
  private worker: Worker | null = null;
  private readonly waiting = new Map<number, Waiting>();
  private last = 0;

  /** @throws Error that says what is wrong, as the worker says it */
  ask(question: Question): Promise<unknown> {
    this.worker ??= this.start();
    const id = ++this.last;
    this.worker.postMessage({ id, ...question } satisfies PlayQuestion);
    return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
  }

  /** Ends what it is at. @param why what those hear who wait for it */
  stop(why: string): void {
    this.worker?.terminate();
    this.worker = null;
    for (const { reject } of this.waiting.values()) reject(new Error(why));
    this.waiting.clear();
  }

  private start(): Worker {
    const worker = new Worker('play-worker.js', { type: 'module' });
    worker.onmessage = ({ data: { id, found, error } }: MessageEvent<PlayAnswer>) => {
      const asker = this.waiting.get(id);
      this.waiting.delete(id);
      if (error === null) asker?.resolve(found);
      else asker?.reject(new Error(error));
    };
    worker.onerror = ({ message = '' }) => this.stop(`The agents do not run in this browser. ${message}`);
    return worker;
  }
}

/** What the server answers to a question. @throws Error that says what is wrong, as the server says it */
export const askServer = async <T>(address: string, asked: unknown, signal: AbortSignal): Promise<T> =>
  (await answerOf(address, { method: 'POST', body: JSON.stringify(asked), signal })).json();

/**
 * Orders by power of the agents in their seats.
 * @param ofServer names of the agents that the server plays
 * @param onFaults called with what they got wrong. Default: the page shows it in the element `trouble`
 */
export const askAll = async (
  worker: AgentWorker,
  game: AskedGame,
  seats: Readonly<Record<string, string>>,
  ofServer: readonly string[],
  signal: AbortSignal,
  onFaults: (faults: readonly string[]) => void = (faults) => showText('trouble', faults.join('; ')),
): Promise<ByPower> => {
  const where = (isServer: boolean): AskedOrders => ({
    game,
    seats: Object.fromEntries(Object.entries(seats).filter(([, agent]) => ofServer.includes(agent) === isServer)),
  });
  const [far, near] = [where(true), where(false)];
  const none: ByPower = {};
  const [told, own] = await Promise.all([
    Object.keys(far.seats).length > 0 ? askServer<GivenOrders>('api/orders', far, signal) : null,
    Object.keys(near.seats).length > 0 ? (worker.ask({ asked: near }) as Promise<ByPower>) : none,
  ]);
  if (told !== null && told.faults.length > 0) onFaults(told.faults);
  return { ...told?.orders, ...own };
};

/** A choice of an agent. @param take called with the one that is chosen */
export const agentSelect = (
  names: readonly string[],
  chosen: string,
  attributes: Readonly<Record<string, string>>,
  take: (agent: string) => void,
): HTMLElement => {
  const options = names.map((value) => element('option', { value, selected: value === chosen }, briefName(value)));
  const select = element('select', { ...attributes, title: chosen }, ...options);
  select.addEventListener('change', () => take(select.value));
  return select;
};
