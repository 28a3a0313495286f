import { clone, create } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { ManifestChanges } from '@quartermaster/api/lease-manifest';
import {
  type Deployment,
  DeploymentSchema,
  DeploymentState,
  DeploymentStatusSchema,
  Deployments,
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
  privateHandlers,
  type RevealLog,
  recordWrite,
} from '@quartermaster/objects';
import { type ServedService, serve } from '@quartermaster/rpc';
import { GatheredReads, holdWritten, lockOf, type Queryable, type Transaction, type WriteBatch } from '@quartermaster/store';
import { accountFor } from '../access/index.ts';
import { newOrder, reasonOf, refusedSdl, sdlViolations } from '../rules/index.ts';
import type { SdlReader } from '../sdl/sdl-reader.ts';
import type { SdlContent } from '../sdl/sdl-reading.ts';
import { closeDeployment } from '../trade/close-deployment.ts';
import { activeLeases } from '../trade/read-trade.ts';
import { type Trade, type TradeOptions, trade } from '../trade/trade.ts';
import { type Comparison, comparedFaults, compareManifests, sendsSdl, updatedDeployment, updateFaults } from './deployment-update.ts';
import { owned } from './owned.ts';

export interface DeploymentsOptions extends TradeOptions {
  readonly sdl: Pick<SdlReader, 'read'>;
  readonly reveals: RevealLog;
  /** Deployments of a tenant that are active at the same time. */
  readonly deploymentsPerTenant: number;
}

export function deploymentsService(options: DeploymentsOptions): ServedService {
  const { kinds, sdl } = options;
  const kind = kinds.deployments;
  const reader = new ObjectReader(kind, options);
  const read = async (text: string, { principal }: Call, signal: AbortSignal): Promise<SdlContent> => {
    const violations = sdlViolations(text);
    if (violations.length > 0) throw invalidFields(violations);
    const answer = await sdl.read(text, principal.name, signal);
    if ('faults' in answer) throw refusedSdl(answer.faults);
    return answer;
  };
  const reads = new GatheredReads(options.database, kind.store);
  /** With what is stored, which is shown to nobody here. */
  const compared = async (stored: Deployment, sent: SdlContent, { principal }: Call, signal: AbortSignal): Promise<Comparison> => {
    const before = await sdl.read(stored.spec?.sdl ?? '', principal.name, signal);
    return compareManifests(stored.status?.manifestHash ?? '', 'faults' in before ? undefined : before, sent);
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
      const { object, confirm } = request;
      const isSent = sendsSdl(request);
      if (!isSent && confirm.length > 0)
        throw invalidFields([{ field: 'confirm', description: 'must be empty where no SDL is sent: only that loses volumes' }]);
      const call = callOf(context);
      const sent = isSent ? await read(object?.spec?.sdl ?? '', call, context.signal) : undefined;
      const id = object?.id ?? '';
      if (isSent) checkId(id, 'object.id');
      const stored = isSent ? owned(kind, call.principal, await reads.getRevealed(id), id) : undefined;
      const comparison = sent && stored && (await compared(stored, sent, call, context.signal));
      const writer = new ObjectWriter(kind, {
        ...options,
        alsoWrite: async (tx, batch, before, after) => {
          if (before === undefined || after === undefined) return after;
          const updated = updatedDeployment(before, after, comparison, confirm);
          if (updated.status?.manifestHash !== before.status?.manifestHash) await signalLeases({ tx, kinds }, batch, id);
          return updated;
        },
      });
      return await privateHandlers(reader, writer).update(request, context);
    },
    preview: async ({ id, sdl: text }, context) => {
      const call = callOf(context);
      checkId(id);
      const stored = owned(kind, call.principal, await reads.getRevealed(id), id);
      const answer = await sdl.read(text, call.principal.name, context.signal);
      if ('faults' in answer) return { faults: answer.faults };
      const faults = updateFaults(stored, answer);
      try {
        const { changes } = await compared(stored, answer, call, context.signal);
        return { ...previewOf(changes), faults };
      } catch (thrown) {
        const unfit = comparedFaults(thrown);
        if (unfit.length === 0) throw thrown;
        return { faults: [...faults, ...unfit] };
      }
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
  readonly ordered: SdlContent;
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

/** Has the providers look that run what has changed now. */
async function signalLeases(open: Pick<Trade, 'tx' | 'kinds'>, batch: WriteBatch, deployment: string): Promise<void> {
  const leases = await activeLeases(open, deployment);
  await holdWritten(
    open.tx,
    leases.map(({ id }) => lockOf('leases', id)),
  );
  for (const lease of leases) open.kinds.leases.store.announce(batch, 'signaled', lease);
}

const previewOf = (changes: ManifestChanges | undefined) => ({
  changes: (changes?.changes ?? []).map(({ service, code, message }) => ({ service, code, message })),
  restarted: [...(changes?.restarted ?? [])],
  lostVolumes: [...(changes?.lostVolumes ?? [])],
});
