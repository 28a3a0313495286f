import { kinds } from '@quartermaster/kube';
import type { PodTemplateSpec } from '@quartermaster/kube/shapes';
import { behaviourPrefix } from '../cluster/pods/kubelet-pod.ts';
import type { Workload } from './scenario.ts';
import type { WorldObject } from './world-object.ts';

/** The objects of one tenant's workload. */
export function* workloadObjects(namespace: string, workload: Workload): Generator<WorldObject, void> {
  const { name, replicas, expose } = workload;
  const metadata = { namespace, name, labels: { app: name } };
  const selector = { matchLabels: { app: name } };
  const template = templateOf(workload);
  switch (workload.kind) {
    case 'Deployment':
      yield { type: kinds.deployments, object: { metadata, spec: { replicas, selector, template } } };
      break;
    case 'DaemonSet':
      yield { type: kinds.daemonSets, object: { metadata, spec: { selector, template } } };
      break;
    case 'StatefulSet':
      yield {
        type: kinds.statefulSets,
        object: { metadata, spec: { replicas, selector, serviceName: name, template, ...claimsOf(workload) } },
      };
      break;
  }
  if (expose !== undefined) {
    const ports = [{ port: expose.port, targetPort: expose.port, protocol: 'TCP' }];
    yield { type: kinds.services, object: { metadata, spec: { type: expose.type, selector: { app: name }, ports } } };
  }
}

function templateOf({ name, image, cpu, memory, gpus, runForMs, expose, volume }: Workload): PodTemplateSpec {
  const limits = gpus === undefined ? undefined : { [`${gpus.vendor}.com/gpu`]: String(gpus.count) };
  return {
    metadata: {
      labels: { app: name },
      annotations: runForMs === undefined ? undefined : { [`${behaviourPrefix}run-for-ms`]: String(runForMs) },
    },
    spec: {
      terminationGracePeriodSeconds: 5,
      containers: [
        {
          name: 'main',
          image,
          resources: { requests: { cpu, memory, ...limits }, limits },
          ports: expose === undefined ? undefined : [{ containerPort: expose.port }],
          volumeMounts: volume === undefined ? undefined : [{ name: 'data', mountPath: '/data' }],
        },
      ],
    },
  };
}

function claimsOf({ volume }: Workload): object {
  if (volume === undefined) return {};
  const spec = { accessModes: ['ReadWriteOnce'], storageClassName: volume.class, resources: { requests: { storage: volume.size } } };
  return { volumeClaimTemplates: [{ metadata: { name: 'data' }, spec }] };
}
