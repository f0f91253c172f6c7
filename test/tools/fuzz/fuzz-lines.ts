// JSON lines into adjudicate and legal: positions of random games with their orders, most of them changed somewhere.
import { TextJoiner } from '../../../bindings/terminal/json-lines.js';
import { loadMap, mapNames, newGame } from '../../../engine/internal.js';
import { adjudicateRecord } from '../../../engine/notation/json/adjudicate-record.js';
import { legalRecord } from '../../../engine/notation/json/legal-record.js';
import { formatPosition, type PositionRecord } from '../../../engine/notation/json/position.js';
import type { Random } from '../../../engine/rules/random.js';
import { type Campaign, type Fault, inner, type Round } from './campaign.js';
import { chance, changeJson, changeText, pick } from './random-input.js';

const LINES = 250;
/** Positions of a random game, one after the other. */
const POSITIONS = 25;

const rules = 'datc-3.2 strict-2003 datc-2.4 1971 2023 dptg twoOrders=last twoOrders=hold datc-3.2,waive=no'.split(' ');

interface Position extends PositionRecord {
  readonly orders: Readonly<Record<string, readonly string[]>>;
}

/** Legal orders for the units of a position, some twice, some not at all. */
const drawOrders = (random: Random, position: PositionRecord, map: ReturnType<typeof loadMap>): Position['orders'] =>
  Object.fromEntries(
    Object.entries(legalRecord(position, map).orders).map(([power, units]) => [
      power,
      Object.values(units)
        .filter((legal) => legal.length > 0 && chance(random, 95))
        .flatMap((legal) => Array.from({ length: chance(random, 4) ? 2 : 1 }, () => pick(random, legal))),
    ]),
  );

const positionsOf = (random: Random, mapName: string): Position[] => {
  const map = loadMap(mapName);
  let position: PositionRecord = formatPosition(newGame(map));
  const positions: Position[] = [];
  while (positions.length < POSITIONS && position.phase !== 'COMPLETED') {
    const orders = drawOrders(random, position, map);
    positions.push({ ...position, orders });
    const { next_phase: phase, units, centers, retreats } = adjudicateRecord({ ...position, orders }, map);
    position = { phase, units, centers, retreats };
  }
  return positions;
};

const drawLine = (random: Random, positions: readonly Position[], id: number): string => {
  const position = { id, ...pick(random, positions) };
  const kind = random.below(20);
  if (kind < 4) return JSON.stringify(position);
  if (kind < 15) return JSON.stringify(changeJson(random, position, 1 + random.below(3)));
  if (kind < 19) return changeText(random, JSON.stringify(position)).replaceAll('\n', ' ');
  return pick(random, ['', ' \t', '\uFEFF', '[]', '"', '{'.repeat(3000), '['.repeat(100_000), 'x'.repeat(4_200_000)]);
};

/** How many answers lines get: an object that goes on in the next line gets one with it. */
const answered = (lines: readonly string[]): number => {
  const joiner = new TextJoiner();
  const texts = [...lines.flatMap((line) => [...joiner.add(line)]), ...joiner.rest()].map(
    ([text]) => text ?? 'too long',
  );
  return texts.filter((text, i) => (i === 0 ? text.replace(/^\uFEFF/, '') : text).trim() !== '').length;
};

/** What is wrong with the answers to these lines; null if nothing is. */
const tryLines = async (round: Round, command: readonly string[], lines: readonly string[]): Promise<Fault | null> => {
  const path = round.session.write(`${round.place()}/input.jsonl`, lines.join('\n'));
  const { session } = round;
  const ended = await session.run([...command, path], { keep: 1 << 28 });
  const fault = session.judge({ ...ended, out: '' }, [0, 1]) ?? inner(ended.out);
  if (fault !== null) return fault;
  const answers = ended.out.split('\n').slice(0, -1);
  if (answers.length !== answered(lines)) return ['answers', `${answers.length} answers to ${answered(lines)} lines`];
  const broken = answers.find((answer) => !/^\{"id":.*\}$/.test(answer));
  return broken === undefined ? null : ['answers', broken.slice(0, 200)];
};

/** As few of the lines as still show a fault: halves, as long as one of them does. */
const smallest = async (
  round: Round,
  command: readonly string[],
  lines: readonly string[],
): Promise<readonly string[]> => {
  if (lines.length === 1) return lines;
  const middle = lines.length >> 1;
  for (const half of [lines.slice(0, middle), lines.slice(middle)])
    if ((await tryLines(round, command, half)) !== null) return smallest(round, command, half);
  return lines;
};

export const lineCampaign: Campaign = {
  name: 'lines',
  about: 'JSON lines into adjudicate and legal',
  play: async (round) => {
    const { random } = round;
    const map = chance(random, 60) ? 'standard' : pick(random, mapNames);
    const positions = positionsOf(random, map);
    const lines = Array.from({ length: LINES }, (_, id) => drawLine(random, positions, id));
    for (const name of ['adjudicate', 'legal']) {
      const command = [name, '--map', map, '--rules', pick(random, rules), '--quiet'];
      const fault = await tryLines(round, command, lines);
      if (fault === null) continue;
      const few = await smallest(round, command, lines);
      round.found(fault[0], command, fault[1]);
      round.keep(`-${name}.jsonl`, few.join('\n'));
    }
    round.tries = 2 * LINES;
  },
};
