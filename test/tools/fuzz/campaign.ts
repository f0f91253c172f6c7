// What a campaign is, and how what a command did is judged: from outside, as its user sees it.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Random } from '../../../engine/rules/random.js';
import { entry } from '../command.js';
import { runWatched, type Watched, type WatchOptions } from '../peak-memory.js';
import { streamFor } from './random-input.js';

/** What went wrong, by class. */
export const faultKinds = ['trace', 'words', 'code', 'hang', 'memory', 'answers', 'lines', 'kept'] as const;
export type FaultKind = (typeof faultKinds)[number];
/** A fault: its class, and a description. */
export type Fault = readonly [FaultKind, string];

export interface Finding {
  readonly campaign: string;
  readonly round: number;
  readonly kind: FaultKind;
  readonly command: readonly string[];
  readonly what: string;
}

/** Half a gigabyte, and a time that no input of this size needs. */
export interface Bounds {
  readonly megabytes: number;
  readonly seconds: number;
}

export interface SessionOptions {
  readonly seed: number;
  /** For the files of this session; the caller removes it. */
  readonly directory: string;
  /** The compiled command. Default: the one of this tree. */
  readonly lepanto?: string;
  readonly bounds?: Bounds;
}

/** Words of V8 and of Node that speak to programmers. */
const INNER_WORDS =
  /internal error|Cannot (read|set|convert|destructure)|is not (a function|iterable|defined|a constructor)|undefined \(reading|Maximum call stack|Invalid (array|string|typed array) length|heap out of memory|ERR_[A-Z_]+|node:internal|\[object Object\]/;
const STACK_TRACE = /^\s+at .*[:(]\d+:\d+\)?$/m;

/** A place to try commands, with files of its own. */
export class Session {
  readonly seed: number;
  readonly directory: string;
  readonly bounds: Bounds;
  readonly lepanto: string;

  constructor({ seed, directory, lepanto = entry, bounds = { megabytes: 500, seconds: 30 } }: SessionOptions) {
    this.seed = seed;
    this.directory = directory;
    this.bounds = bounds;
    this.lepanto = lepanto;
  }

  /** A directory of this name, which may be there already. */
  place(...names: string[]): string {
    const path = join(this.directory, ...names);
    mkdirSync(path, { recursive: true });
    return path;
  }

  write(path: string, content: string | Uint8Array): string {
    writeFileSync(path, content);
    return path;
  }

  run(args: readonly string[], options: WatchOptions = {}): Promise<Watched> {
    const { bounds, directory, lepanto } = this;
    return runWatched(args, { cwd: directory, seconds: bounds.seconds, lepanto, ...options });
  }

  /** The compiled batch server beside the command. */
  get server(): string {
    return join(dirname(this.lepanto), '..', 'python', 'server', 'main.js');
  }

  /** What is wrong with the way a command ended; null if nothing is. */
  judge({ code, out, err, megabytes, seconds }: Watched, codes: readonly number[]): Fault | null {
    const said = `${err}\n${out}`;
    if (code === null) return ['hang', `ended by the limit of ${this.bounds.seconds} s, after ${seconds.toFixed(0)} s`];
    const fault = inner(said);
    if (fault !== null) return fault;
    if (megabytes > this.bounds.megabytes) return ['memory', `${megabytes.toFixed(0)} MB`];
    if (!codes.includes(code)) return ['code', `exit code ${code}, wanted ${codes.join(' or ')}: ${err.slice(0, 200)}`];
    if (code === 2 && !/^lepanto: [^\n]+\n$/.test(err))
      return ['lines', `exit code 2 with ${JSON.stringify(err.slice(0, 200))}`];
    return null;
  }
}

/** Makes something once for a session. */
export const oncePerSession = <T>(make: (session: Session) => Promise<T>): ((session: Session) => Promise<T>) => {
  const made = new WeakMap<Session, Promise<T>>();
  return (session) => {
    const known = made.get(session) ?? make(session);
    made.set(session, known);
    return known;
  };
};

/** One round of a campaign: what it draws from, and what it has tried and found. */
export class Round {
  readonly random: Random;
  readonly findings: Finding[] = [];
  /** Lines, games, files or commands that were tried. */
  tries = 1;

  constructor(
    readonly session: Session,
    readonly campaign: string,
    readonly number: number,
  ) {
    this.random = streamFor(session.seed, campaign, number);
  }

  /** A directory of this campaign, which may be there already. */
  place(...names: string[]): string {
    return this.session.place(this.campaign, ...names);
  }

  found(kind: FaultKind, command: readonly string[], what: string): void {
    this.findings.push({ campaign: this.campaign, round: this.number, kind, command, what });
  }

  /** Keeps the input of what was found where the caller looks for it; nothing if nothing was found. */
  keep(name: string, content: string | Uint8Array): void {
    const { campaign, findings, number, session } = this;
    if (findings.length > 0) session.write(join(session.place('findings', campaign), `${number}${name}`), content);
  }

  /** Runs a command. @returns how it ended; null if that is a finding */
  async run(command: readonly string[], codes = [0, 1], options: WatchOptions = {}): Promise<Watched | null> {
    const ended = await this.session.run(command, options);
    const fault = this.session.judge(ended, codes);
    if (fault === null) return ended;
    this.found(fault[0], command, fault[1]);
    return null;
  }

  /** Runs commands that read what was changed; those that must refuse it and do not are findings too. */
  async read(
    commands: readonly (readonly string[])[],
    refused: (command: readonly string[]) => boolean,
  ): Promise<void> {
    for (const command of commands)
      if ((await this.run(command))?.code === 0 && refused(command)) this.found('kept', command, 'exit code 0');
  }
}

/** Returns commands that read all games of a run or a file, and must report damage. */
export const readersOf = (run: string): readonly (readonly string[])[] => [
  ['replay', run, '--verify', '--quiet'],
  ['convert', run, '--quiet'],
  ['stats', run, '--quiet'],
];

/** The line of a text in which an expression was found. */
const excerpt = (text: string, wanted: RegExp): string => {
  const found = wanted.exec(text)?.index ?? 0;
  return text
    .slice(text.lastIndexOf('\n', found) + 1)
    .slice(0, 300)
    .trim();
};

/** What in an output is for programmers: a stack trace, or words of V8. */
export const inner = (text: string): Fault | null => {
  if (STACK_TRACE.test(text)) return ['trace', excerpt(text, STACK_TRACE)];
  return INNER_WORDS.test(text) ? ['words', excerpt(text, INNER_WORDS)] : null;
};

export interface Campaign {
  readonly name: string;
  /** For people: what is tried. */
  readonly about: string;
  /** Tries what follows from the seed and the number of the round. */
  readonly play: (round: Round) => Promise<void>;
}
