// Runs ruff and mypy on the Python package, its tests and its examples.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const project = fileURLToPath(new URL('../../../bindings/python/', import.meta.url));

/** Modules whose types mypy must find, or it reports them as missing. */
const TYPED = 'mypy, numpy, gymnasium';

/** What each check runs, behind the Python or the program that runs it. */
const checks = {
  'ruff check': ['check', '--no-cache', '.'],
  'ruff format': ['format', '--no-cache', '--check', '.'],
  'mypy --strict': ['-m', 'mypy', '--config-file', 'pyproject.toml'],
} as const;

export type StyleCheck = keyof typeof checks;

export interface StyleTool {
  readonly name: StyleCheck;
  /** A program and its first arguments; undefined if there is none. */
  readonly command?: readonly string[];
  /** Why there is none; '' if there is one. */
  readonly missing: string;
}

const works = ([program, ...args]: readonly string[]): boolean => spawnSync(program, args).status === 0;

/**
 * Finds ruff and mypy: those of a Python, else those of LEPANTO_PYTHON, a virtual environment of the project and the PATH.
 * @param given path of a Python
 */
export const styleTools = (given?: string): StyleTool[] => {
  const own = ['../../.venv/bin/python', '.venv/bin/python'].map((path) => join(project, path));
  const pythons = given === undefined ? [process.env.LEPANTO_PYTHON ?? 'python3', ...own] : [given];
  const modules = pythons.map((python) => [python, '-m', 'ruff']);
  const ruff = [...(given === undefined ? [['ruff']] : []), ...modules].find((one) => works([...one, '--version']));
  const typed = pythons.find((python) => works([python, '-c', `import ${TYPED}`]));
  const entry = (name: StyleCheck, command: readonly string[] | undefined, wanted: string): StyleTool =>
    command === undefined ? { name, missing: `no ${wanted}` } : { name, command, missing: '' };
  return [
    entry('ruff check', ruff, 'ruff on the PATH or in a python3'),
    entry('ruff format', ruff, 'ruff on the PATH or in a python3'),
    entry('mypy --strict', typed === undefined ? undefined : [typed], `python3 that has ${TYPED}`),
  ];
};

/** Runs a check. Returns what it found; '' if nothing. */
export const checkStyle = (name: StyleCheck, [program, ...args]: readonly string[]): string => {
  const done = spawnSync(program, [...args, ...checks[name]], { cwd: project, encoding: 'utf8', timeout: 300_000 });
  return done.status === 0 ? '' : (done.error?.message ?? `${done.stdout}${done.stderr}`);
};
