// Keeps results from the worker that played them to the coordinator that records them: a folder that both see, an
// S3-compatible store, or Redis itself.
import type { Payload, PayloadHead } from './payload.js';

/** Where results wait. A task that is put twice has the same bytes both times. */
export interface Store {
  /**
   * Where a worker's thread writes the file of a task itself, before it is put with its head alone; null if the worker
   * puts packed payloads.
   */
  readonly folder: string | null;
  /** True if this machine can put results there. */
  isOpen(): Promise<boolean>;
  /** True if the result of a task is known to wait there. */
  has(task: number): Promise<boolean>;
  /** Puts a result; waits where too much is waiting already. @param packed null if the file is in the folder */
  put(head: PayloadHead, packed: Buffer | null, signal: AbortSignal): Promise<void>;
  /** The tasks whose results wait. */
  tasks(): Promise<number[]>;
  /** A result; null if there is none. @throws LepantoError if it is damaged */
  take(task: number): Promise<Payload | null>;
  /** Removes a result, which is recorded or damaged. */
  remove(task: number): Promise<void>;
  /** Prepares it for a run, and removes what no run needs after it. */
  open(): Promise<void>;
  clear(): Promise<void>;
}
