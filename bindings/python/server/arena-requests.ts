// JSON requests of a client that runs an arena itself (lepanto.arena): seats, positions for its bots, and standings.
// A request concerns many games.

import { Game, NONE, phaseName, Random, vocabulary } from '../../../engine/internal.js';
import { listLegal } from '../../../engine/notation/json/legal-record.js';
import { positionOf, readOrders } from '../../../engine/notation/json/position.js';
import { DATC_READING } from '../../../engine/notation/text/index.js';
import { withoutCoast } from '../../../engine/notation/text/vocabulary-text.js';
import {
  anything,
  asObject,
  fieldOf,
  fields,
  listOf,
  numberIn,
  oneOf,
  refuse,
  refuseValue,
  type Shape,
  text,
  wholeNumber,
} from '../../../engine/rules/shape.js';
import { type PastPhase, pastPhases, requestedPosition } from '../../../selfplay/agents/exec/protocol.js';
import type { ArenaGame } from '../../../selfplay/arena/arena-game.js';
import { judgeGate } from '../../../selfplay/arena/gate.js';
import { type GauntletSpec, gauntletFamilies, summarizeGauntlet } from '../../../selfplay/arena/gauntlet.js';
import {
  type ArenaSpec,
  arenaGameSeed,
  arenaOptions,
  type GateSpec,
  gateOptions,
  protocolNames,
  seatsOf,
} from '../../../selfplay/arena/protocol.js';
import { seatScores, summarizeArena } from '../../../selfplay/arena/standings.js';
import { endingOptions } from '../../../selfplay/games/ending.js';
import { recordedSize } from '../../../selfplay/games/game-record.js';
import { optionShape, seedOption } from '../../../selfplay/question/option.js';
import {
  arenaReport,
  gateReport,
  gauntletReport,
  type Report,
  reportRecord,
  reportText,
} from '../../reports/arena-report.js';
import type { Setup } from './config.js';
import type { Memory } from './memory.js';
import { type Asked, answerBy, type Handlers, wholeNumbers } from './requests.js';

const anyNumber = Number.POSITIVE_INFINITY;
const objects = listOf(asObject, 0, anyNumber);

const namedSpec = fields<Omit<ArenaSpec, 'map' | 'rules' | 'rounds'>>({
  agents: listOf(text, 0, 4096),
  protocol: oneOf(protocolNames.filter((name) => name !== 'population')),
  scoring: optionShape(arenaOptions.scoring),
  games: optionShape(arenaOptions.games),
  until: optionShape(endingOptions.until),
  chance: anything,
  seed: optionShape(seedOption.seed),
});
const readSpec = ({ map, rules }: Setup, value: unknown): ArenaSpec => {
  const spec = namedSpec(value, '');
  if (spec.agents.length < 2) refuse(`agents: got ${spec.agents.length}, wanted at least 2`);
  if (spec.until < map.startYear) refuseValue('until', spec.until, `a year from ${map.startYear}`);
  return { ...spec, map: map.name, rules: rules.runName };
};

/**
 * Returns the random seeds and the seats of games first .. end - 1 of an arena. The seats of a game are indices of
 * agents, indexed by power.
 */
const plan = (asked: Asked): object => {
  const spec = readSpec(asked.setup, asked.field('spec', asObject));
  const first = asked.field('first', wholeNumber());
  const games = Array.from({ length: asked.field('end', wholeNumber()) - first }, (_, i) => first + i);
  return {
    seeds: games.map((index) => arenaGameSeed(spec, index)),
    seats: games.map((index) => seatsOf(spec, index, asked.setup.map.powerCount)),
  };
};

const arenaGame: Shape<ArenaGame> = fields({
  seats: wholeNumbers,
  centers: wholeNumbers,
  winner: wholeNumber(),
  years: wholeNumber(),
});

const arenaGames = listOf(arenaGame, 0, anyNumber);

/**
 * Returns an arena's report as a JSON object (`record`) and as text. Reads the duration and the number of workers from
 * the request.
 */
const told = (asked: Asked, report: Report) => {
  const seconds = asked.field('seconds', numberIn(0));
  const record = reportRecord(report, asked.field('workers', wholeNumber()), seconds);
  return { record, text: reportText(report, seconds) };
};

const standings = (asked: Asked): object => {
  const games = asked.field('games', arenaGames);
  const spec = { ...readSpec(asked.setup, asked.field('spec', asObject)), games: games.length };
  return { ...told(asked, arenaReport(spec, summarizeArena(spec, games))), scores: seatScores(spec, games, 0) };
};

const NOTE = '+- is one standard error';

/**
 * Returns the report of a gauntlet, as JSON and text: results of the first agent against each other agent, and against
 * all others together.
 */
