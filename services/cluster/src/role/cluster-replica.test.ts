import { ServedRoles, sharedServed } from '@quartermaster/runtime';
import { SharedParts } from '@quartermaster/service';
import { expect, it } from 'vitest';
import { inventoryServer } from './cluster-replica.ts';
import { clusterRole, sharedInventoryToken } from './cluster-role.ts';

it('shows the token for the inventory of its process to nobody else', async () => {
  const [shared, served] = [new SharedParts(), new ServedRoles()];
  served.put('operator-inventory', { grpc: '127.0.0.1:1', rest: 'http://127.0.0.1:2' });
  shared.provide(sharedServed, served);
  shared.provide(sharedInventoryToken, async () => 'own');
  const serverOf = async (settings: object) => {
    const { address, token } = inventoryServer({ config: clusterRole.own.schema.parse(settings), shared });
    return { address: address(), token: await token?.() };
  };
  expect(await serverOf({})).toEqual({ address: '127.0.0.1:1', token: 'own' });
  expect(await serverOf({ 'cluster-inventory-address': 'elsewhere:1' })).toEqual({ address: 'elsewhere:1', token: undefined });
});
