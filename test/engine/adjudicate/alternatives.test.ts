// Tests the rulings that DATC states besides its own preference, each under the option or preset that makes it.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { standard } from '../../../engine/map/standard.js';
import { type AdjudicatedRecord, adjudicateRecord } from '../../../engine/notation/json/adjudicate-record.js';
import { ruleSetByName } from '../../../engine/notation/text/rule-set.js';
import { byPower, type CaseRow, loadCases, type OrderRow, tidy } from '../../tools/cases.js';

/**
 * Rule sets that give an alternative ruling, indexed by the text of `choice` in the cases. Each of them must give it.
 * The entry of a single case ('6.F.19 ...') takes precedence.
 */
const RULINGS: Readonly<Record<string, readonly string[]>> = {
  '4.B.2: missing coast makes the order illegal': ['onlyCoast=fails'],
  '4.B.3: wrong coast ignored, moves to the possible coast': ['impossibleCoast=ignored'],
  '4.B.4: coast required in the support': ['supportCoast=required'],
  '4.B.4: coasts in supports ignored': ['supportCoast=ignore', 'dptg'],
  '4.B.5: wrong coast makes the order illegal': ['wrongOwnCoast=fails', 'strict-2003'],
  '4.B.6: a coast in an army order makes it illegal': ['uselessCoast=fails', 'strict-2003'],
  '4.B.5: wrong coast makes the support illegal': ['wrongOwnCoast=fails'],
  "Boardman's rule (before 1971, quoted in 6.D.17)": [],
  '4.E.1: an impossible move still counts as a move': ['illegalMove=holdNoSupport', '1971', 'dptg'],
  '4.A.1: 1971, one broken route breaks the convoy': ['1971', 'convoyRoutes=all'],
  '4.A.1: 1971 with DPTG, unneeded foreign fleets not used': ['dptg', '1971,preferOwnConvoy=yes'],
  '4.A.1: 1971': ['1971', 'convoyRoutes=all'],
  '4.A.2: 1971/1982/2000/2023/2025EE': [
    '1971',
    '1982',
    '2000',
    '2023',
    '2025ee',
    'paradox=1971',
    'paradox=1982',
    'paradox=2000',
  ],
  '4.A.2: All Hold': ['paradox=allHold'],
  '4.A.2: 1971/1982/2000/2023/2025EE (support protected, convoy not broken)': [
    '1971',
    '1982',
    '2000',
    '2023',
    '2025ee',
  ],
  '4.A.2: All Hold or DPTG': ['paradox=allHold', 'paradox=dptg', 'dptg'],
  '4.A.2: 1982': ['1982', 'paradox=1982'],
  '4.A.2: 1971/2000/2023': [],
  '4.A.1/4.A.2: 1971': ['1971'],
  '6.F.20 4.A.1/4.A.2: 1971': [],
  '4.A.1/4.A.2: 1982': ['1982'],
  '4.A.2: 2000/2023/2025EE': ['2000', '2023', '2025ee'],
  '4.A.2: 1982 or DPTG': ['1982', 'dptg', 'paradox=dptg'],
  '4.A.2: 1971/2000/2023/2025EE': [],
  '4.A.2: 1982, All Hold or DPTG': ['1982', 'paradox=allHold', 'dptg'],
  '4.A.2: 1982, no support cut, only MAO survives': ['1982'],
  "6.F.30 4.A.4: Brannan's rule": [],
  "4.A.4: Brannan's rule": ['cutFromOrigin=yes', 'dptg'],
  // The fleet is on a detour, which the guide lets it be; that it is illegal is DATC 3.2.
  '6.G.19 4.A.3: explicit adjacent convoying (DPTG)': ['adjacentConvoy=written', 'dptg,superfluousConvoy=illegal'],
  '4.A.3: explicit adjacent convoying (DPTG)': ['adjacentConvoy=written', 'dptg'],
  '4.A.3: 1971': ['1971', 'adjacentConvoy=oppositeIntact', 'strict-2003,twoOrders=first'],
  '4.A.3: 1971 or DPTG': ['1971', 'dptg'],
  '4.A.3: 2000/2023 with the land route as fallback (DATC 2.4 preference)': ['2000', '2023', 'datc-2.4'],
  "4.A.7 choice a: dislodged unit never affects the attacker's origin": ['2023', 'dislodgedNoEffect=always'],
  '4.A.3: 1982/2000/2023 with fallback': ['2000,convoyFallback=broken', '1982,convoyFallback=broken'],
  '4.A.3: 1971 (move over land)': ['1971'],
  '4.A.3: 2000/2023 with the land route as fallback': ['2000,convoyFallback=broken'],
  '4.A.5 choice a, or 4.A.3: 1971 (land route)': ['retreatToConvoyOrigin=no', '2000', 'strict-2003'],
  '4.C.4: an army is built instead': ['fleetBuildInland=army'],
  'before 2023: distance to home centres': ['2000', 'datc-2.4', 'disorderGoal=home'],
};

