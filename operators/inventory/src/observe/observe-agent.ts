import type { FieldSelection, Selected } from '@quartermaster/kube';
import type { Pod } from '@quartermaster/kube/shapes';
import { knownTime } from '../model/known-time.ts';
import { listOf, object, optional, shaped, text } from './shape.ts';

export const agentFields = {
  metadata: { deletionTimestamp: true },
  spec: { nodeName: true },
  status: { phase: true, podIP: true, conditions: { type: true, status: true, lastTransitionTime: true } },
} as const satisfies FieldSelection<Pod>;

/** The pod of a discovery agent. */
export interface ObservedAgent {
  /** Empty until it has one. */
  readonly node: string;
  readonly address: string;
  readonly isRunning: boolean;
  /** It has read its machine lately: its kubelet asks it. */
  readonly isReady: boolean;
  /** Since when its kubelet has not found it ready, in milliseconds since the epoch; undefined while it does. */
  readonly unreadySince: number | undefined;
}

type AgentPod = Selected<Pod, typeof agentFields>;
const agentShape = object<AgentPod>({
  metadata: optional(object({ deletionTimestamp: optional(text) })),
  spec: optional(object({ nodeName: optional(text) })),
  status: optional(
    object<NonNullable<AgentPod['status']>>({
      phase: optional(text),
      podIP: optional(text),
      conditions: optional(listOf(object({ type: text, status: text, lastTransitionTime: optional(text) }))),
    }),
  ),
});

export const observeAgent = shaped(agentShape, ({ metadata, spec, status }): ObservedAgent => {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const isRunning = status?.phase === 'Running' && metadata?.deletionTimestamp === undefined;
  return {
    node: spec?.nodeName ?? '',
    address: status?.podIP ?? '',
    isRunning,
    isReady: isRunning && ready?.status === 'True',
    unreadySince: ready?.status === 'True' ? undefined : knownTime(ready?.lastTransitionTime),
  };
});
