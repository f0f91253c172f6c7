// Tests orders as int32: unpacking gives what was packed, and nothing else is an order.
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import * as orders from '../../../engine/rules/order.js';
import * as O from '../../../engine/rules/order.js';
import { MAX_LOCATIONS } from '../../../engine/rules/types.js';

const place = (): fc.Arbitrary<number> => fc.nat(MAX_LOCATIONS - 1);

interface Parts {
  readonly at?: number;
  readonly target?: number;
  readonly helped?: number;
  readonly via?: number;
}

const checkParts = (order: O.Order, type: number, { at = 0, target = 0, helped = 0, via = 0 }: Parts): void => {
  assert.is(order | 0, order, 'an int32');
  assert.ok(order > 0 && order < 1 << 29, 'bits 0 to 28');
  assert.equal(
    [O.orderType(order), O.orderLocation(order), O.orderTarget(order), O.orderHelped(order), O.orderVia(order)],
    [type, at, target, helped, via],
  );
  assert.ok(O.isWellFormed(order));
};

const packing = suite('order: packing');

packing('every type gives back its parts', () => {
  let packed = 0;
  fc.assert(
    fc.property(place(), place(), place(), (at, target, helped) => {
      checkParts(orders.hold(at), orders.HOLD, { at });
      checkParts(orders.move(at, target), orders.MOVE, { at, target });
      checkParts(orders.moveVia(at, target), orders.MOVE, { at, target, via: 1 });
      checkParts(orders.supportHold(at, target), orders.SUPPORT_HOLD, { at, target, helped: target });
      checkParts(orders.supportMove(at, helped, target), orders.SUPPORT_MOVE, { at, target, helped });
      checkParts(orders.convoy(at, helped, target), orders.CONVOY, { at, target, helped });
      checkParts(orders.rail(at, target), orders.RAIL, { at, target });
      checkParts(orders.retreat(at, target), orders.RETREAT_TO, { at, target });
      checkParts(orders.disband(at), orders.DISBAND, { at });
      checkParts(orders.buildArmy(at), orders.BUILD_ARMY, { at });
      checkParts(orders.buildFleet(at), orders.BUILD_FLEET, { at });
      checkParts(orders.remove(at), orders.REMOVE, { at });
      checkParts(orders.waive(helped), orders.WAIVE, { helped });
      packed++;
    }),
  );
  assert.ok(packed >= 100);
});

packing('the bits are those of the drawing', () => {
  assert.is(orders.supportMove(0xff, 0, 0), 0x1fe0_0000 | orders.SUPPORT_MOVE);
  assert.is(orders.supportMove(0, 0xff, 0), 0x001f_e000 | orders.SUPPORT_MOVE);
  assert.is(orders.supportMove(0, 0, 0xff), 0x0000_1fe0 | orders.SUPPORT_MOVE);
  assert.is(orders.moveVia(0, 0), 0x10 | orders.MOVE);
  assert.is(O.helpedAndTarget(0xff, 0xff), 0x001f_ffe0);
});

packing('types of a movement phase are told by one bit', () => {
  const { HOLD, MOVE, SUPPORT_HOLD, SUPPORT_MOVE, CONVOY } = orders;
  assert.equal([HOLD & 14, MOVE & 14, SUPPORT_HOLD & 14, SUPPORT_MOVE & 14, CONVOY & 14], [0, 2, 4, 4, 8]);
  assert.is(O.orderTypes.length, 13);
  assert.is(new Set(O.orderTypes).size, O.orderTypes.length);
});

packing('another target, and no VIA, leave the rest as it is', () => {
  const support = orders.supportMove(7, 8, 9);
  assert.is(O.withTarget(support, 80), orders.supportMove(7, 8, 80));
  assert.is(O.withTarget(O.withTarget(support, 80), 9), support);
  assert.is(O.withoutVia(orders.moveVia(7, 9)), orders.move(7, 9));
  assert.is(O.withoutVia(support), support);
});

packing('leave to pass a canal lies above the rest', () => {
  const support = orders.supportMove(7, 8, 9);
  for (const end of [1, 2]) {
    const given = O.withLeave(support, end);
    assert.is(O.orderLeave(given), end);
    assert.is(O.withoutLeave(given), support);
    assert.is(O.withLeave(given, 3 - end), O.withLeave(support, 3 - end));
    assert.not(O.isWellFormed(given));
  }
  assert.is(O.orderLeave(support), 0);
  assert.is(O.withLeave(orders.hold(0), 1), 0x2000_0000 | orders.HOLD);
});

packing('sorted by value they stand by location, then by the unit they help, then by target', () => {
  const sorted = [orders.move(1, 200), orders.supportMove(1, 3, 2), orders.supportMove(1, 4, 1), orders.hold(2)];
  assert.equal(
    [...sorted].reverse().sort((a, b) => a - b),
    sorted,
  );
});

packing('what has a bit too many is no order', () => {
  const wrong = [O.NONE, -1, 13, 14, 15, 1 << 29, 1 << 31, orders.hold(3) | 0x20, orders.disband(3) | 0x10];
  wrong.push(orders.waive(3) | (1 << 21), orders.supportHold(3, 4) ^ (1 << 13), orders.move(3, 4) | (1 << 13));
  wrong.push(orders.retreat(3, 4) | 0x10, orders.convoy(3, 4, 5) | 0x10, orders.supportMove(3, 4, 5) | (1 << 30));
  for (const order of wrong) assert.not(O.isWellFormed(order), String(order));
});

packing.run();
