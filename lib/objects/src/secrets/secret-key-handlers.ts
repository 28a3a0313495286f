import type { Log } from '@quartermaster/kernel';
import type { CallContext } from '@quartermaster/rpc';
import { type Queryable, type SecretKeyRing, WriteBatch } from '@quartermaster/store';
import { type AuditOrigin, auditPart, auditRow } from '../audit/index.ts';
import { callOf } from '../handlers/call.ts';
import { reencryptSecrets } from './reencrypt-secrets.ts';

export interface SecretKeysOptions {
  readonly database: Queryable;
  readonly keys: Pick<SecretKeyRing, 'currentKeyId' | 'keyIds' | 'rewrap'>;
  /** UUIDv7. */
  readonly newId: () => string;
  readonly log: Log;
}

/** Which key encrypts how much, and the end of an old key. */
export function secretKeyHandlers({ database, keys, newId, log }: SecretKeysOptions) {
  return {
    status: async () => {
      const rows = await database.query<{ readonly key_id: string; readonly secrets: bigint }>({
        name: 'secrets-by-key',
        text: 'select key_id, count(*) as secrets from secrets group by key_id',
      });
      const used = new Map(rows.map((row) => [row.key_id, row.secrets])); // key id -> number of secrets
      const ids = [...new Set([...keys.keyIds, ...used.keys()])].toSorted();
      return {
        currentKeyId: keys.currentKeyId,
        keys: ids.map((keyId) => ({ keyId, secrets: used.get(keyId) ?? 0n, isKnown: keys.keyIds.includes(keyId) })),
      };
    },
    async *reencrypt(_request: object, context: CallContext) {
      const { origin } = callOf(context);
      log.info('re-encrypting secrets', { by: origin.actor, key: keys.currentKeyId });
      let isAudited = false;
      for await (const { done, total, failed } of reencryptSecrets(database, keys, context.signal)) {
        // With the first batch: who breaks it off has begun it all the same.
        if (!isAudited) await audit(origin, total);
        isAudited = true;
        yield { done: BigInt(done), total: BigInt(total), failed: BigInt(failed) };
      }
    },
  };

  async function audit(origin: AuditOrigin, total: number): Promise<void> {
    const changes = [{ path: 'secrets', before: '', after: JSON.stringify(`${total} under ${keys.currentKeyId}`) }];
    const batch = new WriteBatch();
    batch.add(
      auditPart,
      auditRow(newId(), origin, { kind: 'secret_keys', objectId: keys.currentKeyId, objectName: '', changes, outcome: 'updated' }),
    );
    await batch.flush(database);
  }
}
