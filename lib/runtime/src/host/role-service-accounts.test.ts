import { accessShape } from '@quartermaster/auth/settings';
import { FakeClock } from '@quartermaster/kernel';
import type { KubeWriter } from '@quartermaster/kube';
import { defineConfig } from '@quartermaster/service';
import { expect, it } from 'vitest';
import { openServiceAccounts } from './role-service-accounts.ts';

const { signal } = new AbortController();

it.each([
  [['market'], { token: 't', audiences: ['market', 'quartermaster-market'] }],
  [[], { token: 't' }],
])('asks the cluster of the role about tokens for the audiences of its settings, %j, and about rights', async (audiences, spec) => {
  const asked: unknown[] = [];
  const create = async (_type: unknown, object: unknown): Promise<unknown> => {
    asked.push(object);
    return { status: { authenticated: true, allowed: true, audiences, user: { username: 'a', groups: ['g'] } } };
  };
  const config = defineConfig(accessShape('market', {})).schema.parse({ 'market-service-account-audiences': audiences });
  const { reviewToken, reviewRight } = await openServiceAccounts({
    prefix: 'market',
    config,
    clock: new FakeClock(),
    kubernetes: async () => ({ create }) as Pick<KubeWriter, 'create'>,
  });
  const owner = { name: 'a', groups: ['g'] };
  expect(await reviewToken?.('t', signal)).toEqual(owner);
  expect(await reviewRight?.(owner, { verb: 'list', group: 'g', plural: 'things' }, signal)).toBe(true);
  const resourceAttributes = { verb: 'list', group: 'g', resource: 'things' };
  expect(asked).toEqual([{ spec }, { spec: { user: 'a', groups: ['g'], resourceAttributes } }]);
});
