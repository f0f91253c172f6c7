// Reads the games of a run (or saved games in any format that Lepanto knows) and counts how many moves of each power
// succeeded.
//
//   lepanto selfplay --games 20 --until 1903 --agents random --out runs/twenty
//   node dist/bindings/examples/read-a-run.js runs/twenty
import { playedGames, recordedPhases } from 'lepanto/games';

const [path] = process.argv.slice(2);
if (path === undefined) throw new Error('got no path, wanted a run directory or a file of games');

const moves = new Map<string, number>();
const succeeded = new Map<string, number>();
const count = (counts: Map<string, number>, power: string): void => {
  counts.set(power, (counts.get(power) ?? 0) + 1);
};

let games = 0;
for (const { where, replayed, error } of playedGames(path)) {
  if (replayed === null) throw new Error(`${where}: ${error}`);
  games++;
  for (const { orders } of recordedPhases(replayed.record)) {
    for (const { power, kind, result } of orders) {
      if (kind !== 'move') continue;
      count(moves, power);
      if (result === 'succeeds') count(succeeded, power);
    }
  }
}

console.log(`${games} games`);
for (const [power, total] of [...moves].sort())
  console.log(`${power.padEnd(8)} ${succeeded.get(power) ?? 0} of ${total} moves succeeded`);
