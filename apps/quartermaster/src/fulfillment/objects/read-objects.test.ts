import { create } from '@bufbuild/protobuf';
import { type HostClass, HostClassSchema } from '@quartermaster/api/private';
import { describe, expect, it } from 'vitest';
import { kindNamed } from '../kinds/kinds.ts';
import type { ObjectApi } from './api-connection.ts';
import { idsFilter } from './object-filter.ts';
import { findObject } from './read-objects.ts';

/** Host classes of which all have one name, and one has that name as its id, too. */
function classes(count: number): ObjectApi {
  const ids = [...Array.from({ length: count }, (_, index) => `class-${10 + index}`), 'gold'];
  const all = ids.map((id): HostClass => create(HostClassSchema, { id, metadata: { name: id === 'gold' ? '' : 'gold' } }));
  const never = (): never => {
    throw new Error('nobody asks for this');
  };
  const list: ObjectApi['client']['list'] = async ({ filter, limit = 100 }) => {
    const found = filter === idsFilter(['gold']) ? all.slice(-1) : all;
    return { items: found.slice(0, limit), nextCursor: found.length > limit ? 'more' : '' };
  };
  const client = { list, get: never, create: never, update: never, delete: never };
  return { kind: kindNamed('host-classes'), isPrivate: true, schema: HostClassSchema, client };
}

describe('findObject', () => {
  it.each([0, 1, 9, 10, 30])('finds an id although %d others have it as their name', async (count) => {
    expect((await findObject(classes(count), 'gold')).id).toBe('gold');
  });

  it('names those that share a name', async () => {
    const api = classes(2);
    const list: typeof api.client.list = async (request) => {
      const { items, nextCursor } = await api.client.list(request);
      return { items: items.slice(0, 2), nextCursor };
    };
    await expect(findObject({ ...api, client: { ...api.client, list } }, 'gold')).rejects.toThrow('name one by its id: class-10, class-11');
  });
});
