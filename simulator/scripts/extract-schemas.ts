/**
 * Writes `src/schema/vectors/built-in.json`: the kinds that the simulator serves, as a real API server describes them.
 *
 *   node simulator/scripts/extract-schemas.ts KUBECONFIG        (`npm run kube` starts a server and prints its kubeconfig)
 */
import { writeFileSync } from 'node:fs';
import { KubeClient } from '@quartermaster/kube';
import { builtInText, extractBuiltIn } from './extract-built-in.ts';

const [, , kubeconfig] = process.argv;
if (kubeconfig === undefined) throw new Error('the path of a kubeconfig is missing: give it as the argument');
const client = await KubeClient.connect({ kubeconfig });
const data = await extractBuiltIn((path) => client.transport.json({ what: `get ${path}`, method: 'GET', path }));
await client.close();
writeFileSync(new URL('../src/schema/vectors/built-in.json', import.meta.url), builtInText(data));
