import { type Clock, limit, messageOf, pause, StatusError } from '@quartermaster/kernel';
import type { KubeWriter } from '@quartermaster/kube';
import type { RoleFuse } from '@quartermaster/runtime/host';
import { firstWords, joinedTexts } from '../health/told-text.ts';
import type { LeaseRecord } from '../known-leases/lease-record.ts';
import type { LeaseContext } from './lease-context.ts';
import { type CountedSight, deadlineOf } from './lease-deadline.ts';
import { advance, type CountedFrom } from './lease-transitions.ts';

/** The fuses of leases: both hold what comes in bulk until a person has agreed. */
export interface LeaseFuses {
  /** Takes away what runs of leases that the market says are closed. */
  readonly ends: RoleFuse;
  /** Asks the market to close leases whose deadline is over. */
  readonly closings: RoleFuse;
}

export interface FuseTermOf {
  readonly writer: KubeWriter;
  readonly signal: AbortSignal;
}

const lookEveryMs = 500;
const asksAtOnce = 8;
/** What breaks at once is seen to be over one after another: so long after the first, all of it is judged together. */
const settleMs = 5_000;
/** What the market refused to close, or may not have heard of, is asked for again after this. */
const closeAgainMs = 30_000;

/** Looks, for as long as the term lasts, for leases that are to end, and lets them through their fuse: that records it, and `endLease` takes them away. */
export async function letEndsThrough(
  context: LeaseContext,
  { ends, closings }: LeaseFuses,
  term: FuseTermOf,
  { clock, seen }: { readonly clock: Clock; readonly seen: CountedSight },
): Promise<void> {
  const { log } = context;
  const { signal } = term;
  const closed = new Map<string, string>(); // lease -> why; what was asked for is forgotten whenever the market is read, and the market may take back what it said
  const askedAt = new Map<string, number>(); // lease -> when the market did not close it, by the monotonic clock
  const isRead = new Set<RoleFuse>(); // whose batch of a former term was looked at
  while (!signal.aborted) {
    const looks = [
      () => lookAtClosed(context, ends, closed, { term, isRead }),
      () => lookAtOverdue(context, closings, { seen: seen(), askedAt }, { term, isRead }),
    ];
    for (const look of looks) {
      // What waits stays as it is, and shows in the health of the role.
      await look().catch((thrown: unknown) => {
        if (!signal.aborted) log.debug('leases that are to end cannot be looked at', { error: messageOf(thrown) });
      });
    }
    await pause(clock, lookEveryMs, signal);
  }
  ends.rest();
  closings.rest();
}

interface Looking {
  readonly term: FuseTermOf;
  readonly isRead: Set<RoleFuse>;
}

/** Whether something waits at a fuse: in the first look of a term, what a former leader stored or a person approved, which may not be due any more. */
async function waits(fuse: RoleFuse, { term, isRead }: Looking): Promise<boolean> {
  const isKnown = fuse.waiting !== undefined || fuse.approved !== undefined;
  if (isKnown || isRead.has(fuse)) return isKnown;
  const { waiting, approval } = await fuse.read(term.signal);
  const isAny = waiting !== undefined || approval !== undefined;
  if (!isAny) isRead.add(fuse);
  return isAny;
}

async function lookAtClosed(context: LeaseContext, fuse: RoleFuse, closed: Map<string, string>, looking: Looking): Promise<void> {
  const { term, isRead } = looking;
  const { records, view, writer, clock } = context;
  // Of a part of them nothing can be said: it may be small enough to pass, and what waits would look as if it were not there any more.
  if (records.problem() !== undefined) return;
  await askForUnknown(context, closed, term.signal);
  // Judged by all that is known at one moment: a part of what ends together would pass where the whole does not.
  const open = openRecords(records.all());
  const names = new Set(open.map(({ name }) => name));
  for (const name of closed.keys()) if (!names.has(name)) closed.delete(name);
  for (const { name } of open) {
    const lease = view.of(name).lease;
    if (lease?.state === 'closed') closed.set(name, lease.reason ?? '');
    if (lease?.state === 'active') closed.delete(name);
  }
  const due = open.filter(({ name }) => closed.has(name));
  // Nobody says that they are not closed: what waits goes on waiting.
  const pending = open.filter(({ name }) => !closed.has(name) && view.of(name).lease === undefined);
  if (due.length === 0 && !(await waits(fuse, looking))) return;
  await fuse.look(
    { due: due.map(removable), pending: pending.map(removable), ...amountOf(open) },
    async ({ name }) => {
      const closedReason = closed.get(name);
      if (closedReason === undefined || view.of(name).lease?.state === 'active') return false;
      await records.change(writer, name, (before) => advance(before, { kind: 'ends', why: closedReason }, clock.now()));
      return true;
    },
    term,
  );
  isRead.add(fuse);
}

