// Writes WebAssembly modules: as much of the binary format as kernels.ts needs (WebAssembly Core Specification 2.0,
// chapter 5). All variables are i32 or v128, and code is a list of bytes.

/** Bytes of code or of a section. */
export type Code = readonly number[];

/** LEB128 of a number that is not negative. */
const unsigned = (value: number): Code => {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  return [...bytes, rest];
};

/** LEB128 of an int32. */
const signed = (value: number): Code => {
  const bytes: number[] = [];
  let rest = value;
  for (; rest < -0x40 || rest > 0x3f; rest >>= 7) bytes.push((rest & 0x7f) | 0x80);
  return [...bytes, rest & 0x7f];
};

const named = (text: string): Code => [...unsigned(text.length), ...Array.from(text, (char) => char.charCodeAt(0))];
const vector = (items: readonly Code[]): Code => [...unsigned(items.length), ...items.flat()];
const section = (id: number, content: Code): Code => [id, ...unsigned(content.length), ...content];

const I32 = 0x7f;
const V128 = 0x7b;
const EMPTY_BLOCK = 0x40;
const SIMD = 0xfd;

// ---- instructions; each takes the code of its operands ----

export const constant = (value: number): Code => [0x41, ...signed(value)];
export const get = (variable: number): Code => [0x20, ...unsigned(variable)];
export const set = (variable: number, value: Code): Code => [...value, 0x21, ...unsigned(variable)];
export const add = (a: Code, b: Code): Code => [...a, ...b, 0x6a];
export const multiply = (a: Code, b: Code): Code => [...a, ...b, 0x6c];
/** Adds an amount to a variable. */
export const advance = (variable: number, by: Code): Code => set(variable, add(get(variable), by));
export const loadWord = (address: Code): Code => [...address, 0x28, 2, 0];
export const loadFour = (address: Code, offset = 0): Code => [...address, SIMD, 0x00, 2, ...unsigned(offset)];
/** A float of memory in all four lanes. */
export const loadSplat = (address: Code, offset = 0): Code => [...address, SIMD, 0x09, 2, ...unsigned(offset)];
export const storeFour = (address: Code, value: Code, offset = 0): Code => [
  ...address,
  ...value,
  SIMD,
  0x0b,
  2,
  ...unsigned(offset),
];
export const zeroFour: Code = [SIMD, 0x0c, ...new Array<number>(16).fill(0)];
export const addFour = (a: Code, b: Code): Code => [...a, ...b, SIMD, 0xe4, 0x01];
export const multiplyFour = (a: Code, b: Code): Code => [...a, ...b, SIMD, 0xe6, 0x01];
export const greaterFour = (a: Code, b: Code): Code => [...a, ...b, SIMD, 0xe9, 0x01];

/** Runs code while a variable is less than a limit, both unsigned; not at all if it is not. */
export const whileLess = (variable: number, limit: Code, body: Code): Code => [
  0x02,
  EMPTY_BLOCK,
  0x03,
  EMPTY_BLOCK,
  ...get(variable),
  ...limit,
  0x4f, // at or above the limit: leave
  0x0d,
  1,
  ...body,
  0x0c,
  0,
  0x0b,
  0x0b,
];

/** Runs code if a word is not 0. */
export const whenSet = (word: Code, body: Code): Code => [...word, 0x04, EMPTY_BLOCK, ...body, 0x0b];

/** A function without a result. Its variables are numbered: parameters, then words, then fours of floats. */
export interface WasmFunction {
  readonly name: string;
  readonly parameters: number;
  readonly words: number;
  readonly fours: number;
  readonly body: Code;
}

/** A module of functions that work on the memory `m.m` of whoever instantiates it. */
export const wasmModule = (functions: readonly WasmFunction[]): Uint8Array<ArrayBuffer> =>
  Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(
      1,
      vector(functions.map(({ parameters }) => [0x60, ...unsigned(parameters), ...Array(parameters).fill(I32), 0])),
    ),
    ...section(2, vector([[...named('m'), ...named('m'), 0x02, 0, 1]])),
    ...section(3, vector(functions.map((_, i) => unsigned(i)))),
    ...section(7, vector(functions.map(({ name }, i) => [...named(name), 0, ...unsigned(i)]))),
    ...section(
      10,
      vector(
        functions.map(({ words, fours, body }) => {
          const code = [
            ...vector([
              [...unsigned(words), I32],
              [...unsigned(fours), V128],
            ]),
            ...body,
            0x0b,
          ];
          return [...unsigned(code.length), ...code];
        }),
      ),
    ),
  ]);
