import { createHmac } from 'node:crypto';
import { isFailure, kinds } from '@quartermaster/kube';
import { withHash } from '../apply/apply-objects.ts';
import { appliedHash } from '../apply/live-object.ts';
import { fieldManager } from '../model/field-manager.ts';
import type { DesiredObject } from '../objects/desired.ts';
import type { LeaseContext } from './lease-context.ts';

/*
 * The Secrets of a lease are written and never read: who may list Secrets may list those of the whole cluster. What was last applied is recorded at the namespace instead, by
 * hashes that are made with the salt of the lease, and sealed with it: what is recorded there is deleted some day, and others may edit namespaces.
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
  const before = readRecord(recorded, salt); // name -> hash/uid
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
export function announcedSecrets(recorded: string, { apply }: SecretPlan, salt: string): string {
  const before = readRecord(recorded, salt);
  const added = apply.map(nameOf).filter((name) => !before.has(name));
  return added.length === 0 ? recorded : recordOf(new Map([...before, ...added.map((name) => [name, ''] as const)]), salt);
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
  return recordOf(recorded, salt);
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

function recordOf(secrets: ReadonlyMap<string, string>, salt: string): string {
  if (secrets.size === 0) return '';
  const text = JSON.stringify(Object.fromEntries([...secrets].sort(([a], [b]) => (a < b ? -1 : 1))));
  return `${sealOf(text, salt)} ${text}`;
}

/** Of what somebody has changed nothing counts: everything is applied again. */
function readRecord(recorded: string, salt: string): ReadonlyMap<string, string> {
  const [seal, text] = [recorded.slice(0, recorded.indexOf(' ')), recorded.slice(recorded.indexOf(' ') + 1)];
  return new Map(seal === sealOf(text, salt) ? Object.entries(JSON.parse(text) as Readonly<Record<string, string>>) : []);
}

const sealOf = (text: string, salt: string): string =>
  createHmac('sha256', salt)
    .update(JSON.stringify(['secrets', text]))
    .digest('hex');

const nameOf = ({ object }: DesiredObject): string => object.metadata?.name ?? '';
