import { at, type Json, type JsonObject, listAt, metaOf, numberAt, objectAt, textAt } from '../object/api-object.ts';

export interface Column {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly priority: number;
  readonly cell: (object: JsonObject, now: number) => Json;
}

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

type Cell = Column['cell'];

const text = (name: string, cell: Cell): Column => ({ name, type: 'string', priority: 0, cell });
const wide = (name: string, cell: Cell): Column => ({ name, type: 'string', priority: 1, cell });
const number = (name: string, ...path: string[]): Column => ({
  name,
  type: 'integer',
  priority: 0,
  cell: (object) => numberAt(object, ...path) ?? 0,
});
const nameColumn: Column = { name: 'Name', type: 'string', format: 'name', priority: 0, cell: (object) => metaOf(object).name ?? '' };
const age: Column = { name: 'Age', type: 'string', priority: 0, cell: (object, now) => ageOf(metaOf(object).creationTimestamp, now) };
const from =
  (...path: string[]): Cell =>
  (object) =>
    textAt(object, ...path) || '<none>';
const count =
  (...path: string[]): Cell =>
  (object) =>
    Object.keys(objectAt(object, ...path)).length;

const containersOf = (object: JsonObject): readonly JsonObject[] => listAt(object, 'spec', 'template', 'spec', 'containers');
const containers: readonly Column[] = [
  wide('Containers', (object) =>
    containersOf(object)
      .map((each) => textAt(each, 'name'))
      .join(','),
  ),
  wide('Images', (object) =>
    containersOf(object)
      .map((each) => textAt(each, 'image'))
      .join(','),
  ),
  wide('Selector', (object) => selectorText(objectAt(object, 'spec', 'selector', 'matchLabels'))),
];

const selectorText = (labels: JsonObject): string =>
  Object.entries(labels)
    .map(([key, value]) => `${key}=${String(value)}`)
    .join(',') || '<none>';

const modes: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};
const accessModes: Cell = (object) =>
  ((at(object, 'spec', 'accessModes') ?? []) as readonly string[]).map((mode) => modes[mode] ?? mode).join(',');

/** What a pod is doing, in one word: the reason of a container that waits or ended says more than the phase. */
function podStatusText(pod: JsonObject): string {
  if (metaOf(pod).deletionTimestamp !== undefined) return 'Terminating';
  const reason = textAt(pod, 'status', 'reason') || textAt(pod, 'status', 'phase');
  for (const status of listAt(pod, 'status', 'containerStatuses').toReversed()) {
    const waiting = textAt(status, 'state', 'waiting', 'reason');
    const ended = textAt(status, 'state', 'terminated', 'reason');
    if (waiting !== '' || ended !== '') return waiting || ended;
  }
  return reason;
}

function restarts(pod: JsonObject): Json {
  return String(listAt(pod, 'status', 'containerStatuses').reduce((sum, status) => sum + (numberAt(status, 'restartCount') ?? 0), 0));
}

function nodeStatus(node: JsonObject): string {
  const ready = listAt(node, 'status', 'conditions').find(({ type }) => type === 'Ready');
  const word = ready === undefined ? 'Unknown' : ready['status'] === 'True' ? 'Ready' : 'NotReady';
  return objectAt(node, 'spec')['unschedulable'] === true ? `${word},SchedulingDisabled` : word;
}

const rolePrefix = 'node-role.kubernetes.io/';
const nodeRoles = (node: JsonObject): string =>
  Object.keys(metaOf(node).labels ?? {})
    .filter((label) => label.startsWith(rolePrefix))
    .map((label) => label.slice(rolePrefix.length))
    .join(',') || '<none>';
const address =
  (type: string): Cell =>
  (node) =>
    textAt(
      listAt(node, 'status', 'addresses').find((each) => each['type'] === type),
      'address',
    ) || '<none>';

const servicePorts: Cell = (object) =>
  listAt(object, 'spec', 'ports')
    .map((port) => {
      const nodePort = numberAt(port, 'nodePort');
      return `${textAt(port, 'port')}${nodePort === undefined ? '' : `:${nodePort}`}/${textAt(port, 'protocol')}`;
    })
    .join(',') || '<none>';

const externalIp: Cell = (object) => {
  const ingress = listAt(object, 'status', 'loadBalancer', 'ingress').map((each) => textAt(each, 'ip') || textAt(each, 'hostname'));
  if (ingress.length > 0) return ingress.join(',');
  return textAt(object, 'spec', 'type') === 'LoadBalancer' ? '<pending>' : textAt(object, 'spec', 'externalName') || '<none>';
};

const ready = (have: string): Column =>
  text('Ready', (object) => `${numberAt(object, 'status', have) ?? 0}/${numberAt(object, 'spec', 'replicas') ?? 0}`);

