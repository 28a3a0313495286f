import { StatusError } from '@quartermaster/kernel';

export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && codes.includes(error.code);
}

/** What a person has to do about a failed file operation. Anything else than the usual refusals is returned as it is. */
export function fileProblem(error: unknown, path: string, wayOut: string): unknown {
  const refuse = (why: string): StatusError => new StatusError('failed_precondition', `${path}: ${why}: ${wayOut}`, { cause: error });
  if (hasCode(error, 'EACCES', 'EPERM')) return refuse('permission denied');
  if (hasCode(error, 'EROFS')) return refuse('the file system is read-only');
  if (hasCode(error, 'ENOSPC', 'EDQUOT')) return refuse('the disk is full');
  if (hasCode(error, 'ENOTDIR', 'EEXIST')) return refuse('this is not a directory');
  return error;
}
