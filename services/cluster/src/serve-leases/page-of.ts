import { invalidFields } from '@quartermaster/kernel';
import * as z from 'zod';

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

/** By their names. A token is the name at which the page before ended, so that what comes and goes moves nothing. */
export function pageOf<T>({ pageSize, pageToken }: PageRequest, all: readonly T[], nameOf: (item: T) => string): Page<T> {
  if (pageSize < 0 || pageSize > maxSize) {
    const description = `is ${pageSize}; it must be between 1 and ${maxSize}, or 0 for ${defaultSize}`;
    throw invalidFields([{ field: 'page_size', description }]);
  }
  const size = pageSize === 0 ? defaultSize : pageSize;
  const after = pageToken === '' ? '' : nameOfToken(pageToken);
  const compare = (a: T, b: T): number => (nameOf(a) < nameOf(b) ? -1 : nameOf(a) > nameOf(b) ? 1 : 0);
  const found = all.filter((item) => nameOf(item) > after).toSorted(compare);
  const items = found.slice(0, size);
  const last = items.at(-1);
  return { items, nextPageToken: found.length > size && last !== undefined ? tokenOf(nameOf(last)) : '' };
}

const tokenForm = z.tuple([z.string().min(1)]);
const tokenOf = (name: string): string => Buffer.from(JSON.stringify([name])).toString('base64url');

function nameOfToken(token: string): string {
  try {
    return tokenForm.parse(JSON.parse(Buffer.from(token, 'base64url').toString()))[0];
  } catch {
    const description = 'is not a token of this service: pass next_page_token of the previous page, or leave it out';
    throw invalidFields([{ field: 'page_token', description }]);
  }
}
