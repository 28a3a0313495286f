import { headers, type MsgHdrs } from '@nats-io/transport-node';
import type { Carried } from '../bus/message-context.ts';

/** Headers of the server and of this package: what else a message has was carried. */
const ownHeader = /^(nats|quartermaster)-/i;

/** The headers of a message; none when it carries nothing. */
export function toHeaders(carried: Carried): { readonly headers?: MsgHdrs } {
  const entries = Object.entries(carried);
  if (entries.length === 0) return {};
  const all = headers();
  for (const [name, value] of entries) all.set(name, value);
  return { headers: all };
}

export function fromHeaders(given: MsgHdrs | undefined): Carried {
  if (given === undefined) return {};
  const names = given.keys().filter((name) => !ownHeader.test(name));
  return Object.fromEntries(names.map((name) => [name, given.get(name)]));
}
