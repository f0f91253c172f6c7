// A plugin of TypeDoc. Modules have the names by which users import them. What needs no docstring of its own is not missed: a
// member of a type that stands within another (`Phase.MOVEMENT`) is documented there, a setter at its getter, a rule option
// (which has no file) in the table of its kind.
import { readFileSync } from 'node:fs';
import { Comment, Converter, ReflectionKind } from 'typedoc';

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

/** @param {import('typedoc').Application} app */
export const load = (app) => {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const module of project.getReflectionsByKind(ReflectionKind.Module))
      describe(module);
  });
  app.converter.on(Converter.EVENT_RESOLVE_END, ({ project }) => {
    const found = Object.values(project.reflections).filter((one) => isDocumentedElsewhere(project, one));
    app.options.setValue('intentionallyNotDocumented', [...new Set(found.map((one) => one.getFriendlyFullName()))]);
  });
};
