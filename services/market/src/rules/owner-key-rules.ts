import { create } from '@bufbuild/protobuf';
import type { GenMessage } from '@bufbuild/protobuf/codegenv2';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { type OwnerKey, OwnerKeySchema, OwnerKeySpecSchema, OwnerKeyStatusSchema } from '@quartermaster/api/market';
import type { Clock, FieldViolation } from '@quartermaster/kernel';
import { type KindRules, kindRules } from '@quartermaster/objects';
import { type ReadKey, readOwnerKey } from './read-owner-key.ts';

/** Whose the key is follows from its tenant; what it is, from itself. */
export function ownerKeyRules({ now }: Pick<Clock, 'now'>): KindRules<GenMessage<OwnerKey>> {
  return kindRules<OwnerKey>(OwnerKeySchema, {
    onCreate: (object) => {
      const key = readOwnerKey(object.spec ?? create(OwnerKeySpecSchema));
      if ('field' in key) return { object, violations: [key] };
      const owner = object.metadata?.tenants[0] ?? '';
      const { certificate, fingerprint } = key;
      const [notBefore, notAfter] = [certificate?.notBefore, certificate?.notAfter].map((date) => date && timestampFromDate(date));
      object.status = create(OwnerKeyStatusSchema, { owner, fingerprint, notBefore, notAfter });
      return { object, violations: certificate === undefined ? [] : certificateViolations(certificate, owner, now()) };
    },
    outputOnly: [{ pattern: 'status' }, { pattern: 'metadata.finalizers' }],
  });
}

function certificateViolations(
  { commonName, notAfter }: NonNullable<ReadKey['certificate']>,
  owner: string,
  now: number,
): FieldViolation[] {
  const field = 'spec.certificate';
  return [
    ...(commonName === owner ? [] : [{ field, description: `must have the common name "${owner}", the account that it is for` }]),
    ...(notAfter.getTime() > now ? [] : [{ field, description: `has ended at ${notAfter.toISOString()}: give one that is still valid` }]),
  ];
}
