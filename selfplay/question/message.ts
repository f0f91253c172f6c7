// Messages between the powers of a game (press): their format, size limits and readers.

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
/**
 * Senders and recipients other than powers and GLOBAL, found in games of other programs. Such a recipient is always the
 * only one of its message.
 */
const otherSenders: readonly string[] = ['SYSTEM'];
const otherRecipients: readonly string[] = ['OBSERVER', 'OMNISCIENT'];

/**
 * MAX_TEXT: maximum length of the text of a message. MAX_CONTENT: maximum length of its content as JSON. Both in UTF-16
 * code units.
 */
export const MAX_TEXT = 65_536;
const MAX_CONTENT = 16_384;
/** Maximum nesting depth of the content of a message, in levels of objects and lists. */
const MAX_DEPTH = 16;
/** Maximum number of messages that a power may send in a round. */
export const MOST_MESSAGES = 32;
/** Maximum number of rounds of press in a phase. */
export const MOST_ROUNDS = 100;

/** Option for the number of rounds of press in each movement phase. */
export const roundsOption = {
  rounds: {
    ...wholeIn(0, MOST_ROUNDS),
    default: 0,
    help: `rounds of press before the orders of each movement phase; all powers speak at once, and read messages in the next
      round`,
  },
} as const;
/** Maximum number of messages read from one phase of a record, or from one request. */
export const MOST_READ = 1 << 20;

/** A message as an agent writes it in a round of press. */
export interface Said {
  /** Names of the receiving powers, or GLOBAL alone. */
  readonly recipients: readonly string[];
  /** Text for readers, at most 65,536 characters. */
  readonly text: string;
  /** Data for programs: any JSON value of at most 16,384 characters. */
  readonly content?: unknown;
}

/** A delivered message of a game. */
export interface Message extends Said {
  /** Name of the phase in which the message was sent: 'S1901M'. */
  readonly phase: string;
  /** Number of the round in its phase, from 1; 0 in games of other programs, which have no rounds. */
  readonly round: number;
  /** Name of the power that sent the message. In games of other programs also 'SYSTEM'. */
  readonly sender: string;
  /**
   * Number of the message in the game, from 1, ascending. A message to k powers takes k numbers. It is not a clock
   * time, so that a game depends only on its seed. In games of other programs, the time that these recorded.
   */
  readonly time_sent: number;
}

/** True if the sender and all recipients are powers or GLOBAL. Does not compare the names with those of a map. */
export const isAmongPowers = ({ sender, recipients }: Message): boolean =>
  !otherSenders.includes(sender) && !otherRecipients.includes(recipients[0]);

/** True if a power may read a message because it sent or received it. @param power name of the power */
export const mayRead = ({ sender, recipients }: Message, power: string): boolean =>
  sender === power || recipients.includes(power) || recipients.includes(GLOBAL);

/**
 * Returns the number of consecutive `time_sent` values that a message takes: one for each recipient. Programs that
 * allow only one recipient for each message store it as this many copies.
 */
export const copiesOf = ({ recipients }: Said): number => recipients.length;

/**
 * Reads the text of a message.
 * @throws LepantoError if it is no text, longer than MAX_TEXT or has unpaired surrogates
 */
export const messageText: Shape<string> = (value, where) => {
  const found = text(value, where);
  if (found.length > MAX_TEXT) refuse(`${where}: got ${found.length} characters, wanted at most ${MAX_TEXT}`);
  return /\p{Surrogate}/u.test(found) ? refuse(`${where}: got invalid Unicode, wanted UTF-8`) : found;
};

/** True if a value has more than `than` levels of nested objects and lists. */
const isDeeper = (value: unknown, than: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (than === 0 || Object.values(value).some((below) => isDeeper(below, than - 1)));

/** Returns a value as JSON; undefined if JSON cannot express it, as for a function, a BigInt or a cycle. */
const jsonOf = (value: unknown): string | undefined => {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
};

/**
 * Reads the content of a message and returns a copy.
 * @throws LepantoError if it is too deep, too long or not expressible as JSON
 */
export const messageContent: Shape<unknown> = (value, where) => {
  if (isDeeper(value, MAX_DEPTH)) refuse(`${where}: got more than ${MAX_DEPTH} levels of objects and lists`);
  const json = jsonOf(value);
  if (json === undefined) return refuse(`${where}: got ${describeValue(value)}, wanted a JSON value`);
  const { length } = json;
  if (length > MAX_CONTENT) refuse(`${where}: got ${length} characters, wanted at most ${MAX_CONTENT}`);
  // Copies the content, because a module may modify its own object later or serialize it differently the next time.
  return JSON.parse(json);
};

/**
 * Reads the field `content` of a record. Returns an object with this field, or an empty object if the record has none.
 * @param where name of the content in error messages
 * @throws LepantoError if the content is invalid
 */
export const contentIn = (record: object, where: string): Pick<Said, 'content'> => {
  const content = fieldOf(record, 'content');
  return content === undefined ? {} : { content: messageContent(content, where) };
};

/**
 * Reads the recipients of a bot's message from the field `recipient` or `recipients`. Returns powers in the order of
 * the map, without repeats, or only GLOBAL.
 * @param powers names of the powers of the map
 * @param sender name of the sending power
 * @throws LepantoError if there are none, or if one is neither GLOBAL nor another power of the map
 */
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

/**
 * Reads one message of a bot.
 * @param powers names of the powers of the map
 * @param sender name of the power that the bot plays
 * @throws LepantoError if it is invalid or has neither text nor content
 */
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
 * Reads the messages of a bot in a round. Returns the valid messages in `said`, and an error text for each invalid one
 * in `refused`. Messages after the first MOST_MESSAGES are dropped.
 * @param powers names of the powers of the map
 * @param sender name of the power that the bot plays
 * @param value untrusted plain data; undefined and null stand for no messages
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

/** Reads a name: 1 to 40 characters without control characters. @throws LepantoError for any other value */
const name: Shape<string> = (value, where) =>
  typeof value === 'string' && /^[^\p{C}]{1,40}$/u.test(value) ? value : refuseValue(where, value, 'a name');

/**
 * Returns a function that reads a message of a record or a request. The function throws a LepantoError for an invalid
 * message.
 * @param phase name of the phase, if the messages do not contain it
 */
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

/** Encodes the messages of one phase for a record: JSON in UTF-8, without the name of the phase. */
export const packMessages = (messages: readonly Message[]): Uint8Array =>
  new TextEncoder().encode(JSON.stringify(messages.map(({ phase: _, ...rest }) => rest)));

/**
 * Decodes the messages of one phase from a record. Does not check whether their senders and recipients exist;
 * findStrangers() does.
 * @param phase name of the phase
 * @param where name of the messages in error messages
 * @throws LepantoError if the bytes are not a list of at least one message
 */
export const unpackMessages = (bytes: Uint8Array, phase: string, where: string): Message[] => {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return refuse(`${where}: got ${bytes.length} bytes, wanted a list as JSON`);
  }
  return listOf(messageOf(phase), 1, MOST_READ)(value, where);
};

/**
 * Describes the first unknown sender or recipient of a message. Returns null if all exist.
 * @param powers names of the powers of the map
 */
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
