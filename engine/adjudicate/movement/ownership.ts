// Whose game is on the board.
//
// A thread has one board (board.ts). adjudicate() puts a game on it, resolves it, and is done with it; load() of
// sampling/stepper.ts puts a game there to stay, for step after step. So that a step never plays another game than the
// one that was loaded, whoever puts units on the board claims it first, and a step without the last claim is refused.

/** [0]: number of the last claim. Hot code compares it with its own. */
export const lastClaim = new Int32Array(1);

/** Takes the board from whoever had it. Returns the number of the claim: it holds while lastClaim[0] is that. */
export const claimBoard = (): number => {
  lastClaim[0]++;
  return lastClaim[0];
};
