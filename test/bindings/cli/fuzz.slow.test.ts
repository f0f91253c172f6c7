// A few rounds of every campaign of test/tools/fuzz: hours of them by node dist/test/tools/fuzz/fuzz.js --seconds 3600.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { makeFolder } from '../../tools/command.js';
import { Round, Session } from '../../tools/fuzz/campaign.js';
import { campaigns, formatFinding, runCampaign } from '../../tools/fuzz/fuzz.js';

/** A round of endings tries one, of two kinds. */
const roundsOf = (name: string): number => (name === 'endings' ? 2 : 1);

const directory = makeFolder('fuzz');
const session = new Session({ seed: 1, directory, bounds: { megabytes: 500, seconds: 300 } });

const fuzz = suite('fuzz');
for (const campaign of campaigns)
  fuzz(campaign.about, async () => {
    const { tries, findings } = await runCampaign(campaign, session, (played) => played >= roundsOf(campaign.name));
    assert.ok(tries >= roundsOf(campaign.name));
    assert.is(findings.map(formatFinding).join('\n'), '');
  });

fuzz('a round is the same each time', async () => {
  const drawn = [1, 1, 2].map((round) => new Round(session, 'lines', round).random.next());
  assert.is(drawn[0], drawn[1]);
  assert.is.not(drawn[0], drawn[2]);
  assert.is.not(new Round(session, 'shards', 1).random.next(), drawn[0]);
});

fuzz('what breaks is found', () => {
  const ended = { code: 1, out: '', err: 'lepanto: no\n', seconds: 1, megabytes: 60 };
  const kindOf = (change: object): string | null => session.judge({ ...ended, ...change }, [0, 1])?.[0] ?? null;
  assert.is(kindOf({}), null);
  assert.is(kindOf({ err: 'Error: x\n    at run (file:///a/b.js:3:4)\n' }), 'trace');
  assert.is(kindOf({ err: "lepanto: Cannot read properties of undefined (reading 'x')\n" }), 'words');
  assert.is(kindOf({ code: null }), 'hang');
  assert.is(kindOf({ code: 7 }), 'code');
  assert.is(kindOf({ megabytes: 600 }), 'memory');
  assert.is(session.judge({ ...ended, code: 2, err: 'a\nb\n' }, [2])?.[0], 'lines');
});
fuzz.run();
