import type { ManifestGroup, ManifestService } from './manifest-group.ts';
import { persistentVolumes, type ServiceChange, serviceChanges } from './service-changes.ts';

/** What an update does, for people and for whoever must agree to it. */
export interface ManifestChanges {
  /** In the order of services: what is different, in words that hold no value of the environment. */
  readonly changes: readonly ManifestChange[];
  /** Services whose pods are replaced, one after another. */
  readonly restarted: readonly string[];
  /** `service/volume` of each persistent volume that goes with its data. It must be confirmed. */
  readonly lostVolumes: readonly string[];
}

export interface ManifestChange {
  readonly service: string;
  /**
   * For programs: ServiceAdded, ServiceRemoved, Image, Command, Args, Environment, Credentials, Resources, Replicas, Exposes, Hostnames, HttpOptions, Mounts, Permissions,
   * VolumeRemoved.
   */
  readonly code: string;
  readonly message: string;
}

/** What becomes of a lease that runs the one when it gets the other. Pure; the same in the market, in the cluster service and on screens. */
export function manifestChanges(before: ManifestGroup, after: ManifestGroup): ManifestChanges {
  const byName = ({ services }: ManifestGroup) => new Map(services.map((service) => [service.name, service]));
  const [old, next] = [byName(before), byName(after)];
  const names = [...new Set([...old.keys(), ...next.keys()])].sort();
  const all = names.map((service) => ({ service, found: changesOf(old.get(service), next.get(service)) }));
  return {
    changes: all.flatMap(({ service, found }) => found.map(({ code, message }) => ({ service, code, message }))),
    restarted: all.flatMap(({ service, found }) => (found.some(({ restarts }) => restarts) ? [service] : [])),
    lostVolumes: all.flatMap(({ service, found }) => found.flatMap(({ lost = [] }) => lost.map((volume) => `${service}/${volume}`))),
  };
}

/** A service with another name is another service: what the old one stored is gone with it. */
function changesOf(before: ManifestService | undefined, after: ManifestService | undefined): readonly ServiceChange[] {
  if (before === undefined) return [{ code: 'ServiceAdded', message: 'the service is added', restarts: false }];
  if (after !== undefined) return serviceChanges(before, after);
  const volumes = persistentVolumes(before).map(({ name }) => ({
    ...{ code: 'VolumeRemoved', message: `the volume ${name} is removed with its data`, restarts: false },
    lost: [name],
  }));
  return [{ code: 'ServiceRemoved', message: 'the service is removed', restarts: false }, ...volumes];
}
