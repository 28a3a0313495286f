import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** What the process that plays the cluster is told. */
export const clusterSettingsSchema = z.object({
  /** `simulated`: an API server and everything in it. `nodes`: simulated nodes for the API server of `kubeconfig`. */
  what: z.enum(['simulated', 'nodes']),
  /** Name or path. */
  scenario: z.string(),
  /** Written for `simulated`, read for `nodes`. */
  kubeconfig: z.string(),
  /** Where the simulated API server keeps its objects. */
  directory: z.string(),
  /** Where this process tells how its faults are controlled. */
  controlFile: z.string(),
  /** File with what the kubelets of `nodes` and a real API server know each other by; without it there are no logs and no exec. */
  kubeletIdentity: z.string().optional(),
  logLevel: z.enum(['debug', 'info', 'warn', 'error']),
});
export type ClusterSettings = z.infer<typeof clusterSettingsSchema>;

/** With which the simulated kubelets and an API server trust each other, in PEM, and the port at which it will look for them. */
const kubeletIdentitySchema = z.object({
  certificate: z.string(),
  key: z.string(),
  clientAuthority: z.string(),
  port: z.int().exactOptional(),
});
export type KubeletIdentity = z.infer<typeof kubeletIdentitySchema>;

/** Reads what whoever started a real API server wrote for the kubelets that it will trust. */
export function readKubeletIdentity(file: string): KubeletIdentity {
  return kubeletIdentitySchema.parse(JSON.parse(readFileSync(file, 'utf8')));
}
