// Options of a folder of tensors.
import { observationKinds } from '../arrays/observations.js';
import type { FoundBy } from './find-games.js';

/** Kinds of observations in a folder: those of a batch, or the boards of dipcc. */
export const tensorObservations = [...observationKinds, 'dipcc'] as const;
type TensorObservations = (typeof tensorObservations)[number];

/** What to do with a game that cannot be read or replayed. */
export const troubleModes = ['raise', 'skip'] as const;
type TroubleMode = (typeof troubleModes)[number];

/** Command line options of `lepanto tensors`. */
export const tensorOptions = {
  observations: { words: tensorObservations, default: 'dipnet', help: 'observations' },
  errors: {
    words: troubleModes,
    takes: 'MODE',
    default: 'raise',
    help: 'raise stops at a game that cannot be read or played; skip leaves it out',
  },
} as const;

/** Games to write, and options for writing them. */
export interface TensorConfig extends FoundBy {
  readonly observations: TensorObservations;
  readonly errors: TroubleMode;
}
