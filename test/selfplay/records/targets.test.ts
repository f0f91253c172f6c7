// Tests what records hold of choices: what agents weighed for their orders; and shards of few games.

import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Packr } from 'msgpackr';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runArguments } from '../../../bindings/terminal/run-arguments.js';
import { DATC_3_2, NONE, type Power, standard } from '../../../engine/internal.js';
import { expandAgents } from '../../../selfplay/agents/expand-agents.js';
import { parseAgent } from '../../../selfplay/agents/registry.js';
import { playGame } from '../../../selfplay/games/play.js';
import { type PolicyTargets, policyTargets } from '../../../selfplay/games/targets.js';
import type { Agent, Candidate } from '../../../selfplay/question/agent.js';
import { MANIFEST, readManifest } from '../../../selfplay/records/manifest.js';
import { decodeGame, decodeShard, encodeGame, encodeShard, withoutStates } from '../../../selfplay/records/record.js';
import { makeCounters } from '../../../selfplay/records/run.js';
import { type RunSpec, shardCount, shardRange } from '../../../selfplay/records/run-spec.js';
import { gamesPerShard } from '../../../selfplay/records/shard-size.js';
import { verifyGame } from '../../../selfplay/records/verify.js';
import { contentsOf, makePlaces } from '../../tools/command.js';
import { rejection, saying } from '../../tools/errors.js';
import { until } from '../../tools/running.js';
import { playRun } from '../../tools/runs.js';

const makeTemporary = makePlaces('targets');

/** Holds with every unit, or plays as dumbbot does, and says that it was three to one. */
const pair: Agent = {
  name: 'pair',
  options: {},
  answer: async (questions) =>
    (await parseAgent('dumbbot').answer(questions)).map(({ orders }) => {
      const none = { orders: new Int32Array(0), probability: 0.25, value: 0.1, error: Number.NaN };
      return { orders, candidates: [none, { orders, probability: 0.75, value: 0.3, error: 0.01 }] };
    }),
};

const france = standard.powerNames.indexOf('FRANCE') as Power;
/** DumbBot in all seats but some. */
const seatsWith = (agent: Agent, ...powers: number[]): Agent[] =>
  standard.powerNames.map((_, q) => (powers.includes(q) ? agent : parseAgent('dumbbot')));

const kept = suite('targets of a choice');

const numbers = ({ probability, value, error }: Candidate): number[] => [probability, value, error];

kept('the likeliest candidates are kept, and add up to 1', () => {
  const orders = Int32Array.of(1, 2);
  const candidates = Array.from({ length: 12 }, (_, i) => ({ orders, probability: i / 100, value: i, error: 0 }));
  const found = policyTargets(france, candidates);
  assert.ok(found !== null);
  // 11 to 4 hundredths, of 60.
  assert.equal(
    found.candidates.map(({ value }) => value),
    [11, 10, 9, 8, 7, 6, 5, 4],
  );
  assert.is(found.candidates[0].probability, Math.fround(11 / 60));
  assert.is(found.value, Math.fround((121 + 100 + 81 + 64 + 49 + 36 + 25 + 16) / 60));
  // Where one is played alone, the best others are kept too, as far as they have values.
  const sure = candidates.map((one, i) => ({ ...one, probability: i === 3 ? 1 : 0, value: i === 10 ? Number.NaN : i }));
  const five = policyTargets(france, sure);
  assert.is(five?.value, 3);
  const given = five?.candidates.map(({ value, probability }) => `${value}: ${probability}`);
  assert.equal(given, ['3: 1', '11: 0', '9: 0', '8: 0', '7: 0']);
  assert.is(policyTargets(france, [{ orders, probability: 0.001, value: 1, error: 0 }]), null);
  assert.ok(Number.isNaN(policyTargets(france, [{ orders, probability: 1, value: Number.NaN, error: 0 }])?.value));
});

kept('a game has those of the agents that say, and is the same game as without', async () => {
  const options = { agents: seatsWith(pair, france), until: 1902, seed: 4 };
  const [without, record] = [await playGame(options), await playGame({ ...options, targets: true })];
  assert.equal(
    record.phases.map(({ targets: _, ...phase }) => phase),
    without.phases,
  );
  assert.ok(without.phases.every((phase) => !('targets' in phase)));
  const moves = record.phases.filter(({ phase }) => phase.endsWith('M'));
  for (const { targets = [], orders } of moves) {
    assert.equal(
      targets.map(({ power }) => power),
      [france],
    );
    const [{ value, candidates }] = targets;
    assert.is(value, Math.fround(0.75 * 0.3 + 0.25 * 0.1));
    assert.equal(candidates.map(numbers), [
      [0.75, Math.fround(0.3), Math.fround(0.01)],
      [0.25, Math.fround(0.1), Number.NaN],
    ]);
    // The likelier one is what was ordered.
    for (const order of candidates[0].orders) assert.ok(orders.includes(order));
  }
});

const withTargets = async () =>
  withoutStates(await playGame({ agents: seatsWith(pair, 0, france), until: 1901, seed: 4, index: 3, targets: true }));

