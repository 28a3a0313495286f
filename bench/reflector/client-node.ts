/** The informer of @kubernetes/client-node as its documentation shows it. */
import { CoreV1Api, KubeConfig, makeInformer } from '@kubernetes/client-node';
import { Probe } from './probe.ts';

const [server = '', total = ''] = process.argv.slice(2);
const config = new KubeConfig();
config.loadFromClusterAndUser({ name: 'bench', server, skipTLSVerify: true }, { name: 'bench' });
const api = config.makeApiClient(CoreV1Api);
const probe = new Probe(server, Number(total));
const informer = makeInformer(config, '/api/v1/pods', () => api.listPodForAllNamespaces());
informer.on('update', () => probe.event());
informer.on('error', (error: unknown) => {
  console.error(error);
  process.exit(1);
});
await informer.start();
await probe.listed();
probe.print();
process.exit(informer.list().length === Number(total) ? 0 : 1);
