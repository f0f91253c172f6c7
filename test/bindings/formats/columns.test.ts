// Tests the tables that `lepanto convert --to parquet` writes, by another reader.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { positions, recordedOrders } from '../../../bindings/formats/games/phases.js';
import { playedGames } from '../../../bindings/formats/games/played-games.js';
import { COMPLETED, DATC_3_2, NO_UNIT, standard, unitPower } from '../../../engine/internal.js';
import { runSelfplay } from '../../../selfplay/records/run.js';
import { makeFolder, runLepanto } from '../../tools/command.js';

const directory = makeFolder('columns');
const run = join(directory, 'run');
const agents = ['policy', 'dumbbot', 'random', 'policy', 'hold', 'policy', 'dumbbot'];

const columns = suite('columns');
columns.before(async () => {
  const spec = { map: 'standard', rules: 'datc-3.2', agents, games: 9, seed: 8, until: 1906 };
  await runSelfplay({ spec, directory: run, commit: null, workers: 1 });
});

const convert = (...args: readonly string[]): void => {
  const { code, err } = runLepanto(['convert', ...args, '--quiet']);
  assert.is(code, 0, err);
};

type Row = Record<string, unknown>;

/** What the tables should say. */
const expected = (): { phases: Row[]; orders: Row[] } => {
  const phases: Row[] = [];
  const orders: Row[] = [];
  for (const { replayed } of playedGames(run)) {
    assert.ok(replayed !== null);
    const { record } = replayed;
    const winner = [...positions(standard, DATC_3_2, record)].at(-1)?.[0].winner ?? -1;
    for (const [game, phase] of positions(standard, DATC_3_2, record)) {
      const index = record.phases.indexOf(phase);
      const isEnd = phase.phase === COMPLETED;
      const season = isEnd ? null : ['spring', 'fall', 'winter'][game.season];
      const kind = isEnd ? null : ['movement', 'retreat', 'adjustment'][game.phase];
      const row = { game: record.index, phase_index: index, phase: phase.phase, year: game.year, season, kind };
      const byPower: Row = {};
      const units = Array.from({ length: standard.provinceCount }, (_, p) => game.unitAt(p));
      for (const [q, name] of standard.powerNames.entries()) {
        const power = name.toLowerCase();
        byPower[`agent_${power}`] = agents[q];
        byPower[`centers_${power}`] = Array.from(standard.centers.keys()).filter((c) => game.owner(c) === q).length;
        byPower[`units_${power}`] = units.filter((unit) => unit !== NO_UNIT && unitPower(unit) === q).length;
        byPower[`score_${power}`] = Math.fround(record.scores.sum_of_squares[q]);
      }
      phases.push({ ...row, id: '', seed: record.seed, winner: standard.powerNames[winner] ?? null, ...byPower });
      for (const { power, order, result, fate } of recordedOrders(game, phase)) {
        const agent = agents[standard.powerNames.indexOf(power)];
        orders.push({ ...row, power, agent, order, result, fate: fate ?? 'none' });
      }
    }
  }
  return { phases, orders };
};

const wordsOf = (order: string): { unit: string | null; location: string | null; type: string } => {
  const [unit, location, verb] = order.split(' ');
  if (unit === 'WAIVE') return { unit: null, location: null, type: 'waive' };
  const types: Row = { H: 'hold', '-': 'move', S: 'support', C: 'convoy', R: 'retreat', B: 'build', D: 'd' };
  return { unit: unit === 'A' ? 'army' : 'fleet', location, type: String(types[verb]) };
};

columns('Parquet has the games as another reader reads it', async () => {
  const out = join(directory, 'tables');
  convert(run, out, '--format', 'parquet');
  assert.equal(readdirSync(out).sort(), ['orders.parquet', 'phases.parquet']);
  const wanted = expected();
  assert.ok(wanted.orders.length > 1000 && wanted.phases.some(({ kind }) => kind === 'retreat'));
  const read = async (name: string): Promise<Row[]> =>
    parquetReadObjects({ file: await asyncBufferFromFile(join(out, name)) });
  assert.equal(await read('phases.parquet'), wanted.phases);
  const orders = await read('orders.parquet');
  assert.is(orders.length, wanted.orders.length);
  for (const [i, row] of orders.entries()) {
    const { unit, location, type, helped, target, via, order_id: id, ...rest } = row;
    assert.equal(rest, wanted.orders[i]);
    const order = String(row.order);
    const words = wordsOf(order);
    assert.equal([unit, location], [words.unit, words.location]);
    assert.ok(String(type).startsWith(words.type) || ['disband', 'remove'].includes(String(type)), order);
    assert.is(via, order.endsWith(' VIA') ? 1 : 0);
    assert.is(helped === null, !/ [SC] /.test(order));
    assert.ok(target === null || order.includes(String(target)));
    assert.ok(Number(id) >= 0);
  }
  const path = join(out, 'orders.parquet');
  const { key_value_metadata: about = [] } = await parquetMetadataAsync(await asyncBufferFromFile(path));
  const known = about.slice(0, 2).map(({ key, value }) => `${key} ${value}`);
  assert.equal(known, ['lepanto.map standard', 'lepanto.rules datc-3.2']);
  const before = readFileSync(path);
  convert(run, out, '--format', 'parquet');
  assert.ok(before.equals(readFileSync(path)));
});

columns('says what is wrong, and leaves nothing behind', async () => {
  const out = join(directory, 'refused');
  const refused = (wanted: RegExp, ...args: readonly string[]): void => {
    const { code, err } = runLepanto(['convert', ...args]);
    assert.is.not(code, 0);
    assert.match(err, wanted);
  };
  refused(/--format: got "csv", wanted one of diplomacy, dipcc, parquet/, run, out, '--format', 'csv');
  refused(/OUT: got -, wanted a directory/, run, '-', '--format', 'parquet');
  const empty = join(directory, 'empty.jsonl');
  writeFileSync(empty, '{"phases":[]}\n');
  refused(/line 1/, empty, out, '--format', 'parquet');
  assert.equal(readdirSync(out), []);
});

columns.run();
