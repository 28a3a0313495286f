import { randomUUID } from 'node:crypto';
import { closeSync, fchmodSync, fstatSync, openSync, writeSync } from 'node:fs';
import { SecretKeys } from '@quartermaster/api/fulfillment-extras';
import { StatusError, systemClock } from '@quartermaster/kernel';
import { databaseSettings } from '@quartermaster/runtime';
import { createLogger, parseDuration, type Role } from '@quartermaster/service';
import { processConfig } from '../roles/process-config.ts';
import { loadRoleConfig } from '../roles/role-config.ts';
import type { Output } from '../text/output.ts';
import { table } from '../text/table.ts';
import { withApi } from './api-connection.ts';
import type { ApiFlags } from './api-flags.ts';
import { KeyRingEntries } from './key-ring-entries.ts';

/** Brings the database that the settings name to what this release needs, before any process of the release starts. */
export async function migrateDatabase(role: Role, known: readonly Role[], args: readonly string[], { out, err }: Output): Promise<void> {
  const log = createLogger({ destination: err, clock: systemClock });
  const config = await loadRoleConfig({
    roles: [role],
    known,
    others: [processConfig],
    args,
    environment: process.env,
    clock: systemClock,
    log,
  });
  try {
    const { url } = databaseSettings('fulfillment').read(config.current);
    if (url === undefined) {
      throw new StatusError(
        'failed_precondition',
        'no fulfillment-database-url is given: an embedded database is migrated when the service starts',
      );
    }
    const { migrateFulfillment } = await import('@quartermaster/fulfillment');
    await migrateFulfillment(url, { log, clock: systemClock });
    out.write('The database is what this release needs.\n');
  } finally {
    await config.close();
  }
}

export interface TokenFlags {
  readonly keyFile: string;
  readonly name: string;
  readonly role: 'admin' | 'provider' | 'sync' | 'tenant';
  readonly tenant: readonly string[];
  readonly source?: string;
  readonly lifetime: string;
  /** Where to write it; standard output unless given. */
  readonly out?: string;
}

/** A token that the service accepts, signed with its key of local tokens. Its id is said beside it, for the day on which it is lost. */
export async function createToken(flags: TokenFlags, { out, err }: Output): Promise<void> {
  const lifetimeMs = parseDuration(flags.lifetime);
  if (lifetimeMs === undefined || lifetimeMs <= 0) {
    throw new StatusError('invalid_argument', `--lifetime "${flags.lifetime}" must be a duration, such as 12h or 30d`);
  }
  const { LocalTokens } = await import('@quartermaster/fulfillment');
  const tokens = await LocalTokens.open(flags.keyFile, systemClock);
  const { name, role, tenant: groups, source } = flags;
  const id = randomUUID();
  const token = await tokens.issue({ name, role, groups, lifetimeMs, id, ...(source === undefined ? {} : { source }) });
  if (flags.out === undefined) out.write(`${token}\n`);
  else writeSecret(flags.out, `${token}\n`);
  err.write(`The id of this token is ${id}: put it into fulfillment-revoked-tokens to withdraw it.\n`);
}

/** For its owner alone, also where a file that others could read was there before. What is no file, such as a pipe, stays as it is. */
function writeSecret(path: string, text: string): void {
  const file = openSync(path, 'w', 0o600);
  try {
    if (fstatSync(file).isFile()) fchmodSync(file, 0o600);
    writeSync(file, text);
  } finally {
    closeSync(file);
  }
}

/** Which key seals how many secrets. */
export async function showKeys(flags: ApiFlags, { out }: Output): Promise<void> {
  const { currentKeyId, keys } = await withApi(flags, (connection) => connection.client(SecretKeys).status({}));
  const rows = keys.map(({ keyId, secrets, isKnown }) => [
    keyId,
    String(secrets),
    keyId === currentKeyId ? 'seals' : isKnown ? (secrets === 0n ? 'can go' : 'opens') : 'missing in the ring',
  ]);
  out.write(table(['KEY', 'SECRETS', 'STATE'], rows));
}

/** Brings all secrets under the current key. May be broken off and begun again. */
export async function reencrypt(flags: ApiFlags, { out, err }: Output, signal: AbortSignal): Promise<void> {
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

/** Adds a key to the file of a ring, puts one first, or takes one out. */
export function changeKeyRing(change: 'add' | 'use' | 'drop', file: string, id: string, { out }: Output): void {
  const entries = new KeyRingEntries(file);
  switch (change) {
    case 'add':
      out.write(`${entries.add()} is in the ring. Restart all replicas, then put it first with \`keys use\`.\n`);
      return;
    case 'use':
      entries.use(id);
      out.write(`${id} seals once all replicas are restarted. Then: \`keys reencrypt\`.\n`);
      return;
    case 'drop':
      entries.drop(id);
      out.write(`${id} is out of the ring.\n`);
  }
}
