import { ClusterRPC, NodeRPC } from '@quartermaster/api/akash-inventory';
import { InventoryService, InventoryViewsService } from '@quartermaster/api/inventory';
import { RemovalsService } from '@quartermaster/api/removals';
import { mayCall, rightsOf } from '@quartermaster/auth';
import { describe, expect, it } from 'vitest';
import { inventoryAccess, routes } from './access-table.ts';

const services = [ClusterRPC, NodeRPC, InventoryService, InventoryViewsService, RemovalsService];
const methods = services.flatMap((service) => service.methods.map(({ name }) => `/${service.typeName}/${name}`));
const approve = `/${RemovalsService.typeName}/ApproveRemoval`;

describe('who may call the inventory', () => {
  it('is said of every method and path, and of nothing else', () => {
    expect([...inventoryAccess.keys()].toSorted()).toEqual([...methods, ...Object.values(routes)].toSorted());
  });

  it('is nobody without a role', () => {
    for (const { callers } of inventoryAccess.values()) expect(callers).not.toBe('anyone');
    expect(rightsOf(inventoryAccess, 'tenant')).toEqual([]);
  });

  it('is a reader for all that reads, and an administrator for all', () => {
    const all = [...inventoryAccess.keys()];
    expect(all.filter((method) => !mayCall(inventoryAccess, 'admin', method))).toEqual([]);
    expect(all.filter((method) => !mayCall(inventoryAccess, 'reader', method))).toEqual([approve]);
    expect(inventoryAccess.get(approve)).toMatchObject({ effect: 'write', wayIn: { reader: expect.stringContaining('inventory-admins') } });
  });
});
