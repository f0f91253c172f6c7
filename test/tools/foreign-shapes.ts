// Writes saved games in the shapes of other programs, as far as their sources and files show them, for tests of the
// readers only. The facts come from webDiplomacy's lib/gamefiles.php and api/responses/game_state.php, from dipcc's
// game.cc and from files that both have written.

import type { Lists, Saved, SavedPhase } from './saved-games.js';

// ---- webDiplomacy ----

export const webShapes = ['history', 'status'] as const;
export type WebShape = (typeof webShapes)[number];

const TERRITORIES =
  'CLY EDI LVP YOR WAL LON POR SPA NAF TUN NAP ROM TUS PIE VEN APU GRE ALB SER BUL RUM CON SMY ANK ARM ' +
  'SYR SEV UKR WAR LVN MOS STP FIN SWE NWY DEN KIE BER PRU SIL MUN RUH HOL BEL PIC BRE PAR BUR MAR GAS ' +
  'BAR NWG NTH SKA HEL BAL BOT NAO IRI ENG MAO WES LYO TYS ION ADR AEG EAS BLA TYR BOH VIE TRI BUD GAL ' +
  'SPA/NC SPA/SC STP/NC STP/SC BUL/EC BUL/SC';
const territories = TERRITORIES.split(' ');
const countries = ['ENGLAND', 'FRANCE', 'ITALY', 'GERMANY', 'AUSTRIA', 'TURKEY', 'RUSSIA'];

const numberOf = (tag: string): number => territories.indexOf(tag) + 1;
const countryOf = (power: string): number => countries.indexOf(power) + 1;

/** Booleans, nulls and types as a shape has them. */
const flag = (shape: WebShape, value: boolean): boolean | string =>
  shape === 'history' ? value : value ? 'Yes' : 'No';
const nowhere = (shape: WebShape): number | null => (shape === 'history' ? null : 0);
const noType = (shape: WebShape): string | null => (shape === 'history' ? null : '');

const phaseOf = (name: string): string =>
  ({ M: 'Diplomacy', R: 'Retreats', A: 'Builds' })[name.slice(-1)] ?? 'Finished';
const turnOf = (name: string): number => 2 * (Number(name.slice(1, 5)) - 1901) + (name.startsWith('S') ? 0 : 1);

const unitsOf = (shape: WebShape, phase: SavedPhase): object[] =>
  Object.entries(phase.state.units).flatMap(([power, units]) =>
    units.map((unit) => {
      const [letter, tag] = unit.replace('*', '').split(' ');
      const type = letter === 'A' ? 'Army' : 'Fleet';
      const retreating = flag(shape, unit.startsWith('*'));
      const place = { countryID: countryOf(power), terrID: numberOf(tag), retreating };
      return shape === 'history' ? { ...place, type } : { ...place, unitType: type };
    }),
  );

/** Newer files name the holders of other provinces too, and neutral centres as those of nobody. */
const centersOf = (phase: SavedPhase): object[] => [
  ...Object.entries(phase.state.centers).flatMap(([power, tags]) =>
    tags.map((tag) => ({ terrID: numberOf(tag), countryID: countryOf(power) })),
  ),
  { terrID: numberOf('SYR'), countryID: countryOf('TURKEY') },
  { terrID: numberOf('NTH'), countryID: 0 },
  { terrID: numberOf('BUR'), countryID: countryOf('FRANCE') },
];

const TYPES: Readonly<Record<string, string>> = {
  H: 'Hold',
  '-': 'Move',
  S: 'Support hold',
  C: 'Convoy',
  R: 'Retreat',
};

/** True if the army that a fleet's order names arrives where the order says, not by land. */
const arrives = (phase: SavedPhase, words: readonly string[]): boolean => {
  const [, , , , army, , target] = words;
  const order = Object.values(phase.orders)
    .flatMap((orders) => orders ?? [])
    .find((one) => one.startsWith(`A ${army} - `));
  if (order === undefined || !order.endsWith('VIA') || order.split(' ')[3] !== target) return false;
  return (phase.results[`A ${army}`] ?? ['?']).length === 0;
};

