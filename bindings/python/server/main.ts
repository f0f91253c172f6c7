// The batch server: a child process that steps games for a client in another language.
//
// The client opens a file of shared memory, starts the server with the file as an inherited descriptor, and writes one
// line of JSON (ServerConfig). The server answers with a line of JSON: the table of arrays, the map and its vocabulary.
// Then the client sends requests (commands.ts) and gets an answer to each, in order. BATCH-PROTOCOL.md specifies every
// byte.
import { ftruncateSync } from 'node:fs';
import { scoreNames, stateLayout, vocabulary } from '../../../engine/internal.js';
import { parseJson, stringifyJson } from '../../../engine/notation/json/long-ids.js';
import { samplers } from '../../../engine/play/step.js';
import { LepantoError } from '../../../engine/rules/error.js';
import { isModuleName } from '../../../selfplay/question/agent-name.js';
import { lepantoVersion } from '../../../selfplay/version.js';
import { describeMap } from '../../formats/arrays/describe-map.js';
import { BY_EPISODE } from './choices.js';
import { batchCommands, type Performers, performBy, pipeCommands } from './commands.js';
import { readConfig, type ServerConfig, type Setup, setUp } from './config.js';
import { Core } from './core.js';
import { endWithClient } from './end-with-client.js';
import { GameLog } from './game-log.js';
import { makeThreadMemory, type ThreadMemory } from './games.js';
import { Memory } from './memory.js';
import { CLIENT, NamedAgents } from './named-agents.js';
import { answer, describeError, echoOf, Pipe, runServer, writeOut } from './pipe.js';
import type { Recorder } from './recorder.js';
import { Asked } from './requests.js';
import { readRollouts, runRollouts } from './rollout-tasks.js';
import type { Searches } from './searches.js';
import { ServerThreads } from './server-threads.js';

const NOTHING = Buffer.alloc(0);

const handshake = ({ map, rules, layout, seats }: Setup, memory: Memory): string => {
  const { stride, units, coasts, owners, contested, dislodged, maxDislodged } = stateLayout(map);
  return JSON.stringify({
    version: lepantoVersion,
    commands: { ...batchCommands, ...pipeCommands },
    mapped: memory.isMapped,
    size: layout.size,
    arrays: layout.sections.map(({ name, dtype, shape, offset, kept }) => ({ name, dtype, shape, offset, kept })),
    games: layout.games,
    children: layout.children,
    chunk: layout.chunk,
    max_orders: layout.maxOrders,
    state: { stride, units, coasts, owners, contested, dislodged, max_dislodged: maxDislodged },
    map: describeMap(map),
    rules: { name: rules.name, id: rules.adjudication.id },
    scores: scoreNames,
    opponents: map.powerNames.filter((_, power) => seats[power] !== CLIENT),
    vocabulary: Array.from(vocabulary(map).orders),
  });
};

const within = (name: string, value: number, least: number, most: number): number => {
  if (value < least || value > most)
    throw new LepantoError('argument', `${name}: got ${value}, wanted ${least} to ${most}`);
  return value;
};

/** Components of a batch server. */
interface Parts {
  readonly config: ServerConfig;
  readonly setup: Setup;
  readonly memory: Memory;
  readonly shared: ThreadMemory;
  readonly threads: ServerThreads;
  readonly agents: NamedAgents;
  readonly recorder: Recorder | null;
}

class Server {
  /**
   * Message of the error with which a step failed after some games had changed; null if all games are at the same step.
   */
  private broken: string | null = null;
  private searches: Searches | undefined;

  constructor(private readonly parts: Parts) {}

  /** Answers requests from a pipe, in order, until the client quits or closes the pipe. */
  async serve(pipe: Pipe): Promise<void> {
    for (let request = pipe.request(); request !== null; request = pipe.request()) {
      if (request.command === pipeCommands.quit.letter) return;
      const body = request.command === pipeCommands.ask.letter ? pipe.body(request.arguments[0]) : null;
      try {
        if (body !== null) answer('.', request.number, 0, await this.answerText(parseJson(body.toString('utf8'))));
        else if (request.command === pipeCommands.echo.letter) answer('.', request.number, 0, echoOf(request));
        else answer('.', request.number, await this.perform(request), NOTHING);
      } catch (error) {
        answer('!', request.number, 0, describeError(error));
      }
    }
  }

  private async answerText(request: unknown): Promise<Buffer> {
    const { op, name } = (request ?? {}) as { readonly op?: unknown; readonly name?: unknown };
    if (op === 'rollouts') return this.playRollouts(request as object);
    if (String(op).startsWith('search ')) {
      const { setup, config, threads } = this.parts;
      this.searches ??= new (await import('./searches.js')).Searches(setup, config.workers, threads.crew);
      const asked = new Asked(this.parts.setup, this.parts.memory, request as object);
      return Buffer.from(stringifyJson(await this.searches.answer(asked)));
    }
    if (op === 'agent') return Buffer.from(JSON.stringify(await this.nameAgent(String(name).trim())));
    if (op === 'record names') return Buffer.from(JSON.stringify(this.recording().nameClients(Object(request))));
    // The module is loaded on first use, so that a batch that asks nothing about arenas starts faster.
    if (String(op).startsWith('arena ')) {
      const { answerArena } = await import('./arena-requests.js');
      return Buffer.from(JSON.stringify(answerArena(this.parts.setup, this.parts.memory, request as object)));
    }
    const { answerControl } = await import('./control.js');
    return Buffer.from(stringifyJson(answerControl(this.parts.setup, this.parts.memory, request) ?? null));
  }

