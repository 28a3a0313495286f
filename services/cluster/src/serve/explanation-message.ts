import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { NearestChangeSchema, NodeGroupSchema } from '@quartermaster/api/cluster';
import { amountText, unequalTexts } from '@quartermaster/api/states';
import type { Reservation } from '../model/reservation.ts';
import type { Change } from '../placement/nearest-changes.ts';
import type { NodeGroup } from '../placement/node-reasons.ts';
import type { Request, Unit } from '../placement/request.ts';
import { orderMessage, wantMessage } from './request-message.ts';

type ChangeMessage = MessageInitShape<typeof NearestChangeSchema>;

export function nodeGroupMessage({ nodes, named, shortfalls }: NodeGroup): MessageInitShape<typeof NodeGroupSchema> {
  return {
    count: BigInt(nodes),
    nodes: [...named],
    shortfalls: shortfalls.map(({ unit, reason, resource, needed, free }) => ({
      unit,
      reason: { ...reason },
      resource,
      needed: BigInt(needed),
      free: BigInt(free),
    })),
  };
}

/** What would fit, of this request. `reservationNamed` finds those that would have to go. */
export function changeMessage(
  change: Change,
  request: Request,
  reservationNamed: (name: string) => Reservation | undefined,
): ChangeMessage | undefined {
  if (change.kind === 'release') {
    return releaseMessage(change.ids.map(reservationNamed).filter((reservation) => reservation !== undefined));
  }
  const unit = request.units.find(({ id }) => id === change.unit);
  if (unit === undefined) return undefined;
  if (change.kind === 'other-model') return otherCardsMessage(change, unit);
  const { what, to, from } = change;
  if (what === 'replicas') {
    const message = `Unit ${unit.id} fits with ${to} of its ${from} replicas.`;
    return { message, change: { case: 'fewerReplicas', value: { unit: unit.id, count: to } } };
  }
  const resource = resourceOf(change, unit);
  const [less, asked] = unequalTexts(resource, to, from);
  const message = `Unit ${unit.id} fits with ${less} instead of ${asked}${ofWhat(change)} for each replica.`;
  const value = { unit: unit.id, resource, amount: BigInt(to), volume: change.volume ?? '' };
  return { message, change: { case: 'lessResource', value } };
}

type Less = Extract<Change, { readonly kind: 'less' }>;

function otherCardsMessage({ group }: Extract<Change, { readonly kind: 'other-model' }>, unit: Unit): ChangeMessage {
  const { vendor, model, memoryBytes } = group;
  const want = {
    vendor,
    model,
    memoryBytes: memoryBytes === 0 ? undefined : memoryBytes,
    // As orders have it: without a generation.
    interface: group.interface === '' ? undefined : group.interface.toLowerCase().replace(/^(sxm|pcie).*$/, '$1'),
  };
  const count = unit.gpus?.count ?? 0;
  const memory = memoryBytes === 0 ? '' : ` with ${amountText('memory', memoryBytes)}`;
  const message = `Unit ${unit.id} fits with ${count} × ${vendor} ${model}${memory} for each replica: they are free.`;
  return { message, change: { case: 'otherCards', value: { unit: unit.id, want: wantMessage(want), count } } };
}

function releaseMessage(reservations: readonly Reservation[]): ChangeMessage | undefined {
  if (reservations.length === 0) return undefined;
  const ends = reservations.map(({ expiresAt }) => expiresAt).filter((at) => at !== undefined);
  const last = ends.length === 0 ? undefined : Math.max(...ends);
  const who = reservations.length === 1 ? 'one pending reservation is' : `${reservations.length} pending reservations are`;
  const when =
    last === undefined
      ? ''
      : `, at the latest at ${momentText(last)} unless ${reservations.length === 1 ? 'it becomes' : 'they become'} active`;
  const expectedAt = last === undefined ? undefined : timestampFromMs(last);
  return {
    message: `It fits once ${who} given back${when}.`,
    change: { case: 'awaitRelease', value: { orders: reservations.map(({ order }) => orderMessage(order)), expectedAt } },
  };
}

function resourceOf({ what, volume: name }: Less, { volumes }: Unit): string {
  if (what !== 'storage-bytes') return resources[what];
  const volume = volumes.find((each) => each.name === name);
  if (volume?.kind === 'persistent') return `storage/${volume.class}`;
  return volume?.kind === 'ram' ? 'memory' : 'ephemeral-storage';
}

const resources = { gpus: 'gpu', 'cpu-millis': 'cpu', 'memory-bytes': 'memory', replicas: '' } as const;

const ofWhat = ({ what, volume }: Less): string =>
  ({ replicas: '', gpus: ' GPUs', 'cpu-millis': '', 'memory-bytes': ' of memory', 'storage-bytes': ` for the volume ${volume}` })[what];

/** `2026-01-01 00:05:00 UTC`. Rounded up: it is said when it will be over. */
const momentText = (ms: number): string => `${new Date(Math.ceil(ms / 1000) * 1000).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
