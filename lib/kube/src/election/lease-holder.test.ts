import { describe, expect, it } from 'vitest';
import type { KubeReader, RequestOptions } from '../client/api.ts';
import { verifyHeld } from './lease-holder.ts';

describe('the question whether a lease is held', () => {
  it('waits no longer than a lease lasts that is not renewed', async () => {
    const asked: RequestOptions[] = [];
    const find = (_type: unknown, _key: unknown, options: RequestOptions = {}) => {
      asked.push(options);
      return Promise.resolve({ spec: { holderIdentity: 'a', leaseTransitions: 3 } });
    };
    const holder = { namespace: 'n', name: 'l', identity: 'a', renewDeadlineMs: 10_000, client: { find } as Pick<KubeReader, 'find'> };
    await verifyHeld(holder, 3, new AbortController().signal);
    expect(asked).toMatchObject([{ timeoutMs: 10_000 }]);
    await expect(verifyHeld(holder, 4, new AbortController().signal)).rejects.toMatchObject({ code: 'failed_precondition' });
  });
});
