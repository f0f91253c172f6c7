// Tests whole games as text: the engine must reproduce every word of test/data/golden/*.txt.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { goldenTexts, parsePlaythrough, renderPlaythrough } from '../../tools/golden.js';

const golden = suite('golden playthroughs');

for (const [name, text] of goldenTexts())
  golden(name, () => {
    const playthrough = parsePlaythrough(text);
    assert.ok(playthrough.phases.length >= 5, `${playthrough.phases.length} phases`);
    assert.fixture(renderPlaythrough(playthrough), text);
  });

golden('every kind of result, fate and fact stands in some of them', () => {
  const all = goldenTexts()
    .map(([, text]) => text)
    .join('\n');
  const words = ['stands', 'succeeds', 'fails', 'given', 'cut', 'available', 'disrupted', 'invalid', 'illegal'];
  for (const word of words) assert.match(all, new RegExp(`^  \\S.* {2,}${word}\\b`, 'm'));
  const facts = [/, dislodged/, /, destroyed/, /^dislodged: .* to /m, /^contested: /m, /^built: /m, /^disbanded: /m];
  for (const fact of [...facts, /^the game stands at COMPLETED$/m, / VIA /, /^ {2}WAIVE /m, /^ {2}\(/m])
    assert.match(all, fact);
});

golden('a changed order shows', () => {
  const [, text] = goldenTexts()[0];
  const { phases, ...rest } = parsePlaythrough(text);
  assert.is.not(renderPlaythrough({ ...rest, phases: [{ ...phases[0], orders: {} }, ...phases.slice(1)] }), text);
});

golden.run();
