// Runs a bot process that answers requests for orders (bindings/protocols/BOT-PROTOCOL.md). Sends requests in batches,
// kills the process when it exceeds its time limit, and starts it again when it exits.

import { isUtf8 } from 'node:buffer';
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { LineSplitter, MAX_LINE } from '../../../engine/notation/json/lines.js';
import { LepantoError } from '../../../engine/rules/error.js';
import { lepantoVersion } from '../../version.js';
import { type Hello, PROTOCOL, PROTOCOL_VERSION, type Request, readHello } from './protocol.js';

/** Number of consecutive exits without an answer after which the process is not started again. */
const MOST_ENDS = 5;
/**
 * Time limit for the first line (hello) of a process, in milliseconds. BotOptions.limit is used instead if it is
 * longer.
 */
const HELLO_MS = 5000;

/** Options of a bot process. */
export interface BotOptions {
  /** Shell command, such as 'python3 my_bot.py'. */
  readonly command: string;
  /** Name of the map and name of the rules, which the first line to the process contains. */
  readonly map: string;
  readonly rules: string;
  /** Time limit for each request, in milliseconds; 0 for no limit. A line with n requests has n times as long. */
  readonly limit: number;
  /** Called before a process starts. A new process knows no games yet. */
  readonly onStart: () => void;
  /**
   * Called with the kind and a description of an error, before the request resolves without an answer. 'silent': no
   * answer in time. 'ended': the process exited twice. 'garbled': the answer is invalid.
   */
  readonly onTrouble: (trouble: 'silent' | 'ended' | 'garbled', what: string) => void;
}

type Child = ChildProcessByStdio<Writable, Readable, null>;

/** Result of a request to a bot process. */
export interface Answered {
  /** Answer of the bot as parsed JSON; null if there is none. */
  readonly answer: unknown;
  /** Wall-clock time that the request took, in seconds. The time of a line is divided equally among its requests. */
  readonly seconds: number;
}

/** A request that waits for its answer. */
interface Asked {
  /** Description of the request for messages, such as 'FRANCE in S1901M of game 12'. */
  readonly where: string;
  /**
   * Returns the request for a process, or null if the process should not be asked.
   * @param hello first line of the process
   */
  readonly make: (hello: Hello) => Request | null;
  readonly resolve: (answered: Answered | null) => void;
  readonly reject: (error: Error) => void;
  /** True if the process has exited once during this request. After a second exit the request is not sent again. */
  again: boolean;
}

const living = new Set<Child>();

const isWindows = process.platform === 'win32';

/**
 * Shell script that runs a command in a process group of its own. The group ends when this thread ends for any reason:
 * a shell in the group waits for the end of a pipe that only this thread holds. Exceptions: on Windows bots survive if
 * this process is killed, and on any system if they leave their group (setsid).
 */
const LEASHED = '(read -r _ <&3; kill -9 0) </dev/null >/dev/null 2>&1 & exec sh -c "$1" 3<&-';

const startGroup = (command: string): Child =>
  isWindows
    ? spawn(command, { shell: true, stdio: ['pipe', 'pipe', 'inherit'] })
    : (spawn('/bin/sh', ['-c', LEASHED, 'sh', command], {
        detached: true,
        stdio: ['pipe', 'pipe', 'inherit', 'pipe'],
      }) as unknown as Child);

/** Kills the shell of a command and all processes of its group. */
const endGroup = (child: Child): void => {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    child.kill('SIGKILL');
  }
};

process.on('exit', () => living.forEach(endGroup));

/**
 * Decodes UTF-8. Invalid bytes become a lone surrogate, which valid UTF-8 cannot contain, so that later checks reject
 * the message.
 */
const decode = (bytes: Buffer): string =>
  isUtf8(bytes) ? bytes.toString('utf8') : bytes.toString('utf8').replaceAll('\uFFFD', '\uD800');

/**
 * Process of an `exec:COMMAND` agent. It answers for all games of one map and rules in one thread. It is started when
 * it is first asked.
 */
export class BotProcess {
  private child: Child | null = null;
  private hello: Hello | null = null;
  private splitter = new LineSplitter(decode);
  private readonly line: Asked[] = [];
  /** Requests of the last line that are not answered, keyed by id. */
  private readonly sent = new Map<number, Asked>();
  /** `sentAt`: time when the last line was sent (performance.now()). `sentCount`: number of its requests. */
  private sentAt = 0;
  private sentCount = 1;
  private timer: NodeJS.Timeout | undefined;
  private nextId = 0;
  private ends = 0;
  private failure: Error | null = null;
  private isScheduled = false;

  constructor(private readonly options: BotOptions) {}

  /**
   * Sends a request and resolves with the result; with null if `make` returned null. Rejects with a LepantoError if the
   * process cannot be used.
   * @param where description of the request, for messages
   */
  ask(where: string, make: Asked['make']): Promise<Answered | null> {
    return new Promise((resolve, reject) => {
      this.line.push({ where, make, resolve, reject, again: false });
      this.schedule();
    });
  }

  /** Tells the process that a game is over. Does nothing if no process runs. @param game name of the game */
  end(game: string): void {
    if (this.child !== null && this.hello !== null) this.write({ end: game });
  }

