// Follows the dark switch of the site that a page lies on. The style sheets of pages and boards ask for the reader's system
// (prefers-color-scheme); where the switch says otherwise, those questions are answered for the system.

/** Where VitePress, which makes the site, keeps its switch: 'dark', 'light' or 'auto'. */
const SWITCH = 'vitepress-theme-appearance';
const DARK = 'prefers-color-scheme: dark';

/** Rules that ask for the reader's system, found once, as they are changed later. */
const asking = new Set<CSSMediaRule>();
const searched = new WeakSet<CSSStyleSheet>();

const chosen = (): string => {
  try {
    return localStorage.getItem(SWITCH) ?? 'auto';
  } catch {
    return 'auto';
  }
};

/** Applies the switch to all style sheets of the page; called again after a sheet was added. */
export const applyTheme = (): void => {
  for (const sheet of [...document.styleSheets, ...document.adoptedStyleSheets]) {
    if (searched.has(sheet)) continue;
    searched.add(sheet);
    for (const rule of sheet.cssRules)
      if (rule instanceof CSSMediaRule && rule.media.mediaText.includes(DARK)) asking.add(rule);
  }
  const theme = chosen();
  const answer = { dark: 'all', light: 'not all' }[theme] ?? `(${DARK})`;
  // To set what is set already would make the browser work out all styles again.
  for (const { media } of asking) if (media.mediaText !== answer) media.mediaText = answer;
  document.documentElement.style.colorScheme = answer.startsWith('(') ? '' : theme;
  // Charts are drawn in colours that they have read.
  dispatchEvent(new Event('restyle'));
};

/** Follows the switch from now on: also another document, such as the page around a frame, may turn it. */
export const followTheme = (): void => {
  applyTheme();
  addEventListener('storage', applyTheme);
};
