import { at, type Json, type JsonObject, listAt, metaOf, numberAt, objectAt, textAt } from '../object/api-object.ts';

export interface Column {
  readonly name: string;
  readonly type: string;
  readonly format?: string | undefined;
  /** 0 is always shown, 1 with `-o wide`. */
  readonly priority: number;
  readonly cell: (object: JsonObject, now: number) => Json;
}

type Cell = Column['cell'];

/** A duration as kubectl writes ages: two units at most. */
function humanDuration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const [minutes, hours, days] = [Math.floor(seconds / 60), Math.floor(seconds / 3600), Math.floor(seconds / 86_400)];
  const two = (big: number, bigUnit: string, small: number, smallUnit: string): string =>
    small === 0 ? `${big}${bigUnit}` : `${big}${bigUnit}${small}${smallUnit}`;
  if (seconds < 120) return `${seconds}s`;
  if (minutes < 10) return two(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  if (hours < 8) return two(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  if (days < 8) return two(days, 'd', hours % 24, 'h');
  if (days < 365 * 2) return `${days}d`;
  return two(Math.floor(days / 365), 'y', days % 365, 'd');
}

export function ageOf(timestamp: string | undefined, now: number): string {
  const then = Date.parse(timestamp ?? '');
  return Number.isNaN(then) ? '<unknown>' : humanDuration(now - then);
}

/** A cell is computed, or is the text at a path, or `<none>`. */
const column = (name: string, cell: Cell | string, priority = 0): Column => ({
  name,
  type: 'string',
  priority,
  cell: typeof cell === 'string' ? (object) => textAt(object, ...cell.split('.')) || '<none>' : cell,
});
const wide = (name: string, cell: Cell | string): Column => column(name, cell, 1);
const number = (name: string, path: string): Column => ({
  ...column(name, (object) => numberAt(object, ...path.split('.')) ?? 0),
  type: 'integer',
});
export const nameColumn: Column = { ...column('Name', 'metadata.name'), format: 'name' };
export const ageColumn = column('Age', (object, now) => ageOf(metaOf(object).creationTimestamp, now));

const joined = (texts: readonly string[]): string => texts.join(',') || '<none>';
const labels = (object: JsonObject, ...path: string[]): string =>
  joined(Object.entries(objectAt(object, ...path)).map(([key, value]) => `${key}=${String(value)}`));
const ofContainers =
  (field: string): Cell =>
  (object) =>
    joined(listAt(object, 'spec', 'template', 'spec', 'containers').map((each) => textAt(each, field)));
const containers: readonly Column[] = [
  wide('Containers', ofContainers('name')),
  wide('Images', ofContainers('image')),
  wide('Selector', (object) => labels(object, 'spec', 'selector', 'matchLabels')),
];
const ready = column(
  'Ready',
  (object) => `${numberAt(object, 'status', 'readyReplicas') ?? 0}/${numberAt(object, 'spec', 'replicas') ?? 0}`,
);

const modes: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};
const accessModes = column('Access Modes', (object) =>
  joined(((at(object, 'spec', 'accessModes') ?? []) as readonly string[]).map((mode) => modes[mode] ?? mode)),
);
const storageClass = column('StorageClass', 'spec.storageClassName');

/** What a pod is doing, in one word: the reason of a container that waits or ended says more than the phase. */
function podStatus(pod: JsonObject): string {
  if (metaOf(pod).deletionTimestamp !== undefined) return 'Terminating';
  const reasons = listAt(pod, 'status', 'containerStatuses').map(
    (status) => textAt(status, 'state', 'waiting', 'reason') || textAt(status, 'state', 'terminated', 'reason'),
  );
  return reasons.findLast((reason) => reason !== '') ?? (textAt(pod, 'status', 'reason') || textAt(pod, 'status', 'phase'));
}

function readyContainers(pod: JsonObject): string {
  const isReady = listAt(pod, 'status', 'containerStatuses').filter((status) => status['ready'] === true);
  return `${isReady.length}/${listAt(pod, 'spec', 'containers').length}`;
}

const restarts = (pod: JsonObject): string =>
  String(listAt(pod, 'status', 'containerStatuses').reduce((sum, status) => sum + (numberAt(status, 'restartCount') ?? 0), 0));

function nodeStatus(node: JsonObject): string {
  const status = listAt(node, 'status', 'conditions').find(({ type }) => type === 'Ready')?.['status'];
  const word = status === undefined ? 'Unknown' : status === 'True' ? 'Ready' : 'NotReady';
  return objectAt(node, 'spec')['unschedulable'] === true ? `${word},SchedulingDisabled` : word;
}

const rolePrefix = 'node-role.kubernetes.io/';
const nodeRoles = (node: JsonObject): string =>
  joined(Object.keys(metaOf(node).labels ?? {}).flatMap((label) => (label.startsWith(rolePrefix) ? [label.slice(rolePrefix.length)] : [])));
