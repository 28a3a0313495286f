import { StatusError } from '@quartermaster/kernel';

/** Of `--timeout`, in milliseconds. */
export async function durationOf(text: string): Promise<number> {
  // Most lines have none, and it comes with what servers are made of.
  const { parseDuration } = await import('@quartermaster/service');
  const ms = parseDuration(text);
  if (ms !== undefined && ms > 0) return ms;
  throw new StatusError('invalid_argument', `--timeout "${text}" must be a duration such as 90s, 10m or 1h30m`);
}
