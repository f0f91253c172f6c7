// The tables of a page about arenas: what `lepanto arena` prints, for each arena of a file.
import { readKeptArenas } from '../../selfplay/arena/kept-games.js';
import { summarizePopulation } from '../../selfplay/arena/population.js';
import { summarizeArena } from '../../selfplay/arena/standings.js';
import { BotUses, powerCells, standingsCells } from '../cli/shared/arena-report.js';
import { NOTE, populationCells, titleOf } from '../cli/shared/population-report.js';
import type { ArenaTables } from './page-data.js';

/** From so many games on the intervals of skills, which take their time, are left to `lepanto arena`. */
const MANY = 5000;
const NO_BOTS = new BotUses();

/** @param file as KeptGames writes it @throws LepantoError that names the file */
export const arenaTables = (file: string): ArenaTables[] =>
  readKeptArenas(file)
    .filter(({ games }) => games.length > 0)
    .map(({ spec, games }) => {
      if (spec.protocol === 'population') {
        const result = summarizePopulation(spec, games, games.length < MANY ? undefined : 0);
        return { title: titleOf(spec, result), note: NOTE, tables: populationCells(result) };
      }
      const standings = summarizeArena(spec, games);
      return {
        title: `${spec.games} games, ${spec.protocol}, to the end of ${spec.until}, seed ${spec.seed}, ${spec.scoring}`,
        note: '',
        tables: [standingsCells(standings, NO_BOTS), powerCells(standings, NO_BOTS)],
      };
    });
