import { clone, create } from '@bufbuild/protobuf';
import { OwnerKeySchema, OwnerKeys } from '@quartermaster/api/market';
import { MetadataSchema } from '@quartermaster/api/private';
import { callOf, ObjectReader, ObjectWriter, privateHandlers, type RevealLog } from '@quartermaster/objects';
import { type ServedService, serve } from '@quartermaster/rpc';
import { deleteSecretsPart, lockOf } from '@quartermaster/store';
import { accountFor } from '../access/index.ts';
import { checkKeyRoom } from '../keys/check-key-room.ts';
import type { TradeOptions } from '../trade/trade.ts';

export function ownerKeysService(options: TradeOptions & { readonly reveals: RevealLog }): ServedService {
  const kind = options.kinds.owner_keys;
  const writer = new ObjectWriter(kind, {
    ...options,
    // One after the other, so that they are counted.
    alsoLock: (key) => [lockOf('accounts', key.metadata?.tenants[0] ?? '')],
    alsoWrite: async (tx, batch, before, after) => {
      if (before === undefined && after !== undefined) await checkKeyRoom(tx, after);
      // Of a key with which the market signs tokens, the private half goes, too.
      if (before !== undefined && after === undefined) batch.add(deleteSecretsPart, { kind: kind.name, object_id: before.id, path: null });
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
