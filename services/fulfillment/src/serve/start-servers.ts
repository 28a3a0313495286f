import { descriptionOf } from '@quartermaster/api/descriptions';
import type { Clock, Log } from '@quartermaster/kernel';
import {
  type FinishedCall,
  type ReloadingTls,
  type RestRoute,
  type RouteAnswer,
  type RpcServer,
  startRestServer,
  startRpcServer,
  type TraceOf,
} from '@quartermaster/rpc';
import type { Fulfillment } from './fulfillment.ts';

/** What a probe is told. */
export interface ProbeAnswer {
  readonly isOk: boolean;
  readonly text: string;
}

export interface FulfillmentServersOptions {
  readonly fulfillment: Fulfillment;
  readonly version: string;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Default 0, any free one. The same for `restPort`. */
  readonly grpcPort?: number;
  readonly restPort?: number;
  readonly tls?: ReloadingTls;
  /** For a port of its own, on which callers must show a certificate. */
  readonly mutualTls?: ReloadingTls;
  readonly certificatePort?: number;
  readonly live: () => Promise<ProbeAnswer> | ProbeAnswer;
  readonly ready: () => Promise<ProbeAnswer> | ProbeAnswer;
  readonly onCall?: (call: FinishedCall) => void;
  readonly traceOf?: TraceOf;
  readonly clock?: Clock;
  readonly log?: Log;
}

export interface FulfillmentServers {
  /** `127.0.0.1:8000` */
  readonly grpcAddress: string;
  /** `http://127.0.0.1:8001` */
  readonly restUrl: string;
  /** gRPC for callers with certificates; undefined where there is no port for them. */
  readonly certificateAddress: string | undefined;
  stop(withinMs: number): Promise<void>;
}

/** Hubs come with kubeconfigs, and templates with long texts. */
const maxRequestBytes = 4 * 1024 * 1024;

/** Serves both APIs as gRPC and as REST, with the names of the contract in JSON. Starts all servers or none. */
export async function startFulfillmentServers(options: FulfillmentServersOptions): Promise<FulfillmentServers> {
  const { fulfillment, version, grpcPort = 0, restPort = 0, certificatePort = 0, live, ready, tls, mutualTls, ...shared } = options;
  const { services, authenticate, database } = fulfillment;
  const started: { stop(withinMs: number): Promise<void> }[] = [];
  const stop = async (withinMs: number): Promise<void> => {
    await Promise.all(started.map((server) => server.stop(withinMs)));
  };
  const startGrpc = async (port: number, given: ReloadingTls | undefined): Promise<RpcServer> => {
    const isServing = () => database.isReachable();
    const own = { services, authenticate, isServing, maxRequestBytes, port, ...(given === undefined ? {} : { tls: given }) };
    const server = await startRpcServer({ ...shared, ...own });
    started.push(server);
    return server;
  };
  try {
    const grpc = await startGrpc(grpcPort, tls);
    const forCertificates = mutualTls === undefined ? undefined : await startGrpc(certificatePort, mutualTls);
    const rest = await startRestServer({
      ...shared,
      ...(tls === undefined ? {} : { tls }),
      services,
      authenticate,
      port: restPort,
      routes: [probe('/livez', live), probe('/readyz', ready)],
      maxBodyBytes: maxRequestBytes,
      useProtoNames: true,
      openApi: { title: 'Quartermaster fulfillment', version, describe: descriptionOf },
    });
    started.push(rest);
    return { grpcAddress: grpc.address, restUrl: rest.url, certificateAddress: forCertificates?.address, stop };
  } catch (thrown) {
    await stop(0);
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
