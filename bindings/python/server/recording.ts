// What a batch records.

/** What is recorded, and where. */
export interface Recording {
  /** An empty or a new directory. */
  readonly directory: string;
  /** Of the client, who orders the powers that no agent does; and by power, where it has another. */
  readonly name: string;
  readonly names: Readonly<Record<string, string>>;
  /** Of the batch. The seeds in the records follow from it by the number of the game, as in any run. */
  readonly seed: number;
}
