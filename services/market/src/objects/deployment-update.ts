/** What an update of a deployment does to what runs, and whether it may. */
import { clone, create } from '@bufbuild/protobuf';
import { type ManifestChanges, type ManifestGroup, readManifest } from '@quartermaster/api/lease-manifest';
import {
  type Deployment,
  DeploymentSchema,
  DeploymentState,
  DeploymentStatusSchema,
  type DeploymentsUpdateRequest,
  type SdlFault,
  SdlFaultSchema,
} from '@quartermaster/api/market';
import { fieldViolationsOf, invalidFields, StatusError } from '@quartermaster/kernel';
import { parseMask } from '@quartermaster/objects';
import { redacted } from '@quartermaster/store';
import { confirmedAfter, groupChanges, maxConfirmed, updateChanges, withOrders } from '../rules/index.ts';
import type { SdlContent } from '../sdl/sdl-reading.ts';

/** A new SDL beside the one that is stored. */
export interface Comparison {
  readonly sent: SdlContent;
  /** Undefined where the stored SDL cannot be read any more. */
  readonly before?: readonly ManifestGroup[] | undefined;
  readonly after: readonly ManifestGroup[];
  /** Of the manifest that it was compared with. */
  readonly storedHash: string;
  /** Undefined without `before`: the provider compares with what it has deployed. */
  readonly changes?: ManifestChanges | undefined;
}

/** Whether an update has an SDL to be read; its place in a mask may be named by what lies above it, and written in several ways. */
export function sendsSdl({ object, updateMask }: Pick<DeploymentsUpdateRequest, 'object' | 'updateMask'>): boolean {
  const sent = object?.spec?.sdl ?? '';
  if (sent === '' || sent === redacted) return false;
  const paths = parseMask(DeploymentSchema, updateMask?.paths ?? []);
  return paths.length === 0 || paths.some(({ text }) => text === 'spec' || text === 'spec.sdl');
}

/** Throws `invalid_argument` for a manifest that no provider takes. `stored` is undefined where what it was made of cannot be read. */
export function compareManifests(storedHash: string, stored: SdlContent | undefined, sent: SdlContent): Comparison {
  const after = groupsOf(sent.manifest);
  const before = stored === undefined ? undefined : groupsIfAny(stored.manifest);
  return { sent, before, after, storedHash, changes: before && updateChanges(before, after) };
}

function groupsOf(manifest: string): readonly ManifestGroup[] {
  try {
    return readManifest(manifest);
  } catch (thrown) {
    const violations = fieldViolationsOf(thrown);
    if (violations.length === 0) throw thrown;
    throw invalidFields(violations.map(({ field, description }) => ({ field: 'spec.sdl', description: `${field}: ${description}` })));
  }
}

function groupsIfAny(manifest: string): readonly ManifestGroup[] | undefined {
  try {
    return groupsOf(manifest);
  } catch {
    return undefined;
  }
}

/** Why an update with this SDL would be refused whatever it confirms. */
export function updateFaults({ id, status }: Deployment, sent: SdlContent): SdlFault[] {
  const refusal = refusedState({ id, status });
  if (refusal !== undefined) return [create(SdlFaultSchema, { code: 'DeploymentClosed', message: refusal })];
  const changed = changedOrder(status?.groups ?? [], sent);
  return changed === undefined ? [] : [create(SdlFaultSchema, { code: 'OrderChanged', message: changed })];
}

/** What `compareManifests` throws, as faults. None: it is something else. */
export const comparedFaults = (thrown: unknown): SdlFault[] =>
  fieldViolationsOf(thrown).map(({ description }) => create(SdlFaultSchema, { code: 'NotDeliverable', message: description }));

/** What is stored of an update that is allowed. Throws why it is not. */
export function updatedDeployment(
  before: Deployment,
  after: Deployment,
  comparison: Comparison | undefined,
  confirm: readonly string[],
): Deployment {
  const closed = refusedState(before);
  if (closed !== undefined) throw new StatusError('failed_precondition', closed);
  if (comparison === undefined || after.spec?.sdl === redacted || before.status === undefined) return after;
  const { sent, storedHash } = comparison;
  const changed = changedOrder(before.status.groups, sent);
  if (changed !== undefined) throw refused('spec.sdl', [changed]);
  if (before.status.manifestHash !== storedHash) {
    throw new StatusError('aborted', `deployment "${before.id}" got another SDL in the meantime: look at it again, and retry`);
  }
  checkConfirmed(before, comparison, confirm);
  const stored = clone(DeploymentSchema, after);
  stored.status = create(DeploymentStatusSchema, {
    ...before.status,
    manifestHash: sent.manifestHash,
    groups: withOrders(before.status.groups, sent.groups),
    confirmed: confirmedAfter(before.status.confirmed, confirm, comparison.before, comparison.after),
  });
  return stored;
}

function checkConfirmed({ status }: Deployment, { sent, changes }: Comparison, confirm: readonly string[]): void {
  if (confirm.length > maxConfirmed) {
    const description = `has ${confirm.length} entries; it must have at most ${maxConfirmed}: name each volume once, and take out more than that in several updates`;
    throw invalidFields([{ field: 'confirm', description }]);
  }
  // Where nothing is known to be compared with, the provider that has the data asks for what is missing.
  if (changes === undefined) return;
  const { lostVolumes } = changes;
  const missing = lostVolumes.filter((volume) => !confirm.includes(volume));
  if (missing.length > 0) {
    throw refused(
      'confirm',
      missing.map((volume) => `must name ${volume}: the new SDL has no such volume, or fewer or other ones, and data would be lost`),
    );
  }
  // The same update again, after its answer was lost.
  const isRepeated = sent.manifestHash === status?.manifestHash;
  const idle = confirm.filter((volume) => !lostVolumes.includes(volume) && !(isRepeated && status.confirmed.includes(volume)));
  if (idle.length === 0) return;
  const lost = lostVolumes.length === 0 ? 'none is lost' : `lost ${lostVolumes.length === 1 ? 'is' : 'are'} ${lostVolumes.join(', ')}`;
  throw invalidFields(
    idle.map((volume) => ({ field: 'confirm', description: `must not name ${volume.slice(0, 253)}, which is not lost: ${lost}` })),
  );
}

function refused(field: string, descriptions: readonly string[]): StatusError {
  const message = descriptions.map((description) => `field "${field}": ${description}`).join('; ');
  return new StatusError('failed_precondition', message, {
    details: { fieldViolations: descriptions.map((description) => ({ field, description })) },
  });
}

const refusedState = ({ id, status }: Pick<Deployment, 'id' | 'status'>): string | undefined =>
  status?.state === DeploymentState.ACTIVE ? undefined : `deployment "${id}" is closed, and stays as it was: deploy anew`;

function changedOrder(before: Parameters<typeof groupChanges>[0], { groups }: SdlContent): string | undefined {
  const changes = groupChanges(before, groups);
  if (changes.length === 0) return undefined;
  return `must order what was ordered before, but ${changes.join('; ')}: close the deployment and deploy anew`;
}
