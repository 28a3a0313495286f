import type { MessageInitShape } from '@bufbuild/protobuf';
import type { ServiceStatusResponseSchema } from '@quartermaster/api/akash-provider';
import { StatusError } from '@quartermaster/kernel';
import type { ServiceHealth } from '../../health/lease-health.ts';
import { hasEnded } from '../../health/pod-problem.ts';
import type { LeaseSight } from '../../known-leases/lease-sight.ts';
import { type TenantService, type TenantView, tenantView } from '../../leases/tenant-view.ts';
import type { Granted } from '../who/granted.ts';

/* How a lease goes, in the forms that the ecosystem's clients read. All of it is what `tenantView` says. */

export interface ServiceStatusBody {
  readonly name: string;
  readonly available: number;
  readonly total: number;
  /** Hostnames that it has. */
  readonly uris: readonly string[];
  /** Always 0: nobody here follows it. */
  readonly observed_generation: number;
  readonly replicas: number;
  readonly updated_replicas: number;
  readonly ready_replicas: number;
  readonly available_replicas: number;
}

export interface ForwardedPortBody {
  readonly host: string;
  readonly port: number;
  readonly externalPort: number;
  readonly proto: string;
  /** Of the service. */
  readonly name: string;
}

export interface LeasedIpBody {
  readonly Port: number;
  readonly ExternalPort: number;
  readonly Protocol: string;
  readonly IP: string;
}

/** By service. */
export interface LeaseStatusBody {
  readonly services: Readonly<Record<string, ServiceStatusBody>>;
  readonly forwarded_ports: Readonly<Record<string, readonly ForwardedPortBody[]>>;
  readonly ips: Readonly<Record<string, readonly LeasedIpBody[]>>;
  /** What is in its way, or wrong with it, for the tenant; absent where nothing is. */
  readonly errors?: readonly string[];
}

export function leaseStatusBody(sight: LeaseSight, publicHost: string): LeaseStatusBody {
  const view = viewOf(sight, publicHost);
  const errors = errorsOf(sight, view);
  return {
    services: Object.fromEntries(view.services.map((service) => [service.name, serviceBody(sight, service)])),
    forwarded_ports: byService(view, forwardedPorts),
    ips: byService(view, leasedIps),
    ...(errors.length > 0 && { errors }),
  };
}

/** Throws `not_found` for a service that the lease does not have. */
export function serviceStatusBody(sight: LeaseSight, service: string, publicHost: string): ServiceStatusBody {
  return serviceBody(sight, named(viewOf(sight, publicHost), service));
}

/** Of these services. Throws `not_found` for one that the lease does not have. */
export function serviceStatusMessage(
  sight: LeaseSight,
  services: Granted,
  publicHost: string,
): MessageInitShape<typeof ServiceStatusResponseSchema> {
  const view = viewOf(sight, publicHost);
  return {
    services: (services === 'all' ? view.services : [...services].map((name) => named(view, name))).map((service) => {
      const body = serviceBody(sight, service);
      return {
        name: service.name,
        status: {
          ...{ available: body.available, total: body.total, uris: [...body.uris] },
          ...{ replicas: body.replicas, updatedReplicas: body.updated_replicas },
          ...{ readyReplicas: body.ready_replicas, availableReplicas: body.available_replicas },
        },
        ports: [...forwardedPorts(service)],
        ips: leasedIps(service).map(({ Port, ExternalPort, Protocol, IP }) => ({
          ...{ port: Port, externalPort: ExternalPort, protocol: Protocol, ip: IP },
        })),
      };
    }),
  };
}

/** What is to run is told of, too, where it is not seen. */
function viewOf(sight: LeaseSight, publicHost: string): TenantView {
  const meant = sight.manifest?.group.services ?? [];
  const unseen = meant.map(
    ({ name: service, count }): ServiceHealth => ({
      ...{ service, count, available: 0, ready: 0, updated: 0, state: 'unknown', problems: [] },
    }),
  );
  return tenantView(sight, publicHost, sight.health?.services ?? unseen);
}

function errorsOf({ record, health, manifest }: LeaseSight, { message, refusal, services }: TenantView): readonly string[] {
  const { state, reason, deployedAt, manifestHash } = record;
  const isEnding = state === 'Complete' || reason === 'Closing';
  const isUnseen = health === undefined && manifest !== undefined && deployedAt !== undefined && !isEnding;
  // Where its services are seen, they say what is wrong, and the lease only repeats it.
  const own = isUnseen ? 'the provider cannot see the services of the lease at the moment: ask again' : message;
  const isTold = state !== 'Active' || isEnding || health === undefined;
  const isFirst = refusal !== '' && manifestHash === undefined && !isEnding;
  return [
    ...(isTold && !isFirst ? [own] : []),
    ...(refusal === '' ? [] : [`the newest manifest is not deployed: ${refusal}`]),
    ...services.flatMap(({ name, problems }) => problems.map((problem) => `${name}: ${problem}`)),
  ];
}

function named({ services }: TenantView, name: string): TenantService {
  const found = services.find((service) => service.name === name);
  if (found !== undefined) return found;
  const known = services.map((service) => service.name).join(', ');
  const wayOut = known === '' ? 'send a manifest first' : `name one of ${known}`;
  throw new StatusError('not_found', `service ${JSON.stringify(name.slice(0, 63))} is none of the lease: ${wayOut}`);
}

function serviceBody({ pods }: LeaseSight, { name, available, count, hostnames, updated, ready }: TenantService): ServiceStatusBody {
  const replicas = pods.filter((pod) => pod.service === name && !pod.isDeleting && !hasEnded(pod)).length;
  return {
    ...{ name, available, total: count, uris: hostnames, observed_generation: 0, replicas },
    ...{ updated_replicas: updated, ready_replicas: ready, available_replicas: available },
  };
}

function byService<T>({ services }: TenantView, of: (service: TenantService) => readonly T[]): Readonly<Record<string, readonly T[]>> {
  const all = services.map((service) => [service.name, of(service)] as const);
  return Object.fromEntries(all.filter(([, list]) => list.length > 0));
}

const forwardedPorts = ({ name, ports }: TenantService): readonly ForwardedPortBody[] =>
  ports.flatMap(({ isLeased, protocol, ...port }) => (isLeased ? [] : [{ ...port, proto: protocol, name }]));

const leasedIps = ({ ports }: TenantService): readonly LeasedIpBody[] =>
  ports.flatMap(({ isLeased, port, externalPort, protocol, host }) =>
    isLeased ? [{ Port: port, ExternalPort: externalPort, Protocol: protocol, IP: host }] : [],
  );
