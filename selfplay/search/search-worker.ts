// A worker of a search: does one task.
import { Game, loadMap, rulesByName } from '../../engine/internal.js';
import type { Candidates } from './candidates.js';
import type { Sums } from './match.js';
import { doTask, type Task } from './monte-carlo.js';
import type { HorizonOptions } from './options.js';

/** A task with all that it needs, as it goes to a thread. */
export interface CrewTask {
  readonly map: string;
  readonly mapId: number;
  readonly rules: string;
  readonly state: Uint8Array;
  readonly candidates: readonly Candidates[];
  readonly options: HorizonOptions;
  readonly seed: number;
  readonly task: Task;
}

export default ({ map: name, mapId, rules, state, candidates, options, seed, task }: CrewTask): Sums[] => {
  const map = loadMap(name);
  if (map.id !== mapId)
    throw new RangeError(`map ${name}: got id ${mapId}, wanted ${map.id}, that of the map of this name`);
  const game = new Game(map, rulesByName(rules), state);
  return doTask({ game, candidates, options, seed }, task);
};
