import type { Server } from 'node:https';
import { type Log, systemClock } from '@quartermaster/kernel';
import type { KubeClient } from '@quartermaster/kube';
import { selfSignedTls, type TlsCertificates } from '@quartermaster/service';
import type { ContainerContext, ImageRole } from '@quartermaster/simulator';
import { productNamespace } from '../product/product.ts';
import { AgentCrowd } from './agent-crowd.ts';
import { type AgentPace, agentPace } from './agent-pace.ts';

export interface AgentImageOptions {
  readonly client: KubeClient;
  /** How many nodes have an agent. */
  readonly nodes: number;
  readonly log: Log;
}

/** What all agents of a process have in common. */
interface SharedByAgents {
  readonly client: KubeClient;
  readonly crowd: AgentCrowd;
  readonly pace: AgentPace;
  readonly log: Log;
}

/** What our own image does on simulated nodes: the real discovery agent, on the machine of its node. */
export function agentImage({ client, nodes, log }: AgentImageOptions): (args: readonly string[]) => ImageRole | undefined {
  const shared = { client, crowd: new AgentCrowd(systemClock), pace: agentPace(nodes), log };
  // Thousands of agents share this process, and so one key.
  let tls: Promise<TlsCertificates> | undefined;
  const certificate = (): Promise<TlsCertificates> => {
    tls ??= selfSignedTls({ commonName: 'simulated agents', log });
    return tls;
  };
  const run: ImageRole['run'] = async (context, signal) => await runAgent(shared, await certificate(), context, signal);
  return (args) => (args[0] === 'discovery' ? { run } : undefined);
}

/** As the role of a real node runs it, but for the process, the port and the socket of the kubelet, which are played. */
async function runAgent(shared: SharedByAgents, tls: TlsCertificates, context: ContainerContext, signal: AbortSignal): Promise<void> {
  const { client, crowd, pace, log } = shared;
  const { node, machine, devices } = context;
  const discovery = await import('@quartermaster/inventory/discovery');
  const agent = new discovery.DiscoveryAgent({
    reader: machine,
    node: node.name,
    client: crowd.sharing(client),
    holders: { list: async () => devices.list() },
    fingerprint: () => tls.status().fingerprint,
    filesystemPaths: discovery.discoveryPaths,
    kubeletPath: discovery.usualKubeletPath,
    ...pace,
    architecture: 'amd64',
    log,
  });
  const admit = discovery.usageAccess({ client, clock: systemClock, namespace: productNamespace, callers: [discovery.operatorAccount] });
  const options = { agent, maxScanAgeMs: 3 * pace.rescanIntervalMs + 60_000, tls, admit, log };
  let served: { readonly server: Server; readonly release: () => void } | undefined;
  context.serve(discovery.discoveryPort, {
    accept: (connection) => {
      // Most agents are never asked.
      served ??= discovery.createDiscoveryServer(options);
      served.server.emit('connection', connection);
    },
  });
  context.log(`discovery agent of the simulated node ${node.name}; the use of its GPUs is made up`);
  await crowd.turn(signal);
  await agent.run(signal);
  served?.release();
}
