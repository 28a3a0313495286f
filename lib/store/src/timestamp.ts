/**
 * A point in time, of the shape of google.protobuf.Timestamp: seconds since 1970, which may be negative, and 0 to 999 999 999 nanoseconds after them.
 * PostgreSQL keeps microseconds, which a Date would cut to milliseconds.
 */
export interface Timestamp {
  readonly seconds: bigint;
  readonly nanos: number;
}

const shown = /^(\d{4,})-(\d\d)-(\d\d)[ T](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:Z|([+-])(\d\d)(?::?(\d\d))?(?::?(\d\d))?)$/;

/** Reads what PostgreSQL shows of a timestamptz, and RFC 3339. Years 1 to 9999, as protobuf knows them. */
export function parseTimestamp(text: string): Timestamp {
  const match = shown.exec(text);
  const millis = match === null ? Number.NaN : Date.parse(`${match[1]}-${match[2]}-${match[3]}T${match[4]}:${match[5]}:${match[6]}Z`);
  if (match === null || Number.isNaN(millis)) throw new RangeError('a timestamp of the database is not between the years 1 and 9999');
  const offset = (match[8] === '-' ? -1 : 1) * (Number(match[9] ?? 0) * 3600 + Number(match[10] ?? 0) * 60 + Number(match[11] ?? 0));
  return { seconds: BigInt(millis / 1000 - offset), nanos: Number((match[7] ?? '').padEnd(9, '0')) };
}

/** RFC 3339 in UTC with nine digits: a value for a timestamptz parameter. PostgreSQL rounds it to the microsecond. */
export function formatTimestamp(timestamp: Timestamp): string {
  const whole = new Date(Number(timestamp.seconds) * 1000).toISOString();
  return `${whole.slice(0, -5)}.${String(timestamp.nanos).padStart(9, '0')}Z`;
}

/** Cut to the millisecond. */
export function timestampToDate(timestamp: Timestamp): Date {
  return new Date(Number(timestamp.seconds) * 1000 + Math.floor(timestamp.nanos / 1_000_000));
}
