import { withBase } from 'vitepress';
import theme from 'vitepress/theme';
import { h } from 'vue';
import './tokens.css';
import './style.css';

/** Page for an address that leads nowhere. */
const NotFound = () =>
  h('main', { class: 'not-found' }, [
    h('h1', 'There is no such page'),
    h('p', [
      'It may have moved: search for it, or begin at ',
      h('a', { href: withBase('/') }, 'the start'),
      ', ',
      h('a', { href: withBase('/start.html') }, 'First steps'),
      ' or ',
      h('a', { href: withBase('/api.html') }, 'the reference'),
      '.',
    ]),
  ]);

export default { extends: theme, Layout: () => h(theme.Layout, null, { 'not-found': NotFound }) };
