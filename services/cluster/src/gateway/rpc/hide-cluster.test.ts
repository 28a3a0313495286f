import { ProviderRPC } from '@quartermaster/api/akash-provider';
import { StatusError } from '@quartermaster/kernel';
import type { KubeFailure } from '@quartermaster/kube';
import { anonymous, type CallContext, type ServedService, serve } from '@quartermaster/rpc';
import { expect, it } from 'vitest';
import { hideCluster } from './hide-cluster.ts';

const context = { identity: anonymous } as CallContext;
const details: KubeFailure = { kind: 'forbidden' };
const failures = [
  [new StatusError('permission_denied', 'pods "web" on node secret is forbidden', { details }), 'unavailable', 'the provider’s cluster'],
  [new StatusError('internal', 'secret'), 'internal', 'internal error: ask the provider'],
  [new TypeError('secret'), 'internal', 'internal error: ask the provider'],
  [new StatusError('not_found', 'there is no such lease'), 'not_found', 'there is no such lease'],
] as const;

const failing = (thrown: unknown): ServedService =>
  hideCluster(
    serve(ProviderRPC, {
      getStatus: () => {
        throw thrown;
      },
      async *streamStatus() {
        yield await Promise.reject(thrown);
      },
      bidScreening: async () => await Promise.reject(thrown),
    }),
  );

it.each(failures)('tells callers of %s no more than they may know', async (thrown, code, message) => {
  const { methods } = failing(thrown);
  expect(methods).toHaveLength(3);
  for (const method of methods) {
    const answered = async (): Promise<void> => {
      const answer = method.call({ $typeName: '' }, context);
      if (method.kind === 'unary') await answer;
      else for await (const _ of answer as AsyncIterable<unknown>);
    };
    await expect(answered()).rejects.toMatchObject({ code, message: expect.stringContaining(message) as string });
    await expect(answered()).rejects.not.toMatchObject({ message: expect.stringContaining('secret') as string });
  }
});
