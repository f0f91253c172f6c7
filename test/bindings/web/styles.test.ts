// Tests that the style sheets of all pages and of the site use the tokens of common.css: no colour, size of type or room of
// their own.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readText, root } from '../../tools/data.js';

/** Names and texts of all style sheets. */
const sheets = ['bindings/web/browser', 'test/docs/site/theme', 'test/docs/site/reference'].flatMap((folder) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.css'))
    .map((name) => [name, readFileSync(join(root, folder, name), 'utf8')]),
);

/** Declarations of a sheet outside of its tokens, as [property, value]. */
const declarationsOf = (css: string): [string, string][] =>
  Array.from(
    css
      .replace(/\/\*[\s\S]*?\*\//g, '')
      .replace(/:root\{[^}]*\}/g, '')
      .matchAll(/[{;]\s*(--[\w-]+|[\w-]+)\s*:([^;{}]+)(?=[;}])/g),
    ([, property, value]) => [property, value.trim()],
  );

const COLOUR = /#[\da-f]{3,8}\b|\b(?:rgb|hsl|oklch|lab)a?\(|\b(?:white|black|red|gr[ea]y|blue|green)\b/i;
const ROOM = /^(?:padding|margin)(?:-\w+)?$|^(?:row-|column-)?gap$/;

const styles = suite('styles');

styles('colours, sizes of type and room between things are tokens', () => {
  const wrong: string[] = [];
  let seen = 0;
  for (const [name, css] of sheets)
    for (const [property, value] of declarationsOf(css)) {
      seen++;
      const isSize = property === 'font-size' || property === 'font' || ROOM.test(property);
      // Paper has its own units, and a picture on the home page its place.
      if (COLOUR.test(value) || (isSize && /\d(?:px|rem|pt)\b/.test(value)))
        wrong.push(`${name}: ${property}:${value}`);
    }
  assert.equal(wrong, []);
  assert.ok(seen > 400, `${seen} declarations`);
});

styles('every token that a sheet uses is one', () => {
  const common = readText('bindings/web/browser/common.css');
  const tokens = new Set(
    Array.from(common.match(/:root\{[^}]*\}/)?.[0].matchAll(/--([\w-]+):/g) ?? [], ([, name]) => name),
  );
  for (const [name, css] of sheets)
    for (const [, token] of css.matchAll(
      /var\(--(?:light-|dark-)?((?:type|space)-\w+|round|page|card|dim|line|accent|bad|good|on)\)/g,
    ))
      assert.ok(tokens.has(token), `${name}: ${token}`);
});

styles('scripts of pages have no colours of their own', () => {
  const wrong = readdirSync(join(root, 'bindings/web'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .filter((name) =>
      /['"`:]#[\da-f]{3}(?:[\da-f]{3})?\b['"`;]/i.test(readFileSync(join(root, 'bindings/web', name), 'utf8')),
    );
  assert.equal(wrong, []);
});

styles.run();
