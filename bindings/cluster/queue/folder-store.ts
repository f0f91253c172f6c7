// Stores results in a folder that all machines share.
//
//   FOLDER/run.json     id of the run, by which a machine recognises the shared folder
//   FOLDER/3.lep        games of task 3
//   FOLDER/3.payload    head of its payload, written after the file is complete
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { refuse } from '../../../engine/rules/shape.js';
import { makeDirectories, writeWhole } from '../../../selfplay/records/whole-file.js';
import { checkPayload, checkSize, MAX_HEAD, type Payload, type PayloadHead, readHead } from './payload.js';
import type { Store } from './store.js';

const MARK = 'run.json';
const HEAD = /^(\d+)\.payload$/;

/** Returns the path of a task's games in the folder of a store. */
export const fileOfTask = (folder: string, task: number): string => join(folder, `${task}.lep`);

export class FolderStore implements Store {
  constructor(
    readonly folder: string,
    private readonly run: string,
  ) {}

  async isOpen(): Promise<boolean> {
    try {
      return (JSON.parse(readFileSync(join(this.folder, MARK), 'utf8')) as { run?: unknown }).run === this.run;
    } catch {
      return false;
    }
  }

  async has(task: number): Promise<boolean> {
    return existsSync(this.headOf(task));
  }

  /**
   * Writes the head of a task's result, whose games are already in a file of the folder.
   * @throws LepantoError naming the file if it cannot be written
   */
  async put(head: PayloadHead): Promise<void> {
    writeWhole(this.headOf(head.task), `${JSON.stringify(head)}\n`);
  }

  async tasks(): Promise<number[]> {
    return readdirSync(this.folder)
      .flatMap((name) => HEAD.exec(name)?.[1] ?? [])
      .map(Number);
  }

  async take(task: number, most: number): Promise<Payload | null> {
    const path = fileOfTask(this.folder, task);
    if (!existsSync(path) || !existsSync(this.headOf(task))) {
      // Removes a head without a file, which a coordinator left that ended before removing it.
      rmSync(this.headOf(task), { force: true });
      return null;
    }
    if (statSync(this.headOf(task)).size > MAX_HEAD) refuse(`${this.headOf(task)}: got more than ${MAX_HEAD} bytes`);
    const head = readHead(readFileSync(this.headOf(task), 'utf8'));
    const { size } = statSync(path);
    checkSize({ ...head, size: Math.max(size, head.size) }, most);
    const bytes = readFileSync(path);
    checkPayload(head, bytes);
    return { head, bytes, path };
  }

  async remove(task: number): Promise<void> {
    rmSync(this.headOf(task), { force: true });
    rmSync(fileOfTask(this.folder, task), { force: true });
  }

  async open(): Promise<void> {
    makeDirectories(this.folder);
    writeWhole(join(this.folder, MARK), `${JSON.stringify({ run: this.run })}\n`);
  }

  async clear(): Promise<void> {
    rmSync(this.folder, { recursive: true, force: true });
  }

  private headOf(task: number): string {
    return join(this.folder, `${task}.payload`);
  }
}
