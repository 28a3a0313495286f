/**
 * A role as a process of its own whose time passes faster: started by `startFastRole`, tells where it serves once it is ready, and ends when the process that started it does.
 */
import { clusterRole } from '@quartermaster/cluster/roles';
import { inventoryRole } from '@quartermaster/inventory';
import { marketRole } from '@quartermaster/market/roles';
import { startRole } from '@quartermaster/runtime/testing';
import { fastClock } from '../support/fast-clock.ts';
import { reasonsOf } from './health-reasons.ts';

const [name = '', times = '', since = '', kubeconfig = '', ...args] = process.argv.slice(2);
const declared = name === 'cluster' ? clusterRole : name === 'market' ? marketRole : inventoryRole;
const role = await startRole(declared, { kubeconfig, args, clock: fastClock(Number(times), Number(since)) });
process.on('disconnect', () => process.exit());
process.on('message', () => void role.health.report('ready').then((report) => process.send?.({ complaints: reasonsOf(report) })));
process.send?.({ grpc: role.served.grpc });
