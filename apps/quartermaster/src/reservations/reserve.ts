import { create, equals, toJson } from '@bufbuild/protobuf';
import { durationFromMs } from '@bufbuild/protobuf/wkt';
import {
  type CheckFitResponse,
  CheckFitResponseSchema,
  type Refusal,
  type ReserveResponse,
  ReserveResponseSchema,
  type ResourceRequest,
  ResourceRequestSchema,
} from '@quartermaster/api/cluster';
import { orderText } from '@quartermaster/api/states';
import { StatusError } from '@quartermaster/kernel';
import type { ServerFlags } from '../server/server-flags.ts';
import { formatDocument } from '../text/format-document.ts';
import type { Look } from '../text/listing.ts';
import type { Output } from '../text/output.ts';
import { paintFor } from '../text/paint.ts';
import { indented } from '../text/table.ts';
import { fitsLine } from './fit-text.ts';
import { type Order, parseOrder } from './order-name.ts';
import { nodesOf, planText } from './plan-text.ts';
import { type Refused, refusalSummary, refusalText } from './refusal-text.ts';
import { type RequestFlags, readRequest } from './request/request-source.ts';
import { askReservations, type ReservationClient, readReservation } from './reservation-connection.ts';
import { expiryText } from './reservation-list.ts';

export interface ReserveFlags extends ServerFlags, RequestFlags {
  readonly lifetime?: string | undefined;
  readonly dryRun: boolean;
  readonly output: 'text' | 'json' | 'yaml';
}

type Answer = ReserveResponse | CheckFitResponse;
type Granted = Exclude<Answer['outcome'], { case: 'refusal' } | { case: undefined }>;

/** Promises what is asked for to an order. That it is refused is an error; the explanation stands before it, on standard error. */
export async function reserve([typed = '']: readonly string[], flags: ReserveFlags, { out, err }: Output): Promise<void> {
  const order = parseOrder(typed);
  const { request, explained } = readRequest(flags);
  const lifetime = flags.lifetime === undefined ? undefined : durationFromMs(await lifetimeOf(flags.lifetime));
  const look = (paint: Look['paint']): Look => ({ exact: false, wide: false, now: Date.now(), paint });
  await askReservations(flags, async (client) => {
    const answer = flags.dryRun ? await checkReserve(client, order, request) : await client.reserve({ order, request, lifetime });
    const { outcome } = answer;
    if (flags.output !== 'text') out.write(formatDocument(jsonOf(answer), flags.output));
    else if (outcome.case === 'refusal')
      err.write(`${refusalText(await refusedOf(client, outcome.value, order, request), look(paintFor(err)))}\n`);
    else if (outcome.case !== undefined) out.write(grantedText(order, outcome, flags, look(paintFor(out))));
    if (outcome.case === 'refusal') throw new StatusError('failed_precondition', `nothing was reserved: ${refusalSummary(outcome.value)}`);
    if (outcome.case === undefined)
      throw new StatusError('internal', 'the cluster service answered neither with a reservation nor with a refusal');
  }).catch((thrown: unknown) => {
    throw explained(thrown);
  });
}

async function lifetimeOf(text: string): Promise<number> {
  // Most lines have none, and it comes with what servers are made of.
  const { parseDuration } = await import('@quartermaster/service');
  const ms = parseDuration(text);
  if (ms !== undefined && ms > 0) return ms;
  throw new StatusError('invalid_argument', `--lifetime "${text}" must be a duration such as 90s, 10m or 1h30m`);
}

/** What Reserve would answer now: also that there is one already. */
async function checkReserve(client: ReservationClient, order: Order, request: ResourceRequest): Promise<Answer> {
  const standing = await readReservation(client, order);
  if (standing === undefined) return await client.checkFit({ request, owner: order.owner });
  if (standing.request !== undefined && equals(ResourceRequestSchema, standing.request, request))
    return create(ReserveResponseSchema, { outcome: { case: 'reservation', value: standing } });
  throw new StatusError(
    'already_exists',
    `reservation ${orderText(order)} stands with another request: give it back with "quartermaster unreserve ${orderText(order)}" first`,
  );
}

function grantedText(order: Order, outcome: Granted, { dryRun }: ReserveFlags, look: Look): string {
  const name = `reservation ${orderText(order)}`;
  const isDry = dryRun ? ' (dry run: nothing was written)' : '';
  if (outcome.case === 'plan')
    return `${name} would be made${isDry}\n${fitsLine(outcome.value)}.\n${indented(planText(outcome.value, look))}`;
  const { plan, expiresAt } = outcome.value;
  const expiry = expiresAt === undefined ? 'it is active' : `it expires ${expiryText(outcome.value, look.now)}`;
  const head = `${name} stands on ${nodesOf(plan).join(', ')}; ${expiry}${isDry}\n`;
  return plan === undefined ? head : `${head}${indented(planText(plan, look))}`;
}

/** Reserve says only that it is refused. Why, node by node, is another question, whose answer may be missing. */
async function refusedOf(client: ReservationClient, refusal: Refusal, { owner }: Order, request: ResourceRequest): Promise<Refused> {
  const answer = await client.explainFit({ request, owner }).catch(() => undefined);
  const why = answer?.outcome.case === 'refusal' ? answer.outcome.value : refusal;
  const nodeGroups = answer?.nodeGroups ?? [];
  return { refusal: { ...refusal, nearestChanges: why.nearestChanges }, nodeGroups, hasOneUnit: request.units.length === 1 };
}

const jsonOf = (answer: Answer) =>
  answer.$typeName === ReserveResponseSchema.typeName
    ? toJson(ReserveResponseSchema, answer, { alwaysEmitImplicit: true })
    : toJson(CheckFitResponseSchema, answer, { alwaysEmitImplicit: true });
