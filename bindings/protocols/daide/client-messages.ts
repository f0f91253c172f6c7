// Parses the messages of level 0 that a client may send, or finds the first wrong token.
import {
  BRA,
  integerOf,
  isBalanced,
  isCoast,
  isInteger,
  isPower,
  isProvince,
  isText,
  KET,
  textOf,
  Word,
} from './language.js';

/** Tokens of a province and its coast as written in a message. coast: 0 if no coast is written. */
export interface WrittenPlace {
  readonly province: number;
  readonly coast: number;
}

/** Tokens of a unit as written in a message: power, type (AMY or FLT) and place. */
export interface WrittenUnit extends WrittenPlace {
  readonly power: number;
  readonly type: number;
}

/** An order as written in a message. All numbers are tokens. */
export interface WrittenOrder {
  /** Tokens of the order, without the brackets around it. */
  readonly tokens: readonly number[];
  /** Token of the order's type: HLD, MTO, SUP, CVY, CTO, RTO, DSB, BLD, REM or WVE. */
  readonly type: number;
  /** The ordered unit. For WVE only its power is set. */
  readonly unit: WrittenUnit;
  /** The unit that SUP or CVY helps; null for other orders. */
  readonly helped: WrittenUnit | null;
  /** Destination of MTO, CTO and RTO, or of the move that SUP or CVY helps. Null for other orders. */
  readonly target: WrittenPlace | null;
  /** Tokens of the provinces after VIA in CTO; empty for other orders. */
  readonly path: readonly number[];
}

/** A turn as written in a message: 'SPR 1901' is { season: Word.SPR, year: 1901 }. */
export interface WrittenTurn {
  readonly season: number;
  readonly year: number;
}

/** Names of the messages that consist of one word. */
const plain = ['MAP', 'MDF', 'HLO', 'SCO', 'NOW', 'MIS', 'GOF', 'ORD', 'DRW', 'SMR'] as const;

/**
 * A parsed message of a client. kind: its first word, after NOT the first two. power, what and tokens in orders are
 * tokens; years, passcodes and seconds are numbers.
 */
export type ClientMessage =
  | { readonly kind: 'NME' | 'OBS'; readonly name: string; readonly version: string }
  | { readonly kind: 'IAM'; readonly power: number; readonly passcode: number }
  | { readonly kind: 'YES' | 'REJ'; readonly what: number; readonly name: string }
  | { readonly kind: 'SUB'; readonly turn: WrittenTurn | null; readonly orders: readonly WrittenOrder[] }
  | { readonly kind: 'NOT SUB'; readonly order: WrittenOrder | null }
  | { readonly kind: 'NOT TME' | 'TME'; readonly seconds: number | null }
  | { readonly kind: 'HST'; readonly turn: WrittenTurn }
  | { readonly kind: (typeof plain)[number] | 'ADM' | 'NOT GOF' | 'NOT DRW' };

/**
 * Result of parsing: a message, unbalanced brackets, the index of the first wrong token, or a complaint (HUH or PRN),
 * which gets no answer.
 */
export type ReadMessage =
  | { readonly kind: 'message'; readonly message: ClientMessage }
  | { readonly kind: 'unbalanced' }
  | { readonly kind: 'complaint' }
  | { readonly kind: 'wrong'; readonly at: number };

/** Thrown at the first wrong token. @param at index of the token */
class WrongToken extends Error {
  constructor(readonly at: number) {
    super(`token ${at}`);
  }
}

const seasons: readonly number[] = [Word.SPR, Word.SUM, Word.FAL, Word.AUT, Word.WIN];

/** Parser of one message. Its methods consume the tokens of the value that they return, or throw WrongToken. */
class Reader {
  private at = 0;

  constructor(private readonly tokens: Uint16Array) {}

  /** The next token to be consumed, or -1 after the last token. */
  private get token(): number {
    return this.at < this.tokens.length ? this.tokens[this.at] : -1;
  }
  private get isOpen(): boolean {
    return this.token === BRA;
  }
  private fail(): never {
    throw new WrongToken(this.at);
  }
  private take(is: (token: number) => boolean): number {
    const { token } = this;
    if (token < 0 || !is(token)) this.fail();
    this.at++;
    return token;
  }
  private word(...wanted: readonly number[]): number {
    return this.take((token) => wanted.includes(token));
  }
  private within<T>(read: () => T): T {
    this.word(BRA);
    const value = read();
    this.word(KET);
    return value;
  }
  /** Reads a value in brackets with `read`, or returns null if the next token is not an opening bracket. */
  private perhaps<T>(read: () => T): T | null {
    return this.isOpen ? this.within(read) : null;
  }
  private text(): string {
    const letters: number[] = [];
    while (this.token >= 0 && isText(this.token)) letters.push(this.tokens[this.at++]);
    return textOf(letters);
  }
  private integer(): number {
    return integerOf(this.take(isInteger));
  }
  private turn(): WrittenTurn {
    return { season: this.word(...seasons), year: this.integer() };
  }
  private place(): WrittenPlace {
    if (!this.isOpen) return { province: this.take(isProvince), coast: 0 };
    return this.within(() => ({ province: this.take(isProvince), coast: this.take(isCoast) }));
  }
  private unit(): WrittenUnit {
    return this.within(() => ({
      power: this.take(isPower),
      type: this.word(Word.AMY, Word.FLT),
      ...this.place(),
    }));
  }
  /** Reads a province without a coast: the destination of CTO, or of the move that SUP or CVY helps. */
  private province(): WrittenPlace {
    return { province: this.take(isProvince), coast: 0 };
  }

