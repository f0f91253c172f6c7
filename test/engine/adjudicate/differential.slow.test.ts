// Tests that the engine agrees with the oracle on 100,000 sets of the standard map, and 50,000 of maps with rules of their
// own.
import { compareFamilies } from '../../oracle/compare-families.js';

compareFamilies(1);
