// Tests orders as int32: unpacking gives what was packed, and nothing else is an order.
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
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
      checkParts(O.hold(at), O.HOLD, { at });
      checkParts(O.move(at, target), O.MOVE, { at, target });
      checkParts(O.moveVia(at, target), O.MOVE, { at, target, via: 1 });
      checkParts(O.supportHold(at, target), O.SUPPORT_HOLD, { at, target, helped: target });
      checkParts(O.supportMove(at, helped, target), O.SUPPORT_MOVE, { at, target, helped });
      checkParts(O.convoy(at, helped, target), O.CONVOY, { at, target, helped });
      checkParts(O.rail(at, target), O.RAIL, { at, target });
      checkParts(O.retreat(at, target), O.RETREAT_TO, { at, target });
      checkParts(O.disband(at), O.DISBAND, { at });
      checkParts(O.buildArmy(at), O.BUILD_ARMY, { at });
      checkParts(O.buildFleet(at), O.BUILD_FLEET, { at });
      checkParts(O.remove(at), O.REMOVE, { at });
      checkParts(O.waive(helped), O.WAIVE, { helped });
      packed++;
    }),
  );
  assert.ok(packed >= 100);
});

packing('the bits are those of the drawing', () => {
  assert.is(O.supportMove(0xff, 0, 0), 0x1fe0_0000 | O.SUPPORT_MOVE);
  assert.is(O.supportMove(0, 0xff, 0), 0x001f_e000 | O.SUPPORT_MOVE);
  assert.is(O.supportMove(0, 0, 0xff), 0x0000_1fe0 | O.SUPPORT_MOVE);
  assert.is(O.moveVia(0, 0), 0x10 | O.MOVE);
  assert.is(O.helpedAndTarget(0xff, 0xff), 0x001f_ffe0);
});

packing('types of a movement phase are told by one bit', () => {
  const { HOLD, MOVE, SUPPORT_HOLD, SUPPORT_MOVE, CONVOY } = O;
  assert.equal([HOLD & 14, MOVE & 14, SUPPORT_HOLD & 14, SUPPORT_MOVE & 14, CONVOY & 14], [0, 2, 4, 4, 8]);
  assert.is(O.orderTypes.length, 13);
  assert.is(new Set(O.orderTypes).size, O.orderTypes.length);
});

packing('another target, and no VIA, leave the rest as it is', () => {
  const support = O.supportMove(7, 8, 9);
  assert.is(O.withTarget(support, 80), O.supportMove(7, 8, 80));
  assert.is(O.withTarget(O.withTarget(support, 80), 9), support);
  assert.is(O.withoutVia(O.moveVia(7, 9)), O.move(7, 9));
  assert.is(O.withoutVia(support), support);
});

packing('leave to pass a canal lies above the rest', () => {
  const support = O.supportMove(7, 8, 9);
  for (const end of [1, 2]) {
    const given = O.withLeave(support, end);
    assert.is(O.orderLeave(given), end);
    assert.is(O.withoutLeave(given), support);
    assert.is(O.withLeave(given, 3 - end), O.withLeave(support, 3 - end));
    assert.not(O.isWellFormed(given));
  }
  assert.is(O.orderLeave(support), 0);
  assert.is(O.withLeave(O.hold(0), 1), 0x2000_0000 | O.HOLD);
});

packing('sorted by value they stand by location, then by the unit they help, then by target', () => {
  const sorted = [O.move(1, 200), O.supportMove(1, 3, 2), O.supportMove(1, 4, 1), O.hold(2)];
  assert.equal(
    [...sorted].reverse().sort((a, b) => a - b),
    sorted,
  );
});

packing('what has a bit too many is no order', () => {
  const wrong = [O.NONE, -1, 13, 14, 15, 1 << 29, 1 << 31, O.hold(3) | 0x20, O.disband(3) | 0x10];
  wrong.push(O.waive(3) | (1 << 21), O.supportHold(3, 4) ^ (1 << 13), O.move(3, 4) | (1 << 13));
  wrong.push(O.retreat(3, 4) | 0x10, O.convoy(3, 4, 5) | 0x10, O.supportMove(3, 4, 5) | (1 << 30));
  for (const order of wrong) assert.not(O.isWellFormed(order), String(order));
});

packing.run();
