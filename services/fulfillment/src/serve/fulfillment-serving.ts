import { descriptionOf } from '@quartermaster/api/descriptions';
import type { ServeOptions } from '@quartermaster/runtime/host';
import type { Fulfillment } from './fulfillment.ts';

/** Hubs come with kubeconfigs, and templates with long texts. */
const maxRequestBytes = 4 * 1024 * 1024;

/** Both APIs, as gRPC and as REST with the names of the contract in JSON. */
export function fulfillmentServing({ services, authenticate, database }: Fulfillment, version: string): ServeOptions {
  return {
    services,
    callers: authenticate,
    isServing: () => database.isReachable(),
    maxRequestBytes,
    useProtoNames: true,
    openApi: { title: 'Quartermaster fulfillment', version, describe: descriptionOf },
  };
}
