// Keeps results from the worker that played them to the coordinator that records them: a folder that both see, an
// S3-compatible store, or Redis itself.
import type { Parcel, ParcelHead } from './parcel.js';

/** Where results wait. A part that is put twice has the same bytes both times. */
export interface Store {
  /**
   * Where a worker's thread writes the file of a part itself, before it is put with its head alone; null if the worker
   * puts packed parcels.
   */
  readonly folder: string | null;
  /** True if this machine can put results there. */
  isOpen(): Promise<boolean>;
  /** True if the result of a part is known to wait there. */
  has(part: number): Promise<boolean>;
  /** Puts a result; waits where too much is waiting already. @param packed null if the file is in the folder */
  put(head: ParcelHead, packed: Buffer | null, signal: AbortSignal): Promise<void>;
  /** The parts whose results wait. */
  parts(): Promise<number[]>;
  /** A result; null if there is none. @throws LepantoError if it is damaged */
  take(part: number): Promise<Parcel | null>;
  /** Removes a result, which is recorded or damaged. */
  remove(part: number): Promise<void>;
  /** Prepares it for a run, and removes what no run needs after it. */
  open(): Promise<void>;
  clear(): Promise<void>;
}
