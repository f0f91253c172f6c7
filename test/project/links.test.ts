// Tests that links between the documents of the repository lead to files that exist. Those of the site's own pages are
// tested where the site is made (site.slow.test.ts).
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readText, root } from '../tools/data.js';

const folders = ['engine', 'selfplay', 'bindings', 'bench', 'test'];

const documents = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md') && !/node_modules|docs.site|python.src.lepanto.js/.test(name))
      .map((name) => join(folder, name)),
  ),
];

const links = suite('links');

links('every link of a document leads to a file', () => {
  const dead: string[] = [];
  let seen = 0;
  for (const document of documents)
    for (const [, target] of readText(document).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^(https?:|#)/.test(target)) continue;
      seen++;
      const file = join(root, dirname(document), target.split('#')[0]);
      if (!existsSync(file)) dead.push(`${document}: ${relative(root, file)}`);
    }
  assert.equal(dead, []);
  assert.ok(seen > 20, `only ${seen} links found`);
});
links.run();