  /**
   * Plays the rollouts of a request. Returns an array of float64: for each row, sums of the values by power, then sums
   * of their squares by power.
   * @throws LepantoError if the request is invalid
   */
  private async playRollouts(request: object): Promise<Buffer> {
    const { memory, setup, shared, threads } = this.parts;
    const asked = readRollouts(request, setup.layout);
    this.agent(asked.agent);
    this.checkWhole();
    memory.pull('seeds', asked.first, asked.end);
    const run = (tasks: number): Promise<number> => threads.runTasks('rollouts', tasks);
    return Buffer.from((await runRollouts(asked, setup.map.powerCount, shared.rollouts, run)).buffer);
  }

  /**
   * Adds an agent and loads it, and returns its number. An agent that is already known keeps its number.
   * @param text name of the agent and its options, or the path of its module
   * @throws LepantoError for a text that names no agent
   */
  private async nameAgent(text: string): Promise<number> {
    const known = this.parts.agents.list().includes(text);
    const number = this.parts.agents.add(text);
    if (known) return number;
    try {
      await this.loadAgent(text, number);
    } catch (error) {
      this.parts.agents.drop();
      throw error;
    }
    return number;
  }

  /**
   * Loads an agent in one thread, to check that it can be created. A user's module is loaded in another thread than the
   * server's first, because process.exit() there ends only that thread.
   * @throws LepantoError if the agent cannot be created
   */
  async loadAgent(text: string, number: number): Promise<void> {
    if (isModuleName(text)) await this.parts.threads.crew.standBack();
    await this.parts.threads.runTasks('load', 1, number);
  }

  private readonly performers: Performers<typeof batchCommands, Promise<number>> = {
    step: ({ first, end, on, masked }) => this.step(first, end, on, masked),
    play: ({ count, sampler, agent }) => this.playRandom(...this.plays(count, sampler), this.agent(agent)),
    describe: ({ first, end }) => this.parts.threads.run('describe', ...this.rows(first, end)),
    reset: () => this.renew('reset'),
    load: ({ fresh }) => this.renew('check', fresh),
    reseed: () => this.parts.threads.run('reseed', 0, this.parts.setup.layout.games),
    choose: ({ first, end, agent, seed }) =>
      this.parts.threads.run(
        'choose',
        ...this.rows(first, end),
        agent === BY_EPISODE ? agent : this.agent(agent),
        seed,
      ),
    expand: ({ first, end, fresh }) => this.expand(first, end, fresh),
    write: async () => this.recording().write(),
    engine: ({ ms, sampler }) => this.playEngine(...this.plays(ms, sampler)),
  };
  private readonly perform = performBy(batchCommands, this.performers);

  /**
   * Checks a range of rows, all of games or all of children. Returns it.
   * @param first first row
   * @param end row after the last one
   * @throws LepantoError for a range outside the batch, or if `first` does not begin a chunk
   */
  private rows(first: number, end: number): [number, number] {
    const { games, chunk } = this.parts.setup.layout;
    if (first > games || (first === games && end > games)) return this.childRows(first, end);
    within('first game', first, 0, games);
    if (first % chunk !== 0)
      throw new LepantoError('argument', `first game: got ${first}, wanted a multiple of ${chunk}`);
    return [first, within('end of the games', end, first, games)];
  }
  /**
   * Checks a range of rows of children, which follow the games. Returns it.
   * @param first first row
   * @param end row after the last one
   * @throws LepantoError if a row is not a child's, or if `first` does not begin a chunk
   */
  private childRows(first: number, end: number): [number, number] {
    const { games, children, chunk } = this.parts.setup.layout;
    within('first child', first, games, games + children);
    if ((first - games) % chunk !== 0)
      throw new LepantoError('argument', `first child: got ${first - games}, wanted a multiple of ${chunk}`);
    return [first, within('end of the children', end, first, games + children)];
  }

  private plays(count: number, sampler: number): [number, number] {
    within('sampler', sampler, 0, samplers.length - 1);
    return [within('count', count, 0, 0x7fff_ffff), sampler];
  }

  /**
   * Checks that all games are at the same step.
   * @throws LepantoError if a step has failed halfway, and the games have not all been reset or loaded since
   */
  private checkWhole(): void {
    if (this.broken !== null)
      throw new LepantoError(
        'argument',
        `got a batch whose last step failed (${this.broken}), wanted a reset or a load of all games first`,
      );
  }

