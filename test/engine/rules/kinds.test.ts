// Tests that the compiler tells numbers of different kinds apart: each @ts-expect-error below is an error that tsc must
// find, and every line without one must compile.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Order, Result } from '../../../engine/internal.js';
import {
  type Center,
  FLEET,
  hold,
  type Location,
  newGame,
  ordererOf,
  orderHelped,
  orderLocation,
  orderTarget,
  type Power,
  type Province,
  standard,
  type Unit,
  unitPower,
  unitType,
} from '../../../engine/internal.js';

const kinds = suite('kinds of numbers');

kinds('one kind does not pass as another, a plain number as any', () => {
  const game = newGame();
  const power: Power = 2;
  const province: Province = standard.provinceTags.indexOf('PAR');
  const center: Center = standard.centerIndex[province];
  const location: Location = standard.locationTags.indexOf('STP/SC');
  const unit: Unit = game.unitAt(province);
  const order: Order = hold(province);
  const passed: number[] = [];
  const takesPower = (value: Power): number => passed.push(value);
  const takesProvince = (value: Province): number => passed.push(value);
  const takesLocation = (value: Location): number => passed.push(value);
  const takesCenter = (value: Center): number => passed.push(value);
  const takesOrder = (value: Order): number => passed.push(value);
  const takesResult = (value: Result): number => passed.push(value);

  // @ts-expect-error a province is not a power
  takesPower(province);
  // @ts-expect-error a unit has a power and is none
  takesPower(unit);
  // @ts-expect-error an order belongs to a power and is none
  takesPower(order);
  // @ts-expect-error a power is not a province
  takesProvince(power);
  // @ts-expect-error a location may be a coast
  takesProvince(location);
  // @ts-expect-error the number of a centre is not that of its province
  takesProvince(center);
  // @ts-expect-error what a move enters may be a coast
  takesProvince(orderTarget(order));
  // @ts-expect-error nor the other way round
  takesCenter(province);
  // @ts-expect-error a power does not stand anywhere
  takesLocation(power);
  // @ts-expect-error an order is for a province and is none
  takesLocation(order);
  // @ts-expect-error a location is no order
  takesOrder(location);
  // @ts-expect-error there is no such result
  takesResult(10);
  // @ts-expect-error the owner of a centre is asked for by the number of the centre
  passed.push(game.owner(province));
  // @ts-expect-error the two can never be equal
  passed.push(Number(power === province));
  assert.is(passed.length, 14);

  takesPower(3);
  takesPower(unitPower(unit));
  takesPower(ordererOf(game, order));
  takesProvince(7);
  takesProvince(orderHelped(order));
  takesProvince(standard.locationProvince[location]);
  takesLocation(province);
  takesLocation(orderLocation(order));
  takesCenter(center);
  takesOrder(hold(location));
  takesOrder(0x20_0000);
  takesResult(8);
  const next: Power = power + 1;
  takesPower(next);
  assert.is(passed.length, 27);
  assert.is(game.owner(center), power);
  assert.is(unitType(unit) === FLEET, false);
});
kinds.run();
