import {
  type Expose,
  isIngress,
  type ManifestGroup,
  type ManifestResources,
  type ManifestService,
} from '@quartermaster/api/lease-manifest';
import { unequalTexts } from '@quartermaster/api/states';
import { bytes } from '@quartermaster/kernel';
import { type GpuWant, type Request, type Unit, type Volume, wantsText } from '../placement/request.ts';
import type { Reason } from '../placement/stock-facts.ts';

const wayOut = 'these cannot change after the order: create a new deployment';

/**
 * Why a manifest is not one of the lease that the request was ordered with; empty where it is. Units are used up exactly: by replicas, and by endpoints that share a port
 * (`httpEndpoints`, by unit), that get a port or that have an address.
 */
export function crossValidate(group: ManifestGroup, request: Request, httpEndpoints: ReadonlyMap<number, number>): readonly Reason[] {
  const units = new Map(request.units.map((unit) => [unit.id, unit]));
  const ofServices = group.services.flatMap(({ name, resources }): readonly Reason[] => {
    const unit = units.get(resources.id);
    if (unit === undefined) {
      return [
        {
          code: 'ResourcesUnknown',
          message: `service ${name} has resources of the id ${resources.id}, which the order does not have: ${wayOut}`,
        },
      ];
    }
    const found = differences(resources, unit);
    return found.length === 0 ? [] : [{ code: 'ResourcesDiffer', message: `service ${name}: ${found.join('; ')}: ${wayOut}` }];
  });
  const names = endpointNames(group);
  const ofUnits = request.units.flatMap((unit) => {
    const users = group.services.filter(({ resources }) => resources.id === unit.id);
    return usage(unit, users, httpEndpoints.get(unit.id) ?? 0, names);
  });
  return [...ofServices, ...ofUnits];
}

function differences(resources: ManifestResources, unit: Unit): readonly string[] {
  const found: string[] = [];
  const amount = (what: string, resource: string, ordered: number, given: number): void => {
    if (ordered === given) return;
    const [was, is] = unequalTexts(resource, ordered, given);
    found.push(`${what} is ${is}, and ${was} was ordered`);
  };
  amount('CPU', 'cpu', unit.cpuMillis, resources.cpuMillis);
  amount('memory', 'memory', unit.memoryBytes, resources.memoryBytes);
  amount('the number of GPUs', 'gpu', unit.gpus?.count ?? 0, resources.gpus);
  if (resources.gpus > 0 && unit.gpus !== undefined && wantsText(resources.gpuAttributes.map(wantOf)) !== wantsText(unit.gpus.wants))
    found.push('other GPU models were ordered');
  const volumes = new Map(unit.volumes.map((volume) => [volume.name, volume]));
  for (const volume of resources.volumes) {
    const ordered = volumes.get(volume.name);
    volumes.delete(volume.name);
    if (ordered === undefined) found.push(`the volume ${volume.name} was not ordered`);
    else if (ordered.kind !== volume.kind || classOf(ordered) !== volume.class)
      found.push(`the volume ${volume.name} was ordered of another kind or class`);
    else amount(`the volume ${volume.name}`, 'memory', ordered.bytes, volume.bytes);
  }
  for (const name of volumes.keys()) found.push(`the volume ${name} was ordered and is not there`);
  return found;
}

const classOf = (volume: Volume): string => (volume.kind === 'persistent' ? volume.class : '');

/** Of `vendor/nvidia/model/a100/ram/80Gi/interface/sxm`, the last two pairs of which may be missing. */
export function wantOf(attribute: string): GpuWant {
  const parts = attribute.split('/');
  const after = (name: string): string | undefined => parts.find((_, at) => at % 2 === 1 && parts[at - 1] === name);
  const ram = after('ram');
  return {
    vendor: after('vendor') ?? '',
    model: after('model') ?? '',
    memoryBytes: ram === undefined ? undefined : bytes(ram),
    interface: after('interface'),
  };
}

type EndpointNames = ReadonlyMap<number, string>; // number -> the first name that has it

/** A number means the same endpoint in all of a group. */
const endpointNames = ({ services }: ManifestGroup): EndpointNames =>
  new Map(
    services
      .flatMap(({ exposes }) => exposes.filter(({ ip }) => ip !== ''))
      .toReversed()
      .map(({ endpointNumber, ip }) => [endpointNumber, ip]),
  );

function usage(unit: Unit, users: readonly ManifestService[], httpEndpoints: number, names: EndpointNames): readonly Reason[] {
  const found: Reason[] = [];
  const where = `resources of the id ${unit.id}`;
  const count = (code: string, one: string, several: string, ordered: number, used: number): void => {
    const [what, were] = [used === 1 ? one : several, ordered === 1 ? 'was' : 'were'];
    if (used !== ordered)
      found.push({ code, message: `${where} have ${used} ${what} in the manifest, and ${ordered} ${were} ordered: ${wayOut}` });
  };
  count('ReplicasDiffer', 'replica', 'replicas', unit.count, sum(users.map((service) => service.count)));
  // An expose with an address counts as one without it, too.
  const exposes = users.flatMap((service) => service.exposes).filter((expose) => expose.global);
  const shared = exposes.filter((expose) => isIngress({ ...expose, ip: '' }));
  count('EndpointsDiffer', 'endpoint that shares a port', 'endpoints that share a port', httpEndpoints, shared.length);
  count('EndpointsDiffer', 'endpoint with a port', 'endpoints with a port', unit.randomPorts ?? 0, exposes.length - shared.length);
  const leased = exposes.filter(({ ip }) => ip !== '');
  const ordered = new Set(unit.leasedIps);
  // A market that does not know the names of endpoints has their numbers.
  const isNamed = (nameOf: (expose: Expose) => string): boolean => isSame(ordered, new Set(leased.map(nameOf)));
  if (isNamed(({ ip }) => ip)) return found;
  const differ = (what: string): number => found.push({ code: 'EndpointsDiffer', message: `${where} have ${what}` });
  // Each name gets an address of its own.
  const renamed = leased.find(({ ip, endpointNumber }) => names.get(endpointNumber) !== ip)?.endpointNumber;
  if (!isNamed(({ endpointNumber }) => `${endpointNumber}`))
    differ(`other endpoints with an address in the manifest than were ordered: ${wayOut}`);
  else if (renamed !== undefined)
    differ(
      `endpoints of other names than "${names.get(renamed)}" with its number ${renamed}, for which one address was ordered: give all of them that name`,
    );
  return found;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

const isSame = (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean => a.size === b.size && [...a].every((each) => b.has(each));
