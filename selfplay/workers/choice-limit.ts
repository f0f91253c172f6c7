// How long bots in processes of their own may think in this thread.
import { CHOICE_MS } from './watchdog.js';

let choiceLimit = CHOICE_MS;

/** Milliseconds for a choice; 0 for as many as the bot takes. */
export const limitOfChoice = (): number => choiceLimit;
/** Sets it for agents that are made from now on in this thread. */
export const limitChoices = (limit: number): void => {
  choiceLimit = limit;
};
