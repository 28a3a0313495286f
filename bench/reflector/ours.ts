/** Our cache with the projection that an inventory needs. */
import { KubeClient, KubeTransport, kinds, startCache, staticCredentials } from '@quartermaster/kube';
import { Probe } from './probe.ts';

const [server = '', total = ''] = process.argv.slice(2);
const client = new KubeClient(new KubeTransport({ credentials: staticCredentials({ server }) }));
const probe = new Probe(server, Number(total));
const cache = startCache(client, {
  type: kinds.pods,
  fields: { spec: { nodeName: true, containers: { resources: { requests: true } } }, status: { phase: true } },
  project: (pod) => ({
    node: pod.spec?.nodeName,
    phase: pod.status?.phase,
    requests: pod.spec?.containers.map(({ resources }) => resources?.requests),
  }),
});
cache.subscribe({ updated: () => probe.event() });
await cache.whenSynced();
await probe.listed();
probe.print();
process.exit(cache.size === Number(total) ? 0 : 1);
