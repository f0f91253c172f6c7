// A plugin of TypeDoc: what needs no docstring of its own. A member of a type that stands within another (`Phase.MOVEMENT`)
// is documented there, a setter at its getter, a rule option (which has no file) in the table of its kind.
import { Converter, ReflectionKind } from 'typedoc';

const isDocumentedElsewhere = (project, reflection) => {
  const symbol = project.getSymbolIdFromReflection(reflection);
  if (reflection.hasComment() || symbol === undefined) return false;
  if (reflection.kindOf(ReflectionKind.SetSignature)) return !reflection.parent?.hasComment();
  if (!reflection.kindOf(ReflectionKind.Property)) return false;
  return reflection.parent?.kindOf(ReflectionKind.TypeLiteral) || symbol.packagePath === '';
};

/** @param {import('typedoc').Application} app */
export const load = (app) => {
  app.converter.on(Converter.EVENT_RESOLVE_END, ({ project }) => {
    const found = Object.values(project.reflections).filter((one) => isDocumentedElsewhere(project, one));
    app.options.setValue('intentionallyNotDocumented', [...new Set(found.map((one) => one.getFriendlyFullName()))]);
  });
};
