// Implements the decision algorithm of DATC 2.4, chapter 5: every decision has a minimum and a maximum, which approach
// each other until they meet; decisions left open belong to a circular movement or a paradox.
//
// Decisions have the names of that chapter: MOVE, SUPPORT, DISLODGE (of a convoying fleet), PATH, ATTACK, HOLD, PREVENT
// and DEFEND strength. Yes is 1, no is 0. Armies go by convoy as in preset datc-3.2, or as in datc-2.4 if
// `landIfUnordered`.
import type { CompiledMap } from '../../engine/map/compiled-map.js';
import {
  fleetsOf,
  hasChain,
  type Paper,
  type Piece,
  readPaper,
  supportMatches,
  toVerdict,
  type Verdict,
} from './pieces.js';

const NAMES = ['MOVE', 'SUPPORT', 'DISLODGE', 'PATH', 'ATTACK', 'HOLD', 'PREVENT', 'DEFEND'] as const;
type Name = (typeof NAMES)[number];
/** Decisions that only a move has. */
const OF_MOVES: readonly Name[] = ['MOVE', 'ATTACK', 'PREVENT'];
const STRENGTHS: readonly Name[] = ['ATTACK', 'HOLD', 'PREVENT', 'DEFEND'];
const INFINITE = 1000;

interface Decision {
  readonly name: Name;
  readonly piece: Piece;
  min: number;
  max: number;
}

type Range = readonly [min: number, max: number];

const NOTHING = { min: 0, max: 0 };

const yesOrNo = (isYes: boolean, mayBeYes: boolean): Range => [isYes ? 1 : 0, mayBeYes ? 1 : 0];

class Decisions {
  private readonly byName = new Map<string, Decision>();
  private readonly convoyed = new Set<Piece>();
  /** Decisions that updates have read since the set was last cleared. */
  private readonly asked = new Set<Decision>();

  constructor(
    private readonly paper: Paper,
    landIfUnordered: boolean,
  ) {
    for (const piece of paper.pieces) {
      if (piece.kind === 'move' && this.wantsConvoy(piece, landIfUnordered)) this.convoyed.add(piece);
      const isSupport = piece.kind === 'support' && supportMatches(paper, piece);
      for (const name of NAMES) {
        const isMade = OF_MOVES.includes(name) ? piece.kind === 'move' : name !== 'SUPPORT' || isSupport;
        const most = STRENGTHS.includes(name) ? INFINITE : 1;
        this.byName.set(`${name} ${piece.at}`, { name, piece, min: 0, max: isMade ? most : 0 });
      }
    }
  }

  private wantsConvoy(move: Piece, landIfUnordered: boolean): boolean {
    if (move.isFleet) return move.via;
    if (!move.canWalk) return true;
    const fleets = fleetsOf(this.paper, move);
    const intended = move.via || fleets.some((fleet) => fleet.power === move.power);
    return intended && (!landIfUnordered || hasChain(this.paper, move, fleets));
  }

  private get(name: Name, piece: Piece): Decision {
    const decision = this.byName.get(`${name} ${piece.at}`) as Decision;
    this.asked.add(decision);
    return decision;
  }

  private moversTo(province: number): readonly Piece[] {
    return this.paper.pieces.filter((piece) => piece.kind === 'move' && piece.target === province);
  }

  private headToHead(move: Piece): Piece | undefined {
    const other = this.paper.at(move.target);
    if (other?.kind !== 'move' || other.target !== move.at) return undefined;
    return this.convoyed.has(move) || this.convoyed.has(other) ? undefined : other;
  }

  // ---- how each decision is made ----

  /** Strength of a unit: 1 plus the number of given supports, without those of the power `notOf`. */
  private strength(piece: Piece, notOf = -1): Range {
    const given = this.paper.pieces
      .filter((other) => other.kind === 'support' && other.helped === piece.at && other.power !== notOf)
      .filter((support) => supportMatches(this.paper, support))
      .map((support) => this.get('SUPPORT', support));
    return [given.reduce((sum, { min }) => sum + min, 1), given.reduce((sum, { max }) => sum + max, 1)];
  }

