// Writes the page of the references: a sentence for each module, the names that one needs first, and all names, so that the
// search of the site finds them.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A public name. */
interface Name {
  readonly name: string;
  /** Path of its place in the reference, below the folder `api`. */
  readonly link: string;
  /** First sentence of its docstring. */
  readonly about: string;
}

interface Module {
  readonly name: string;
  readonly link: string;
  readonly about: string;
  readonly names: readonly Name[];
}

/** Modules as reference.py writes them. */
export type PythonModules = readonly Module[];

/** What is read of TypeDoc's JSON. */
interface Reflection {
  readonly name: string;
  readonly kind: number;
  readonly comment?: { readonly summary: readonly { readonly text: string }[] };
  readonly signatures?: readonly Reflection[];
  readonly children?: readonly Reflection[];
}

/** Names that one needs first, by language and module. */
type FirstNames = Readonly<Record<'typescript' | 'python', Readonly<Record<string, readonly string[]>>>>;

/** Folders of TypeDoc's pages, by the kind of a name. */
const folders: Readonly<Record<number, string>> = {
  32: 'variables',
  64: 'functions',
  128: 'classes',
  256: 'interfaces',
  2097152: 'types',
};

/** The first sentence of a docstring, as text that Markdown shows as it is. */
const sentenceOf = (text: string): string => {
  const [first] = text.trim().split(/(?<=\.)\s|\n\n/);
  // Code, between two backquotes, is shown as it is.
  const parts = first.replace(/\s+/g, ' ').split(/(`[^`]*`)/);
  const escaped = (part: string): string => part.replace(/[{}<>[\]*_|]/g, (letter) => `&#${letter.charCodeAt(0)};`);
  return parts.map((part, i) => (i % 2 === 1 ? part : escaped(part))).join('');
};

const commentOf = ({ comment, signatures = [] }: Reflection): string =>
  (comment ?? signatures[0]?.comment)?.summary.map(({ text }) => text).join('') ?? '';

/** The modules of TypeDoc's JSON. @param folder of its pages */
const typescriptModules = (json: string, folder: string): Module[] => {
  const { children = [] }: Reflection = JSON.parse(readFileSync(json, 'utf8'));
  return children.map((module) => {
    const page = module.name.replace('/', '_');
    const names = (module.children ?? []).flatMap((one): Name[] => {
      const link = `typescript/${folders[one.kind]}/${page}.${one.name}.html`;
      return existsSync(join(folder, link)) ? [{ name: one.name, link, about: commentOf(one) }] : [];
    });
    return { name: module.name, link: `typescript/modules/${page}.html`, about: commentOf(module), names };
  });
};

const sectionOf = ({ name, link, about, names }: Module, first: readonly string[]): string => {
  const linked = (one: Name): string => `[\`${one.name}\`](/api/${one.link})`;
  const wanted = first.map((text) => {
    const found = names.find((one) => one.name === text);
    if (found === undefined) throw new Error(`first-names.json: got ${text} for ${name}, wanted one of its names`);
    return `- ${linked(found)}: ${sentenceOf(found.about)}`.replace(/: $/, '');
  });
  // A name with a dot is a member of a class.
  const most = Math.min(5, names.filter((one) => !one.name.includes('.')).length);
  if (first.length !== most) throw new Error(`first-names.json: got ${first.length} names for ${name}, wanted ${most}`);
  const rest = names
    .filter((one) => !first.includes(one.name))
    .map((one) => `- ${linked(one)} ${sentenceOf(one.about)}`);
  const all = `::: details ${first.length > 0 ? 'All other names' : `${names.length} names`}\n${rest.join('\n')}\n:::\n`;
  return `### ${name}\n\n${sentenceOf(about)} [Its page](/api/${link}).\n\n${wanted.join('\n')}\n\n${rest.length > 0 ? all : ''}`;
};

/**
 * The Markdown of the page.
 * @param folder of the references, `api`
 * @param json TypeDoc's JSON
 */
export const referencePage = (folder: string, json: string, python: PythonModules, names: FirstNames): string => {
  const part = (language: keyof FirstNames, modules: readonly Module[]): string =>
    modules.map((module) => sectionOf(module, names[language][module.name] ?? [])).join('\n');
  return [
    '---\noutline: [2, 3]\n---\n\n# Reference\n',
    'A module has the names that one needs first, and a list of the others. Each name leads to its place in the reference.\n',
    `## TypeScript\n\n${part('typescript', typescriptModules(json, folder))}`,
    `## Python\n\n${part('python', python)}`,
  ].join('\n');
};
