// Tests messages in saved games: written and read by every format that has them, refused by name, shown as text.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Dialect, formatSavedGame } from '../../../bindings/formats/games/write-saved.js';
import type { ReplayData } from '../../../bindings/web/page-data.js';
import type { GameRecord } from '../../../selfplay/games/game-record.js';
import { playGame } from '../../../selfplay/games/play.js';
import type { Agent } from '../../../selfplay/question/agent.js';
import type { Message } from '../../../selfplay/question/message.js';
import { encodeShard } from '../../../selfplay/records/record.js';
import { makeFolder, runLepanto } from '../../tools/command.js';
import { replay } from '../../tools/saved-games.js';
import { agentBy } from '../../tools/simple-agents.js';

const place = makeFolder('messages');
const hold: Agent = agentBy(() => []);
const HOSTILE = '<img src=x onerror=alert(1)>\u001b[2J\u202e\n  FRANCE\n    A PAR - BUR  succeeds';

const message = (more: Partial<Message>): Message => ({
  ...{ phase: 'S1901M', round: 1, sender: 'FRANCE', recipients: ['ITALY'], time_sent: 1, text: 'Truce?' },
  ...more,
});

/** A short game in which these messages were sent in its first phase. */
const gameWith = async (messages: readonly Message[]): Promise<GameRecord> => {
  const record = await playGame({ agents: new Array(7).fill(hold), until: 1901, seed: 1 });
  const [first, ...others] = record.phases;
  return { ...record, phases: [{ ...first, messages }, ...others] };
};

const ITALIAN = { sender: 'ITALY', recipients: ['AUSTRIA', 'FRANCE', 'TURKEY'] };
const sent: readonly Message[] = [
  message({}),
  message({ ...ITALIAN, time_sent: 2, text: 'é\n"', content: { a: [1, null] } }),
  message({ recipients: ['GLOBAL'], time_sent: 5, text: '', content: 'x', round: 2 }),
];
const others: readonly Message[] = [
  message({ sender: 'SYSTEM', recipients: ['GLOBAL'], time_sent: 6, round: 0 }),
  message({ sender: 'SYSTEM', recipients: ['OMNISCIENT'], time_sent: 7, round: 0 }),
];

interface Saved {
  readonly rules: readonly string[];
  readonly is_full_press?: boolean;
  readonly phases: readonly { readonly messages: readonly Record<string, unknown>[] }[];
}

const save = async (messages: readonly Message[], dialect: Dialect): Promise<Saved> =>
  formatSavedGame(await gameWith(messages), { dialect }) as Saved;

/** What is read of a saved game, and what is left out. */
const read = (saved: object): { messages: readonly Message[]; leftOut: readonly string[] } => {
  const { record, leftOut } = replay(saved);
  return { messages: record.phases.flatMap(({ messages = [] }) => messages), leftOut };
};

const messages = suite('messages in saved games');

messages('one to several powers has a copy for each, and is one message when it is read', async () => {
  const saved = await save([...sent, ...others], 'diplomacy');
  const [{ messages: list }] = saved.phases;
  assert.equal(saved.rules, []);
  assert.equal(
    list.map(({ recipient, time_sent }) => `${recipient} ${time_sent}`),
    ['ITALY 1', 'AUSTRIA 2', 'FRANCE 3', 'TURKEY 4', 'GLOBAL 5', 'GLOBAL 6', 'OMNISCIENT 7'],
  );
  const [{ sender, phase, round }] = sent;
  assert.equal(list[0], { sender, recipient: 'ITALY', time_sent: 1, phase, message: 'Truce?', round });
  assert.equal(read(saved), { messages: [...sent, ...others], leftOut: [] });
});

messages('dipcc says ALL, and has powers alone', async () => {
  const saved = await save([...sent, ...others], 'dipcc');
  assert.is(saved.is_full_press, true);
  assert.equal(
    saved.phases[0].messages.map(({ recipient }) => recipient),
    ['ITALY', 'AUSTRIA', 'FRANCE', 'TURKEY', 'ALL'],
  );
  assert.equal(read(saved), { messages: sent, leftOut: [] });
  assert.is((await save([], 'dipcc')).is_full_press, false);
});

const good = { sender: 'FRANCE', recipient: 'ITALY', message: 'x', time_sent: 9 };
const state = { name: 'S1901M', units: { FRANCE: ['A PAR'] }, centers: { FRANCE: ['PAR'] } };

