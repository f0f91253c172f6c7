// The configuration of VitePress. make-site.ts writes what it finds in the repository to site.json, next to the pages.
import { readFileSync } from 'node:fs';
import { defineConfig } from 'vitepress';

const { base, repository, sidebar, nav } = JSON.parse(readFileSync(new URL('../site.json', import.meta.url), 'utf8'));

export default defineConfig({
  title: 'Lepanto',
  description: 'A simulation engine for bots that play the board game Diplomacy',
  lang: 'en',
  base,
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  appearance: true,
  // Pages of TypeDoc and pdoc, and files of the repository, are not Markdown: a test follows links to them.
  ignoreDeadLinks: [/\/(api|files)\//],
  markdown: { theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' } },
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
              /^(?:bots?|agents?)$/.test(term) && /start[^#]*#bots|PROTOCOL[^#]*#the-protocol-of-agents/.test(id) ? 60 : 1,
          },
        },
      },
    },
    socialLinks: [{ icon: 'github', link: repository }],
    footer: { message: 'MIT licence' },
  },
});
