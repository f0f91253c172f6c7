// A plugin of TypeDoc. Modules have the names by which users import them. What needs no docstring of its own is not missed: a
// member of a type that stands within another (`Phase.MOVEMENT`) is documented there, a setter at its getter, a rule option
// (which has no file) in the table of its kind.
//
// Its theme `site` is the default one, for readers without a mouse or without sight: headings in order, a landmark around the
// text, no link inside of a button. Its first page has the names of each module that one needs first.
import { readFileSync } from 'node:fs';
import { Comment, Converter, DefaultTheme, JSX, PageEvent, ReflectionKind } from 'typedoc';

const { exports } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
/** Names of entries by their paths without their ends: 'bindings/notation' is 'lepanto/notation'. */
const entries = new Map(
  Object.entries(exports).map(([name, path]) => [
    path.replace(/^\.\/dist\//, '').replace(/(\/index)?\.js$/, ''),
    name.replace(/^\./, 'lepanto'),
  ]),
);

const isDocumentedElsewhere = (project, reflection) => {
  const symbol = project.getSymbolIdFromReflection(reflection);
  if (reflection.hasComment() || symbol === undefined) return false;
  if (reflection.kindOf(ReflectionKind.SetSignature)) return !reflection.parent?.hasComment();
  if (!reflection.kindOf(ReflectionKind.Property)) return false;
  return reflection.parent?.kindOf(ReflectionKind.TypeLiteral) || symbol.packagePath === '';
};

/** Gives a module its name, and the first paragraph of its file as what it says of itself. */
const describe = (module) => {
  const [file] = module.sources ?? [];
  const [, head = ''] = /^\/\/ ([\s\S]*?)\n(?!\/\/ \S)/.exec(file ? readFileSync(file.fullFileName, 'utf8') : '') ?? [];
  module.name = entries.get(module.name) ?? module.name;
  module.comment ??= new Comment([{ kind: 'text', text: head.replace(/\n\/\/ /g, ' ') }]);
};

/** Files that are named in comments: a bare `README.md` would be a link to a server of that name. */
const quoteFiles = ({ comment }) => {
  for (const part of [comment?.summary ?? [], ...(comment?.blockTags ?? []).map(({ content }) => content)].flat())
    if (part.kind === 'text') part.text = part.text.replace(/(?<![\w/`.-])(?<!\]\()[\w./-]*\w\.(?:md|ts)\b(?!`)/g, '`$&`');
};

const { typescript: firstNames } = JSON.parse(readFileSync(new URL('site/first-names.json', import.meta.url), 'utf8'));

const { createElement } = JSX;

/** A list of links to modules or names. @param open module whose names stand below it */
const listOf = (context, reflections, open) =>
  createElement(
    'ul',
    { class: 'tsd-small-nested-navigation' },
    reflections.map((one) =>
      createElement(
        'li',
        null,
        createElement('a', { href: context.urlTo(one), class: one === context.page.model ? 'current' : '' }, one.name),
        one === open && listOf(context, one.children.filter((child) => context.router.hasOwnDocument(child))),
      ),
    ),
  );

class SiteTheme extends DefaultTheme {
  getRenderContext(page) {
    const context = super.getRenderContext(page);
    const shortSummary = context.commentShortSummary;
    context.commentShortSummary = (reflection) => {
      const wanted = reflection.kindOf(ReflectionKind.Module) ? (firstNames[reflection.name] ?? []) : [];
      const names = wanted.map((name) => reflection.getChildByName(name)).filter((one) => one !== undefined);
      const links = names.map((one, i) => [i > 0 && ', ', createElement('a', { href: context.urlTo(one) }, one.name)]);
      return [shortSummary(reflection), names.length > 0 && createElement('p', null, 'First: ', links)];
    };
    // The default is a tree that a script builds, of summaries with links in them.
    context.navigation = ({ project, model }) => {
      let open = model;
      while (open.parent !== undefined && !open.kindOf(ReflectionKind.Module)) open = open.parent;
      const home = createElement('a', { href: context.urlTo(project) }, project.name);
      const modules = project.children ?? [];
      return createElement('nav', { class: 'tsd-navigation', 'aria-label': 'Modules' }, home, listOf(context, modules, open));
    };
    return context;
  }
}

/** HTML of a page, with headings of which none skips a level, the text as the main part, and no link in a summary. */
const accessible = (html) => {
  const above = [];
  return html
    .replace('<div class="col-content">', '<div class="col-content" role="main">')
    .replace('<div class="page-menu">', '<div class="page-menu" role="region" aria-label="On this page">')
    .replace(/<summary[\s\S]*?<\/summary>/g, (summary) => summary.replace(/<a [^>]*tsd-anchor-icon[\s\S]*?<\/a>/g, ''))
    .replace(/<h([1-6])(?=[ >])/g, (heading, level) => {
      while (above.length > 0 && above.at(-1) >= level) above.pop();
      above.push(level);
      return above.length === Number(level) ? heading : `${heading} aria-level="${above.length}"`;
    });
};

/** @param {import('typedoc').Application} app */
export const load = (app) => {
  app.renderer.defineTheme('site', SiteTheme);
  // Without an icon a browser asks for one that is not there.
  app.renderer.hooks.on('head.end', () => createElement('link', { rel: 'icon', href: 'data:,' }));
  app.renderer.on(PageEvent.END, (page) => {
    page.contents = accessible(page.contents);
  });
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const module of project.getReflectionsByKind(ReflectionKind.Module))
      describe(module);
    for (const one of Object.values(project.reflections)) quoteFiles(one);
  });
  app.converter.on(Converter.EVENT_RESOLVE_END, ({ project }) => {
    const found = Object.values(project.reflections).filter((one) => isDocumentedElsewhere(project, one));
    app.options.setValue('intentionallyNotDocumented', [...new Set(found.map((one) => one.getFriendlyFullName()))]);
  });
};
