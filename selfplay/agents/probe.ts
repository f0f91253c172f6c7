// Finds out what agents of users are called, in a thread of its own: their modules may do anything while they are loaded.
import { Worker } from 'node:worker_threads';
import { LepantoError } from '../../engine/rules/error.js';
import { makeNotes, readNotes } from '../workers/notes.js';
import { LOOK_MS, nameEnd, Patience } from '../workers/patience.js';
import { isCommandName, isModuleName } from './agent-name.js';
import type { ProbeAnswer, ProbeData } from './probe-worker.js';
import { formatAgent, parseAgent } from './registry.js';

/** Exit code of a thread that waits for something which cannot come any more. */
const UNSETTLED = 13;

const hear = async (worker: Worker, data: ProbeData): Promise<readonly string[]> => {
  const answer = new Promise<ProbeAnswer>((resolve, reject) => {
    worker.on('message', resolve);
    worker.on('error', (error) => reject(nameEnd(data.notes, error)));
    worker.on('exit', (code) => {
      const { text } = readNotes(data.notes);
      const how =
        code === UNSETTLED ? 'awaits a promise that never settles' : `ended its thread, with exit code ${code}`;
      reject(new LepantoError('agent', `${text}: ${how}`));
    });
  });
  const { texts, wrong } = await answer;
  if (wrong !== null) throw new LepantoError('agent', wrong);
  return texts;
};

const probe = async (texts: readonly string[], limit: number): Promise<readonly string[]> => {
  const data: ProbeData = { texts, notes: makeNotes() };
  const worker = new Worker(new URL('./probe-worker.js', import.meta.url), { workerData: data });
  const patience = new Patience(data.notes, limit);
  let timer: NodeJS.Timeout | undefined;
  const lost = new Promise<never>((_, reject) => {
    timer = setInterval(() => {
      const why = patience.look();
      if (why !== null) reject(new Error(why));
    }, LOOK_MS);
  });
  try {
    return await Promise.race([hear(worker, data), lost]);
  } finally {
    clearInterval(timer);
    await worker.terminate();
  }
};

/**
 * The texts of agents with every option written out, as formatAgent() writes them. Modules are loaded in a thread that
 * ends with this call, so that none of their code runs in this one.
 * @param limit milliseconds that a module may take; 0 for as many as it takes
 * @throws LepantoError as loadAgent() does, or for a module that ends its thread or never answers
 */
export const expandAgents = async (texts: readonly string[], limit: number): Promise<string[]> => {
  const modules = [...new Set(texts.filter(isModuleName))];
  const known = modules.length === 0 ? [] : await probe(modules, limit);
  return texts.map((text) => {
    if (isCommandName(text)) return text.trim();
    return known[modules.indexOf(text)] ?? formatAgent(parseAgent(text));
  });
};
