import type { Clock, Log } from '@quartermaster/kernel';
import { type Authenticate, type FinishedCall, type ReloadingTls, startRestServer, startRpcServer, type TraceOf } from '@quartermaster/rpc';
import { type AkashServicesOptions, akashServices } from './akash-services.ts';
import { type InventoryRoutesOptions, inventoryRoutes } from './inventory-routes.ts';
import { type InventoryServiceOptions, inventoryService } from './inventory-service.ts';

export interface InventoryServersOptions extends InventoryServiceOptions, AkashServicesOptions, InventoryRoutesOptions {
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Default 0, any free one. The same for `restPort`. */
  readonly grpcPort?: number;
  readonly restPort?: number;
  readonly tls?: ReloadingTls;
  /** Who may call. Needed beyond loopback, where `tls` does not ask for client certificates. */
  readonly authenticate?: Authenticate;
  readonly allowInsecure?: boolean;
  /** For grpc.health.v1. */
  readonly isServing: () => boolean;
  readonly onCall?: (call: FinishedCall) => void;
  readonly traceOf?: TraceOf;
  readonly clock?: Clock;
  readonly log?: Log;
}

export interface InventoryServers {
  /** `127.0.0.1:8081` */
  readonly grpcAddress: string;
  /** `http://127.0.0.1:8080` */
  readonly restUrl: string;
  stop(withinMs: number): Promise<void>;
}

/** Serves the inventory as gRPC and REST. */
export async function startInventoryServers(options: InventoryServersOptions): Promise<InventoryServers> {
  const { grpcPort = 0, restPort = 0, isServing, ...shared } = options;
  const own = inventoryService(options);
  const grpc = await startRpcServer({ ...shared, services: [...akashServices(options), own], port: grpcPort, isServing });
  try {
    const rest = await startRestServer({ ...shared, services: [own], routes: inventoryRoutes(options), port: restPort });
    return {
      grpcAddress: grpc.address,
      restUrl: rest.url,
      stop: async (withinMs) => {
        await Promise.all([grpc.stop(withinMs), rest.stop(withinMs)]);
      },
    };
  } catch (thrown) {
    await grpc.stop(0);
    throw thrown;
  }
}
