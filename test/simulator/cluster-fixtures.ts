import type { Container, Deployment, PersistentVolume, Pod, StatefulSet } from '@quartermaster/kube/shapes';
import { buildHardware, type ContainerContext, ImageRegistry, type NodeSpec } from '@quartermaster/simulator';
import type { StreamCommands } from './stream-commands.ts';

export const namespace = 'default';
export const nodeCount = 20;
export const agentImage = 'registry.example/agent';

export const nodeSpecs: readonly NodeSpec[] = Array.from({ length: nodeCount }, (_, index) => ({
  name: `gpu-${index}`,
  index,
  hardware: buildHardware(
    {
      cpu: 'epyc-7763',
      sockets: 2,
      memoryGiB: 1024,
      gpus: [{ model: 'h100', count: 8 }],
      disks: [{ kind: 'nvme', sizeGB: 3840, count: 2 }],
      nics: [{ speedGbps: 100, count: 1 }],
    },
    `gpu-${index}`,
    7,
  ),
}));

export function volume(name: string): PersistentVolume {
  return {
    metadata: { name },
    spec: {
      capacity: { storage: '10Gi' },
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'manual',
      hostPath: { path: `/simulated/${name}` },
    },
  };
}

export function statefulSet(name: string, replicas: number): StatefulSet {
  const labels = { app: name };
  const resources = { requests: { storage: '5Gi' } };
  return {
    metadata: { namespace, name },
    spec: {
      replicas,
      serviceName: name,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'registry.example/store' }] } },
      volumeClaimTemplates: [
        { metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'manual', resources } },
      ],
    },
  };
}

export function agentImages(streams: StreamCommands): ImageRegistry {
  const images = new ImageRegistry();
  images.register(agentImage, ([verb, ...args]) => {
    if (verb === 'streams') return streams.role;
    if (verb === 'count') return { run: (context) => count(context, Number(args[0])) };
    return verb === 'serve' ? { run: (context, signal) => servePages(context, args.map(Number), signal) } : undefined;
  });
  return images;
}

async function count({ log }: ContainerContext, to: number): Promise<void> {
  for (let i = 1; i <= to; i += 1) log(String(i));
}

/** Answers on the ports with a page that says whose it is. */
async function servePages({ pod, serve }: ContainerContext, ports: readonly number[], signal: AbortSignal): Promise<void> {
  for (const port of ports) {
    serve(port, ({ method, url }, response) => response.end(`${pod.namespace}/${pod.name}:${port} ${method} ${url}\n`));
  }
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}

export const isReady = ({ status }: Pod): boolean =>
  status?.phase === 'Running' && status.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true;

export const nodesOf = (pods: readonly Pod[]): readonly string[] =>
  pods.map(({ spec }) => spec?.nodeName ?? '').sort((a, b) => (a < b ? -1 : 1));

export const scheduledCondition = ({ status }: Pod): object | undefined => status?.conditions?.find(({ type }) => type === 'PodScheduled');

export function gpuPod(name: string, gpus: number, annotations: Record<string, string> = {}, container: Partial<Container> = {}): Pod {
  const resources = gpus === 0 ? {} : { resources: { limits: { 'nvidia.com/gpu': String(gpus) } } };
  return {
    metadata: { namespace, name, annotations },
    spec: { containers: [{ name: 'main', image: 'registry.example/plain', ...container, ...resources }] },
  };
}

/** A lost node's pods move after two seconds instead of five minutes. */
const tolerations = ['not-ready', 'unreachable'].map((state) => ({
  key: `node.kubernetes.io/${state}`,
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds: 2,
}));

export function deployment(name: string, replicas: number, { gpus = 0 }: { readonly gpus?: number }): Deployment {
  const labels = { app: name };
  const { spec } = gpuPod(name, gpus);
  return {
    metadata: { namespace, name },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { ...spec, containers: spec?.containers ?? [], terminationGracePeriodSeconds: 1, tolerations },
      },
    },
  };
}
