// Implements the 20 steps of the Player's Technical Guide (1998), chapter VIII, with one function for a step or a group
// of steps. It works like a judge with pencil and paper: orders are cancelled or cut one by one, and a cancelled order
// counts as a hold from then on.
import type { CompiledMap } from '../../engine/map/compiled-map.js';
import { fleetsOf, isNextToSea, type Paper, type Piece, readPaper, type Verdict } from './pieces.js';

export type ConvoyState = 'Futile' | 'Indomitable' | 'Confused' | 'merely subverted';

/** A convoy on the list of step 2. Provinces name units. */
export interface ListedConvoy {
  readonly army: Piece;
  readonly fleets: readonly Piece[];
  /** Origins of the armies of those that it subverts, when step 5 first looks. */
  subverts: number[];
  /** Number of simple chains. */
  readonly routes: number;
  state: ConvoyState | null;
}

/** Pairs of origins: the subverter and the subverted. */
type Subversions = readonly (readonly [by: number, of: number])[];

export interface HeadToHead {
  readonly stronger: Piece;
  readonly weaker: Piece;
  readonly strengths: readonly [number, number];
  readonly balanced: boolean;
}

export interface GuideVerdict extends Verdict {
  readonly convoys: readonly ListedConvoy[];
  /** When the loop of steps 5 to 9 has ended, and again after step 11. */
  readonly subvertedAfterLoop: readonly Subversions[];
  readonly headToHeads: readonly HeadToHead[];
  /** Target provinces of each pass of steps 18 to 20. */
  readonly passes: readonly (readonly number[])[];
  readonly cancelled: ReadonlySet<Piece>;
}

class Guide {
  /** Orders that still count. */
  private readonly live = new Set<Piece>();
  private readonly cancelled = new Set<Piece>();
  private readonly advanced = new Set<Piece>();
  private readonly dislodgedFrom = new Map<Piece, Piece>();
  private readonly convoyed = new Set<Piece>();
  private list: ListedConvoy[] = [];
  private all: readonly ListedConvoy[] = [];
  private readonly after: Subversions[] = [];
  private readonly battles: HeadToHead[] = [];
  private readonly passes: number[][] = [];

  constructor(private readonly paper: Paper) {
    for (const piece of paper.pieces) if (piece.kind !== 'hold') this.live.add(piece);
  }

  private cancel(piece: Piece): void {
    if (this.live.delete(piece)) this.cancelled.add(piece);
  }

  private ofKind(kind: Piece['kind']): Piece[] {
    return [...this.live].filter((piece) => piece.kind === kind);
  }

  // ---- 1, 2: convoys ----

  private simpleChains(army: Piece, fleets: readonly Piece[]): Piece[][] {
    const extend = (chain: Piece[], from: number): Piece[][] => [
      ...(chain.length > 0 && isNextToSea(this.paper, army.target, from) ? [chain] : []),
      ...fleets
        .filter((fleet) => !chain.includes(fleet) && isNextToSea(this.paper, from, fleet.at))
        .flatMap((fleet) => extend([...chain, fleet], fleet.at)),
    ];
    return extend([], army.at);
  }

  private listConvoys(): void {
    for (const army of this.ofKind('move')) {
      if (army.canWalk && !army.via) continue;
      const fleets = fleetsOf(this.paper, army);
      const ofOwn = fleets.filter((fleet) => fleet.power === army.power);
      const own = this.simpleChains(army, ofOwn);
      const chains = own.length > 0 ? own : this.simpleChains(army, fleets);
      const used = new Set(chains.flat());
      if (used.size === 0 || army.isFleet) {
        this.cancel(army);
        continue;
      }
      this.convoyed.add(army);
      const kept = fleets.filter((fleet) => used.has(fleet));
      this.list.push({ army, fleets: kept, subverts: [], routes: chains.length, state: null });
    }
    const listed = new Set(this.list.flatMap(({ fleets }) => fleets));
    for (const fleet of this.ofKind('convoy')) if (!listed.has(fleet)) this.cancel(fleet);
    this.all = [...this.list];
  }

  // ---- 3, 4: supports that do not fit; direct attacks ----