/** Asks the market for leases that its list does not have, until it was asked for all of them. Throws where it answers for none; one alone holds nobody up. */
async function askForUnknown({ records, view }: LeaseContext, closed: ReadonlyMap<string, string>, signal: AbortSignal): Promise<void> {
  const tried = new Set<string>();
  const inTurn = limit(asksAtOnce);
  while (!signal.aborted && view.problem === undefined && view.status().readAt !== undefined) {
    const unknown = openRecords(records.all()).filter(({ name }) => {
      const { lease, isAsked } = view.of(name);
      return lease === undefined && !isAsked && !closed.has(name) && !tried.has(name);
    });
    if (unknown.length === 0) return;
    for (const { name } of unknown) tried.add(name);
    const asked = await Promise.allSettled(unknown.map(({ lease }) => inTurn(() => view.ask(lease, signal))));
    const failed = asked.filter((each) => each.status === 'rejected');
    if (failed[0] !== undefined && failed.length === asked.length) throw failed[0].reason;
  }
}

interface OverdueSight {
  readonly seen: Required<CountedFrom>;
  readonly askedAt: Map<string, number>;
}

async function lookAtOverdue(context: LeaseContext, fuse: RoleFuse, { seen, askedAt }: OverdueSight, looking: Looking): Promise<void> {
  const { term, isRead } = looking;
  const { records, view, market, book, settings, clock } = context;
  // Whose time is over, and who is well, is not known now.
  if (!Number.isFinite(seen.market) || !Number.isFinite(seen.cluster)) return;
  const open = records.all().filter(({ name }) => view.of(name).lease?.state === 'active');
  const now = clock.now();
  const whyOf = (record: LeaseRecord, at: number, from: CountedFrom = seen) => {
    if (!isOpen(record)) return endedHere(record, at);
    const due = deadlineOf(record, view.of(record.name).lease, settings.deadlines, at, from);
    return due !== undefined && 'message' in due ? due : undefined;
  };
  for (const [name, at] of askedAt) if (clock.monotonic() - at >= closeAgainMs) askedAt.delete(name);
  const over = open.filter((record) => whyOf(record, now) !== undefined);
  const isSettled = over.some((record) => !askedAt.has(record.name) && whyOf(record, now - settleMs) !== undefined);
  if (!isSettled && !(await waits(fuse, looking))) return;
  // Until they are judged together, only what a person was asked about is.
  const known = new Set([...(fuse.waiting?.objects ?? []), ...(fuse.approved?.objects ?? [])].map(({ uid }) => uid));
  // What the market refused takes no turn of others beside what waits.
  const isTurn = ({ name }: LeaseRecord): boolean => isSettled && (fuse.waiting === undefined || !askedAt.has(name));
  const due = over.filter((record) => known.has(record.uid) || isTurn(record));
  // By their record their time was over before the break, and would be so again: what waits goes on waiting.
  const pending = open.filter((record) => !due.includes(record) && whyOf(record, now, {}) !== undefined);
  const byUid = new Map(due.map((record) => [record.uid, record]));
  await fuse.look(
    {
      due: due.map(removable),
      pending: pending.map(removable),
      ...amountOf(openRecords(records.all())),
    },
    async ({ uid, name }, signal) => {
      const record = byUid.get(uid);
      const why = record && whyOf(records.of(name) ?? record, now);
      // What was refused is asked for later, and counts with the others until then.
      if (record === undefined || why === undefined || askedAt.has(name)) return false;
      const message = joinedTexts([book.reservation(name) === undefined ? 'nothing is reserved for it' : '', why.message]);
      const outcome = await market.closeLease(record.lease, firstWords(message), signal);
      if (outcome.kind === 'done') view.answered(record.lease, { lease: outcome.value });
      else askedAt.set(name, clock.monotonic());
      // It may be closed: that counts.
      if (outcome.kind === 'unknown') throw new StatusError('unavailable', outcome.reason.message);
      return outcome.kind === 'done';
    },
    term,
  );
  isRead.add(fuse);
}

/** Tenants may close as many of their own as they like: that holds up nobody else's. */
const removable = ({ name, uid, lease: { owner } }: LeaseRecord) => ({ name, uid, group: owner });

const amountOf = (open: readonly LeaseRecord[]) => ({ total: open.length, groups: new Set(open.map(({ lease }) => lease.owner)).size });

const isOpen = ({ state, closingAt }: LeaseRecord): boolean => state !== 'Complete' && closingAt === undefined;
const openRecords = (all: readonly LeaseRecord[]): readonly LeaseRecord[] => all.filter(isOpen);

/** Of a lease that is active at the market: it has said before that it is closed, and nothing brings back what ran. Its tenant would go on paying for nothing. */
const endedHere = ({ closingAt = Infinity }: LeaseRecord, at: number) =>
  at - closingAt < 0 ? undefined : { message: 'the market had said that it is closed, and its workload was removed: deploy it again' };
