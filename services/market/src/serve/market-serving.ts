import { descriptionOf } from '@quartermaster/api/descriptions';
import type { ServeOptions } from '@quartermaster/runtime/host';
import type { Market } from './market.ts';

/** An SDL of 256 KiB, written as JSON. */
const maxRequestBytes = 2 * 1024 * 1024;

/** As gRPC, and as REST with the names of the contract in JSON. */
export function marketServing({ services, authenticate, database }: Market, version: string): ServeOptions {
  return {
    services,
    callers: authenticate,
    isServing: () => database.isReachable(),
    maxRequestBytes,
    useProtoNames: true,
    openApi: { title: 'Quartermaster market', version, describe: descriptionOf },
  };
}
