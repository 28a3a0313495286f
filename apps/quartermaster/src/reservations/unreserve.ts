import { toJson } from '@bufbuild/protobuf';
import { type Reservation, ReservationPhase, UnreserveResponseSchema } from '@quartermaster/api/cluster';
import { StatusError } from '@quartermaster/kernel';
import type { ServerFlags } from '../server/server-flags.ts';
import { type Asked, confirm, person } from '../text/confirm.ts';
import { formatDocument } from '../text/format-document.ts';
import type { Output } from '../text/output.ts';
import { parseOrder } from './order-name.ts';
import { askReservations, findReservation, nameOf, type ReservationClient, readReservation } from './reservation-connection.ts';
import { podsText } from './reservation-list.ts';

export interface UnreserveFlags extends ServerFlags {
  readonly uid?: string | undefined;
  readonly yes: boolean;
  readonly output: 'text' | 'json' | 'yaml';
}

/** Gives everything of a reservation back. A person at a terminal is asked before one that has a lease goes. That there is none is no error. */
export async function unreserve(
  [typed = '']: readonly string[],
  flags: UnreserveFlags,
  { out }: Output,
  asked: Asked = person,
): Promise<void> {
  const answer = await askReservations(flags, async (client) => {
    const standing = await standingOf(client, typed);
    // Only the one that was looked at: another may have been made for the order since.
    const uid = flags.uid ?? standing?.uid ?? '';
    if (standing?.uid === uid && !flags.yes) await confirmEnd(standing, asked);
    return await client.unreserve({ order: standing?.order ?? parseOrder(typed), uid });
  });
  if (flags.output !== 'text')
    out.write(formatDocument(toJson(UnreserveResponseSchema, answer, { alwaysEmitImplicit: true }), flags.output));
  else if (answer.reservation === undefined) out.write(`no reservation ${typed}${ofUid(flags)}: nothing was given back\n`);
  else out.write(`reservation ${nameOf(answer.reservation)} given back\n`);
}

const ofUid = ({ uid }: UnreserveFlags): string => (uid === undefined ? '' : ` with the UID ${uid}`);

/** An order by itself says what is meant; the name of an object only while there is one. */
async function standingOf(client: ReservationClient, typed: string): Promise<Reservation | undefined> {
  return typed.includes('/') ? await readReservation(client, parseOrder(typed)) : await findReservation(client, typed);
}

async function confirmEnd(reservation: Reservation, asked: Asked): Promise<void> {
  if (reservation.phase !== ReservationPhase.ACTIVE) return;
  const { leaseNamespace: namespace } = reservation;
  const where = namespace === undefined ? '' : ` in the namespace ${namespace.name}`;
  const question = `Give back ${nameOf(reservation)}? It has a lease${where}, and ${podsText(reservation)} replicas run.`;
  if (await confirm(question, asked)) return;
  throw new StatusError('failed_precondition', 'nothing was given back');
}
