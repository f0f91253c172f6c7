// Writes positions (NOW), ownership (SCO) and the names of turns.
import {
  type Dislodged,
  FALL,
  FLEET,
  type Game,
  type Location,
  MAX_LOCATIONS,
  NO_UNIT,
  type Province,
  RETREAT,
  retreatLocations,
  SPRING,
  unitPower,
  unitType,
} from '../../../engine/internal.js';
import { integerToken, list, Word } from './language.js';
import { type TurnPosition, waitingUnits } from './order-notes.js';
import type { Representation } from './representation.js';

/** A turn in tokens, without brackets: SPR 1901. */
export const turnTokens = (season: number, kind: number, year: number): number[] => {
  const isRetreat = kind === RETREAT;
  const word =
    season === SPRING
      ? isRetreat
        ? Word.SUM
        : Word.SPR
      : season === FALL
        ? isRetreat
          ? Word.AUT
          : Word.FAL
        : Word.WIN;
  return [word, integerToken(year)];
};

/** A unit in tokens, without brackets: RUS FLT (STP SCS). */
export const unitTokens = (rep: Representation, unit: number, location: Location): number[] => [
  rep.powers[unitPower(unit)],
  unitType(unit) === FLEET ? Word.FLT : Word.AMY,
  ...rep.place(location),
];

const open = new Int32Array(MAX_LOCATIONS);

/** A dislodged unit in brackets, with where it may go. */
const dislodgedTokens = ({ rep, game, doomed }: TurnPosition, one: Dislodged): number[] => {
  const { unit, location, attacker } = one;
  const count = doomed.includes(one) ? 0 : retreatLocations(game, unit, location, attacker, open);
  const places = Array.from(open.subarray(0, count)).flatMap((to) => rep.place(to));
  return list(unitTokens(rep, unit, location), Word.MRT, list(places));
};

/** The dislodged units of a retreat turn, ascending by province. */
export const dislodgedUnits = (position: TurnPosition): Dislodged[] =>
  position.kind === RETREAT
    ? [...waitingUnits(position), ...position.doomed].sort((a, b) => a.province - b.province)
    : [];

/** A unit as NOW and MIS write it. @param isDislodged the one that was dislodged there, not the one that is there now */
export const positionUnit = (position: TurnPosition, province: Province, isDislodged: boolean): number[] => {
  const { rep, game } = position;
  if (!isDislodged) return list(unitTokens(rep, game.unitAt(province), game.unitLocation(province)));
  const found = dislodgedUnits(position).find((one) => one.province === province);
  return found === undefined ? [] : dislodgedTokens(position, found);
};

/** NOW (turn) (unit) ..., by power. @param turn in tokens, without brackets */
export const nowMessage = (position: TurnPosition, turn: readonly number[]): number[] => {
  const { rep, game } = position;
  const byPower: number[][] = rep.powers.map(() => []);
  for (let p = 0; p < game.map.provinceCount; p++) {
    const unit = game.unitAt(p);
    if (unit !== NO_UNIT) byPower[unitPower(unit)].push(...positionUnit(position, p, false));
  }
  for (const one of dislodgedUnits(position)) byPower[unitPower(one.unit)].push(...dislodgedTokens(position, one));
  return [Word.NOW, ...list(turn), ...byPower.flat()];
};

/** SCO (power centre ...) ..., unowned ones last; powers without centres are left out. */
export const scoMessage = (rep: Representation, game: Game): number[] => {
  const byOwner: number[][] = [...rep.powers, Word.UNO].map(() => []);
  for (let c = 0; c < game.map.centerCount; c++) {
    const owner = game.owner(c);
    byOwner[owner < 0 ? rep.powers.length : owner].push(rep.provinces[game.map.centers[c]]);
  }
  const parts = [...rep.powers, Word.UNO].flatMap((token, i) =>
    byOwner[i].length === 0 ? [] : list(token, byOwner[i]),
  );
  return [Word.SCO, ...parts];
};
