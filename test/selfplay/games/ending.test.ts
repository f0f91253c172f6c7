// Tests the rules that end a game early: a last year, a stalemate, chance, and the draws of the 1998 guide (chapter II),
// after seven years without a capture or after 35 years, without the adjustments of the last.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ADJUSTMENT, adjustmentDue, COMPLETED, DRAW, SOLO, SPRING, standard } from '../../../engine/internal.js';
import { runRulesByName } from '../../../engine/rules/run-rules.js';
import { parseAgent, parseAgents } from '../../../selfplay/agents/registry.js';
import { type Ending, mayEndLong } from '../../../selfplay/games/ending.js';
import { type GameRecord, gameSeed } from '../../../selfplay/games/game-record.js';
import { playGame } from '../../../selfplay/games/play.js';
import type { Agent } from '../../../selfplay/question/agent.js';
import { decodeShard } from '../../../selfplay/records/record.js';
import { makeCounters } from '../../../selfplay/records/run.js';
import type { RunSpec } from '../../../selfplay/records/run-spec.js';
import { playShard } from '../../../selfplay/records/shard.js';
import { fillStates, verifyGame } from '../../../selfplay/records/verify.js';
import { gameOfState } from '../../tools/positions.js';
import { runOf } from '../../tools/runs.js';
import { agentBy, ordersBy } from '../../tools/simple-agents.js';

const limited = runRulesByName('datc-3.2,longGameDraw=yes');
const rules = limited.adjudication;
const holding = parseAgents('hold', 7);
const drawing = parseAgents('random', 7);

const end = ({ phases }: GameRecord) => gameOfState(phases[phases.length - 1].state, standard, rules);
const lastPhase = ({ phases }: GameRecord): string => phases[phases.length - 2].phase;
const lastYear = (record: GameRecord): number => Number(lastPhase(record).slice(1, -1));

/** Plays a game under a rule set, and asserts that it follows from its orders. */
const play = async (name: string, agents: readonly Agent[], ending: Ending, index = 0): Promise<GameRecord> => {
  const by = runRulesByName(name);
  const longGameDraw = by.running.longGameDraw === 'yes';
  const more = { rules: by.adjudication, seed: gameSeed(5, index), index, agents, longGameDraw };
  const record = await playGame({ ...more, ...ending });
  assert.is(verifyGame(standard, by.adjudication, record), null);
  return record;
};

const endings = suite('endings');

/** Games in which all hold: their rules, what may end them, and the last phase. */
// biome-ignore format: one line each
const table: readonly (readonly [title: string, rules: string, Ending, last: string])[] = [
  ['without other rules the last year is played to its end', 'datc-3.2', { until: 1904 }, 'F1904M'],
  ['a stalemate of one year ends the first', 'datc-3.2', { until: 1950, stalemate: 1 }, 'F1901M'],
  ['a stalemate of three years ends the third', 'datc-3.2', { until: 1950, stalemate: 3 }, 'F1903M'],
  ['chance 1 ends the first year', 'datc-3.2', { until: 1950, chance: 1 }, 'F1901M'],
  ['the limits of the guide are not in other rules', 'datc-3.2', { until: 1950 }, 'F1950M'],
  ['seven years without a capture are a draw under an option', 'datc-3.2,longGameDraw=yes', { until: 1950 }, 'F1907M'],
  ['seven years without a capture are a draw in the guide', 'dptg', { until: 1950 }, 'F1907M'],
  ['an earlier last year holds beside the limits', 'datc-3.2,longGameDraw=yes', { until: 1904 }, 'F1904M'],
  ['a shorter stalemate holds beside the limits', 'datc-3.2,longGameDraw=yes', { until: 1950, stalemate: 3 }, 'F1903M'],
  ['a longer stalemate changes nothing', 'datc-3.2,longGameDraw=yes', { until: 1950, stalemate: 9 }, 'F1907M'],
  ['chance holds beside the limits', 'datc-3.2,longGameDraw=yes', { until: 1950, chance: 1 }, 'F1901M'],
];
for (const [title, name, ending, last] of table)
  endings(title, async () => {
    const record = await play(name, holding, ending);
    assert.equal([lastPhase(record), end(record).status], [last, DRAW]);
  });

endings('a stalemate counts from the last capture', async () => {
  assert.is(lastYear(await play('datc-3.2', drawing, { until: 1906, stalemate: 3 })), 1906);
});

