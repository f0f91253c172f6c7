// The tokens of the DAIDE language: 16-bit words, the upper octet of which is a category.
//
//   00xx xxxx   an integer of 14 bits, two's complement
//   40          brackets
//   41          powers             50 to 57    provinces; the low bit of the category says supply centre, the next two
//   42 to 4A    words              the kind: inland, sea, coastal, with coasts of its own
//   4B          ASCII              58 to FF    never sent
//
// Powers and provinces depend on the map: representation.ts.

/** The words: a category, the number of the first in it, and names of words with numbers in a row. */
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

type Split<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Split<Rest> : Text;
type WordName = Exclude<Split<(typeof rows)[number][2]>, '-'>;

const POWER_CATEGORY = 0x41;
const TEXT_CATEGORY = 0x4b;
const FIRST_PROVINCE_CATEGORY = 0x50;
const LAST_PROVINCE_CATEGORY = 0x57;
/** Categories up to this one are integers. */
const LAST_INTEGER_CATEGORY = 0x3f;
const INTEGER_BITS = 14;

/** Every word of the language by its name, without powers and provinces. */
export const wordTokens: ReadonlyMap<string, number> = new Map(
  rows.flatMap(([category, first, names]) =>
    names.split(' ').flatMap((name, i) => (name === '-' ? [] : [[name, category * 256 + first + i]])),
  ),
);
export const Word = Object.fromEntries(wordTokens) as Readonly<Record<WordName, number>>;

const wordNames = new Map([...wordTokens].map(([name, token]) => [token, name]));

export const BRA = 0x4000;
export const KET = 0x4001;

export const MAX_INTEGER = (1 << (INTEGER_BITS - 1)) - 1;

const categoryOf = (token: number): number => token >> 8;

export const isInteger = (token: number): boolean => categoryOf(token) <= LAST_INTEGER_CATEGORY;
export const isPower = (token: number): boolean => categoryOf(token) === POWER_CATEGORY;
export const isText = (token: number): boolean => categoryOf(token) === TEXT_CATEGORY;
export const isProvince = (token: number): boolean =>
  categoryOf(token) >= FIRST_PROVINCE_CATEGORY && categoryOf(token) <= LAST_PROVINCE_CATEGORY;
export const isCoast = (token: number): boolean => categoryOf(token) === 0x46 && wordNames.has(token);
/** True for a token of a category that may never be sent. */
export const isForbidden = (token: number): boolean => categoryOf(token) > LAST_PROVINCE_CATEGORY;

/** An integer as a token. @param value at most MAX_INTEGER, at least -MAX_INTEGER - 1 */
export const integerToken = (value: number): number => value & ((1 << INTEGER_BITS) - 1);
/** The integer that a token is. */
export const integerOf = (token: number): number => (token << (32 - INTEGER_BITS)) >> (32 - INTEGER_BITS);

/** Token of a power by its number. */
export const powerToken = (power: number): number => POWER_CATEGORY * 256 + power;
/** Token of a province by its number. @param kind 0 inland, 1 sea, 2 coastal, 3 with coasts of its own */
export const provinceToken = (province: number, kind: number, isCenter: boolean): number =>
  (FIRST_PROVINCE_CATEGORY + 2 * kind + (isCenter ? 1 : 0)) * 256 + province;

/** Text as tokens. Letters that ASCII has no sign for are written '?'. */
export const textTokens = (text: string): number[] =>
  Array.from(text, (letter) => {
    const code = letter.codePointAt(0) ?? 0;
    return TEXT_CATEGORY * 256 + (code >= 0x20 && code < 0x7f ? code : 0x3f);
  });
export const textOf = (tokens: readonly number[]): string =>
  String.fromCharCode(...tokens.map((token) => token & 0xff));

export const list = (...parts: readonly (number | readonly number[])[]): number[] => [BRA, ...parts.flat(), KET];

/** YES (message) and REJ (message). */
export const yes = (message: ArrayLike<number>): number[] => [Word.YES, ...list(Array.from(message))];
export const reject = (message: ArrayLike<number>): number[] => [Word.REJ, ...list(Array.from(message))];

/** True if every bracket has its other half. */
export const isBalanced = (tokens: ArrayLike<number>): boolean => {
  let depth = 0;
  for (let i = 0; i < tokens.length; i++) {
    if (tokens[i] === BRA) depth++;
    else if (tokens[i] === KET && --depth < 0) return false;
  }
  return depth === 0;
};

/**
 * A message as people write it, with blanks between all tokens: `NME ( 'Bot' ) ( '1.0' )`.
 * @param names of powers and provinces
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
