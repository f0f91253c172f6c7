// Tests that no command replaces a file of a run, and that a file has the ending of what is written into it.
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { callLepanto, makeFolder } from '../../tools/command.js';

const directory = makeFolder('output-files');
const place = (...names: string[]): string => join(directory, ...names);
const run = place('run');
const position = place('position.json');
writeFileSync(position, '{"phase": "S1901M", "units": {"FRANCE": ["A PAR"]}}\n');

const files = suite('output files');
files.before(async () => {
  await callLepanto(['selfplay', '--games', '2', '--until', '1901', '--out', run, '--quiet']);
  await callLepanto(['find', run, 'draw', '--quiet']);
});

/** Commands that write one file, without its name. */
const writers: readonly (readonly string[])[] = [
  ['replay', run, '--game', '0', '--html'],
  ['draw', position, '--out'],
  ['draw', position, '--terminal', '--out'],
  ['search', position, '--power', 'FRANCE', '--rollouts', '30', '--quiet', '--html'],
  ['map', 'import', position, '--out'],
  ['convert', run],
  ['daide', '--log'],
];

files('no command replaces a file of a run, also over a link or in capitals', async () => {
  const names = readdirSync(run);
  assert.equal(names.sort(), ['find.index', 'games-00000.lep', 'games-00000.table', 'manifest.json']);
  const before = names.map((name) => readFileSync(join(run, name)));
  const links = names.map((name) => {
    symlinkSync(join(run, name), place(`${name}.html`));
    return place(`${name}.html`);
  });
  const paths = [...names.map((name) => join(run, name)), ...links, place('MANIFEST.json'), place('playing.json')];
  for (const writer of writers) {
    for (const path of paths) {
      const { code, err } = await callLepanto([...writer, path]);
      assert.is(code, 2, `${writer.join(' ')} ${path}: ${err}`);
      // convert refuses an ending that it does not know before it looks at the file.
      if (writer[0] !== 'convert' || path.endsWith('.lep')) assert.match(err, /which is a file of a run, wanted/);
    }
  }
  assert.equal(
    names.map((name) => readFileSync(join(run, name))),
    before,
  );
  assert.is(existsSync(place('MANIFEST.json')), false);
});

files('a file has the ending of what is written into it', async () => {
  for (const [writer, path, wanted] of [
    [writers[0], 'x.lep', '.html or .htm'],
    [writers[1], 'x.gif', '.svg'],
    [['draw', position, '--png', '--out'], 'x.svg', '.png'],
    [writers[3], 'x.json', '.html or .htm'],
    [writers[4], 'x.txt', '.json'],
  ] as const) {
    const { code, err } = await callLepanto([...writer, place(path)]);
    assert.equal([code, existsSync(place(path))], [2, false], writer.join(' '));
    assert.ok(err.includes(`wanted a name that ends in ${wanted}`), err);
  }
  assert.is((await callLepanto(['draw', position, '--out', place('x.SVG')])).code, 0);
});

files('a playground does not replace the files of something else', async () => {
  mkdirSync(place('site'));
  writeFileSync(place('site', 'index.html'), 'mine');
  const { code, err } = await callLepanto(['play', '--files', place('site')]);
  assert.is(code, 1);
  assert.match(err, /got a file of something else, wanted a new directory or that of a playground/);
  assert.equal(readdirSync(place('site')), ['index.html']);
  for (let i = 0; i < 2; i++) assert.is((await callLepanto(['play', '--files', place('play')])).code, 0);
});
files.run();