  private order(): WrittenOrder {
    const begin = this.at;
    const parts = this.isOpen ? this.unitOrder() : this.waive();
    return { ...parts, tokens: Array.from(this.tokens.subarray(begin, this.at)) };
  }
  private waive(): Omit<WrittenOrder, 'tokens'> {
    const unit = { power: this.take(isPower), type: 0, province: 0, coast: 0 };
    return { type: this.word(Word.WVE), unit, helped: null, target: null, path: [] };
  }
  private unitOrder(): Omit<WrittenOrder, 'tokens'> {
    const unit = this.unit();
    const { HLD, MTO, SUP, CVY, CTO, RTO, DSB, BLD, REM } = Word;
    const type = this.word(HLD, MTO, SUP, CVY, CTO, RTO, DSB, BLD, REM);
    const helped = type === SUP || type === CVY ? this.unit() : null;
    const order = { type, unit, helped, target: null, path: [] };
    if (type === MTO || type === RTO) return { ...order, target: this.place() };
    if (type === CTO) {
      const target = this.province();
      this.word(Word.VIA);
      return { ...order, target, path: this.within(() => this.provinces()) };
    }
    if (helped === null || (type === SUP && this.token === KET)) return order;
    this.word(type === SUP ? MTO : CTO);
    return { ...order, target: this.province() };
  }
  private provinces(): number[] {
    const found = [this.take(isProvince)];
    while (this.token !== KET) found.push(this.take(isProvince));
    return found;
  }

  private submission(): ClientMessage {
    let turn: WrittenTurn | null = null;
    const orders: WrittenOrder[] = [];
    const first = this.tokens[this.at + 1] ?? -1;
    if (this.isOpen && seasons.includes(first)) turn = this.within(() => this.turn());
    do orders.push(this.within(() => this.order()));
    while (this.at < this.tokens.length);
    return { kind: 'SUB', turn, orders };
  }

  private negated(): ClientMessage {
    const what = this.word(Word.GOF, Word.DRW, Word.SUB, Word.TME);
    if (what === Word.GOF) return { kind: 'NOT GOF' };
    if (what === Word.DRW) return { kind: 'NOT DRW' };
    if (what === Word.SUB) return { kind: 'NOT SUB', order: this.perhaps(() => this.order()) };
    return { kind: 'NOT TME', seconds: this.perhaps(() => this.integer()) };
  }

  private answer(kind: 'YES' | 'REJ'): ClientMessage {
    return this.within(() => {
      const what = this.word(Word.MAP, Word.SVE, Word.LOD);
      return { kind, what, name: this.within(() => this.text()) };
    });
  }

  private body(first: number): ClientMessage {
    const text = (): string => this.within(() => this.text());
    const kind = plain.find((word) => Word[word] === first);
    if (kind !== undefined) return { kind };
    switch (first) {
      case Word.NME:
        return { kind: 'NME', name: text(), version: text() };
      case Word.OBS:
        return this.isOpen ? { kind: 'OBS', name: text(), version: text() } : { kind: 'OBS', name: '', version: '' };
      case Word.IAM: {
        const power = this.within(() => this.take(isPower));
        return { kind: 'IAM', power, passcode: this.within(() => this.integer()) };
      }
      case Word.YES:
      case Word.REJ:
        return this.answer(first === Word.YES ? 'YES' : 'REJ');
      case Word.SUB:
        return this.submission();
      case Word.NOT:
        return this.within(() => this.negated());
      case Word.TME:
        return { kind: 'TME', seconds: this.perhaps(() => this.integer()) };
      case Word.HST:
        return { kind: 'HST', turn: this.within(() => this.turn()) };
      case Word.ADM:
        text();
        text();
        return { kind: 'ADM' };
      default:
        this.at--;
        return this.fail();
    }
  }

  message(): ClientMessage {
    const message = this.body(this.take(() => true));
    if (this.at < this.tokens.length) this.fail();
    return message;
  }
}

/** Parses a message of a client. Never throws. @param tokens tokens of the message, at least one */
export const readMessage = (tokens: Uint16Array): ReadMessage => {
  if (tokens[0] === Word.HUH || tokens[0] === Word.PRN) return { kind: 'complaint' };
  if (!isBalanced(tokens)) return { kind: 'unbalanced' };
  try {
    return { kind: 'message', message: new Reader(tokens).message() };
  } catch (error) {
    if (!(error instanceof WrongToken)) throw error;
    return { kind: 'wrong', at: error.at };
  }
};
