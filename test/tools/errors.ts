// Reads and checks errors. assert.throws() of uvu takes a text for the message of the assertion itself, and then accepts
// every error: saying() takes the place of the text.

/** Message of the error that is thrown; '' if none is. */
export const errorOf = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    return (error as Error).message;
  }
  return '';
};

/** Message of the error that a promise is rejected with; 'nothing was thrown' if it resolves. */
export const rejection = async (promise: Promise<unknown>): Promise<string> => {
  try {
    await promise;
  } catch (error) {
    return (error as Error).message;
  }
  return 'nothing was thrown';
};

/** For assert.throws(): true for an error whose message contains a text, or matches a pattern. */
export const saying =
  (wanted: string | RegExp) =>
  ({ message }: Error): boolean =>
    typeof wanted === 'string' ? message.includes(wanted) : wanted.test(message);
