import { defineSteps, limit, messageOf } from '@quartermaster/kernel';
import { isFailure, type KubeObject, type KubeWriter, kinds } from '@quartermaster/kube';
import { fieldManager } from '../model/field-manager.ts';
import type { DesiredObject } from '../objects/desired.ts';
import { appliedAnnotation, appliedHash, type LiveObject } from './live-object.ts';
import type { ObjectChange, ObjectPlan } from './object-plan.ts';

export interface RemoveObjectOptions {
  readonly writer: Pick<KubeWriter, 'delete'>;
  /** Only in the version that was looked at: throws where it is another one by now. */
  readonly isExact?: boolean | undefined;
  readonly signal: AbortSignal;
  /** Told of what was written, before any watch shows it. */
  readonly seen?: WritesSeen | undefined;
}

export interface ApplyObjectsOptions extends RemoveObjectOptions {
  readonly writer: Pick<KubeWriter, 'apply' | 'delete'>;
  readonly salt: string;
}

export interface WritesSeen {
  applied(kind: string, object: KubeObject): void;
  removed(live: LiveObject): void;
}

const atOnce = 8;
const steps = defineSteps('lease-objects', ['applied', 'removed']);

/** Carries a plan out, wave by wave. False where something that had to go first is still there: the next look makes the rest. */
export async function applyObjects(plan: ObjectPlan, options: ApplyObjectsOptions): Promise<boolean> {
  try {
    for (const wave of plan.apply) {
      const made = await inParallel(wave, (change) => applyObject(change, options));
      if (made.includes(false)) return false;
    }
  } catch (thrown) {
    // A quota holds little more than what was reserved: what is to go may have what the new one lacks. Whoever else refuses the new one would refuse it then, too.
    if (isFailure(thrown, 'forbidden') && /exceeded quota/i.test(messageOf(thrown))) await removeAll(plan, options);
    throw thrown;
  }
  await removeAll(plan, options);
  return true;
}

async function removeAll(plan: ObjectPlan, options: ApplyObjectsOptions): Promise<void> {
  for (const wave of plan.remove) await inParallel(wave, (live) => removeObject(live, options));
}

async function applyObject({ desired, live, mustRecreate }: ObjectChange, options: ApplyObjectsOptions): Promise<boolean> {
  if (live !== undefined && mustRecreate) {
    await removeObject(live, options);
    return false;
  }
  const { writer, salt, signal, seen } = options;
  const { type } = desired;
  const decidedOn = live === undefined ? 'absent' : { uid: live.uid, resourceVersion: live.resourceVersion };
  const applied = await writer.apply(type, withHash(desired, salt), { fieldManager, force: true, decidedOn, signal });
  seen?.applied(type.kind, applied);
  await steps.reached('applied');
  return true;
}

/** Those below which there are pods. */
const withPods: ReadonlySet<string> = new Set([kinds.deployments.kind, kinds.statefulSets.kind]);

/** A workload with all that is below it, before it is gone: whoever takes its place does not meet its pods. Anything else at once: nothing waits for a collector of garbage. */
export async function removeObject(live: LiveObject, { writer, isExact = false, signal, seen }: RemoveObjectOptions): Promise<void> {
  const { type, namespace, name, uid, resourceVersion } = live;
  const preconditions = isExact ? { uid, resourceVersion } : { uid };
  const ref = namespace === '' ? { name } : { namespace, name };
  try {
    await writer.delete(type, ref, { preconditions, propagation: withPods.has(type.kind) ? 'Foreground' : 'Background', signal });
  } catch (thrown) {
    // Another one has its name: that is not the one that had to go.
    if (!isFailure(thrown, 'not-found') && (isExact || !isFailure(thrown, 'conflict'))) throw thrown;
  }
  seen?.removed(live);
  await steps.reached('removed');
}

export function withHash<T extends DesiredObject>(desired: T, salt: string): T['object'] {
  const { metadata } = desired.object;
  const annotations = { ...metadata?.annotations, [appliedAnnotation]: appliedHash(desired, salt) };
  return { ...desired.object, metadata: { ...metadata, annotations } };
}

/** All of them are waited for, so that nothing is still on its way when the caller hears of a failure. */
async function inParallel<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<readonly R[]> {
  const limited = limit(atOnce);
  const outcomes = await Promise.allSettled(items.map((item) => limited(() => work(item))));
  return outcomes.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  });
}
