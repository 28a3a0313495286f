import type { Log } from '@quartermaster/kernel';
import {
  type Authenticate,
  CallLimits,
  type OpenApiOptions,
  type RestRoute,
  type ServedService,
  StreamLimits,
  startRestServer,
  startRpcServer,
} from '@quartermaster/rpc';
import { type Health, type HealthPurpose, probeAnswer, traceOf } from '@quartermaster/service';
import { requestsPerSecondKey, type ServerConfig, streamsPerCallerKey } from '../declaration/server-settings.ts';
import type { ServedAddresses } from '../declaration/shared-keys.ts';
import { callMetrics } from './call-metrics.ts';
import { watchedCertificates } from './role-certificates.ts';
import type { RoleHost } from './role-host.ts';

export interface ServeOptions {
  readonly services: readonly ServedService[];
  /** Of them, those that are served as REST, too. All unless given. */
  readonly restServices?: readonly ServedService[] | undefined;
  /** Beside the services, on the REST port. Probes are there anyhow. */
  readonly routes?: readonly RestRoute[] | undefined;
  /** Who may call what, also on loopback: other accounts of the machine reach that, too. Knows the methods of the services and the paths of the routes. */
  readonly callers: Authenticate;
  /** A gRPC port of its own for a protocol that has neither TLS nor identity: whoever reaches it is answered. It has these services alone. */
  readonly withoutIdentity?: OpenPort | undefined;
  /** For grpc.health.v1. */
  readonly isServing: () => boolean;
  readonly maxRequestBytes?: number | undefined;
  /** In JSON, fields are named as in the contract. */
  readonly useProtoNames?: boolean | undefined;
  readonly openApi?: Omit<OpenApiOptions, 'useProtoNames'> | undefined;
}

interface OpenPort {
  readonly host: string;
  readonly port: number;
  readonly services: readonly ServedService[];
}

const stopTimeoutMs = 2_000;

/** What servers need of the host of their role. */
export interface ServerHost extends Pick<RoleHost, 'clock' | 'health' | 'metrics' | 'prefix' | 'keep'> {
  readonly log: Log;
}

/** Starts all servers of a role or none. They end with the host. */
export async function startRoleServers(
  host: ServerHost,
  config: ServerConfig,
  probes: Health,
  options: ServeOptions,
): Promise<ServedAddresses> {
  const { clock, log, metrics } = host;
  const { services, restServices = services, maxRequestBytes, isServing } = options;
  const hasOwnPort = config.certificatePort !== undefined;
  const clientCaFile = config.clientCaFile;
  const tls = await watchedCertificates(host, 'certificate', { ...config, clientCaFile: hasOwnPort ? undefined : clientCaFile });
  const mutualTls = hasOwnPort && clientCaFile !== undefined ? await watchedCertificates(host, 'client-authorities', config) : undefined;
  const onCall = callMetrics(metrics, host.prefix, services);
  const calls = { onCall, limits: limitsOf(host, config), streams: streamsOf(host, config), traceOf, clock, log };
  const shared = { ...calls, host: config.host, authenticate: options.callers };
  const grpcOptions = { ...shared, services, isServing, maxRequestBytes };
  const started: { stop(withinMs: number): Promise<void> }[] = [];
  host.keep('servers', () => Promise.all(started.map((server) => server.stop(stopTimeoutMs))), 'first');
  const grpc = await startRpcServer({ ...grpcOptions, tls, port: config.grpcPort });
  started.push(grpc);
  const forCertificates =
    mutualTls === undefined ? undefined : await startRpcServer({ ...grpcOptions, tls: mutualTls, port: config.certificatePort });
  if (forCertificates !== undefined) started.push(forCertificates);
  const rest = await startRestServer({
    ...shared,
    tls,
    services: restServices,
    port: config.restPort,
    routes: [
      ...(options.routes ?? []),
      ...['/livez', '/metrics/health'].map((path) => probe(path, probes, 'live')),
      ...['/readyz', '/metrics/ready'].map((path) => probe(path, probes, 'ready')),
    ],
    maxBodyBytes: maxRequestBytes,
    useProtoNames: options.useProtoNames,
    openApi: options.openApi,
  });
  started.push(rest);
  const { withoutIdentity } = options;
  const open = withoutIdentity && (await startRpcServer({ ...calls, ...withoutIdentity, isServing, allowInsecure: true }));
  if (open !== undefined) started.push(open);
  return { grpc: grpc.address, rest: rest.url, certificates: forCertificates?.address, withoutIdentity: open?.address };
}

function limitsOf({ prefix, clock }: ServerHost, { requestsPerSecond = 0 }: ServerConfig): CallLimits | undefined {
  if (requestsPerSecond === 0) return undefined;
  return new CallLimits({ perSecond: requestsPerSecond, setting: requestsPerSecondKey(prefix), clock });
}

function streamsOf({ prefix }: ServerHost, { streamsPerCaller = 0 }: ServerConfig): StreamLimits | undefined {
  return streamsPerCaller === 0 ? undefined : new StreamLimits({ most: streamsPerCaller, setting: streamsPerCallerKey(prefix) });
}

function probe(path: string, health: Health, purpose: HealthPurpose): RestRoute {
  return { path, isPublic: true, answer: async () => probeAnswer((await health.report(purpose)).state) };
}
