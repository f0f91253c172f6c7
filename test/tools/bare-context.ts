// Runs compiled modules in a context with only the globals of the language, to show that browsers and workers of other
// engines could load them.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import * as assert from 'uvu/assert';

const script = `
  import { readFileSync } from 'node:fs';
  import vm from 'node:vm';
  const [dist, entry, code] = process.argv.slice(1);
  const context = vm.createContext(Object.create(null));
  const modules = new Map();
  const make = (text, options) => {
    if (!options.identifier.endsWith('.json')) return new vm.SourceTextModule(text, options);
    const data = vm.runInContext('(' + text + ')', context);
    return new vm.SyntheticModule(['default'], function () { this.setExport('default', data); }, options);
  };
  const load = (url) => {
    if (!modules.has(url.href))
      modules.set(url.href, make(readFileSync(url, 'utf8'), { context, identifier: url.href }));
    return modules.get(url.href);
  };
  const link = (specifier, from) => {
    if (!specifier.startsWith('.')) throw new Error(from.identifier + ' imports ' + specifier);
    return load(new URL(specifier, from.identifier));
  };
  const main = new vm.SourceTextModule("import * as e from " + JSON.stringify('./' + entry) + ";" + code, {
    context,
    identifier: dist + 'main.js',
  });
  await main.link(link);
  await main.evaluate();
  console.log(main.namespace.answer);
`;

/**
 * Evaluates code in which `e` is a compiled module.
 * @param entry its path below dist/
 * @param code a module in dist/, that may import others of it, and must export `answer`
 * @returns the answer as text
 */
export const runBare = (entry: string, code: string): string => {
  const dist = new URL('../../', import.meta.url).href;
  const flags = ['--experimental-vm-modules', '--no-warnings', '--input-type=module', '--eval', script];
  const child = spawnSync(process.execPath, [...flags, dist, entry, code], {
    encoding: 'utf8',
    cwd: fileURLToPath(new URL('../../../', import.meta.url)),
  });
  assert.is(child.stderr, '');
  return child.stdout.trimEnd();
};