kept('targets come back from their bytes', async () => {
  const record = await withTargets();
  const shard = encodeShard([record]);
  assert.is(shard[4], 3);
  const [back] = decodeShard(shard);
  assert.equal(
    back.phases.map(({ targets }) => targets),
    record.phases.map(({ targets }) => targets),
  );
  assert.equal(encodeShard([back]), shard);
  assert.is(verifyGame(standard, DATC_3_2, back), null);
  // Without targets it is a record of version 2, byte for byte.
  const plain = { ...record, phases: record.phases.map(({ targets: _, ...phase }) => phase) };
  assert.is(encodeShard([plain])[4], 2);
  assert.not.ok(Buffer.from(encodeGame(plain)).includes('targets'));
  assert.ok(decodeGame(encodeGame(plain)).phases.every((phase) => !('targets' in phase)));
});

type Loose = Record<string, unknown>;
const packr = new Packr({ useRecords: false });

/** Fields of the targets of a phase in place of the right ones, and what is said of them. */
const wrongFields: readonly (readonly [fields: Loose, message: RegExp])[] = [
  [{ powers: Buffer.of(2, 2) }, /phase 0, targets, powers: got 2 bytes, wanted ascending ones/],
  [{ roots: Buffer.alloc(4) }, /targets, roots: got 4 bytes, wanted 8 bytes, 4 for each of 2/],
  [{ counts: Buffer.of(2, 3) }, /targets, probabilities: got 16 bytes, wanted 20 bytes/],
  [{ probabilities: Buffer.alloc(16, 0xff) }, /targets, probabilities: got 16 bytes, wanted 0 to 1/],
  [{ values: Buffer.alloc(15) }, /targets, values: got 15 bytes, wanted bytes, a multiple of 4/],
  [{ lengths: Buffer.alloc(8) }, /targets, orders: got \d+ bytes, wanted 0 bytes/],
  [{ errors: 'none' }, /got the type 0xa4, wanted bytes/],
];
kept('targets that do not fit together are refused', async () => {
  const good = packr.unpack(encodeGame(await withTargets())) as { phases: { targets: Loose }[] };
  const [first, ...others] = good.phases;
  const refused = (targets: unknown, message: RegExp): void =>
    assert.throws(
      () => decodeGame(packr.pack({ ...good, phases: [{ ...first, targets }, ...others] })),
      saying(message),
    );
  for (const [fields, message] of wrongFields) refused({ ...first.targets, ...fields }, message);
  refused([], /got the type 0x90, wanted a map/);
});

kept('targets that cannot be are found by verifying', async () => {
  const record = await withTargets();
  const [first, ...others] = record.phases;
  const check = (change: (one: PolicyTargets) => Partial<PolicyTargets>): string | undefined => {
    const targets = first.targets?.map((one) => (one.power === france ? { ...one, ...change(one) } : one)) ?? [];
    return verifyGame(standard, DATC_3_2, { ...record, phases: [{ ...first, targets }, ...others] })?.what;
  };
  const checkCandidate = (change: Partial<Candidate>): string =>
    check(({ candidates: [one, other] }) => ({ candidates: [{ ...one, ...change }, other] })) ?? '';
  assert.is(
    check(() => ({})),
    undefined,
  );
  assert.match(check(() => ({ power: 9 as Power })) ?? '', /targets of power 9, which has no orders to give/);
  assert.match(checkCandidate({ probability: 0.5 }), /the candidates of FRANCE: got 0.75 as the sum, wanted 1/);
  const orders = Int32Array.of(NONE);
  assert.match(checkCandidate({ orders }), /a candidate of FRANCE has an order that is not legal/);
});

const sure = { orders: new Int32Array(0), probability: 1, value: 0, error: 0 };
/** Candidates that a module tells of, and what is said of them. */
const wrongCandidates: readonly (readonly [candidates: unknown, message: RegExp])[] = [
  [7, /agent pair for AUSTRIA in S1901M of game 0: candidates: got 7, wanted a list of/],
  [[null], /agent pair .*: candidates: got null, wanted a list of/],
  [[{ ...sure, orders: [1] }], /candidates: got .*, wanted orders as an Int32Array/],
  [[{ ...sure, orders: new Int32Array(1) }], /candidates: got .* not legal/],
  [[{ ...sure, probability: 2 }], /candidates: got the probability 2, wanted 0/],
  [[{ ...sure, value: undefined }], /candidates: got undefined, wanted numbers/],
];
kept('a module that tells of what cannot be is named', async () => {
  for (const [answer, message] of wrongCandidates) {
    const told = { orders: new Int32Array(0), candidates: answer as Candidate[] };
    const agent: Agent = { ...pair, answer: (questions) => questions.map(() => told) };
    const game = playGame({ seed: 1, index: 0, agents: seatsWith(agent, 0), until: 1901, targets: true });
    assert.match(await rejection(game), message);
  }
});

kept.run();

// ---- runs ----

