import { randomUUID } from 'node:crypto';
import { closeSync, fchmodSync, fstatSync, openSync, writeSync } from 'node:fs';
import { StatusError, systemClock } from '@quartermaster/kernel';
import { parseDuration } from '@quartermaster/service';
import { tokenServices } from '../../roles/token-services.ts';
import type { Output } from '../../text/output.ts';

export interface TokenFlags {
  readonly keyFile: string;
  readonly name: string;
  readonly role: 'admin' | 'controller' | 'provider' | 'sync' | 'tenant';
  readonly tenant: readonly string[];
  readonly source?: string | undefined;
  readonly lifetime: string;
  /** Services that take it; empty: all that can. */
  readonly for: readonly string[];
  /** Where to write it; standard output unless given. */
  readonly out?: string | undefined;
}

/** A token that the roles accept that use the key of local tokens, or those of them that are named. Its id is said beside it, for the day on which it is lost. */
export async function createToken(flags: TokenFlags, { out, err }: Output): Promise<void> {
  const lifetimeMs = parseDuration(flags.lifetime);
  if (lifetimeMs === undefined || lifetimeMs <= 0) {
    throw new StatusError('invalid_argument', `--lifetime "${flags.lifetime}" must be a duration, such as 12h or 30d`);
  }
  const unknown = flags.for.find((service) => !tokenServices.includes(service));
  if (unknown !== undefined) throw new StatusError('invalid_argument', `--for "${unknown}" must be one of ${tokenServices.join(', ')}`);
  const { openLocalTokens } = await import('@quartermaster/fulfillment');
  const tokens = await openLocalTokens(flags.keyFile, systemClock, { isNamed: true });
  const { name, role, tenant: groups, source } = flags;
  const services = flags.for.length === 0 ? tokenServices : flags.for;
  const id = randomUUID();
  const token = await tokens.issue({ name, role, groups, lifetimeMs, id, source, services });
  if (flags.out === undefined) out.write(`${token}\n`);
  else writeSecret(flags.out, `${token}\n`);
  err.write(
    `The id of this token is ${id}: put it into ${services.map((service) => `${service}-revoked-tokens`).join(' and ')} to withdraw it.\n`,
  );
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
