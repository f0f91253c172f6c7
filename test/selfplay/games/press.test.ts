// Tests rounds of press: who reads what and when, what may not be said, and what records keep of it.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { DATC_3_2, standard } from '../../../engine/internal.js';
import { parseAgent } from '../../../selfplay/agents/registry.js';
import { takeWarnings } from '../../../selfplay/crew/user-code.js';
import type { GameRecord } from '../../../selfplay/games/game-record.js';
import { Mailboxes } from '../../../selfplay/games/mailboxes.js';
import { playGame } from '../../../selfplay/games/play.js';
import type { Agent, Past, Question, TalkQuestion } from '../../../selfplay/question/agent.js';
import {
  type Message,
  mayRead,
  packMessages,
  readSaid,
  type Said,
  unpackMessages,
} from '../../../selfplay/question/message.js';
import {
  decodeGame,
  decodeShard,
  encodeGame,
  encodeShard,
  type StoredGame,
  withoutStates,
} from '../../../selfplay/records/record.js';
import { verifyGame } from '../../../selfplay/records/verify.js';
import { errorOf, rejection } from '../../tools/errors.js';

const powers = standard.powerNames;
type Say = (question: TalkQuestion) => readonly Said[] | Promise<readonly Said[]>;

/** Holds, and says something. @param hear called when orders are wanted */
const talker = (say: Say, hear: (question: Question) => void = () => {}) => ({
  name: 'talker',
  options: {},
  answer: (questions: readonly Question[]) =>
    questions.map((question) => {
      hear(question);
      return { orders: new Int32Array(0) };
    }),
  talk: async (questions: readonly TalkQuestion[]) => Promise.all(questions.map(say)),
});

const play = (agents: readonly Agent[], rounds: number, until = 1901, seed = 3): Promise<GameRecord> =>
  playGame({ agents: powers.map((_, q) => agents[q % agents.length]), until, rounds, seed });

const messagesOf = ({ phases }: Pick<StoredGame, 'phases'>): Message[] =>
  phases.flatMap(({ messages = [] }) => messages);

const press = suite('press');

press('in a round all speak at once, each reads its own mail alone, and orders come after it', async () => {
  const seen: { power: number; round: number; read: readonly Message[] }[] = [];
  const note = (power: number, round: number, { messages = [] }: Past): void => {
    seen.push({ power, round, read: [...messages] });
  };
  const agent = talker(
    ({ power, random, round: { round, rounds }, past }) => {
      note(power, round, past);
      const recipients = round === 1 ? [powers[(power + 1) % 7], powers[(power + 2) % 7]] : ['GLOBAL'];
      return [{ recipients, text: `${round}/${rounds} ${random.next()}` }];
    },
    ({ power, past }) => note(power, 0, past),
  );
  const record = await play([agent], 2);
  const all = messagesOf(record);
  assert.is(all.length, 2 * 14);
  assert.equal(
    record.phases.map(({ phase, messages = [] }) => `${phase} ${messages.length}`),
    ['S1901M 14', 'F1901M 14', 'COMPLETED 0'],
  );
  for (const { power, round, read } of seen) {
    assert.ok(read.every((message) => mayRead(message, powers[power])));
    const now = read.filter(({ phase }) => phase === 'F1901M' && read.some(({ phase: first }) => first === 'S1901M'));
    // Three of round 1, its own and two to it, and seven of round 2.
    if (read.length > 10) assert.is(now.length, { 1: 0, 2: 3, 0: 10 }[round]);
  }
  assert.equal(
    seen.map(({ read }) => read.length).sort((a, b) => a - b),
    [0, 3, 10, 10, 13, 20].flatMap((n) => new Array(7).fill(n)),
  );
  const { phase, round, sender, recipients, time_sent, text } = all[1];
  assert.equal([phase, round, sender, recipients, time_sent], ['S1901M', 1, 'ENGLAND', ['FRANCE', 'GERMANY'], 3]);
  assert.match(text, /^1\/2 -?\d+$/);
  assert.is(all.at(-1)?.time_sent, 42, '7 messages to two powers and 7 to all in each of two phases');
  assert.is(new Set(all.map((one) => one.text)).size, 28, 'streams differ');
  assert.equal(messagesOf(await play([agent], 2)), all);
  assert.not.equal(messagesOf(await play([agent], 2, 1901, 4)), all);
});

press('agents that do not talk are not asked, and their games are those without press', async () => {
  const random = parseAgent('random');
  const { talk: _, ...silent } = talker(() => []);
  for (const agents of [[random], [silent], [silent, random]]) {
    const [without, record] = [await play(agents, 0), await play(agents, 3)];
    assert.equal(record, without);
    assert.equal(encodeShard([record]), encodeShard([without]));
  }
  const mute = talker(({ past }) => {
    assert.ok(past.messages !== undefined);
    return [];
  });
  assert.equal(await play([mute, random], 3), await play([mute, random], 0));
  assert.match(await rejection(play([mute], 101)), 'rounds: got 101, wanted a whole number from 0 to 100');
});

