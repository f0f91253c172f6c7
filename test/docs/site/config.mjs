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
  markdown: { theme: { light: 'github-light', dark: 'github-dark' } },
  themeConfig: {
    nav,
    sidebar,
    outline: [2, 3],
    search: { provider: 'local' },
    socialLinks: [{ icon: 'github', link: repository }],
    footer: { message: 'MIT licence' },
  },
});
