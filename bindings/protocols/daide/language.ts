// Tokens of the DAIDE language: 16-bit words whose upper octet is a category.
//
//   00xx xxxx   integer of 14 bits, two's complement
//   40          brackets
//   41          powers             50 to 57    provinces; low bit of the category: supply centre, next two
//   42 to 4A    words              bits: 0 inland, 1 sea, 2 coastal, 3 with separate coasts
//   4B          ASCII              58 to FF    never sent
//
// Tokens of powers and provinces depend on the map: see representation.ts.

/** Words of the language in rows: category, code of the first word, and names of consecutive words ('-' skips one). */
const rows = [
  [0x42, 0x00, 'AMY FLT'],
  [0x43, 0x20, 'CTO CVY HLD MTO SUP VIA'],
  [0x43, 0x40, 'DSB RTO'],
  [0x43, 0x80, 'BLD REM WVE'],
  [0x44, 0x00, 'MBV BPR CST ESC FAR HSC NAS NMB NMR NRN NRS NSA NSC NSF NSP'],
  [0x44, 0x10, 'NSU NVR NYU YSC'],
  [0x45, 0x00, 'SUC BNC CUT DSR FLD NSO RET'],
  [0x46, 0x00, 'NCS - NEC - ECS - SEC - SCS - SWC - WCS - NWC'],
  [0x47, 0x00, 'SPR SUM FAL AUT WIN'],
  [0x48, 0x00, 'CCD DRW FRM GOF HLO HST HUH IAM LOD MAP MDF MIS NME NOT NOW OBS OFF ORD OUT PRN REJ SCO SLO SND SUB'],
  [0x48, 0x19, 'SVE THX TME YES ADM SMR'],
  [0x49, 0x00, 'AOA BTL ERR LVL MRT MTL NPB NPR PDA PTL RTL UNO - DSD'],
  [0x4a, 0x00, 'ALY AND BWX DMZ ELS EXP FWD FCT FOR HOW IDK IFF INS - OCC ORR PCE POB - PRP QRY SCD SRY SUG THK THN'],
  [0x4a, 0x1a, 'TRY - VSS WHT WHY XDO XOY YDO CHO BCC UNT'],
] as const;

/** Union of the words in a text of words that are separated by blanks. */
type Split<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Split<Rest> : Text;
type WordName = Exclude<Split<(typeof rows)[number][2]>, '-'>;

const POWER_CATEGORY = 0x41;
const TEXT_CATEGORY = 0x4b;
const FIRST_PROVINCE_CATEGORY = 0x50;
const LAST_PROVINCE_CATEGORY = 0x57;
/** Highest category (upper octet) of tokens that are integers. */
const LAST_INTEGER_CATEGORY = 0x3f;
const INTEGER_BITS = 14;

/** Tokens of all words, by name. Powers and provinces are not included. */
export const wordTokens: ReadonlyMap<string, number> = new Map(
  rows.flatMap(([category, first, names]) =>
    names.split(' ').flatMap((name, i) => (name === '-' ? [] : [[name, category * 256 + first + i]])),
  ),
);
/** Tokens of the words as properties: Word.NME. */
export const Word = Object.fromEntries(wordTokens) as Readonly<Record<WordName, number>>;

const wordNames = new Map([...wordTokens].map(([name, token]) => [token, name]));

/** Token of the opening bracket (BRA) and of the closing bracket (KET). */
export const BRA = 0x4000;
export const KET = 0x4001;

/** Largest integer that a token can hold: 8191. */
export const MAX_INTEGER = (1 << (INTEGER_BITS - 1)) - 1;

const categoryOf = (token: number): number => token >> 8;

export const isInteger = (token: number): boolean => categoryOf(token) <= LAST_INTEGER_CATEGORY;
export const isPower = (token: number): boolean => categoryOf(token) === POWER_CATEGORY;
export const isText = (token: number): boolean => categoryOf(token) === TEXT_CATEGORY;
export const isProvince = (token: number): boolean =>
  categoryOf(token) >= FIRST_PROVINCE_CATEGORY && categoryOf(token) <= LAST_PROVINCE_CATEGORY;
export const isCoast = (token: number): boolean => categoryOf(token) === 0x46 && wordNames.has(token);
/** True for a token of a category that may never be sent (58 to FF). */
export const isForbidden = (token: number): boolean => categoryOf(token) > LAST_PROVINCE_CATEGORY;

/** Returns the token of an integer. @param value -MAX_INTEGER - 1 to MAX_INTEGER */
export const integerToken = (value: number): number => value & ((1 << INTEGER_BITS) - 1);
/** Returns the integer that an integer token stands for, -MAX_INTEGER - 1 to MAX_INTEGER. */
export const integerOf = (token: number): number => (token << (32 - INTEGER_BITS)) >> (32 - INTEGER_BITS);

/** Returns the token of a power. @param power index of the power */
export const powerToken = (power: number): number => POWER_CATEGORY * 256 + power;
/**
 * Returns the token of a province.
 * @param kind 0 inland, 1 sea, 2 coastal, 3 with separate coasts
 * @param isCenter true for a supply centre
 */
export const provinceToken = (province: number, kind: number, isCenter: boolean): number =>
  (FIRST_PROVINCE_CATEGORY + 2 * kind + (isCenter ? 1 : 0)) * 256 + province;

/** Returns the tokens of a text. Characters that are not printable ASCII become '?'. */
export const textTokens = (text: string): number[] =>
  Array.from(text, (letter) => {
    const code = letter.codePointAt(0) ?? 0;
    return TEXT_CATEGORY * 256 + (code >= 0x20 && code < 0x7f ? code : 0x3f);
  });
/** Returns the text that ASCII tokens spell: the character of the lower octet of each token. */
export const textOf = (tokens: readonly number[]): string =>
  String.fromCharCode(...tokens.map((token) => token & 0xff));

/** Returns all tokens of `parts`, in one pair of brackets. */
export const list = (...parts: readonly (number | readonly number[])[]): number[] => [BRA, ...parts.flat(), KET];

/** yes() returns the tokens of YES (message), reject() those of REJ (message). */
export const yes = (message: ArrayLike<number>): number[] => [Word.YES, ...list(Array.from(message))];
export const reject = (message: ArrayLike<number>): number[] => [Word.REJ, ...list(Array.from(message))];

/** True if every bracket in the tokens of a message has its counterpart. */
export const isBalanced = (tokens: ArrayLike<number>): boolean => {
  let depth = 0;
  for (let i = 0; i < tokens.length; i++) {
    if (tokens[i] === BRA) depth++;
    else if (tokens[i] === KET && --depth < 0) return false;
  }
  return depth === 0;
};

/**
 * Formats a message as text, with blanks between all tokens: `NME ( 'Bot' ) ( '1.0' )`.
 * @param names names of powers and provinces, keyed by token
 */
export const formatMessage = (tokens: ArrayLike<number>, names: ReadonlyMap<number, string>): string => {
  const nameOf = (token: number): string => {
    if (isInteger(token)) return String(integerOf(token));
    const known = token === BRA ? '(' : token === KET ? ')' : (names.get(token) ?? wordNames.get(token));
    return known ?? `#${token.toString(16).toUpperCase().padStart(4, '0')}`;
  };
  const parts: string[] = [];
  for (let i = 0; i < tokens.length; i++) {
    const begin = i;
    while (i < tokens.length && isText(tokens[i])) i++;
    if (i > begin) parts.push(`'${textOf(Array.from(tokens).slice(begin, i--))}'`);
    else parts.push(nameOf(tokens[i]));
  }
  return parts.join(' ');
};
