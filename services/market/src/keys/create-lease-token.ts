import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { type Lease, LeaseState, type LeasesCreateTokenResponseSchema } from '@quartermaster/api/market';
import { StatusError } from '@quartermaster/kernel';
import { auditPart, auditRow, type Call } from '@quartermaster/objects';
import { lockOf, WriteBatch } from '@quartermaster/store';
import { leaseClaims, wantedToken } from '../rules/index.ts';
import type { TradeOptions } from '../trade/trade.ts';
import { signedToken } from './signed-token.ts';
import { type TokenKeyOptions, tokenKey } from './token-key.ts';

/** A token for an active lease, which is the caller's own, to be shown to its provider. Each is written down before it is given out: what it is for, and not the token. */
export async function createLeaseToken(
  options: Pick<TradeOptions, 'database' | 'kinds' | 'clock' | 'newId' | 'onWritten'> & TokenKeyOptions,
  call: Call,
  lease: Lease,
  request: Parameters<typeof wantedToken>[0],
): Promise<MessageInitShape<typeof LeasesCreateTokenResponseSchema>> {
  const { database, kinds, clock, newId, onWritten } = options;
  const { id } = lease;
  const wanted = wantedToken(request);
  if (lease.status?.state !== LeaseState.ACTIVE) {
    throw new StatusError('failed_precondition', `lease "${id}" is closed: nothing of it is left that a token could be for`);
  }
  const claims = leaseClaims(lease, wanted, { jti: newId(), now: clock.now() });
  const expiresAt = timestampFromMs(claims.exp * 1000);
  const { gateway } = lease.status.delivery ?? {};
  const key = await database.transaction(
    [lockOf('accounts', claims.iss)],
    async (tx) => {
      const batch = new WriteBatch();
      const own = await tokenKey(options, { tx, batch }, call, claims.iss);
      const { scopes, services } = wanted;
      const said = JSON.stringify({ id: claims.jti, scopes, services, expires_at: new Date(claims.exp * 1000).toISOString() });
      const changes = [{ path: 'token', before: '', after: said }];
      const event = { kind: kinds.leases.name, objectId: id, objectName: lease.metadata?.name ?? '', changes, outcome: 'updated' };
      batch.add(auditPart, auditRow(newId(), call.origin, event));
      await batch.flushLast(tx);
      return own;
    },
    { keepsPlans: true },
  );
  onWritten();
  return { token: signedToken(claims, key), expiresAt, ...(gateway && { gateway }) };
}
