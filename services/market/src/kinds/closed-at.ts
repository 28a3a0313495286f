import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';

interface Closable {
  readonly status?: { readonly closedAt?: Timestamp | undefined } | undefined;
}

/** The column that says when an object was closed, as a text that sorts by time; empty while it is not. */
export const closedAt = <M extends Closable>() => ({ form: 'text', of: ({ status }: M): string => timeText(status?.closedAt) }) as const;

export const timeText = (time: Timestamp | undefined): string => (time === undefined ? '' : timestampDate(time).toISOString());
