// Asks agents for orders: agents of the browser in a worker, agents of the server by requests.
import type { AskedOrders, OwnMap } from '../orders/asked-game.js';
import type { GivenOrders, PlayAnswer, PlayQuestion, PositionPageData, SearchAnswer } from '../page-data.js';
import { briefName } from './figures.js';
import { answerIn, answerOf, element, optionsOf } from './page.js';
import type { SearchDriver } from './search-panel.js';

type Question = Omit<PlayQuestion, 'id'>;

interface Waiting {
  readonly resolve: (found: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly onPart: (part: unknown) => void;
}

/** A browser worker that plays agents. The first question starts it, also after stop(). */
export class AgentWorker {
  private worker: Worker | null = null;
  private readonly waiting = new Map<number, Waiting>();
  private last = 0;

  /**
   * Asks the worker a question and returns its answer.
   * @param onPart called with each partial result
   * @throws Error with the worker's message, or that of stop()
   */
  ask(question: Question, onPart: (part: unknown) => void = () => {}): Promise<unknown> {
    this.worker ??= this.start();
    const id = ++this.last;
    this.worker.postMessage({ id, ...question } satisfies PlayQuestion);
    return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject, onPart }));
  }

  /** Ends the worker. Questions without an answer fail. @param why message of their error */
  stop(why: string): void {
    this.worker?.terminate();
    this.worker = null;
    for (const { reject } of this.waiting.values()) reject(new Error(why));
    this.waiting.clear();
  }

  private start(): Worker {
    const worker = new Worker('play-worker.js', { type: 'module' });
    worker.onmessage = ({ data: { id, found, error, isPart } }: MessageEvent<PlayAnswer>) => {
      const asker = this.waiting.get(id);
      if (isPart === true) return asker?.onPart(found);
      this.waiting.delete(id);
      if (error === null) asker?.resolve(found);
      else asker?.reject(new Error(error));
    };
    worker.onerror = ({ message = '' }) => this.stop(`The agents do not run in this browser. ${message}`);
    return worker;
  }
}

/** Sends a question to the server and returns its answer. @throws Error with the server's message */
export const askServer = <T>(address: string, asked: unknown, signal: AbortSignal): Promise<T> =>
  answerIn(address, { method: 'POST', body: JSON.stringify(asked), signal });

/**
 * Asks the agents of some powers for orders, or for messages of a round of press. Returns their answers and faults
 * together.
 * @param worker plays the agents that are not the server's; they send no messages
 * @param ofServer names of the server's agents
 * @throws Error if the server or the worker refuses the question
 */
export const askAll = async (
  worker: AgentWorker,
  { game, seats, round }: AskedOrders,
  ofServer: readonly string[],
  signal: AbortSignal,
): Promise<GivenOrders> => {
  const where = (isServer: boolean): AskedOrders => ({
    game,
    seats: Object.fromEntries(Object.entries(seats).filter(([, agent]) => ofServer.includes(agent) === isServer)),
    ...(round !== undefined && { round }),
  });
  const [far, near] = [where(true), where(false)];
  const none: GivenOrders = { orders: {}, faults: [] };
  const [a, b] = await Promise.all([
    Object.keys(far.seats).length > 0 ? askServer<GivenOrders>('api/orders', far, signal) : none,
    // Agents that play in the browser send no messages.
    Object.keys(near.seats).length > 0 && round === undefined
      ? (worker.ask({ asked: near }) as Promise<GivenOrders>)
      : none,
  ]);
  return { ...a, orders: { ...a.orders, ...b.orders }, faults: [...a.faults, ...b.faults] };
};

/** Yields the lines of a response, parsed as JSON, as they arrive. */
async function* linesOf({ body }: Response): AsyncGenerator<SearchAnswer & { readonly error?: string }> {
  let text = '';
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
    const lines = (text + part.value).split('\n');
    text = lines.pop() ?? '';
    for (const line of lines) yield JSON.parse(line);
  }
  if (text !== '') yield JSON.parse(text);
}

/**
 * Returns a function that runs searches: on the page's server, or in a worker for a page of static files.
 * @param ownMap returns the map of the position, or null if it is one of Lepanto's
 */
export const searchDriver = ({ run, isStatic }: PositionPageData, ownMap: () => OwnMap | null): SearchDriver => {
  const thinking = new AgentWorker();
  if (isStatic)
    return async (question, onAnswer, signal) => {
      signal.addEventListener('abort', () => thinking.stop('Stopped.'), { once: true });
      await thinking.ask({ explore: { ...question, own: ownMap() } }, (part) => onAnswer(part as SearchAnswer));
    };
  return async (question, onAnswer, signal) => {
    const query = ownMap() !== null && run !== null ? `?run=${encodeURIComponent(run)}` : '';
    const response = await answerOf(`api/search${query}`, { method: 'POST', body: JSON.stringify(question), signal });
    for await (const answer of linesOf(response)) {
      if (answer.error !== undefined) throw new Error(answer.error);
      onAnswer(answer);
    }
  };
};

/**
 * Makes a select element for an agent.
 * @param names agents to choose from
 * @param take called with the agent that the user has chosen
 */
export const agentSelect = (
  names: readonly string[],
  chosen: string,
  attributes: Readonly<Record<string, string>>,
  take: (agent: string) => void,
): HTMLElement => {
  const select = element('select', { ...attributes, title: chosen }, ...optionsOf(names, briefName, chosen));
  select.addEventListener('change', () => take(select.value));
  return select;
};
