import type { FieldSelection, Selected } from '@quartermaster/kube';
import type { Node } from '@quartermaster/kube/shapes';
import { kubeletConditions } from '../config/health-signal.ts';
import { systemUuidOf } from '../discovery/parse/junk-text.ts';
import { knownTime } from '../model/known-time.ts';
import type { ObservedNode } from '../model/observed.ts';
import { anything, both, fields, flag, listOf, mapOf, required, shaped, text } from './shape.ts';

export const nodeFields = {
  metadata: { labels: true, deletionTimestamp: true },
  spec: { unschedulable: true, taints: true },
  status: {
    capacity: true,
    allocatable: true,
    conditions: { type: true, status: true, reason: true, message: true, lastTransitionTime: true },
    nodeInfo: { systemUUID: true },
  },
} as const satisfies FieldSelection<Node>;

/** As the API limits messages of conditions elsewhere; of nodes' it does not. Cards may be named at the very end. */
const maxMessageLength = 32_768;
/** The kubelet's are shown as they are, and name nothing. */
const maxReadyMessageLength = 1024;

type SelectedNode = Selected<Node, typeof nodeFields & { metadata: { name: true; uid: true } }>;

/** Amounts are read one by one later: one that is none costs that resource. */
const nodeShape = fields({
  metadata: fields({ labels: mapOf(text) }),
  spec: fields({ unschedulable: flag, taints: listOf(both(required({ key: text, effect: text }), fields({ value: text }))) }),
  status: fields({
    capacity: mapOf(anything),
    allocatable: mapOf(anything),
    conditions: listOf(both(required({ type: text, status: text }), fields({ reason: text, message: text, lastTransitionTime: text }))),
  }),
});

export const observeNode = shaped(nodeShape, (node: SelectedNode): ObservedNode => {
  const { metadata, spec, status } = node;
  return {
    name: metadata?.name ?? '',
    uid: metadata?.uid ?? '',
    labels: metadata?.labels ?? {},
    unschedulable: spec?.unschedulable ?? false,
    deleting: (metadata?.deletionTimestamp ?? undefined) !== undefined,
    systemUuid: systemUuidOf(status?.nodeInfo?.systemUUID),
    taints: (spec?.taints ?? []).map(({ key, value, effect }) => ({ key, value: value ?? '', effect })),
    conditions: (status?.conditions ?? []).map(({ type, status: state, reason, message, lastTransitionTime }) => ({
      type,
      status: state,
      reason: reason ?? '',
      since: knownTime(lastTransitionTime),
      message: isWordy(type, state) ? cut(message, type === 'Ready' ? maxReadyMessageLength : maxMessageLength) : undefined,
    })),
    capacity: textsOf(status?.capacity),
    allocatable: textsOf(status?.allocatable),
  };
});

/** Others' conditions may name cards in their messages; the kubelet's repeat what their types say. */
function isWordy(type: string, status: string): boolean {
  return type === 'Ready' ? status !== 'True' : !kubeletConditions.has(type);
}

/** What is missing shows. */
const cut = (message: string | undefined, max: number): string | undefined =>
  message !== undefined && message.length > max ? `${message.slice(0, max - 1)}…` : message;

function textsOf(amounts: Readonly<Record<string, unknown>> | undefined): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(amounts ?? {}).map(([resource, quantity]) => [resource, String(quantity)]));
}
