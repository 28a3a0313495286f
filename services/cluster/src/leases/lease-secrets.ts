import { isFailure, kinds } from '@quartermaster/kube';
import { withHash } from '../apply/apply-objects.ts';
import { appliedHash } from '../apply/live-object.ts';
import { fieldManager } from '../model/field-manager.ts';
import type { DesiredObject } from '../objects/desired.ts';
import type { LeaseContext } from './lease-context.ts';

/*
 * The Secrets of a lease are written and never read: who may list Secrets may list those of the whole cluster. What was last applied is recorded at the namespace instead, by
 * hashes that are made with the salt of the lease.
 */

export interface SecretPlan {
  readonly apply: readonly DesiredObject[];
  /** Name -> uid of those that the lease does not have any more; empty of one that may not have been made. */
  readonly remove: ReadonlyMap<string, string>;
  /** Of those that stay as they are, as they were recorded. */
  readonly kept: ReadonlyMap<string, string>;
}

/** Pure. `again`: somebody may have deleted one of them. */
export function secretPlan(
  desired: readonly DesiredObject[],
  recorded: string,
  salt: string,
  { again }: { readonly again: boolean },
): SecretPlan {
  const before = new Map(Object.entries(readRecord(recorded))); // name -> hash/uid
  const isKept = (each: DesiredObject): boolean => !again && before.get(nameOf(each))?.split('/')[0] === appliedHash(each, salt);
  const wanted = new Set(desired.map(nameOf));
  const gone = [...before].filter(([name]) => !wanted.has(name));
  return {
    apply: desired.filter((each) => !isKept(each)),
    remove: new Map(gone.map(([name, text]) => [name, text.split('/')[1] ?? ''])),
    kept: new Map(desired.filter(isKept).map((each) => [nameOf(each), before.get(nameOf(each)) ?? ''])),
  };
}

export const isSecretsDone = ({ apply, remove }: SecretPlan): boolean => apply.length === 0 && remove.size === 0;

/** What is recorded, with the names of those that are to be made: nobody lists Secrets to find one whose record got lost. The same where it has them all. */
export function announcedSecrets(recorded: string, { apply }: SecretPlan): string {
  const before = new Map(Object.entries(readRecord(recorded)));
  const added = apply.map(nameOf).filter((name) => !before.has(name));
  return added.length === 0 ? recorded : recordOf(new Map([...before, ...added.map((name) => [name, ''] as const)]));
}

/** Before the pods that refer to them. Answers what is to be recorded. */
export async function applySecrets(
  { writer }: Pick<LeaseContext, 'writer'>,
  { apply, kept }: SecretPlan,
  salt: string,
  signal: AbortSignal,
): Promise<string> {
  const recorded = new Map(kept);
  for (const each of apply) {
    const applied = await writer.apply(each.type, withHash(each, salt), { fieldManager, force: true, decidedOn: 'absent', signal });
    recorded.set(nameOf(each), `${appliedHash(each, salt)}/${applied.metadata?.uid ?? ''}`);
  }
  return recordOf(recorded);
}

/** After nothing refers to them any more. */
export async function removeSecrets(
  { writer }: Pick<LeaseContext, 'writer'>,
  namespace: string,
  { remove }: SecretPlan,
  signal: AbortSignal,
): Promise<void> {
  for (const [name, uid] of remove) {
    try {
      await writer.delete(kinds.secrets, { namespace, name }, { ...(uid !== '' && { preconditions: { uid } }), signal });
    } catch (thrown) {
      if (!isFailure(thrown, 'conflict', 'not-found')) throw thrown;
    }
  }
}

const recordOf = (secrets: ReadonlyMap<string, string>): string =>
  secrets.size === 0 ? '' : JSON.stringify(Object.fromEntries([...secrets].sort(([a], [b]) => (a < b ? -1 : 1))));

const nameOf = ({ object }: DesiredObject): string => object.metadata?.name ?? '';

function readRecord(text: string): Readonly<Record<string, string>> {
  try {
    return JSON.parse(text === '' ? '{}' : text) as Readonly<Record<string, string>>;
  } catch {
    // Somebody has changed it: everything is applied again.
    return {};
  }
}
