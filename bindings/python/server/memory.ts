// The memory that a batch shares with its client, with saved rows for the repetition of a failed step.
import { type Section, SharedArrays } from '../../formats/arrays/shared-arrays.js';
import type { Layout } from './layout.js';

/** The shared memory of a batch: named arrays with one row for each game or child. */
export class Memory extends SharedArrays {
  private readonly stepped: readonly Section[] = this.layout.sections.filter(({ stepped }) => stepped);

  /**
   * Opens the memory.
   * @param layout places of the arrays
   * @param fd file descriptor of the shared memory
   * @param copy see SharedArrays
   */
  constructor(
    readonly layout: Layout,
    fd: number,
    copy?: SharedArrayBuffer | null,
  ) {
    super(layout, fd, copy);
  }

  /** True if `mask` is set for at least one of rows first .. end - 1. */
  isMasked(first: number, end: number): boolean {
    const { offset } = this.section('mask');
    return this.all.subarray(offset + first, offset + end).some((one) => one !== 0);
  }

  /**
   * Saves the arrays marked `stepped` of rows first .. end - 1 (at most one chunk) in the part of the memory that
   * belongs to a thread.
   */
  keepRows(thread: number, first: number, end: number): void {
    const { undo, chunk } = this.layout;
    let at = undo.offset + thread * undo.size;
    for (const { offset, rowBytes } of this.stepped) {
      this.all.copyWithin(at, offset + first * rowBytes, offset + end * rowBytes);
      at += chunk * rowBytes;
    }
  }
  /** Restores rows first .. end - 1 from the copies that the last keepRows() of a thread saved. */
  restoreRows(thread: number, first: number, end: number): void {
    const { undo, chunk } = this.layout;
    let at = undo.offset + thread * undo.size;
    for (const { offset, rowBytes } of this.stepped) {
      this.all.copyWithin(offset + first * rowBytes, at, at + (end - first) * rowBytes);
      at += chunk * rowBytes;
    }
  }
}
