import type { Pod } from '@quartermaster/kube/shapes';
import type { NodeSpec } from '../cluster/simulated-node.ts';
import type { Scenario } from './scenario.ts';

/** What one of many similar pods has of its own: fields of its metadata, spec and status. */
export interface PodVariation {
  readonly metadata: { readonly namespace: string; readonly name: string };
  readonly spec: { readonly nodeName: string };
  readonly status: { readonly hostIP: string; readonly podIP: string; readonly podIPs: readonly { readonly ip: string }[] };
}

/** Pods that differ in a few fields. */
export interface RunningPods {
  readonly model: Pod;
  readonly variations: Iterable<PodVariation>;
}

type RunningPodSettings = NonNullable<Scenario['tenants'][number]['runningPods']>;

/** A moment before any run, for the stamps of what exists from the beginning. */
const beginning = '2026-01-01T00:00:00Z';

/** The pods that run from the beginning: so many on every node, dealt to the tenants' namespaces in turn. */
export function* runningPods({ tenants }: Scenario, nodes: readonly NodeSpec[]): Generator<RunningPods, void> {
  for (const { prefix, count, runningPods: settings } of tenants) {
    if (settings === undefined) continue;
    const namespaces = Array.from({ length: count }, (_, index) => `${prefix}-${index + 1}`);
    yield { model: model(settings), variations: variations(settings, namespaces, nodes) };
  }
}

/** One of the pods as a whole. */
export function varied({ model: { metadata, spec, status, ...rest } }: RunningPods, variation: PodVariation): Pod {
  return {
    ...rest,
    metadata: { ...metadata, ...variation.metadata },
    spec: { ...spec, containers: spec?.containers ?? [], ...variation.spec },
    status: { ...status, ...variation.status, podIPs: [...variation.status.podIPs] },
  };
}

function* variations(
  { perNode }: RunningPodSettings,
  namespaces: readonly string[],
  nodes: readonly NodeSpec[],
): Generator<PodVariation, void> {
  let made = 0;
  for (const node of nodes) {
    const hostIP = `10.240.${node.index >> 8}.${node.index & 255}`;
    for (let index = 0; index < perNode; index += 1) {
      const namespace = namespaces[made % namespaces.length] ?? 'default';
      made += 1;
      const podIP = `10.${64 + (node.index >> 8)}.${node.index & 255}.${index + 2}`;
      yield {
        metadata: { namespace, name: `running-${made}` },
        spec: { nodeName: node.name },
        status: { hostIP, podIP, podIPs: [{ ip: podIP }] },
      };
    }
  }
}

function model({ image, cpu, memory }: RunningPodSettings): Pod {
  const condition = (type: string) => ({ type, status: 'True', lastTransitionTime: beginning });
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { labels: { app: 'running' } },
    spec: {
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 1,
      schedulerName: 'default-scheduler',
      containers: [{ name: 'main', image, resources: { requests: { cpu, memory } } }],
    },
    status: {
      phase: 'Running',
      startTime: beginning,
      conditions: ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready'].map(condition),
      containerStatuses: [
        {
          name: 'main',
          image,
          imageID: `simulated://${image}`,
          ready: true,
          started: true,
          restartCount: 0,
          state: { running: { startedAt: beginning } },
        },
      ],
    },
  };
}
