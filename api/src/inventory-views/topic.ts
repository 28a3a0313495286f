/**
 * Something that a page can follow: one small part of what a server knows, cut out there. A topic says a head, whose fields are facts of their
 * own, and rows that are told apart by a key. Both sides of the stream share its definition.
 */
export interface Topic<Params, Head extends object, Row extends object> {
  /** In addresses: `pods`. */
  readonly name: string;
  readonly keyOf: (row: Row) => string;
  /** Throws a StatusError that names the parameter when one makes no sense. */
  readonly parse: (params: URLSearchParams) => Params;
  readonly format: (params: Params) => Readonly<Record<string, string | undefined>>;
  /** Never there: carries the types. */
  readonly head?: Head | undefined;
}

export interface TopicState<Head extends object, Row extends object> {
  readonly head: Head;
  /** In no particular order: whoever shows them has an order of their own. */
  readonly rows: readonly Row[];
}

export type AnyState = TopicState<object, object>;

/** What is followed, as text: `pods?phase=Running&page=2`. Equal parameters give equal text. */
export function topicAddress<Params, Head extends object, Row extends object>(topic: Topic<Params, Head, Row>, params: Params): string {
  const given = Object.entries(topic.format(params)).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== '',
  );
  const query = new URLSearchParams(given.toSorted(([a], [b]) => (a < b ? -1 : 1))).toString();
  return query === '' ? topic.name : `${topic.name}?${query}`;
}

/** The two halves of an address. */
export function splitAddress(address: string): { readonly name: string; readonly params: URLSearchParams } {
  const [name = '', ...query] = address.split('?');
  return { name, params: new URLSearchParams(query.join('?')) };
}
