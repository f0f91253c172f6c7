// Collects and unpacks the user code and files of options that travel with a job. A worker passes all agents of a job
// through nameAgents(), so that they can name only what travelled with the job, and no other file of the worker's disk.
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
  /** Name in the agents of the spec: './my-agent.js' or 'exec:COMMAND'. */
  readonly name: string;
  /** First sixteen hexadecimal digits of the SHA-256 of the code. */
  readonly hash: string;
  /** Source of the module; null for a command, which must be installed on the worker's machine. */
  readonly source: string | null;
}

/** A file that an option of an agent names, such as weights of a net. Its bytes are in Redis, under keyOfFiles(). */
export interface TravellingFile {
  /** Path of the file, as the option names it. */
  readonly name: string;
  /** First sixteen hexadecimal digits of the SHA-256 of the file. */
  readonly hash: string;
}

/** Largest file that travels, in bytes. A value in Redis has at most 512 MB. */
export const MOST_FILE_BYTES = 1 << 28;

/** Replacements for the code and the files that agents name. A function throws for a name that is not allowed. */
export interface Names {
  /** Returns the name that replaces the name of a module or command. */
  readonly code: (named: AgentName) => string;
  /** Returns the path that replaces the value of a file option. */
  readonly file: (path: string) => string;
}

/** Returns the texts of agents with replaced names of code and files. @throws LepantoError for an invalid agent */
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

/** Reads a travelling file. @throws LepantoError naming the file if it cannot be read or is too large */
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

/** Finds the modules, commands and files that travel with agents. @throws LepantoError if one cannot be read */
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

/**
 * Reads the bytes of travelling files, keyed by hash.
 * @throws LepantoError for a file changed since the job was made
 */
export const readTravelling = (files: readonly TravellingFile[]): Map<string, Buffer> =>
  new Map(
    files.map(({ name, hash }) => {
      const bytes = readFile(resolve(name));
      if (contentHash(bytes) !== hash) refuse(`${name}: got a file that has changed since the run began`);
      return [hash, bytes];
    }),
  );

/**
 * Returns the code of a job that may run only with the permission of a worker's owner: modules, commands, and .onnx
 * models, which a native library reads.
 */
export const codeAmong = (job: {
  readonly modules: readonly TravellingCode[];
  readonly files: readonly TravellingFile[];
}): readonly TravellingCode[] => [
  ...job.modules,
  ...job.files.filter(({ name }) => extname(name) === '.onnx').map((file) => ({ ...file, source: null })),
];

/** A worker's folder of modules and files that travelled with jobs. Each content is written once, under its hash. */
export class TravelledFiles {
  private folder: string | null = null;
  private readonly written = new Set<string>();

  /** Writes the source of a module to the folder, unless it is there, and returns its path. */
  module({ name, hash }: TravellingCode, source: string): string {
    const folder = this.folderOf(hash);
    if (!this.written.has(hash)) {
      mkdirSync(join(folder, 'node_modules'), { recursive: true });
      // Lets a module import from 'lepanto', as on the machine of the run.
      symlinkSync(packageRoot, join(folder, 'node_modules', 'lepanto'), 'dir');
      writeFileSync(join(folder, 'package.json'), '{"type":"module"}\n');
      this.written.add(hash);
    }
    return this.write(join(folder, basename(name)), source);
  }

  /** Returns the path of a file in the folder. isThere: true if it has been written. */
  file({ name, hash }: TravellingFile): { readonly path: string; readonly isThere: boolean } {
    const [extension = ''] = /\.\w{1,16}$/.exec(name) ?? [];
    const path = `${this.folderOf(hash)}${extension}`;
    return { path, isThere: this.written.has(path) };
  }

  /** Writes a file unless it has been written, and returns its path. */
  write(path: string, content: string | Uint8Array): string {
    if (!this.written.has(path)) writeFileSync(path, content);
    this.written.add(path);
    return path;
  }

  /** Removes the folder with all its files. */
  remove(): void {
    if (this.folder !== null) rmSync(this.folder, { recursive: true, force: true });
  }

  private folderOf(hash: string): string {
    this.folder ??= mkdtempSync(join(tmpdir(), 'lepanto-worker-'));
    // Agent names are split at colons.
    if (this.folder.includes(':')) refuse(`TMPDIR: got ${tmpdir()}, wanted a path without a colon`);
    return join(this.folder, hash);
  }
}
