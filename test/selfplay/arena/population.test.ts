// Tests populations: who sits where, how games end by chance, means with errors by game, and the fit of skills.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Random, standard } from '../../../engine/internal.js';
import { runArena } from '../../../selfplay/arena/arena.js';
import { type EloRange, fitElo, MEAN_ELO, type SharedGame } from '../../../selfplay/arena/elo.js';
import { populationEnding, summarizePopulation } from '../../../selfplay/arena/population.js';
import { type ArenaSpec, seatsOf } from '../../../selfplay/arena/protocol.js';

const spec: ArenaSpec = {
  map: 'standard',
  rules: 'datc-3.2',
  agents: ['random', 'policy', 'hold'],
  protocol: 'population',
  scoring: 'sum_of_squares',
  games: 600,
  until: 1930,
  seed: 3,
};

const seats = suite('seats of a population');

seats('are drawn with replacement, each agent as often, power by power', () => {
  const counts = standard.powerNames.map(() => [0, 0, 0]);
  const alike = new Set<number>();
  for (let index = 0; index < spec.games; index++) {
    const drawn = seatsOf(spec, index, 7);
    for (const [q, agent] of drawn.entries()) counts[q][agent]++;
    alike.add(drawn.filter((agent) => agent === 0).length);
  }
  // Binomial with a standard deviation of 11.5.
  for (const n of counts.flat()) assert.ok(Math.abs(n - 200) < 46, `got ${counts}`);
  assert.ok([0, 1, 5].every((n) => alike.has(n)));
});

seats('of two populations are alike where the agent drawn is in both, in whatever order they are listed', () => {
  const more = { ...spec, agents: ['hold', 'random', 'guard', 'policy'] };
  let same = 0;
  for (let index = 0; index < 100; index++) {
    const few = seatsOf(spec, index, 7).map((agent) => spec.agents[agent]);
    for (const [q, agent] of seatsOf(more, index, 7).entries()) {
      if (more.agents[agent] === 'guard') continue;
      assert.is(more.agents[agent], few[q]);
      same++;
    }
  }
  assert.ok(same > 460 && same < 590, `got ${same} of 700`);
});

seats('a year is the last one with the chance of its step', async () => {
  const yearsOf = async (chance: ArenaSpec['chance'], games: number): Promise<number[]> =>
    (await runArena({ ...spec, games, chance }, { workers: 1 })).games.map(({ years }) => years);
  assert.equal(await yearsOf([{ from: 1903, chance: 1 }], 2), [3, 3]);
  const later = [
    { from: 1901, chance: 0 },
    { from: 1902, chance: 1 },
  ];
  assert.equal(await yearsOf(later, 2), [2, 2]);
  const years = await yearsOf([{ from: 1902, chance: 0.5 }], 24);
  assert.is(Math.min(...years), 2);
  assert.ok(Math.max(...years) > 3, `got ${years}`);
  assert.equal(populationEnding(standard).chance, [
    { from: 1909, chance: 0.2 },
    { from: 1913, chance: 0.4 },
  ]);
});

const sums = suite('sums of a population');

sums('the seats of one game are one draw; a gain is the mean where the other is there, less the mean of all', () => {
  const games = [
    { seats: [0, 0, 1, 1, 1, 1, 1], centers: [3, 4, 0, 0, 0, 0, 0], winner: -1, years: 9 },
    { seats: [0, 1, 1, 1, 1, 1, 1], centers: [0, 5, 0, 0, 0, 0, 0], winner: -1, years: 9 },
    { seats: [0, 2, 2, 2, 2, 2, 2], centers: [6, 0, 0, 0, 0, 0, 0], winner: -1, years: 9 },
  ];
  const { members, years } = summarizePopulation({ ...spec, agents: ['a', 'b', 'c'] }, games);
  const [a, b, c] = members;
  // Of a, sums 1, 0 and 1 of 2, 1 and 1 seats: a mean of 1/2, left over 0, -1/2 and 1/2.
  assert.equal(a.share, { mean: 0.5, error: Math.sqrt((0.5 * 3) / 2) / 4, seats: 4, games: 3 });
  assert.is(a.gains[1].mean, 1 / 3 - 0.5);
  assert.is(a.gains[2].mean, 0.5);
  assert.equal([a.gains[0].games, a.gains[0].seats, b.gains[2].games], [1, 2, 0]);
  assert.equal([a.most, b.most, c.defeated, a.solos, years], [2, 1, 6, 0, 9]);
  assert.is(a.centers, 13 / 4);
  assert.is(a.powers.AUSTRIA.seats, 3);
  assert.ok(a.elo > b.elo && b.elo > c.elo);
});

