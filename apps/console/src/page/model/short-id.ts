const maxLength = 24;

/** An id, shortened in the middle where it is long: its ends tell it from others. */
export function shortId(id: string): string {
  return id.length <= maxLength ? id : `${id.slice(0, 12)}…${id.slice(-10)}`;
}
