// The thread in which modules of users are loaded to see what they are.
import { parentPort, workerData } from 'node:worker_threads';
import { type Notes, openNotes } from '../workers/notes.js';
import { formatAgent, loadAgent } from './registry.js';

export interface ProbeData {
  readonly texts: readonly string[];
  readonly notes: Notes;
}

export interface ProbeAnswer {
  readonly texts: readonly string[];
  /** What is wrong with one of them; null if nothing is. */
  readonly wrong: string | null;
}

const { texts, notes } = workerData as ProbeData;
openNotes(notes);
const expanded: string[] = [];
let wrong: string | null = null;
try {
  for (const text of texts) expanded.push(formatAgent(await loadAgent(text)));
} catch (error) {
  wrong = (error as Error).message;
}
parentPort?.postMessage({ texts: expanded, wrong } satisfies ProbeAnswer);
