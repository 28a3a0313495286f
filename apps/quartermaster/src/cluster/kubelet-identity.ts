import { readFileSync } from 'node:fs';
import { z } from 'zod';

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
