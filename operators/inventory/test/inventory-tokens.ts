import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalTokens } from '@quartermaster/auth';
import { systemClock } from '@quartermaster/kernel';
import { callerRoles, type Role } from '../src/access/caller-roles.ts';

/** A key of local tokens for operators of a test. */
export interface InventoryTokens {
  /** Makes an operator accept the tokens. */
  readonly args: readonly string[];
  readonly keyFile: string;
  issue(role: Role): Promise<string>;
  /** Removes the key. */
  readonly end: () => Promise<void>;
}

export async function inventoryTokens(): Promise<InventoryTokens> {
  const directory = await mkdtemp(join(tmpdir(), 'inventory-tokens-'));
  const keyFile = join(directory, 'token-key');
  const tokens = await LocalTokens.open(keyFile, { name: 'inventory', roles: callerRoles }, systemClock);
  return {
    args: [`--inventory-local-key-file=${keyFile}`],
    keyFile,
    issue: (role) => tokens.issue({ name: `the ${role} of the test`, role, lifetimeMs: 86_400_000 }),
    end: () => rm(directory, { recursive: true, force: true }),
  };
}