const internalIp = (node: JsonObject): string =>
  joined(listAt(node, 'status', 'addresses').flatMap((each) => (each['type'] === 'InternalIP' ? [textAt(each, 'address')] : [])));

const servicePorts = (service: JsonObject): string =>
  joined(
    listAt(service, 'spec', 'ports').map((port) => {
      const nodePort = numberAt(port, 'nodePort');
      return `${textAt(port, 'port')}${nodePort === undefined ? '' : `:${nodePort}`}/${textAt(port, 'protocol')}`;
    }),
  );

function externalIp(service: JsonObject): string {
  const ingress = listAt(service, 'status', 'loadBalancer', 'ingress').map((each) => textAt(each, 'ip') || textAt(each, 'hostname'));
  return ingress.length === 0 && textAt(service, 'spec', 'type') === 'LoadBalancer' ? '<pending>' : joined(ingress);
}

/** The columns between the name and the age, and the wide ones after it, by group/plural. */
const tables: Readonly<Record<string, readonly Column[]>> = {
  '/pods': [
    column('Ready', readyContainers),
    column('Status', podStatus),
    column('Restarts', restarts),
    wide('IP', 'status.podIP'),
    wide('Node', 'spec.nodeName'),
    wide('Nominated Node', 'status.nominatedNodeName'),
    wide('Readiness Gates', () => '<none>'),
  ],
  '/nodes': [
    column('Status', nodeStatus),
    column('Roles', nodeRoles),
    ageColumn,
    column('Version', 'status.nodeInfo.kubeletVersion'),
    wide('Internal-IP', internalIp),
    wide('OS-Image', 'status.nodeInfo.osImage'),
    wide('Kernel-Version', 'status.nodeInfo.kernelVersion'),
    wide('Container-Runtime', 'status.nodeInfo.containerRuntimeVersion'),
  ],
  '/namespaces': [column('Status', 'status.phase')],
  '/configmaps': [column('Data', (object) => Object.keys({ ...objectAt(object, 'data'), ...objectAt(object, 'binaryData') }).length)],
  '/secrets': [column('Type', 'type'), column('Data', (object) => Object.keys(objectAt(object, 'data')).length)],
  '/services': [
    column('Type', 'spec.type'),
    column('Cluster-IP', 'spec.clusterIP'),
    column('External-IP', externalIp),
    column('Port(s)', servicePorts),
    wide('Selector', (object) => labels(object, 'spec', 'selector')),
  ],
  '/persistentvolumeclaims': [
    column('Status', 'status.phase'),
    column('Volume', 'spec.volumeName'),
    column('Capacity', 'status.capacity.storage'),
    accessModes,
    storageClass,
  ],
  '/persistentvolumes': [
    column('Capacity', 'spec.capacity.storage'),
    accessModes,
    column('Reclaim Policy', 'spec.persistentVolumeReclaimPolicy'),
    column('Status', 'status.phase'),
    column('Claim', 'spec.claimRef.name'),
    storageClass,
  ],
  'apps/deployments': [
    ready,
    number('Up-to-date', 'status.updatedReplicas'),
    number('Available', 'status.availableReplicas'),
    ...containers,
  ],
  'apps/replicasets': [
    number('Desired', 'spec.replicas'),
    number('Current', 'status.replicas'),
    number('Ready', 'status.readyReplicas'),
    ...containers,
  ],
  'apps/statefulsets': [ready, ...containers],
  'apps/daemonsets': [
    number('Desired', 'status.desiredNumberScheduled'),
    number('Current', 'status.currentNumberScheduled'),
    number('Ready', 'status.numberReady'),
    number('Up-to-date', 'status.updatedNumberScheduled'),
    number('Available', 'status.numberAvailable'),
    ...containers,
  ],
  'storage.k8s.io/storageclasses': [
    column('Provisioner', 'provisioner'),
    column('ReclaimPolicy', 'reclaimPolicy'),
    column('VolumeBindingMode', 'volumeBindingMode'),
  ],
};

const eventColumns: readonly Column[] = [
  column('Last Seen', (event, now) =>
    ageOf(textAt(event, 'series', 'lastObservedTime') || textAt(event, 'lastTimestamp') || textAt(event, 'eventTime'), now),
  ),
  column('Type', 'type'),
  column('Reason', 'reason'),
  column('Object', (event) => `${textAt(event, 'involvedObject', 'kind').toLowerCase()}/${textAt(event, 'involvedObject', 'name')}`),
  column('Message', (event) => textAt(event, 'message').trim()),
];

/** The columns of a built-in kind; name and age alone for one that people rarely look at. */
export function builtInColumns(storageKey: string): readonly Column[] {
  if (storageKey === '/events') return eventColumns;
  const own = tables[storageKey] ?? [];
  if (own.includes(ageColumn)) return [nameColumn, ...own];
  return [nameColumn, ...own.filter(({ priority }) => priority === 0), ageColumn, ...own.filter(({ priority }) => priority > 0)];
}
