import { hostnameClaimType } from '@quartermaster/api/hostname-claim';
import { manifestType } from '@quartermaster/api/manifest';
import { providerHostType } from '@quartermaster/api/provider-host';
import { providerLeasedIPType } from '@quartermaster/api/provider-leased-ip';
import { tenantLeaseType } from '@quartermaster/api/tenant-lease';
import { type OrderId, orderName } from '@quartermaster/cluster';
import { type KubeClient, type KubeObject, kinds, type ResourceType, startCache } from '@quartermaster/kube';
import { writtenOf } from './written-objects.ts';

const manifestNamespace = 'lease';
const namespaceLabel = 'akash.network/namespace';
const inNamespace: readonly ResourceType[] = [
  ...[kinds.deployments, kinds.statefulSets, kinds.services, kinds.configMaps, kinds.secrets, kinds.networkPolicies],
  ...[kinds.serviceAccounts, kinds.roles, kinds.roleBindings, kinds.resourceQuotas, kinds.persistentVolumeClaims, kinds.pods],
];
const declared = [providerHostType, providerLeasedIPType, manifestType, kinds.secrets] as unknown as readonly ResourceType[];
/** The server makes these of its own accord. */
const ofTheServer = new Set(['ConfigMap kube-root-ca.crt', 'ServiceAccount default']);

export const namespaceOf = (order: OrderId): string => `lease-${orderName(order)}`;

interface Found {
  readonly kind: string;
  readonly object: KubeObject;
}

/** Everything that there is of a lease. */
export async function objectsOf(client: KubeClient, order: OrderId): Promise<readonly Found[]> {
  const namespace = namespaceOf(order);
  const name = orderName(order);
  const list = async (type: ResourceType, options: object): Promise<readonly Found[]> =>
    (await client.list(type, options)).items.map((object) => ({ kind: type.kind, object }));
  const place = await client.find(kinds.namespaces, { name: namespace });
  const record = await client.find(tenantLeaseType, { name });
  const lists = await Promise.all([
    ...(place === undefined ? [] : inNamespace.map((type) => list(type, { namespace }))),
    ...declared.map((type) => list(type, { namespace: manifestNamespace, labelSelector: `${namespaceLabel}=${namespace}` })),
  ]);
  const claims = (await client.list(hostnameClaimType)).items.filter(({ spec }) => spec.lease === name);
  return [
    ...(place === undefined ? [] : [{ kind: 'Namespace', object: place }]),
    ...(record === undefined ? [] : [{ kind: 'TenantLease', object: record }]),
    ...lists.flat().filter(({ kind, object }) => !ofTheServer.has(`${kind} ${object.metadata?.name}`)),
    ...claims.map((object) => ({ kind: 'HostnameClaim', object })),
  ];
}

type Fields = Readonly<Record<string, unknown>>;
const at = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((found, field) => (found as Fields | undefined)?.[field], value);

/** What a server adds of its own accord, or somebody other than the leader, and what nobody can have the same twice. */
const template = ['spec', 'template', 'metadata'];
const ofChance: Readonly<Record<string, readonly (readonly string[])[]>> = {
  // The hash of its environment has the salt of the lease in it.
  Deployment: [[...template, 'annotations', 'quartermaster.dev/config']],
  StatefulSet: [[...template, 'annotations', 'quartermaster.dev/config']],
  // Its hash has the hostnames in it, which are those of the lease.
  Manifest: [
    ['spec', 'hash'],
    ['spec', 'secret'],
  ],
  Service: [
    ['spec', 'clusterIP'],
    ['spec', 'clusterIPs'],
  ],
  PersistentVolumeClaim: [['spec', 'volumeName']],
};
const notCompared = new Set(['apiVersion', 'kind', 'metadata', 'status']);

/** All that was written of it: labels, and everything beside metadata and status. */
function written(kind: string, object: KubeObject): unknown {
  const rest = structuredClone(Object.fromEntries(Object.entries(object).filter(([field]) => !notCompared.has(field))));
  for (const path of ofChance[kind] ?? []) {
    const parent = at(rest, ...path.slice(0, -1)) as Record<string, unknown> | undefined;
    if (parent !== undefined) delete parent[path.at(-1) ?? ''];
  }
  // Which port of a node it is given is chance.
  for (const port of (at(rest, 'spec', 'ports') ?? []) as Record<string, unknown>[]) if (typeof port === 'object') delete port['nodePort'];
  return [object.metadata?.labels, rest];
}

