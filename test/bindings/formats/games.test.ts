// Tests lepanto/games as programs use it: games of a file one by one, the phases of a record, outcomes as text. What
// dialects and rules do to a game is in formats.test.ts.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { formatDatcOutcome, formatOutcome } from '../../../bindings/formats/games/notation.js';
import { recordedPhases } from '../../../bindings/formats/games/phases.js';
import { playedGames } from '../../../bindings/formats/games/played-games.js';
import { formatSavedGame } from '../../../bindings/formats/games/write-saved.js';
import { adjudicate, loadMap, newGame, phaseName, standard } from '../../../engine/internal.js';
import { outcomes } from '../../../engine/notation/json/outcomes.js';
import { orders } from '../../../engine/notation/json/position.js';
import { parseAgent } from '../../../selfplay/agents/registry.js';
import type { GameRecord } from '../../../selfplay/games/game-record.js';
import { playGame } from '../../../selfplay/games/play.js';
import type { Agent } from '../../../selfplay/question/agent.js';
import { decodeShard, encodeShard, withoutStates } from '../../../selfplay/records/record.js';
import { makeFolder } from '../../tools/command.js';

const games = suite('recorded games');

const agents = (powers: number): Agent[] => Array.from({ length: powers }, () => parseAgent('random'));

let record: GameRecord;
const place = makeFolder('games');
games.before(async () => {
  record = await playGame({ seed: 5, index: 3, agents: agents(7), until: 1903 });
});

games('files of saved games and of records are read one game at a time, and what cannot be read says why', () => {
  const lines = join(place, 'games.jsonl');
  writeFileSync(
    lines,
    `${JSON.stringify(formatSavedGame(record))}\n{"phases": 7}\n${JSON.stringify(formatSavedGame(record))}\n`,
  );
  const found = [...playedGames(lines)];
  assert.equal(
    found.map(({ where, replayed, error }) => [where, replayed?.record.index ?? null, error === null]),
    [
      ['line 1', 0, true],
      ['line 2', null, false],
      ['line 3', 1, true],
    ],
  );
  const shard = join(place, 'games-00000.lep');
  writeFileSync(shard, encodeShard([withoutStates(record)]));
  for (const path of [shard, place]) {
    const [game, ...others] = [...playedGames(path)];
    assert.is(others.length, 0);
    assert.equal(game.replayed && encodeShard([game.replayed.record]), encodeShard([record]));
    assert.is(game.map, standard);
  }
  assert.throws(() => [...playedGames(join(place, 'nothing.json'))], /ENOENT/);
});

games('a record is looked at phase by phase, whether or not it has all positions', () => {
  const [stored] = decodeShard(encodeShard([withoutStates(record)]));
  const seen: string[] = [];
  for (const { name, game, orders: told } of recordedPhases(stored)) {
    assert.is(name === 'COMPLETED' ? 'COMPLETED' : phaseName(game), name);
    seen.push(`${name} ${told.length}`);
    for (const { power, order, result } of told) {
      assert.ok(standard.powerNames.includes(power));
      assert.ok(order.length > 4 && result.length > 2);
    }
  }
  assert.equal(
    seen,
    record.phases.map(({ phase, orders: packed }) => `${phase} ${packed.length}`),
  );
  const [first] = recordedPhases(record);
  assert.is(first.game.year, 1901);
  assert.throws(() => [...recordedPhases(stored, loadMap('ancmed'))], /got .*wanted/);
});

games('outcomes are written in the notation of adjudicators and in that of the DATC', () => {
  const game = newGame();
  const results = adjudicate(game, orders(game, { FRANCE: ['A PAR - BUR'], GERMANY: ['A MUN - BUR'] }));
  const [paris] = outcomes(game, results).filter(({ unit }) => unit === 'A PAR');
  assert.is(formatOutcome(paris), 'A PAR - BUR; (failed)');
  assert.is(formatDatcOutcome(paris, standard), 'A Paris - Burgundy; fails: bounced with A Munich');
});
games.run();
