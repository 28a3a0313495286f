/**
 * Lets a few removals through and holds many: many at once are a sign of a mistake rather than of so much that is really gone. What is held waits for a person,
 * whose approval covers exactly what was shown. Does no I/O.
 *
 *   what is due                                  | what goes, and what waits
 *   ---------------------------------------------|-----------------------------------------------------------------------------
 *   few, together with what went in the window   | all of it goes
 *   few, but too many together with that         | all of it waits: until the window has room, or until it is approved
 *   too many by itself                           | all of it waits: with `untilApproved` until it is approved, else until it is few
 *   too many, most of it of a few groups         | with `untilApproved` these groups wait until they are approved; the others go as the window has room
 *   the same, and it hits most groups            | all of it waits, as without groups: that is nobody's own doing
 */
import { createHash } from 'node:crypto';
import { StatusError } from '@quartermaster/kernel';
import { heldGroups, uidsOf, withinWindow } from './held-groups.ts';

export interface Removable {
  readonly name: string;
  readonly uid: string;
}

/** What a role sees of it. */
export interface SeenRemovable extends Removable {
  /** Who has it: a few of them may want too many removed at any time, which then wait by themselves. */
  readonly group?: string | undefined;
}

export interface FuseLimits {
  /** Removals within this time count together. */
  readonly windowMs: number;
  /** More than this wait for a person, unless they are at most `maxShare` of all. */
  readonly maxRemovals: number;
  readonly maxShare: number;
  /** What was too many by itself waits until it is approved, however few are left of it and however many there are beside it. Otherwise it goes once it is few enough. */
  readonly untilApproved?: boolean | undefined;
}

/** What waits for a person. Once made it only shrinks: when something is added, it is another one, with another id. */
export interface WaitingBatch {
  readonly id: string;
  readonly since: number;
  readonly reason: string;
  readonly objects: readonly Removable[];
  /** So many wait besides: they are the next batch, because this one is full. */
  readonly more: number;
  /** It was too many by itself, not only together with what was removed before it. */
  readonly isTooMany?: boolean | undefined;
}

export interface Approval {
  /** Of the batch that was approved last. */
  readonly id: string;
  readonly by: string;
  readonly at: number;
  /** What is still to be removed. */
  readonly objects: readonly Removable[];
  /** So many waited besides, which nobody was shown: few of them are still of too many. */
  readonly more?: number | undefined;
}

export interface CountedRemovals {
  readonly at: number;
  readonly count: number;
  /** Those of them that may still be there, because nobody knows how it went: another try moves them, and does not count them twice. */
  readonly uids: readonly string[];
}

/** What must survive a restart. Times are by the clock of whoever stored it last. */
export interface FuseState {
  /** Without an approval, within the window. Their sum is at most what is allowed there, which bounds their number. */
  readonly removals: readonly CountedRemovals[];
  readonly waiting?: WaitingBatch | undefined;
  readonly approval?: Approval | undefined;
}

/** What a role sees now. What is in neither list is wanted or gone, and waits no longer. */
export interface FuseLook {
  /** There is all the evidence that a removal needs. */
  readonly due: readonly SeenRemovable[];
  /** The evidence is not complete yet, as after a restart. */
  readonly pending: readonly SeenRemovable[];
  /** How many objects there are, due or not. */
  readonly total: number;
  /** How many groups they are of. */
  readonly groups?: number | undefined;
  readonly now: number;
}

export interface FuseVerdict {
  readonly state: FuseState;
  /** To be removed once the state is stored, in which they are counted already: whoever is killed in between has counted too much, never too little. */
  readonly remove: readonly Removable[];
  /** The uids of those which an earlier try may have removed. */
  readonly retried: ReadonlySet<string>;
}

export const emptyFuse: FuseState = { removals: [] };

/** With the longest names, a batch, the approvals below and as many uids still fit into one object of the API server. */
export const maxBatch = 1_000;
const maxApproved = 2 * maxBatch;

/**
 * What another process stored, by the clock of this one. The clocks of two machines are never compared: the newest removal counts as if it were made now and the others keep
 * their distance to it. So a window may turn out longer than it is, never shorter.
 */
export function takeOverFuse(state: FuseState, now: number): FuseState {
  const newest = Math.max(...state.removals.map(({ at }) => at));
  return { ...state, removals: state.removals.map((each) => ({ ...each, at: each.at + now - newest })) };
}

