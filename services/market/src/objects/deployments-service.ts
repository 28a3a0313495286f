import { clone, create } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import {
  type Deployment,
  DeploymentSchema,
  DeploymentState,
  DeploymentStatusSchema,
  Deployments,
  type DeploymentsUpdateRequest,
  type Group,
} from '@quartermaster/api/market';
import { MetadataSchema } from '@quartermaster/api/private';
import { invalidFields, StatusError } from '@quartermaster/kernel';
import {
  type Call,
  callOf,
  checkId,
  ObjectReader,
  ObjectWriter,
  parseMask,
  privateHandlers,
  type RevealLog,
  recordWrite,
} from '@quartermaster/objects';
import { type ServedService, serve } from '@quartermaster/rpc';
import { lockOf, type Queryable, redacted, type Transaction, type WriteBatch } from '@quartermaster/store';
import { accountFor } from '../access/index.ts';
import { groupChanges, newOrder, reasonOf, refusedSdl, sdlViolations, withOrders } from '../rules/index.ts';
import type { SdlReader } from '../sdl/sdl-reader.ts';
import { closeDeployment } from '../trade/close-deployment.ts';
import { type TradeOptions, trade } from '../trade/trade.ts';
import { owned } from './owned.ts';

export interface DeploymentsOptions extends TradeOptions {
  readonly sdl: Pick<SdlReader, 'read'>;
  readonly reveals: RevealLog;
  /** Deployments of a tenant that are active at the same time. */
  readonly deploymentsPerTenant: number;
}

interface ReadSdl {
  readonly groups: readonly Group[];
  readonly manifestHash: string;
}

export function deploymentsService(options: DeploymentsOptions): ServedService {
  const { kinds, sdl } = options;
  const kind = kinds.deployments;
  const reader = new ObjectReader(kind, options);
  const read = async (text: string, { principal }: Call, signal: AbortSignal): Promise<ReadSdl> => {
    const violations = sdlViolations(text);
    if (violations.length > 0) throw invalidFields(violations);
    const answer = await sdl.read(text, principal.name, signal);
    if ('faults' in answer) throw refusedSdl(answer.faults);
    return answer;
  };
  return serve(Deployments, {
    ...privateHandlers(reader, new ObjectWriter(kind, options)),
    create: async (request, context) => {
      const call = callOf(context, request);
      const object = clone(DeploymentSchema, request.object ?? create(DeploymentSchema));
      if (object.id !== '')
        throw invalidFields([{ field: 'id', description: 'must be empty: the market gives deployments their numbers' }]);
      const owner = accountFor(call.principal, object.metadata?.tenants ?? []);
      object.metadata ??= create(MetadataSchema);
      object.metadata.tenants = [owner];
      const ordered = await read(object.spec?.sdl ?? '', call, context.signal);
      const dseq = await nextDseq(options.database, call);
      object.id = String(dseq);
      const writer = new ObjectWriter(kind, {
        ...options,
        alsoLock: () => [lockOf('accounts', owner)],
        alsoWrite: async (tx, batch, _before, after) =>
          after === undefined ? undefined : await ordering(options, call, { tx, batch, owner, dseq, ordered }, after),
      });
      return await privateHandlers(reader, writer).create({ ...request, object }, context);
    },
    update: async (request, context) => {
      const ordered = sendsSdl(request) ? await read(request.object?.spec?.sdl ?? '', callOf(context), context.signal) : undefined;
      const writer = new ObjectWriter(kind, {
        ...options,
        alsoWrite: (_tx, _batch, before, after) => Promise.resolve(before && after && updated(before, after, ordered)),
      });
      return await privateHandlers(reader, writer).update(request, context);
    },
    close: async (request, context) => {
      const { id } = request;
      const call = callOf(context, request);
      checkId(id);
      const reason = reasonOf(
        request.reason,
        call.principal.role === 'tenant' ? 'closed by its tenant' : 'closed by those who run the market',
      );
      const object = await trade(options, call, id, async (open) => {
        const deployment = owned(kind, call.principal, await kind.store.get(open.tx, id), id);
        const isOver = deployment.status?.state === DeploymentState.CLOSED;
        return isOver ? deployment : await closeDeployment(open, deployment, { reason, at: open.at });
      });
      return { object };
    },
  });
}

