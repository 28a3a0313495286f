/** Our cache with everything that the server says of a pod. */
import { KubeClient, KubeTransport, kinds, startCache, staticCredentials } from '@quartermaster/kube';
import { Probe } from './probe.ts';

const [server = '', total = ''] = process.argv.slice(2);
const client = new KubeClient(new KubeTransport({ credentials: staticCredentials({ server }) }));
const probe = new Probe(server, Number(total));
const cache = startCache(client, { type: kinds.pods, project: (pod) => pod });
cache.subscribe({ updated: () => probe.event() });
await cache.whenSynced();
await probe.listed();
probe.print();
process.exit(cache.size === Number(total) ? 0 : 1);
