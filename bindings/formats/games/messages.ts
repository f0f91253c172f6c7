// Converts messages in saved games of other programs. `diplomacy` and dipcc have one recipient per message:
//
//   {"sender": "FRANCE", "recipient": "ENGLAND", "time_sent": 1, "phase": "S1901M", "message": "..."}
//
// The recipient GLOBAL (dipcc: ALL) stands for all powers. Lepanto writes a message to several powers once for each,
// with consecutive times. The fields `round`, `recipients` and `content` are Lepanto's; other programs ignore them.
// Programs look up messages by time, so all times of a game must differ.
import { hasCode } from '../../../engine/rules/error.js';
import {
  asObject,
  fieldOf,
  listOf,
  numberIn,
  optional,
  orElse,
  text,
  wholeNumber,
} from '../../../engine/rules/shape.js';
import {
  contentIn,
  copiesOf,
  GLOBAL,
  isAmongPowers,
  type Message,
  messageText,
} from '../../../selfplay/question/message.js';

/** Recipient in dipcc of a message to all powers. */
const ALL = 'ALL';

/** Messages of a file, and errors for the messages that cannot be read. */
export interface ReadMessages {
  readonly messages: readonly Message[];
  /** One text per invalid message: 'S1901M, message 2: sender: got nothing, wanted text'. */
  readonly refused: readonly string[];
}

/** A message of a file. `time` is undefined if the file has none. */
type Timeless = Omit<Message, 'phase' | 'time_sent'> & { readonly time: number | undefined };

/**
 * Returns the messages of a phase, sorted by time, with times moved so that all differ.
 * @param next time for a first message without one
 */
const inTime = (phase: string, listed: readonly Timeless[], next: number): Message[] => {
  const messages = listed.map(({ time = next, ...message }): Message => {
    next = Math.max(next, time + 1);
    return { phase, ...message, time_sent: time };
  });
  messages.sort((a, b) => a.time_sent - b.time_sent);
  let free = 0;
  return messages.map((message) => {
    const moved = { ...message, time_sent: Math.max(free, message.time_sent) };
    free = moved.time_sent + copiesOf(moved);
    return moved;
  });
};

/**
 * Reads the messages of all phases. A message without a time gets the time after the message before it. Invalid
 * messages are left out, with an error in `refused`.
 * @param lists phases in order, each with its messages as JSON values
 * @param read parses a message; returns null for a further copy of an earlier message
 */
export const readMessages = (
  lists: Iterable<readonly [phase: string, list: readonly unknown[]]>,
  read: (record: object) => Timeless | null,
): ReadMessages => {
  const found: Message[][] = [];
  const refused: string[] = [];
  let next = 1;
  for (const [phase, list] of lists) {
    const listed = list.flatMap((one, i): Timeless[] => {
      try {
        return [read(asObject(one, 'message')) ?? []].flat();
      } catch (error) {
        if (!hasCode(error, 'record')) throw error;
        refused.push(`${phase.slice(0, 20)}, message ${i + 1}: ${error.message}`);
        return [];
      }
    });
    const messages = inTime(phase, listed, next);
    const last = messages.at(-1);
    if (last !== undefined) next = last.time_sent + copiesOf(last);
    found.push(messages);
  }
  return { messages: found.flat(), refused };
};

const time = optional(numberIn(0, Number.MAX_SAFE_INTEGER));
const names = optional(listOf(text, 1, 256));

/**
 * Makes a parser for the messages of one saved game. The parser merges the copies of a message to several powers: it
 * returns null for all but the first.
 */
export const savedMessage = (): ((record: object) => Timeless | null) => {
  const seen = new Set<string>();
  return (record) => {
    const sender = text(fieldOf(record, 'sender'), 'sender');
    const given = text(fieldOf(record, 'recipient'), 'recipient');
    const recipient = given === ALL ? GLOBAL : given;
    const round = orElse(wholeNumber(0), 0)(fieldOf(record, 'round'), 'round');
    const said = messageText(fieldOf(record, 'message'), 'message');
    const sent = time(fieldOf(record, 'time_sent'), 'time_sent');
    const all = names(fieldOf(record, 'recipients'), 'recipients') ?? [];
    const copy = all.indexOf(recipient);
    const recipients = copy < 0 ? [recipient] : all;
    const begun = sent === undefined ? undefined : Math.trunc(sent) - Math.max(0, copy);
    if (copy >= 0) {
      const key = JSON.stringify([sender, recipients, begun, said]);
      if (seen.has(key)) return null;
      seen.add(key);
    }
    return { round, sender, recipients, time: begun, text: said, ...contentIn(record, 'content') };
  };
};

/** True if a program can store a message. dipcc has only messages between powers. */
export const isWritable = (message: Message, isDipcc: boolean): boolean => !isDipcc || isAmongPowers(message);

/**
 * Returns a message in the form of a saved game, with one entry per recipient.
 * @param phase name of the phase in the saved game
 */
export const savedMessages = (message: Message, phase: string, isDipcc: boolean): object[] => {
  const { sender, recipients, time_sent, text: said, round, content } = message;
  return recipients.map((recipient, i) => ({
    sender,
    recipient: isDipcc && recipient === GLOBAL ? ALL : recipient,
    time_sent: time_sent + i,
    phase,
    message: said,
    ...(round > 0 && { round }),
    ...(recipients.length > 1 && { recipients }),
    ...(content !== undefined && { content }),
  }));
};
