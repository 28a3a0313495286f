import type { Log } from '@quartermaster/kernel';
import type { KubeClient } from '@quartermaster/kube';
import type { ContainerContext, ImageRole } from '@quartermaster/simulator';

/** What our own image does on simulated nodes: the real discovery agent, on the filesystem of its node's hardware. */
export function agentImage(client: KubeClient, log: Log): (args: readonly string[]) => ImageRole | undefined {
  return (args) => (args[0] === 'discovery' ? { run: (context, signal) => runAgent(client, log, context, signal) } : undefined);
}

async function runAgent(
  client: KubeClient,
  log: Log,
  { node, filesystem, ...context }: ContainerContext,
  signal: AbortSignal,
): Promise<void> {
  const { runDiscovery } = await import('@quartermaster/inventory/discovery');
  context.log(`discovery agent of the simulated node ${node.name}`);
  await runDiscovery({ reader: filesystem, node: node.name, client, architecture: 'amd64', log, signal });
}
