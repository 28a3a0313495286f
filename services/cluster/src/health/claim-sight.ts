import { bytes } from '@quartermaster/kernel';
import type { FieldSelection, Selected } from '@quartermaster/kube';
import type { PersistentVolumeClaim } from '@quartermaster/kube/shapes';
import type { SeenClaim } from './lease-health.ts';

/** Set by the scheduler on a claim whose volume is to be made where its pod goes. */
const selectedNode = 'volume.kubernetes.io/selected-node';

/** What `seenClaim` reads. */
export const claimFields = {
  metadata: { annotations: true },
  spec: { storageClassName: true, resources: { requests: true } },
  status: { phase: true },
} as const satisfies FieldSelection<PersistentVolumeClaim>;

type SelectedClaim = Selected<PersistentVolumeClaim, typeof claimFields & { readonly metadata: { readonly name: true } }>;

/** It stands for what it asked for, which is what was promised. */
export function seenClaim({ metadata, spec, status }: SelectedClaim): SeenClaim {
  return {
    name: metadata?.name ?? '',
    phase: status?.phase ?? '',
    storageClass: spec?.storageClassName ?? '',
    bytes: bytes(spec?.resources?.requests?.['storage'] ?? '0'),
    node: metadata?.annotations?.[selectedNode] ?? '',
  };
}
