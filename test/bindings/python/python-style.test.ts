// Tests that all Python of the project is formatted and linted as pyproject.toml says, and that its types are strict, with the
// ruff and mypy of this machine: nothing is installed. python.slow.test.ts does the same with those that pip installs.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { checkStyle, styleTools } from '../../tools/python-style.js';

const style = suite('style of the Python package');

for (const { name, command, missing } of styleTools()) {
  if (command === undefined) {
    process.stdout.write(`SKIPPED: ${name} of the Python package: ${missing}\n`);
    style.skip(name, () => {});
  } else style(name, () => assert.is(checkStyle(name, command), ''));
}

style('the tools that are missing are named', () => {
  for (const { command, missing } of styleTools()) assert.is(command === undefined, missing !== '');
});

style.run();
