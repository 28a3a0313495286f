import type { Tone } from '@quartermaster/api/states';
import type { FaultChange, PartChange } from '../../installation-view.ts';
import type { EventRow } from '../../kubernetes-view.ts';
import { nodeHref, podHref } from '../model/addresses.ts';
import { formatInteger } from '../model/amounts.ts';
import { partTone } from '../model/part-order.ts';
import type { EventLine } from './event-line.ts';

export const nodeEvents = { name: 'nodes', singular: 'node', plural: 'nodes' };
export const podEvents = { name: 'pods', singular: 'pod', plural: 'pods' };
/** Deployments and the like, which the console has no pages for. */
export const otherEvents = { name: 'others', singular: 'other', plural: 'other Kubernetes objects' };
export const componentChanges = { name: 'components', singular: 'component', plural: 'components' };
export const simulatedFaults = { name: 'faults', singular: 'simulated fault', plural: 'simulated faults' };

/** An Event of Kubernetes as a line. What it is about may be gone by now: its page says so. */
export function lineOfKubernetesEvent({ id, at, type, reason, message, kind, namespace, name, count, source }: EventRow): EventLine {
  const times = count > 1 ? ` (${formatInteger(count)} times)` : '';
  const line = {
    key: `event ${id}`,
    at: at ?? 0,
    tone: toneOf(type, reason),
    word: reason,
    objectName: name,
    note: `${message}${times}${source === '' ? '' : `, says ${source}`}`,
  };
  if (kind === 'Node') return { ...line, kind: nodeEvents, objectId: name, href: nodeHref(name) };
  const objectId = namespace === '' ? name : `${namespace}/${name}`;
  if (kind === 'Pod') return { ...line, kind: podEvents, objectId, href: podHref(objectId) };
  return { ...line, kind: { ...otherEvents, singular: kind.toLowerCase() }, objectId, href: undefined };
}

/** Kubernetes calls the loss of a node normal. */
function toneOf(type: string, reason: string): Tone {
  if (/NotReady|Quarantined|^Unknown$/.test(reason)) return 'failed';
  if (/^(Sellable|GpuReleased|NodeReady)$/.test(reason)) return 'good';
  return type === 'Warning' ? 'held' : 'plain';
}

export function lineOfComponent({ at, name, state, reason = '' }: PartChange): EventLine {
  const key = `component ${name} ${at}`;
  return {
    key,
    at,
    tone: partTone(state),
    word: state,
    kind: componentChanges,
    objectId: name,
    objectName: name,
    href: '/overview',
    note: reason,
  };
}

/** Says of every line that it was on purpose. */
export function lineOfFault({ at, change, fault: { id, kind, node, settings } }: FaultChange): EventLine {
  return {
    key: `fault ${id} ${change} ${at}`,
    at,
    tone: change === 'ended' ? 'good' : 'failed',
    word: `${kind} ${change}`,
    kind: simulatedFaults,
    objectId: id,
    objectName: node ?? 'API server',
    href: node === undefined ? '/overview' : nodeHref(node),
    note: ['simulated on purpose', ...Object.entries(settings).map(([name, value]) => `${name} ${value}`)].join(', '),
  };
}
