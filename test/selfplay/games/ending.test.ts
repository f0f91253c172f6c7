// Tests rules that end a game early: each ends it in the right year, from the seed alone.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { DATC_3_2, standard } from '../../../engine/internal.js';
import { parseAgents } from '../../../selfplay/agents/registry.js';
import { type GameRecord, gameSeed } from '../../../selfplay/games/game-record.js';
import { playGame } from '../../../selfplay/games/play.js';
import { verifyGame } from '../../../selfplay/records/verify.js';

const endings = suite('endings');

const lastYear = ({ phases }: GameRecord): number => Number(phases[phases.length - 2].phase.slice(1, -1));

endings('a stalemate ends the game after so many years without a change of ownership', async () => {
  const agents = parseAgents('hold', 7);
  for (const stalemate of [1, 3]) {
    const record = await playGame({ seed: 1, index: 0, agents, until: 1950, stalemate });
    assert.is(lastYear(record), 1900 + stalemate);
    assert.is(verifyGame(standard, DATC_3_2, record), null);
  }
  const other = await playGame({ seed: 1, index: 0, agents: parseAgents('random', 7), until: 1906, stalemate: 3 });
  assert.is(lastYear(other), 1906);
});

endings('chance ends games from their seeds, as often as it says', async () => {
  const agents = parseAgents('hold', 7);
  const years: number[] = [];
  for (let index = 0; index < 400; index++) {
    const options = { agents, until: 2000, chance: 0.25 };
    const record = await playGame({ seed: gameSeed(4, index), index, ...options });
    assert.equal(await playGame({ seed: gameSeed(4, index), index, ...options }), record);
    assert.is(verifyGame(standard, DATC_3_2, record), null);
    years.push(lastYear(record) - 1900);
  }
  const mean = years.reduce((sum, n) => sum + n, 0) / years.length;
  // A geometric distribution: mean 4, standard deviation 3.46, so 0.17 for the mean of 400.
  assert.ok(Math.abs(mean - 4) < 0.6, `mean ${mean}`);
});

endings('chance 1 is one year, without rules it is the last year', async () => {
  const agents = parseAgents('hold', 7);
  assert.is(lastYear(await playGame({ seed: 1, index: 0, agents, until: 1950, chance: 1 })), 1901);
  assert.is(lastYear(await playGame({ seed: 1, index: 0, agents, until: 1904 })), 1904);
});

endings.run();
