import type {
  EnvVariable,
  Expose,
  ManifestGroup,
  ManifestResources,
  ManifestService,
  ManifestVolume,
  Permission,
} from '@quartermaster/api/lease-manifest';
import type {
  Manifest,
  ManifestObjectExpose,
  ManifestObjectResources,
  ManifestObjectService,
  ManifestObjectStorage,
} from '@quartermaster/api/manifest';
import { StatusError } from '@quartermaster/kernel';
import { placeOf } from './secret-keys.ts';

interface StoredManifestObject {
  readonly group: ManifestGroup;
  readonly hash: string;
  readonly secretName: string;
  readonly confirmed: readonly string[];
}

type Secrets = ReadonlyMap<string, string> | undefined;

/**
 * What `manifestObject` has stored. Without the values of its Secret those are empty; with them, one that is missing is `failed_precondition`, as is an object that nobody
 * could have stored so.
 */
export function readManifestObject({ spec = {} }: Manifest, secrets: Secrets): StoredManifestObject {
  const { group, hash = '', secret: secretName = '', confirmed = [] } = spec;
  if (group === undefined) throw unreadable('group');
  const services = (group.services ?? []).map((service) => readService(service, secrets));
  return { group: { name: group.name ?? '', services }, hash, secretName, confirmed };
}

function readService(service: ManifestObjectService, secrets: Secrets): ManifestService {
  const { name = '', image = '', command = [], args = [], count = 0, expose = [], params, credentials, resources } = service;
  if (resources === undefined) throw unreadable(`resources of service ${name}`);
  return {
    ...{ name, image, command, args, count },
    env: readVariables(service, secrets),
    resources: readResources(resources, name),
    exposes: expose.map(readExpose),
    mounts: (params?.storage ?? []).map((mount) => ({
      volume: mount.name ?? '',
      path: mount.mount ?? '',
      readOnly: mount.readOnly ?? false,
    })),
    permissions: (params?.permissions?.read ?? []).filter(isPermission),
    ...(credentials && {
      credentials: {
        ...{ host: credentials.host ?? '', email: credentials.email ?? '', username: credentials.username ?? '' },
        // Others write it into the object.
        password: credentials.password_key === undefined ? (credentials.password ?? '') : valueOf(credentials.password_key, secrets),
      },
    }),
  };
}

/** In the order that they had: those of the Secret have their places, and the others fill the gaps. */
function readVariables({ env = [], sensitive_env: sensitive = [] }: ManifestObjectService, secrets: Secrets): readonly EnvVariable[] {
  const variables = env.map(readVariable);
  const placed = sensitive.map(({ name, key }) => ({
    place: placeOf(key) ?? Number.POSITIVE_INFINITY,
    variable: { name, value: valueOf(key, secrets) },
  }));
  for (const { place, variable } of placed.toSorted((a, b) => (a.place < b.place ? -1 : a.place > b.place ? 1 : 0)))
    variables.splice(place, 0, variable);
  return variables;
}

function readVariable(text: string): EnvVariable {
  const end = text.indexOf('=');
  return end === -1 ? { name: text, value: '' } : { name: text.slice(0, end), value: text.slice(end + 1) };
}

function valueOf(key: string, secrets: Secrets): string {
  if (secrets === undefined) return '';
  const value = secrets.get(key);
  if (value === undefined)
    throw new StatusError('failed_precondition', `its Secret has no key ${key}: have the tenant send the manifest again`);
  return value;
}

function readResources({ id = 0, cpu, gpu, memory, storage = [] }: ManifestObjectResources, service: string): ManifestResources {
  return {
    id,
    cpuMillis: cpu?.units ?? 0,
    memoryBytes: bytesOf(memory?.size, service),
    gpus: gpu?.units ?? 0,
    gpuAttributes: (gpu?.attributes ?? []).map(({ key = '' }) => key),
    volumes: storage.map((volume) => readVolume(volume, service)),
  };
}

function readVolume({ name = '', size, attributes = [] }: ManifestObjectStorage, service: string): ManifestVolume {
  const bytes = bytesOf(size, service);
  const texts = new Map(attributes.map(({ key, value }) => [key, value]));
  const named = texts.get('class');
  if (texts.get('persistent') === 'true') return { name, bytes, kind: 'persistent', class: named ?? 'default' };
  return { name, bytes, kind: named === 'ram' ? 'ram' : 'ephemeral', class: '' };
}

function bytesOf(text: string | undefined, service: string): number {
  const bytes = /^\d{1,16}$/.test(text ?? '') ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(bytes)) throw unreadable(`a size of service ${service}`);
  return bytes;
}

function readExpose({
  port = 0,
  external_port: externalPort = 0,
  proto = 'TCP',
  http_options: http = {},
  ...expose
}: ManifestObjectExpose): Expose {
  if (proto !== 'TCP' && proto !== 'UDP') throw unreadable(`the protocol of port ${port}`);
  return {
    ...{ port, externalPort, protocol: proto, service: expose.service ?? '', global: expose.global ?? false },
    ...{ hosts: expose.hosts ?? [], ip: expose.ip ?? '', endpointNumber: expose.endpoint_sequence_number ?? 0 },
    http: {
      maxBodySize: http.max_body_size ?? 0,
      readTimeout: http.read_timeout ?? 0,
      sendTimeout: http.send_timeout ?? 0,
      nextTries: http.next_tries ?? 0,
      nextTimeout: http.next_timeout ?? 0,
      nextCases: http.next_cases ?? [],
      ...(http.proxy_buffer_size !== undefined && { proxyBufferSize: http.proxy_buffer_size }),
    },
  };
}

const isPermission = (text: string): text is Permission => text === 'logs' || text === 'events' || text === 'deployment';

const unreadable = (what: string): StatusError =>
  new StatusError(
    'failed_precondition',
    `${what} cannot be read: somebody has changed the object; have the tenant send the manifest again`,
  );
