import { FakeClock } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import type { UpstreamAnswer, UpstreamFetch } from '../../server/upstream.ts';
import { upstreamTable } from './upstream-table.ts';
import { Upstreams } from './upstreams.ts';

const never = new AbortController().signal;

/** A role: that one. A number: that status. `hangs`: no answer until it is given up. */
type Word = string | number;

/** The fulfillment service and the inventory, each of which says one thing of everybody. */
function upstreamsThatSay(words: { fulfillment?: Word; inventory?: Word }) {
  const clock = new FakeClock();
  const asked: string[] = [];
  const fetchOf = (name: 'fulfillment' | 'inventory'): UpstreamFetch => {
    return async (_url, { signal }) => {
      asked.push(name);
      const word = words[name];
      if (word === 'hangs') return await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
      const body = typeof word === 'string' ? { name: 'somebody', role: word } : { message: 'no' };
      return answerOf(typeof word === 'string' ? 200 : (word ?? 401), body);
    };
  };
  const rows = upstreamTable.filter(({ name }) => words[name] !== undefined);
  const places = rows.map((row) => ({ row, url: () => `http://${row.name}.example`, fetch: fetchOf(row.name) }));
  return { upstreams: new Upstreams(places, clock), clock, asked, words };
}

function answerOf(status: number, body: object): UpstreamAnswer {
  const text = JSON.stringify(body);
  return {
    status,
    ok: status === 200,
    headers: new Headers(),
    body: null,
    json: async () => JSON.parse(text) as unknown,
    text: async () => text,
  };
}

describe('who may see pods, logs and Events', () => {
  it.each([
    { fulfillment: 'admin', inventory: 401 },
    { fulfillment: 'provider', inventory: 401 },
    { fulfillment: 401, inventory: 'admin' },
    { fulfillment: 500, inventory: 'admin' },
    { inventory: 'admin' },
  ])('is who %j names', async (words) => {
    await expect(upstreamsThatSay(words).upstreams.requireClusterReader('t', never)).resolves.toBeUndefined();
  });

  it.each([
    [{ fulfillment: 'tenant', inventory: 401 }, 'permission_denied'],
    // It calls everybody so whom it knows, service accounts of the cluster among them.
    [{ fulfillment: 401, inventory: 'provider' }, 'permission_denied'],
    [{ fulfillment: 401, inventory: 'reader' }, 'permission_denied'],
    [{ inventory: 'provider' }, 'permission_denied'],
    [{ fulfillment: 401, inventory: 401 }, 'unauthenticated'],
    [{ fulfillment: 503, inventory: 'reader' }, 'unavailable'],
  ] as const)('is not who %j names: %s', async (words, code) => {
    await expect(upstreamsThatSay(words).upstreams.requireClusterReader('t', never)).rejects.toMatchObject({ code });
  });
});
