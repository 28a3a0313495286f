import { readFile } from 'node:fs/promises';

/** Manifests that a cluster needs before agents and operators run on it: name -> file beside this package's contracts. */
const manifests = {
  'node-hardware': 'node-hardware.yaml',
  'node-hardware-policy': 'node-hardware-policy.yaml',
  'discovery-rbac': 'discovery-rbac.yaml',
} as const;

export type ManifestName = keyof typeof manifests;

/** In the order in which they are to be applied. */
export const manifestNames = Object.keys(manifests) as readonly ManifestName[];

/** The YAML of a manifest, of one or more documents. */
export async function manifestText(name: ManifestName): Promise<string> {
  return await readFile(new URL(`../../crds/${manifests[name]}`, import.meta.url), 'utf8');
}
