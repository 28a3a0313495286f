import { createPrivateKey, ECDH, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { OwnerKeySchema } from '@quartermaster/api/market';
import type { Clock } from '@quartermaster/kernel';
import { type Call, recordWrite } from '@quartermaster/objects';
import { type Sealer, sealSecret, type Transaction, type WriteBatch } from '@quartermaster/store';
import type { Kinds } from '../kinds/kinds.ts';
import { checkKeyRoom } from './check-key-room.ts';

export interface TokenKeyOptions {
  readonly kinds: Pick<Kinds, 'owner_keys'>;
  readonly keys: Pick<Sealer, 'seal'>;
  readonly clock: Pick<Clock, 'now'>;
  /** UUIDv7. */
  readonly newId: () => string;
}

/** By which tenants tell it from keys of their own. What it is to the market follows from its private half alone. */
const keyName = 'market-tokens';
const privateHalf = 'private_key';

const findStatement = {
  name: 'token-key',
  text: `select k.id from owner_keys k join secrets s on s.kind = 'owner_keys' and s.object_id = k.id and s.path = '${privateHalf}'
    where k.owner = $1 order by k.id limit 1`,
};

/**
 * The key with which the market signs tokens of an account: an owner key of it, of which the market has the private half. Where there is none, one is added to the batch.
 * The transaction holds the lock of the account, so that there is only ever one.
 */
export async function tokenKey(
  { kinds, keys, clock, newId }: TokenKeyOptions,
  { tx, batch }: { readonly tx: Transaction; readonly batch: WriteBatch },
  call: Call,
  owner: string,
): Promise<KeyObject> {
  const kind = kinds.owner_keys;
  const [known] = await tx.query<{ readonly id: string }>(findStatement, [owner]);
  const kept = known && (await kind.store.secretsOf(tx, known.id)).get(privateHalf);
  if (kept !== undefined) return createPrivateKey({ key: Buffer.from(kept), format: 'der', type: 'pkcs8' });
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
  const id = newId();
  const { object } = kind.rules.onCreate(
    create(OwnerKeySchema, {
      id,
      metadata: {
        name: keyName,
        creationTimestamp: timestampFromMs(clock.now()),
        creators: [call.principal.name],
        tenants: [owner],
      },
      spec: { key: { case: 'publicKey', value: compressed(publicKey) } },
    }),
    new Map(),
  );
  await checkKeyRoom(tx, object);
  const stored = kind.store.create(batch, object);
  recordWrite(batch, call, kind, newId, undefined, stored);
  sealSecret(batch, keys, { kind: kind.name, id, path: privateHalf }, privateKey.export({ format: 'der', type: 'pkcs8' }));
  return privateKey;
}

function compressed(key: KeyObject): string {
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  const point = Buffer.concat([Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
  return String(ECDH.convertKey(point, 'secp256k1', undefined, 'base64', 'compressed'));
}
