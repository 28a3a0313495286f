import { canonicalManifest } from './canonical-manifest.ts';
import type { Expose, ManifestGroup, ManifestResources, ManifestService, ManifestVolume } from './manifest-group.ts';
import { externalPortOf, ingressPort } from './manifest-group.ts';

/**
 * The JSON of a manifest, as the ecosystem's tools make it and as `readManifest` reads it. Of what `readManifest` has read it is the same text again, and so has the same hash,
 * but where that had what nobody here needs: attributes of CPU, an ephemeral volume or a persistent one without all of its attributes, variables without `=`, empty params, and
 * ports that the SDL lists in another order than the manifest does.
 */
export const manifestJson = (groups: readonly ManifestGroup[]): string =>
  canonicalManifest(groups.map(({ name, services }) => ({ name, services: services.map(serviceData) })));

function serviceData(service: ManifestService): object {
  const { name, image, command, args, env, resources, count, exposes, mounts, permissions, credentials } = service;
  const params = {
    storage: mounts.map(({ volume, path, readOnly }) => ({ name: volume, mount: path, readOnly })),
    ...(permissions.length > 0 && { permissions: { read: permissions } }),
  };
  return {
    ...{ name, image, command, args, count, credentials },
    env: env.map((variable) => `${variable.name}=${variable.value}`),
    resources: resourcesData(resources, exposes),
    expose: exposes.map(exposeData),
    ...((mounts.length > 0 || permissions.length > 0) && { params }),
  };
}

const amount = (value: number): object => ({ val: `${value}` });
const attributes = (pairs: readonly (readonly [key: string, value: string])[]): object[] => pairs.map(([key, value]) => ({ key, value }));

function resourcesData(resources: ManifestResources, exposes: readonly Expose[]): object {
  const { id, cpuMillis, memoryBytes, gpus, gpuAttributes, volumes } = resources;
  return {
    id,
    cpu: { units: amount(cpuMillis) },
    memory: { size: amount(memoryBytes) },
    gpu: { units: amount(gpus), attributes: attributes(gpuAttributes.map((key) => [key, 'true'])) },
    storage: volumes.map((volume) => ({ name: volume.name, size: amount(volume.bytes), attributes: attributes(volumeAttributes(volume)) })),
    endpoints: exposes.flatMap(endpointsData),
  };
}

function volumeAttributes({ kind, class: named }: ManifestVolume): readonly (readonly [string, string])[] {
  if (kind === 'ephemeral') return [];
  return [
    ['class', kind === 'ram' ? 'ram' : named],
    ['persistent', `${kind === 'persistent'}`],
  ];
}

/** 0: a port that is shared by hostname; 1: one of its own; 2: of a leased address. */
function endpointsData(expose: Expose): readonly object[] {
  if (!expose.global) return [];
  const isShared = expose.protocol === 'TCP' && externalPortOf(expose) === ingressPort;
  const own = { kind: isShared ? 0 : 1, sequence_number: 0 };
  return expose.ip === '' ? [own] : [own, { kind: 2, sequence_number: expose.endpointNumber }];
}

function exposeData({ protocol, endpointNumber, http, ...same }: Expose): object {
  return { ...same, proto: protocol, endpointSequenceNumber: endpointNumber, httpOptions: http };
}
