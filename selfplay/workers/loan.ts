// Gives the engine of a worker the memory that its pool lends it. What loads the engine must be imported after this.
import { workerData } from 'node:worker_threads';
import { type ScratchLoan, takeScratch } from '../../engine/rules/scratch.js';

/** Memory of the main thread for the engine of a worker. */
export interface Loan {
  readonly scratch: ScratchLoan;
}

takeScratch((workerData as Loan).scratch);
