// Delivers the messages of a game in progress, and keeps a mailbox of readable messages for each power.
import { copiesOf, type Message, mayRead, type Said } from '../question/message.js';

/**
 * Limit for the sum of the weights (weightOf()) of a game's messages. Each power may use an equal part. Keeps records
 * and saved games readable.
 */
export const MAX_GAME_MESSAGES = 1 << 24;
/**
 * Bytes added to the weight of a message for each comma or opening bracket of its JSON. Each stands for a value, which
 * costs more to parse than its bytes.
 */
const VALUE_WEIGHT = 32;

/**
 * Returns the weight of a message in bytes: length as JSON plus VALUE_WEIGHT for each value, multiplied by the number
 * of recipients.
 */
const weightOf = (said: Said): number => {
  const json = JSON.stringify(said);
  return copiesOf(said) * (Buffer.byteLength(json) + VALUE_WEIGHT * (json.match(/[,[{]/g)?.length ?? 0));
};

/** Delivers the messages of one game, and keeps the messages that each power may read. */
export class Mailboxes {
  private readonly boxes: readonly Message[][];
  /** Sum of the weights (weightOf()) of the messages that each power may still send, indexed by power. */
  private readonly left: number[];
  /** `time_sent` of the next message (Message.time_sent). */
  private time = 1;

  /** Makes empty mailboxes. @param powers names of the powers of the map */
  constructor(private readonly powers: readonly string[]) {
    this.boxes = powers.map(() => []);
    this.left = powers.map(() => MAX_GAME_MESSAGES / powers.length);
  }

  /** Returns the messages that a power has sent or received, oldest first. The list grows with later messages. */
  boxOf(power: number): readonly Message[] {
    return this.boxes[power];
  }

  /**
   * Delivers the messages that a power sends in a round. Drops a message that exceeds the weight left to the power.
   * @param phase name of the phase
   * @param round number of the round, from 1
   * @param power index of the sender
   * @param all messages of the power
   * @returns the delivered messages, and the number of dropped ones
   */
  send(phase: string, round: number, power: number, all: readonly Said[]): { sent: Message[]; refused: number } {
    const sent: Message[] = [];
    for (const said of all) {
      const weight = weightOf(said);
      if (weight > this.left[power]) continue;
      this.left[power] -= weight;
      const { recipients, text, content } = said;
      const message: Message = {
        ...{ phase, round, sender: this.powers[power], recipients, time_sent: this.time, text },
        ...(content !== undefined && { content }),
      };
      this.time += copiesOf(said);
      sent.push(message);
      this.powers.forEach((name, q) => {
        if (mayRead(message, name)) this.boxes[q].push(message);
      });
    }
    return { sent, refused: all.length - sent.length };
  }
}
