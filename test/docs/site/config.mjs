// The configuration of VitePress. make-site.ts writes what it finds in the repository to site.json, next to the pages.
import { readFileSync } from 'node:fs';
import { defineConfig } from 'vitepress';

const { base, repository, sidebar, nav } = JSON.parse(readFileSync(new URL('../site.json', import.meta.url), 'utf8'));

/** The corner of a table is a cell where it has no text: a heading without a text is none. */
const withoutEmptyHeads = ({ tokens }) => {
  tokens.forEach((token, i) => {
    if (token.type !== 'th_open' || tokens[i + 1].content !== '') return;
    token.tag = 'td';
    tokens[i + 2].tag = 'td';
  });
};

/**
 * What VitePress's components lack for readers who do not see them, by their files: the keys on the button of the search are no
 * part of its name (style.css shows them), and a home page is the main part of its document.
 */
const changes = {
  'VPNavBarSearchButton.vue': ['>K</kbd>', '></kbd>'],
  'VPHome.vue': ['class="VPHome"', 'class="VPHome" role="main"'],
};
const accessible = {
  name: 'accessible',
  enforce: 'pre',
  transform(code, id) {
    const change = changes[id.split('/').at(-1)];
    if (change === undefined) return undefined;
    if (!code.includes(change[0])) throw new Error(`${id}: got no ${change[0]}, wanted it for readers who do not see it`);
    return code.replace(...change);
  },
};

export default defineConfig({
  title: 'Lepanto',
  description: 'A simulation engine for bots that play the board game Diplomacy',
  lang: 'en',
  base,
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  appearance: true,
  // Pages of TypeDoc and pdoc, and files of the repository, are not Markdown: a test follows links to them.
  ignoreDeadLinks: [/\/(api|files)\//],
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config: (markdown) => markdown.core.ruler.push('empty-heads', withoutEmptyHeads),
  },
  vite: { plugins: [accessible] },
  themeConfig: {
    nav,
    sidebar,
    outline: [2, 3],
    search: {
      provider: 'local',
      options: {
        miniSearch: {
          options: {
            // VitePress takes this function along as text: it uses nothing outside of it. Words of questions find nothing.
            processTerm: (term) => (/^(?:how|to|an?|the|is|are|of|in|do|does|i|with|for|and|what)$/i.test(term) ? null : term.toLowerCase()),
          },
          searchOptions: {
            // Whoever asks for bots finds first how to write one.
            boostDocument: (id, term) =>
              /^(?:bots?|agents?)$/.test(term) && /start[^#]*#a-bot-of-your-own|BOT-PROTOCOL[^#]*#bot-protocol/.test(id) ? 60 : 1,
          },
        },
      },
    },
    socialLinks: [{ icon: 'github', link: repository }],
    footer: { message: 'MIT licence' },
  },
});