/**
 * What may go now, and what waits. Where most of what is too many is of a few groups, theirs waits and that of the others does not: otherwise a few of many could hold up
 * all of them. Beside what waits the others go few at a time, as many as go however few there are.
 */
export function judgeRemovals(state: FuseState, look: FuseLook, limits: FuseLimits, name: string): FuseVerdict {
  const held = heldGroups(state, look, limits);
  if (held === undefined) return judgeTogether(state, look, limits, name);
  const { uids: crowd, wanted } = held;
  const isOf = ({ uid }: Removable): boolean => crowd.has(uid);
  const isOther = (each: Removable): boolean => !isOf(each);
  const part = (due: readonly SeenRemovable[], isIn: typeof isOf): FuseLook => ({ ...look, due, pending: look.pending.filter(isIn) });
  const objects = state.waiting?.objects.filter(isOf) ?? [];
  const waiting = state.waiting && objects.length > 0 ? { ...state.waiting, objects } : undefined;
  const own = judgeTogether({ ...state, waiting }, part(look.due.filter(isOf), isOf), limits, name, wanted);
  const others = judgeTogether(
    { ...state, waiting: undefined },
    part(withinWindow(look.due.filter(isOther), state, look.now, limits), isOther),
    limits,
    name,
  );
  const approved = [...(own.state.approval?.objects ?? []), ...(others.state.approval?.objects ?? [])];
  const approval = approved.length === 0 || state.approval === undefined ? undefined : { ...state.approval, objects: approved };
  return {
    state: { removals: others.state.removals, waiting: own.state.waiting, approval },
    remove: [...own.remove, ...others.remove],
    retried: others.retried,
  };
}

/** `heldOf` are wanted with these, which is too many, and these wait for it. */
function judgeTogether(
  state: FuseState,
  { due, pending, total, now }: FuseLook,
  limits: FuseLimits,
  name: string,
  heldOf = 0,
): FuseVerdict {
  const seen = new Set([...due, ...pending].map(({ uid }) => uid));
  const approved = (state.approval?.objects ?? []).filter(({ uid }) => seen.has(uid));
  const isApproved = uidsOf(approved);
  const waited = (state.waiting?.objects ?? []).filter(({ uid }) => seen.has(uid));
  const isWaiting = uidsOf(waited);
  const dueNow = due.filter(({ uid }) => !isApproved.has(uid));
  const added = dueNow.filter(({ uid }) => !isWaiting.has(uid));
  const removals = state.removals.filter(({ at }) => now - at < limits.windowMs);
  const isCounted = new Set(removals.flatMap(({ uids }) => uids));
  const again = [...waited, ...added].filter(({ uid }) => isCounted.has(uid)).length;
  const recent = removals.reduce((sum, { count }) => sum + count, -again);
  const allowed = Math.max(limits.maxRemovals, Math.floor((total + recent) * limits.maxShare));
  const own = waited.length + added.length;
  const wanted = own > 0 ? Math.max(own, heldOf) : 0;
  const approval = approved.length === 0 || state.approval === undefined ? undefined : { ...state.approval, objects: approved };
  const agreed = due.filter(({ uid }) => isApproved.has(uid));
  const isRest = (state.approval?.more ?? 0) > 0 && own > 0;
  const isTooMany = wanted > allowed || isRest || (state.waiting?.isTooMany === true && waited.length > 0);
  if (wanted + recent > allowed || (isTooMany && limits.untilApproved === true)) {
    const after = recent === 0 ? '' : ` after ${recent} that were removed already`;
    const reason = `${wanted} of ${total} are due${after}, and at most ${allowed} may be removed within ${spanText(limits.windowMs)} without approval`;
    const waiting = batchOf({ name, before: state.waiting, waited, added, reason, now, isTooMany });
    return { state: { removals, waiting, approval }, remove: agreed, retried: new Set() };
  }
  const retried = uidsOf(dueNow.filter(({ uid }) => isCounted.has(uid)));
  // One entry for each time, by which `recordRemovals` finds it.
  const counted = new Map(removals.map((each) => [each.at, without(each, retried)]));
  const { count, uids } = counted.get(now) ?? { count: 0, uids: [] };
  // Those that do not fit are counted once more when they are tried once more.
  const fits = [...uidsOf(dueNow)].slice(0, maxBatch - isCounted.size + retried.size);
  counted.set(now, { at: now, count: count + dueNow.length, uids: [...uids, ...fits] });
  return { state: { removals: [...counted.values()].filter(isAny), approval }, remove: [...agreed, ...dueNow], retried };
}

