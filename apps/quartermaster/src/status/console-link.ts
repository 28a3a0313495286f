import { messageOf, StatusError } from '@quartermaster/kernel';
import { z } from 'zod';
import { findRun } from '../run/run-file.ts';
import { contentOf } from '../server/content-of.ts';
import type { Output } from '../text/output.ts';

/** Longer than the console waits for services that are busy. */
const timeoutMs = 15_000;
const link = z.object({ url: z.url(), endsAt: z.number() });

type ConsoleLink = z.output<typeof link>;

/** Asks the console of a running `up` for a one-time link, as the administrator of its data directory. */
export async function printConsoleLink({ directory, json }: { directory: string; json: boolean }, { out }: Output): Promise<void> {
  const { console: address, roles } = findRun(directory);
  const tokenFile = Object.values(roles).find((role) => role.tokenFile !== undefined)?.tokenFile;
  if (tokenFile === undefined)
    throw new StatusError('unavailable', `the \`up\` on ${directory} has no token of an administrator yet: try again in a moment`);
  const made = await consoleLink(address, contentOf(tokenFile, 'token of `up`').trim());
  out.write(json ? `${JSON.stringify(made)}\n` : `${made.url}\n`);
}

/** A link to a console that signs its opener in as the holder of the token, once and within ten minutes. */
export async function consoleLink(console: string, token: string): Promise<ConsoleLink> {
  try {
    const answer = await fetch(new URL('/api/session/links', console), {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(timeoutMs),
    });
    const body: unknown = await answer.json();
    if (answer.ok) return link.parse(body);
    const { data } = z.object({ message: z.string() }).safeParse(body);
    throw new StatusError('failed_precondition', data?.message ?? `it answered ${answer.status}`);
  } catch (cause) {
    throw new StatusError('unavailable', `the console at ${console} gives no link: ${messageOf(cause)}`, { cause });
  }
}