endings('chance ends games from their seeds, as often as it says', async () => {
  let years = 0;
  for (let index = 0; index < 400; index++) {
    const record = await play('datc-3.2', holding, { until: 2000, chance: 0.25 }, index);
    assert.equal(await play('datc-3.2', holding, { until: 2000, chance: 0.25 }, index), record);
    years += lastYear(record) - 1900;
  }
  // A geometric distribution: mean 4, standard deviation 3.46, so 0.17 for the mean of 400.
  assert.ok(Math.abs(years / 400 - 4) < 0.6, `mean ${years / 400}`);
});

endings.run();

// ---- the limits of the guide ----

const limits = suite('limits of the guide');

const ownersOf = (state: Uint8Array): string => {
  const game = gameOfState(state);
  return Array.from(standard.centers, (_, center) => game.owner(center)).join();
};

/** Years' ends in a row, up to the last, that changed no owner, from the positions alone. */
const unchangedYears = (record: GameRecord): number => {
  const ends = record.phases.filter(({ phase }) => /^S\d+M$/.test(phase));
  if (end(record).phase === ADJUSTMENT) ends.push(record.phases[record.phases.length - 1]);
  const owners = ends.map(({ state }) => ownersOf(state)).reverse();
  return owners.findIndex((one) => one !== owners[0]) - 1;
};

/** Plays at random up to a year and holds after it; it never builds, so what it has taken stays due. */
const restless = (last: number): Agent =>
  agentBy((game, power, stream) => {
    if (game.phase === ADJUSTMENT) return [];
    return ordersBy(parseAgent(game.year <= last ? 'random' : 'hold'), game, power, stream);
  });

for (const last of [1901, 1903])
  limits(
    `seven years count from the last capture in ${last}, and what is due in the last winter is not played`,
    async () => {
      const record = await play(limited.name, new Array(7).fill(restless(last)), { until: 1950 });
      const year = lastYear(record);
      assert.is(unchangedYears(record), 7);
      assert.ok(year >= 1908 && year <= last + 7, `ended in ${year}`);
      const { status, phase, year: at } = end(record);
      assert.equal([status, phase, at], [DRAW, ADJUSTMENT, year]);
      assert.ok([0, 1, 2, 3, 4, 5, 6].some((power) => adjustmentDue(end(record), power) !== 0));
      const winters = record.phases.filter(({ phase }) => phase.startsWith('W'));
      assert.is(winters[winters.length - 1].phase, `W${year - 1}A`);
    },
  );

limits('35 years are a draw whoever moves, without the adjustments of the last', async () => {
  let skipped = 0;
  for (let index = 0; index < 6; index++) {
    const record = await play(limited.name, drawing, { until: 1950 }, index);
    const last = end(record);
    if (last.status === SOLO) continue;
    assert.match(lastPhase(record), /^F1935[MR]$/);
    assert.is(last.status, DRAW);
    assert.is(record.phases[record.phases.length - 1].phase, COMPLETED);
    if (last.phase === ADJUSTMENT) skipped++;
    else assert.is(last.season, SPRING);
  }
  assert.ok(skipped > 0, 'no game ended with adjustments due');
});

limits('of two games from one seed that with the limits is a part of the other', async () => {
  const short = await play(limited.name, drawing, { until: 1940 });
  const long = await play('datc-3.2', drawing, { until: 1940 });
  assert.is(end(short).status, DRAW);
  assert.ok(short.phases.length < long.phases.length);
  assert.equal(short.phases.slice(0, -1), long.phases.slice(0, short.phases.length - 1));
});

const shardOf = async (change: Partial<RunSpec>): Promise<GameRecord[]> => {
  const spec = { ...runOf('random', 3, { rules: limited.name, until: 1940, ...change }), shardGames: 3 };
  const { bytes } = await playShard({ spec, shard: 0, path: '', counters: makeCounters(), own: makeCounters() });
  return decodeShard(bytes).map((game) => fillStates(standard, rules, game));
};

limits('a run with random in all seats ends by the limits too', async () => {
  for (const record of await shardOf({})) {
    assert.equal(record, await play(limited.name, drawing, { until: 1940 }, record.index));
    if (end(record).status === DRAW) assert.match(lastPhase(record), /^F1935/);
  }
});

limits('runs too short for the limits are the same as without them', async () => {
  assert.equal(await shardOf({ until: 1906 }), await shardOf({ until: 1906, rules: 'datc-3.2' }));
  assert.not(mayEndLong({ until: 1906, longGameDraw: true }, 1901));
  assert.ok(mayEndLong({ until: 1907, longGameDraw: true }, 1901));
  assert.not(mayEndLong({ until: 2000 }, 1901));
});
limits.run();
