// Writes test/data/datc-3.2.json and test/data/rules-2023.json from a folder of collected facts, in the layout of
// cases.ts:
//
//   node dist/test/tools/import-data.js FOLDER      (with datc/datc-3.2.json and rules/rules-2023.json in it)
//
// If you correct a case by hand, correct it in that folder too, or never run this script again.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Alternative, CaseRow, OrderRow, TextsByPower } from './cases.js';

type Dislodged = NonNullable<CaseRow['dislodged']>;
type Movement = Pick<CaseRow, 'orders' | 'after'> & { dislodged: Dislodged; contested: readonly string[] };

interface SourceUnit {
  readonly power: string;
  readonly unit: string;
  readonly by?: string;
  readonly retreats?: readonly string[];
  readonly reason?: string;
}

interface SourceOrder {
  readonly power: string;
  readonly order: string | null;
  readonly unit?: string;
  readonly outcome: string;
  readonly fate?: 'dislodged' | 'destroyed';
  readonly reason?: string;
}

interface SourceExpect {
  readonly orders: readonly SourceOrder[];
  readonly after: readonly SourceUnit[];
  readonly dislodged?: readonly SourceUnit[];
  readonly contested?: readonly string[];
  readonly movement?: SourceExpect;
  readonly built?: readonly SourceUnit[];
  readonly disbanded?: readonly SourceUnit[];
}

interface SourceCase {
  readonly id: string;
  readonly title: string;
  readonly phase: CaseRow['phase'];
  readonly setup: {
    readonly units: readonly { readonly power: string; readonly type: string; readonly at: string }[];
    readonly centers?: Readonly<Record<string, readonly string[]>>;
  };
  readonly expect: SourceExpect;
  readonly issue: string | null;
  readonly choice: string;
  readonly alternatives: readonly {
    readonly choice: string;
    readonly note?: string;
    readonly expect: SourceExpect | null;
  }[];
  readonly note?: string;
  readonly uncertain?: string;
}

const byPower = (units: readonly SourceUnit[]): TextsByPower => {
  const out: Record<string, string[]> = {};
  for (const { power, unit } of units) {
    out[power.toUpperCase()] ??= [];
    out[power.toUpperCase()].push(unit);
  }
  return out;
};

/** The result of a dislodged hold is `stands` in Lepanto's words; `dislodged` is its fate. */
const word = (order: SourceOrder): string => (order.outcome === order.fate ? 'stands' : order.outcome);

const orderRow = (order: SourceOrder): OrderRow => {
  const row: (string | null)[] = [order.power.toUpperCase(), order.order, word(order)];
  const named = order.unit === undefined || order.order?.startsWith(`${order.unit} `) === true;
  if (order.fate !== undefined || !named) row.push(order.fate ?? null);
  if (!named) row.push(order.unit ?? null);
  return row as unknown as OrderRow;
};

const provinceOf = (unit: string): string => unit.slice(2).split('/')[0];

const dislodged = (units: readonly SourceUnit[]): Dislodged =>
  Object.fromEntries(units.map(({ unit, by = '', retreats = [] }) => [unit, [provinceOf(by), retreats]]));

const reasons = (units: readonly SourceUnit[]): Record<string, string> =>
  Object.fromEntries(units.map(({ unit, reason = '' }) => [unit, reason]));

const alternative = ({ choice, note, expect }: SourceCase['alternatives'][number]): Alternative => ({
  choice,
  ...(note === undefined ? {} : { note }),
  ...(expect === null ? {} : { results: expect.orders.map(word), after: byPower(expect.after) }),
});

const movementPart = (expect: SourceExpect): Movement => ({
  orders: expect.orders.map(orderRow),
  after: byPower(expect.after),
  dislodged: dislodged(expect.dislodged ?? []),
  contested: expect.contested ?? [],
});

const importCase = (source: SourceCase): CaseRow => {
  const { expect } = source;
  const units = source.setup.units.map(({ power, type, at }) => ({ power, unit: `${type} ${at}` }));
  const head = { id: source.id, title: source.title, phase: source.phase, units: byPower(units) };
  const tail = {
    ...(source.issue === null ? {} : { issue: source.issue, choice: source.choice }),
    ...(source.note === undefined ? {} : { note: source.note }),
    ...(source.uncertain === undefined ? {} : { uncertain: source.uncertain }),
    ...(source.alternatives.length === 0 ? {} : { alternatives: source.alternatives.map(alternative) }),
  };
  if (source.phase === 'movement') return { ...head, ...movementPart(expect), ...tail };
  if (source.phase === 'retreat') {
    const retreat = {
      orders: expect.orders.map(orderRow),
      after: byPower(expect.after),
      disbanded: reasons(expect.disbanded ?? []),
    };
    return { ...head, ...movementPart(expect.movement as SourceExpect), retreat, ...tail };
  }
  const centers = Object.entries(source.setup.centers ?? {}).map(([power, list]) => [power.toUpperCase(), list]);
  return {
    ...head,
    centers: Object.fromEntries(centers) as TextsByPower,
    orders: expect.orders.map(orderRow),
    after: byPower(expect.after),
    built: byPower(expect.built ?? []),
    disbanded: reasons(expect.disbanded ?? []),
    ...tail,
  };
};

// ---- the rules of 2023 ----