/** Of each object what has to come out the same, however it came about; of the others, all that was written of it. */
const telling: Readonly<Record<string, (object: unknown) => unknown>> = {
  Namespace: (object) => [at(object, 'status', 'phase'), at(object, 'metadata', 'labels')],
  TenantLease: (object) => {
    const status = at(object, 'status') as Fields;
    const times = ['wonAt', 'manifestAt', 'deployedAt', 'closingAt', 'completeAt'].filter((time) => status[time] !== undefined);
    return [status['state'], status['reason'], status['leftovers'], times];
  },
  Secret: (object) => {
    const { salt: _salt, ...data } = (at(object, 'data') ?? {}) as Fields;
    return [at(object, 'type'), data];
  },
  Pod: (object) => {
    const [container] = at(object, 'spec', 'containers') as readonly Fields[];
    const gates = (at(object, 'spec', 'schedulingGates') ?? []) as readonly unknown[];
    return [container?.['image'], gates.length === 0 ? 'placed' : 'gated'];
  },
  HostnameClaim: (object) => [at(object, 'spec', 'hostname'), at(object, 'spec', 'state')],
};
/** Fields come in the order in which they were written. */
const inOrder = (told: unknown): string =>
  JSON.stringify(told, (_, value: unknown) =>
    typeof value !== 'object' || value === null || Array.isArray(value)
      ? value
      : Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))),
  );

/** They have names of chance, or of what the lease has for a name. */
const nameless = new Set(['Pod', 'HostnameClaim']);

/** What there is of a lease, in which one lease is like another that came to the same. */
export async function leaseState(client: KubeClient, order: OrderId): Promise<readonly string[]> {
  const named = (await objectsOf(client, order)).map(({ kind, object }) => {
    const isStored = kind === 'Secret' && object.metadata?.namespace === manifestNamespace;
    const name = nameless.has(kind) || isStored ? '' : ` ${object.metadata?.name}`;
    const isEnding = object.metadata?.deletionTimestamp === undefined ? '' : ' (ending)';
    return `${kind}${isStored ? ' of the manifest' : ''}${name}${isEnding} ${inOrder((telling[kind] ?? ((each) => written(kind, each as KubeObject)))(object))}`;
  });
  return named.map((text) => text.replaceAll(String(order.dseq), 'N').replaceAll(order.owner, 'OWNER')).sort();
}

/** Object -> uid, version and what is written of it: the same as long as nobody touches the lease. Of its record what it says, which is something else for moments in which it is not seen. */
export async function leaseVersions(client: KubeClient, order: OrderId): Promise<ReadonlyMap<string, string>> {
  const found = await objectsOf(client, order);
  return new Map(
    found.map(({ kind, object }) => {
      const { metadata } = object;
      const said = ['reason', 'message'].map((field) => at(object, 'status', field)).join(': ');
      // Ten minutes after it was made, its controller writes into the status of a Deployment that it made no progress.
      const ownVersion = kind === 'Deployment' ? metadata?.generation : metadata?.resourceVersion;
      const version = kind === 'TenantLease' ? said : `${metadata?.uid} ${ownVersion}`;
      return [`${kind} ${metadata?.namespace ?? ''}/${metadata?.name}`, `${version} ${writtenOf([{ ...object, kind }]).join()}`];
    }),
  );
}

/** A text for each state in which an object of a kind is from now on, the present one first, and for its end; none where the text is empty. */
async function follow<T extends KubeObject>(client: KubeClient, type: ResourceType<T>, textOf: (object: T) => string) {
  const seen: string[] = [];
  const tell = (text: string, isDeleted = false): void => {
    if (text !== '') seen.push(isDeleted ? `${text}, deleted` : text);
  };
  const cache = startCache<T, string>(client, { type, project: textOf });
  cache.subscribe({ added: ({ value }) => tell(value), updated: ({ value }) => tell(value), deleted: ({ value }) => tell(value, true) });
  await cache.whenSynced();
  return { seen, end: () => cache.stop() };
}

/** What `followHostname` tells of a lease that has it: by its claim, and by its route. */
export const hasIt = (order: OrderId): readonly string[] => [`Held ${orderName(order)}`, namespaceOf(order)];

