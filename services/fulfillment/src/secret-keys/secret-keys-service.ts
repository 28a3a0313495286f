import { SecretKeys } from '@quartermaster/api/fulfillment-extras';
import type { Log } from '@quartermaster/kernel';
import { type ServedService, serve } from '@quartermaster/rpc';
import type { Queryable } from '@quartermaster/store';
import { principalOf } from '../auth/principal.ts';
import { type Rewrapper, reencryptSecrets } from './reencrypt-secrets.ts';

/** What is needed of a key ring. */
export interface SecretKeyRing extends Rewrapper {
  /** Every key that it has, the current one among them. */
  readonly keyIds: readonly string[];
}

export interface SecretKeysOptions {
  readonly database: Queryable;
  readonly keys: SecretKeyRing;
  readonly log: Log;
}

/** Which key encrypts how much, and the end of an old key. */
export function secretKeysService({ database, keys, log }: SecretKeysOptions): ServedService {
  return serve(SecretKeys, {
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
    reencrypt: async function* (_request, { identity, signal }) {
      const { name } = principalOf(identity);
      log.info('secrets are encrypted anew', { by: name, key: keys.currentKeyId });
      for await (const { done, total, failed } of reencryptSecrets(database, keys, signal)) {
        yield { done: BigInt(done), total: BigInt(total), failed: BigInt(failed) };
      }
    },
  });
}
