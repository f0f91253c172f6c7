// Commands of a server: names, letters on the pipe, and arguments. A client receives this table in the handshake.
import { LepantoError } from '../../../engine/rules/error.js';
import type { ServerRequest } from './pipe.js';

/** How a request on the pipe encodes a command. */
interface Command {
  /** First byte of the request. */
  readonly letter: string;
  /** Names of the arguments, in order. A missing argument is 0. */
  readonly arguments: readonly string[];
}

type Commands = Readonly<Record<string, Command>>;

/** Commands that every server has: JSON requests, echo and quit. */
export const pipeCommands = {
  ask: { letter: 'j', arguments: ['length'] },
  echo: { letter: '=', arguments: ['a', 'b', 'c', 'd'] },
  quit: { letter: 'q', arguments: [] },
} as const satisfies Commands;

/** Commands of the batch server, which steps games, in addition to pipeCommands. */
export const batchCommands = {
  step: { letter: 's', arguments: ['first', 'end', 'on', 'masked'] },
  play: { letter: 'p', arguments: ['count', 'sampler', 'agent'] },
  describe: { letter: 'd', arguments: ['first', 'end'] },
  reset: { letter: 'r', arguments: [] },
  load: { letter: 'l', arguments: ['fresh'] },
  reseed: { letter: 'n', arguments: [] },
  choose: { letter: 'a', arguments: ['first', 'end', 'agent', 'seed'] },
  expand: { letter: 'x', arguments: ['first', 'end', 'fresh'] },
  write: { letter: 'w', arguments: [] },
  engine: { letter: 'e', arguments: ['ms', 'sampler'] },
} as const satisfies Commands;

/** Functions that perform the commands of a server, keyed by name of the command. */
export type Performers<T extends Commands, Result> = {
  readonly [Name in keyof T]: (given: { readonly [Argument in T[Name]['arguments'][number]]: number }) => Result;
};

/**
 * Returns a function that performs a request by the letter of its command. The function throws a LepantoError for an
 * unknown letter.
 */
export const performBy = <T extends Commands, Result>(
  commands: T,
  performers: Performers<T, Result>,
): ((request: ServerRequest) => Result) => {
  const names = new Map(Object.entries(commands).map(([name, { letter }]) => [letter, name]));
  const letters = Object.values({ ...commands, ...pipeCommands }).map(({ letter }) => letter);
  return ({ command, arguments: given }) => {
    const name = names.get(command);
    if (name === undefined)
      throw new LepantoError(
        'argument',
        `command: got ${JSON.stringify(command)}, wanted one of ${letters.sort().join('')}`,
      );
    const values: Record<string, number> = {};
    for (const [i, argument] of commands[name].arguments.entries()) values[argument] = given[i];
    return performers[name](values as Parameters<(typeof performers)[typeof name]>[0]);
  };
};
