// Colours of powers and themes, and the style sheet of a board.
//
// The colours themselves, and how they were found, are in colours.json; the rules of the sheet are in style.json. Names,
// shapes of units and, on maps of many powers, codes and patterns tell the rest, so that no two powers are told apart by
// colour alone.
import colours from './colours.json' with { type: 'json' };
import style from './style.json' with { type: 'json' };

/** Themes of a board; `auto` follows the reader's system. */
export const themes = ['light', 'dark', 'auto'] as const;
/** One of themes. */
export type Theme = (typeof themes)[number];

const ownColours: Readonly<Record<string, string>> = colours.powers;
const onDark: Readonly<Record<string, string>> = colours.onDark;
const ownLand: Readonly<Record<string, string>> = colours.land;
const anyColours: readonly string[] = colours.any;
/** Colours of everything but powers. */
export const { paper } = colours;

/** How the areas of a power are filled, where there are more powers than colours. */
export const patterns = ['plain', 'stripes', 'dots', 'waves'] as const;
/** One of patterns, or of the further ones of DrawOptions.patterns. */
export type Pattern = (typeof patterns)[number] | 'checks' | 'backs' | 'rings' | 'bars' | 'posts';
const textures: readonly Pattern[] = [...patterns, 'checks', 'backs', 'rings', 'bars', 'posts'];

/** How the things of a power look. */
export interface PowerLook {
  /** Colour of its units on light paper: '#c13a1c'. */
  readonly light: string;
  /** The same on dark paper. */
  readonly dark: string;
  /** How its land is filled. */
  readonly pattern: Pattern;
  /** On its units, on maps of more powers than there are colours: three letters; null elsewhere. */
  readonly code: string | null;
}

const look = (light: string, pattern: Pattern, code: string | null): PowerLook => ({
  light,
  dark: onDark[light] ?? light,
  pattern,
  code,
});

/** A code for each power: its home's tag where it has one home, else the first letters of its name that are free. */
const codesOf = (names: readonly string[], homes: readonly string[]): string[] => {
  const taken = new Set<string>();
  return names.map((name, i) => {
    const letters = name.toUpperCase().replace(/[^\p{L}\p{N}]/gu, '');
    const tries = [homes[i] ?? '', letters.slice(0, 3)];
    for (let k = 2; k < letters.length; k++) tries.push(letters.slice(0, 2) + letters[k]);
    const code = tries.find((one) => one.length === 3 && !taken.has(one)) ?? String(i + 1);
    taken.add(code);
    return code;
  });
};

/** How the powers of a map look, by their numbers. @param homes tags of their home centres, for their codes */
export const looksOf = (names: readonly string[], homes: readonly string[]): PowerLook[] => {
  if (names.every((name) => Object.hasOwn(ownColours, name))) {
    const own = names.map((name) => ownColours[name]);
    if (new Set(own).size === names.length) return own.map((colour) => look(colour, 'plain', null));
  }
  const codes = names.length > anyColours.length ? codesOf(names, homes) : null;
  return names.map((_, i) =>
    look(
      anyColours[i % anyColours.length],
      patterns[Math.floor(i / anyColours.length) % patterns.length],
      codes?.[i] ?? null,
    ),
  );
};

/** The same looks with a pattern for each power, where colours alone would tell them apart. */
export const withPatterns = (looks: readonly PowerLook[]): readonly PowerLook[] =>
  looks.some(({ pattern }) => pattern !== 'plain')
    ? looks
    : looks.map((one, i) => ({ ...one, pattern: textures[i % textures.length] }));

export type Rgb = readonly [number, number, number];

/** '#c13a1c' as numbers from 0 to 255. */
export const rgbOf = (hex: string): Rgb => [
  Number.parseInt(hex.slice(1, 3), 16),
  Number.parseInt(hex.slice(3, 5), 16),
  Number.parseInt(hex.slice(5, 7), 16),
];

/** Some of one colour in another: t = 0 is the first. */
export const mixColours = (a: string, b: string, t: number): string => {
  const to = rgbOf(b);
  return `#${rgbOf(a)
    .map((v, i) =>
      Math.round(v + (to[i] - v) * t)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`;
};

