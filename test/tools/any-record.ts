// Positions and orders as programs send them, drawn at random.
import * as fc from 'fast-check';

const anything = fc.anything({ maxDepth: 2, maxKeys: 3 });
const oneOf = <T>(usual: fc.Arbitrary<T>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 40, arbitrary: usual }, { weight: 1, arbitrary: anything });
/** Some of these texts, now and then a strange one among them. */
const someOf = (texts: string): fc.Arbitrary<unknown> => {
  const usual = fc.subarray(texts.split(', '));
  const strange = fc.array(
    oneOf(fc.constantFrom(...texts.split(', '), '*A TRI', 'A ADR', 'F SPA', 'SPA/NC', '', '__proto__')),
    { maxLength: 4 },
  );
  return oneOf(fc.oneof({ weight: 12, arbitrary: usual }, { weight: 1, arbitrary: strange }));
};
const power = fc.constantFrom(
  ...Array<string>(12).fill('AUSTRIA'),
  ...Array<string>(12).fill('italy'),
  'FRANCE',
  '__proto__',
  'X',
);
const byPower = (value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  oneOf(fc.dictionary(power, value, { maxKeys: 2 }));
const word = fc.constantFrom(...'A F BUD TRI VEN - S H R D B SPA /SC WAIVE C VIA'.split(' '));
const order = fc.array(word, { maxLength: 8 }).map((words) => words.join(' '));
const units = 'A BUD, F TRI, A VEN, F SPA/SC, A GAL, F ADR, F NTH, A LON, A SER, A MUN';
/** A record of a position as a program may send it: likely values, and now and then anything at all. */
export const anyRecord: fc.Arbitrary<object> = fc.record(
  {
    id: oneOf(fc.nat()),
    phase: oneOf(fc.constantFrom('S1901M', 'F1901R', 'W1901A', 'S1901R', 'f1902m')),
    units: oneOf(someOf(units).map((list) => ({ AUSTRIA: list }))),
    centers: byPower(someOf('BUD, TRI, VEN, SPA, STP')),
    retreats: byPower(
      oneOf(
        fc.dictionary(
          fc.constantFrom('A VIE', 'A TYR', 'F ALB', 'F MAO', '*A ROM'),
          someOf('BOH, GRE, TUS, SPA/NC, POR, PIE'),
          { maxKeys: 1 },
        ),
      ),
    ),
    builds: byPower(oneOf(fc.integer({ min: 0, max: 3 }))),
    orders: byPower(oneOf(fc.array(oneOf(order), { maxLength: 4 }))),
  },
  { requiredKeys: ['phase', 'units'] },
);
