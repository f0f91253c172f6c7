// Keeps results in a folder that all machines see.
//
//   FOLDER/run.json     the id of the run: a machine that finds it there sees the same folder
//   FOLDER/3.lep        the games of part 3
//   FOLDER/3.parcel     the head of its parcel, written once the file is whole
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeWhole } from '../../../selfplay/records/whole-file.js';
import { checkParcel, type Parcel, type ParcelHead, readHead } from './parcel.js';
import type { Store } from './store.js';

const MARK = 'run.json';
const HEAD = /^(\d+)\.parcel$/;

/** File of a part in the folder of a store. */
export const fileOfPart = (folder: string, part: number): string => join(folder, `${part}.lep`);

export class FolderStore implements Store {
  readonly folder: string;
  private readonly run: string;

  constructor(folder: string, run: string) {
    this.folder = folder;
    this.run = run;
  }

  async isOpen(): Promise<boolean> {
    try {
      return (JSON.parse(readFileSync(join(this.folder, MARK), 'utf8')) as { run?: unknown }).run === this.run;
    } catch {
      return false;
    }
  }

  async has(part: number): Promise<boolean> {
    return existsSync(this.headOf(part));
  }

  /** @throws LepantoError that names the file, if the disk does not take it */
  async put(head: ParcelHead): Promise<void> {
    writeWhole(this.headOf(head.part), `${JSON.stringify(head)}\n`);
  }

  async parts(): Promise<number[]> {
    return readdirSync(this.folder)
      .flatMap((name) => HEAD.exec(name)?.[1] ?? [])
      .map(Number);
  }

  async take(part: number): Promise<Parcel | null> {
    const path = fileOfPart(this.folder, part);
    let text: string;
    let bytes: Buffer;
    try {
      text = readFileSync(this.headOf(part), 'utf8');
      bytes = readFileSync(path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      // A head without a file was left by a coordinator that has ended between the two.
      rmSync(this.headOf(part), { force: true });
      return null;
    }
    const head = readHead(text);
    checkParcel(head, bytes);
    return { head, bytes, path };
  }

  async remove(part: number): Promise<void> {
    rmSync(this.headOf(part), { force: true });
    rmSync(fileOfPart(this.folder, part), { force: true });
  }

  async open(): Promise<void> {
    mkdirSync(this.folder, { recursive: true });
    writeWhole(join(this.folder, MARK), `${JSON.stringify({ run: this.run })}\n`);
  }

  async clear(): Promise<void> {
    rmSync(this.folder, { recursive: true, force: true });
  }

  private headOf(part: number): string {
    return join(this.folder, `${part}.parcel`);
  }
}
