import type { MessageInitShape } from '@bufbuild/protobuf';
import {
  type LeasedServiceSchema,
  LeaseHealth,
  type LeaseHostnameSchema,
  type LeasePodStatusSchema,
  type LeaseProblemSchema,
  LeaseRunState,
  type LeaseVolumeStatusSchema,
  type RunningLeaseSchema,
} from '@quartermaster/api/cluster';
import type { ManifestService } from '@quartermaster/api/lease-manifest';
import type { LeaseHealthReport, SeenLeasePod, ServiceHealth } from '../health/lease-health.ts';
import type { HostnameGrant } from '../hostnames/hostname-book.ts';
import type { LeaseState, RefusedManifest } from '../known-leases/lease-record.ts';
import type { LeaseSight } from '../known-leases/lease-sight.ts';
import { claimedVolume } from '../objects/object-names.ts';
import { momentMessage } from '../serve/moment-message.ts';
import { orderMessage } from '../serve/request-message.ts';
import { leasePhases } from './lease-phases.ts';

const states = {
  Pending: LeaseRunState.PENDING,
  Active: LeaseRunState.ACTIVE,
  Error: LeaseRunState.ERROR,
  Complete: LeaseRunState.COMPLETE,
} as const satisfies Record<LeaseState, LeaseRunState>;

const healths = {
  starting: LeaseHealth.STARTING,
  healthy: LeaseHealth.HEALTHY,
  unhealthy: LeaseHealth.UNHEALTHY,
  unknown: LeaseHealth.UNKNOWN,
} as const satisfies Record<LeaseHealthReport['state'], LeaseHealth>;

type Problem = MessageInitShape<typeof LeaseProblemSchema>;

/** Every field is named here: nothing of the environment and no credentials can come out with the rest of a manifest. */
export function runningLeaseMessage(
  sight: LeaseSight,
  { withDetails }: { readonly withDetails: boolean },
): MessageInitShape<typeof RunningLeaseSchema> {
  const { lease, record, decision, reservation, namespace, health } = sight;
  const price = decision?.price ?? reservation?.bid;
  const details = withDetails ? { hostnames: sight.hostnames.map(hostnameMessage), volumes: volumesOf(sight) } : {};
  return {
    order: orderMessage(lease),
    provider: lease.provider,
    namespace: namespace?.name ?? '',
    namespaceUid: namespace?.uid ?? '',
    ...{ state: states[record.state], reason: record.reason, message: record.message, since: momentMessage(record.since) },
    health: health === undefined ? LeaseHealth.NONE : healths[health.state],
    phases: leasePhases(sight).map(({ name, at, message, state }) => ({ name, at: momentMessage(at), message, state })),
    services: (sight.manifest?.group.services ?? []).map((service) => serviceMessage(service, sight, withDetails)),
    ...details,
    manifestHash: record.manifestHash ?? '',
    refused: record.refused && refusedMessage(record.refused),
    leftovers: record.leftovers.map(({ what, message, since }) => problemMessage('NotRemoved', message, what, since)),
    price: price && { denom: price.denom, amount: price.amount },
    marketState: sight.market.state,
    unhealthySince: momentMessage(record.unhealthySince),
    closesAt: momentMessage(sight.closesAt),
  };
}

const refusedMessage = ({ hash, reason, message, at }: RefusedManifest): Problem => problemMessage(reason, message, hash, at);

export const problemMessage = (code: string, message: string, subject: string, since?: number): Problem => ({
  code,
  message,
  subject,
  since: momentMessage(since),
});

function serviceMessage(
  { name, image, count }: ManifestService,
  sight: LeaseSight,
  withDetails: boolean,
): MessageInitShape<typeof LeasedServiceSchema> {
  const seen: ServiceHealth | undefined = sight.health?.services.find(({ service }) => service === name);
  const { available = 0, ready = 0, updated = 0, problems = [] } = seen ?? {};
  const told = problems.map(({ code, message, subject, cause }) =>
    problemMessage(code, cause === undefined ? message : `${message} Kubernetes says: ${cause}`, subject),
  );
  for (const { service, message } of sight.addressNotes) if (service === name) told.push(problemMessage('AddressElsewhere', message, name));
  const health = seen === undefined ? LeaseHealth.UNKNOWN : healths[seen.state];
  const summary = { name, image, count, available, ready, updated, health, problems: told };
  return withDetails ? { ...summary, ...podsAndPorts(name, sight) } : summary;
}

function podsAndPorts(name: string, { pods, ports, devices }: LeaseSight) {
  const own = ports.filter(({ service }) => service === name);
  const figures = ({ port, externalPort, protocol }: (typeof own)[number]) => ({ port, externalPort, protocol });
  return {
    pods: pods.filter(({ service }) => service === name).map((pod) => podMessage(pod, devices.get(pod.uid) ?? [])),
    ports: own.filter(({ endpoint }) => endpoint === undefined).map((port) => ({ ...figures(port), host: port.ip ?? '' })),
    addresses: own.flatMap((port) =>
      port.endpoint === undefined ? [] : [{ ...figures(port), endpoint: port.endpoint, ip: port.ip ?? '' }],
    ),
  };
}

function podMessage(pod: SeenLeasePod, devices: readonly string[]): MessageInitShape<typeof LeasePodStatusSchema> {
  const { name, uid, node, phase, isReady, restarts, gpus, createdAt } = pod;
  return { name, uid, node, phase, ready: isReady, restarts, devices: [...devices], gpus, createdAt: momentMessage(createdAt) };
}

function hostnameMessage(grant: HostnameGrant): MessageInitShape<typeof LeaseHostnameSchema> {
  const { hostname, service, externalPort, state, message, isStatic } = grant;
  return { hostname, service, externalPort, state, message, isStatic };
}

function volumesOf({ claims, manifest }: LeaseSight): MessageInitShape<typeof LeaseVolumeStatusSchema>[] {
  return claims.map(({ name, storageClass, bytes, phase, node }) => {
    const of = manifest && claimedVolume(manifest.group, name);
    const volume = of === undefined ? '' : `${of.service.name}/${of.volume.name}`;
    return { name: volume, claim: name, storageClass, bytes: BigInt(bytes), phase, node };
  });
}