messages('times of others are kept, told apart and put in order; histories have messages by phase', () => {
  const BEGIN = 1_600_000_000_000_000;
  const list = [
    { ...good, message: 'b', time_sent: BEGIN + 1 },
    { ...good, message: 'a', time_sent: BEGIN },
    { ...good, message: 'c', time_sent: BEGIN + 1 },
    { ...good, message: 'd', time_sent: undefined },
  ];
  const times = [...'abcd'].map((text, n) => `${text} ${BEGIN + n}`);
  for (const saved of [
    { phases: [{ name: 'S1901M', state, orders: {}, results: {}, messages: list }] },
    { state_history: { S1901M: state }, order_history: {}, message_history: { S1901M: list } },
    { state_history: {}, state, messages: list },
  ]) {
    const found = read(saved);
    assert.equal(
      found.messages.map(({ text, time_sent }) => `${text} ${time_sent}`),
      times,
    );
    assert.equal(found.leftOut, []);
  }
});

messages('webDiplomacy numbers countries; 0 is all, or the site', () => {
  const timeSent = 1_700_000_000;
  const say = (fromCountryID: unknown, toCountryID: unknown) => ({
    message: 'x',
    fromCountryID,
    toCountryID,
    timeSent,
  });
  const list = [say(1, 2), say(0, 0), say(7, 0), say(8, 1), say(1, '2')];
  const phase = { turn: 0, phase: 'Diplomacy', units: [], orders: [], centers: [], messages: list };
  const { messages: found, leftOut } = read({ phases: [phase] });
  assert.equal(
    found.map(({ sender, recipients, time_sent }) => `${sender} ${recipients} ${time_sent - timeSent}`),
    ['ENGLAND FRANCE 0', 'SYSTEM GLOBAL 1', 'RUSSIA GLOBAL 2', 'ENGLAND FRANCE 3'],
  );
  assert.equal(leftOut, ['S1901M, message 4: message, fromCountryID: got 8, wanted 1 to 7']);
});

messages('what cannot be kept is named, and all else is there', () => {
  // biome-ignore format: a message, what is said of it
  const bad: readonly (readonly [unknown, string])[] = [
    [7, 'S1901M, message 1: message: got 7, wanted an object'],
    [{ ...good, sender: 'MARS' }, 'S1901M, sender: got "MARS", wanted one of AUSTRIA'],
    [{ ...good, recipient: 'mars' }, 'S1901M, recipients: got "mars", wanted GLOBAL or some of AUSTRIA'],
    [{ ...good, message: 'x'.repeat(1 << 20) }, 'S1901M, message 1: message: got 1048576 characters, wanted at most 65536'],
    [{ ...good, message: '\udfff' }, 'S1901M, message 1: message: got invalid Unicode, wanted UTF-8'],
    [{ ...good, time_sent: '9' }, 'S1901M, message 1: time_sent: got "9", wanted a number from 0'],
    [{ ...good, recipients: 'all' }, 'S1901M, message 1: recipients: got "all", wanted a list'],
  ];
  for (const [one, wanted] of bad) {
    const { messages: kept, leftOut } = read({ phases: [{ name: 'S1901M', state, messages: [one, good] }] });
    assert.equal([kept.map(({ text }) => text), leftOut.length], [['x'], 1]);
    assert.ok(leftOut[0].startsWith(wanted), `${leftOut[0]}, wanted ${wanted}`);
  }
  const elsewhere = { state_history: { S1901M: state }, message_history: { F1977M: [good], S1901M: [good] } };
  assert.equal(read(elsewhere).leftOut, ['F1977M, got a phase that was not played']);
});

messages('replays show them by power, as text that no message can leave', async () => {
  const file = join(place, 'games-00000.lep');
  const told = [...sent, message({ sender: 'TURKEY', recipients: ['RUSSIA'], time_sent: 9, text: HOSTILE })];
  writeFileSync(file, encodeShard([await gameWith(told)]));
  const page = join(place, 'game.html');
  const { err } = runLepanto(['replay', file, '--power', 'austria', '--html', page]);
  assert.is(err, '');
  const html = readFileSync(page, 'utf8');
  const [, deflated = ''] = /"deflated":"([^"]+)"/.exec(html) ?? [];
  const { phases } = JSON.parse(inflateSync(Buffer.from(deflated, 'base64')).toString()) as ReplayData;
  assert.equal(
    phases.map(({ messages: shown }) => shown?.map(({ time_sent }) => time_sent)),
    [[2, 5], undefined, undefined],
  );
  const { out } = runLepanto(['replay', file, '--power', 'RUSSIA']);
  const [before = ''] = out.split('\nF1901M');
  assert.match(
    before,
    '  TURKEY to RUSSIA, round 1\n    | <img src=x onerror=alert(1)>\ufffd[2J\ufffd\n    |   FRANCE\n    |     A PAR',
  );
  assert.not.match(before, 'Truce?');
  assert.match(runLepanto(['replay', file, '--power', 'MARS']).err, '--power: got "MARS", wanted one of AUSTRIA');
});
messages.run();
