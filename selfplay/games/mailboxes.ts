// Delivers the messages of a game in progress, and keeps a mailbox of readable messages for each power.
import { copiesOf, type Message, mayRead, type Said } from '../question/message.js';

/** Maximum total weight of a game's messages, for all powers together. Keeps records and saved games readable. */
export const MAX_GAME_MESSAGES = 1 << 24;
/** Weight of each comma or bracket of the JSON. Each stands for a value, which costs more to parse than its bytes. */
const VALUE_WEIGHT = 32;

/** Returns the weight of a message: bytes as JSON plus VALUE_WEIGHT for each value, times the number of recipients. */
const weightOf = (said: Said): number => {
  const json = JSON.stringify(said);
  return copiesOf(said) * (Buffer.byteLength(json) + VALUE_WEIGHT * (json.match(/[,[{]/g)?.length ?? 0));
};

/** The messages of one game. */
export class Mailboxes {
  private readonly boxes: readonly Message[][];
  /** Total weight (weightOf()) of the messages that each power may still send, by power. */
  private readonly left: number[];
  /** `time_sent` of the next message. */
  private time = 1;

  /** @param powers names of the powers of the map */
  constructor(private readonly powers: readonly string[]) {
    this.boxes = powers.map(() => []);
    this.left = powers.map(() => MAX_GAME_MESSAGES / powers.length);
  }

  /** Returns the messages that a power has sent or received, oldest first. The list grows with later messages. */
  boxOf(power: number): readonly Message[] {
    return this.boxes[power];
  }

  /**
   * Delivers the messages of a power in a round.
   * @returns the delivered messages, and the number of messages rejected because the power has used up its weight
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
