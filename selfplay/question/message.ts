// Messages between the powers of a game (press): their shape, their bounds, and who may read them.

import { hasCode } from '../../engine/rules/error.js';
import {
  asObject,
  describeValue,
  fieldOf,
  listOf,
  quote,
  refuse,
  refuseValue,
  type Shape,
  text,
  wholeNumber,
} from '../../engine/rules/shape.js';
import { wholeIn } from './option.js';

/** The recipient of a message to all powers. */
export const GLOBAL = 'GLOBAL';
/** Who sends in games of other programs without being a power, and who alone receives. */
const otherSenders: readonly string[] = ['SYSTEM'];
const otherRecipients: readonly string[] = ['OBSERVER', 'OMNISCIENT'];

/** The most characters (UTF-16) of a text, and of a content as JSON. */
export const MAX_TEXT = 65_536;
const MAX_CONTENT = 16_384;
/** The greatest depth of a content. */
const MAX_DEPTH = 16;
/** The most messages that a power may send in a round. */
export const MOST_MESSAGES = 32;
/** Rounds in a phase. */
export const MOST_ROUNDS = 100;

/** Rounds of press of a game. */
export const roundsOption = {
  rounds: {
    ...wholeIn(0, MOST_ROUNDS),
    default: 0,
    help: `rounds of press before the orders of each movement phase: all powers speak at once, and read it in the next round;
      agents that do not talk are silent`,
  },
} as const;
/** The most messages of a phase, or of a request, that are read. */
export const MOST_READ = 1 << 20;

/** What an agent says in a round. */
export interface Said {
  /** Names of powers, or GLOBAL alone. */
  readonly recipients: readonly string[];
  /** At most 65,536 characters. */
  readonly text: string;
  /** Anything that JSON can hold, for programs. */
  readonly content?: unknown;
}

/** A message of a game. */
export interface Message extends Said {
  /** 'S1901M' */
  readonly phase: string;
  /** The round of the phase, from 1; 0 in games of other programs, which have none. */
  readonly round: number;
  /** Name of a power; in games of other programs also SYSTEM. */
  readonly sender: string;
  /**
   * Ascending in a game. Not by the clock, so that a game follows from its seed: the place of the message in the game, from
   * 1, where one to k powers takes k places. In games of other programs their own time.
   */
  readonly time_sent: number;
}

/** True if only powers take part. */
export const isAmongPowers = ({ sender, recipients }: Message): boolean =>
  !otherSenders.includes(sender) && !otherRecipients.includes(recipients[0]);

/** True if a power may read a message: it has sent or received it. */
export const mayRead = ({ sender, recipients }: Message, power: string): boolean =>
  sender === power || recipients.includes(power) || recipients.includes(GLOBAL);

/** Places in time that a message takes: programs that know one recipient a message have so many copies. */
export const copiesOf = ({ recipients }: Said): number => recipients.length;

export const messageText: Shape<string> = (value, where) => {
  const found = text(value, where);
  if (found.length > MAX_TEXT) refuse(`${where}: got ${found.length} characters, wanted at most ${MAX_TEXT}`);
  return /\p{Surrogate}/u.test(found) ? refuse(`${where}: got what is not Unicode, wanted UTF-8`) : found;
};

