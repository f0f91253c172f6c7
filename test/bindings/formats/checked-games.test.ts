// Tests that games of others are checked alike by any number of workers, in the order of the file.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type CheckedGame, checkedGames, type Sharing } from '../../../bindings/formats/games/checked-games.js';
import { DEFAULT_RULES, ruleSetByName } from '../../../engine/notation/text/rule-set.js';
import { makeFolder } from '../../tools/command.js';
import { playSaved } from '../../tools/saved-games.js';

const temporary = makeFolder('checked');

/** A saved game as one line; a wrong one lacks a unit in a phase after the first. */
const lineOf = async (seed: number, isWrong: boolean): Promise<string> => {
  const game = await playSaved({ until: 1903, seed, dialect: 'dipcc' });
  if (isWrong)
    Object.values(game.phases[2].state.units)
      .find((units) => units.length > 0)
      ?.pop();
  return JSON.stringify(game);
};

const check = async (path: string, sharing: Sharing, rules = DEFAULT_RULES): Promise<CheckedGame[]> => {
  const found: CheckedGame[] = [];
  for await (const game of checkedGames(path, rules, sharing)) found.push(game);
  return found;
};

const test = suite('checked-games');

test('any number of workers finds the same, in the order of the file', async () => {
  const path = join(temporary, 'games.jsonl');
  const lines = await Promise.all(Array.from({ length: 12 }, (_, i) => lineOf(i, i % 2 === 1)));
  lines.splice(4, 0, '', '{"phases": 3}', '  ');
  writeFileSync(path, `\uFEFF${lines.join('\r\n')}\n{"pha`);
  for (const rules of [DEFAULT_RULES, ruleSetByName('strict-2003'), ruleSetByName('datc-3.2,twoOrders=last')]) {
    const alone = await check(path, { workers: 1 }, rules);
    assert.is(alone.length, 14);
    assert.is(alone.filter(({ error }) => error !== null).length, 2);
    assert.ok(alone.filter(({ misfit }) => misfit !== null).length >= 6);
    for (const [workers, chunk] of [
      [2, 1],
      [3, 100_000],
    ])
      assert.equal(await check(path, { workers, chunk, smallest: 0 }, rules), alone);
  }
});

test('a document over many lines is checked too, and an empty file has no game', async () => {
  const document = join(temporary, 'game.json');
  writeFileSync(document, JSON.stringify(JSON.parse(await lineOf(3, true)), null, 1));
  const [game, ...others] = await check(document, { workers: 2, smallest: 0 });
  assert.equal([game.where, others], ['file', []]);
  assert.ok((game.misfit?.disagreements.length ?? 0) > 0);
  const empty = join(temporary, 'empty.jsonl');
  writeFileSync(empty, '\n');
  assert.equal(await check(empty, { workers: 2, smallest: 0 }), []);
});

test('who stops early leaves no thread behind', async () => {
  const path = join(temporary, 'many.jsonl');
  writeFileSync(path, `${await lineOf(1, true)}\n`.repeat(40));
  const games = checkedGames(path, DEFAULT_RULES, { workers: 2, smallest: 0, chunk: 1 });
  const first = await games.next();
  assert.is((first.value as CheckedGame).where, 'line 1');
  await games.return(undefined);
  assert.is((await games.next()).done, true);
});

test.run();
