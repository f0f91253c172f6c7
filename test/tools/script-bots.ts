// Writes bots for tests of what asks them, as bindings/protocols/BOT-PROTOCOL.md says: programs of Node that draw from their
// legal orders.
import { writeFileSync } from 'node:fs';

/** What a bot does besides, in JavaScript. `line` is what it was sent, `n` the number of the line from 1. */
export interface BotScript {
  /** Statements at each line. */
  readonly before?: string;
  /** Statements that return the answer to a request; null for none. draw(line) is a list of legal orders. */
  readonly reply?: string;
  /** An object: fields of its hello in place of the usual ones. */
  readonly own?: string;
}

/** Writes a bot into a file. Returns the name of its agent. */
export const writeBot = (path: string, { before = '', reply, own = '{}' }: BotScript = {}): string => {
  writeFileSync(
    path,
    `import { appendFileSync } from 'node:fs';
     import readline from 'node:readline';
     let n = 0;
     const say = (value) => console.log(typeof value === 'string' ? value : JSON.stringify(value));
     const draw = ({ powers: [power], legal, builds, seed }) => Object.values(legal[power])
       .slice(0, builds?.[power] === undefined ? 99 : Math.abs(builds[power]))
       .map((list, i) => list[Math.abs((seed + i) % list.length)]);
     const reply = (line) => { ${reply ?? 'return { id: line.id, orders: { [line.powers[0]]: draw(line) } }'} };
     const hello = { protocol: 'lepanto-agent', version: 1, name: 'bot', batch: 16, wants: ['legal'], ...${own} };
     readline.createInterface({ input: process.stdin }).on('line', (text) => {
       const line = JSON.parse(text);
       n++;
       ${before};
       if (line.hello) return say({ hello });
       if (line.end !== undefined) return;
       const answer = Array.isArray(line) ? line.map(reply) : reply(line);
       if (answer !== null) say(answer);
     });`,
  );
  return `exec:${process.execPath} ${path}`;
};
