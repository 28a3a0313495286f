import { codeOf, defineSteps, messageOf } from '@quartermaster/kernel';
import { kinds } from '@quartermaster/kube';
import type { Namespace } from '@quartermaster/kube/shapes';
import { type LeaseAddresses, leaseAddresses } from '../addresses/lease-addresses.ts';
import { applyObjects } from '../apply/apply-objects.ts';
import { isDone, type ObjectChange, objectPlan } from '../apply/object-plan.ts';
import { providerHostObject } from '../hostnames/provider-host.ts';
import { wantedHostnames } from '../hostnames/wanted-hostnames.ts';
import type { StoredManifest } from '../known-leases/manifest-store.ts';
import type { SeenNamespace } from '../known-leases/seen-namespaces.ts';
import { serviceLabel } from '../model/lease-labels.ts';
import type { Reservation } from '../model/reservation.ts';
import type { DesiredObject, LeaseContent } from '../objects/desired.ts';
import { leaseObjects } from '../objects/lease-objects.ts';
import { leasedEndpoints, leasedIpObjects } from '../objects/leased-ips.ts';
import { namespaceObject } from '../objects/namespace-object.ts';
import { keepDeclared } from './keep-declared.ts';
import type { LeaseAt, LeaseContext } from './lease-context.ts';
import { announcedSecrets, applySecrets, isSecretsDone, removeSecrets, secretPlan } from './lease-secrets.ts';
import { changedClaims, lostClaims, removeClaims, unfinishedLosses } from './lost-claims.ts';
import { type NamespaceOptions, ownNamespace, recordSecrets } from './own-namespace.ts';

/** What became of a look at the objects of a lease. */
export type KeptLease = (
  | { readonly kind: 'deployed' }
  /** Something is on its way that has to be there, or gone, first. */
  | { readonly kind: 'under-way'; readonly message: string }
  | { readonly kind: 'blocked'; readonly reason: string; readonly message: string }
) & {
  /** Of the lease's namespace, once there is one. */
  readonly namespaceUid?: string | undefined;
};

const steps = defineSteps('keep-lease', ['namespace', 'hostnames', 'objects', 'released']);

/**
 * Brings everything of a lease to what its manifest says, and writes nothing where it is so already. Hostnames are the lease's before they are declared, and declared no more
 * before they are given back: routes never lead to somebody who does not have the name.
 */
export async function keepLease(context: LeaseContext, at: LeaseAt, stored: StoredManifest, reservation: Reservation): Promise<KeptLease> {
  const { caches, writer, hostnameClaims, manifests, settings } = context;
  const { lease, record, signal } = at;
  const { namespace } = record;
  await context.addressClaims.caughtUp();
  const endpoints = leasedEndpoints(stored.group);
  const addresses = leaseAddresses(context, record, endpoints);
  const content = contentOf(context, at, stored, { reservation, addresses });
  if (content === undefined) return { kind: 'under-way', message: 'the networks of the cluster are still being read' };
  const place = await ownPlace(context, at, content, reservation);
  if ('kind' in place) return place;
  const namespaceUid = place.seen.live.uid;
  const wanted = wantedHostnames(lease, stored.group, settings.terms);
  const before = new Set(context.hostnames.heldBy(at.name).map(({ hostname }) => hostname));
  const grants = await hostnameClaims.reserve(lease, wanted, signal);
  for (const { hostname, state } of grants) if (state === 'held' && !before.has(hostname)) context.announce('hostname', lease, hostname);
  await steps.reached('hostnames');
  const desired = desiredOf(content);
  if ('reason' in desired) return { kind: 'blocked', ...desired, namespaceUid };
  const isWhole = await keepObjects(context, at, { content, desired: desired.objects, stored }, place);
  const underWay = {
    kind: 'under-way',
    message: 'a workload is being recreated because an immutable field changed',
    namespaceUid,
  } as const;
  if (!isWhole) return underWay;
  const held = grants.filter(({ state }) => state === 'held');
  const hosts = held.map((grant): DesiredObject => providerHostObject(lease, grant, settings.manifestNamespace));
  const taken = await keepDeclared(context, at, content.salt, [...hosts, ...leasedIpObjects(content, settings.manifestNamespace)]);
  if (taken !== undefined) return { kind: 'blocked', ...taken, namespaceUid };
  await hostnameClaims.release(lease, wanted, signal);
  await context.addressClaims.release(at.name, endpoints, signal);
  await steps.reached('released');
  const isCleared = await removeClaims(
    context,
    at,
    stored,
    lostClaims(stored.group, unfinishedLosses(stored, record), caches.claims, namespace),
  );
  // What was confirmed counts until it is done.
  if (!isCleared) return { ...underWay, message: 'the newest manifest was not seen yet' };
  if (manifests.isUnclean(namespace)) await manifests.clean(writer, namespace, signal);
  // Nobody tells when the other lease asks for it.
  if (addresses.leaving.length > 0) return { ...underWay, message: 'an address is being moved to another lease' };
  return { kind: 'deployed', namespaceUid };
}

