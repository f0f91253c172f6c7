// Runs some tests of a file alone. `test/run.ts --title PATTERN` preloads this module: test files then get this suite()
// in place of that of uvu, which skips each test whose title does not match the pattern in LEPANTO_TITLE.
import { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';
import { suite as suiteOfUvu, type Test } from 'uvu';

type Resolve = (specifier: string, context: { readonly parentURL?: string }) => unknown;

/** Hook of Node's loader: resolves 'uvu' to this module, but for the import above. */
export const resolve = (specifier: string, context: { readonly parentURL?: string }, next: Resolve): unknown =>
  next(specifier === 'uvu' && context.parentURL !== import.meta.url ? import.meta.url : specifier, context);

if (isMainThread) register(import.meta.url);

const wanted = new RegExp(process.env.LEPANTO_TITLE ?? '', 'i');

/** A suite that runs only tests with a matching title, and its hooks only if there is one. */
export const suite = (name: string): Test => {
  const own = suiteOfUvu(name);
  const hooks: (() => void)[] = [];
  let chosen = 0;
  const add: Test['skip'] = (title, test) => {
    if (!wanted.test(title ?? '')) return own.skip(title, test);
    chosen++;
    own(title as string, test as () => void);
  };
  const hook = (set: (handler: () => void) => void) => (handler: () => void) => {
    hooks.push(() => set(handler));
  };
  return Object.assign(add, {
    only: add,
    skip: own.skip,
    before: Object.assign(hook(own.before), { each: hook(own.before.each) }),
    after: Object.assign(hook(own.after), { each: hook(own.after.each) }),
    run: () => {
      if (chosen > 0) for (const set of hooks) set();
      own.run();
    },
  }) as unknown as Test;
};
