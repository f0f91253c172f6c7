// Makes one script of a compiled module and all that it imports, so that a page needs no other file and a user's install
// no bundler. It reads what tsc writes, where every import and export begins a line, and refuses anything else.
import { readFileSync } from 'node:fs';

/** A module, read once. */
interface LinkedModule {
  readonly url: string;
  /** Modules that it imports. */
  readonly needs: readonly string[];
  /** Its body without imports and exports. */
  readonly body: string;
  /** Properties of an object that its exports are. */
  readonly exported: readonly string[];
}

const IMPORT = /^import (?:(\* as \w+|\{[^}]*\}) from )?['"]([^'"\n]+)['"];$/gm;
const EXPORT_LIST = /^export (\*|\{[^}]*\})(?: from ['"]([^'"\n]+)['"])?;$/gm;
const EXPORT = /^export (const|class|function\*?|async function) +(\w+)/gm;
/** Comments with lines of their own: most of the bytes that a page does not need. */
const COMMENTS = /^[ \t]*(?:\/\*\*[\s\S]*?\*\/|\/\/.*)\n/gm;

/** '{ a as b, c }' */
const namesIn = (list: string): [from: string, to: string][] =>
  list
    .replace(/[{}]/g, '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
    .map((item) => {
      const [from, to = from] = item.split(/\s+as\s+/);
      return [from, to];
    });

const pairs = (names: readonly [string, string][]): string =>
  names.map(([from, to]) => (from === to ? from : `${from}: ${to}`)).join(', ');

/** Turns the imports and exports of a module into constants and one `return`. */
class ModuleReader {
  declare readonly url: string;
  declare readonly needs: string[];
  /** Properties of what the module returns. */
  declare private readonly exported: string[];
  declare private readonly nameOf: (url: string) => string;

  constructor(url: string, nameOf: (url: string) => string) {
    this.url = url;
    this.needs = [];
    this.exported = [];
    this.nameOf = nameOf;
  }

  private refuse(what: string): never {
    throw new Error(`${this.url}: got "${what.slice(0, 80)}", wanted an import or export that can be linked`);
  }

  private need(specifier: string): string {
    if (!specifier.startsWith('.')) return this.refuse(specifier);
    const url = new URL(specifier, this.url).href;
    this.needs.push(url);
    return this.nameOf(url);
  }

  /** @param what '* as names', '{ a, b as c }', or nothing where the module is only run */
  private import(what: string | undefined, specifier: string): string {
    const from = this.need(specifier);
    if (what === undefined) return '';
    return what.startsWith('*') ? `const ${what.slice(5)} = ${from};` : `const { ${pairs(namesIn(what))} } = ${from};`;
  }

  private exportList(what: string, specifier: string | undefined): string {
    const from = specifier === undefined ? null : this.need(specifier);
    if (what === '*') this.exported.push(`...${from}`);
    else
      for (const [own, to] of namesIn(what))
        this.exported.push(from === null ? `${to}: ${own}` : `${to}: ${from}.${own}`);
    return '';
  }

  read(source: string): LinkedModule {
    const text = source
      .replace(COMMENTS, '')
      .replace(IMPORT, (_, what: string | undefined, specifier: string) => this.import(what, specifier))
      .replace(EXPORT_LIST, (_, what: string, specifier?: string) => this.exportList(what, specifier))
      .replace(EXPORT, (_, kind: string, name: string) => {
        this.exported.push(name);
        return `${kind} ${name}`;
      })
      .trim();
    const left = /^(?:import|export)\b.*/m.exec(text);
    if (left !== null) this.refuse(left[0]);
    const { url, needs, exported } = this;
    return { url, needs, body: text, exported };
  }
}

const linked = new Map<string, string>();

/**
 * A compiled module and all that it imports as one script, for `<script type="module">`. A name that is exported may not
 * change its value later, modules may not import in a circle, and nothing of Node or of another package may be imported.
 * @param entry a compiled module: new URL('./browser/replay-page.js', import.meta.url)
 * @throws Error that names the module and the statement that cannot be linked
 */
export const linkModules = (entry: URL): string => {
  const known = linked.get(entry.href);
  if (known !== undefined) return known;
  const names = new Map<string, string>();
  const nameOf = (url: string): string => {
    const name = names.get(url) ?? `$${names.size}`;
    names.set(url, name);
    return name;
  };
  const done = new Set<string>();
  const parts: string[] = [];
  const add = (url: string): void => {
    if (done.has(url)) return;
    done.add(url);
    const module = new ModuleReader(url, nameOf).read(readFileSync(new URL(url), 'utf8'));
    for (const needed of module.needs) add(needed);
    const { body, exported } = module;
    // The entry is last, and nobody needs what it exports: it may wait for something.
    if (url === entry.href) parts.push(body);
    else parts.push(`const ${nameOf(url)} = (() => {\n${body}\nreturn { ${exported.join(', ')} };\n})();\n`);
  };
  add(entry.href);
  const script = parts.join('');
  linked.set(entry.href, script);
  return script;
};