  /** Sends the waiting requests at the next turn of the event loop, so that requests made until then share a line. */
  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      this.send();
    });
  }

  private send(): void {
    if (this.failure !== null) this.giveUp(this.failure);
    else if (this.line.length > 0 && this.child === null) this.start();
    else if (this.line.length > 0 && this.hello !== null && this.sent.size === 0) this.sendLine(this.hello);
  }

  private sendLine(hello: Hello): void {
    const requests: Request[] = [];
    while (this.line.length > 0 && requests.length < hello.batch) {
      const [asked] = this.line.splice(0, 1);
      const request = asked.make(hello);
      if (request === null) {
        asked.resolve(null);
        continue;
      }
      const id = this.nextId++;
      this.sent.set(id, asked);
      requests.push({ ...request, id });
    }
    if (requests.length === 0) return;
    this.sentAt = performance.now();
    this.sentCount = requests.length;
    this.write(requests.length === 1 ? requests[0] : requests);
    this.wait(this.options.limit * requests.length);
  }

  private write(value: object): void {
    this.child?.stdin.write(`${JSON.stringify(value)}\n`);
  }

  /**
   * Starts a timer that kills the process unless it answers within the given time. Does nothing without a time limit.
   */
  private wait(milliseconds: number): void {
    if (this.options.limit === 0) return;
    this.timer = setTimeout(() => {
      const what = `no answer in ${milliseconds / 1000} s`;
      if (this.hello === null) this.failure = new LepantoError('agent', `got no hello in ${milliseconds / 1000} s`);
      for (const asked of this.drop()) this.refuse(asked, 'silent', what);
      this.stop();
      this.schedule();
    }, milliseconds);
  }

  private start(): void {
    const { command, map, rules, onStart } = this.options;
    onStart();
    const child = startGroup(command);
    this.child = child;
    living.add(child);
    this.hello = null;
    this.splitter = new LineSplitter(decode);
    child.stdin.on('error', () => {});
    child.stdout.on('data', (chunk: Buffer) => {
      if (this.child === child) this.read(chunk);
    });
    child.once('error', (error) => this.onEnd(child, error.message));
    // Kills children of the command and the waiting shell.
    child.once('exit', () => endGroup(child));
    child.once('close', (code, signal) => this.onEnd(child, signal ?? `exit code ${code}`));
    // The process must not keep this thread alive.
    child.unref();
    for (const stream of child.stdio) (stream as unknown as { unref?: () => void } | null)?.unref?.();
    const hello = { protocol: PROTOCOL, version: PROTOCOL_VERSION, name: `lepanto ${lepantoVersion}`, map, rules };
    this.write({ hello });
    this.wait(Math.max(HELLO_MS, this.options.limit));
  }

  private read(chunk: Buffer): void {
    for (const text of this.splitter.split(chunk)) {
      if (text !== null && text.trim() === '') continue;
      let value: unknown;
      try {
        value = text === null ? undefined : JSON.parse(text);
      } catch {
        value = undefined;
      }
      if (this.hello === null) this.greet(value);
      else this.take(value, text);
      if (this.child === null) return;
    }
  }

  private greet(value: unknown): void {
    clearTimeout(this.timer);
    try {
      this.hello = readHello(value);
    } catch (error) {
      this.failure = error as Error;
      this.stop();
    }
    this.schedule();
  }

  private take(value: unknown, text: string | null): void {
    clearTimeout(this.timer);
    this.ends = 0;
    const answers: readonly unknown[] = Array.isArray(value) ? value : [value];
    for (const answer of answers) {
      const id = typeof answer === 'object' && answer !== null ? (answer as { readonly id?: unknown }).id : undefined;
      const asked = typeof id === 'number' ? this.sent.get(id) : undefined;
      if (asked === undefined) continue;
      this.sent.delete(id as number);
      asked.resolve({ answer, seconds: this.secondsEach() });
    }
    // A line of answers must answer every request of the line before.
    const got = text === null ? `a line of more than ${MAX_LINE} bytes` : JSON.stringify(text.slice(0, 100));
    for (const asked of this.drop())
      this.refuse(asked, 'garbled', `got ${got}, wanted an answer with the id of each request`);
    this.schedule();
  }

  private refuse(asked: Asked, ...[trouble, what]: Parameters<BotOptions['onTrouble']>): void {
    this.options.onTrouble(trouble, `${asked.where}: ${what}`);
    asked.resolve({ answer: null, seconds: this.secondsEach() });
  }

  private secondsEach(): number {
    return (performance.now() - this.sentAt) / 1000 / this.sentCount;
  }

  private drop(): Asked[] {
    clearTimeout(this.timer);
    const dropped = [...this.sent.values()];
    this.sent.clear();
    return dropped;
  }

  private onEnd(child: Child, how: string): void {
    living.delete(child);
    if (this.child !== child) return;
    this.child = null;
    this.ends++;
    if (this.ends >= MOST_ENDS || (this.hello === null && this.ends > 1))
      this.failure = new LepantoError('agent', `ended ${this.ends} times without an answer (${how})`);
    for (const asked of this.drop().reverse())
      if (asked.again) this.refuse(asked, 'ended', how);
      else this.line.unshift({ ...asked, again: true });
    this.schedule();
  }

  private giveUp(failure: Error): void {
    for (const asked of [...this.drop(), ...this.line.splice(0)]) asked.reject(failure);
  }

  private stop(): void {
    if (this.child !== null && living.delete(this.child)) endGroup(this.child);
    this.child = null;
  }
}
