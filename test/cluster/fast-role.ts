/**
 * A role as a process of its own whose time passes faster: started by `startFastRole`, tells where it serves once it is ready, and ends when the process that started it does.
 */
import { clusterRole } from '@quartermaster/cluster/roles';
import { inventoryRole } from '@quartermaster/inventory';
import { startRole } from '@quartermaster/runtime/testing';
import { fastClock } from '../support/fast-clock.ts';

const [name = '', times = '', kubeconfig = '', ...args] = process.argv.slice(2);
const role = await startRole(name === 'cluster' ? clusterRole : inventoryRole, { kubeconfig, args, clock: fastClock(Number(times)) });
process.on('disconnect', () => process.exit());
process.send?.({ grpc: role.served.grpc });
