// Messages in games of other programs. `diplomacy` and dipcc have one recipient a message:
//
//   {"sender": "FRANCE", "recipient": "ENGLAND", "time_sent": 1, "phase": "S1901M", "message": "..."}
//
// The recipient of all powers is GLOBAL, in dipcc ALL. A message of Lepanto to several powers is written once for each, at
// times that follow each other; `round`, `recipients` and `content` are Lepanto's, and others ignore them. Programs find
// messages by their times, so that no two of a game may have the same.
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

const ALL = 'ALL';

/** What a file says, and why some of it cannot be read. */
export interface ReadMessages {
  readonly messages: readonly Message[];
  /** 'S1901M, message 2: sender: got nothing, wanted text' */
  readonly refused: readonly string[];
}

/** A message of a file, without a time if that is not said. */
type Timeless = Omit<Message, 'phase' | 'time_sent'> & { readonly time: number | undefined };

/** The messages of a phase in the order of time, each at one of its own. @param next time of one without */
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
 * Reads the messages of phases. Those without a time follow the last one.
 * @param read one of them; null for a copy of one that was there before
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

/** Reads messages of saved games: the copies of one to several powers are one message. */
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

/** False for a message that a program cannot have: dipcc knows powers alone. */
export const isWritable = (message: Message, isDipcc: boolean): boolean => !isDipcc || isAmongPowers(message);

/** A message as a saved game has it. @param phase name of its phase there */
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
