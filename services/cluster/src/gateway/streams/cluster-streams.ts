import type { Clock } from '@quartermaster/kernel';
import { type KubeClient, kinds, openExec, podLog, startCache } from '@quartermaster/kube';
import type { StreamedCluster } from './streamed-cluster.ts';
import type { SeenEvent } from './tenant-event.ts';

const eventFields = {
  type: true,
  reason: true,
  note: true,
  reportingController: true,
  regarding: { kind: true, namespace: true, name: true },
  eventTime: true,
  series: { lastObservedTime: true },
  deprecatedLastTimestamp: true,
} as const;

/** Logs, commands and events of the cluster, as streams to tenants take them. */
export function clusterStreams(client: KubeClient, clock: Clock, { maxLineBytes }: { readonly maxLineBytes: number }): StreamedCluster {
  return {
    lines: (pod, options) => podLog(client, pod, { ...options, timestamps: true, maxLineBytes }),
    exec: (pod, options) => openExec(client, pod, options),
    events: {
      clock,
      open: (namespace) => {
        const cache = startCache(client, {
          ...{ name: 'events of a lease', type: kinds.events, namespace, fields: eventFields, clock },
          project: (event): SeenEvent => {
            const { type = '', reason = '', note = '', reportingController: controller = '', regarding = {} } = event;
            const { kind = '', namespace: place = '', name = '' } = regarding;
            const seenAt = event.series?.lastObservedTime ?? event.deprecatedLastTimestamp ?? event.eventTime ?? '';
            return { type, reason, note, controller, kind, namespace: place, name, at: Date.parse(seenAt) || 0 };
          },
        });
        return {
          subscribe: (listener) => cache.subscribe(listener),
          whenSynced: (signal) => cache.whenSynced(signal),
          stop: () => void cache.stop(),
        };
      },
    },
  };
}
