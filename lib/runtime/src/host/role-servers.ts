import type { Log } from '@quartermaster/kernel';
import { type KubeClient, tokenReviewer } from '@quartermaster/kube';
import {
  type Authenticate,
  isLoopback,
  type OpenApiOptions,
  type RestRoute,
  requireIdentity,
  type ServedService,
  startRestServer,
  startRpcServer,
} from '@quartermaster/rpc';
import { type Health, type HealthPurpose, traceOf } from '@quartermaster/service';
import type { ServerConfig } from '../declaration/server-settings.ts';
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
  /**
   * Who may call. `service-accounts`: beyond loopback, whoever shows a valid token of the cluster or a client certificate of the configured authorities. They may read
   * `/metrics`, too. One of the role's own knows the methods of its services; its metrics are on the admin port alone.
   */
  readonly callers: Authenticate | 'service-accounts';
  /** For grpc.health.v1. */
  readonly isServing: () => boolean;
  readonly maxRequestBytes?: number | undefined;
  /** In JSON, fields are named as in the contract. */
  readonly useProtoNames?: boolean | undefined;
  readonly openApi?: Omit<OpenApiOptions, 'useProtoNames'> | undefined;
}

const stopTimeoutMs = 2_000;

/** What servers need of the host of their role. */
export interface ServerHost extends Pick<RoleHost, 'kubernetes' | 'clock' | 'health' | 'metrics' | 'prefix' | 'keep'> {
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
  const authenticate = await callersOf(host, config, options);
  const onCall = callMetrics(metrics, host.prefix, services);
  const shared = { host: config.host, authenticate, onCall, traceOf, clock, log };
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
      ...(options.callers === 'service-accounts' ? [{ path: '/metrics', answer: () => metrics.scrape() }] : []),
      ...['/livez', '/metrics/health'].map((path) => probe(path, probes, 'live')),
      ...['/readyz', '/metrics/ready'].map((path) => probe(path, probes, 'ready')),
    ],
    maxBodyBytes: maxRequestBytes,
    useProtoNames: options.useProtoNames,
    openApi: options.openApi,
  });
  started.push(rest);
  return { grpc: grpc.address, rest: rest.url, certificates: forCertificates?.address };
}

async function callersOf(host: ServerHost, { host: address }: ServerConfig, { callers }: ServeOptions): Promise<Authenticate | undefined> {
  if (callers !== 'service-accounts') return callers;
  return isLoopback(address) ? undefined : requireIdentity({ reviewToken: reviewOf(await host.kubernetes(), host) });
}

function reviewOf(client: KubeClient, { clock }: ServerHost): NonNullable<Parameters<typeof requireIdentity>[0]['reviewToken']> {
  const review = tokenReviewer(client, clock);
  return async (token, signal) => {
    const owner = await review(token, signal);
    return owner && { kind: 'token', vouchedBy: 'token-review', ...owner };
  };
}

/** Open to callers that are not known, since kubelets have no credentials: one word, and no reason, which may name objects. */
function probe(path: string, health: Health, purpose: HealthPurpose): RestRoute {
  return {
    path,
    isPublic: true,
    answer: async () => {
      const { state } = await health.report(purpose);
      return { status: state === 'failed' ? 503 : 200, contentType: 'text/plain; charset=utf-8', text: `${state}\n` };
    },
  };
}
