// Tests the script that measures order sets of several families in turn (bench/mixture.ts).
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { familyNames } from '../../bench/corpus/families.js';
import { runScript } from '../tools/command.js';

const mixture = suite('mixture');

mixture('each family has its figures, alone and in turn', () => {
  const { code, out } = runScript('bench/mixture.js', '--starts 1 --sets 250 --time 20 --quiet'.split(' '));
  assert.is(code, 0);
  const figures = /( +[1-9]\d* \([1-9]\d*\)){3}( +\d\.\d\d \(\d\.\d\d\)){2}$/.source;
  for (const name of [...familyNames, 'mean']) assert.match(out, new RegExp(`^${name}${figures}`, 'm'));
  assert.match(out, /^mixed( +[1-9]\d* \([1-9]\d*\)) +\d\.\d\d \(\d\.\d\d\)$/m);
});

mixture.run();
