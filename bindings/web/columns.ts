// Lists of like objects by field instead of by object. Values of one field resemble each other, so the page of a game takes
// a quarter fewer bytes when it is deflated.

/** Values by field and index of the object. A field that some objects lack has an object of values by index. */
export type Columns = Readonly<Record<string, readonly unknown[] | Readonly<Record<number, unknown>>>>;

/** Columns of some objects; fields that are undefined are absent. */
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

/** The objects of some columns. @param count number of objects */
export const rowsOf = <T>(columns: Columns, count: number): T[] =>
  Array.from(
    { length: count },
    (_, i) =>
      Object.fromEntries(
        Object.entries(columns).flatMap(([field, values]) => (i in values ? [[field, (values as unknown[])[i]]] : [])),
      ) as T,
  );
