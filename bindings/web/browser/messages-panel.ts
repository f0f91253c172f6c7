// Controls the section Messages: press between powers before the orders of a movement phase, in rounds.

import { copiesOf, GLOBAL, type Message, mayRead, type Said } from '../../../selfplay/question/message.js';
import { phaseTitle, powerTitle } from '../../draw/titles.js';
import { messagesTo } from '../orders/timeline.js';
import type { BoardState } from './board-state.js';
import type { Busy } from './game-panel.js';
import { byId, control, element, onClick, onTry, optionsOf, say } from './page.js';

export interface MessagesPanel {
  readonly paint: () => void;
  /** Plays the rounds of messages (press) that remain in the phase. */
  readonly finish: (signal: AbortSignal) => Promise<void>;
}

/** Asks bots for the messages that they send in a round of press. Returns them keyed by power. */
export type TalkAsker = (round: number, signal: AbortSignal) => Promise<Readonly<Record<string, readonly Said[]>>>;

export const messagesPanel = (table: BoardState, askTalk: TalkAsker, busy: Busy): MessagesPanel => {
  const isOpen = (): boolean => table.state.turn.phase.endsWith('M') && table.state.turn.rounds < table.state.rounds;
  /** Returns the human powers that can write messages now: the one whose turn it is, or all with units. */
  const speakers = (): string[] => {
    const one = table.player();
    const { units } = table.state.turn;
    return one === null
      ? table.map.powerNames.filter((power) => table.isHuman(power) && units[power]?.length > 0)
      : [one];
  };

  const add = (sender: string, said: readonly Said[]): void => {
    const { turn } = table.state;
    for (const one of said) {
      const last = messagesTo(turn).at(-1);
      const time_sent = last === undefined ? 1 : last.time_sent + copiesOf(last);
      const message: Message = { phase: turn.phase, round: turn.rounds + 1, sender, time_sent, ...one };
      turn.messages = [...turn.messages, message];
    }
  };

  /** Ends the round of press: asks bots for messages, and delivers all messages of the round. */
  const nextRound = async (signal: AbortSignal): Promise<void> => {
    const { turn } = table.state;
    const said = await askTalk(turn.rounds + 1, signal);
    if (signal.aborted || table.state.turn !== turn) return;
    for (const power of table.map.powerNames) add(power, said[power] ?? []);
    turn.rounds++;
    table.onChange();
  };

  const line = ({ phase, round, sender, recipients, text, content }: Message): HTMLElement => {
    const to = recipients.includes(GLOBAL) ? 'all' : recipients.map(powerTitle).join(', ');
    const head = element('b', {}, `${powerTitle(sender)} to ${to}`);
    const made = element('p', {}, head, ` ${phaseTitle(phase)}, round ${round}`, element('span', {}, text));
    if (content !== undefined) made.append(element('code', {}, JSON.stringify(content)));
    return made;
  };

  const paint = (): void => {
    const { turn, rounds } = table.state;
    const readers = speakers();
    const all = messagesTo(turn).filter((one) => {
      const isPast = one.phase !== turn.phase || one.round <= turn.rounds;
      return readers.some((power) => one.sender === power || (isPast && mayRead(one, power)));
    });
    byId('messages').replaceChildren(...all.map(line));
    byId('writing').hidden = !isOpen() || readers.length === 0;
    byId('next-round').hidden = !isOpen();
    byId('next-round').textContent = `End round ${turn.rounds + 1} of ${rounds}`;
    byId('press-told').textContent =
      rounds === 0
        ? 'There is no press in this game: choose rounds of press under Game.'
        : isOpen()
          ? `Round ${turn.rounds + 1} of ${rounds}: what is written is read in the next round, or with the orders. Agents that run on the server answer, those in the browser are silent.`
          : 'The rounds of this phase are over.';
    byId('sender').replaceChildren(...optionsOf(readers, powerTitle, control('sender').value));
    const [to, from] = [control('recipient').value, control('sender').value];
    const others = table.map.powerNames.filter((power) => power !== from);
    const titleOf = (name: string): string => (name === GLOBAL ? 'all' : powerTitle(name));
    byId('recipient').replaceChildren(...optionsOf([GLOBAL, ...others], titleOf, to));
  };

  byId('sender').addEventListener('change', paint);
  onTry('send', 'click', () => {
    const [text, sender] = [control('message').value.trim(), control('sender').value];
    if (text === '' || !isOpen()) return;
    add(sender, [{ recipients: [control('recipient').value], text }]);
    control('message').value = '';
    paint();
  });
  onClick('next-round', () => void busy(nextRound));
  return {
    paint,
    finish: async (signal) => {
      while (isOpen() && !signal.aborted) {
        say('Agents are talking ...');
        await nextRound(signal);
      }
    },
  };
};