const isDeeper = (value: unknown, than: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (than === 0 || Object.values(value).some((below) => isDeeper(below, than - 1)));

/** The JSON of a value; undefined for what has none: a function, a BigInt, a cycle. */
const jsonOf = (value: unknown): string | undefined => {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
};

/** A content, as JSON or a user's module has given it. */
export const messageContent: Shape<unknown> = (value, where) => {
  if (isDeeper(value, MAX_DEPTH)) refuse(`${where}: got more than ${MAX_DEPTH} levels of objects and lists`);
  const json = jsonOf(value);
  if (json === undefined) return refuse(`${where}: got ${describeValue(value)}, wanted what JSON can hold`);
  const { length } = json;
  if (length > MAX_CONTENT) refuse(`${where}: got ${length} characters, wanted at most ${MAX_CONTENT}`);
  // A copy: what a module keeps may change, and may turn into another text the next time.
  return JSON.parse(json);
};

/** The content of a record, as a field that is only there where it has one. */
export const contentIn = (record: object, where: string): Pick<Said, 'content'> => {
  const content = fieldOf(record, 'content');
  return content === undefined ? {} : { content: messageContent(content, where) };
};

/** The recipients that a bot names, in the order of the powers. @throws LepantoError if one is no other power */
const readRecipients = (powers: readonly string[], sender: string, record: object): string[] => {
  const one = fieldOf(record, 'recipient');
  const named: readonly unknown[] = one === undefined ? (fieldOf(record, 'recipients') as unknown[]) : [one];
  if (!Array.isArray(named) || named.length === 0)
    return refuse(`recipients: got ${describeValue(named)}, wanted a list of powers, or ${GLOBAL}`);
  const found = new Set<string>();
  for (const name of named) {
    if (typeof name !== 'string' || name === sender || !(name === GLOBAL || powers.includes(name)))
      refuse(
        `recipients: got ${typeof name === 'string' ? quote(name) : describeValue(name)}, wanted ${GLOBAL} or one of ${powers
          .filter((power) => power !== sender)
          .join(', ')}`,
      );
    found.add(name);
  }
  return found.has(GLOBAL) ? [GLOBAL] : powers.filter((power) => found.has(power));
};

const readOne = (powers: readonly string[], sender: string, value: unknown): Said => {
  const record = asObject(value, 'message');
  const from = fieldOf(record, 'sender');
  if (from !== undefined && from !== sender) refuseValue('sender', from, sender);
  const said = {
    recipients: readRecipients(powers, sender, record),
    text: messageText(fieldOf(record, 'text'), 'text'),
    ...contentIn(record, 'content'),
  };
  return said.text === '' && !('content' in said) ? refuse('text: got "", wanted text') : said;
};

/**
 * What a bot says in a round, and why the rest does not count.
 * @param powers of the map
 * @param value plain data, from whoever the bot is
 */
export const readSaid = (
  powers: readonly string[],
  sender: string,
  value: unknown,
): { readonly said: readonly Said[]; readonly refused: readonly string[] } => {
  if (value === undefined || value === null) return { said: [], refused: [] };
  if (!Array.isArray(value)) return { said: [], refused: [`got ${describeValue(value)}, wanted a list of messages`] };
  const said: Said[] = [];
  const refused: string[] = [];
  for (const one of value.slice(0, MOST_MESSAGES)) {
    try {
      said.push(readOne(powers, sender, one));
    } catch (error) {
      if (!hasCode(error, 'record')) throw error;
      refused.push(error.message);
    }
  }
  if (value.length > MOST_MESSAGES)
    refused.push(`got ${value.length} messages in a round, wanted at most ${MOST_MESSAGES}`);
  return { said, refused };
};

const name: Shape<string> = (value, where) =>
  typeof value === 'string' && /^[^\p{C}]{1,40}$/u.test(value) ? value : refuseValue(where, value, 'a name');

/** A message as a record or a request has it. @param phase where the message does not say it */
export const messageOf =
  (phase?: string): Shape<Message> =>
  (value, where) => {
    const record = asObject(value, where);
    const read = <T>(field: string, shape: Shape<T>): T => shape(fieldOf(record, field), `${where}, ${field}`);
    return {
      phase: phase ?? read('phase', name),
      round: read('round', wholeNumber(0)),
      sender: read('sender', name),
      recipients: read('recipients', listOf(name, 1, 256)),
      time_sent: read('time_sent', wholeNumber(0)),
      text: read('text', messageText),
      ...contentIn(record, `${where}, content`),
    };
  };

/** The messages of a phase as a record has them. */
export const packMessages = (messages: readonly Message[]): Uint8Array =>
  new TextEncoder().encode(JSON.stringify(messages.map(({ phase: _, ...rest }) => rest)));

/** Reads them. @throws LepantoError that says what is wrong; whether their powers exist is another question */
export const unpackMessages = (bytes: Uint8Array, phase: string, where: string): Message[] => {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return refuse(`${where}: got ${bytes.length} bytes, wanted a list as JSON`);
  }
  return listOf(messageOf(phase), 1, MOST_READ)(value, where);
};

/** What is wrong with a message on a map; null if its sender and its recipients exist. */
export const findStrangers = (powers: readonly string[], { sender, recipients }: Message): string | null => {
  if (!powers.includes(sender) && !otherSenders.includes(sender))
    return `sender: got ${quote(sender)}, wanted one of ${powers.join(', ')}`;
  const isAlone = (one: string): boolean =>
    recipients.length === 1 && (one === GLOBAL || otherRecipients.includes(one));
  const stranger = recipients.find((one) => !powers.includes(one) && !isAlone(one));
  return stranger === undefined
    ? null
    : `recipients: got ${quote(stranger)}, wanted ${GLOBAL} or some of ${powers.join(', ')}`;
};
