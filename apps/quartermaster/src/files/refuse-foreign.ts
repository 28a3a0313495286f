import { type Stats, statSync } from 'node:fs';
import { ownershipProblem, StatusError } from '@quartermaster/kernel';
import { hasCode } from './file-problem.ts';

/** Throws when others could have written a file or a directory. What is missing is nobody's. */
export function refuseForeign(path: string, wayOut: string): void {
  let found: Stats;
  try {
    found = statSync(path);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return;
    throw error;
  }
  const problem = ownershipProblem(found, { me: process.geteuid?.(), forbidden: 0o022 });
  if (problem !== undefined) throw new StatusError('permission_denied', `${path} ${problem}: ${wayOut}`);
}
