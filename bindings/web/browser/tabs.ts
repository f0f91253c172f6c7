// The sections of the panel next to the board, as tabs.
import { byId, element } from './page.js';

export const sections = ['orders', 'game', 'analysis', 'setup', 'messages'] as const;
export type Section = (typeof sections)[number];

export interface SectionTabs {
  /** Shows a section, and hides the others. */
  readonly mark: (wanted: Section) => void;
  readonly shown: () => Section;
}

/** Makes the tabs of the sections. @param open called when the user chooses a section; it must call mark() */
export const sectionTabs = (open: (wanted: Section) => void): SectionTabs => {
  let shown: Section = 'orders';

  for (const one of sections) {
    const tab = element('button', { type: 'button', role: 'tab', id: `to-${one}`, 'aria-controls': `tab-${one}` });
    tab.textContent = one[0].toUpperCase() + one.slice(1);
    tab.addEventListener('click', () => open(one));
    byId('tabs').append(tab);
    byId(`tab-${one}`).prepend(element('h2', { class: 'unseen' }, tab.textContent));
    for (const [name, value] of Object.entries({ role: 'tabpanel', 'aria-labelledby': `to-${one}` }))
      byId(`tab-${one}`).setAttribute(name, value);
  }
  byId('tabs').addEventListener('keydown', (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key] ?? 0;
    if (by === 0 || event.shiftKey) return;
    event.stopPropagation();
    open(sections[(sections.indexOf(shown) + by + sections.length) % sections.length]);
    byId(`to-${shown}`).focus();
  });

  const mark = (wanted: Section): void => {
    shown = wanted;
    for (const one of sections) {
      byId(`tab-${one}`).hidden = one !== wanted;
      const tab = byId(`to-${one}`);
      tab.setAttribute('aria-selected', String(one === wanted));
      tab.tabIndex = one === wanted ? 0 : -1;
    }
  };
  return { mark, shown: () => shown };
};
