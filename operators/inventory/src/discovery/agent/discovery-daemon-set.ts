import type { kinds } from '@quartermaster/kube';
import { discoveryName, discoveryPort } from './discovery-defaults.ts';

export interface DiscoveryDaemonSetOptions {
  readonly image: string;
  readonly namespace: string;
  /** Folders of node-local storage classes; the role's own default unless given. */
  readonly filesystemPaths?: readonly string[];
}

type DaemonSet = NonNullable<(typeof kinds.daemonSets)['shape']>;

/**
 * One discovery pod on every node, also on those that take no other work: pods that were deleted, evicted or drained come back by themselves. It
 * sees the node's root read-only, and is privileged to read what only root may read and to run the driver's tools where they lie.
 */
export function discoveryDaemonSet({ image, namespace, filesystemPaths = [] }: DiscoveryDaemonSetOptions): DaemonSet {
  const name = discoveryName;
  const port = discoveryPort;
  const labels = { 'app.kubernetes.io/name': name, 'app.kubernetes.io/part-of': 'quartermaster' };
  const paths = filesystemPaths.map((path) => `--discovery-paths=${path}`);
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name, namespace, labels },
    spec: {
      selector: { matchLabels: { 'app.kubernetes.io/name': name } },
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '10%' } },
      template: {
        metadata: { labels },
        spec: {
          serviceAccountName: name,
          priorityClassName: 'system-node-critical',
          terminationGracePeriodSeconds: 5,
          tolerations: [{ operator: 'Exists' }],
          containers: [
            {
              name: 'discovery',
              image,
              args: ['discovery', '--host-root=/host', '--discovery-host=0.0.0.0', `--discovery-port=${port}`, ...paths],
              env: [{ name: 'NODE_NAME', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }],
              ports: [{ name: 'discovery', containerPort: port }],
              livenessProbe: {
                httpGet: { path: '/healthz', port: 'discovery' },
                initialDelaySeconds: 60,
                periodSeconds: 30,
                timeoutSeconds: 5,
              },
              resources: { requests: { cpu: '10m', memory: '96Mi' }, limits: { memory: '256Mi' } },
              // The image runs as nobody in particular, whom privileges do not help to read root's files.
              securityContext: { privileged: true, runAsUser: 0, runAsGroup: 0, readOnlyRootFilesystem: true },
              volumeMounts: [{ name: 'host', mountPath: '/host', readOnly: true, mountPropagation: 'HostToContainer' }],
            },
          ],
          volumes: [{ name: 'host', hostPath: { path: '/' } }],
        },
      },
    },
  };
}
