/** From 1970, which nothing that is measured is older than, to the last that a protobuf Timestamp has. */
const last = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** Milliseconds since the epoch; undefined for what is no time, and for times that nobody can have measured: Go writes an unknown one as the year 1. */
export function knownTime(text: string | undefined): number | undefined {
  const ms = Date.parse(text ?? '');
  return ms > 0 && ms <= last ? ms : undefined;
}