const skills = suite('skills');

const SKILLS = [-250, -120, -20, 30, 110, 250];
const POWERS = [-40, 30, 60, 0, -50, 20, -20];

const sumOf = (list: readonly number[]): number => list.reduce((sum, x) => sum + x, 0);
/** How much likelier than others each seat is to win, by the Elo of its agent and of its power. */
const oddsOf = (drawn: readonly number[], ofAgents: readonly number[], ofPowers: readonly number[]): number[] =>
  drawn.map((agent, q) => 10 ** ((ofAgents[agent] + ofPowers[q]) / 400));

/** Games in which a power that is drawn by the model takes most, as winners of a sum of squares do. */
const simulate = (games: number, seed: number): SharedGame[] =>
  Array.from({ length: games }, (_, index) => {
    const random = new Random(seed, index, 1);
    const drawn = POWERS.map(() => random.below(SKILLS.length));
    const odds = oddsOf(drawn, SKILLS, POWERS);
    const shares = POWERS.map(() => 0);
    for (let part = 0; part < 3; part++) {
      let left = random.fraction() * sumOf(odds);
      const winner = odds.findIndex((x) => {
        left -= x;
        return left < 0;
      });
      shares[Math.max(0, winner)] += 1 / 3;
    }
    return { seats: drawn, shares };
  });
const fit = (games: readonly SharedGame[], resamples: number) =>
  fitElo(games, SKILLS.length, POWERS.length, 1, resamples);

skills('those of agents and powers are found within 15 Elo', () => {
  const { agents, powers } = fit(simulate(6000, 11), 0);
  for (const [agent, skill] of SKILLS.entries())
    assert.ok(Math.abs(agents[agent].elo - MEAN_ELO - skill) < 15, `${agent}: got ${agents[agent].elo}`);
  for (const [q, worth] of POWERS.entries())
    assert.ok(Math.abs(powers[q].elo - worth) < 15, `${q}: got ${powers[q].elo}`);
});

skills('two independent runs agree within their errors, and intervals hold what is true', () => {
  const one = fit(simulate(1000, 21), 100);
  const two = fit(simulate(1000, 22), 100);
  const error = ({ low, high }: EloRange): number => (high - low) / (2 * 1.96);
  const apart = one.agents.map(
    (range, i) => (range.elo - two.agents[i].elo) / Math.hypot(error(range), error(two.agents[i])),
  );
  assert.ok(Math.sqrt(sumOf(apart.map((z) => z * z)) / apart.length) < 1, `got ${apart}`);
  const inside = [...one.agents, ...two.agents].filter(
    ({ low, high }, i) => low < MEAN_ELO + SKILLS[i % 6] && MEAN_ELO + SKILLS[i % 6] < high,
  );
  assert.ok(inside.length >= 10, `got ${inside.length} of 12`);
});

skills('what an agent gets is what the model expects; one that gets nothing has a skill all the same', () => {
  const games = simulate(500, 31);
  const { agents, powers } = fit(games, 0);
  const [ofAgents, ofPowers] = [agents, powers].map((list) => list.map(({ elo }) => elo));
  const got = SKILLS.map(() => 0);
  const wanted = SKILLS.map(() => 0);
  for (const { seats: drawn, shares } of games) {
    const odds = oddsOf(drawn, ofAgents, ofPowers);
    for (const [q, agent] of drawn.entries()) {
      got[agent] += shares[q];
      wanted[agent] += odds[q] / sumOf(odds);
    }
  }
  for (const [agent, sum] of got.entries()) assert.ok(Math.abs(sum - wanted[agent]) < 2, `${agent}: ${sum}, ${wanted}`);
  const lost = fitElo([{ seats: [0, 1], shares: [1, 0] }], 2, 2, 1);
  assert.ok(Number.isFinite(lost.agents[1].elo) && lost.agents[1].elo < lost.agents[0].elo);
  assert.ok(Number.isNaN(lost.agents[0].low));
  assert.is(fitElo([{ seats: [0, 1], shares: [0, 0] }], 2, 2, 1).agents[0].elo, MEAN_ELO);
});

seats.run();
sums.run();
skills.run();
