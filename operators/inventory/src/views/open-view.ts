import { type AnyPatch, type AnyState, diffTopic, splitAddress, type Topic, type TopicState } from '@quartermaster/api/inventory-views';
import { StatusError } from '@quartermaster/kernel';

/** One view with its parameters. */
export interface OpenView {
  /** Undefined while nothing is known. Equal states may be the same object. */
  read(): AnyState | undefined;
  diff(before: AnyState, after: AnyState): AnyPatch | undefined;
}

type Opener = (params: URLSearchParams) => OpenView;

/** A view by its name, and how it is opened. */
export type NamedView = readonly [name: string, open: Opener];

/** How views are opened by addresses such as `nodes?name=gpu-7`. What it gives throws a StatusError for one that there is not. */
export function viewsByAddress(views: readonly NamedView[]): (address: string) => OpenView {
  const openers = new Map(views); // name -> how it is opened
  return (address) => {
    const { name, params } = splitAddress(address);
    const open = openers.get(name);
    if (open !== undefined) return open(params);
    throw new StatusError('not_found', `there is no view ${JSON.stringify(name)}: follow ${[...openers.keys()].join(', ')}`);
  };
}

export function namedView<Params, Head extends object, Row extends object>(
  topic: Topic<Params, Head, Row>,
  read: (params: Params) => TopicState<Head, Row> | undefined,
): NamedView {
  const keyOf = topic.keyOf as (row: object) => string;
  return [
    topic.name,
    (text) => {
      const params = topic.parse(text);
      return { read: () => read(params), diff: (before, after) => diffTopic(before, after, keyOf) };
    },
  ];
}
