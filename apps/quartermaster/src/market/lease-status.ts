import type { JsonObject } from '@bufbuild/protobuf';
import { marketState } from '@quartermaster/api/states';
import { StatusError } from '@quartermaster/kernel';
import { ageText, nothing, orNothing } from '../fulfillment/kinds/columns.ts';
import { deliveredRows, deliveryReason, deliveryText, isReported, refusalOf, silence } from '../fulfillment/kinds/delivery-text.ts';
import { type ApiConnection, connectApi, type ObjectApi, withApi } from '../fulfillment/objects/api-connection.ts';
import type { AnyObject } from '../fulfillment/objects/object-client.ts';
import { belowFilter, idsFilter } from '../fulfillment/objects/object-filter.ts';
import { objectDocument, objectJson } from '../fulfillment/objects/object-json.ts';
import { findObjectIfAny, missingObjects, readObjects } from '../fulfillment/objects/read-objects.ts';
import { ObjectFollower } from '../fulfillment/read/object-follower.ts';
import type { ServerFlags } from '../server/server-flags.ts';
import { textAt } from '../text/json-path.ts';
import type { Listing, ListView, Look } from '../text/listing.ts';
import type { Output } from '../text/output.ts';
import { type ListFlags, type ListSource, showList } from '../text/show-list.ts';
import { stateText } from '../text/state-text.ts';

export interface LeaseStatusFlags extends ServerFlags, ListFlags {}

/** A lease as it is printed for people, and for programs. Undefined: it is forgotten. */
interface LeaseState {
  readonly lease?: JsonObject | undefined;
  readonly document?: JsonObject | undefined;
}

const view: ListView<LeaseState> = {
  list: ({ lease }, look) => (lease === undefined ? gone : statusListing(lease, look)),
  document: ({ document }) => document ?? {},
  objects: ({ document }) => new Map(document === undefined ? [] : [[textAt(document, 'id'), document]]),
};

const gone: Listing = { header: [], rows: [], whenEmpty: 'The lease is not listed any more.', notes: [] };

/** How a lease goes: what its provider says of it and of each of its services. */
export async function leaseStatus(
  [name = '']: readonly string[],
  flags: LeaseStatusFlags,
  output: Output,
  signal: AbortSignal,
): Promise<void> {
  let id = name;
  const find = (connection: ApiConnection): Promise<LeaseState> => readLease(connection, name);
  const source: ListSource<LeaseState> = {
    view,
    read: () => withApi(flags, find, 'market'),
    watch: () => {
      let follower: ObjectFollower | undefined;
      return {
        frame: () => ({
          state: follower?.state && stateOf(follower.state),
          link: follower?.link ?? { isLive: false, lastContactAt: undefined, reason: 'not connected yet' },
        }),
        follow: async (changed, ended) => {
          const connect = () => connectApi(flags, 'market');
          follower = new ObjectFollower({ kind: 'leases', filter: idsFilter([id]), order: 'id', connect, changed });
          await follower.run(ended);
        },
      };
    },
  };
  // What is watched may come; what does not exist is a typing error.
  if (flags.watch === true) id = textAt((await withApi(flags, find, 'market')).lease ?? {}, 'id');
  await showList(source, flags, output, signal);
}

async function readLease(connection: ApiConnection, name: string): Promise<LeaseState> {
  const api = await connection.objects('leases');
  const found = (await findObjectIfAny(api, name)) ?? (await onlyLeaseOf(connection, api, name));
  if (found === undefined) throw missingObjects(api.kind, [name]);
  return stateOf({ api, items: [found] });
}

/** Of a deployment, which most have one of. Undefined where there is no such deployment. */
async function onlyLeaseOf(connection: ApiConnection, api: ObjectApi, name: string): Promise<AnyObject | undefined> {
  const deployment = await findObjectIfAny(await connection.objects('deployments'), name);
  if (deployment === undefined) return undefined;
  const { items } = await readObjects(api, { filter: belowFilter(deployment.id) });
  const active = items.filter((lease) => marketState(objectJson(api.schema, lease)).word === 'Active');
  if (active.length === 1) return active[0];
  const way = active.length === 0 ? 'no active lease' : `several active leases: name one of ${active.map(({ id }) => id).join(', ')}`;
  throw new StatusError('failed_precondition', `deployment ${deployment.id} has ${way}`);
}

function stateOf({ api, items: [found] }: Pick<NonNullable<ObjectFollower['state']>, 'api' | 'items'>): LeaseState {
  return found === undefined ? {} : { lease: objectJson(api.schema, found), document: objectDocument(api.kind, api.schema, found) };
}

function statusListing(lease: JsonObject, look: Look): Listing {
  const id = textAt(lease, 'id');
  const state = marketState(lease);
  const isOver = state.word === 'Closed';
  const word = isOver || !isReported(lease) ? stateText(state, look.paint) : deliveryText(lease);
  const rows = deliveredRows(lease);
  // The message repeats what is wrong with services.
  const why = rows.some(({ problems }) => problems !== nothing) ? textAt(lease, 'status.delivery.reason') : deliveryReason(lease);
  const details = isOver ? textAt(lease, 'status.closed_reason') : why;
  const services = rows.map(({ name, available, uris, problems }) => ({
    key: `service ${name}`,
    cells: [`service ${name}`, `${available} available`, uris, problems],
  }));
  return {
    header: ['PART', 'STATE', 'ADDRESSES', 'DETAILS'],
    rows: [{ key: `lease ${id}`, cells: [`lease ${id}`, word, nothing, orNothing(details)] }, ...services],
    whenEmpty: '',
    notes: [noteText(lease, isOver, look)],
  };
}

function noteText(lease: JsonObject, isOver: boolean, look: Look): string {
  const refusal = refusalOf(lease);
  const reported = textAt(lease, 'status.delivery.reported_at');
  const lines = [
    ...(refusal === '' ? [] : [look.paint.bad(`The newest manifest is not deployed: ${refusal}`)]),
    ...(isOver
      ? [textAt(lease, 'status.delivery.state') === 'Complete' ? 'All its resources have been removed.' : 'Its workload is being removed.']
      : []),
    reported === '' ? silence : look.paint.dim(`Reported ${ageText(reported, look.now)} ago by ${textAt(lease, 'spec.provider')}.`),
  ];
  return lines.map((line) => `${line}\n`).join('');
}
