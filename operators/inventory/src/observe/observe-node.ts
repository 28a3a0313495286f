import type { FieldSelection, Selected } from '@quartermaster/kube';
import type { Node } from 'kubernetes-types/core/v1.js';
import type { ObservedNode } from '../model/observed.ts';

export const nodeFields = {
  metadata: { labels: true, deletionTimestamp: true },
  spec: { unschedulable: true, taints: true },
  status: {
    capacity: true,
    allocatable: true,
    conditions: { type: true, status: true, reason: true, lastTransitionTime: true },
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
    conditions: (status?.conditions ?? []).map(({ type, status: state, reason, lastTransitionTime }) => ({
      type,
      status: state,
      reason: reason ?? '',
      ...sinceOf(lastTransitionTime),
    })),
    capacity: textsOf(status?.capacity),
    allocatable: textsOf(status?.allocatable),
    systemUuid: status?.nodeInfo?.systemUUID ?? '',
    architecture: status?.nodeInfo?.architecture ?? '',
  };
}

function sinceOf(time: string | undefined): { since?: number } {
  const since = Date.parse(time ?? '');
  return Number.isNaN(since) ? {} : { since };
}

function textsOf(amounts: Readonly<Record<string, unknown>> | undefined): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(amounts ?? {}).map(([resource, quantity]) => [resource, String(quantity)]));
}
