// Finds the orders of a power in a longer text, such as the answer of a language model. The text may contain prose,
// lists, tables, JSON or other markup, and may be truncated. The first pass finds every order text; the second decides
// which of them the power gives.
import type { CompiledMap } from '../../internal.js';
import * as O from '../../rules/order.js';
import * as T from '../../rules/types.js';
import { interpretOrders } from './interpret.js';
import type { Interpreted, Position } from './judge.js';
import { type LeadingOrder, MAX_TEXT, namesOf, plainWord, readLeadingOrder, type Token } from './parse.js';
import type { Reading } from './reading-options.js';

/** An order that findOrders() found in an answer: given, or only mentioned. */
export interface FoundOrder {
  /** Original text of the order, cut at 200 characters. */
  readonly text: string;
  /** Interpretation of the order. Null if the answer only mentions the order. */
  readonly judged: Interpreted | null;
  /** Reason why the order does not count: it is refused or only mentioned. Null if it counts. */
  readonly reason: string | null;
}

/** Maximum number of given orders, and of mentioned orders, in the result. */
const MOST = 200;
/** Maximum number of tokens in one order. */
const MOST_TOKENS = 24;

// ---- words ----

const set = (words: string): ReadonlySet<string> => new Set(words.split(' '));

const UNITS = set('a army armies f fleet fleets');
const VERBS_BEFORE = set(
  'build builds building remove removes removing disband disbands retreat retreats waive waives',
);
const HOLDS = set('hold holds');
const VERBS = set(
  '- to into h hold holds holding stand stands m move moves moving goes attack attacks s support supports sup supporting ' +
    'c convoy convoys convoying r retreat retreats d disband disbands remove b build builds via ' +
    'sail sails go march marches advance advances proceed proceeds enter enters take takes',
);
const TO_WORDS = set('- to into');
const HELPS = set('s support supports sup supporting c convoy convoys convoying');
/** Words that may introduce a list of orders without a colon. */
const LEADS = set(
  'i we my our the final here is are this these as follows and then also next so now first second third finally lastly ' +
    'last will ll order orders ordered move moves play plays submit issue answer decision action actions for in of spring ' +
    'summer autumn fall winter turn phase power movement retreats builds build adjustments json',
);
/** Words that start giving orders in the middle of a sentence: 'Instead of ..., I order ...'. */
const GIVES = /\b(?:i|we|order|play|submit)\b/i;
/** Words that may follow an order without punctuation, because they begin its explanation. */
const REASONS = set(
  'because to for so since as while in with and when where which thus therefore toward towards by via from on at using ' +
    'if this that it again',
);
/** Verbs before a unit in an adjustment phase. Values are 'build' or 'remove', the verb in an order. */
const WINTER_VERBS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    build:
      'b build builds building construct constructs constructing create creates creating raise raises recruit recruits',
    remove:
      'd r disband disbands disbanding disbandment disbandments remove removes removing removal removals eliminate eliminates ' +
      'dissolve dissolves delete deletes destroy destroys',
  }).flatMap(([verb, words]) => words.split(' ').map((word): [string, string] => [word, verb])),
);
const WAIVES = set('waive waives waiving');
/** Words to skip in an adjustment order: 'Build 1: a new army in Paris', 'waive the second build'. */
const WINTER_FILLERS = set(
  'a an the my our new one two both all other second third first last remaining any unit units army fleet in at of from ' +
    'build builds removal removals disbandment disbandments',
);
/** Field names between a place and its unit type or verb: '"location": "PAR", "type": "army"'. */
const KINDS = set('type unit kind unittype action order verb command');
/** Matches the text between the verb and the first place of a list without unit types: 'Remove Paris and Brest'. */
const FIRST_PLACE = /^\W*(?:(?:in|from|the|my|our|units?|loc|location|place|province|territory)\b\W*)*$/i;
/** Matches the text between two places of a list of builds or removals without unit types: ' and '. */
const NEXT_PLACE = /^\s*(?:,|&|,?\s*and\b)\s*(?:in\b\s*)?(?:the\b\s*)?$/i;
/** Matches the label, perhaps empty, before an order whose unit is in the heading above it: '- Order: '. */
const HEADED =
  /^[\s>*_•+#"'`([-]*?(?:\d+[.)]\s*)?[\s>*_•+#"'`([-]*(?:(?:(?:final|chosen|recommended)\s+)?(?:orders?|action|command|decision|move|instruction|choice)[\s*_"'`]*[:=]+[\s*_"'`([-]*)?/i;
/** Matches a word of a sentence or label that rejects the orders in it. */
const REJECTED =
  /\b(?:not|never|no|without|reject\w*|avoid\w*|instead|rather|alternativ\w*|drafts?|consider\w*|unless|otherwise|versus|vs|previous\w*|expect\w*|likely|discard\w*|ignor\w*|illegal|wrong|bad|e\.g|example)\b|n['’]t\b|~~/i;
/** Matches a word of a sentence that only considers the orders in it. */
const DOUBTFUL =
  /\b(?:would|could|might|may|if|perhaps|maybe|possibl\w*|weak\w*|risk\w*|worse|fail\w*|fear\w*|threat\w*|lose[sn]?|losing|bounce[sd]?|or)\b|\?/i;
const KEY_WORDS = set(
  'unit unittype type action order kind verb command location loc province from coast piece destination dest target to',
);
/** Matches a field name to skip in an order given as JSON: '"unit": '. */
const KEY =
  /(?:[a-z]+_){0,3}(?:unit|type|unit_?type|action|order|kind|verb|command|location|loc|province|from|coast|piece)["'`]*\s*[:=]/iy;
/** Matches the field name of the destination in an order given as JSON: '"to": '. */
const TARGET_KEY = /(?:[a-z]+_){0,3}(?:destination|dest|target|to)["'`]*\s*[:=](?:\s*(?:null|none|""))?/iy;

/**
 * Matches the text between a unit and its destination if there is no move sign: '"A PAR": "BUR"', '| A PAR | BUR |'.
 */
const COLUMN = /[:|]|^\s+$/;
/** Matches a character that ends an order. */
const HARD = /[;}#\n]/;
/** Matches the end of a list entry, sentence, line or table cell. */
const SEGMENT = /\n|;|[{}[\]|]|["'`]\s*,\s*["'`]|(?:(?<=[\p{L}\p{N}]{3})|(?<=[)"'*`]))[.!?]+(?=\s)/gu;

const HEADS =
  /(?:^|[{,>;])(?:[^\p{L}\n]{0,20}(?:\b(?:my|our|the|final|here|are|is|these|as|follows|for|spring|summer|autumn|fall|winter)\b|\b(?<power>\p{L}{3,30})(?:['’]s)?\b(?=\W{1,3}(?:final\W)?orders))){0,8}[^\p{L}\n]{0,20}\b(?:orders(?:\s+(?:are|for\b[^:\n]{0,40}(?=:)))?|(?<weak>moves)|final[ _]?answer|answer|final)\b[^\p{L}\n:=]*(?:[:=]|$)/gimu;

const THOUGHTS = [
  /[<[◁](think|thinking|thoughts?|reasoning|analysis|reflection|scratchpad)\b[^>\]▷\n]*[>\]▷][\s\S]*?(?:[<[◁]\/\1[>\]▷]|$)/gi,
  /<\|channel\|>(?:analysis|commentary)[\s\S]*?(?:<\|channel\|>final|$)/gi,
];
/** Matches thoughts from the start of the answer, whose opening tag was in the prompt. */
const THOUGHTS_END = /^[\s\S]*[<[◁]\/(?:think|thinking|thoughts?|reasoning|analysis|reflection|scratchpad)[>\]▷]/i;

// ---- text ----

/**
 * Replaces escape sequences of JSON, LaTeX and HTML with the characters that they mean. Removes invisible characters.
 */
const plainText = (text: string): string =>
  text
    .replace(/[\u200B-\u200D\u2060\uFEFF\u00AD]/g, '')
    .replace(/\\(?:long)?rightarrow\b|\\to\b|&rarr;|\\u2192/gi, '→')
    .replace(/&gt;|&#62;/g, '>')
    .replace(/&nbsp;/g, ' ')
    .replace(/\\[nr]|<br\s*\/?>|\r\n?/gi, '\n')
    .replace(/\\t|\\(?=["'\-*_])/g, ' ');

interface Placed extends Token {
  readonly begin: number;
  readonly end: number;
  readonly index: number;
}

const LEX = /([-=~‐‑‒–—―−]{0,8}(?:>|→|➔|➜|⇒|⟶)+|[‐‑‒–—―−-]+)|([\p{L}\p{N}\p{M}]+(?:['’‘`´]\p{L}+)*)|[/()]/gu;

const lex = (text: string): Placed[] =>
  Array.from(text.matchAll(LEX), (match, index) => {
    const [found, arrow, word] = match;
    const plain = arrow !== undefined ? '-' : word !== undefined ? plainWord(word) || word : found;
    return { text: found, plain, begin: match.index, end: match.index + found.length, index };
  });

/**
 * Counts the marks of a text (headings, or ends of sentences) before a position. Positions, in characters, must ascend
 * from call to call, as the ends of the marks do.
 */
class Marks {
  private at = 0;
  constructor(private readonly ends: readonly number[]) {}
  /** Returns the number of marks that end at or before a position. */
  before(position: number): number {
    while (this.at < this.ends.length && this.ends[this.at] <= position) this.at++;
    return this.at;
  }
  end(number: number): number {
    return number === 0 ? 0 : this.ends[number - 1];
  }
}

// ---- orders ----

/** An order text in the answer, with what its context says about it. */
interface Candidate {
  readonly begin: number;
  readonly end: number;
  readonly text: string;
  /**
   * Words of the order, joined by blanks, without punctuation and names of JSON fields such as "unit". If the order
   * cannot be read: its text.
   */
  readonly plain: string;
  readonly isReadable: boolean;
  /** True if the order is a list entry or has its own line, and is not part of a sentence. */
  isListed: boolean;
  readonly isRejected: boolean;
  readonly isDoubtful: boolean;
  /** True for a unit without a verb in an adjustment phase. It counts only if no listed order has a verb. */
  readonly isImplied: boolean;
}

class Finder {
  private readonly tokens: readonly Placed[];
  private readonly segments: Marks;
  private readonly powers: ReadonlySet<string>;
  private readonly names = namesOf(this.map);
  readonly found: Candidate[] = [];
  /** Verb of the current list of builds or removals: 'Build: A PAR, F BRE'. Null outside such a list. */
  private verb: Placed | null = null;
  /** Plural unit type of the current list: 'armies in Paris and Marseilles'. Null if there is none. */
  private several: Placed | null = null;
  /**
   * Tokens of the unit in a heading ('### A PAR'), keyed by the index of the first token of its order ('Move to BUR').
   */
  private readonly headings = new Map<number, readonly Placed[]>();
  /** Indices of the tokens of units in headings. */
  private readonly titles = new Set<number>();

  /**
   * Makes a finder of the orders in `text`.
   * @param due number of builds (> 0) or removals (< 0) of the power; null outside an adjustment phase
   */
  constructor(
    private readonly map: CompiledMap,
    private readonly text: string,
    private readonly due: number | null,
  ) {
    this.tokens = lex(text);
    this.segments = new Marks(Array.from(text.matchAll(SEGMENT), ({ index, 0: sign }) => index + sign.length));
    this.powers = new Set(this.names.powers.keys());
  }

  private gap(before: Placed, after: Placed): string {
    return this.text.slice(before.end, after.begin);
  }

  private matches(pattern: RegExp, at: number): number {
    pattern.lastIndex = at;
    return pattern.exec(this.text)?.[0].length ?? 0;
  }

  /**
   * Returns the tokens from index `begin` that may belong to one order, at most MOST_TOKENS. Drops field names and
   * parentheses.
   */
  private window(begin: number): Placed[] {
    const { tokens } = this;
    const kept: Placed[] = [];
    for (let i = begin; i < tokens.length && kept.length < MOST_TOKENS; i++) {
      const token = tokens[i];
      const isKey = KEY_WORDS.has(token.plain) || this.text[token.end] === '_';
      const target = isKey ? this.matches(TARGET_KEY, token.begin) : 0;
      const key = target || (isKey ? this.matches(KEY, token.begin) : 0);
      if (i > begin) {
        const gap = this.gap(tokens[i - 1], token);
        if (HARD.test(key > 0 ? gap.replace(/\n/g, '') : gap)) break;
      }
      if (token.plain === '(' && i > begin) {
        const inside = /^[^)]*(?=\))/.exec(this.text.slice(token.end, token.end + MAX_TEXT))?.[0];
        const close = inside === undefined ? -1 : token.end + inside.length;
        if (
          !/^\W*(?:[nesw]\W?c\W?|(?:north|south|east|west)\w*(?:\s+coast)?|(?:via|by)\b.*|(?:is )?convoyed)\W*$/i.test(
            inside ?? '',
          )
        ) {
          if (inside === undefined || inside.includes('\n')) break;
          while (i + 1 < tokens.length && tokens[i + 1].begin <= close) i++;
          continue;
        }
      }
      if (key > 0) {
        while (i + 1 < tokens.length && tokens[i + 1].begin < token.begin + key) i++;
        const isUnitNext = UNITS.has(tokens[i + 1]?.plain ?? '');
        if (target > 0 && !isUnitNext && !/(?:null|none|"")$/i.test(this.text.slice(token.begin, token.begin + key)))
          kept.push({ ...token, text: '-', plain: '-', index: i, end: token.begin + key });
        else if (kept.length === 0) break;
        continue;
      }
      kept.push(token);
    }
    return kept;
  }

  /** Returns the number of tokens of the longest place name that begins at index `at`. Returns 0 if there is none. */
  private placeWords(tokens: readonly Placed[], at: number): number {
    const { longest, places } = this.names;
    let joined = '';
    let words = 0;
    let found = 0;
    for (let i = at; i < tokens.length && i < at + 6; i++) {
      if (tokens[i].plain === '-' && i > at) continue;
      joined += tokens[i].plain;
      words++;
      if (joined.length > longest) break;
      if (words <= (places.get(joined)?.words ?? 0)) found = i + 1 - at;
    }
    return found;
  }

  private segmentEnd(from: number, sign = /\n|[;,}\]|]|["'`]\s*[,:\]}]/): number {
    const rest = sign.exec(this.text.slice(from, from + MAX_TEXT));
    return from + (rest === null ? Math.min(MAX_TEXT, this.text.length - from) : rest.index);
  }

  private add(first: Placed, end: number, plain: string, isReadable: boolean, head = '', isImplied = false): void {
    const { text, found } = this;
    const previous = found.at(-1);
    const segment = this.segments.end(this.segments.before(first.begin));
    const continues = previous !== undefined && previous.end >= segment;
    const gap = text.slice(continues ? previous.end : segment, first.begin);
    const lead = continues ? (gap.split(/,|&|\band\b|\bthen\b/i).at(-1) ?? '') : gap;
    const sentence = text.slice(
      Math.max(segment, first.begin - MAX_TEXT),
      end + (/[.!,;\n]|["'`]\s*[\]}]/.exec(text.slice(end, end + MAX_TEXT))?.index ?? MAX_TEXT),
    );
    const isRejected = REJECTED.test(lead);
    const inherits = continues && !GIVES.test(lead);
    found.push({
      ...{
        begin: first.begin,
        end,
        plain,
        isReadable,
        isRejected,
        isImplied,
        text: (head + text.slice(first.begin, end)).slice(0, MAX_TEXT),
      },
      isListed: !isRejected && this.introduces(lead) && (!inherits || previous.isListed),
      isDoubtful: isImplied || REJECTED.test(sentence) || DOUBTFUL.test(sentence),
    });
  }

  /** True if the text before an order may introduce a list of orders. */
  private introduces(lead: string): boolean {
    const words = lead
      .slice(Math.max(lead.lastIndexOf(':'), lead.lastIndexOf('=')) + 1)
      .replace(/^[\s>*_-]*[([]?\p{L}{1,3}[.)\]](?=\s)/u, '')
      .matchAll(/\p{L}+/gu);
    for (const [word] of words) {
      const plain = plainWord(word);
      if (LEADS.has(plain) || this.powers.has(plain) || plain === 's') continue;
      if (this.due === null || !(WINTER_FILLERS.has(plain) || WINTER_VERBS.has(plain))) return false;
    }
    return true;
  }

  /**
   * True unless the sentence continues after an order, which then is not listed.
   * @param next position of the next order, in characters; -1 if there is none
   */
  private endsList({ end }: Candidate, next: number): boolean {
    const behind = this.text.slice(end, end + MAX_TEXT);
    if (/^[\s)\]*_`"'’”]*\?/.test(behind)) return false;
    const word = /^[^\S\n]*[*_`]*[^\S\n]*(\p{L}[\p{L}'’]*)/u.exec(behind);
    if (word === null || end + word[0].length - word[1].length === next) return true;
    const plain = plainWord(word[1]);
    return REASONS.has(plain) || plain.endsWith('ing') || (this.due !== null && WINTER_FILLERS.has(plain));
  }

  /** Reads the order that begins at token `begin`. Returns null if there is none. */
  private read(begin: number): LeadingOrder<Placed> | null {
    const { map } = this;
    const tokens = this.window(begin);
    const isHold = HOLDS.has(tokens[0]?.plain ?? '');
    const known = isHold ? null : readLeadingOrder(map, tokens);
    if (known !== null || tokens.length === 0) return known;
    const letter = isHold || UNITS.has(tokens[0].plain) ? 1 : 0;
    const at = letter + this.placeWords(tokens, letter + (isHold ? 1 : 0)) + (isHold ? 1 : 0);
    // 'Hold A MAR'
    if (isHold)
      return at > 2 && !VERBS.has(tokens[at]?.plain ?? '')
        ? readLeadingOrder(map, [...tokens.slice(1, at), tokens[0]])
        : null;
    if (at === letter || VERBS.has(tokens[at]?.plain ?? '')) return null;
    const isMove =
      at < tokens.length && this.placeWords(tokens, at) > 0 && COLUMN.test(this.gap(tokens[at - 1], tokens[at]));
    if (isMove) {
      const sign = { ...tokens[at], text: '-', plain: '-', end: tokens[at].begin };
      return readLeadingOrder(map, [...tokens.slice(0, at), sign, ...tokens.slice(at)]);
    }
    // 'Build: A PAR, F BRE'
    return this.verb === null || letter === 0 ? null : readLeadingOrder(map, [this.verb, ...tokens.slice(0, at)]);
  }

  run(): readonly Candidate[] {
    const { tokens } = this;
    this.findHeadings();
    for (let i = 0; i < tokens.length; ) i = this.headed(i) ?? this.adjustment(i) ?? this.step(i);
    this.found.forEach((one, n) => {
      if (!this.endsList(one, this.found[n + 1]?.begin ?? -1)) one.isListed = false;
    });
    return this.found;
  }

  /**
   * Finds headings, which are lines that contain only a unit, and the order below each, and writes them to `headings`
   * and `titles`. The order is in the next line, or in a later line with a label.
   */
  private findHeadings(): void {
    const { tokens, text, headings } = this;
    let unit: Placed[] | null = null;
    let isNext = false;
    let isList = false;
    for (let begin = 0, at = 0; begin < text.length; begin = text.indexOf('\n', begin) + 1 || text.length) {
      const line = text.slice(begin, text.indexOf('\n', begin) + 1 || text.length);
      while (at < tokens.length && tokens[at].begin < begin) at++;
      if (!/[\p{L}→]/u.test(line) || line.length > MAX_TEXT) {
        isNext &&= line.length <= MAX_TEXT;
        continue;
      }
      const own: Placed[] = [];
      for (let i = at; i < tokens.length && tokens[i].begin < begin + line.length; i++) own.push(tokens[i]);
      const found = this.unitOf(own, line);
      if (found !== null) {
        // Consecutive lines with only a unit are a list of units, not headings.
        isList = (isNext || isList) && !/^\s*#/.test(line);
        unit = isList ? null : found;
        isNext = !isList;
        continue;
      }
      isList = false;
      if (unit === null) continue;
      const [label] = HEADED.exec(line) ?? [''];
      const arrow = own.find(({ plain }) => plain === '-');
      const first = own.find((one) => one.begin >= begin + label.length);
      const isArrow =
        arrow !== undefined &&
        arrow.text !== '>' &&
        /^[\s*•"'`]*$/.test(line.slice(0, arrow.begin - begin)) &&
        /[>→➔➜⇒⟶]/.test(arrow.text);
      const start = isArrow ? arrow : first;
      if (start !== undefined && !/^\s*#/.test(line) && (isNext || /[:=]/.test(label))) {
        const words = this.placeWords(tokens, start.index);
        if (VERBS.has(start.plain) && !this.isUnitAt(start.index) && !this.namesUnit(start)) {
          headings.set(start.index, unit);
          for (const { index } of unit) this.titles.add(index);
          unit = null;
        } else if (words > 0 && words === own.length - own.indexOf(start)) {
          headings.set(start.index, [...unit, { ...start, text: '-', plain: '-', end: start.begin }]);
          unit = null;
        }
      }
      isNext = false;
    }
  }

  /**
   * Returns the tokens of the unit in a heading line: '### Army in Paris (A PAR)', 'A PAR:'. Returns null for any other
   * line.
   * @param line tokens of the line
   * @param text text of the line
   */
  private unitOf(line: readonly Placed[], text: string): Placed[] | null {
    if (/[|,;"]|[.!?]\s*$/.test(text) || line.length > MOST_TOKENS) return null;
    const open = line.findIndex(({ plain }) => plain === '(');
    const own = (open > 0 ? line.slice(0, open) : line).filter(({ plain }) => plain !== 'in' && plain !== 'the');
    const begin = own.findIndex(({ plain }) => plain !== '-' && !/^\d+$/.test(plain));
    if (begin < 0) return null;
    const unit = own.slice(begin);
    const letter = UNITS.has(unit[0].plain) ? 1 : 0;
    if (letter === 0 && !/^\s*[#*]|:[\s*_]*$/.test(text)) return null;
    const words = this.placeWords(unit, letter);
    if (words === 0) return null;
    const rest = unit.slice(letter + words);
    return rest.length === 0 || (rest[0].plain === '/' && rest.length === 2) ? unit : null;
  }

  /** True if a unit type and a place begin at token `i`. */
  private isUnitAt(i: number): boolean {
    return UNITS.has(this.tokens[i].plain) && this.placeWords(this.tokens, i + 1) > 0;
  }

  /** True if the verb is followed by the unit that it orders: 'Move A PAR to BUR'. False for supports and convoys. */
  private namesUnit({ plain, index }: Placed): boolean {
    const at = this.skip(index + 1);
    if (HELPS.has(plain) || at >= this.tokens.length || /\n/.test(this.gap(this.tokens[index], this.tokens[at])))
      return false;
    if (this.isUnitAt(at)) return true;
    const words = this.placeWords(this.tokens, at);
    return words > 0 && TO_WORDS.has(this.tokens[at + words]?.plain ?? '');
  }

  /**
   * Reads the order below a heading if it begins at token `i`. Returns the index of the token after the order, or
   * undefined if no such order begins here.
   */
  private headed(i: number): number | undefined {
    const unit = this.headings.get(i);
    if (unit === undefined) return undefined;
    const token = this.tokens[i];
    const head = `${unit.map(({ text }) => text).join(' ')} `;
    const result = readLeadingOrder(this.map, [...unit, ...this.window(i)]);
    if (result !== null && !this.goesOn(result)) {
      const last = result.tokens[result.tokens.length - 1];
      this.add(token, last.end, result.tokens.map(({ text }) => text).join(' '), true, head);
      return Math.max(i, last.index) + 1;
    }
    const end = this.segmentEnd(token.begin);
    this.add(token, end, head + this.text.slice(token.begin, end), false, head);
    return this.indexBehind(i, end);
  }

  private indexBehind(i: number, end: number): number {
    let next = i + 1;
    while (next < this.tokens.length && this.tokens[next].begin < end) next++;
    return next;
  }

  /**
   * Reads a build, a removal or a waived build: 'B A PAR', 'Build 1: an army in Paris', '+ A PAR', 'Paris: army'. The
   * sign of `due` decides whether a unit without a verb is built or removed. Returns the index of the token after the
   * order, or undefined if there is no such order.
   */
  private adjustment(i: number): number | undefined {
    const { tokens, due } = this;
    if (due === null || i >= tokens.length) return undefined;
    const token = tokens[i];
    if (this.titles.has(i)) return i + 1;
    if (WAIVES.has(token.plain)) {
      const behind = /^[^\n.;,]{0,40}/.exec(this.text.slice(token.end, token.end + 40))?.[0] ?? '';
      const times = /\b(?:all|both|builds|two)\b/i.test(behind) ? Math.max(due, 1) : 1;
      for (let n = 0; n < times; n++) this.add(token, token.end, 'waive', true);
      return i + 1;
    }
    const isLetter = token.text.length === 1;
    const verb = WINTER_VERBS.get(token.plain);
    if (
      verb !== undefined &&
      (isLetter ? this.isUnitFrom(i + 1) && /^\W*$/.test(this.gap(token, tokens[i + 1])) : true)
    ) {
      this.verb = { ...token, text: verb, plain: verb };
      this.several = null;
      const next = this.adjustment(i + 1);
      if (next !== undefined || !this.isUnreadable(i)) return next ?? i + 1;
      const end = this.segmentEnd(token.begin);
      this.add(token, end, this.text.slice(token.begin, end), false);
      return this.indexBehind(i, end);
    }
    const unit = this.isUnitFrom(i) ? this.skip(i) : -1;
    const at = unit >= 0 ? this.skipFillers(unit + 1) : i;
    const words = tokens[at] === undefined ? 0 : this.placeWords(tokens, at);
    if (words === 0) {
      if (
        !LEADS.has(token.plain) &&
        !WINTER_FILLERS.has(token.plain) &&
        !KEY_WORDS.has(token.plain) &&
        /^\p{L}/u.test(token.plain)
      ) {
        this.verb = null;
        this.several = null;
      }
      return undefined;
    }
    return this.adjust(i, unit, at, words);
  }

  /**
   * Adds the build or removal of a unit. Returns the index of the token after the order, or undefined if there is no
   * build or removal.
   * @param i index of the first token
   * @param unit index of the unit type; -1 if there is none before the place
   * @param at index of the first token of the place
   * @param words number of tokens of the place
   */
  private adjust(i: number, unit: number, at: number, words: number): number | undefined {
    const { tokens, text } = this;
    const isNear = (k: number): boolean =>
      tokens[k] !== undefined && !/[\n;,]|[.!?]\s/.test(this.gap(tokens[k - 1], tokens[k]));
    const word = (verb: string, token: Placed): Placed => ({ ...token, text: verb, plain: verb });
    let end = at + words;
    if (tokens[end]?.plain === '/') end += 2;
    else if (tokens[end]?.plain === '(' && /^(?:[nesw]c?|north|east|south|west)$/i.test(tokens[end + 1]?.text ?? ''))
      end = this.indexBehind(end, this.segmentEnd(tokens[end].begin, /\)/));
    const place = tokens.slice(at, end);
    // 'Paris: build army', 'Paris (army)', 'A PAR B', '"location": "PAR", "type": "army"'
    let last = end;
    while (
      last < end + 2 &&
      KINDS.has(tokens[last]?.plain ?? '') &&
      !/[{}\n]/.test(this.gap(tokens[last - 1], tokens[last]))
    )
      last++;
    if (isNear(last) && tokens[last].plain === '(') last++;
    const given = isNear(last) ? WINTER_VERBS.get(tokens[last].plain) : undefined;
    const behind = given === undefined ? null : word(given, tokens[last++]);
    if (behind !== null) end = last;
    let letter = unit < 0 ? null : tokens[unit];
    const isLetter = letter === null && (isNear(last) || last > end) && UNITS.has(tokens[last]?.plain ?? '');
    if (isLetter && !(isNear(last + 1) && this.placeWords(tokens, this.skipFillers(last + 1)) > 0)) {
      letter = tokens[last];
      end = last + 1;
    }
    // 'A PAR - BUR' is not an adjustment. step() reads it, so that the order is refused with a reason.
    const next = behind === null && this.verb === null && isNear(end) ? tokens[end].plain : '';
    if (TO_WORDS.has(next) ? this.placeWords(tokens, end + 1) > 0 : VERBS.has(next) && !WINTER_VERBS.has(next))
      return undefined;
    const verb = behind ?? this.verb;
    if (letter === null && behind === null) {
      if (verb === null || verb.end > tokens[i].begin) return undefined;
      const before = this.found.at(-1);
      const isNextOne = before !== undefined && before.end > verb.begin;
      const gap = text.slice(isNextOne ? before.end : verb.end, tokens[at].begin);
      if (gap.length > MAX_TEXT || !(isNextOne ? NEXT_PLACE : FIRST_PLACE).test(gap)) return undefined;
      if (isNextOne) letter = this.several;
    }
    const result = readLeadingOrder(this.map, [
      verb ?? word((this.due ?? 0) < 0 ? 'remove' : 'build', tokens[i]),
      ...(letter === null ? [] : [letter]),
      ...place,
    ]);
    if (result === null) return undefined;
    if (letter !== null && /^(?:arm|fleet).*s$/.test(letter.plain)) this.several = letter;
    const own = this.verb;
    const begins =
      own !== null && (this.found.at(-1)?.end ?? 0) <= own.begin && !/\n/.test(text.slice(own.end, tokens[i].begin));
    const plain = result.tokens.map(({ text: one }) => one).join(' ');
    this.add(begins ? own : tokens[i], tokens[end - 1].end, plain, true, '', verb === null);
    return end;
  }

  /** True if token `i` is a unit type, perhaps after words such as 'a new'. */
  private isUnitFrom(i: number): boolean {
    const at = this.skip(i);
    const { tokens } = this;
    return tokens[at] !== undefined && UNITS.has(tokens[at].plain);
  }

  /** Skips up to six articles and similar words: 'a new army'. Keeps an 'a' that means an army: 'a par'. */
  private skip(i: number): number {
    return this.skipWhile(i, ({ plain }, next) => {
      if (plain === 'a') return next !== undefined && UNITS.has(next.plain) && next.text.length > 1;
      return /^(?:an|the|my|our|new|one)$/.test(plain);
    });
  }

  /** Skips up to six words before a place: 'in the province of'. */
  private skipFillers(i: number): number {
    return this.skipWhile(i, ({ plain }) =>
      /^(?:in|at|of|from|the|my|our|loc|location|place|province|territory)$/.test(plain),
    );
  }

  /**
   * Skips up to six tokens from index `i` while `isWanted` is true for them. Returns the index of the token after them.
   * @param isWanted called with a token and the next one
   */
  private skipWhile(i: number, isWanted: (token: Token, next: Token | undefined) => boolean): number {
    const { tokens } = this;
    let at = i;
    while (at < i + 6 && tokens[at] !== undefined && isWanted(tokens[at], tokens[at + 1])) at++;
    return at;
  }

  /** True if the verb at token `i` is followed by a unit whose place cannot be read. */
  private isUnreadable(i: number): boolean {
    return (
      this.isUnitFrom(i + 1) &&
      this.isNamed(this.skip(i + 1) + 1) &&
      !/[\n:]/.test(this.gap(this.tokens[i], this.tokens[i + 1]))
    );
  }

  /** Adds the order that begins at token `i`, if any, to `found`. Returns the index of the next token to examine. */
  private step(i: number): number {
    const { tokens } = this;
    const token = tokens[i];
    const { plain } = token;
    const isUnit = UNITS.has(plain) && this.isNamed(i + 1);
    const isVerb = plain.length > 1 && VERBS_BEFORE.has(plain);
    const isHold = HOLDS.has(plain) && UNITS.has(tokens[i + 1]?.plain ?? '');
    const place = isUnit || isVerb || isHold ? 0 : this.placeWords(tokens, i);
    if (!isUnit && !isVerb && !isHold && !this.beginsUnit(i, place)) {
      if (this.due === null && !LEADS.has(plain) && /^\p{L}/u.test(plain)) this.verb = null;
      return i + 1;
    }
    const result = this.read(i);
    if (result !== null && !this.goesOn(result)) {
      const last = Math.max(...result.tokens.map(({ index }) => index));
      const written = result.tokens.map(({ text }) => text).join(' ');
      this.add(token, Math.max(...result.tokens.map(({ end }) => end)), written, true);
      if (isVerb) this.verb = token;
      return last + 1;
    }
    if (isUnit ? !this.looksLikeOrder(i) : result === null || place > 0) return i + 1;
    const end = this.segmentEnd(token.begin);
    this.add(token, end, this.text.slice(token.begin, end), false);
    return this.indexBehind(i, end);
  }

  /**
   * True if the place at token `i`, `words` tokens long, is used as a unit without its type: a verb follows, or another
   * place in the next column.
   */
  private beginsUnit(i: number, words: number): boolean {
    const next = this.tokens[i + words];
    if (words === 0 || next === undefined) return false;
    if (VERBS.has(next.plain)) return true;
    return COLUMN.test(this.gap(this.tokens[i + words - 1], next)) && this.placeWords(this.tokens, i + words) > 0;
  }

  /** True if a province name, known or unknown, may begin within four tokens from index `from`. */
  private isNamed(from: number): boolean {
    const { tokens } = this;
    if (from < tokens.length && /^\p{L}{2}/u.test(tokens[from].text)) return true;
    for (let i = from; i < tokens.length && i < from + 4; i++) if (this.placeWords(tokens, i) > 0) return true;
    return false;
  }

  /** True if the text after an order that was read seems to belong to it, so that the reading is incomplete. */
  private goesOn({ order, tokens: read }: LeadingOrder<Placed>): boolean {
    const { tokens } = this;
    const last = read[read.length - 1];
    const [next, behind, third] = tokens.slice(last.index + 1, last.index + 4);
    if (next === undefined || !TO_WORDS.has(next.plain) || /[^\s*_`]/.test(this.gap(last, next))) return false;
    if (behind === undefined || HARD.test(this.gap(next, behind))) return order.target === null;
    if (this.placeWords(tokens, next.index + 1) > 0) return true;
    const isLastWord = third === undefined || /[\n;,"'}\]]/.test(this.gap(behind, third));
    return order.kind === 'support' && order.target === null && isLastWord;
  }

  /** True if token `i` begins a unit that is followed by a verb. Used for orders that cannot be read. */
  private looksLikeOrder(i: number): boolean {
    const { tokens } = this;
    const words = this.placeWords(tokens, i + 1);
    const name = tokens[i + 1];
    if (name === undefined || HARD.test(this.gap(tokens[i], name))) return false;
    const isSpelled = tokens[i].text.length > 1 || /^\p{Lu}{3}$/u.test(name.text);
    const behind = this.window(i)[1 + (words || 1)];
    return behind !== undefined && VERBS.has(behind.plain) && (words > 0 || isSpelled);
  }
}

// ---- which ones count ----

/** Returns the ranges [begin, end), in characters, of thoughts in an answer: parts in tags such as <think>. */
const thoughtsIn = (text: string): (readonly [number, number])[] => {
  const found: [number, number][] = [];
  let rest = text;
  for (const pattern of THOUGHTS)
    rest = rest.replace(pattern, (all, ...given) => {
      const begin = given.find((one): one is number => typeof one === 'number') ?? 0;
      found.push([begin, begin + all.length]);
      return ' '.repeat(all.length);
    });
  const ended = THOUGHTS_END.exec(rest);
  return ended === null ? found : [...found, [0, ended[0].length]];
};

/** A candidate with its interpretation as the only order of the power. */
interface Judged extends Candidate {
  readonly judged: Interpreted;
  readonly isThought: boolean;
  /** True if the order is for a unit of the power or is otherwise valid, or cannot be read. */
  readonly isOwn: boolean;
  /**
   * Identifies the ordered unit by its province. Text of the order if the power has no such unit.
   */
  readonly key: string;
  /** Block of the answer that has the order: the number of headings such as 'ORDERS:' before it. */
  readonly block: number;
}

/** True if no unit has listed orders (isListed) in both blocks of an answer. */
const areDisjoint = (one: readonly Judged[], other: readonly Judged[]): boolean => {
  const keys = new Set(one.flatMap(({ isListed, key }) => (isListed ? [key] : [])));
  return !other.some(({ isListed, key }) => isListed && keys.has(key));
};

/**
 * Splits an answer into blocks at its headings. A weak heading ("moves") starts a block only if the orders after it
 * repeat a unit of the block before.
 * @param isWeak for each heading, true if it is weak
 */
const blocksOf = (all: readonly Judged[], isWeak: readonly boolean[]): Judged[][] => {
  const blocks: Judged[][] = [[]];
  for (let block = 0, at = 0; block <= isWeak.length; block++) {
    const own: Judged[] = [];
    for (; at < all.length && all[at].block === block; at++) own.push(all[at]);
    const last = blocks[blocks.length - 1];
    if (block > 0 && isWeak[block - 1] && areDisjoint(last, own)) last.push(...own);
    else blocks.push(own);
  }
  return blocks;
};

/**
 * Returns the orders, with isListed set to false for units without a verb in an adjustment phase if the power has
 * listed orders with a verb, or if there are more such units than builds or removals due.
 */
const settleImplied = (all: readonly Judged[], due: number | null): readonly Judged[] => {
  const implied = new Set(all.flatMap(({ isImplied, isListed, key }) => (isImplied && isListed ? [key] : [])));
  const isTold = all.some(({ isImplied, isListed, isOwn }) => !isImplied && isListed && isOwn);
  const mayCount = !isTold && implied.size <= Math.abs(due ?? 0);
  return all.map((one) => (one.isImplied && !mayCount ? { ...one, isListed: false } : one));
};

/**
 * Returns the orders in sentences that count if no order is listed: certain, and not contradicted by another sentence.
 */
const undoubted = (block: readonly Judged[]): Judged[] => {
  const told = block.filter((one) => one.isOwn && !one.isDoubtful && !one.isRejected);
  const meaning = ({ judged, plain }: Judged): string => (judged.order === O.NONE ? plain : String(judged.order));
  const meanings = new Map<string, Set<string>>();
  for (const one of told) meanings.set(one.key, (meanings.get(one.key) ?? new Set()).add(meaning(one)));
  return told.filter(({ key }) => meanings.get(key)?.size === 1);
};

const whyMentioned = (one: Judged, block: ReadonlySet<Judged>, isList: boolean): string => {
  if (one.isThought) return 'in thoughts';
  if (!block.has(one)) return 'outside the final orders';
  if (one.isImplied) return 'a unit without an order';
  if (one.isDoubtful || one.isRejected) return 'in a sentence that does not order it';
  return isList ? 'in a sentence next to listed orders' : 'sentences give several orders or name a foreign unit';
};

/**
 * Finds the orders of a power in an answer.
 *
 * A listed order counts. It begins a line, sentence, table cell, JSON string or list entry, and its sentence does not
 * continue after it. A label with a colon, or words such as "I order", may precede it. A heading such as "ORDERS:"
 * starts a new block. Only the last block with a listed order for a unit of the power counts.
 *
 * Orders in sentences are only mentioned, unless no order is listed. Then an order counts if its sentence has no word
 * of doubt and no other sentence orders the unit differently. Orders in thoughts (`<think>`) are only mentioned.
 * @param reading how orders are read, as for interpretOrders()
 * @returns the orders given, valid or refused, then the orders only mentioned
 */
export const findOrders = (position: Position, power: T.Power, text: string, reading: Reading): FoundOrder[] => {
  const { map } = position.game;
  const plain = plainText(text);
  const thoughts = thoughtsIn(plain);
  const bare = plain.replace(/<\/?[a-z_]+\s*\/?>|<\|[^|\n]{0,40}\|>/gi, (tag) =>
    (tag[1] === '|' ? '\n' : ' ').padEnd(tag.length),
  );
  const { powers } = namesOf(map);
  const heads = Array.from(bare.matchAll(HEADS)).filter(
    ({ groups }) => groups?.power === undefined || powers.has(plainWord(groups.power)),
  );
  const marks = new Marks(heads.map(({ index, 0: head }) => index + head.length));
  const isThinking = new Uint8Array(plain.length);
  for (const [begin, end] of thoughts) isThinking.fill(1, begin, end);
  const due = position.game.phase === T.ADJUSTMENT ? position.due[power] : null;
  const known = new Map<string, Interpreted>();
  const judge = (order: string): Interpreted => {
    const judged = known.get(order) ?? interpretOrders(position, [[power, order]], reading)[0];
    known.set(order, judged);
    return judged;
  };
  const each = new Finder(map, bare, due).run().map((one): Judged => {
    const judged = judge(one.plain);
    const isOwn = judged.own >= 0 || judged.order !== O.NONE || !one.isReadable;
    const isThought = isThinking[one.begin] === 1;
    const key = judged.own >= 0 ? String(judged.own) : one.plain;
    return {
      ...one,
      isListed: one.isListed && !isThought,
      judged,
      isOwn,
      isThought,
      key,
      block: marks.before(one.begin),
    };
  });
  const all = settleImplied(each, due);
  const blocks = blocksOf(
    all,
    heads.map(({ groups }) => groups?.weak !== undefined),
  );
  const block =
    blocks.findLast((some) => some.some(({ isListed, isOwn }) => isListed && isOwn)) ??
    blocks.findLast((some) => some.some(({ isOwn, isThought }) => isOwn && !isThought)) ??
    blocks.findLast((some) => some.some(({ isListed }) => isListed)) ??
    [];
  const isList = block.some(({ isListed, isOwn }) => isListed && isOwn);
  const told = isList ? [] : undoubted(block.filter(({ isThought }) => !isThought));
  const promoted = new Set(told);
  const given = block.filter((one) => one.isListed || promoted.has(one)).slice(0, MOST);
  const judged = interpretOrders(
    position,
    given.map((one) => [power, one.plain]),
    reading,
  );
  const mentioned = new Map<string, FoundOrder>();
  const counting = new Set(given);
  const inBlock = new Set(block);
  for (const one of all)
    if (!counting.has(one) && (one.isReadable || one.isListed) && mentioned.size < MOST)
      mentioned.set(one.plain, { text: one.text, judged: null, reason: whyMentioned(one, inBlock, isList) });
  return [
    ...given.map(({ text: own }, i) => ({ text: own, judged: judged[i], reason: judged[i].reason })),
    ...mentioned.values(),
  ];
};
