// Tries lepanto with input that is drawn to break it, and says what broke.
//
//   node dist/test/tools/fuzz/fuzz.js [--seed N] [--rounds N | --seconds N] [--only NAME,...] [--lepanto FILE] [--keep DIR]
//
// --rounds and --seconds are for each campaign (default: 5 rounds). --lepanto tries the lepanto.js of another build. The
// inputs of what was found are in --keep (default: a directory that is removed if nothing was found). A round follows from
// the seed and its number alone, so that it can be repeated: --seed 7 --only shards.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { type Campaign, type Finding, faultKinds, Round, Session, type SessionOptions } from './campaign.js';
import { agentCampaign } from './fuzz-agents.js';
import { commandLineCampaign } from './fuzz-command-lines.js';
import { daideCampaign } from './fuzz-daide.js';
import { endingCampaign } from './fuzz-endings.js';
import { lineCampaign } from './fuzz-lines.js';
import { manifestCampaign } from './fuzz-manifests.js';
import { protocolCampaign } from './fuzz-protocol.js';
import { brokenRunCampaign } from './fuzz-runs.js';
import { savedGameCampaign } from './fuzz-saved-games.js';
import { shardCampaign } from './fuzz-shards.js';
import { sizeCampaign } from './fuzz-sizes.js';

export const campaigns: readonly Campaign[] = [
  lineCampaign,
  commandLineCampaign,
  savedGameCampaign,
  shardCampaign,
  manifestCampaign,
  brokenRunCampaign,
  sizeCampaign,
  endingCampaign,
  agentCampaign,
  protocolCampaign,
  daideCampaign,
];

export interface Tally {
  readonly campaign: string;
  tries: number;
  rounds: number;
  seconds: number;
  readonly findings: Finding[];
}

/** Plays the rounds of a campaign, from the first one on, until enough() is true. */
export const runCampaign = async (
  campaign: Campaign,
  session: Session,
  enough: (rounds: number, seconds: number) => boolean,
): Promise<Tally> => {
  const begin = performance.now();
  const tally: Tally = { campaign: campaign.name, tries: 0, rounds: 0, seconds: 0, findings: [] };
  while (!enough(tally.rounds, tally.seconds)) {
    const round = new Round(session, campaign.name, tally.rounds);
    await campaign.play(round);
    tally.tries += round.tries;
    tally.rounds++;
    tally.seconds = (performance.now() - begin) / 1000;
    tally.findings.push(...round.findings);
  }
  return tally;
};

/** 'a finding: what, and the command that shows it' */
export const formatFinding = ({ campaign, round, kind, command, what }: Finding): string =>
  `${campaign}, round ${round}, ${kind}: ${what}\n    lepanto ${command.map((arg) => JSON.stringify(arg.slice(0, 200))).join(' ')}`;

const formatTally = ({ campaign, tries, rounds, seconds, findings }: Tally): string => {
  const kinds = faultKinds
    .map((kind): [string, number] => [kind, findings.filter((finding) => finding.kind === kind).length])
    .filter(([, n]) => n > 0)
    .map(([kind, n]) => `${n} ${kind}`);
  return `${campaign.padEnd(14)}${String(tries).padStart(9)} tries in ${rounds} rounds, ${seconds.toFixed(0)} s: ${kinds.length === 0 ? 'nothing found' : kinds.join(', ')}`;
};

const main = async (args: string[]): Promise<number> => {
  const { values } = parseArgs({
    args,
    options: {
      seed: { type: 'string', default: '1' },
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string' },
      only: { type: 'string' },
      lepanto: { type: 'string' },
      keep: { type: 'string' },
    },
  });
  const directory = values.keep === undefined ? mkdtempSync(join(tmpdir(), 'lepanto-fuzz-')) : resolve(values.keep);
  mkdirSync(directory, { recursive: true });
  const options: SessionOptions = {
    seed: Number(values.seed),
    directory,
    ...(values.lepanto === undefined ? {} : { lepanto: resolve(values.lepanto) }),
  };
  const session = new Session(options);
  const only = values.only?.split(',');
  let found = 0;
  for (const campaign of campaigns) {
    if (only !== undefined && !only.includes(campaign.name)) continue;
    const seconds = values.seconds === undefined ? null : Number(values.seconds);
    const rounds = Number(values.rounds);
    const tally = await runCampaign(campaign, session, (n, s) => (seconds === null ? n >= rounds : s >= seconds));
    console.log(formatTally(tally));
    for (const finding of tally.findings) console.log(`  ${formatFinding(finding)}`);
    found += tally.findings.length;
  }
  if (found === 0 && values.keep === undefined) rmSync(directory, { recursive: true });
  else console.log(`inputs in ${directory}`);
  return found === 0 ? 0 : 1;
};

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) process.exitCode = await main(process.argv.slice(2));
