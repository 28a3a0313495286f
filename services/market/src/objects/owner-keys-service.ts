import { clone, create } from '@bufbuild/protobuf';
import { type OwnerKey, OwnerKeySchema, OwnerKeys } from '@quartermaster/api/market';
import { MetadataSchema } from '@quartermaster/api/private';
import { StatusError } from '@quartermaster/kernel';
import { callOf, ObjectReader, ObjectWriter, privateHandlers, type RevealLog } from '@quartermaster/objects';
import { type ServedService, serve } from '@quartermaster/rpc';
import { lockOf, type Queryable } from '@quartermaster/store';
import { accountFor } from '../access/index.ts';
import type { TradeOptions } from '../trade/trade.ts';

const maxKeys = 50;

const ownerOf = ({ metadata }: OwnerKey): string => metadata?.tenants[0] ?? '';

export function ownerKeysService(options: TradeOptions & { readonly reveals: RevealLog }): ServedService {
  const kind = options.kinds.owner_keys;
  const writer = new ObjectWriter(kind, {
    ...options,
    // One after the other, so that they are counted.
    alsoLock: (key) => [lockOf('accounts', ownerOf(key))],
    alsoWrite: async (tx, _batch, before, after) => {
      if (before === undefined && after !== undefined) await checkRoom(tx, after);
      return after;
    },
  });
  const handlers = privateHandlers(new ObjectReader(kind, options), writer);
  return serve(OwnerKeys, {
    ...handlers,
    create: async (request, context) => {
      const object = clone(OwnerKeySchema, request.object ?? create(OwnerKeySchema));
      object.metadata ??= create(MetadataSchema);
      object.metadata.tenants = [accountFor(callOf(context).principal, object.metadata.tenants)];
      return await handlers.create({ ...request, object }, context);
    },
  });
}

/** That a key is there twice is told by the database, but not to a dry run. */
async function checkRoom(db: Queryable, key: OwnerKey): Promise<void> {
  const statement = {
    name: 'count-owner-keys',
    text: 'select count(*) as keys, count(*) filter (where fingerprint = $2) as same from owner_keys where owner = $1',
  };
  const [row] = await db.query<{ readonly keys: bigint; readonly same: bigint }>(statement, [ownerOf(key), key.status?.fingerprint ?? '']);
  if ((row?.same ?? 0n) > 0n) {
    throw new StatusError('already_exists', 'field "spec": the account has this certificate or key already; there is no need to add it');
  }
  if ((row?.keys ?? 0n) < maxKeys) return;
  throw new StatusError('resource_exhausted', `${ownerOf(key)} has ${maxKeys} certificates and keys, and may not have more: delete one`);
}
