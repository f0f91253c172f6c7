// Converts lists of similar objects to columns. Values of one field resemble each other, so the deflated page of a game
// is a quarter smaller.

/** Values of each field, indexed by object. If some objects lack a field, its values are an object keyed by index. */
export type Columns = Readonly<Record<string, readonly unknown[] | Readonly<Record<number, unknown>>>>;

/** Converts objects to columns. Leaves out undefined fields. */
export const columnsOf = (rows: readonly object[]): Columns => {
  const columns: Record<string, Record<number, unknown>> = {};
  for (const [i, row] of rows.entries())
    for (const [field, value] of Object.entries(row)) {
      if (value === undefined) continue;
      columns[field] ??= {};
      columns[field][i] = value;
    }
  return Object.fromEntries(
    Object.entries(columns).map(([field, values]) => {
      const list = Object.values(values);
      return [field, list.length === rows.length ? list : values];
    }),
  );
};

/** Converts columns to objects. @param count number of objects */
export const rowsOf = <T>(columns: Columns, count: number): T[] =>
  Array.from(
    { length: count },
    (_, i) =>
      Object.fromEntries(
        Object.entries(columns).flatMap(([field, values]) => (i in values ? [[field, (values as unknown[])[i]]] : [])),
      ) as T,
  );
