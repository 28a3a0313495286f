/** One replica of the cluster service, with its gateway and everything else that it does. */
import { clusterRole } from '@quartermaster/cluster/roles';
import { startRole } from '@quartermaster/runtime/testing';
import type { GatewayReady, SiteReady } from './protocol.ts';
import { tellMemory } from './tell-memory.ts';

const { kubeconfig, clusterArgs, gateway } = JSON.parse(process.argv[2] ?? '') as SiteReady;
const running = await startRole(clusterRole, { kubeconfig, args: clusterArgs });
// The lease of the election is given back, so that the next process need not wait for its end.
process.on('disconnect', () => void running.stop().finally(() => process.exit(0)));
tellMemory();
process.send?.({ address: gateway } satisfies GatewayReady);