  private cancelSupports(): void {
    for (const support of this.ofKind('support')) {
      const helped = this.paper.at(support.helped);
      const moves = helped?.kind === 'move';
      const fits = support.isHoldSupport
        ? helped !== undefined && !moves
        : moves && this.live.has(helped) && helped.target === support.target;
      if (!fits) this.cancel(support);
    }
  }

  private cutDirectly(): void {
    for (const support of this.ofKind('support'))
      for (const attack of this.attacksOn(support.at)) {
        if (this.convoyed.has(attack) || attack.power === support.power) continue;
        if (!support.isHoldSupport && attack.at === support.target) continue;
        this.cancel(support);
      }
  }

  // ---- 5 to 9: subversion ----

  private cancelOthers(attacks: readonly Piece[], winner: Piece | undefined): void {
    for (const attack of attacks) if (attack !== winner) this.cancel(attack);
  }

  private attacksOn(province: number): Piece[] {
    return this.ofKind('move').filter((move) => move.target === province && !this.advanced.has(move));
  }

  /** The supporter through which one convoy subverts another. */
  private vulnerable(by: ListedConvoy, of: ListedConvoy): Piece | undefined {
    if (by.state === 'Futile' || of.state === 'Futile' || of.state === 'Indomitable') return undefined;
    const supporter = this.paper.at(by.army.target);
    if (supporter === undefined || !this.live.has(supporter) || supporter.kind !== 'support') return undefined;
    if (supporter.power === by.army.power) return undefined;
    const acts = supporter.isHoldSupport ? supporter.helped : supporter.target;
    return of.fleets.some((fleet) => fleet.at === acts) ? supporter : undefined;
  }

  private subverters(of: ListedConvoy): ListedConvoy[] {
    return this.list.filter((by) => this.vulnerable(by, of) !== undefined);
  }

  private strike(convoy: ListedConvoy): void {
    this.list = this.list.filter((other) => other !== convoy);
    if (!this.advanced.has(convoy.army)) this.cancel(convoy.army);
    for (const fleet of convoy.fleets) this.live.delete(fleet);
  }

  /** Steps 5 to 9 until nothing happens. */
  private loop(): void {
    for (let acted = true; acted; ) {
      acted = false;
      const free = this.list.filter((convoy) => this.subverters(convoy).length === 0);
      for (const convoy of free) for (const fleet of convoy.fleets) this.fight(fleet.at);
      for (const convoy of free)
        if (convoy.fleets.some((fleet) => this.dislodgedFrom.has(fleet))) {
          this.strike(convoy);
          acted = true;
        }
      for (const { army, state } of free.filter((convoy) => this.list.includes(convoy))) {
        const supporter = this.paper.at(army.target);
        if (state === 'Futile' || supporter?.kind !== 'support' || supporter.power === army.power) continue;
        if (!this.live.has(supporter)) continue;
        this.cancel(supporter);
        acted = true;
      }
    }
  }

  // ---- 10 to 13: circles ----

  /** Would the convoy lose a fleet, with the support intact or cut? */
  private wouldBreak(convoy: ListedConvoy, supporter: Piece, intact: boolean): boolean {
    if (!intact) this.live.delete(supporter);
    const breaks = convoy.fleets.some((fleet) => this.winnerAt(fleet.at) !== undefined);
    if (!intact) this.live.add(supporter);
    return breaks;
  }

  private nameStates(): boolean {
    const found = this.list.flatMap((convoy): (readonly [ListedConvoy, ConvoyState])[] => {
      const by = this.subverters(convoy)[0];
      const supporter = by === undefined ? undefined : this.vulnerable(by, convoy);
      if (supporter === undefined) return [];
      const [intact, cut] = [this.wouldBreak(convoy, supporter, true), this.wouldBreak(convoy, supporter, false)];
      if (intact) return [[convoy, cut ? 'Futile' : 'merely subverted']];
      return [[convoy, cut ? 'Confused' : 'Indomitable']];
    });
    for (const [convoy, state] of found) convoy.state = state;
    return found.some(([, state]) => state === 'Futile' || state === 'Indomitable');
  }