/** Reasons why no rule set gives a ruling, indexed as RULINGS. */
const MISSING: Readonly<Record<string, string>> = {
  "Boardman's rule (before 1971, quoted in 6.D.17)": 'a rule from before 1971',
  "6.F.30 4.A.4: Brannan's rule":
    "Brannan's rule lets a convoyed attack come from the sea, against the fleet there too; choice b only lets it cut",
};

/**
 * A move that is not made fails, for whatever reason. A fleet ordered to convoy has one word here: the documents have
 * two for one that stays while its army does not pass, and ours that was not wanted is invalid. Its fate shows in the
 * units.
 */
const fold = (words: readonly string[], rows: readonly OrderRow[]): string[] =>
  words.map((word, i) => {
    if (/ C A /.test(rows[i][1] ?? '') && word !== 'illegal') return 'convoy';
    return word === 'illegal' || word === 'invalid' ? 'fails' : word;
  });

const wordsInOrder = (answer: AdjudicatedRecord, rows: readonly OrderRow[]): string[] => {
  const left = [...answer.orders];
  return rows.map(([power, order, , , unit]) => {
    const i = left.findIndex(
      (entry) => entry.power === power && (order === null ? entry.unit === unit : entry.order !== null),
    );
    return left.splice(i, 1)[0]?.result ?? 'none';
  });
};

const playUnder = (row: CaseRow, name: string): readonly [AdjudicatedRecord, readonly OrderRow[]] => {
  const rules = ruleSetByName(name);
  const { id, units, centers = {} } = row;
  const phase = row.phase === 'adjustment' ? 'W1901A' : 'S1901M';
  const answer = adjudicateRecord({ id, phase, units, centers, orders: byPower(row.orders) }, standard, rules);
  if (row.phase !== 'retreat') return [answer, row.orders];
  const orders = row.retreat?.orders ?? [];
  const { next_phase, units: standing, retreats } = answer;
  const record = { id, phase: next_phase, units: standing, centers, retreats, orders: byPower(orders) };
  return [adjudicateRecord(record, standard, rules), orders];
};

const alternatives = suite('alternatives of DATC 3.2');
let compared = 0;

for (const row of loadCases('datc-3.2.json'))
  for (const alternative of row.alternatives ?? []) {
    const { choice } = alternative;
    const key = [`${row.id} ${choice}`, choice].find((text) => text in RULINGS) ?? '';
    alternatives(`${row.id} ${choice}`, () => {
      const rules = RULINGS[key];
      if (rules === undefined) return assert.unreachable(`no rules are named for "${choice}"`);
      if (alternative.results === undefined) {
        assert.equal(rules, [], 'the documents state no result');
        return;
      }
      assert.ok(rules.length > 0 || key in MISSING);
      for (const name of rules) {
        const [answer, rows] = playUnder(row, name);
        assert.equal(fold(wordsInOrder(answer, rows), rows), fold(alternative.results, rows), `results under ${name}`);
        assert.equal(tidy(answer.units), tidy(alternative.after ?? {}), `units under ${name}`);
        compared++;
      }
    });
  }

alternatives('rulings were compared', () => assert.ok(compared >= 100, `${compared}`));

alternatives('All Hold stops no attack that the paradox does not decide', () => {
  // The North Atlantic is on a detour of the convoy: whether it holds decides nothing.
  const orders = {
    AUSTRIA: ['A WAL - LVP VIA', 'F IRI C A WAL - LVP'],
    GERMANY: ['F LVP S F ENG - IRI', 'F ENG - IRI', 'F MAO - NAO', 'F CLY S F MAO - NAO'],
    TURKEY: ['F NAO C A WAL - LVP'],
  };
  const units = Object.fromEntries(
    Object.entries(orders).map(([power, given]) => [power, given.map((order) => order.slice(0, 5))]),
  );
  const rules = ruleSetByName('superfluousConvoy=legal,paradox=allHold');
  const answer = adjudicateRecord({ phase: 'S1901M', units, orders }, standard, rules);
  assert.equal(
    answer.orders.map(({ result }) => result),
    ['fails', 'disrupted', 'given', 'fails', 'succeeds', 'given', 'disrupted'],
  );
  assert.equal(answer.dislodged, { 'F NAO': 'MAO' });
});

alternatives.run();
