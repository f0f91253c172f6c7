// Says how a gate went: as a table for people, and as JSON.
import type { GateResult, GateSpec, PairedScores } from '../../../selfplay/arena/gate.js';
import { columns, conditionsOf, plusMinus, timedNote } from './arena-report.js';

const agentsOf = ({ agent, against, anchors }: GateSpec): string[] => [agent, against, ...anchors];

/** Passed or not and why, and the scores of both sides in pairs of games. */
export const gateText = (spec: GateSpec, result: GateResult, seconds: number): string => {
  const { passed, reason, games, pairs, anchors } = result;
  const row = (name: string, { games: count, agent, against, gain, error }: PairedScores): string[] => [
    ...[name, String(count), agent.toFixed(3), against.toFixed(3), plusMinus(gain, error)],
  ];
  const rows = [
    ['one seat against six of', 'pairs', 'agent', 'other', 'gain'],
    row('each other', pairs),
    ...anchors.map((one) => row(one.anchor, one)),
  ];
  const verdict = passed === null ? 'not decided' : passed ? 'passed' : 'did not pass';
  return (
    `${verdict}: ${reason}\n` +
    `${games} games to the end of ${spec.until}, seed ${spec.seed}, ${spec.scoring}, ${seconds.toFixed(1)} s\n` +
    `  agent ${spec.agent}\n  other ${spec.against}\n\n${columns(rows)}\n${timedNote(agentsOf(spec))}`
  );
};

/** The same as one object. */
export const gateRecord = (spec: GateSpec, result: GateResult, workers: number, seconds: number): object => ({
  gate: spec,
  ...result,
  ...conditionsOf(agentsOf(spec), workers, seconds),
});
