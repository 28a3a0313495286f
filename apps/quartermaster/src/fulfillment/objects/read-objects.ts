import { StatusError } from '@quartermaster/kernel';
import type { Kind } from '../kinds/kind.ts';
import type { ObjectApi } from './api-connection.ts';
import type { AnyObject } from './object-client.ts';
import { idsFilter, namesFilter, orderFilter } from './object-filter.ts';

/** The largest page that the service gives. */
const pageSize = 1000;
/** So many are named to a person who has to choose. */
const maxOfOneName = 10;
/** How many ids go into one filter: a filter has an end, too. */
const idsAtOnce = 250;

export interface ReadOptions {
  readonly filter?: string | undefined;
  readonly order?: string | undefined;
  /** At most so many; undefined: all. */
  readonly limit?: number | undefined;
}

export interface ReadResult {
  readonly items: readonly AnyObject[];
  /** All that match, of which `items` may be the first. Undefined when the service did not count. */
  readonly total?: number | undefined;
}

/** Page after page, in the order of the service. */
export async function readObjects({ client }: ObjectApi, { filter, order, limit }: ReadOptions, signal?: AbortSignal): Promise<ReadResult> {
  const items: AnyObject[] = [];
  let total: number | undefined;
  for (let cursor = ''; ; ) {
    const wanted = limit === undefined ? pageSize : Math.min(limit - items.length, pageSize);
    // Counting is worth it only when somebody is told that there are more.
    const skipTotal = cursor !== '' || limit === undefined;
    const page = await client.list({ limit: wanted, cursor, skipTotal, filter, order }, { signal });
    items.push(...page.items);
    total ??= page.total;
    cursor = page.nextCursor;
    if (cursor === '' || (limit !== undefined && items.length >= limit)) return { items, total: cursor === '' ? items.length : total };
  }
}

/** Objects of these ids that match the filter, in few calls. */
export async function readByIds(api: ObjectApi, ids: readonly string[], filter?: string, signal?: AbortSignal): Promise<AnyObject[]> {
  const found: AnyObject[] = [];
  for (let from = 0; from < ids.length; from += idsAtOnce) {
    const some = idsFilter(ids.slice(from, from + idsAtOnce));
    const { items } = await readObjects(api, { filter: filter === undefined ? some : `(${some}) && (${filter})` }, signal);
    found.push(...items);
  }
  return found;
}

/** The one object of this name or id; an id wins over the name of another. Secrets are redacted in it. */
export async function findObject(api: ObjectApi, name: string): Promise<AnyObject> {
  const found = await findObjectIfAny(api, name);
  if (found === undefined) throw missingObjects(api.kind, [name]);
  return found;
}

/** As `findObject`, without a complaint when there is none. */
export async function findObjectIfAny(api: ObjectApi, name: string): Promise<AnyObject | undefined> {
  const ofOrder = api.kind.isOfOrder === true ? orderFilter(name) : undefined;
  if (ofOrder !== undefined) return (await readObjects(api, { filter: ofOrder, limit: 1 })).items[0];
  const { items } = await readObjects(api, { filter: namesFilter([name]), limit: maxOfOneName });
  // More that have the name may keep out the one that has it as its id.
  const [byId] = items.length < maxOfOneName ? items.filter(({ id }) => id === name) : await readByIds(api, [name]);
  return byId ?? onlyOne(items, api, name);
}

/** Those of the names that none of the objects has, neither as name nor as id. */
export function missingNames(names: readonly string[], objects: readonly AnyObject[]): readonly string[] {
  const known = new Set(objects.flatMap(({ id, metadata }) => [id, metadata?.name ?? '']));
  return names.filter((name) => !known.has(name));
}

export function missingObjects(kind: Pick<Kind, 'plural' | 'singular'>, names: readonly string[]): StatusError {
  const text =
    names.length === 1 ? `${words(kind.singular)} ${names[0]} does not exist` : `${words(kind.plural)} ${names.join(', ')} do not exist`;
  return new StatusError('not_found', `${text}, or you may not see it: "quartermaster get ${kind.plural}" lists those that you see`);
}

export const nameOf = ({ id, metadata }: AnyObject): string => (metadata?.name === undefined || metadata.name === '' ? id : metadata.name);

/** `host-class` as people read it. */
export const words = (text: string): string => text.replaceAll('-', ' ');

function onlyOne(items: readonly AnyObject[], { kind }: ObjectApi, name: string): AnyObject | undefined {
  if (items.length < 2) return items[0];
  const ids = items.map(({ id }) => id).join(', ');
  throw new StatusError('failed_precondition', `several ${words(kind.plural)} are called ${name}: name one by its id: ${ids}`);
}
