import type { Log } from '@quartermaster/kernel';
import type { KubeClient } from '@quartermaster/kube';
import type { ContainerContext, ImageRole } from '@quartermaster/simulator';

/** What our own image does on simulated nodes: the real discovery agent, on the machine of its node. */
export function agentImage(client: KubeClient, log: Log): (args: readonly string[]) => ImageRole | undefined {
  return (args) => (args[0] === 'discovery' ? { run: (context, signal) => runAgent(client, log, context, signal) } : undefined);
}

const rescanIntervalMs = 120_000;

/** As the role of a real node runs it, but for the process, the port and the socket of the kubelet, which are played. */
async function runAgent(client: KubeClient, log: Log, context: ContainerContext, signal: AbortSignal): Promise<void> {
  const { node, machine, devices } = context;
  const { DiscoveryAgent, discoveryAnswers, discoveryPaths, discoveryPort } = await import('@quartermaster/inventory/discovery');
  const agent = new DiscoveryAgent({
    reader: machine,
    node: node.name,
    client,
    holders: { list: async () => devices.list() },
    filesystemPaths: discoveryPaths,
    rescanIntervalMs,
    architecture: 'amd64',
    log,
  });
  context.serve(discoveryPort, discoveryAnswers({ agent, maxScanAgeMs: 3 * rescanIntervalMs + 60_000, log }));
  context.log(`discovery agent of the simulated node ${node.name}; the use of its GPUs is made up`);
  await agent.run(signal);
}
