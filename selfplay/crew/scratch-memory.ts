// Gives the engine of a worker memory of the main thread. What loads the engine must be imported after this.
import { workerData } from 'node:worker_threads';
import { type ScratchLoan, takeScratch } from '../../engine/rules/scratch.js';

takeScratch((workerData as { readonly scratch: ScratchLoan }).scratch);
