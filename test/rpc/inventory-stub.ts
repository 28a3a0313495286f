import { InventoryService } from '@quartermaster/api/inventory';
import { type ServedService, type ServiceHandlers, serve } from '@quartermaster/rpc';

type Handlers = ServiceHandlers<typeof InventoryService>;

/** The inventory service with answers of the test's choice; the others are empty. */
export function stubService(handlers: Partial<Handlers>): ServedService {
  return serve(InventoryService, {
    getSnapshot: () => ({}),
    async *watchInventory() {},
    listAllocations: () => ({}),
    getStatus: () => ({}),
    explain: () => ({}),
    ...handlers,
  });
}

/** A promise and what settles it. */
export function signalled<T = void>(): { readonly promise: Promise<T>; resolve(value: T): void } {
  const { promise, resolve } = Promise.withResolvers<T>();
  return { promise, resolve };
}
