// Rule options as small integers, compiled once. Hot code reads them in rare paths only.

/** The choices among which the rulebooks differ; the numbers index the value lists below. Section and issue: DATC 3.2. */
export interface Rules {
  readonly name: string;
  /** Hash of the options; files carry it. */
  readonly id: number;
}

export const DATC_3_2: Rules = { name: 'datc-3.2', id: 0x3200 };
