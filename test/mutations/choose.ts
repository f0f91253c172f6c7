// Chooses small changes of the source, each of which a good test should notice, from the syntax trees of the compiler.
import { relative } from 'node:path';
import { isTypeNode, type Node, type SourceFile, SyntaxKind } from 'typescript/unstable/ast';
import * as is from 'typescript/unstable/ast/is';
import { API } from 'typescript/unstable/sync';
import { Random } from '../../engine/rules/random.js';

/** Folders whose code is changed, by area. Each area gets as many mutations as the others. A longer path goes before. */
const AREAS = ['engine/notation', 'engine', 'selfplay/records', 'bindings/formats'] as const;

/** A comparison turned, a number raised by one, a case or an early exit left out. */
export const kinds = ['comparison', 'constant', 'case'] as const;

type Kind = (typeof kinds)[number];

/** One change of one file. */
export interface Mutation {
  /** Path from the root: 'engine/rules/score.ts' */
  readonly file: string;
  readonly kind: Kind;
  /** First line of the changed code, trimmed. With `nth`, this finds the code again after lines have moved. */
  readonly line: string;
  /** Number of earlier candidates in the file with the same line, text and replacement. */
  readonly nth: number;
  /** The code, and what replaces it. */
  readonly from: string;
  readonly to: string;
}

/** A mutation with its place in the text of this tree: offsets in UTF-16 units, end exclusive. */
export interface Candidate extends Mutation {
  readonly start: number;
  readonly end: number;
  /** Line number, from 1. */
  readonly row: number;
}

const TURNED = new Map<string, string>([
  ['<', '<='],
  ['<=', '<'],
  ['>', '>='],
  ['>=', '>'],
  ['===', '!=='],
  ['!==', '==='],
]);

const EXITS = [
  SyntaxKind.ReturnStatement,
  SyntaxKind.ThrowStatement,
  SyntaxKind.ContinueStatement,
  SyntaxKind.BreakStatement,
];

/** True if a statement ends the function or the pass of the loop: `return x;` or a block that ends so. */
const endsInExit = (node: Node): boolean => {
  const last = is.isBlock(node) ? node.statements.at(-1) : node;
  return last !== undefined && EXITS.includes(last.kind);
};

interface Change {
  readonly kind: Kind;
  /** The node whose text is replaced. */
  readonly node: Node;
  readonly to: string;
}

const changeOf = (node: Node, source: SourceFile): Change | null => {
  if (is.isBinaryExpression(node)) {
    const to = TURNED.get(node.operatorToken.getText(source));
    return to === undefined ? null : { kind: 'comparison', node: node.operatorToken, to };
  }
  if (is.isNumericLiteral(node)) {
    const isKey = is.isPropertyAssignment(node.parent) && node.parent.name === node;
    return isKey ? null : { kind: 'constant', node, to: String(Number(node.text) + 1) };
  }
  if (is.isCaseClause(node) && node.statements.length > 0) return { kind: 'case', node, to: '' };
  if (is.isConditionalExpression(node)) return { kind: 'case', node, to: node.whenFalse.getText(source) };
  const isGuard = is.isIfStatement(node) && node.elseStatement === undefined && endsInExit(node.thenStatement);
  return isGuard ? { kind: 'case', node, to: ';' } : null;
};

/** Every change of a file, in the order of the text. */
const candidatesOf = (source: SourceFile, file: string): Candidate[] => {
  const found: Candidate[] = [];
  const seen = new Map<string, number>();
  const { text } = source;
  const add = ({ kind, node, to }: Change): void => {
    const [start, end] = [node.getStart(source), node.end];
    const begin = text.lastIndexOf('\n', start - 1) + 1;
    const line = text.slice(begin, text.indexOf('\n', start)).trim();
    const from = text.slice(start, end);
    const key = JSON.stringify([line, from, to]);
    const nth = seen.get(key) ?? 0;
    seen.set(key, nth + 1);
    found.push({ file, kind, line, nth, from, to, start, end, row: text.slice(0, start).split('\n').length });
  };
  const visit = (node: Node): void => {
    if (isTypeNode(node) || is.isImportDeclaration(node)) return;
    const change = changeOf(node, source);
    if (change !== null) add(change);
    node.forEachChild(visit);
  };
  visit(source);
  return found;
};

/** Returns every candidate of the tree under `root`, in the order of files and text. */
export const findCandidates = (root: string): Candidate[] => {
  const api = new API({ cwd: root });
  try {
    const [project] = api.updateSnapshot({ openProject: `${root}/tsconfig.json` }).getProjects();
    return project.program
      .getSourceFileNames()
      .map((name) => ({ name, file: relative(root, name).replaceAll('\\', '/') }))
      .filter(({ file }) => file.endsWith('.ts') && AREAS.some((area) => file.startsWith(`${area}/`)))
      .sort((a, b) => (a.file < b.file ? -1 : 1))
      .flatMap(({ name, file }) => {
        const source = project.program.getSourceFile(name);
        return source === undefined ? [] : candidatesOf(source, file);
      });
  } finally {
    api.close();
  }
};

const areaOf = (file: string): string => AREAS.find((area) => file.startsWith(`${area}/`)) ?? '';

/** Draws mutations: the areas take turns, and in each area the kinds. The first n are the same for every count above n. */
export const drawMutations = (candidates: readonly Candidate[], count: number, seed: number): Candidate[] => {
  const random = new Random(seed, 54);
  const left = AREAS.map((area) =>
    kinds.map((kind) => candidates.filter((one) => one.kind === kind && areaOf(one.file) === area)),
  );
  const drawn: Candidate[] = [];
  for (let i = 0; drawn.length < count && i < 100 * count; i++) {
    const pool = left[i % AREAS.length][Math.floor(i / AREAS.length) % kinds.length];
    if (pool.length > 0) drawn.push(...pool.splice(random.below(pool.length), 1));
  }
  return drawn;
};

/** Finds mutations of another tree in this one, by file, line, text and replacement; null where the code has changed. */
export const findAgain = (candidates: readonly Candidate[], wanted: readonly Mutation[]): (Candidate | null)[] => {
  const keyOf = ({ file, line, nth, from, to }: Mutation): string => JSON.stringify([file, line, nth, from, to]);
  const byKey = new Map(candidates.map((one) => [keyOf(one), one]));
  return wanted.map((one) => byKey.get(keyOf(one)) ?? null);
};
