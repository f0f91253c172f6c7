// Tests the draws of the 1998 guide (chapter II): after seven years without a capture, or 35 years, and without
// adjustments in the last year.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ADJUSTMENT, adjustmentDue, COMPLETED, DRAW, Game, SOLO, SPRING, standard } from '../../../engine/internal.js';
import { type RunRules, runRulesByName } from '../../../engine/rules/run-rules.js';
import { parseAgent, parseAgents } from '../../../selfplay/agents/registry.js';
import { mayEndLong } from '../../../selfplay/games/ending.js';
import { type GameRecord, gameSeed, loadState } from '../../../selfplay/games/game-record.js';
import { playGame } from '../../../selfplay/games/play.js';
import type { Agent } from '../../../selfplay/question/agent.js';
import { decodeShard } from '../../../selfplay/records/record.js';
import type { RunSpec } from '../../../selfplay/records/run-spec.js';
import { COUNTERS, playShard } from '../../../selfplay/records/shard.js';
import { fillStates, verifyGame } from '../../../selfplay/records/verify.js';
import { agentBy, ordersBy } from '../../tools/simple-agents.js';

const longGame = suite('long games');

const limited = runRulesByName('datc-3.2,longGameDraw=yes');
const guide = runRulesByName('dptg');
const usual = runRulesByName('datc-3.2');
const rules = limited.adjudication;

const gameAt = ({ phases }: GameRecord, i: number): Game => {
  const game = new Game(standard, rules);
  loadState(game, phases[i].state);
  return game;
};
const end = (record: GameRecord): Game => gameAt(record, record.phases.length - 1);
const lastPhase = ({ phases }: GameRecord): string => phases[phases.length - 2].phase;

const ownersOf = (game: Game): string =>
  Array.from({ length: standard.centerCount }, (_, center) => game.owner(center)).join();

/** Years' ends in a row, up to the last, that changed no owner, from the positions alone. */
const unchangedYears = (record: GameRecord): number => {
  const ends = record.phases.flatMap(({ phase }, i) => (/^S\d+M$/.test(phase) ? [ownersOf(gameAt(record, i))] : []));
  if (end(record).phase === ADJUSTMENT) ends.push(ownersOf(end(record)));
  let count = 0;
  for (let i = ends.length - 1; i > 0 && ends[i] === ends[i - 1]; i--) count++;
  return count;
};

/** Plays at random up to a year and holds after it; it never builds, so what it has taken stays due. */
const restless = (last: number): Agent => {
  const hold = parseAgent('hold');
  const random = parseAgent('random');
  return agentBy((game, power, stream) => {
    if (game.phase === ADJUSTMENT) return [];
    return ordersBy(game.year <= last ? random : hold, game, power, stream);
  });
};
const seats = (agent: Agent): Agent[] => new Array(standard.powerCount).fill(agent);

const playWith = (by: RunRules, agents: readonly Agent[], until: number, more = {}): Promise<GameRecord> => {
  const longGameDraw = by.running.longGameDraw === 'yes';
  return playGame({ rules: by.adjudication, seed: gameSeed(5, 0), index: 0, agents, until, longGameDraw, ...more });
};

longGame('seven years without a capture are a draw, under rules that say so', async () => {
  const agents = parseAgents('hold', 7);
  for (const by of [limited, guide]) {
    const record = await playWith(by, agents, 1950);
    assert.is(lastPhase(record), 'F1907M');
    assert.is(end(record).status, DRAW);
    assert.is(verifyGame(standard, by.adjudication, record), null);
  }
  const other = await playWith(usual, agents, 1950);
  assert.is(lastPhase(other), 'F1950M');
});

longGame('other endings hold beside it', async () => {
  const agents = parseAgents('hold', 7);
  assert.is(lastPhase(await playWith(limited, agents, 1904)), 'F1904M');
  assert.is(lastPhase(await playWith(limited, agents, 1950, { stalemate: 3 })), 'F1903M');
  assert.is(lastPhase(await playWith(limited, agents, 1950, { stalemate: 9 })), 'F1907M');
  assert.is(lastPhase(await playWith(limited, agents, 1950, { chance: 1 })), 'F1901M');
});

longGame('the years are counted from the last capture, and what is due in the last winter is not played', async () => {
  for (const last of [1901, 1903]) {
    const record = await playWith(limited, seats(restless(last)), 1950);
    const year = Number(lastPhase(record).slice(1, -1));
    assert.is(unchangedYears(record), 7);
    assert.ok(year >= 1908 && year <= last + 7, `ended in ${year}`);
    assert.is(end(record).status, DRAW);
    assert.is(end(record).year, year);
    assert.is(end(record).phase, ADJUSTMENT);
    assert.ok([0, 1, 2, 3, 4, 5, 6].some((power) => adjustmentDue(end(record), power) !== 0));
    const winters = record.phases.filter(({ phase }) => phase.startsWith('W'));
    assert.is(winters[winters.length - 1].phase, `W${year - 1}A`);
    assert.is(verifyGame(standard, rules, record), null);
  }
});

longGame('35 years are a draw whoever moves, without the adjustments of the last', async () => {
  let skipped = 0;
  for (let index = 0; index < 6; index++) {
    const agents = parseAgents('random', 7);
    const ending = { until: 1950, longGameDraw: true };
    const record = await playGame({ rules, seed: gameSeed(5, index), index, agents, ...ending });
    assert.is(verifyGame(standard, rules, record), null);
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

longGame('of two games from one seed that with the limits is a part of the other', async () => {
  const agents = parseAgents('random', 7);
  const short = await playWith(limited, agents, 1940);
  const long = await playWith(usual, agents, 1940);
  assert.is(end(short).status, DRAW);
  assert.ok(short.phases.length < long.phases.length);
  assert.equal(short.phases.slice(0, -1), long.phases.slice(0, short.phases.length - 1));
});

// ---- runs ----

const shardOf = async (change: Partial<RunSpec>): Promise<GameRecord[]> => {
  const spec = {
    map: 'standard',
    rules: limited.name,
    agents: new Array(7).fill('random'),
    games: 3,
    shardGames: 3,
    seed: 5,
  };
  const counters = new BigInt64Array(new SharedArrayBuffer(8 * COUNTERS));
  const task = { spec: { ...spec, until: 1940, ...change }, shard: 0, path: '', counters, own: counters };
  const { bytes } = await playShard(task);
  return decodeShard(bytes).map((game) => fillStates(standard, rules, game));
};

longGame('a run with random in all seats ends by the limits too', async () => {
  const agents = parseAgents('random', 7);
  for (const record of await shardOf({})) {
    assert.equal(
      record,
      await playGame({ rules, seed: record.seed, index: record.index, agents, until: 1940, longGameDraw: true }),
    );
    if (end(record).status === DRAW) assert.match(lastPhase(record), /^F1935/);
  }
});

longGame('runs too short for the limits are the same as without them', async () => {
  assert.equal(await shardOf({ until: 1906 }), await shardOf({ until: 1906, rules: 'datc-3.2' }));
  assert.not(mayEndLong({ until: 1906, longGameDraw: true }, 1901));
  assert.ok(mayEndLong({ until: 1907, longGameDraw: true }, 1901));
  assert.not(mayEndLong({ until: 2000 }, 1901));
});

longGame.run();
