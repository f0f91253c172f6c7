// The messages of a game while it is played: delivers each round, and keeps what each power may read.
import { copiesOf, type Message, mayRead, type Said } from '../question/message.js';

/** Most that the messages of a game may weigh, all powers together: a record and a saved game stay readable. */
export const MAX_GAME_MESSAGES = 1 << 24;
/** A comma or a bracket of a message stands for a value, which costs whoever reads it more than its bytes. */
const VALUE_WEIGHT = 32;

const weightOf = (said: Said): number => {
  const json = JSON.stringify(said);
  return copiesOf(said) * (Buffer.byteLength(json) + VALUE_WEIGHT * (json.match(/[,[{]/g)?.length ?? 0));
};

export class Mail {
  private readonly boxes: readonly Message[][];
  /** What each power may still send. */
  private readonly left: number[];
  private time = 1;

  /** @param powers of the map */
  constructor(private readonly powers: readonly string[]) {
    this.boxes = powers.map(() => []);
    this.left = powers.map(() => MAX_GAME_MESSAGES / powers.length);
  }

  /** What a power may read, in the order of time: its own messages too. The list grows as the game goes on. */
  boxOf(power: number): readonly Message[] {
    return this.boxes[power];
  }

  /** Sends what a power has said. @returns what was sent, and how many messages were too much for one game */
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