  /** Minimum and maximum of a decision, indexed by its name. Each update reads all decisions that it depends on. */
  private readonly updates: Readonly<Record<Name, (piece: Piece) => Range>> = {
    MOVE: (move) => {
      const attack = this.get('ATTACK', move);
      const opponent = this.headToHead(move);
      const occupant = this.paper.at(move.target);
      const against: Pick<Decision, 'min' | 'max'>[] = this.moversTo(move.target)
        .filter((other) => other !== move)
        .map((rival) => this.get('PREVENT', rival));
      if (opponent !== undefined) against.push(this.get('DEFEND', opponent));
      else if (occupant !== undefined) against.push(this.get('HOLD', occupant));
      // A move into an empty province needs a strength above 0.
      else against.push(NOTHING);
      return yesOrNo(
        against.every(({ max }) => attack.min > max),
        against.every(({ min }) => attack.max > min),
      );
    },
    SUPPORT: (support) => {
      const attacks = this.moversTo(support.at).map((move) => {
        const [success, attack] = [this.get('MOVE', move), this.get('ATTACK', move)];
        const cuts = move.power !== support.power && move.at !== support.target;
        return {
          min: success.min === 1 || (cuts && attack.min > 0),
          max: success.max === 1 || (cuts && attack.max > 0),
        };
      });
      return yesOrNo(!attacks.some(({ max }) => max), !attacks.some(({ min }) => min));
    },
    DISLODGE: (fleet) => {
      const moves = this.moversTo(fleet.at).map((move) => this.get('MOVE', move));
      return yesOrNo(
        moves.some(({ min }) => min === 1),
        moves.some(({ max }) => max === 1),
      );
    },
    PATH: (move) => {
      if (!this.convoyed.has(move)) return [1, 1];
      const fleets = fleetsOf(this.paper, move);
      const safe = fleets.filter((fleet) => this.get('DISLODGE', fleet).max === 0);
      const afloat = fleets.filter((fleet) => this.get('DISLODGE', fleet).min === 0);
      return yesOrNo(hasChain(this.paper, move, safe), hasChain(this.paper, move, afloat));
    },
    ATTACK: (move) => {
      const path = this.get('PATH', move);
      const occupant = this.paper.at(move.target);
      const all = this.strength(move);
      let [min, max] = all;
      if (occupant !== undefined) {
        const mayLeave = occupant.kind === 'move' && this.headToHead(move) === undefined;
        const leaves = mayLeave ? this.get('MOVE', occupant) : NOTHING;
        const against = occupant.power === move.power ? [0, 0] : this.strength(move, occupant.power);
        [min, max] = [leaves.min === 1 ? all[0] : against[0], leaves.max === 1 ? all[1] : against[1]];
      }
      return [path.min === 0 ? 0 : min, path.max === 0 ? 0 : max];
    },
    HOLD: (piece) => {
      if (piece.kind !== 'move') return this.strength(piece);
      const move = this.get('MOVE', piece);
      return [1 - move.max, 1 - move.min];
    },
    PREVENT: (move) => {
      const path = this.get('PATH', move);
      const opponent = this.headToHead(move);
      const beaten = opponent === undefined ? NOTHING : this.get('MOVE', opponent);
      const [min, max] = this.strength(move);
      return [path.min === 0 || beaten.max === 1 ? 0 : min, path.max === 0 || beaten.min === 1 ? 0 : max];
    },
    DEFEND: (move) => this.strength(move),
  };

  /** Returns the open decisions that a decision depends on. */
  private asks({ name, piece }: Decision): readonly Decision[] {
    this.asked.clear();
    this.updates[name](piece);
    return [...this.asked].filter(({ min, max }) => min !== max);
  }

  // ---- the algorithm ----

  private open(): Decision[] {
    return [...this.byName.values()].filter(({ min, max }) => min !== max);
  }

  private updateAll(): void {
    for (let changed = true; changed; ) {
      changed = false;
      for (const decision of this.open()) {
        const [min, max] = this.updates[decision.name](decision.piece);
        if (min <= decision.min && max >= decision.max) continue;
        decision.min = Math.max(min, decision.min);
        decision.max = Math.min(max, decision.max);
        changed = true;
      }
    }
  }

  /** The shortest list of open decisions that ask about nothing open outside it. */
  private core(): readonly Decision[] {
    let shortest: ReadonlySet<Decision> | undefined;
    for (const start of this.open()) {
      const list = new Set(this.asks(start));
      for (const decision of list) for (const asked of this.asks(decision)) list.add(asked);
      if (shortest === undefined || list.size < shortest.size) shortest = list;
    }
    return [...(shortest ?? [])];
  }

  private settle(list: readonly Decision[]): void {
    if (!list.some(({ name, piece }) => name === 'MOVE' && this.paper.at(piece.target)?.kind === 'convoy')) {
      for (const decision of list) if (decision.name === 'MOVE') decision.min = 1;
      return;
    }
    // Szykman: the armies whose attack is in the list do not move and have no effect.
    for (const { name, piece } of list) {
      if (name !== 'ATTACK' || !this.convoyed.has(piece)) continue;
      for (const what of [...OF_MOVES, 'PATH'] as const) Object.assign(this.get(what, piece), NOTHING);
    }
  }

  judge(): Verdict {
    this.updateAll();
    for (let list = this.core(); list.length > 0; list = this.core()) {
      this.settle(list);
      this.updateAll();
    }
    return toVerdict(this.paper, (piece) => {
      if (piece.kind === 'move') return this.get('MOVE', piece).min === 1;
      if (piece.kind === 'support') return this.get('SUPPORT', piece).min === 1;
      return this.get('DISLODGE', piece).min === 0;
    });
  }
}

/**
 * Resolves one movement phase. Of a convoying fleet, success is that it is not dislodged.
 * @param landIfUnordered armies go by land if no chain of fleets was ordered for them, as in preset datc-2.4
 * @param sequence as for readPaper(): the order in which decisions are made
 */
export const judgeByDecisions = (
  map: CompiledMap,
  units: Uint8Array,
  orders: Int32Array,
  landIfUnordered = false,
  sequence?: readonly number[],
): Verdict => new Decisions(readPaper(map, units, orders, sequence), landIfUnordered).judge();
