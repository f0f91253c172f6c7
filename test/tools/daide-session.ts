// Turns the --log of `lepanto daide` into a recorded session for tests: what every client sent, and when, and what the
// first one was told. With --in-order the same messages lead to the same game.
//
//   node dist/test/tools/daide-session.js LOG > test/data/daide-session.txt
//
// A line is `CLIENT TURN < MESSAGE`, the client's number by its seat and the number of NOW that it had heard, or
// `> MESSAGE`, to the first client.
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/** A line of a session. */
export interface SessionLine {
  /** From 0; 0 for what the server sent. */
  readonly client: number;
  readonly turn: number;
  readonly isSent: boolean;
  readonly text: string;
}

const compact = (text: string): string => text.replace(/\( /g, '(').replace(/ \)/g, ')');

/** Passcodes are drawn anew each time. */
export const withoutPasscode = (text: string): string => text.replace(/^(HLO \(\w{3}\)) \(\d+\)/, '$1 (0)');

export const sessionOf = (log: string): string[] => {
  const seats = new Map<string, number>();
  const turns = new Map<string, number>();
  const lines: string[] = [];
  for (const line of log.split('\n')) {
    const [, id, sign, text] = /^\S+ (\d+) ([<>]) (.*)$/.exec(line) ?? [];
    if (text === undefined) continue;
    if (text.startsWith('NME')) seats.set(id, seats.size);
    if (sign === '>' && text.startsWith('NOW')) turns.set(id, (turns.get(id) ?? 0) + 1);
    const seat = seats.get(id);
    if (seat === undefined) continue;
    if (sign === '<') lines.push(`${seat} ${turns.get(id) ?? 0} < ${compact(text)}`);
    else if (seat === 0) lines.push(`> ${withoutPasscode(compact(text))}`);
  }
  return lines;
};

export const readSession = (text: string): SessionLine[] =>
  text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const sent = /^(\d+) (\d+) < (.*)$/.exec(line);
      if (sent === null) return { client: 0, turn: 0, isSent: false, text: line.slice(2) };
      return { client: Number(sent[1]), turn: Number(sent[2]), isSent: true, text: sent[3] };
    });

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  process.stdout.write(`${sessionOf(readFileSync(process.argv[2] ?? '', 'utf8')).join('\n')}\n`);