const tables: Readonly<Record<string, readonly Column[]>> = {
  '/pods': [
    nameColumn,
    text('Ready', (pod) => {
      const statuses = listAt(pod, 'status', 'containerStatuses');
      return `${statuses.filter((status) => status['ready'] === true).length}/${listAt(pod, 'spec', 'containers').length}`;
    }),
    text('Status', podStatusText),
    text('Restarts', restarts),
    age,
    wide('IP', from('status', 'podIP')),
    wide('Node', from('spec', 'nodeName')),
    wide('Nominated Node', from('status', 'nominatedNodeName')),
    wide('Readiness Gates', () => '<none>'),
  ],
  '/nodes': [
    nameColumn,
    text('Status', nodeStatus),
    text('Roles', nodeRoles),
    age,
    text('Version', from('status', 'nodeInfo', 'kubeletVersion')),
    wide('Internal-IP', address('InternalIP')),
    wide('External-IP', address('ExternalIP')),
    wide('OS-Image', from('status', 'nodeInfo', 'osImage')),
    wide('Kernel-Version', from('status', 'nodeInfo', 'kernelVersion')),
    wide('Container-Runtime', from('status', 'nodeInfo', 'containerRuntimeVersion')),
  ],
  '/namespaces': [nameColumn, text('Status', from('status', 'phase')), age],
  '/configmaps': [
    nameColumn,
    text('Data', (object) => Object.keys({ ...objectAt(object, 'data'), ...objectAt(object, 'binaryData') }).length),
    age,
  ],
  '/secrets': [nameColumn, text('Type', from('type')), text('Data', count('data')), age],
  '/serviceaccounts': [nameColumn, age],
  '/services': [
    nameColumn,
    text('Type', from('spec', 'type')),
    text('Cluster-IP', from('spec', 'clusterIP')),
    text('External-IP', externalIp),
    text('Port(s)', servicePorts),
    age,
    wide('Selector', (object) => selectorText(objectAt(object, 'spec', 'selector'))),
  ],
  '/persistentvolumeclaims': [
    nameColumn,
    text('Status', (claim) => (metaOf(claim).deletionTimestamp === undefined ? textAt(claim, 'status', 'phase') : 'Terminating')),
    text('Volume', (claim) => textAt(claim, 'spec', 'volumeName')),
    text('Capacity', (claim) => textAt(claim, 'status', 'capacity', 'storage')),
    text('Access Modes', accessModes),
    text('StorageClass', (claim) => textAt(claim, 'spec', 'storageClassName')),
    age,
  ],
  '/persistentvolumes': [
    nameColumn,
    text('Capacity', from('spec', 'capacity', 'storage')),
    text('Access Modes', accessModes),
    text('Reclaim Policy', from('spec', 'persistentVolumeReclaimPolicy')),
    text('Status', from('status', 'phase')),
    text('Claim', (volume) => {
      const claim = objectAt(volume, 'spec', 'claimRef');
      return Object.keys(claim).length === 0 ? '' : `${textAt(claim, 'namespace')}/${textAt(claim, 'name')}`;
    }),
    text('StorageClass', (volume) => textAt(volume, 'spec', 'storageClassName')),
    text('Reason', (volume) => textAt(volume, 'status', 'reason')),
    age,
  ],
  '/events': [
    text('Last Seen', (event, now) =>
      ageOf(textAt(event, 'series', 'lastObservedTime') || textAt(event, 'lastTimestamp') || textAt(event, 'eventTime'), now),
    ),
    text('Type', from('type')),
    text('Reason', from('reason')),
    text('Object', (event) => `${textAt(event, 'involvedObject', 'kind').toLowerCase()}/${textAt(event, 'involvedObject', 'name')}`),
    text('Message', (event) => textAt(event, 'message').trim()),
  ],
  'apps/deployments': [
    nameColumn,
    ready('readyReplicas'),
    number('Up-to-date', 'status', 'updatedReplicas'),
    number('Available', 'status', 'availableReplicas'),
    age,
    ...containers,
  ],
  'apps/replicasets': [
    nameColumn,
    number('Desired', 'spec', 'replicas'),
    number('Current', 'status', 'replicas'),
    number('Ready', 'status', 'readyReplicas'),
    age,
    ...containers,
  ],
  'apps/statefulsets': [nameColumn, ready('readyReplicas'), age, ...containers.slice(0, 2)],
  'apps/daemonsets': [
    nameColumn,
    number('Desired', 'status', 'desiredNumberScheduled'),
    number('Current', 'status', 'currentNumberScheduled'),
    number('Ready', 'status', 'numberReady'),
    number('Up-to-date', 'status', 'updatedNumberScheduled'),
    number('Available', 'status', 'numberAvailable'),
    text('Node Selector', (object) => selectorText(objectAt(object, 'spec', 'template', 'spec', 'nodeSelector'))),
    age,
    ...containers,
  ],
  'storage.k8s.io/storageclasses': [
    nameColumn,
    text('Provisioner', from('provisioner')),
    text('ReclaimPolicy', from('reclaimPolicy')),
    text('VolumeBindingMode', from('volumeBindingMode')),
    text('AllowVolumeExpansion', (object) => object['allowVolumeExpansion'] === true),
    age,
  ],
  'coordination.k8s.io/leases': [nameColumn, text('Holder', from('spec', 'holderIdentity')), age],
  'networking.k8s.io/ingresses': [
    nameColumn,
    text('Class', from('spec', 'ingressClassName')),
    text(
      'Hosts',
      (object) =>
        listAt(object, 'spec', 'rules')
          .map((rule) => textAt(rule, 'host') || '*')
          .join(',') || '*',
    ),
    text('Address', (object) =>
      listAt(object, 'status', 'loadBalancer', 'ingress')
        .map((each) => textAt(each, 'ip'))
        .join(','),
    ),
    text('Ports', (object) => (listAt(object, 'spec', 'tls').length > 0 ? '80, 443' : '80')),
    age,
  ],
};

/** The columns of an everyday kind by its group/plural. */
export const columnsOf = (storageKey: string): readonly Column[] | undefined => tables[storageKey];
