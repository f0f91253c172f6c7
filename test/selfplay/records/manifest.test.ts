// Manifests of another shape are refused with the name of the file and of the field.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { rulesByName } from '../../../engine/internal.js';
import { agentsOf, MANIFEST, type Manifest, readManifest, rulesOfRun } from '../../../selfplay/records/manifest.js';
import { makeFolder } from '../../tools/command.js';
import { errorOf } from '../../tools/errors.js';

const directory = makeFolder('manifest');
const path = join(directory, MANIFEST);
const WAY_OUT = '; repeat the command of the run to rewrite it';
const whole = {
  format: 'lepanto-games',
  versions: { records: 2, lepanto: '0.2.0', node: '20.0.0' },
  commit: null,
  map: { name: 'standard', id: 1 },
  rules: { name: 'datc-3.2', id: 2 },
  agents: Array.from({ length: 7 }, () => 'hold'),
  seed: -4,
  games: 3,
  until: 1905,
  chance: 0.5,
  shardGames: 8,
  targets: true,
  command: 'lepanto selfplay',
};

const read = (value: unknown): Manifest => {
  writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value));
  return readManifest(directory);
};

const manifests = suite('manifests');

manifests('a manifest that was written is read', () => assert.equal(read(whole), whole));

manifests('rules of another id, or a name that is not known, are refused', () => {
  const refused = (rules: Manifest['rules'], message: string): void =>
    assert.match(
      errorOf(() => rulesOfRun({ ...read(whole), rules })),
      message,
    );
  const { id } = rulesByName('strict-2003');
  refused({ name: '1971', id }, `rules 1971: got id ${id}, wanted `);
  refused({ name: 'datc-3.2', id: 5 }, 'rules datc-3.2: got id 5, wanted 12800');
  refused({ name: 'datc-3.2,waive=no', id: 12_800 }, 'got option "waive", wanted one of convoyRoutes');
});

manifests('a run that is seated has the agents of each game in the game', () => {
  const by = { agents: ['hold', 'random', 'guard'], seated: true };
  assert.is(agentsOf(by, { agents: Uint16Array.of(2, 0) }).join(), 'guard,hold');
  assert.is(agentsOf({ agents: ['hold', 'random'] }, {}).join(), 'hold,random');
  const refused = (run: Pick<Manifest, 'agents' | 'seated'>, seats: number[] | null, message: string): void =>
    assert.is(
      errorOf(() => agentsOf(run, seats === null ? {} : { agents: Uint16Array.from(seats) })),
      message,
    );
  refused(by, [0, 3], 'agent of a game: got 3, wanted one of 3');
  refused(by, null, 'agents of a game: got none, wanted some in this run');
  refused({ agents: by.agents }, [0, 1], 'agents of a game: got some, wanted none in this run');
});

/** Fields in place of the right ones, and what is said of them. */
const wrong: readonly (readonly [fields: object, message: string])[] = [
  [{ map: undefined }, 'map: got nothing, wanted an object'],
  [{ map: 7 }, 'map: got 7, wanted an object'],
  [{ map: null }, 'map: got null, wanted an object'],
  [{ map: { name: 'standard' } }, 'map, id: got nothing, wanted a whole number'],
  [{ rules: { name: 3, id: 3 } }, 'rules, name: got 3, wanted text'],
  [{ rules: 'datc-3.2' }, 'rules: got "datc-3.2", wanted an object'],
  [{ versions: {} }, 'versions, records: got nothing, wanted a whole number from 0'],
  [{ agents: 'random' }, 'agents: got "random", wanted a list'],
  [{ agents: [] }, 'agents: got 0, wanted 1 to 65536'],
  [{ agents: [null] }, 'agents, entry 1: got null, wanted text'],
  [{ seed: 'one' }, 'seed: got "one", wanted a whole number'],
  [{ games: -1 }, 'games: got -1, wanted a whole number from 0 to 25600000'],
  [{ until: [] }, 'until: got a list of 0, wanted a whole number from 0 to 9999'],
  [{ chance: 'often' }, 'chance: got "often", wanted a number from 0 to 1'],
  [{ shardGames: undefined }, 'shardGames: got nothing, wanted a whole number from 1 to 25600000'],
  [{ shardGames: 0 }, 'shardGames: got 0, wanted a whole number from 1 to 25600000'],
  [{ targets: 'yes' }, 'targets: got "yes", wanted true or false'],
];
for (const [fields, message] of wrong)
  manifests(`a manifest is refused for ${message}`, () => {
    assert.throws(
      () => read({ ...whole, ...fields }),
      (error: unknown) => error instanceof Error && error.message === `${path}, ${message}${WAY_OUT}`,
    );
  });

manifests('a file that is no manifest at all is refused', () => {
  for (const text of ['', ...'{ null [] 7 {} "lepanto-games"'.split(' '), '{"__proto__": {"format": "lepanto-games"}}'])
    assert.throws(
      () => read(text),
      (error: unknown) =>
        error instanceof Error && /: got .*, wanted /.test(error.message) && error.message.endsWith(WAY_OUT),
    );
});
manifests.run();
