import { invalidFields } from '@quartermaster/kernel';
import * as z from 'zod';
import type { OrderId } from '../model/order.ts';

const defaultSize = 100;
const maxSize = 1000;

export interface PageRequest {
  readonly pageSize: number;
  readonly pageToken: string;
}

export interface Page<T> {
  readonly items: readonly T[];
  /** Empty on the last page. */
  readonly nextPageToken: string;
}

/** How a list is ordered. A place is what JSON can say of it, since it goes into tokens. */
export interface PageOrder<T, Place> {
  readonly placeOf: (item: T) => Place;
  readonly compare: (a: Place, b: Place) => number;
  readonly form: z.ZodType<Place>;
}

/** A token is the place at which the page before ended, so that what comes and goes moves nothing. */
export function pageOf<T, Place>({ pageSize, pageToken }: PageRequest, all: readonly T[], order: PageOrder<T, Place>): Page<T> {
  if (pageSize < 0 || pageSize > maxSize) {
    const description = `is ${pageSize}; it must be between 1 and ${maxSize}, or 0 for ${defaultSize}`;
    throw invalidFields([{ field: 'page_size', description }]);
  }
  const { placeOf, compare, form } = order;
  const size = pageSize === 0 ? defaultSize : pageSize;
  const after = pageToken === '' ? undefined : placeOfToken(pageToken, form);
  const found = all
    .filter((item) => after === undefined || compare(placeOf(item), after) > 0)
    .toSorted((a, b) => compare(placeOf(a), placeOf(b)));
  const items = found.slice(0, size);
  const last = items.at(-1);
  return { items, nextPageToken: found.length > size && last !== undefined ? tokenOf(placeOf(last)) : '' };
}

const tokenOf = (place: unknown): string => Buffer.from(JSON.stringify(place)).toString('base64url');

function placeOfToken<Place>(token: string, form: z.ZodType<Place>): Place {
  try {
    return form.parse(JSON.parse(Buffer.from(token, 'base64url').toString()));
  } catch {
    const description = 'is not a token of this service: pass next_page_token of the previous page, or leave it out';
    throw invalidFields([{ field: 'page_token', description }]);
  }
}

export const byText = <T>(textOf: (item: T) => string): PageOrder<T, readonly [string]> => ({
  placeOf: (item) => [textOf(item)],
  compare: ([a], [b]) => (a < b ? -1 : a > b ? 1 : 0),
  form: z.tuple([z.string().min(1)]),
});

/** By owner and number, whatever their names sort like. */
export const byOrder = <T>(orderOf: (item: T) => OrderId): PageOrder<T, readonly [string, string, number, number]> => ({
  placeOf: (item) => {
    const { owner, dseq, gseq, oseq } = orderOf(item);
    return [owner, String(dseq), gseq, oseq];
  },
  compare: (a, b) => compareOrders(orderAt(a), orderAt(b)),
  form: z.tuple([z.string(), z.string().regex(/^\d{1,20}$/), z.number(), z.number()]),
});

const orderAt = ([owner, dseq, gseq, oseq]: readonly [string, string, number, number]): OrderId => ({
  owner,
  dseq: BigInt(dseq),
  gseq,
  oseq,
});

export function compareOrders(a: OrderId, b: OrderId): number {
  if (a.owner !== b.owner) return a.owner < b.owner ? -1 : 1;
  if (a.dseq !== b.dseq) return a.dseq < b.dseq ? -1 : 1;
  return a.gseq - b.gseq || a.oseq - b.oseq;
}