const field = (asked: Asked): object => {
  const { agents, protocol, ...rest } = readSpec(asked.setup, asked.field('spec', asObject));
  const [agent, ...families] = agents;
  const spec: GauntletSpec = { ...rest, agent, families };
  const result = summarizeGauntlet(spec, asked.field('games', listOf(arenaGames, 0, anyNumber)));
  return told(asked, { ...gauntletReport(spec, result), note: NOTE });
};

/**
 * Returns the report of a gate (whether one agent is better than another), made from the scores of the matches so far,
 * and the games that must be played next.
 */
const gate = (asked: Asked): object => {
  const { agents, protocol, ...rest } = readSpec(asked.setup, asked.field('spec', asObject));
  const [agent, against, ...anchors] = agents;
  if (rest.games < 2) refuseValue('games', rest.games, 'at least 2');
  const [looks, p] = [
    asked.field('looks', optionShape(gateOptions.looks)),
    asked.field('p', optionShape(gateOptions.p)),
  ];
  const spec: GateSpec = { ...rest, agent, against, anchors, looks, p };
  const scores = asked.field('scores', asObject);
  const numbers = listOf(numberIn(0), 0, anyNumber);
  const scoresOf = (match: readonly number[]): number[] => numbers(fieldOf(scores, match.join()) ?? [], 'scores');
  const { result, needed } = judgeGate(spec, scoresOf, asked.field('played', wholeNumber()));
  return { needed, ...told(asked, { ...gateReport(spec, result), note: NOTE }) };
};

/**
 * Returns positions for bots (BOT-PROTOCOL.md), with a seed and legal orders for each power. The request lists pairs of
 * a game and its powers.
 * @throws LepantoError for an unknown game or power
 */
const requests = (asked: Asked): object[] => {
  const { setup, memory } = asked;
  const [seeds, phases] = [memory.int32('episode_seed'), memory.int32('phases')];
  const wantsLegal = fieldOf(asked.record, 'legal') === true;
  return asked.field('asked', listOf(listOf(anything, 2, 2), 0, anyNumber)).map(([row, powers]) => {
    const game = asked.game(row);
    const legal = wantsLegal ? listLegal(positionOf(game)).orders : null;
    const own = wholeNumbers(powers, 'powers').map((q) => {
      const name = setup.map.powerNames[q] ?? refuse(`powers: got ${q}`);
      // Draws from the random stream of an engine agent (agent-orders.ts), so that exec:COMMAND would send the same
      // seed.
      const random = new Random(seeds[Number(row)], phases[Number(row)], q);
      return { power: name, seed: random.next(), legal: legal === null ? {} : { [name]: legal[name] ?? {} } };
    });
    return { ...requestedPosition(game), own };
  });
};

/**
 * Reads orders of bots from the request, a list of {game, power, orders}. Returns one object for each order: {id} with
 * its vocabulary id, or {reason} with the reason for refusal.
 */
const read = (asked: Asked): object[] => {
  const { map } = asked.setup;
  const { indexOf } = vocabulary(map);
  return asked.field('given', objects).map((given) => {
    const game = asked.game(fieldOf(given, 'game'));
    const power = String(fieldOf(given, 'power'));
    return readOrders(positionOf(game), DATC_READING, { [power]: fieldOf(given, 'orders') }).map((order) =>
      order.read.order === NONE ? { reason: order.read.reason } : { id: indexOf(withoutCoast(map, order.read.order)) },
    );
  });
};

/**
 * Returns played phases as text for bots. The request has the state, the orders (vocabulary ids) and the results of
 * each phase.
 * @throws LepantoError for an id outside the vocabulary
 */
const past = (asked: Asked): PastPhase[] => {
  const { map } = asked.setup;
  const { orders } = vocabulary(map);
  const rules = asked.setup.rules.adjudication;
  const game = new Game(map, rules);
  const phases = asked.field('phases', objects).map((phase) => {
    game.bytes.set(wholeNumbers(fieldOf(phase, 'state'), 'state').slice(0, game.layout.stride));
    return {
      phase: phaseName(game),
      state: game.bytes.slice(0, recordedSize(game)),
      orders: Int32Array.from(
        wholeNumbers(fieldOf(phase, 'orders'), 'orders'),
        (id) => orders[id] ?? refuse(`order: got id ${id}`),
      ),
      results: Uint8Array.from(wholeNumbers(fieldOf(phase, 'results'), 'results')),
    };
  });
  return pastPhases(map, rules, phases);
};

const handlers: Handlers = {
  'arena plan': plan,
  'arena standings': standings,
  'arena field': field,
  'arena gate': gate,
  'arena families': () => gauntletFamilies,
  'arena requests': requests,
  'arena orders': read,
  'arena past': past,
};

/** Answers one JSON request about an arena. @throws LepantoError if the request is invalid */
export const answerArena = (setup: Setup, memory: Memory, request: unknown): unknown =>
  answerBy(handlers, setup, memory, request);
