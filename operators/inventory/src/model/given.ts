/** The field with the value, or nothing when there is none. */
export function given<K extends string, V>(field: K, value: V | undefined): { readonly [F in K]?: V } {
  return (value === undefined ? {} : { [field]: value }) as { readonly [F in K]?: V };
}
