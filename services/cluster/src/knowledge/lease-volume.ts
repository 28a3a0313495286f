import type { LeaseVolume as LeaseVolumeMessage } from '@quartermaster/api/inventory';
import type { LeaseVolume } from '../model/inventory-change.ts';
import { safe } from './safe-amount.ts';

/** A claim of a lease as the inventory tells of it. It stands for what it asked for: what a driver added to that was promised to nobody. */
export function leaseVolume({ uid, namespace, namespaceUid, name, storageClass, requestedBytes, node }: LeaseVolumeMessage): LeaseVolume {
  const bytes = safe(requestedBytes, 'requested_bytes');
  return { uid, namespace, namespaceUid: namespaceUid || undefined, name, storageClass, bytes, node: node || undefined };
}
