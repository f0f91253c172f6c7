// Gives the engine of a worker memory of the main thread. Import it before any module that loads the engine.
import { workerData } from 'node:worker_threads';
import { type ScratchLoan, takeScratch } from '../../engine/rules/scratch.js';

takeScratch((workerData as { readonly scratch: ScratchLoan }).scratch);
