// Tells whether an error has the right message. assert.throws() of uvu takes a text for the message of the assertion itself,
// and then accepts every error.

/** For assert.throws(): true for an error whose message contains a text, or matches a pattern. */
export const saying =
  (wanted: string | RegExp) =>
  ({ message }: Error): boolean =>
    typeof wanted === 'string' ? message.includes(wanted) : wanted.test(message);
