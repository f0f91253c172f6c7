// Opens recorded games for a command, and says what is missing or wrong among them.
import { manifestBeside, openSource, type Source } from '../games/recorded-run.js';
import { openMap } from '../maps/open-map.js';
import { ruleSetByName } from '../text/index.js';
import { orUsage, sizeOfGames, UsageError } from './usage.js';

/**
 * Records under a path.
 * @param mapName given by --map, and rulesName by --rules
 * @throws UsageError for a wrong option; Error if there are no records, or if they are not of today's map and rules
 */
export const openRecords = (path: string, mapName: string | undefined, rulesName: string | undefined): Source => {
  const map = mapName === undefined ? undefined : orUsage('map', () => openMap(mapName));
  const rules = rulesName === undefined ? undefined : orUsage('rules', () => ruleSetByName(rulesName));
  sizeOfGames(path);
  const manifest = manifestBeside(path);
  if (map !== undefined && manifest !== null && map.name !== manifest.map.name)
    throw new UsageError(`--map: got "${map.name}", wanted ${manifest.map.name}, which the run was played on`);
  return openSource(path, { ...(map === undefined ? {} : { map }), ...(rules === undefined ? {} : { rules }) });
};

/** So many faults are told one by one. */
const MOST_FAULTS = 100;

/** Says on standard error what is missing or wrong, and counts it. */
export class FaultTeller {
  /** Of all kinds. */
  declare count: number;
  /** Faults but for games that are not there. */
  declare wrong: number;
  /** The first one, in words; null if there is none. */
  declare first: string | null;
  declare private readonly quiet: boolean;

  /** @param quiet counts alone */
  constructor(quiet = false) {
    this.count = 0;
    this.wrong = 0;
    this.first = null;
    this.quiet = quiet;
  }

  tell(text: string, missing: boolean): void {
    this.count++;
    if (!missing) this.wrong++;
    this.first ??= text;
    // What is missing is told last, and always.
    if (!this.quiet && (missing || this.wrong <= MOST_FAULTS)) process.stderr.write(`lepanto: ${text}\n`);
  }

  /** Says how many were not told. */
  end(): void {
    if (!this.quiet && this.wrong > MOST_FAULTS)
      process.stderr.write(`lepanto: ${this.wrong - MOST_FAULTS} more faults were found\n`);
  }
}
