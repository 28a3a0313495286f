import { type ProviderHost, providerHostType } from '@quartermaster/api/provider-host';
import { providerLeasedIPType } from '@quartermaster/api/provider-leased-ip';
import { defineSteps } from '@quartermaster/kernel';
import { isFailure, type KubeObject } from '@quartermaster/kube';
import { removeObject, withHash } from '../apply/apply-objects.ts';
import { isUpToDate, type LiveObject } from '../apply/live-object.ts';
import { objectKey } from '../apply/object-plan.ts';
import { routeName } from '../hostnames/provider-host.ts';
import { fieldManager } from '../model/field-manager.ts';
import { namespaceLabel } from '../model/lease-labels.ts';
import type { DesiredObject } from '../objects/desired.ts';
import type { LeaseAt, LeaseContext } from './lease-context.ts';

/*
 * What is declared of a lease in the namespace of manifests, for operators to act on: ProviderHosts, which follow from the hostnames that it has, and ProviderLeasedIPs.
 */

const updatedAnnotation = 'akash.network/lease.updated_at';
const steps = defineSteps('declared', ['applied', 'removed']);

/** Those that the lease has, and no others of it. Answers what is in the way, where another lease has what this one would declare. */
export async function keepDeclared(
  context: LeaseContext,
  at: LeaseAt,
  salt: string,
  desired: readonly DesiredObject[],
): Promise<{ readonly reason: string; readonly message: string } | undefined> {
  const { caches, writer, clock } = context;
  const { record, signal } = at;
  const wanted = new Set(desired.map(({ type, object }) => objectKey(type.kind, object.metadata?.name ?? '')));
  for (const each of desired) {
    const { namespace = '', name = '' } = each.object.metadata ?? {};
    const found = caches.declared(each.type.kind, { namespace, name });
    if (found !== undefined && isUpToDate(each, found, salt)) continue;
    // A hostname is the lease's by its claim, whoever declared it before; an address is named by its lease, so that what says another one was changed by somebody.
    if (found !== undefined && each.type.kind === providerLeasedIPType.kind && found.labels[namespaceLabel] !== record.namespace) {
      const message = `ProviderLeasedIP ${found.name} is labelled as that of another lease: delete it, and it is created again`;
      return { reason: 'LeasedIPTaken', message };
    }
    // Another lease may have got the hostname since this one was looked at.
    if (each.type.kind === providerHostType.kind && holderOf(context, each.object) !== at.name) continue;
    const decidedOn = found === undefined ? 'absent' : { uid: found.uid, resourceVersion: found.resourceVersion };
    const object = timed(each.type.kind, withHash(each, salt), clock.now());
    caches.applied(each.type.kind, await writer.apply(each.type, object, { fieldManager, force: true, decidedOn, signal }));
    await steps.reached('applied');
  }
  await removeDeclared(context, at, wanted);
  return undefined;
}

/** Asks the server what is declared of a lease. Nobody looks at one again that has ended: what the watches have not shown by then would stay. */
export async function seeDeclared({ caches, reader, settings }: LeaseContext, { record, signal }: LeaseAt): Promise<void> {
  const options = { namespace: settings.manifestNamespace, labelSelector: `${namespaceLabel}=${record.namespace}`, signal };
  for (const type of [providerHostType, providerLeasedIPType]) {
    // What the cluster has no kind for, it has none of.
    const items = await reader.list<KubeObject>(type, options).then(
      (list) => list.items,
      (thrown: unknown) => {
        if (isFailure(thrown, 'kind-missing')) return [];
        throw thrown;
      },
    );
    for (const each of items) caches.applied(type.kind, each);
  }
}

/** Takes back what is declared of a lease beyond `keep`: all of it when it ends. A hostname that it has is its own, also where the lease from which it came has declared it. */
export async function removeDeclared(context: LeaseContext, at: LeaseAt, keep: ReadonlySet<string> = new Set()): Promise<void> {
  const { caches, writer, hostnames, settings } = context;
  const held = hostnames.heldBy(at.name).flatMap(({ hostname }) => {
    const ref = { namespace: settings.manifestNamespace, name: routeName(hostname) };
    return caches.declared(providerHostType.kind, ref) ?? [];
  });
  for (const each of new Set([...caches.declaredFor(at.record.namespace), ...held])) {
    if (keep.has(objectKey(each.type.kind, each.name)) || isTakenOver(context, at, each)) continue;
    // A transfer may be giving it to another lease this moment.
    const isExact = each.type.kind === providerHostType.kind;
    await removeObject(each, { writer, isExact, signal: at.signal, seen: caches });
    await steps.reached('removed');
  }
}

/** Another lease has the hostname by now, and declares it itself: taken away here, its route would be gone for a moment. */
function isTakenOver(context: LeaseContext, { name }: LeaseAt, { type, text }: LiveObject): boolean {
  if (type.kind !== providerHostType.kind) return false;
  const holder = holderOf(context, JSON.parse(text) as ProviderHost);
  return holder !== undefined && holder !== name;
}

const holderOf = ({ hostnames }: LeaseContext, { spec }: ProviderHost): string | undefined => hostnames.holderOf(spec?.hostname ?? '');

/** When a hostname was declared as it is, which the ecosystem reads. It is not of what is compared: nothing is written for it alone. */
function timed<T extends KubeObject>(kind: string, object: T, now: number): T {
  if (kind !== providerHostType.kind) return object;
  const annotations = { ...object.metadata?.annotations, [updatedAnnotation]: new Date(now).toISOString() };
  return { ...object, metadata: { ...object.metadata, annotations } };
}
