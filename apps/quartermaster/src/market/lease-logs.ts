import type { JsonObject } from '@bufbuild/protobuf';
import { type Clock, systemClock } from '@quartermaster/kernel';
import { readStream } from '../gateway/read-stream.ts';
import { textAt } from '../text/json-path.ts';
import type { Output } from '../text/output.ts';
import { colourOf } from '../text/paint.ts';
import { type GatewayFlags, leaseAccess } from './lease-access.ts';

export interface LeaseLogsFlags extends GatewayFlags {
  /** Names with commas between them. */
  readonly service?: string | undefined;
  readonly follow: boolean;
  readonly tail?: number | undefined;
  readonly output: 'text' | 'json';
}

/** Prints what the pods of a lease log. Following, until the signal aborts or the right to it ends. */
export async function leaseLogs(
  [name = '']: readonly string[],
  flags: LeaseLogsFlags,
  { out, err }: Output,
  signal: AbortSignal,
  clock: Clock = systemClock,
): Promise<void> {
  const { service, follow, tail } = flags;
  const services = service?.split(',').filter((each) => each !== '') ?? [];
  const line = flags.output === 'json' ? jsonLine : textLines(out.isTTY === true);
  const target = (connection: 'first' | 'another'): string => {
    const query = new URLSearchParams({ follow: String(follow) });
    if (services.length > 0) query.set('service', services.join(','));
    const lines = connection === 'another' ? 0 : tail;
    if (lines !== undefined) query.set('tail', String(lines));
    return `/logs?${query.toString()}`;
  };
  const tell = (text: string): unknown => (flags.output === 'text' ? err.write(text) : undefined);
  const options = {
    open: leaseAccess(flags, name, { scopes: ['logs'], services }, tell),
    take: (message: JsonObject) => void out.write(line(textAt(message, 'name'), textAt(message, 'message').replace(/\r?\n$/, ''))),
    warn: (text: string) => void err.write(`quartermaster: ${text}\n`),
  };
  await readStream({ ...options, target, follow, repeats: false, clock }, signal);
}

const jsonLine = (name: string, message: string): string => `${JSON.stringify({ name, message })}\n`;

/** `[web-0] text`, on a terminal with a colour for each pod. */
function textLines(isTerminal: boolean): (pod: string, text: string) => string {
  if (!isTerminal) return (pod, text) => `[${pod}] ${text}\n`;
  const colours = new Map<string, (text: string) => string>(); // pod -> its colour
  return (pod, text) => {
    const colour = colours.get(pod) ?? colourOf(colours.size);
    colours.set(pod, colour);
    // What is coloured in a line ends with it.
    return `${colour(`[${pod}]`)} ${text}${text.includes('\u001B[') ? '\u001B[0m' : ''}\n`;
  };
}
