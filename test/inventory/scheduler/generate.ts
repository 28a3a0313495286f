/**
 * Writes corpus.json: the pods of corpus-inputs.ts with what the scheduler counts for them after the API server stored them.
 *
 *   node test/inventory/scheduler/generate.ts
 */
import { writeFileSync } from 'node:fs';
import { KubeClient } from '@quartermaster/kube';
import { kubeBinary } from '../../kube/binaries.ts';
import { startControlPlane } from '../../kube/control-plane.ts';
import { Oracle } from '../../kube/vectors/oracle.ts';
import { corpusInputs } from './corpus-inputs.ts';
import { countedBy } from './counted-by.ts';
import { submitCorpus } from './submit-corpus.ts';

const controlPlane = await startControlPlane({ controllers: false, scheduler: false });
try {
  const client = await KubeClient.connect({ kubeconfig: controlPlane.kubeconfig });
  const inputs = [...corpusInputs()];
  const counted = countedBy(new Oracle(kubeBinary('kube-oracle')), await submitCorpus(client, inputs));
  await client.close();
  const lines = inputs.map((entry, i) => `  ${JSON.stringify({ ...entry, counted: counted[i] })}`);
  writeFileSync(new URL('./corpus.json', import.meta.url), `[\n${lines.join(',\n')}\n]\n`);
  console.log(`${lines.length} pods`);
} finally {
  await controlPlane.stop();
}
