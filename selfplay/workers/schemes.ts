// Names of agents with a scheme, like 'exec:COMMAND', and the modules that make them: known to a thread once they are added.
import { CHOICE_MS } from './patience.js';

const schemes = new Map<string, string>();

/** What other threads must add too. */
export const addedSchemes = (): readonly (readonly [scheme: string, module: string])[] => [...schemes];

/**
 * Makes loadAgent() know names that begin with a scheme.
 * @param module URL of a module that exports makeAgent(rest, limit): the name without scheme, and the milliseconds of a
 * choice. Its agents are trusted with the game as those that ship are
 */
export const addScheme = (scheme: string, module: string): void => {
  schemes.set(scheme, module);
};

/** The scheme of a name, and the URL of its module; undefined for any other name. */
export const schemeOf = (text: string): readonly [scheme: string, module: string] | undefined =>
  addedSchemes().find(([scheme]) => text.trim().startsWith(`${scheme}:`));

let choiceLimit = CHOICE_MS;

/** Milliseconds that agents of schemes may take for a choice; 0 for as many as they like. */
export const limitOfChoice = (): number => choiceLimit;
/** Sets it for agents that are made from now on in this thread. */
export const limitChoices = (limit: number): void => {
  choiceLimit = limit;
};
