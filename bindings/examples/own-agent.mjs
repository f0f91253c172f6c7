// An agent of your own. Each unit moves to a centre that its power does not own if it can, and otherwise draws a legal
// order.
//
//   lepanto arena --agents ./own-agent.mjs,random --games 14 --until 1903
import { legalByPower, OrderType, orderTarget, orderType, Phase } from 'lepanto';
import { parseAgent } from 'lepanto/selfplay';

// Answers in retreat and adjustment phases.
const random = parseAgent('random');

const choose = (question) => {
  const { game, power } = question;
  if (game.phase !== Phase.MOVEMENT) return random.answer([question])[0];
  const { centerIndex, locationProvince } = game.map;
  const gains = (order) => {
    const center = centerIndex[locationProvince[orderTarget(order)]];
    return orderType(order) === OrderType.MOVE && center >= 0 && game.owner(center) !== power;
  };
  const orders = legalByPower(game, power).map((legal) => {
    const from = legal.some(gains) ? legal.filter(gains) : legal;
    return from[question.random.below(from.length)];
  });
  return { orders };
};

const make = (options) => ({ name: 'eager', options, answer: (questions) => questions.map(choose) });
export default { name: 'eager', help: 'moves into centres that its power does not own', options: {}, make };
