// Tests that the better of two built-in agents leads, in games of one against six.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { standard } from '../../../engine/internal.js';
import { parseAgent } from '../../../selfplay/agents/registry.js';
import { gameSeed } from '../../../selfplay/games/game-record.js';
import { playGame } from '../../../selfplay/games/play.js';

const strength = suite('agents: strength');

/** The shares of the centres in seven games to 1906, in which one agent has each seat in turn against six others. */
const playSeats = async (one: string, six: string): Promise<Float64Array[]> => {
  const shares: Float64Array[] = [];
  for (let seat = 0; seat < 7; seat++) {
    const agents = standard.powerNames.map((_, q) => parseAgent(q === seat ? one : six));
    const { scores } = await playGame({ seed: gameSeed(3, seat), index: seat, agents, until: 1906 });
    shares.push(Float64Array.from(scores.sum_of_centers));
  }
  return shares;
};

/** Of these games, those in which the one agent has the most centres. */
const mostOf7 = async (one: string, six: string): Promise<number> => {
  const shares = await playSeats(one, six);
  return shares.filter((game, seat) => game.every((share, q) => q === seat || share < game[seat])).length;
};

const wipedOutOf7 = async (one: string, six: string): Promise<number> =>
  (await playSeats(one, six)).filter((game, seat) => game[seat] === 0).length;

strength('dumbbot leads six random agents, search leads six dumbbots', async () => {
  assert.ok((await mostOf7('dumbbot', 'random')) >= 6);
  assert.ok((await mostOf7('search:rollouts=200', 'dumbbot')) >= 3);
});

strength('guard is not wiped out by six greedy, reply leads six dumbbots', async () => {
  assert.is(await wipedOutOf7('guard', 'greedy'), 0);
  assert.ok((await mostOf7('reply', 'dumbbot')) >= 4);
});

strength.run();
