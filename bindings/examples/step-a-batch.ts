// Steps 1,000 games side by side for a year: first with orders of your choice, then with orders sampled by the engine.
//
//   node dist/bindings/examples/step-a-batch.js
import { Batch, legalByPower, loadMap, Random, rulesByName, Sampler, Score } from 'lepanto';

const GAMES = 1000;
const map = loadMap('standard');
const batch = new Batch(map, rulesByName('datc-3.2'), GAMES);
batch.reset(7);

// The orders of game i are orders[offsets[i] .. offsets[i + 1]). In this bot every unit draws one of its legal orders;
// a real one would ask a net. Code that needs millions of lists should use allLegalOrders() of lepanto/raw, which
// writes to buffers of the caller.
const orders = new Int32Array(GAMES * map.provinceCount);
const offsets = new Int32Array(GAMES + 1);
for (let i = 0; i < GAMES; i++) {
  const random = new Random(7, i);
  let n = offsets[i];
  for (let power = 0; power < map.powerCount; power++)
    for (const list of legalByPower(batch.game(i), power)) orders[n++] = list[random.below(list.length)];
  offsets[i + 1] = n;
}
console.log(`spring: ${batch.step(orders, offsets)} games stepped, ${offsets[GAMES]} orders`);

// The engine can sample the orders itself, for hundreds of thousands of steps a second: for all units of all powers,
// with the retreats and adjustments that follow.
while (batch.game(0).year === map.startYear) batch.sampleStep(Sampler.POLICY);

const value = new Float64Array(map.powerCount);
const mean = new Float64Array(map.powerCount);
for (let i = 0; i < GAMES; i++) {
  batch.value(i, Score.SUM_OF_SQUARES, value);
  for (let power = 0; power < map.powerCount; power++) mean[power] += value[power] / GAMES;
}
for (const [power, name] of map.powerNames.entries()) console.log(`${name.padEnd(8)} ${mean[power].toFixed(4)}`);
