// Colours of powers and themes, and the style sheet of a board.
//
// colours.json has the colours and explains how they were chosen; style.json has the rules of the style sheet. Powers
// never differ by colour alone: they also have names, shapes of units and, on maps with many powers, codes and
// patterns.
import colours from './colours.json' with { type: 'json' };
import style from './style.json' with { type: 'json' };

/** Themes of a board. `auto` follows the system of the reader. */
export const themes = ['light', 'dark', 'auto'] as const;
/** A theme of a board. */
export type Theme = (typeof themes)[number];

const ownColours: Readonly<Record<string, string>> = colours.powers;
const onDark: Readonly<Record<string, string>> = colours.onDark;
const ownLand: Readonly<Record<string, string>> = colours.land;
const anyColours: readonly string[] = colours.any;
/** Colours of everything except powers. */
export const { paper } = colours;

/** Fills for the areas of powers, used if there are more powers than colours. */
export const patterns = ['plain', 'stripes', 'dots', 'waves'] as const;
/** A fill for the areas of a power. checks, backs, rings, bars and posts are used with DrawOptions.patterns only. */
export type Pattern = (typeof patterns)[number] | 'checks' | 'backs' | 'rings' | 'bars' | 'posts';
const textures: readonly Pattern[] = [...patterns, 'checks', 'backs', 'rings', 'bars', 'posts'];

/** Appearance of a power. */
export interface PowerLook {
  /** Colour of the power's units in the light theme: '#c13a1c'. */
  readonly light: string;
  /** Colour of the power's units in the dark theme. */
  readonly dark: string;
  /** Pattern that fills the power's land; 'plain' for none. */
  readonly pattern: Pattern;
  /** Code of three letters on the power's units, on maps with more powers than colours. Null on other maps. */
  readonly code: string | null;
}

const look = (light: string, pattern: Pattern, code: string | null): PowerLook => ({
  light,
  dark: onDark[light] ?? light,
  pattern,
  code,
});

/**
 * Returns a code for each power, indexed by power: the first of these that has three letters and is no earlier power's
 * code: the tag of its home centre, letters of its name. A power without such a code gets its number, from 1.
 * @param names names of the powers
 * @param homes tag of a home centre of each power, indexed by power
 */
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

/**
 * Returns the appearance of each power of a map, indexed by power.
 * @param names names of the powers
 * @param homes tag of a home centre of each power, indexed by power; preferred as its PowerLook.code
 */
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

/** Returns looks with a different pattern for each power. Looks that already have patterns are returned unchanged. */
export const withPatterns = (looks: readonly PowerLook[]): readonly PowerLook[] =>
  looks.some(({ pattern }) => pattern !== 'plain')
    ? looks
    : looks.map((one, i) => ({ ...one, pattern: textures[i % textures.length] }));

/** A colour as red, green and blue, each 0 to 255. */
export type Rgb = readonly [number, number, number];

/** Parses a colour such as '#c13a1c' to red, green and blue. */
export const rgbOf = (hex: string): Rgb => [
  Number.parseInt(hex.slice(1, 3), 16),
  Number.parseInt(hex.slice(3, 5), 16),
  Number.parseInt(hex.slice(5, 7), 16),
];

/** Returns the mix of two colours ('#rrggbb'). @param t share of `b`, 0 to 1 */
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

/** Returns the relative luminance of a colour ('#rrggbb'), 0 for black to 1 for white. */
export const luminanceOf = (hex: string): number => {
  const [r, g, b] = rgbOf(hex).map((v) => (v <= 10 ? v / 3294.6 : ((v / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};

type Shade = keyof typeof paper;

/** Returns the colour of a power's land. Dark colours are mixed with more paper, so that names remain legible. */
export const tintOf = (power: PowerLook, shade: Shade): string => {
  const colour = power[shade];
  if (shade === 'light' && Object.hasOwn(ownLand, colour)) return ownLand[colour];
  const pale = shade === 'light' ? 0.38 + 0.1 * Math.max(0, 1 - luminanceOf(colour) / 0.25) : 0.38;
  return mixColours(colour, paper[shade].land, pale);
};

/** Returns the colour of a power's lines. It is visible both on paper and on the power's land. */
export const strokeOf = (power: PowerLook, shade: Shade): string =>
  shade === 'dark' ? mixColours(power.dark, '#ffffff', 0.25) : mixColours(power.light, '#000000', 0.28);

type Colours = Readonly<Record<string, string>>;

/**
 * Returns rules as CSS text.
 * @param scope class under which the rules apply
 * @param rules declarations with placeholders ($name), keyed by selector, as in style.json
 * @param number number of the power, appended to each selector
 * @param colours values of the placeholders in the rules
 */
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
 * Returns the style sheet of a board. Classes: `oN` land of power N, `iN` land that it owned last, `uN` a unit, `gN`
 * the symbol on a unit, `aN` a line, `hN` an arrowhead. Uses no CSS variables, so that simple renderers support it.
 * @param scope class of the board's root element; several boards can share a page
 */
export const styleOf = (looks: readonly PowerLook[], scope: string, theme: Theme): string => {
  const themed = (shade: Shade): string =>
    sheetOf(scope, style.paper, paper[shade]) +
    looks.map((power, i) => sheetOf(scope, style.powers, coloursOf(power, shade), String(i))).join('');
  const shapes = sheetOf(scope, style.shapes);
  if (theme !== 'auto') return shapes + themed(theme);
  return `${shapes}${themed('light')}@media (prefers-color-scheme:dark){${themed('dark')}}`;
};

/** Patterns in legends. image: CSS background image of an area; dashes: stroke-dasharray of a line. */
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
 * Returns CSS classes `p0`, `p1`, … that set variables to the appearance of a power: --power is its colour on the
 * board. If its land has a pattern, --pattern is a background and --dashes a stroke-dasharray.
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
