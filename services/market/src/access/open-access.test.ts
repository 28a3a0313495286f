import { FakeClock, silentLog } from '@quartermaster/kernel';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { accessShape } from './access-settings.ts';
import { openAccess } from './open-access.ts';

it('knows service accounts as tenants by their namespaces, and those of leases not at all', async () => {
  const access = await openAccess({
    settings: z.object(accessShape).parse({}),
    reviewToken: async (token) => ({ name: token, groups: [] }),
    ...{ clock: new FakeClock(), log: silentLog },
  });
  const call = (namespace: string) =>
    access.authenticate(
      {
        method: '/quartermaster.market.v1.Deployments/List',
        peer: 'p',
        token: `system:serviceaccount:${namespace}:web`,
        certificate: undefined,
      },
      new AbortController().signal,
    );
  expect(await call('blue')).toMatchObject({ principal: { role: 'tenant', defaultTenants: ['blue'] } });
  await expect(call('lease-bob-9-1-1')).rejects.toThrow(/belongs to no tenant, as no account of lease-\* does/);
});
