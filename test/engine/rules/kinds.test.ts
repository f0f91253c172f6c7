// Tests that the compiler tells numbers of different kinds apart: each @ts-expect-error below is an error that tsc must
// find, and every line without one must compile.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Order, Result } from '../../../engine/internal.js';
import { newGame, ordererOf, standard } from '../../../engine/internal.js';
import * as O from '../../../engine/rules/order.js';
import * as T from '../../../engine/rules/types.js';

const kinds = suite('kinds of numbers');

kinds('one kind does not pass as another, a plain number as any', () => {
  const game = newGame();
  const power: T.Power = 2;
  const province: T.Province = standard.provinceTags.indexOf('PAR');
  const center: T.Center = standard.centerIndex[province];
  const location: T.Location = standard.locationTags.indexOf('STP/SC');
  const unit: T.Unit = game.unitAt(province);
  const order: Order = O.hold(province);
  const passed: number[] = [];
  const takesPower = (value: T.Power): number => passed.push(value);
  const takesProvince = (value: T.Province): number => passed.push(value);
  const takesLocation = (value: T.Location): number => passed.push(value);
  const takesCenter = (value: T.Center): number => passed.push(value);
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
  takesProvince(O.orderTarget(order));
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
  takesPower(T.unitPower(unit));
  takesPower(ordererOf(game, order));
  takesProvince(7);
  takesProvince(O.orderHelped(order));
  takesProvince(standard.locationProvince[location]);
  takesLocation(province);
  takesLocation(O.orderLocation(order));
  takesCenter(center);
  takesOrder(O.hold(location));
  takesOrder(0x20_0000);
  takesResult(8);
  const next: T.Power = power + 1;
  takesPower(next);
  assert.is(passed.length, 27);
  assert.is(game.owner(center), power);
  assert.is(T.unitType(unit) === T.FLEET, false);
});
kinds.run();
