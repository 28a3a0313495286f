/** The thread of `startChurnThread`. */
import { workerData } from 'node:worker_threads';
import { seededRandom } from '@quartermaster/kernel';
import { KubeClient } from '@quartermaster/kube';
import { churn } from './churn.ts';
import type { ChurnTask } from './churn-thread.ts';

const { kubeconfig, namespace, writes, seed, made } = workerData as ChurnTask;
const client = await KubeClient.connect({ kubeconfig });
Atomics.store(made, 0, await churn(client, namespace, writes, seededRandom(seed)));
Atomics.notify(made, 0);
await client.close();
