import type { Clock, Log } from '@quartermaster/kernel';
import {
  type FinishedCall,
  type ReloadingTls,
  type RestRoute,
  type RouteAnswer,
  startRestServer,
  startRpcServer,
} from '@quartermaster/rpc';
import type { Fulfillment } from './fulfillment.ts';

/** What a probe is told. */
export interface ProbeAnswer {
  readonly isOk: boolean;
  readonly text: string;
}

export interface FulfillmentServersOptions {
  readonly fulfillment: Fulfillment;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Default 0, any free one. The same for `restPort`. */
  readonly grpcPort?: number;
  readonly restPort?: number;
  readonly tls?: ReloadingTls;
  readonly live: () => Promise<ProbeAnswer> | ProbeAnswer;
  readonly ready: () => Promise<ProbeAnswer> | ProbeAnswer;
  readonly onCall?: (call: FinishedCall) => void;
  readonly clock?: Clock;
  readonly log?: Log;
}

export interface FulfillmentServers {
  /** `127.0.0.1:8000` */
  readonly grpcAddress: string;
  /** `http://127.0.0.1:8001` */
  readonly restUrl: string;
  stop(withinMs: number): Promise<void>;
}

/** Hubs come with kubeconfigs, and templates with long texts. */
const maxRequestBytes = 4 * 1024 * 1024;

/** Serves both APIs as gRPC and as REST, with the names of the contract in JSON. */
export async function startFulfillmentServers(options: FulfillmentServersOptions): Promise<FulfillmentServers> {
  const { fulfillment, grpcPort = 0, restPort = 0, live, ready, ...shared } = options;
  const { services, authenticate, database } = fulfillment;
  const isServing = () => database.isReachable();
  const grpc = await startRpcServer({ ...shared, services, authenticate, port: grpcPort, isServing, maxRequestBytes });
  try {
    const routes = [probe('/livez', live), probe('/readyz', ready)];
    const rest = await startRestServer({ ...shared, services, authenticate, port: restPort, routes, maxBodyBytes: maxRequestBytes });
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

function probe(path: string, ask: () => Promise<ProbeAnswer> | ProbeAnswer): RestRoute {
  return {
    path,
    isPublic: true,
    answer: async (): Promise<RouteAnswer> => {
      const { isOk, text } = await ask();
      return { status: isOk ? 200 : 503, contentType: 'text/plain; charset=utf-8', text: `${text}\n` };
    },
  };
}
