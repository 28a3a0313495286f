import type { DescMessage } from '@bufbuild/protobuf';
import { isReason, type Projection, projectionOf } from '@quartermaster/objects';

/**
 * What tenants see of a kind. Of a condition they see type, status, reason and time: the message is written for the provider, and may repeat what a management controller or
 * an inventory source said. So may a reason that is a text: earlier releases stored them.
 */
export function tenantProjection<Public extends DescMessage, Private extends DescMessage>(
  publicSchema: Public,
  privateSchema: Private,
): Projection<Public, Private> {
  return projectionOf(publicSchema, privateSchema, {
    withholds: (path) => path.endsWith('conditions.*.message'),
    hides: (path) => (path.endsWith('conditions.*.reason') ? (reason) => !isReason(String(reason)) : undefined),
  });
}
