import { createHash } from 'node:crypto';
import { codeOf, defineSteps, messageOf, StatusError } from '@quartermaster/kernel';
import { isFailure } from '@quartermaster/kube';
import { type LeaseRecord, refusedByCluster } from '../known-leases/lease-record.ts';
import type { StoredManifest } from '../known-leases/manifest-store.ts';
import type { SchedulerParams } from '../manifest/manifest-object.ts';
import type { ReceivedManifest } from '../market/market.ts';
import type { Plan } from '../placement/plan.ts';
import type { Reason } from '../placement/stock-facts.ts';
import { judgeManifest, type ManifestVerdict } from './judge-manifest.ts';
import type { LeaseAt, LeaseContext } from './lease-context.ts';
import { advance, type LeaseEvent } from './lease-transitions.ts';
import { unfinishedLosses } from './lost-claims.ts';

const steps = defineSteps('take-manifest', ['judged', 'told']);

/** Whether a lease could run it, by what is so now. A preview is of a manifest that nobody has deployed yet: it need not be the one that the market has. */
export async function verdictOn(
  context: LeaseContext,
  { name, lease, record, signal }: LeaseAt,
  received: ReceivedManifest,
  { isPreview = false }: { readonly isPreview?: boolean } = {},
): Promise<ManifestVerdict> {
  const { book, view, manifests, hostnames, settings, caches } = context;
  if (view.of(name).order === undefined) await view.ask(lease, signal);
  // What was deployed a moment ago may be sent before the market is read again, and what is refused is recorded.
  else if (!isPreview && (view.of(name).lease?.manifestHash ?? sha256(received.json)) !== sha256(received.json))
    await view.ask(lease, signal);
  const seen = view.of(name);
  if (seen.order === undefined)
    throw new StatusError('unavailable', `the market does not say what was ordered for lease ${name}: ask again`);
  const reservation = book.reservation(name);
  if (reservation === undefined)
    throw new StatusError(
      'unavailable',
      `lease ${name} has no reservation at the moment: try again later; \`quartermaster explain bid\` shows why`,
    );
  const before = isReadable(manifests, record.namespace) ? manifests.of(record.namespace)?.group : manifests.shown(record.namespace)?.group;
  return judgeManifest(received, {
    lease,
    expectedHash: isPreview ? undefined : seen.lease?.manifestHash,
    request: reservation.request,
    httpEndpoints: seen.order.httpEndpoints,
    before,
    claims: before === undefined ? caches.claimsIn(record.namespace).map(({ name: claim }) => claim) : [],
    hostnames,
    terms: settings.terms,
    permissions: settings.permissions,
  });
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Whether what is stored can be run: that somebody has changed it, or that its Secret is gone, is mended by the manifest that comes again. */
export function isReadable(manifests: Pick<LeaseContext['manifests'], 'of' | 'hasLostSecret'>, namespace: string): boolean {
  if (manifests.hasLostSecret(namespace)) return false;
  try {
    manifests.of(namespace);
    return true;
  } catch (thrown) {
    if (codeOf(thrown) !== 'failed_precondition') throw thrown;
    return false;
  }
}

/** Has a lease run a manifest, or records why not. In the turn of the lease. */
export async function takeManifest(context: LeaseContext, at: LeaseAt, received: ReceivedManifest): Promise<ManifestVerdict> {
  const { records, manifests, writer, clock, announce } = context;
  const { name, record } = at;
  const verdict = await verdictOn(context, at, received);
  await steps.reached('judged');
  if (verdict.kind === 'refused') {
    const { hash, reasons } = verdict;
    const message = reasons.map((each) => each.message).join('; ');
    const event = { kind: 'manifest-refused', hash, reason: reasons[0]?.code ?? 'ManifestRefused', message } as const;
    await records.change(writer, name, (before) => advance(before, event, clock.now()));
    return verdict;
  }
  const { group, hash } = verdict;
  const former = manifests.shown(record.namespace);
  // Of what was confirmed with a manifest that is replaced before all of it was done, nobody is asked again.
  const confirmed = [...new Set([...received.confirmed, ...(former === undefined ? [] : unfinishedLosses(former, record))])];
  try {
    await storeManifest(context, at, { group, hash, confirmed });
    announce('manifest', at.lease);
  } catch (thrown) {
    // Trying again does not help: people have to know that it came.
    if (isFailure(thrown, 'invalid', 'forbidden'))
      await records.change(writer, name, (before) => advance(before, notStored(before, hash, thrown), clock.now()));
    throw thrown;
  }
  await records.change(writer, name, (before) => (before.refused === undefined ? before : { ...before, refused: undefined }));
  await steps.reached('told');
  return verdict;
}

/** As what is secret and what the plan is now have it. */
export async function storeManifest(
  { manifests, writer, book, settings, log }: LeaseContext,
  { name, lease, record, signal }: LeaseAt,
  { group, hash, confirmed }: Pick<StoredManifest, 'group' | 'hash' | 'confirmed'>,
): Promise<void> {
  const { namespace } = record;
  const plan = book.reservation(name)?.plan;
  const scheduler =
    plan === undefined ? new Map<string, SchedulerParams>() : schedulerParams(plan, group.services, settings.objects.gpuRuntimeClass);
  await manifests.put(writer, { lease, namespace, group, hash, confirmed, scheduler }, signal);
  // The Secret of the one before is nobody's now. Where this one cannot be deployed, each further one would leave another; what fails here is done after the next deployment.
  if (!manifests.isUnclean(namespace)) return;
  await manifests
    .clean(writer, namespace, signal)
    .catch((thrown: unknown) =>
      log.debug('the Secret of a former manifest cannot be deleted now', { lease: name, error: messageOf(thrown) }),
    );
}

/** What runs goes on with the manifest before; where nothing runs yet, the lease is down for as long as that lasts. */
function notStored({ manifestHash }: LeaseRecord, hash: string, thrown: unknown): LeaseEvent {
  if (manifestHash === undefined)
    return { kind: 'blocked', reason: refusedByCluster, message: `the manifest cannot be stored: ${messageOf(thrown)}`, isDown: true };
  const message = 'the provider’s cluster could not store the manifest: ask the provider why';
  return { kind: 'manifest-refused', hash, reason: 'ManifestNotStored', message };
}

/** For those who read Manifests: what the replicas of a service were planned with. */
function schedulerParams(
  { units }: Plan,
  services: readonly { readonly name: string; readonly resources: { readonly id: number } }[],
  runtimeClass: string,
): ReadonlyMap<string, SchedulerParams> {
  return new Map(
    services.flatMap(({ name, resources }) => {
      const group = units.find(({ id }) => id === resources.id)?.replicas[0]?.cards?.groups[0];
      if (group === undefined) return [];
      const { vendor, model, interface: slot, memoryBytes } = group;
      const gpu = { vendor, model, interface: slot, memorySize: memoryBytes === 0 ? '' : `${Math.floor(memoryBytes / 2 ** 30)}Gi` };
      return [[name, { runtimeClass: vendor === 'nvidia' ? runtimeClass : '', gpu }] as const];
    }),
  );
}

/** As an error, for whoever sent it. */
export function refusalOf(reasons: readonly Reason[]): StatusError {
  return new StatusError('failed_precondition', reasons.map(({ message }) => message).join('; '), {
    details: { fieldViolations: reasons.map(({ message }) => ({ field: 'manifest', description: message })) },
  });
}
