import { StatusError } from '@quartermaster/kernel';
import { findControlPlane } from '../../scripts/setup/control-plane.mjs';
import type { BinaryName } from '../../scripts/setup/control-plane-families.mjs';

export type { BinaryName };

/** The path of a binary that set-up has built or that `KUBEBUILDER_ASSETS` holds. Never builds. */
export function kubeBinary(name: BinaryName): string {
  const { binaries, directory } = findControlPlane();
  const path = binaries[name];
  if (path !== undefined) return path;
  throw new StatusError(
    'not_found',
    `${name} is neither in ${directory} nor in KUBEBUILDER_ASSETS: \`npm test\` and \`npm run kube\` build it (minutes, once per machine)`,
  );
}
