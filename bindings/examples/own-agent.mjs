// An agent of your own: each unit takes a centre of another power if it can, and otherwise draws one of its legal orders.
//
//   lepanto arena --agents ./own-agent.mjs,random --games 14 --until 1903
import { legalByPower, OrderType, orderTarget, orderType, Phase } from 'lepanto';
import { parseAgent } from 'lepanto/selfplay';

// Plays the retreats and adjustments.
const random = parseAgent('random');

const choose = (game, power, out, stream, budget) => {
  if (game.phase !== Phase.MOVEMENT) return random.choose(game, power, out, stream, budget);
  const { centerIndex, locationProvince } = game.map;
  const gains = (order) => {
    const center = centerIndex[locationProvince[orderTarget(order)]];
    return orderType(order) === OrderType.MOVE && center >= 0 && game.owner(center) !== power;
  };
  let n = 0;
  for (const legal of legalByPower(game, power)) {
    const best = legal.filter(gains);
    const from = best.length > 0 ? best : legal;
    out[n++] = from[stream.below(from.length)];
  }
  return n;
};

export default {
  name: 'eager',
  help: 'takes centres of other powers',
  options: {},
  make: (options) => ({ name: 'eager', options, choose }),
};