/** Of a dry run the number that would be next. */
async function nextDseq(db: Queryable, { isDryRun }: Call): Promise<bigint> {
  const statement = isDryRun
    ? { name: 'peek-dseq', text: 'select last_value + is_called::int as dseq from dseq' }
    : { name: 'next-dseq', text: "select nextval('dseq') as dseq" };
  const [row] = await db.query<{ readonly dseq: bigint }>(statement);
  if (row === undefined) throw new StatusError('internal', 'the database gave no number for the deployment');
  return row.dseq;
}

interface Ordering {
  readonly tx: Transaction;
  readonly batch: WriteBatch;
  readonly owner: string;
  readonly dseq: bigint;
  readonly ordered: ReadSdl;
}

/** The deployment as it is stored first, with an order for each of its groups in the same transaction. */
async function ordering(
  options: DeploymentsOptions,
  call: Call,
  { tx, batch, owner, dseq, ordered }: Ordering,
  after: Deployment,
): Promise<Deployment> {
  const { kinds, clock, newId, orderLifetimeMs, deploymentsPerTenant } = options;
  const statement = { name: 'active-deployments', text: 'select count(*) as active from deployments where owner = $1 and state = $2' };
  const [row] = await tx.query<{ readonly active: bigint }>(statement, [owner, DeploymentState.ACTIVE]);
  if (Number(row?.active ?? 0) >= deploymentsPerTenant) {
    throw new StatusError(
      'resource_exhausted',
      `${owner} has ${deploymentsPerTenant} active deployments, and may not have more: close one, or have market-deployments-per-tenant raised`,
    );
  }
  const making = { owner, by: call.principal.name, at: timestampFromMs(clock.now()) };
  const groups = ordered.groups.map((group): Group => ({ ...group, oseq: 1 }));
  for (const group of groups) {
    const order = kinds.orders.store.create(batch, newOrder(dseq, group, making, orderLifetimeMs));
    recordWrite(batch, call, kinds.orders, newId, undefined, order);
  }
  const stored = clone(DeploymentSchema, after);
  stored.status = create(DeploymentStatusSchema, {
    state: DeploymentState.ACTIVE,
    owner,
    dseq,
    manifestHash: ordered.manifestHash,
    groups,
  });
  return stored;
}

/** Whether an update has an SDL to be read; its place in a mask may be named by what lies above it, and written in several ways. */
function sendsSdl({ object, updateMask }: DeploymentsUpdateRequest): boolean {
  const sent = object?.spec?.sdl ?? '';
  if (sent === '' || sent === redacted) return false;
  const paths = parseMask(DeploymentSchema, updateMask?.paths ?? []);
  return paths.length === 0 || paths.some(({ text }) => text === 'spec' || text === 'spec.sdl');
}

function updated(before: Deployment, after: Deployment, ordered: ReadSdl | undefined): Deployment {
  if (before.status?.state !== DeploymentState.ACTIVE) {
    throw new StatusError('failed_precondition', `deployment "${before.id}" is closed, and stays as it was: deploy anew`);
  }
  if (ordered === undefined || after.spec?.sdl === redacted) return after;
  const changes = groupChanges(before.status.groups, ordered.groups);
  if (changes.length > 0) {
    const description = `must order what was ordered before, but ${changes.join('; ')}: close the deployment and deploy anew`;
    throw new StatusError('failed_precondition', `field "spec.sdl": ${description}`, {
      details: { fieldViolations: [{ field: 'spec.sdl', description }] },
    });
  }
  const stored = clone(DeploymentSchema, after);
  stored.status = create(DeploymentStatusSchema, {
    ...before.status,
    manifestHash: ordered.manifestHash,
    groups: withOrders(before.status.groups, ordered.groups),
  });
  return stored;
}
