// Order text: any usual notation in, one canonical form out.
export { formatOrder, formatUnit, orderedUnits, type Units, unitsOf } from './text/format.js';
export {
  type Interpreted,
  type Interpreter,
  makeInterpreter,
  type Retreats,
  settleSurplus,
  settleTwice,
} from './text/interpret.js';
export {
  coastOn,
  findPower,
  isSea,
  listLocations,
  listPowers,
  type Names,
  namesOf,
  provincesIn,
} from './text/names.js';
export {
  type NamedUnit,
  type OrderKind,
  orderKinds,
  type Place,
  parseOrder,
  parsePlace,
  parseUnit,
  type RawOrder,
} from './text/parse.js';
export { MAX_TEXT, NotationError, plainWord, quote } from './text/tokens.js';
