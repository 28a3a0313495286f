import type { FieldSelection, Selected } from '@quartermaster/kube';
import type { Node } from '@quartermaster/kube/shapes';
import { kubeletConditions } from '../config/health-signal.ts';
import { systemUuidOf } from '../discovery/parse/junk-text.ts';
import { knownTime } from '../model/known-time.ts';
import type { ObservedNode } from '../model/observed.ts';
import { anyText, flag, listOf, mapOf, object, optional, shaped, text } from './shape.ts';

export const nodeFields = {
  metadata: { labels: true, deletionTimestamp: true },
  spec: { unschedulable: true, taints: { key: true, value: true, effect: true } },
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
type NodeSpec = NonNullable<SelectedNode['spec']>;
/** Whoever makes up nodes, as simulators do, says less of the machine than the API asks for. */
type NodeStatus = Omit<NonNullable<SelectedNode['status']>, 'nodeInfo'> & {
  readonly nodeInfo?: { readonly systemUUID?: string | undefined };
};

const nodeShape = object<Omit<SelectedNode, 'status'> & { readonly status?: NodeStatus }>({
  metadata: optional(
    object({ name: optional(text), uid: optional(text), labels: optional(mapOf(text)), deletionTimestamp: optional(text) }),
  ),
  spec: optional(
    object<NodeSpec>({
      unschedulable: optional(flag),
      taints: optional(listOf(object({ key: text, value: optional(text), effect: text }))),
    }),
  ),
  status: optional(
    object<NodeStatus>({
      // Amounts are read one by one later: one that is none costs that resource.
      capacity: optional(mapOf(anyText)),
      allocatable: optional(mapOf(anyText)),
      conditions: optional(
        listOf(object({ type: text, status: text, reason: optional(text), message: optional(text), lastTransitionTime: optional(text) })),
      ),
      nodeInfo: optional(object({ systemUUID: optional(text) })),
    }),
  ),
});

export const observeNode = shaped(nodeShape, ({ metadata, spec, status }): ObservedNode => {
  return {
    name: metadata?.name ?? '',
    uid: metadata?.uid ?? '',
    labels: metadata?.labels ?? {},
    unschedulable: spec?.unschedulable ?? false,
    deleting: metadata?.deletionTimestamp !== undefined,
    systemUuid: systemUuidOf(status?.nodeInfo?.systemUUID),
    taints: (spec?.taints ?? []).map(({ key, value, effect }) => ({ key, value: value ?? '', effect })),
    conditions: (status?.conditions ?? []).map(({ type, status: state, reason, message, lastTransitionTime }) => ({
      type,
      status: state,
      reason: reason ?? '',
      since: knownTime(lastTransitionTime),
      message: isWordy(type, state) ? cut(message, type === 'Ready' ? maxReadyMessageLength : maxMessageLength) : undefined,
    })),
    capacity: status?.capacity ?? {},
    allocatable: status?.allocatable ?? {},
  };
});

/** Others' conditions may name cards in their messages; the kubelet's repeat what their types say. */
function isWordy(type: string, status: string): boolean {
  return type === 'Ready' ? status !== 'True' : !kubeletConditions.has(type);
}

/** What is missing shows. */
const cut = (message: string | undefined, max: number): string | undefined =>
  message !== undefined && message.length > max ? `${message.slice(0, max - 1)}…` : message;
