import type { Expose, ManifestGroup, ManifestResources, ManifestService, ManifestVolume } from '@quartermaster/api/lease-manifest';
import type {
  Manifest,
  ManifestAttribute,
  ManifestObjectExpose,
  ManifestObjectResources,
  ManifestObjectService,
  ManifestSchedulerParams,
} from '@quartermaster/api/manifest';
import type { LeaseId } from '../model/lease.ts';
import { leaseAnnotations, leaseLabels } from '../model/lease-labels.ts';
import { passwordKey, variableKey } from './secret-keys.ts';
import { isSensitive } from './sensitive-env.ts';

/** What the replicas of a service were planned with. Empty texts are not told. */
export interface SchedulerParams {
  readonly runtimeClass: string;
  readonly gpu: { readonly vendor: string; readonly model: string; readonly memorySize: string; readonly interface: string };
}

interface ManifestContent {
  readonly lease: LeaseId;
  /** Of the lease. */
  readonly namespaceName: string;
  /** Where manifests are. */
  readonly manifestNamespace: string;
  readonly group: ManifestGroup;
  readonly hash: string;
  readonly secretName: string;
  /** `service/volume` of volumes whose loss was confirmed. */
  readonly confirmed: readonly string[];
  readonly sensitiveEnv: readonly string[];
  readonly scheduler: ReadonlyMap<string, SchedulerParams>; // service -> what it was planned with
}

/** A manifest as it is stored: the object, and the values of the Secret beside it, which are nowhere in the object. */
export function manifestObject(content: ManifestContent): {
  readonly manifest: Manifest;
  readonly secrets: Readonly<Record<string, string>>;
} {
  const { lease, namespaceName, manifestNamespace, group, hash, secretName, confirmed } = content;
  const secrets = new Map<string, string>();
  const keep = (key: string, value: string): string => {
    secrets.set(key, value);
    return key;
  };
  const manifest: Manifest = {
    apiVersion: 'akash.network/v2beta2',
    kind: 'Manifest',
    metadata: {
      name: namespaceName,
      namespace: manifestNamespace,
      labels: { 'akash.network': 'true', 'akash.network/namespace': namespaceName, ...leaseLabels(lease) },
      annotations: leaseAnnotations(lease),
    },
    spec: {
      lease_id: { owner: lease.owner, dseq: `${lease.dseq}`, gseq: lease.gseq, oseq: lease.oseq, provider: lease.provider },
      group: { name: group.name, services: group.services.map((service) => serviceObject(service, content, keep)) },
      hash,
      secret: secretName,
      confirmed,
    },
  };
  return { manifest, secrets: Object.fromEntries(secrets) };
}

function serviceObject(
  service: ManifestService,
  content: ManifestContent,
  keep: (key: string, value: string) => string,
): ManifestObjectService {
  const { name, image, command, args, env, count, exposes, mounts, permissions, credentials, resources } = service;
  const isSecret = (variable: string): boolean => isSensitive(variable, content.sensitiveEnv);
  const scheduler = content.scheduler.get(name);
  return {
    ...{ name, image, command, args, count },
    env: env.flatMap((each) => (isSecret(each.name) ? [] : [`${each.name}=${each.value}`])),
    sensitive_env: env.flatMap((each, place) =>
      isSecret(each.name) ? [{ name: each.name, key: keep(variableKey(name, place, each.name), each.value) }] : [],
    ),
    resources: resourcesObject(resources),
    expose: exposes.map(exposeObject),
    params: {
      storage: mounts.map(({ volume, path, readOnly }) => ({ name: volume, mount: path, readOnly })),
      permissions: { read: permissions },
    },
    ...(scheduler && { scheduler_params: schedulerObject(scheduler) }),
    ...(credentials && {
      credentials: {
        ...{ host: credentials.host, email: credentials.email, username: credentials.username },
        password_key: keep(passwordKey(name), credentials.password),
      },
    }),
  };
}

const resourcesObject = ({ id, cpuMillis, memoryBytes, gpus, gpuAttributes, volumes }: ManifestResources): ManifestObjectResources => ({
  id,
  cpu: { units: cpuMillis },
  memory: { size: `${memoryBytes}` },
  gpu: { units: gpus, attributes: gpuAttributes.map((key) => ({ key, value: 'true' })) },
  storage: volumes.map((volume) => ({ name: volume.name, size: `${volume.bytes}`, attributes: volumeAttributes(volume) })),
});

function volumeAttributes({ kind, class: named }: ManifestVolume): readonly ManifestAttribute[] {
  if (kind === 'ephemeral') return [];
  return [
    { key: 'class', value: kind === 'ram' ? 'ram' : named },
    { key: 'persistent', value: `${kind === 'persistent'}` },
  ];
}

function exposeObject({
  port,
  externalPort,
  protocol,
  service,
  global: isGlobal,
  hosts,
  ip,
  endpointNumber,
  http,
}: Expose): ManifestObjectExpose {
  return {
    ...{
      port,
      external_port: externalPort,
      proto: protocol,
      service,
      global: isGlobal,
      hosts,
      ip,
      endpoint_sequence_number: endpointNumber,
    },
    http_options: {
      max_body_size: http.maxBodySize,
      read_timeout: http.readTimeout,
      send_timeout: http.sendTimeout,
      next_tries: http.nextTries,
      next_timeout: http.nextTimeout,
      next_cases: http.nextCases,
      ...(http.proxyBufferSize !== undefined && { proxy_buffer_size: http.proxyBufferSize }),
    },
  };
}

function schedulerObject({ runtimeClass, gpu }: SchedulerParams): ManifestSchedulerParams {
  const told = { vendor: gpu.vendor, model: gpu.model, memory_size: gpu.memorySize, interface: gpu.interface };
  return {
    ...(runtimeClass !== '' && { runtime_class: runtimeClass }),
    resources: { gpu: Object.fromEntries(Object.entries(told).filter(([, text]) => text !== '')) },
  };
}