const successOf = (phase: SavedPhase, order: string): boolean => {
  const words = order.split(' ');
  const said = phase.results[`${words[0]} ${words[1]}`] ?? [];
  if (words[2] === 'H') return false;
  if (words[2] === 'C') return arrives(phase, words);
  if (words[2] === 'R' || words[2] === 'B' || words[2] === 'D')
    return !said.includes('bounce') && !said.includes('void');
  return said.length === 0;
};

const orderOf = (shape: WebShape, phase: SavedPhase, power: string, order: string): object => {
  const words = order.split(' ');
  const [letter, tag, verb] = words;
  const dash = words.indexOf('-');
  const builds = phase.name.endsWith('A');
  const removal = builds ? 'Destroy' : 'Disband';
  const build = letter === 'A' ? 'Build Army' : 'Build Fleet';
  const type = verb === 'D' ? removal : verb === 'B' ? build : verb === 'S' && dash > 0 ? 'Support move' : TYPES[verb];
  const to = dash > 0 ? words[dash + 1] : verb === 'S' ? words[4].slice(0, 3) : verb === 'R' ? words[3] : null;
  const from = dash > 2 ? words[dash - 1] : null;
  return {
    ...(shape === 'status' ? { turn: turnOf(phase.name), phase: phaseOf(phase.name) } : {}),
    countryID: countryOf(power),
    terrID: numberOf(tag),
    unitType: builds ? noType(shape) : letter === 'A' ? 'Army' : 'Fleet',
    type,
    toTerrID: to === null ? nowhere(shape) : numberOf(to),
    fromTerrID: from === null ? nowhere(shape) : numberOf(from.slice(0, 3)),
    viaConvoy: flag(shape, words.at(-1) === 'VIA'),
    success: flag(shape, successOf(phase, order)),
    dislodged: flag(shape, (phase.results[`${letter} ${tag}`] ?? []).includes('dislodged')),
  };
};

const ordersOf = (shape: WebShape, phase: SavedPhase): object[] =>
  Object.entries(phase.orders).flatMap(([power, orders]) =>
    (orders ?? []).map((order) => orderOf(shape, phase, power, order)),
  );

/** A game of webDiplomacy that is over: a last entry repeats the centres of the one before. */
export const asWebDiplomacy = ({ phases }: Pick<Saved, 'phases'>, shape: WebShape): object => {
  const played = phases.slice(0, -1).map((phase) => ({
    ...(shape === 'history' ? { turnText: phase.name } : { messages: [] }),
    turn: turnOf(phase.name),
    phase: phaseOf(phase.name),
    units: unitsOf(shape, phase),
    centers: centersOf(phase),
    orders: ordersOf(shape, phase),
  }));
  const before = phases[phases.length - 2];
  const finished = {
    turn: turnOf(before.name),
    phase: 'Finished',
    units: unitsOf(shape, phases[phases.length - 1]),
    centers: centersOf(before),
    orders: [],
  };
  const all = { phases: [...played, finished] };
  if (shape === 'history') return all;
  const head = {
    gameID: 407_459,
    countryID: 6,
    variantID: 1,
    potType: 'Winner-takes-all',
    turn: 15,
    phase: 'Finished',
  };
  return { ...head, gameOver: 'Drawn', pressType: 'Regular', ...all, standoffs: [], occupiedFrom: [], votes: null };
};

// ---- dipcc ----

/** What its first versions wrote: no results, no messages, no orders of the last phase, dead powers left out. */
export const asFirstDipcc = ({ id, phases }: Saved): object => {
  const alive = (lists: Lists): object =>
    Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0));
  return {
    id,
    map: 'standard',
    rules: ['NO_PRESS', 'POWER_CHOICE'],
    phases: phases.map(({ name, state: { units, centers, homes, retreats, builds }, orders }, i) => ({
      name,
      state: { name, units, centers: alive(centers), homes, retreats, builds },
      ...(i === phases.length - 1 ? {} : { orders }),
    })),
    staged_orders: {},
  };
};
