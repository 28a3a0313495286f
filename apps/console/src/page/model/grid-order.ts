export interface GridOrder<Name extends string> {
  readonly column: Name;
  readonly isDescending: boolean;
}

/** As it stands in the address: `pods`, `-pods`. Anything else is by the first column. */
export function parseOrder<Name extends string>(text: string | null, columns: readonly [Name, ...Name[]]): GridOrder<Name> {
  const isDescending = text?.startsWith('-') === true;
  const column = columns.find((name) => name === text?.replace(/^-/, ''));
  return column === undefined ? { column: columns[0], isDescending: false } : { column, isDescending };
}

/** What the address holds for an order; null for the usual one, by the first column, which needs no mention. */
export function orderText<Name extends string>(
  { column, isDescending }: GridOrder<Name>,
  [first]: readonly [Name, ...Name[]],
): string | null {
  return column === first && !isDescending ? null : `${isDescending ? '-' : ''}${column}`;
}
