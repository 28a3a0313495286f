import type { KubeClient } from '@quartermaster/kube';
import { SharedKey } from '@quartermaster/service';

/** A client for the cluster that this process works on. Whoever provided it closes it. */
export const sharedKubeClient = new SharedKey<KubeClient>('Kubernetes client');
