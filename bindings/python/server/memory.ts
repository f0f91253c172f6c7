// The memory of a batch, and the rows that a step may have to be played again from.
import { type Section, SharedArrays } from '../../formats/arrays/shared-arrays.js';
import type { Layout } from './layout.js';

/** The memory of a batch. */
export class Memory extends SharedArrays {
  private readonly stepped: readonly Section[] = this.layout.sections.filter(({ stepped }) => stepped);

  /** @param copy see SharedArrays */
  constructor(
    readonly layout: Layout,
    fd: number,
    copy?: SharedArrayBuffer | null,
  ) {
    super(layout, fd, copy);
  }

  /** True if `mask` has one of rows first .. end. */
  isMasked(first: number, end: number): boolean {
    const { offset } = this.section('mask');
    return this.all.subarray(offset + first, offset + end).some((one) => one !== 0);
  }

  /** Keeps what a step of rows first .. end (one chunk at most) reads and writes, in the place of a thread. */
  keepRows(thread: number, first: number, end: number): void {
    const { undo, chunk } = this.layout;
    let at = undo.offset + thread * undo.size;
    for (const { offset, rowBytes } of this.stepped) {
      this.all.copyWithin(at, offset + first * rowBytes, offset + end * rowBytes);
      at += chunk * rowBytes;
    }
  }
  /** Puts rows back as keepRows() found them. */
  restoreRows(thread: number, first: number, end: number): void {
    const { undo, chunk } = this.layout;
    let at = undo.offset + thread * undo.size;
    for (const { offset, rowBytes } of this.stepped) {
      this.all.copyWithin(offset + first * rowBytes, at, at + (end - first) * rowBytes);
      at += chunk * rowBytes;
    }
  }
}
