import { SecretKeys } from '@quartermaster/api/fulfillment-extras';
import { StatusError } from '@quartermaster/kernel';
import type { ServerFlags } from '../../server/server-flags.ts';
import type { Output } from '../../text/output.ts';
import { table } from '../../text/table.ts';
import { withApi } from '../objects/api-connection.ts';

/** Which key seals how many secrets. */
export async function showKeys(_args: readonly string[], flags: ServerFlags, { out }: Output): Promise<void> {
  const { currentKeyId, keys } = await withApi(flags, (connection) => connection.client(SecretKeys).status({}));
  const rows = keys.map(({ keyId, secrets, isKnown }) => [
    keyId,
    String(secrets),
    keyId === currentKeyId ? 'seals' : isKnown ? (secrets === 0n ? 'can go' : 'opens') : 'missing in the ring',
  ]);
  out.write(table(['KEY', 'SECRETS', 'STATE'], rows));
}

/** Brings all secrets under the current key. May be interrupted and started again. */
export async function reencrypt(_args: readonly string[], flags: ServerFlags, { out, err }: Output, signal: AbortSignal): Promise<void> {
  await withApi(flags, async (connection) => {
    let last = { done: 0n, total: 0n, failed: 0n };
    for await (const progress of connection.client(SecretKeys).reencrypt({}, { signal })) {
      last = progress;
      if (err.isTTY === true) err.write(`\r${progress.done} of ${progress.total}`);
    }
    if (err.isTTY === true) err.write('\r\u001B[K');
    out.write(`${last.done} of ${last.total} secrets were under another key and are under the current one now.\n`);
    if (last.failed > 0n)
      throw new StatusError('failed_precondition', `${last.failed} secrets could not be opened: is a key missing in the ring?`);
  });
}