press('what a module does to messages that it reads changes nothing', async () => {
  const say: Say = ({ power }) => [{ recipients: [powers[(power + 1) % 7]], text: 'x', content: { a: [1] } }];
  const steady = talker(say);
  const spoiling = talker((question) => {
    for (const message of (question.past.messages ?? []) as unknown as { text: string }[]) message.text = 'spoilt';
    return say(question);
  });
  assert.equal(messagesOf(await play([spoiling], 2)), messagesOf(await play([steady], 2)));
});

const good = { recipients: ['ITALY', 'ENGLAND', 'ITALY'], text: 'é\u202e\u0000', content: { a: [null] } };
/** What may not be said by France, and what is said of it. */
// biome-ignore format: one line each
const unsayable: readonly (readonly [unknown, string])[] = [
  [7, 'message: got 7, wanted an object'],
  [{ text: 'x' }, 'recipients: got nothing, wanted a list of powers, or GLOBAL'],
  [{ recipients: [], text: 'x' }, 'recipients: got a list of 0, wanted a list of powers, or GLOBAL'],
  [{ recipients: ['MARS'], text: 'x' }, 'recipients: got "MARS", wanted GLOBAL or one of AUSTRIA, ENGLAND, GERMANY'],
  [{ recipients: ['FRANCE'], text: 'x' }, 'recipients: got "FRANCE", wanted GLOBAL or one of'],
  [{ recipients: [['ITALY']], text: 'x' }, 'recipients: got a list of 1, wanted GLOBAL or one of'],
  [{ recipient: '__proto__', text: 'x' }, 'recipients: got "__proto__", wanted'],
  [{ recipients: ['ITALY'], text: 'x', sender: 'ITALY' }, 'sender: got "ITALY", wanted FRANCE'],
  [{ recipients: ['ITALY'], text: 'x', sender: 'MARS' }, 'sender: got "MARS", wanted FRANCE'],
  [{ recipients: ['GLOBAL'] }, 'text: got nothing, wanted text'],
  [{ recipients: ['GLOBAL'], text: '' }, 'text: got "", wanted text'],
  [{ recipients: ['GLOBAL'], text: 'x'.repeat(1 << 20) }, 'text: got 1048576 characters, wanted at most 65536'],
  [{ recipients: ['GLOBAL'], text: 'a\ud800' }, 'text: got invalid Unicode, wanted UTF-8'],
  [{ ...good, content: Array.from({ length: 17 }).reduce((inner) => [inner], 1) }, 'content: got more than 16 levels of objects and lists'],
  [{ ...good, content: 10n }, 'content: got 10, wanted a JSON value'],
  [{ ...good, content: { f: 10n } }, 'content: got an object, wanted a JSON value'],
  [{ ...good, content: () => 1 }, 'content: got () => 1, wanted a JSON value'],
  [{ ...good, content: 'x'.repeat(1 << 15) }, 'content: got 32770 characters, wanted at most 16384'],
];
press('what may not be said is refused by what was got and wanted, and the rest is said', () => {
  const read = (messages: unknown) => readSaid(powers, 'FRANCE', messages);
  for (const [one, message] of unsayable) {
    const { said, refused } = read([one, good]);
    assert.equal(said, [{ ...good, recipients: ['ENGLAND', 'ITALY'] }]);
    assert.is(refused.length, 1);
    assert.ok(refused[0].startsWith(message), `${refused[0]}, wanted ${message}`);
  }
  const { said } = read([{ recipient: 'GLOBAL', text: '', content: 0 }]);
  assert.equal(said, [{ recipients: ['GLOBAL'], text: '', content: 0 }]);
  assert.equal(read(null), { said: [], refused: [] });
  assert.equal(read('hello').refused, ['got "hello", wanted a list of messages']);
  const flood = read(new Array(5000).fill(good));
  assert.is(flood.said.length, 32);
  assert.equal(flood.refused, ['got 5000 messages in a round, wanted at most 32']);
});

press('a flood of one power fills its own part of a game alone', async () => {
  const loud = talker(() => new Array(32).fill({ recipients: ['GLOBAL'], text: '\u0001'.repeat(65_536) }));
  const calm = talker(() => [{ recipients: ['GLOBAL'], text: 'still here' }]);
  takeWarnings();
  const record = await play([loud, calm, calm, calm, calm, calm, calm], 2);
  const count = (name: string): number => messagesOf(record).filter(({ sender }) => sender === name).length;
  assert.equal(powers.map(count), [6, 4, 4, 4, 4, 4, 4]);
  const [unsaid] = takeWarnings().filter(({ kind }) => kind === 'unsaid');
  assert.is(unsaid.agent, 'talker');
  assert.is(unsaid.what, 'AUSTRIA in S1901M of game 0, round 1: got more messages than one game may have');
  assert.ok(encodeGame(record).length < 1 << 24);
});

