import type { JsonObject } from '@bufbuild/protobuf';
import { marketState } from '@quartermaster/api/states';
import { ageText, nothing, orNothing } from '../fulfillment/kinds/columns.ts';
import { deliveredRows, deliveryReason, deliveryText, isReported, refusalOf, silence } from '../fulfillment/kinds/delivery-text.ts';
import { type ApiConnection, connectApi, withApi } from '../fulfillment/objects/api-connection.ts';
import { idsFilter } from '../fulfillment/objects/object-filter.ts';
import { objectDocument, objectJson } from '../fulfillment/objects/object-json.ts';
import { ObjectFollower } from '../fulfillment/read/object-follower.ts';
import { type LiveService, type LiveStatus, liveServices } from '../gateway/live-services.ts';
import type { ServerFlags } from '../server/server-flags.ts';
import { listAt, textAt } from '../text/json-path.ts';
import type { Listing, ListView, Look } from '../text/listing.ts';
import type { Output } from '../text/output.ts';
import { type ListFlags, type ListSource, showList } from '../text/show-list.ts';
import { stateText } from '../text/state-text.ts';
import { findLease } from './find-lease.ts';

export interface LeaseStatusFlags extends ServerFlags, ListFlags {}

/** A lease as it is printed for people, and for programs. Undefined: it is forgotten. */
interface LeaseState {
  readonly lease?: JsonObject | undefined;
  readonly document?: JsonObject | undefined;
  readonly live?: LiveStatus | undefined;
}

const view: ListView<LeaseState> = {
  list: ({ lease, live }, look) => (lease === undefined ? gone : statusListing(lease, live, look)),
  document: ({ document, live }) => ({
    ...document,
    ...(live === undefined ? {} : { live: 'body' in live ? live.body : { errors: [live.problem] } }),
  }),
  objects: ({ document }) => new Map(document === undefined ? [] : [[textAt(document, 'id'), document]]),
};

const gone: Listing = { header: [], rows: [], whenEmpty: 'The lease is not listed any more.', notes: [] };

/** How a lease goes: what its provider says of it and of each of its services and, unless it is followed, what its gateway says at this moment. */
export async function leaseStatus(
  [name = '']: readonly string[],
  flags: LeaseStatusFlags,
  output: Output,
  signal: AbortSignal,
): Promise<void> {
  let id = name;
  const find = (connection: ApiConnection): Promise<LeaseState> => readLease(connection, name);
  const findLive = async (connection: ApiConnection): Promise<LeaseState> => {
    const state = await find(connection);
    if (state.lease === undefined) return state;
    const { liveStatus } = await import('./live-status.ts');
    return { ...state, live: await liveStatus(connection, state.lease, signal) };
  };
  const source: ListSource<LeaseState> = {
    view,
    read: () => withApi(flags, findLive, 'market'),
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
  const { api, found } = await findLease(connection, name);
  return stateOf({ api, items: [found] });
}

function stateOf({ api, items: [found] }: Pick<NonNullable<ObjectFollower['state']>, 'api' | 'items'>): LeaseState {
  return found === undefined ? {} : { lease: objectJson(api.schema, found), document: objectDocument(api.kind, api.schema, found) };
}

function statusListing(lease: JsonObject, live: LiveStatus | undefined, look: Look): Listing {
  const id = textAt(lease, 'id');
  const state = marketState(lease);
  const isOver = state.word === 'Closed';
  const word = isOver || !isReported(lease) ? stateText(state, look.paint) : deliveryText(lease);
  const rows = deliveredRows(lease);
  // The message repeats what is wrong with services.
  const why = rows.some(({ problems }) => problems !== nothing) ? textAt(lease, 'status.delivery.reason') : deliveryReason(lease);
  const details = isOver ? textAt(lease, 'status.closed_reason') : why;
  const running = live !== undefined && 'body' in live ? liveServices(live.body) : new Map<string, LiveService>();
  const unreported = [...running.keys()].filter((name) => !rows.some((row) => row.name === name));
  const services = [...rows, ...unreported.map((name) => ({ name, available: '', uris: nothing, problems: nothing }))].map((row) => {
    const { replicas = `${row.available} available`, addresses = row.uris } = running.get(row.name) ?? {};
    return { key: `service ${row.name}`, cells: [`service ${row.name}`, replicas, addresses, row.problems] };
  });
  return {
    header: ['PART', 'STATE', 'ADDRESSES', 'DETAILS'],
    rows: [{ key: `lease ${id}`, cells: [`lease ${id}`, word, nothing, orNothing(details)] }, ...services],
    whenEmpty: '',
    notes: [noteText(lease, live, look)],
  };
}

function noteText(lease: JsonObject, live: LiveStatus | undefined, look: Look): string {
  const isOver = marketState(lease).word === 'Closed';
  const refusal = refusalOf(lease);
  const reported = textAt(lease, 'status.delivery.reported_at');
  const lines = [
    ...(refusal === '' ? [] : [look.paint.bad(`The newest manifest is not deployed: ${refusal}`)]),
    ...(isOver
      ? [textAt(lease, 'status.delivery.state') === 'Complete' ? 'All its resources have been removed.' : 'Its workload is being removed.']
      : []),
    reported === '' ? silence : look.paint.dim(`Reported ${ageText(reported, look.now)} ago by ${textAt(lease, 'spec.provider')}.`),
    ...liveLines(live, look),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

function liveLines(live: LiveStatus | undefined, { paint }: Look): readonly string[] {
  if (live === undefined) return [];
  if ('problem' in live) return [paint.warn(`No live figures: ${live.problem}`)];
  return [
    ...listAt(live.body, 'errors').map((error) => paint.bad(String(error))),
    paint.dim('Replicas and addresses are live, from the gateway of the provider.'),
  ];
}
