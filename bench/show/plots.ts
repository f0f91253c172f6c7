// Plots a full result as SVG files: phase-steps a second against workers, cost against units and horizon.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { linePlot, type PlotLine } from '../../bindings/draw/plots.js';
import type { BenchResult } from '../run/result.js';

const COLOURS = ['#1f5f99', '#b5542a'];

/** Writes the plots of a result to a folder; returns their names, none for a result without curves. */
export const writePlots = (result: BenchResult, folder: string): string[] => {
  const { curves, machine, node, commit } = result;
  if (curves === null) return [];
  const note = `${machine.cpu}, ${machine.cores} cores, Node ${node}, commit ${(commit ?? 'unknown').slice(0, 10)}, ${result.command}`;
  const made: string[] = [];
  type Line = Pick<PlotLine, 'name' | 'points'> & { readonly dashes?: string };
  const plot = (name: string, title: string, unit: string, ...lines: Line[]): void => {
    const drawn = lines.map((line, i) => ({ dashes: '', ...line, colour: COLOURS[i] }));
    writeFileSync(join(folder, name), linePlot({ title, unit, lines: drawn, from: 0, note }));
    made.push(name);
  };
  const { workers, units, horizon } = curves;
  const one = workers[0].phase_steps_per_second;
  const most = workers.filter((point) => point.workers <= result.threads);
  plot(
    'workers.svg',
    'Phase-steps a second against workers',
    'phase-steps/s, by workers',
    { name: 'measured', points: workers.map((point) => [point.workers, point.phase_steps_per_second]) },
    {
      name: 'as many times one',
      dashes: '6 4',
      points: [0, ...most.map((point) => point.workers)].map((n) => [n, n * one]),
    },
  );
  plot(
    'units.svg',
    'Cost of a phase-step against units on the board',
    'ns a phase-step, by units (one-year rollouts, loading included)',
    { name: 'heuristic sampler', points: units.map((point) => [point.units, point.policy]) },
    { name: 'uniform sampler', points: units.map((point) => [point.units, point.uniform]) },
  );
  plot(
    'horizon.svg',
    'Cost of a rollout against its horizon',
    'ns a rollout, by phase-steps from spring 1901 (heuristic sampler, loading and valuing included)',
    { name: 'measured', points: horizon.map((point) => [point.horizon, point.nanoseconds]) },
  );
  return made;
};
