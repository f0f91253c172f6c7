// Tells by its name what an agent is, without loading any.

/** True for the name of a user's module: './my-agent.js', '../a.mjs', '/home/me/a.js'. */
export const isModuleName = (text: string): boolean => /^(\.{0,2}\/)/.test(text.trim());

export const EXEC = 'exec:';

/** True for a bot in a process of its own: 'exec:COMMAND'. */
export const isCommandName = (text: string): boolean => text.trim().startsWith(EXEC);
