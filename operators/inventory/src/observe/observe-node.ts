import type { FieldSelection, Selected } from '@quartermaster/kube';
import type { Node } from '@quartermaster/kube/shapes';
import { given } from '../model/given.ts';
import type { ObservedNode } from '../model/observed.ts';

export const nodeFields = {
  metadata: { labels: true, deletionTimestamp: true },
  spec: { unschedulable: true, taints: true },
  status: {
    capacity: true,
    allocatable: true,
    conditions: { type: true, status: true, reason: true, message: true, lastTransitionTime: true },
    nodeInfo: { systemUUID: true, architecture: true },
  },
} as const satisfies FieldSelection<Node>;

type SelectedNode = Selected<Node, typeof nodeFields & { metadata: { name: true; uid: true } }>;

export function observeNode(node: SelectedNode): ObservedNode {
  const { metadata, spec, status } = node;
  return {
    name: metadata?.name ?? '',
    uid: metadata?.uid ?? '',
    labels: metadata?.labels ?? {},
    unschedulable: spec?.unschedulable ?? false,
    deleting: metadata?.deletionTimestamp !== undefined,
    taints: (spec?.taints ?? []).map(({ key, value, effect }) => ({ key, value: value ?? '', effect })),
    conditions: (status?.conditions ?? []).map(({ type, status: state, reason, message, lastTransitionTime }) => ({
      type,
      status: state,
      reason: reason ?? '',
      ...timeOf('since', lastTransitionTime),
      ...(type === 'Ready' && state !== 'True' ? given('message', message) : {}),
    })),
    capacity: textsOf(status?.capacity),
    allocatable: textsOf(status?.allocatable),
    systemUuid: status?.nodeInfo?.systemUUID ?? '',
    architecture: status?.nodeInfo?.architecture ?? '',
  };
}

function timeOf<K extends string>(field: K, time: string | undefined): { readonly [F in K]?: number } {
  const ms = Date.parse(time ?? '');
  return given(field, Number.isNaN(ms) ? undefined : ms);
}

function textsOf(amounts: Readonly<Record<string, unknown>> | undefined): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(amounts ?? {}).map(([resource, quantity]) => [resource, String(quantity)]));
}
