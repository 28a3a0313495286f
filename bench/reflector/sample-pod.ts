/** A pod as a busy cluster holds it: about 4 KB of JSON, a third of it managedFields. */
export function samplePod(index: number, resourceVersion: number): object {
  const name = `web-${String(index % 997).padStart(3, '0')}-${index.toString(36).padStart(6, '0')}`;
  return {
    metadata: {
      name,
      generateName: `web-${index % 997}-`,
      namespace: `lease-${index % 200}`,
      uid: uidOf(index),
      resourceVersion: String(resourceVersion),
      creationTimestamp: '2026-01-01T00:00:00Z',
      labels: { app: `web-${index % 997}`, 'pod-template-hash': '7d4b9c6f5d', 'quartermaster.dev/lease': `lease-${index % 200}` },
      annotations: { 'cni.projectcalico.org/podIP': '10.244.1.17/32', 'kubernetes.io/config.source': 'api', note: 'x'.repeat(200) },
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: 'ReplicaSet',
          name: `web-${index % 997}`,
          uid: uidOf(index + 1),
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
      managedFields: [manager('kube-controller-manager'), manager('kubelet')],
    },
    spec: {
      nodeName: `node-${index % 500}`,
      restartPolicy: 'Always',
      serviceAccountName: 'default',
      schedulerName: 'default-scheduler',
      priority: 0,
      terminationGracePeriodSeconds: 30,
      containers: [container('app', index), container('sidecar', index)],
      tolerations: ['not-ready', 'unreachable'].map((key) => ({
        key: `node.kubernetes.io/${key}`,
        operator: 'Exists',
        effect: 'NoExecute',
        tolerationSeconds: 300,
      })),
      volumes: [{ name: 'data', emptyDir: {} }],
    },
    status: {
      phase: 'Running',
      hostIP: '192.168.1.10',
      podIP: '10.244.1.17',
      startTime: '2026-01-01T00:00:00Z',
      qosClass: 'Burstable',
      conditions: ['Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map((type) => ({
        type,
        status: 'True',
        lastProbeTime: null,
        lastTransitionTime: '2026-01-01T00:00:00Z',
      })),
      containerStatuses: ['app', 'sidecar'].map((containerName) => ({
        name: containerName,
        ready: true,
        started: true,
        restartCount: 0,
        image: `registry.example/${containerName}:1.4.2`,
        imageID: `registry.example/${containerName}@sha256:${'ab'.repeat(32)}`,
        containerID: `containerd://${'cd'.repeat(32)}`,
        state: { running: { startedAt: '2026-01-01T00:00:00Z' } },
        lastState: {},
      })),
    },
  };
}

function container(name: string, index: number): object {
  return {
    name,
    image: `registry.example/${name}:1.4.2`,
    imagePullPolicy: 'IfNotPresent',
    resources: { requests: { cpu: `${100 + (index % 9) * 50}m`, memory: '256Mi' }, limits: { cpu: '2', memory: '1Gi' } },
    ports: [{ containerPort: 8080, protocol: 'TCP' }],
    env: [{ name: 'LOG_LEVEL', value: 'info' }],
    volumeMounts: [{ name: 'data', mountPath: '/data' }],
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
  };
}

function manager(name: string): object {
  const leaf = { '.': {}, 'f:type': {}, 'f:status': {}, 'f:lastProbeTime': {}, 'f:lastTransitionTime': {} };
  return {
    manager: name,
    operation: 'Update',
    apiVersion: 'v1',
    time: '2026-01-01T00:00:00Z',
    fieldsType: 'FieldsV1',
    fieldsV1: {
      'f:metadata': {
        'f:generateName': {},
        'f:labels': { '.': {}, 'f:app': {}, 'f:pod-template-hash': {} },
        'f:ownerReferences': { '.': {} },
      },
      'f:status': { 'f:conditions': { 'k:{"type":"Ready"}': leaf, 'k:{"type":"Initialized"}': leaf }, 'f:phase': {}, 'f:podIP': {} },
    },
  };
}

function uidOf(index: number): string {
  return `00000000-0000-4000-8000-${index.toString(16).padStart(12, '0')}`;
}
