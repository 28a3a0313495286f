import { badRequest, expired, type Subject, versionTooLarge } from '../../schema/api-status.ts';
import { type ObjectFilter, parseFieldSelector, parseLabelSelector } from '../object/selectors.ts';
import type { Collection } from '../store/collection.ts';

/** Where a page goes on: the state it belongs to and the last key it showed. */
interface Continue {
  readonly revision: number;
  readonly after: string;
}

/** What a list or watch asks for, checked. */
export interface ListOptions {
  readonly filter: ObjectFilter;
  readonly hasSelector: boolean;
  readonly limit: number | undefined;
  readonly continue: Continue | undefined;
  /** Undefined where none was given; 0 for any state. */
  readonly resourceVersion: number | undefined;
  readonly match: 'Exact' | 'NotOlderThan' | undefined;
}

export interface WatchOptions extends ListOptions {
  readonly allowBookmarks: boolean;
  readonly sendInitialEvents: boolean;
  readonly timeoutSeconds: number | undefined;
}

const bad = (field: string, why: string) => badRequest(`ListOptions.meta.k8s.io "" is invalid: ${field}: ${why}`);

export function parseListOptions(
  query: URLSearchParams,
  storageKey: string,
  extraFields: readonly string[],
  name: string | undefined,
): ListOptions {
  const labels = query.get('labelSelector') ?? '';
  const fields = [query.get('fieldSelector') ?? '', ...(name === undefined ? [] : [`metadata.name=${name}`])].join(',');
  const [byLabels, byFields] = [parseLabelSelector(labels), parseFieldSelector(fields, storageKey, extraFields)];
  const resourceVersion = versionOf(query.get('resourceVersion'));
  const match = matchOf(query.get('resourceVersionMatch'));
  const token = query.get('continue') ?? '';
  if (match !== undefined && resourceVersion === undefined && query.get('sendInitialEvents') === null)
    throw bad('resourceVersionMatch', 'Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided');
  if (match === 'Exact' && resourceVersion === 0)
    throw bad('resourceVersionMatch', 'Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"');
  if (token !== '' && match !== undefined)
    throw bad('resourceVersionMatch', 'Forbidden: resourceVersionMatch is forbidden when continue is provided');
  if (token !== '' && resourceVersion !== undefined && resourceVersion !== 0)
    throw badRequest('specifying resource version is not allowed when using continue');
  return {
    filter: (object) => byLabels(object) && byFields(object),
    hasSelector: labels !== '' || fields !== '',
    limit: limitOf(query.get('limit')),
    continue: token === '' ? undefined : readToken(token),
    resourceVersion,
    match,
  };
}

export function parseWatchOptions(
  query: URLSearchParams,
  storageKey: string,
  extraFields: readonly string[],
  name: string | undefined,
): WatchOptions {
  const options = parseListOptions(query, storageKey, extraFields, name);
  const sendInitialEvents = booleanOf(query, 'sendInitialEvents');
  if (sendInitialEvents === undefined && options.match !== undefined)
    throw bad('resourceVersionMatch', 'Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided');
  if (sendInitialEvents !== undefined && options.match !== 'NotOlderThan')
    throw bad('resourceVersionMatch', 'Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan');
  const timeout = query.get('timeoutSeconds');
  if (timeout !== null && timeout !== '' && !/^\d{1,9}$/.test(timeout))
    throw badRequest(`timeoutSeconds: strconv.ParseInt: parsing ${JSON.stringify(timeout)}: invalid syntax`);
  return {
    ...options,
    allowBookmarks: booleanOf(query, 'allowWatchBookmarks') ?? false,
    sendInitialEvents: sendInitialEvents ?? false,
    timeoutSeconds: timeout === null || timeout === '' || timeout === '0' ? undefined : Number(timeout),
  };
}

export function booleanOf(query: URLSearchParams, name: string): boolean | undefined {
  const value = query.get(name);
  if (value === null) return undefined;
  // What Go's API machinery takes as false; every other text is true there as well.
  return !['0', 'f', 'F', 'false', 'FALSE', 'False'].includes(value);
}

function versionOf(text: string | null): number | undefined {
  if (text === null || text === '') return undefined;
  if (!/^\d{1,19}$/.test(text)) throw bad('resourceVersion', `Invalid value: ${JSON.stringify(text)}: must be a number`);
  return Number(text);
}

function matchOf(text: string | null): ListOptions['match'] {
  if (text === null || text === '') return undefined;
  if (text === 'Exact' || text === 'NotOlderThan') return text;
  throw bad('resourceVersionMatch', `Unsupported value: ${JSON.stringify(text)}: supported values: "Exact", "NotOlderThan", ""`);
}

function limitOf(text: string | null): number | undefined {
  if (text === null || text === '' || text === '0') return undefined;
  if (!/^-?\d{1,15}$/.test(text)) throw badRequest(`limit: strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  const limit = Number(text);
  if (limit < 0) throw bad('limit', `Invalid value: ${limit}: must be greater than or equal to 0`);
  return limit;
}

export const writeToken = (revision: number, after: string): string =>
  Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: revision, start: after })).toString('base64url');

function readToken(token: string): Continue {
  try {
    const { v, rv, start } = JSON.parse(Buffer.from(token, 'base64url').toString('utf8')) as Readonly<Record<string, unknown>>;
    if (v === 'meta.k8s.io/v1' && typeof rv === 'number' && typeof start === 'string') return { revision: rv, after: start };
  } catch {
    throw badRequest('continue key is not valid: it is not a token of this server');
  }
  throw badRequest('continue key is not valid: it is not a token of this server');
}

/** One page of a list: what to read, of which state. */
export function readPage(collection: Collection, prefix: string, options: ListOptions, current: number, subject: Subject) {
  const { resourceVersion, match } = options;
  if (resourceVersion !== undefined && resourceVersion > current) throw versionTooLarge(resourceVersion, current);
  const exact = options.continue?.revision ?? (match === 'Exact' ? resourceVersion : undefined);
  const revision = exact ?? current;
  const after = options.continue?.after ?? '';
  const objects = exact === undefined ? collection.range(prefix, after) : collection.rangeAt(exact, prefix, after);
  if (objects === undefined) {
    throw expired(
      options.continue === undefined
        ? `The resourceVersion for the provided list of ${subject.plural} is too old.`
        : 'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter.',
    );
  }
  return { revision, objects };
}