/** A person says that the batch may go. Throws when it is not what waits: the person has not seen what does. */
export function approveRemoval(state: FuseState, id: string, by: string, now: number): FuseState {
  const { waiting, approval } = state;
  if (waiting?.id !== id) {
    if (approval?.id === id) return state;
    if (waiting === undefined) throw new StatusError('not_found', `removal ${id} is not waiting: it was carried out, or is no longer due`);
    throw new StatusError(
      'failed_precondition',
      `removal ${id} has been replaced by ${waiting.id}, because more objects became due: list the removals and decide again`,
    );
  }
  const objects = [...(approval?.objects ?? []), ...waiting.objects];
  if (objects.length > maxApproved) {
    throw new StatusError(
      'failed_precondition',
      `${approval?.objects.length} objects that were approved earlier are still to be removed: approve ${id} when they are gone`,
    );
  }
  const { more } = waiting;
  return { removals: state.removals, approval: { id, by, at: now, objects, ...(more > 0 && { more }) } };
}

export interface RemovalOutcome {
  /** When it was judged. */
  readonly at: number;
  readonly removed: readonly Removable[];
  /** Certainly not removed by this try, although it was counted. */
  readonly kept: readonly Removable[];
  /** As the verdict had it: of these nobody knows whether an earlier try removed them. */
  readonly retried?: ReadonlySet<string> | undefined;
}

/** What became of a verdict. */
export function recordRemovals(state: FuseState, { at, removed, kept: untouched, retried }: RemovalOutcome): FuseState {
  const kept = untouched.filter(({ uid }) => retried?.has(uid) !== true);
  const isRemoved = uidsOf(removed);
  const isSettled = uidsOf([...removed, ...kept]);
  const isApproved = uidsOf(state.approval?.objects ?? []);
  const uncounted = kept.filter(({ uid }) => !isApproved.has(uid)).length;
  const removals = state.removals
    .map((each) => (each.at === at ? { at, count: each.count - uncounted, uids: each.uids.filter((uid) => !isSettled.has(uid)) } : each))
    .filter(isAny);
  const objects = state.approval?.objects.filter(({ uid }) => !isRemoved.has(uid)) ?? [];
  const approval = objects.length === 0 || state.approval === undefined ? undefined : { ...state.approval, objects };
  return { ...state, removals, approval };
}

interface BatchParts {
  readonly name: string;
  readonly before: WaitingBatch | undefined;
  /** Of the batch before, what still waits. */
  readonly waited: readonly Removable[];
  readonly added: readonly Removable[];
  readonly reason: string;
  readonly now: number;
  readonly isTooMany: boolean;
}

function batchOf({ name, before, waited, added, reason, now, isTooMany }: BatchParts): WaitingBatch {
  const fits = added.toSorted((a, b) => (a.name < b.name ? -1 : 1)).slice(0, maxBatch - waited.length);
  const more = added.length - fits.length;
  if (before !== undefined && fits.length === 0) return { ...before, objects: waited, more, isTooMany };
  const objects = [...waited, ...fits.map(({ name: each, uid }) => ({ name: each, uid }))];
  // The time makes it another one than an earlier batch of the same objects. Nobody guesses it without the uids.
  const hash = createHash('sha256')
    .update([now, ...objects.map(({ uid }) => uid)].join('\n'))
    .digest('hex');
  return { id: `${name}-${hash.slice(0, 12)}`, since: before?.since ?? now, reason, objects, more, isTooMany };
}

const isAny = ({ count }: CountedRemovals): boolean => count > 0;

function without({ at, count, uids }: CountedRemovals, moved: ReadonlySet<string>): CountedRemovals {
  const left = uids.filter((uid) => !moved.has(uid));
  return { at, count: count - (uids.length - left.length), uids: left };
}

function spanText(ms: number): string {
  const [unitMs, unit] = ms >= 3_600_000 ? [3_600_000, 'h'] : ms >= 60_000 ? [60_000, 'min'] : [1_000, 's'];
  return `${Math.round((ms / unitMs) * 10) / 10} ${unit}`;
}