  /**
   * Performs work that changes games, and returns its result. If the work fails, marks the batch as broken, because
   * only some games may have changed.
   * @throws LepantoError if the batch is already broken; the error of the work
   */
  private async change(play: () => Promise<number>): Promise<number> {
    this.checkWhole();
    try {
      return await play();
    } catch (error) {
      this.broken = (error as Error).message;
      throw error;
    }
  }

  private agent(number: number): number {
    return within('agent', number, 0, this.parts.agents.list().length);
  }

  private async step(first: number, end: number, toDecision: number, masked: number): Promise<number> {
    const rows = this.rows(first, end);
    this.checkWhole();
    // All actions are checked before any game changes.
    await this.parts.threads.run('decode', ...rows, masked);
    const played = await this.change(() => this.parts.threads.run('apply', ...rows, toDecision, masked));
    if (first < this.parts.setup.layout.games) await this.parts.recorder?.take(...rows);
    return played;
  }

  private playRandom(count: number, sampler: number, agent: number): Promise<number> {
    if (this.parts.recorder !== null)
      throw new LepantoError('argument', 'random steps: got them in a batch that records, wanted steps with actions');
    const { games } = this.parts.setup.layout;
    return this.change(() =>
      agent > 0
        ? this.parts.threads.run('agents', 0, games, count, agent)
        : this.parts.threads.run('random', 0, games, count, sampler),
    );
  }

  /**
   * Resets the games with a set `mask` ('reset'), or takes over the positions that the client wrote for them ('check').
   * A batch that was broken is whole again if this concerned all games.
   * @param fresh for 'check' 1: random streams from `seeds`; 0: the streams that the client wrote
   */
  private async renew(what: 'reset' | 'check', fresh = 0): Promise<number> {
    const { games } = this.parts.setup.layout;
    const value = await this.parts.threads.run(what, 0, games, fresh);
    // The chunks have already pulled their rows of `mask`.
    const mask = this.parts.memory.bytes('mask').subarray(0, games);
    this.parts.recorder?.forget(mask, what === 'reset');
    if (this.broken !== null && mask.every((one) => one === 1)) this.broken = null;
    return value;
  }

  /**
   * Copies the rows in `parents` to rows first .. end - 1, which are children, and plays the `actions` of the children.
   * @param fresh 1: random streams from `seeds`; 0: the parents' random streams
   * @throws LepantoError for a parent that is not a row before `first`, and for an illegal action
   */
  private async expand(first: number, end: number, fresh: number): Promise<number> {
    const { threads, memory } = this.parts;
    const rows = this.childRows(first, end);
    this.checkWhole();
    memory.pull('parents', ...rows);
    for (const parent of memory.int32('parents').subarray(...rows)) within('parent', parent, 0, Math.max(0, first - 1));
    await threads.run('copy', ...rows, fresh);
    await threads.run('decode', ...rows);
    return threads.run('apply', ...rows);
  }

  private recording(): Recorder {
    const { recorder } = this.parts;
    if (recorder === null) throw new LepantoError('argument', 'record: got none, wanted a batch that records');
    return recorder;
  }

  private async playEngine(milliseconds: number, sampler: number): Promise<number> {
    const { threads, config } = this.parts;
    await threads.crew.ready('all');
    return threads.runTasks('engine', config.workers, milliseconds, sampler);
  }
}

/**
 * Opens the recorder of a batch, or returns null if the batch does not record. The module is loaded on demand, for a
 * faster start.
 * @throws LepantoError if the directory is not empty or cannot be created
 */
const openRecorder = async (
  { config, setup, agents, memory }: Omit<Parts, 'shared' | 'threads' | 'recorder'>,
  { log }: ThreadMemory,
): Promise<Recorder | null> => {
  if (config.record === null) return null;
  const module = await import('./recorder.js');
  const phases = new GameLog(log, setup.layout.games);
  return new module.Recorder(config.record, config, setup, agents, phases, memory.bytes('seats'));
};

const start = async (pipe: Pipe, config: ServerConfig): Promise<void> => {
  const setup = setUp(config);
  const { layout } = setup;
  ftruncateSync(config.fd, layout.size);
  const memory = new Memory(layout, config.fd);
  const shared = makeThreadMemory(config, setup);
  const agents = new NamedAgents(shared.agentTexts);
  for (const text of Object.values(config.opponents)) agents.add(text);
  const core = new Core(config, setup, memory, shared);
  const recorder = await openRecorder({ config, setup, agents, memory }, shared);
  const threads = new ServerThreads({ config, memory, shared, core });
  endWithClient(config.parent);
  const server = new Server({ config, setup, memory, shared, threads, agents, recorder });
  for (const [i, text] of agents.list().entries()) await server.loadAgent(text, i + 1);
  writeOut(Buffer.from(`${handshake(setup, memory)}\n`));
  await server.serve(pipe);
  await recorder?.write();
};

await runServer('server', () => {
  const pipe = new Pipe();
  return start(pipe, readConfig(JSON.parse(pipe.line())));
});