press('an agent that throws while it talks ends the game by name', async () => {
  const refusal = (say: Say) => rejection(play([talker(say)], 1));
  const thrown = await refusal(({ game }) => {
    throw new Error(`in ${game.year}`);
  });
  assert.match(thrown, 'agent talker for AUSTRIA in S1901M of game 0, round 1: threw Error: in 1901');
  const later = await refusal(() => Promise.reject(new Error('later')));
  assert.match(later, 'of game 0, round 1: threw Error: later');
  const circle: unknown[] = [];
  circle.push(circle);
  assert.match(await refusal(() => circle as never[]), 'TypeError');
  const nonsense = await play([talker(() => 5 as never), talker(() => [undefined] as never)], 1);
  assert.equal(messagesOf(nonsense), []);
});
press.run();

// ---- records ----

const records = suite('press: records');

const proposing = talker(({ power, round: { round } }) => [
  { recipients: [powers[(power + 3) % 7]], text: `${round} \u{1f600} </script>`, content: { round } },
]);

records('messages are kept, in shards of a version of their own', async () => {
  const record = await play([proposing], 2);
  assert.equal(messagesOf(decodeGame(encodeGame(record))), messagesOf(record));
  assert.equal(encodeGame(decodeGame(encodeGame(record))), encodeGame(record));
  const [told, silent] = [withoutStates(record), withoutStates(await play([parseAgent('hold')], 2))];
  const versionOf = (...games: (typeof told)[]): number => new DataView(encodeShard(games).buffer).getUint32(4, true);
  assert.equal([versionOf(silent), versionOf(told), versionOf(silent, told)], [2, 4, 4]);
  assert.equal(decodeShard(encodeShard([silent, told])).map(messagesOf), [[], messagesOf(told)]);
  assert.is(verifyGame(standard, DATC_3_2, told), null);
  const [{ messages = [], ...first }, ...rest] = told.phases;
  const fault = (change: object): string => {
    const phases = [{ ...first, messages: [{ ...messages[0], ...change }] }, ...rest];
    return verifyGame(standard, DATC_3_2, { ...told, phases })?.what ?? '';
  };
  assert.match(fault({ sender: 'MARS' }), 'message 1, sender: got "MARS", wanted one of AUSTRIA');
  assert.match(fault({ recipients: ['ITALY', 'GLOBAL'] }), 'recipients: got "GLOBAL", wanted GLOBAL or some of');
  assert.is(fault({ sender: 'SYSTEM', recipients: ['OBSERVER'] }), '');
});

const message = { round: 1, sender: 'ITALY', recipients: ['GLOBAL'], time_sent: 1, text: 'x' };
/** Text of bytes that are no messages, and what is said of them. */
// biome-ignore format: one line each
const noMessages: readonly (readonly [json: unknown, string])[] = [
  [{}, 'messages: got an object, wanted a list'],
  [[], 'messages: got 0, wanted 1 to'],
  [[message, 3], 'messages, entry 2: got 3, wanted an object'],
  [[{ ...message, round: -1 }], 'messages, entry 1, round: got -1, wanted a whole number from 0'],
  [[{ ...message, sender: '\n' }], 'messages, entry 1, sender: got "\\n", wanted a name'],
  [[{ ...message, recipients: [] }], 'messages, entry 1, recipients: got 0, wanted 1 to 256'],
  [[{ ...message, text: 5 }], 'messages, entry 1, text: got 5, wanted text'],
];
records('bytes that are no messages are refused by place', () => {
  const bytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
  const read = (value: Uint8Array): Message[] => unpackMessages(value, 'S1901M', 'messages');
  assert.equal(read(bytes([message])), [{ phase: 'S1901M', ...message }]);
  assert.equal(packMessages(read(bytes([message]))), bytes([message]));
  const invalid = Uint8Array.of(0x5b, 0xff, 0x5d);
  assert.is(
    errorOf(() => read(invalid)),
    'messages: got 3 bytes, wanted a list as JSON',
  );
  for (const [json, wanted] of noMessages) {
    const said = errorOf(() => read(bytes(json)));
    assert.ok(said.startsWith(wanted), said);
  }
});

records('mail counts copies, so that a saved game of any program stays readable', () => {
  const mail = new Mailboxes(powers);
  const send = (power: number, ...recipients: string[]): number =>
    mail.send('S1901M', 1, power, new Array(64).fill({ recipients, text: 'x'.repeat(65_000) })).sent.length;
  const one = send(0, 'ITALY');
  const six = send(1, ...powers.filter((name) => name !== 'ENGLAND'));
  assert.equal([one, six], [36, 6]);
  assert.equal([mail.boxOf(4).length, mail.boxOf(5).length, mail.boxOf(1).length], [42, 6, 6]);
});
records.run();
