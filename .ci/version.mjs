#!/usr/bin/env node
// Raises the version in every file that states it, dates the section of CHANGELOG.md, and puts the addresses of package.json
// into CITATION.cff.
//
//   .ci/version.mjs 0.3.0             the owner stays as it is
//   .ci/version.mjs 0.3.0 OWNER       puts the name of the owner into package.json first
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const [version = '', owner] = process.argv.slice(2);
if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version) || (owner !== undefined && !/^[\w-]+$/.test(owner))) {
  console.error('.ci/version.mjs: wanted a version like 0.3.0, and perhaps the name of the owner on GitHub');
  process.exit(2);
}
const root = new URL('../', import.meta.url);

/** Changes a file. Each pattern must be found. */
const edit = (name, ...changes) => {
  const path = fileURLToPath(new URL(name, root));
  let text = readFileSync(path, 'utf8');
  for (const [pattern, by] of changes) {
    if (!pattern.test(text)) throw new Error(`${name}: got no match of ${pattern}`);
    text = text.replace(pattern, by);
  }
  writeFileSync(path, text);
};

const today = new Date().toISOString().slice(0, 10);
const number = /("version": )"[^"]+"/;
edit('package.json', [number, `$1"${version}"`], ...(owner === undefined ? [] : [[/github\.com\/OWNER\//g, `github.com/${owner}/`]]));
// The lock file states the version twice, before the versions of packages.
edit('package-lock.json', [/("version": )"[^"]+"([\s\S]*?"version": )"[^"]+"/, `$1"${version}"$2"${version}"`]);
edit('bindings/python/pyproject.toml', [/^version = ".*"$/m, `version = "${version}"`]);
edit('bindings/python/src/lepanto/__init__.py', [/^__version__ = ".*"$/m, `__version__ = "${version}"`]);
edit('CHANGELOG.md', [/^## Unreleased$/m, `## Unreleased\n\n## ${version} - ${today}`]);
edit('CITATION.cff', [/^version: .*$/m, `version: ${version}`]);
const { repository } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
const address = repository.url.replace(/^git\+|\.git$/g, '');
if (!address.includes('/OWNER/')) {
  const [, name, project] = /github\.com\/([^/]+)\/(.+)$/.exec(address);
  edit('CITATION.cff', [
    /^(license: .*\n)(?:repository-code: .*\nurl: .*\n)?/m,
    `$1repository-code: ${address}\nurl: https://${name}.github.io/${project}/\n`,
  ]);
}
console.log(`version ${version} of ${today}${address.includes('/OWNER/') ? '; the owner is not known yet' : ` at ${address}`}`);