const runs = suite('shards of few games');
const spec: RunSpec = {
  map: 'standard',
  rules: 'datc-3.2',
  agents: await expandAgents(['search:rollouts=50', 'guard', 'guard', 'guard', 'guard', 'guard', 'guard'], 0),
  games: 3,
  until: 1901,
  seed: 5,
  targets: true,
};

const whole = makeTemporary();

/** The slowest agents, and the games of a shard of 1000 such games to 1910. */
const sizesByAgent: readonly (readonly [agents: string, games: number])[] = [
  ['random,dumbbot', 256],
  ['random,search:ms=10', 1],
  ['reply:plans=16,net:temperature=1', 16],
  ['reply:plans=1000', 1],
  ['exec:python3 bot.py,dumbbot', 64],
  ['./mine.mjs:depth=3', 8],
];
/** Agents, number and last year of games, and the games of a shard: samplers play many short games into larger ones. */
const sizesOfSamplers: readonly (readonly [agents: string, games: number, until: number, size: number])[] = [
  ['random', 1000, 1910, 256],
  ['random', 16_383, 1910, 256],
  ['random', 16_384, 1910, 512],
  ['random', 32_767, 1910, 512],
  ['random', 32_768, 1910, 1024],
  ['random', 10_000_000, 1910, 1024],
  ['policy', 50_000, 1901, 1024],
  ['policy', 50_000, 1911, 512],
  ['policy', 50_000, 1920, 512],
  ['policy', 50_000, 1921, 256],
  ['policy', 50_000, 1999, 256],
  ['random,policy', 50_000, 1910, 1024],
  ['random,dumbbot', 50_000, 1910, 256],
  // As many shards as five digits name.
  ['random', 200_000_000, 1910, 2000],
  ['search', 1_000_000, 1910, 10],
];
runs('how many games a shard has follows from the agents, and from the number and length of the games', () => {
  const size = (agents: string, games: number, until: number, map = 'standard'): number =>
    gamesPerShard({ map, agents: agents.split(','), games, until });
  for (const [agents, wanted] of sizesByAgent) assert.is(size(agents, 1000, 1910), wanted, agents);
  for (const [agents, games, until, wanted] of sizesOfSamplers)
    assert.is(size(agents, games, until), wanted, `${games} games of ${agents} to ${until}`);
  assert.is(size('random,random', 50_000, 10, 'ancmed'), 1024);
  const three = { games: 7, shardGames: 3 };
  assert.equal([shardCount(three), shardRange(three, 0), shardRange(three, 2)], [3, [0, 3], [6, 7]]);
});

runs('a run with targets is the same for any number of workers', async () => {
  await playRun(spec, whole, { workers: 1 });
  assert.is(readdirSync(whole).filter((name) => name.endsWith('.lep')).length, 3);
  const { shardGames, targets, versions } = readManifest(whole);
  assert.equal([shardGames, targets, versions.records], [1, true, 3]);
  assert.match(runArguments(spec).join(' '), / --seed 5 --shard-games 1 --targets$/);
  const again = makeTemporary();
  await playRun(spec, again);
  assert.equal(contentsOf(again, MANIFEST), contentsOf(whole, MANIFEST));
  for (let k = 0; k < 3; k++) {
    const [record] = decodeShard(readFileSync(join(whole, `games-0000${k}.lep`)));
    assert.is(verifyGame(standard, DATC_3_2, record), null);
    for (const { phase, targets: found = [] } of record.phases.slice(0, -1)) {
      const powers = found.map(({ power }) => power);
      assert.equal(powers, phase.endsWith('M') ? [0] : powers.slice(0, 1));
      if (phase.endsWith('M')) assert.ok(found[0].value > 0 && found[0].value < 1);
    }
  }
});

runs('what is missing or damaged is played again', async () => {
  const directory = makeTemporary();
  cpSync(whole, directory, { recursive: true });
  rmSync(join(directory, 'games-00001.lep'));
  rmSync(join(directory, 'games-00001.table'));
  const path = join(directory, 'games-00002.lep');
  writeFileSync(path, readFileSync(path).subarray(0, 900));
  const damaged: string[] = [];
  const { kept: found } = await playRun(spec, directory, { onDamage: (file) => damaged.push(file) });
  assert.equal([found, damaged], [1, [path]]);
  assert.equal(contentsOf(directory, MANIFEST), contentsOf(whole, MANIFEST));
});

runs('other targets or other shards are another run', async () => {
  const refusal = (change: Partial<RunSpec>) => rejection(playRun({ ...spec, ...change }, whole));
  assert.match(await refusal({ targets: false }), /holds another run: its targets is true, wanted false/);
  assert.match(await refusal({ shardGames: 3 }), /holds another run: its games in a shard is 1, wanted 3/);
});

runs('a game is on the disk before the next one ends', async () => {
  const directory = makeTemporary();
  const stop = new AbortController();
  const counters = makeCounters();
  const playing = playRun(spec, directory, { workers: 1, counters, signal: stop.signal });
  await until('two games', () => Atomics.load(counters, 0) >= 2n);
  assert.ok(existsSync(join(directory, 'games-00000.lep')));
  stop.abort();
  await playing;
});

runs.run();
