// Applies the theme switch of the site that contains the page. Style sheets of pages and boards use the media query
// prefers-color-scheme. If the switch differs from the system, these media queries are replaced by constant ones.

/** Key of the theme switch in the browser's local storage. VitePress sets it to 'dark', 'light' or 'auto'. */
const SWITCH = 'vitepress-theme-appearance';
const DARK = 'prefers-color-scheme: dark';

/**
 * Rules of style sheets with prefers-color-scheme. They are found only once, because their media queries are changed
 * later.
 */
const asking = new Set<CSSMediaRule>();
const searched = new WeakSet<CSSStyleSheet>();

const chosen = (): string => {
  try {
    return localStorage.getItem(SWITCH) ?? 'auto';
  } catch {
    return 'auto';
  }
};

/**
 * Applies the theme switch to all style sheets of the page, and has charts redrawn. Call it again after adding a sheet.
 */
export const applyTheme = (): void => {
  for (const sheet of [...document.styleSheets, ...document.adoptedStyleSheets]) {
    if (searched.has(sheet)) continue;
    searched.add(sheet);
    for (const rule of sheet.cssRules)
      if (rule instanceof CSSMediaRule && rule.media.mediaText.includes(DARK)) asking.add(rule);
  }
  const theme = chosen();
  const answer = { dark: 'all', light: 'not all' }[theme] ?? `(${DARK})`;
  // Writes only media queries that differ, because each change makes the browser recompute all styles.
  for (const { media } of asking) if (media.mediaText !== answer) media.mediaText = answer;
  document.documentElement.style.colorScheme = answer.startsWith('(') ? '' : theme;
  // Charts must be redrawn, because they read colours when they are drawn.
  dispatchEvent(new Event('restyle'));
};

/** Applies the theme switch now, and when another document changes it, such as the page around a frame. */
export const followTheme = (): void => {
  applyTheme();
  addEventListener('storage', applyTheme);
};
