// Answers the messages of clients to a table. A client may play, observe or do neither.
import type { ClientMessage } from './client-messages.js';
import { diplomacyFrame } from './framing.js';
import type { GameTable } from './game-table.js';
import { integerToken, reject, Word, yes } from './language.js';
import { definitionFrame } from './messages.js';
import type { Seat, TableClient } from './seats.js';

/** Answer to a request: a frame, true for YES, false or null for REJ, or undefined for no answer. */
type Answer = Buffer | boolean | null | undefined;

/** A request of a client, with its context. */
interface Asked {
  readonly table: GameTable;
  readonly client: TableClient;
  /** Seat of the client. Null for observers and clients without a seat. */
  readonly seat: Seat | null;
  /**
   * Seat of the client while its power is in the game; null before and after the game, and once the power is
   * eliminated.
   */
  readonly playing: Seat | null;
  readonly tokens: ArrayLike<number>;
  /** Registers a function to call after the answer has been sent. Replaces one that was registered before. */
  readonly then: (act: () => void) => undefined;
}

/** Kinds of messages that tables answer. The server itself answers NME, OBS, IAM and REJ. */
type TableKind = Exclude<ClientMessage['kind'], 'NME' | 'OBS' | 'IAM' | 'REJ'>;
type Handlers = { readonly [K in TableKind]: (asked: Asked, message: ClientMessage & { readonly kind: K }) => Answer };

/**
 * Makes a handler that sets fields of the client's seat and answers YES, or answers REJ if its power is not in the
 * game.
 * @param wish values to set
 * @param follow called after the answer has been sent
 */
const want =
  (wish: Partial<Pick<Seat, 'goesAhead' | 'wantsDraw'>>, follow: (asked: Asked, seat: Seat) => void = () => {}) =>
  (asked: Asked): boolean => {
    const { playing } = asked;
    if (playing === null) return false;
    Object.assign(playing, wish);
    asked.then(() => follow(asked, playing));
    return true;
  };

const handlers: Handlers = {
  MAP: ({ table }) => table.mapFrame,
  MDF: ({ table }) => definitionFrame(table.options.rep),
  HLO: ({ table, seat }) => (table.state === 'forming' ? null : table.helloFrame(seat)),
  SCO: ({ table }) => table.game.ownership,
  NOW: ({ table }) => table.game.position,
  ORD: ({ table }) => table.game.recentFrame,
  HST: ({ table }, { turn }) => {
    const played = table.game.played([turn.season, integerToken(turn.year)]);
    return played === null ? null : Buffer.concat([played.orders, played.ownership, played.position]);
  },
  SMR: ({ table }) => table.endFrame,
  SUB: ({ table, seat, then }, { turn, orders }) => {
    const isNow = turn === null || [turn.season, integerToken(turn.year)].join() === table.game.turn.join();
    return seat !== null && table.isPlaying && isNow && then(() => table.submit(seat, orders));
  },
  'NOT SUB': ({ table, playing }, { order }) => playing !== null && table.game.books[playing.power].cancel(order),
  MIS: ({ table, seat }) =>
    seat !== null && table.isPlaying ? diplomacyFrame(table.game.books[seat.power].missing()) : null,
  GOF: want({ goesAhead: true }, ({ table }, seat) => table.goAhead(seat)),
  'NOT GOF': want({ goesAhead: false }),
  DRW: want({ wantsDraw: true }, ({ table }) => table.drawIfAgreed()),
  'NOT DRW': want({ wantsDraw: false }),
  TME: ({ table, client }, { seconds }) => (seconds === null ? table.timeFrame : table.wantTime(client, seconds)),
  'NOT TME': ({ table, client }, { seconds }) => table.clock.forget(client, seconds),
  ADM: ({ table, client, tokens, then }) =>
    table.mayTellAll(client) && then(() => table.broadcast(diplomacyFrame(Array.from(tokens)))),
  YES: ({ table, client, then }, { what, name }) => {
    if (what !== Word.MAP) return undefined;
    return name.toLowerCase() === table.options.rep.mapName.toLowerCase() && then(() => table.acceptMap(client));
  },
};

const isForTables = (kind: ClientMessage['kind']): kind is TableKind => Object.hasOwn(handlers, kind);

/**
 * Sends a client the answer to its message and acts on it. Does nothing for kinds that tables do not handle.
 * @param tokens tokens of the same message, which YES and REJ repeat
 */
export const answerRequest = (
  table: GameTable,
  client: TableClient,
  message: ClientMessage,
  tokens: ArrayLike<number>,
): void => {
  if (!isForTables(message.kind)) return;
  const seat = table.seats.of(client);
  const playing = seat !== null && table.isPlaying && table.game.survives(seat.power) ? seat : null;
  let next = (): void => {};
  const then = (act: () => void): undefined => {
    next = act;
  };
  // `handlers` maps each kind to a handler of its own message type; the compiler cannot see that for a union.
  const handler = handlers[message.kind] as (asked: Asked, message: ClientMessage) => Answer;
  const answer = handler({ table, client, seat, playing, tokens, then }, message);
  if (answer !== undefined)
    client.send(answer instanceof Buffer ? answer : diplomacyFrame(answer === true ? yes(tokens) : reject(tokens)));
  next();
};