  private circleOf(convoy: ListedConvoy): ListedConvoy[] {
    const circle = [convoy];
    for (const one of circle) for (const by of this.subverters(one)) if (!circle.includes(by)) circle.push(by);
    return circle;
  }

  private breakCircles(): void {
    const circles: ListedConvoy[][] = [];
    for (const convoy of this.list)
      if (this.subverters(convoy).length > 0 && !circles.flat().includes(convoy)) circles.push(this.circleOf(convoy));
    const confused = circles.filter((circle) => circle.some(({ state }) => state === 'Confused'));
    for (const circle of [...circles.filter((one) => !confused.includes(one)), ...confused]) {
      for (const { army } of circle) this.cancel(army);
      for (const fleet of circle.flatMap(({ fleets }) => fleets))
        if (confused.includes(circle)) for (const attack of this.attacksOn(fleet.at)) this.cancel(attack);
        else this.fight(fleet.at);
      for (const convoy of circle) this.strike(convoy);
    }
  }

  // ---- 14: rings ----

  private nextIn(move: Piece): Piece | undefined {
    const next = this.paper.at(move.target);
    return next?.kind === 'move' && this.live.has(next) && !this.advanced.has(next) ? next : undefined;
  }

  private rings(): Piece[][] {
    const found: Piece[][] = [];
    for (const move of this.ofKind('move')) {
      if (found.flat().includes(move) || this.advanced.has(move)) continue;
      const ring = [move];
      for (let next = this.nextIn(move); next !== undefined && !ring.includes(next); next = this.nextIn(next))
        ring.push(next);
      if (this.nextIn(ring[ring.length - 1]) !== move) continue;
      if (ring.length > 2 || (ring.length === 2 && ring.some((one) => this.convoyed.has(one)))) found.push(ring);
    }
    return found;
  }

  private advanceRings(): void {
    for (const ring of this.rings()) {
      for (const { target } of ring) {
        const attacks = this.attacksOn(target);
        if (attacks.length > 1) this.cancelOthers(attacks, this.strongest(attacks));
      }
      if (ring.every((move) => this.live.has(move))) for (const move of ring) this.advanced.add(move);
    }
  }

  // ---- 15 to 17: head-to-heads ----

  private listBattles(): void {
    for (const a of this.ofKind('move')) {
      const b = this.paper.at(a.target);
      if (b === undefined || b.at < a.at || b.kind !== 'move' || b.target !== a.at) continue;
      if (!this.live.has(b) || this.advanced.has(a) || this.advanced.has(b)) continue;
      if (this.convoyed.has(a) || this.convoyed.has(b)) continue;
      const [stronger, weaker] = this.strength(a) >= this.strength(b) ? [a, b] : [b, a];
      const strengths = [this.strength(stronger), this.strength(weaker)] as const;
      const balanced = a.power === b.power || this.strength(stronger, weaker.power) <= strengths[1];
      this.battles.push({ stronger, weaker, strengths, balanced });
    }
  }

  private fightBattles(): void {
    this.listBattles();
    for (const battle of this.battles) if (!battle.balanced) this.fightUnbalanced(battle);
    for (const battle of this.battles) if (battle.balanced) this.fightBalanced(battle);
  }

  private fightUnbalanced({ stronger, weaker }: HeadToHead): void {
    const onStronger = this.attacksOn(stronger.at);
    this.settle(this.attacksOn(weaker.at), weaker, undefined);
    if (this.dislodgedFrom.get(weaker) === stronger) {
      this.cancel(weaker);
      return;
    }
    this.settle(onStronger, stronger, weaker);
  }

  private fightBalanced({ stronger, weaker }: HeadToHead): void {
    const [onStronger, onWeaker] = [this.attacksOn(stronger.at), this.attacksOn(weaker.at)];
    this.settle(onStronger, stronger, weaker);
    this.settle(onWeaker, weaker, stronger);
  }

