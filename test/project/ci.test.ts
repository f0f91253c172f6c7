// Tests what CI prints for information: it may fail in no way.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const root = fileURLToPath(new URL('../../../', import.meta.url));

const ci = suite('ci');

ci('licences are listed, and no registry is needed', () => {
  // A port that nobody listens on.
  const env = { ...process.env, npm_config_registry: 'http://127.0.0.1:9' };
  const said = execFileSync(join(root, '.ci', 'inform'), { env, encoding: 'utf8' });
  assert.match(said, /^npm audit:/m);
  assert.match(said, /^ +\d+ MIT: .*\bmsgpackr\b/m);
  assert.match(readFileSync(join(root, '.ci', 'run'), 'utf8'), /^\.ci\/inform$/m);
});
ci.run();