function contentOf(
  context: LeaseContext,
  { lease, record }: LeaseAt,
  stored: StoredManifest,
  { reservation: { plan }, addresses }: { readonly reservation: Reservation; readonly addresses: LeaseAddresses },
): LeaseContent | undefined {
  const [networks, apiServers] = [context.networks(), context.apiServers()];
  if (networks === undefined || apiServers === undefined) return undefined;
  const { objects } = context.settings;
  const { group, salt } = stored;
  return { lease, namespace: record.namespace, group, plan, salt, settings: objects, networks, apiServers, addresses };
}

interface OwnPlace {
  readonly seen: SeenNamespace;
  readonly options: NamespaceOptions;
}

/** The namespace, once it is there, ours and recorded. */
async function ownPlace(
  context: LeaseContext,
  at: LeaseAt,
  content: LeaseContent,
  reservation: Reservation,
): Promise<KeptLease | OwnPlace> {
  const { namespaces, reader, writer, reserver } = context;
  const { lease, record, signal } = at;
  const seen = (namespace: Namespace): SeenNamespace => namespaces.wrote(namespace);
  const options = { reader, writer, record, desired: namespaceObject(content), salt: content.salt, signal, seen };
  const own = await ownNamespace(namespaces.get(record.namespace), options);
  if (own.kind === 'blocked') return own;
  if (own.kind === 'ending')
    return {
      kind: 'under-way',
      // What it waits for is in its conditions, in the words of others: the tenant reads this.
      message: `namespace ${record.namespace} is being deleted and will be created again once it is gone`,
    };
  const { uid } = own;
  if (reservation.leaseNamespace?.uid !== uid) await reserver()?.activate(lease, { name: record.namespace, uid }, signal);
  await steps.reached('namespace');
  return { seen: own.seen, options };
}

/** The objects, or why none can be made of this manifest and this plan. */
function desiredOf(
  content: LeaseContent,
): { readonly objects: readonly DesiredObject[] } | { readonly reason: string; readonly message: string } {
  try {
    return { objects: leaseObjects(content) };
  } catch (thrown) {
    if (codeOf(thrown) !== 'failed_precondition') throw thrown;
    return { reason: 'PlanUnsuitable', message: messageOf(thrown) };
  }
}

/** Everything in the namespace. False where something that had to go first is still there. */
async function keepObjects(
  context: LeaseContext,
  at: LeaseAt,
  {
    content,
    desired,
    stored,
  }: { readonly content: LeaseContent; readonly desired: readonly DesiredObject[]; readonly stored: StoredManifest },
  { seen, options }: OwnPlace,
): Promise<boolean> {
  const { caches, writer } = context;
  const { record, signal } = at;
  const { salt } = content;
  const isSecret = ({ type }: DesiredObject): boolean => type.kind === kinds.secrets.kind;
  // A container that cannot be made for want of what it refers to is the only sign that a Secret is gone.
  const again = caches.podsIn(record.namespace).some(({ waiting }) => waiting?.reason === 'CreateContainerConfigError');
  const secrets = secretPlan(desired.filter(isSecret), seen.secrets, salt, { again });
  const announced = announcedSecrets(seen.secrets, secrets, salt);
  const named = announced === seen.secrets ? seen : await recordSecrets(seen, announced, options);
  const recorded = isSecretsDone(secrets) ? announced : await applySecrets(context, secrets, salt, signal);
  const plan = objectPlan(
    desired.filter((each) => !isSecret(each)),
    caches.objectsIn(record.namespace),
    salt,
  );
  const remade = new Set(plan.apply.flat().flatMap((change) => (isSetMadeAnew(change) ? serviceOf(change.desired) : [])));
  if (!(await removeClaims(context, at, stored, changedClaims(content, unfinishedLosses(stored, record), caches.claims, remade))))
    return false;
  if (!isDone(plan) && !(await applyObjects(plan, { writer, salt, signal, seen: caches }))) return false;
  await removeSecrets(context, record.namespace, secrets, signal);
  if (recorded !== named.secrets) await recordSecrets(named, recorded, options);
  await steps.reached('objects');
  return true;
}

const isSetMadeAnew = ({ desired, live, mustRecreate }: ObjectChange): boolean =>
  desired.type.kind === kinds.statefulSets.kind && (live === undefined || mustRecreate);
const serviceOf = ({ object }: DesiredObject): string => object.metadata?.labels?.[serviceLabel] ?? '';