  /** One half of a battle; one of the attackers may not win, only stand others off. */
  private settle(attacks: readonly Piece[], defender: Piece, harmless: Piece | undefined): void {
    const first = this.strongest(attacks);
    const winner = first === harmless ? undefined : first;
    const wins = winner !== undefined && this.beats(winner, defender, 1);
    this.cancelOthers(attacks, wins ? winner : undefined);
    if (wins && winner !== undefined) this.advance(winner, defender);
  }

  // ---- 18 to 20: ordinary battles ----

  private fightOrdinary(): void {
    for (;;) {
      const waiting = this.ofKind('move').filter((move) => !this.advanced.has(move));
      const targets = [...new Set(waiting.map(({ target }) => target))];
      const ready = targets.filter((target) => !waiting.some(({ at }) => at === target));
      if (ready.length === 0) return;
      this.passes.push(ready);
      for (const target of ready) this.fight(target);
    }
  }

  private strength(piece: Piece, notOf = -1): number {
    return 1 + this.ofKind('support').filter((one) => one.helped === piece.at && one.power !== notOf).length;
  }

  private strongest(attacks: readonly Piece[]): Piece | undefined {
    const most = Math.max(0, ...attacks.map((attack) => this.strength(attack)));
    const best = attacks.filter((attack) => this.strength(attack) === most);
    return best.length === 1 ? best[0] : undefined;
  }

  private beats(attack: Piece, defender: Piece, defence: number): boolean {
    return attack.power !== defender.power && this.strength(attack, defender.power) > defence;
  }

  /** The unit that is in a province now and was there before. */
  private occupant(province: number): Piece | undefined {
    const piece = this.paper.at(province);
    return piece === undefined || this.advanced.has(piece) || this.dislodgedFrom.has(piece) ? undefined : piece;
  }

  /** Who would advance into a province, by step 19. */
  private winnerAt(province: number): Piece | undefined {
    const winner = this.strongest(this.attacksOn(province));
    const defender = this.occupant(province);
    if (winner === undefined || defender === undefined) return winner;
    const defence = defender.kind === 'move' ? 1 : this.strength(defender);
    return this.beats(winner, defender, defence) ? winner : undefined;
  }

  private fight(province: number): void {
    const attacks = this.attacksOn(province);
    const winner = this.winnerAt(province);
    const defender = this.occupant(province);
    this.cancelOthers(attacks, winner);
    if (winner !== undefined) this.advance(winner, defender);
  }

  private advance(winner: Piece, defender: Piece | undefined): void {
    this.advanced.add(winner);
    if (defender === undefined) return;
    this.dislodgedFrom.set(defender, winner);
    if (defender.kind === 'support') this.cancel(defender);
  }

  private subversions(): Subversions {
    return this.list.flatMap((of) => this.subverters(of).map((by) => [by.army.at, of.army.at] as const));
  }

  judge(): GuideVerdict {
    this.listConvoys();
    this.cancelSupports();
    this.cutDirectly();
    for (const convoy of this.list)
      convoy.subverts = this.list.filter((of) => this.vulnerable(convoy, of) !== undefined).map(({ army }) => army.at);
    this.loop();
    this.after.push(this.subversions());
    if (this.nameStates()) this.loop();
    this.after.push(this.subversions());
    this.breakCircles();
    this.advanceRings();
    this.fightBattles();
    this.fightOrdinary();
    return this.verdict();
  }

  private verdict(): GuideVerdict {
    const success = new Uint8Array(this.paper.map.provinceCount);
    const attacker = new Int16Array(this.paper.map.provinceCount).fill(-1);
    for (const piece of this.paper.pieces)
      success[piece.at] = (piece.kind === 'move' ? this.advanced : this.live).has(piece) ? 1 : 0;
    for (const [piece, by] of this.dislodgedFrom) attacker[piece.at] = by.at;
    return {
      success,
      attacker,
      convoys: this.all,
      subvertedAfterLoop: this.after,
      headToHeads: this.battles,
      passes: this.passes,
      cancelled: this.cancelled,
    };
  }
}

/** Resolves one movement phase. An army order that names no fleets and needs them is VIA (engine/rules/order.ts). */
export const judgeByGuide = (map: CompiledMap, units: Uint8Array, orders: Int32Array): GuideVerdict =>
  new Guide(readPaper(map, units, orders)).judge();