interface SourceRule {
  readonly id: string;
  readonly title: string;
  readonly orders: readonly { readonly power: string; readonly order: string }[];
  readonly unordered_units?: readonly { readonly power: string; readonly unit: string }[];
  readonly expect: {
    readonly final: Readonly<Record<string, string>>;
    readonly standoff?: readonly string[];
    readonly cut?: readonly string[];
    readonly void_support?: readonly string[];
    readonly illegal?: readonly string[];
    readonly retreat_options?: Readonly<Record<string, readonly string[]>>;
  };
  readonly option_dependent?: Readonly<Record<string, unknown>>;
  readonly short_form?: Readonly<Record<string, string>>;
  readonly notes?: string;
}

/** Where the word does not follow: the Szykman rule without a dislodgement, and orders of one convoy that differ. */
const WORDS: Readonly<Record<string, string>> = {
  'R2023.21.b F ENG': 'disrupted',
  'R2023.24.b A LON': 'invalid',
  'R2023.24.b F MAO': 'invalid',
};

/** The words that follow from where the units ended; what a list of the source says otherwise goes before. */
const ruleWord = (unit: string, order: string, rule: SourceRule, final: string): string => {
  const known = WORDS[`${rule.id} ${unit}`];
  if (known !== undefined) return known;
  const { cut = [], void_support: unmatched = [], illegal = [] } = rule.expect;
  if (illegal.includes(unit)) return 'illegal';
  if (cut.includes(unit)) return 'cut';
  if (unmatched.includes(unit)) return 'invalid';
  const verb = order.slice(unit.length + 1).split(' ')[0];
  if (verb === 'S') return 'given';
  if (verb === 'C') return final === 'DISLODGED' ? 'disrupted' : 'available';
  if (verb === 'H') return 'stands';
  return final === 'DISLODGED' || final === unit.slice(2) ? 'fails' : 'succeeds';
};

const DATC_CHOICE: Readonly<Record<string, string>> = { '4.A.2': 'szykman' };

const importRule = (rule: SourceRule): CaseRow => {
  const options = rule.option_dependent ?? {};
  const issue = typeof options.issue === 'string' ? options.issue : undefined;
  const ours = issue === undefined ? undefined : DATC_CHOICE[issue];
  // Where the rulebook and DATC 3.2 part, the case states DATC's result and keeps the other as an alternative.
  const final = ours === undefined ? rule.expect.final : (options[ours] as Record<string, string>);
  const other = ours === undefined ? (options.a as Record<string, string> | undefined) : rule.expect.final;
  const { orders, unordered_units: unordered = [] } = rule;
  const all = [
    ...orders.map(({ power, order }) => ({ power, order, unit: order.split(' ').slice(0, 2).join(' ') })),
    ...unordered.map(({ power, unit }) => ({ power, order: null, unit })),
  ];
  const retreats = rule.expect.retreat_options ?? {};
  const rows = all.map(({ power, order, unit }): OrderRow => {
    const result = order === null ? 'stands' : ruleWord(unit, order, rule, final[unit]);
    const fate = final[unit] === 'DISLODGED' ? (retreats[unit].length === 0 ? 'destroyed' : 'dislodged') : undefined;
    return orderRow({ power, order, unit, outcome: result, ...(fate === undefined ? {} : { fate }) });
  });
  const after = (ends: Readonly<Record<string, string>>): TextsByPower =>
    byPower(
      all
        .filter(({ unit }) => ends[unit] !== 'DISLODGED')
        .map(({ power, unit }) => ({ power, unit: `${unit.slice(0, 2)}${ends[unit]}` })),
    );
  const attacker = (unit: string): string =>
    Object.keys(final).find((mover) => mover !== unit && final[mover].split('/')[0] === provinceOf(unit)) ?? '';
  const gone = all.filter(({ unit }) => final[unit] === 'DISLODGED').map(({ unit }) => unit);
  return {
    id: rule.id,
    title: rule.title,
    phase: 'movement',
    units: byPower(all),
    orders: rows,
    after: after(final),
    dislodged: Object.fromEntries(gone.map((unit) => [unit, [provinceOf(attacker(unit)), retreats[unit]]])),
    contested: rule.expect.standoff ?? [],
    ...(rule.short_form === undefined ? {} : { shortForm: rule.short_form }),
    ...(issue === undefined ? {} : { issue }),
    ...(rule.notes === undefined ? {} : { note: rule.notes }),
    ...(other === undefined
      ? {}
      : { alternatives: [{ choice: ours === undefined ? `${issue}: a` : `${issue}: rulebook`, after: after(other) }] }),
  };
};

// ---- files ----

const writeCases = (name: string, what: string, cases: readonly CaseRow[]): void => {
  const path = fileURLToPath(new URL(`../../../test/data/${name}`, import.meta.url));
  const lines = cases.map((row) => `  ${JSON.stringify(row)}`);
  writeFileSync(path, `{\n "what": ${JSON.stringify(what)},\n "cases": [\n${lines.join(',\n')}\n ]\n}\n`);
  console.error(`${path}: ${cases.length} cases`);
};

const folder = process.argv[2];
if (folder === undefined) throw new Error('usage: node dist/test/tools/import-data.js FOLDER');
const read = (path: string): unknown => JSON.parse(readFileSync(join(folder, path), 'utf8'));
const datc = read('datc/datc-3.2.json') as { cases: SourceCase[] };
const rules = read('rules/rules-2023.json') as { tests: SourceRule[] };
const made = 'Made by test/tools/import-data.ts; the layout is described in test/tools/cases.ts.';
writeCases('datc-3.2.json', `DATC 3.2 (2025-08-30), chapter 6. ${made}`, datc.cases.map(importCase));
writeCases(
  'rules-2023.json',
  `26 rules of the 2023 rulebook. Results of single orders are ours. ${made}`,
  rules.tests.map(importRule),
);
