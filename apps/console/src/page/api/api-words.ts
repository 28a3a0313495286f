/** Milliseconds since the epoch of a timestamp; undefined for none, and for the beginning of all time. */
export function momentOf(text: string | undefined): number | undefined {
  const at = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(at) || at <= 0 ? undefined : at;
}
