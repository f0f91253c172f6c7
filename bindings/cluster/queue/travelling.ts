// What travels with a job: code of users and the files that options of agents name. A worker plays the agents of a job by
// nameAgents() alone, so that whatever they name is what has travelled, and nothing else that lies on its disk.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, extname, join, resolve } from 'node:path';
import { refuse } from '../../../engine/rules/shape.js';
import { agentKinds } from '../../../selfplay/agents/registry.js';
import { type AgentName, formatAgentName, readAgentName } from '../../../selfplay/question/agent-name.js';
import { contentHash } from '../../../selfplay/question/file-hash.js';
import { formatAgent, parseKind } from '../../../selfplay/question/parse-kind.js';
import { readError } from '../../../selfplay/records/whole-file.js';
import { packageRoot } from '../../../selfplay/version.js';

/** User code that travels with a job. */
export interface TravellingCode {
  /** As the agents of the spec begin: './my-agent.js', or 'exec:COMMAND'. */
  readonly name: string;
  /** First sixteen hexadecimal digits of the SHA-256 of the code. */
  readonly hash: string;
  /** Source of the module; null for a command, which must be installed on the worker's machine. */
  readonly source: string | null;
}

/** A file that an option of an agent names: weights of a net. Its bytes are in Redis, under keyOfFiles(). */
export interface TravellingFile {
  /** As the option has it. */
  readonly name: string;
  /** First sixteen hexadecimal digits of the SHA-256 of the file. */
  readonly hash: string;
}

/** Largest file that travels, in bytes. A value in Redis has at most 512 MB. */
export const MOST_FILE_BYTES = 1 << 28;

/** Says what stands for the code and for the files that agents name. Each function throws for what may not be named. */
export interface Names {
  /** Returns the name to use in place of that of a module or a command. */
  readonly code: (named: AgentName) => string;
  /** Returns the path to use in place of the value of a file option. */
  readonly file: (path: string) => string;
}

/** Writes the texts of agents with other names of code and files. @throws LepantoError for an agent that is none */
export const nameAgents = (agents: readonly string[], names: Names): string[] =>
  agents.map((text) => {
    const named = readAgentName(text);
    if (named.kind !== 'kind') return formatAgentName({ ...named, name: names.code(named) });
    const { kind, options } = parseKind(text, agentKinds);
    const files = Object.entries(kind.options).flatMap(([key, option]) =>
      'file' in option && options[key] !== option.default ? [[key, names.file(String(options[key]))] as const] : [],
    );
    if (files.length === 0) return formatAgentName(named);
    return formatAgent({ name: kind.name, options: { ...options, ...Object.fromEntries(files) } });
  });

/** Reads a file that travels. @throws LepantoError that names it */
const readFile = (path: string): Buffer => {
  try {
    const found = statSync(path);
    if (!found.isFile() || found.size > MOST_FILE_BYTES)
      refuse(
        `${path}: got ${found.isFile() ? `${found.size} bytes` : 'no regular file'}, wanted a file of at most ${MOST_FILE_BYTES} bytes`,
      );
    return readFileSync(path);
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === undefined ? error : readError(path, error);
  }
};

/** Reads what travels with agents. @throws LepantoError for a module or a file that cannot be read */
export const findTravelling = (agents: readonly string[]): { modules: TravellingCode[]; files: TravellingFile[] } => {
  const modules = new Map<string, TravellingCode>();
  const commands = new Map<string, TravellingCode>();
  const files = new Map<string, TravellingFile>();
  nameAgents(agents, {
    code: (named) => {
      if (named.kind === 'command') {
        const name = formatAgentName(named);
        commands.set(name, { name, hash: contentHash(name), source: null });
      } else if (!modules.has(named.name)) {
        const source = readFile(resolve(named.name)).toString('utf8');
        modules.set(named.name, { name: named.name, hash: contentHash(source), source });
      }
      return named.name;
    },
    file: (name) => {
      if (!files.has(name)) files.set(name, { name, hash: contentHash(readFile(resolve(name))) });
      return name;
    },
  });
  return { modules: [...modules.values(), ...commands.values()], files: [...files.values()] };
};

/** Reads the bytes of files that travel, by hash. @throws LepantoError for a file that has changed since the job was made */
export const readTravelling = (files: readonly TravellingFile[]): Map<string, Buffer> =>
  new Map(
    files.map(({ name, hash }) => {
      const bytes = readFile(resolve(name));
      if (contentHash(bytes) !== hash) refuse(`${name}: got a file that has changed since the run began`);
      return [hash, bytes];
    }),
  );

/** What travels that runs on a worker only if its owner allows it: code of users, and models that a native library reads. */
export const codeAmong = (job: {
  readonly modules: readonly TravellingCode[];
  readonly files: readonly TravellingFile[];
}): readonly TravellingCode[] => [
  ...job.modules,
  ...job.files.filter(({ name }) => extname(name) === '.onnx').map((file) => ({ ...file, source: null })),
];

/** The folder of a worker in which lies what has travelled. Each content is written once, under its hash. */
export class TravelledFiles {
  private folder: string | null = null;
  private readonly written = new Set<string>();

  /** Writes a module, and returns its path. */
  module({ name, hash }: TravellingCode, source: string): string {
    const folder = this.folderOf(hash);
    if (!this.written.has(hash)) {
      mkdirSync(join(folder, 'node_modules'), { recursive: true });
      // So that a module may import from 'lepanto', as it does at home.
      symlinkSync(packageRoot, join(folder, 'node_modules', 'lepanto'), 'dir');
      writeFileSync(join(folder, 'package.json'), '{"type":"module"}\n');
      this.written.add(hash);
    }
    return this.write(join(folder, basename(name)), source);
  }

  /** Returns the path of a file, and whether it is there. */
  file({ name, hash }: TravellingFile): { readonly path: string; readonly isThere: boolean } {
    const [extension = ''] = /\.\w{1,16}$/.exec(name) ?? [];
    const path = `${this.folderOf(hash)}${extension}`;
    return { path, isThere: this.written.has(path) };
  }

  /** Writes a file. */
  write(path: string, content: string | Uint8Array): string {
    if (!this.written.has(path)) writeFileSync(path, content);
    this.written.add(path);
    return path;
  }

  /** Removes the folder. */
  remove(): void {
    if (this.folder !== null) rmSync(this.folder, { recursive: true, force: true });
  }

  private folderOf(hash: string): string {
    this.folder ??= mkdtempSync(join(tmpdir(), 'lepanto-worker-'));
    // The texts of agents divide at colons.
    if (this.folder.includes(':')) refuse(`TMPDIR: got ${tmpdir()}, wanted a path without a colon`);
    return join(this.folder, hash);
  }
}