/** Who has a hostname. */
export async function followHostname(client: KubeClient, hostname: string) {
  const claim = await follow(client, hostnameClaimType, ({ spec }) => (spec.hostname === hostname ? `${spec.state} ${spec.lease}` : ''));
  const host = await follow(client, providerHostType, ({ metadata }) =>
    metadata?.name === hostname ? String(metadata.labels?.[namespaceLabel]) : '',
  );
  return {
    now: () => [claim, host].map(({ seen }) => seen.at(-1)),
    /** At any moment since it is followed. */
    ever: () => new Set([...claim.seen, ...host.seen]),
    end: async () => void (await Promise.all([claim.end(), host.end()])),
  };
}

/** A reason, and again and again that the lease is not seen, and then the same reason. */
const blinks = /^(\w+)((,NotSeen)+,\1)*(,NotSeen)*$/;

/** What is written to the records of leases that nothing happens to: on a busy machine they are not seen for a moment, and then are what they were. */
export async function followRecords(client: KubeClient, orders: readonly OrderId[]) {
  const names = orders.map(orderName);
  const { seen, end } = await follow(client, tenantLeaseType, ({ metadata: { name = '' } = {}, status }) =>
    names.includes(name) ? `${name} ${status?.reason}` : '',
  );
  const said = (name: string): readonly string[] =>
    seen.filter((text) => text.startsWith(`${name} `)).map((text) => text.slice(name.length + 1));
  let lookedAt = seen.length;
  return {
    /** The leases of which something was said since the last look. */
    written: () => seen.slice(lookedAt).map((text) => text.split(' ')[0] ?? ''),
    /** What was said beside that, by lease. Ends the look. */
    others: () => {
      lookedAt = seen.length;
      return names.map((name) => said(name).join()).filter((reasons) => !blinks.test(reasons));
    },
    end,
  };
}

/** What is there of leases, and nobody's. */
export async function leaked(client: KubeClient): Promise<readonly string[]> {
  const found: string[] = [];
  const records = (await client.list(tenantLeaseType)).items;
  const open = new Map(records.filter(({ status }) => status?.state !== 'Complete').map((record) => [record.spec.namespace, record]));
  const namespaces = (await client.list(kinds.namespaces)).items.filter(({ metadata }) => metadata?.name?.startsWith('lease-'));
  for (const { metadata } of namespaces)
    if (open.get(metadata?.name ?? '')?.status?.namespaceUid !== metadata?.uid) found.push(`Namespace ${metadata?.name} is of no lease`);
  const manifests = new Map(
    (await client.list(manifestType, { namespace: manifestNamespace })).items.map((each) => [each.metadata?.name, each]),
  );
  for (const name of manifests.keys()) if (!open.has(name ?? '')) found.push(`Manifest ${name} is of no lease`);
  const secrets = await client.list(kinds.secrets, { namespace: manifestNamespace, labelSelector: namespaceLabel });
  for (const { metadata } of secrets.items) {
    const owner = manifests.get(metadata?.labels?.[namespaceLabel]);
    if (owner?.spec?.secret !== metadata?.name) found.push(`Secret ${metadata?.name} is of no Manifest`);
  }
  const claims = (await client.list(hostnameClaimType)).items;
  for (const { spec } of claims) {
    if (spec.state === 'Claiming') found.push(`HostnameClaim of ${spec.hostname} is in the making`);
    if (spec.state === 'Held' && ![...open.values()].some(({ metadata }) => metadata?.name === spec.lease))
      found.push(`HostnameClaim of ${spec.hostname} is of no lease`);
  }
  for (const { metadata } of (await client.list(providerHostType, { namespace: manifestNamespace })).items) {
    const lease = open.get(metadata?.labels?.[namespaceLabel] ?? '')?.metadata?.name;
    const claim = claims.find(({ spec }) => spec.state === 'Held' && spec.hostname === metadata?.name);
    if (lease === undefined || claim?.spec.lease !== lease) found.push(`ProviderHost ${metadata?.name} is of nobody who has the name`);
  }
  for (const { metadata } of (await client.list(providerLeasedIPType, { namespace: manifestNamespace })).items) {
    const manifest = manifests.get(metadata?.labels?.[namespaceLabel]);
    if (manifest === undefined || !open.has(manifest.metadata?.name ?? '')) found.push(`ProviderLeasedIP ${metadata?.name} is of no lease`);
  }
  return found;
}
