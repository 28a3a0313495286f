/** The thread of `startChurnThread`. */
import { parentPort, workerData } from 'node:worker_threads';
import { seededRandom } from '@quartermaster/kernel';
import { KubeClient } from '@quartermaster/kube';
import { churn } from './churn.ts';
import type { ChurnTask } from './churn-thread.ts';

const { kubeconfig, namespace, writes, seed, done } = workerData as ChurnTask;
const client = await KubeClient.connect({ kubeconfig });
const made = await churn(client, namespace, writes, seededRandom(seed));
Atomics.store(done, 0, 1);
Atomics.notify(done, 0);
parentPort?.postMessage(made);
await client.close();
