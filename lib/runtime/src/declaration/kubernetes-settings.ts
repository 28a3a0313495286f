import { defineConfig } from '@quartermaster/service';
import * as z from 'zod';

/** Which cluster a role works on. The same settings for every role, so that one process works on one cluster. */
export const kubernetesSettings = defineConfig({
  kubeconfig: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Kubeconfig file of the cluster. Default: the KUBECONFIG variable, then ~/.kube/config, then the service account of the pod.',
    ),
  context: z
    .string()
    .min(1)
    .optional()
    .meta({ description: 'Context of the kubeconfig. Default: its current context.', variable: 'QUARTERMASTER_KUBE_CONTEXT' }),
});