/** Relative luminance, from 0 to 1. */
export const luminanceOf = (hex: string): number => {
  const [r, g, b] = rgbOf(hex).map((v) => (v <= 10 ? v / 3294.6 : ((v / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};

type Shade = keyof typeof paper;

/** The colour of the land of a power. Dark colours get more paper, so that names are read on them. */
export const tintOf = (power: PowerLook, shade: Shade): string => {
  const colour = power[shade];
  if (shade === 'light' && Object.hasOwn(ownLand, colour)) return ownLand[colour];
  const pale = shade === 'light' ? 0.38 + 0.1 * Math.max(0, 1 - luminanceOf(colour) / 0.25) : 0.38;
  return mixColours(colour, paper[shade].land, pale);
};

/** The colour of the lines of a power, which are seen on its own land and on paper. */
export const strokeOf = (power: PowerLook, shade: Shade): string =>
  shade === 'dark' ? mixColours(power.dark, '#ffffff', 0.25) : mixColours(power.light, '#000000', 0.28);

type Colours = Readonly<Record<string, string>>;

/** Rules of style.json. @param number written behind each selector */
const sheetOf = (scope: string, rules: Colours, colours: Colours = {}, number = ''): string =>
  Object.entries(rules)
    .map(([selector, css]) => `.${scope} ${selector}${number}{${css.replace(/\$(\w+)/g, (_, name) => colours[name])}}`)
    .join('');

const coloursOf = (power: PowerLook, shade: Shade): Colours => ({
  own: power[shade],
  tint: tintOf(power, shade),
  last: mixColours(tintOf(power, shade), paper[shade].land, 0.52),
  glyph: luminanceOf(power[shade]) > 0.35 ? '#1b1d20' : '#ffffff',
  stroke: strokeOf(power, shade),
});

/**
 * The style sheet of a board: classes `oN` land of power N, `iN` land where it was last, `uN` a unit, `gN` what is drawn
 * on a unit, `aN` a line, `hN` an arrowhead. No variables, so that simple renderers read it.
 * @param scope class of the board, so that boards of several maps and themes live in one page
 */
export const styleOf = (looks: readonly PowerLook[], scope: string, theme: Theme): string => {
  const themed = (shade: Shade): string =>
    sheetOf(scope, style.paper, paper[shade]) +
    looks.map((power, i) => sheetOf(scope, style.powers, coloursOf(power, shade), String(i))).join('');
  const shapes = sheetOf(scope, style.shapes);
  if (theme !== 'auto') return shapes + themed(theme);
  return `${shapes}${themed('light')}@media (prefers-color-scheme:dark){${themed('dark')}}`;
};

/** Patterns as images of CSS and as dashes of a line, for the legends of pages. */
const inLegends: Readonly<Record<Exclude<Pattern, 'plain'>, readonly [image: string, dashes: string]>> = {
  stripes: ['repeating-linear-gradient(135deg,#fffb 0 2px,#0000 2px 5px)', '7 3'],
  dots: ['radial-gradient(circle,#fffc 1.2px,#0000 1.6px) 0 0/4px 4px', '2 3'],
  waves: ['repeating-radial-gradient(circle at 50% 0,#fffb 0 1.5px,#0000 1.5px 4.5px)', '9 3 2 3'],
  checks: [
    'repeating-linear-gradient(#fffb 0 1.5px,#0000 0 5px),repeating-linear-gradient(90deg,#fffb 0 1.5px,#0000 0 5px)',
    '4 2',
  ],
  backs: ['repeating-linear-gradient(45deg,#fffb 0 2px,#0000 2px 5px)', '7 2 2 2'],
  rings: ['radial-gradient(circle,#0000 1.6px,#fffc 2px 3.2px,#0000 3.6px)', '5 5'],
  bars: ['repeating-linear-gradient(#fffb 0 2px,#0000 2px 5px)', '10 2'],
  posts: ['repeating-linear-gradient(90deg,#fffb 0 2px,#0000 2px 5px)', '3 2'],
};

/**
 * Classes `p0`, `p1`, … that set variables of CSS to the look of a power: --power its colour on the board, and, where its
 * land has a pattern, --pattern as a background and --dashes as a stroke-dasharray.
 */
export const powerStyle = (looks: readonly PowerLook[]): string => {
  const rules = (shade: 'light' | 'dark'): string => looks.map((look, i) => `.p${i}{--power:${look[shade]}}`).join('');
  const shapes = looks.map(({ pattern }, i) => {
    if (pattern === 'plain') return '';
    const [image, dashes] = inLegends[pattern];
    return `.p${i}{--pattern:${image};--dashes:${dashes}}`;
  });
  return `${rules('light')}${shapes.join('')}@media(prefers-color-scheme:dark){${rules('dark')}}`;
};
