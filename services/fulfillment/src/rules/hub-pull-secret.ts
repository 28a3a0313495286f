import { clone, equals } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { type Hub, HubSchema, type SecretReference, SecretReferenceSchema } from '@quartermaster/api/private';
import { isRedacted, type SentUpdate } from '@quartermaster/objects';
import { hubConditionOf, setHubCondition } from './hub-credentials.ts';
import { kubeconfigServers } from './safe-kubeconfig.ts';

const serverChanged = 'HubServerChanged';
const serverChangedText =
  'The kubeconfig leads to another server, and the pull secret, which was meant for the one before, was removed. Set pull_secret or pull_secret_ref for the new one.';

/**
 * A pull secret belongs to the server that it was given for. The hub without the stored one, and without a reference to one that the update does not send, where its
 * kubeconfig leads elsewhere, and with the condition that says so until one is set.
 */
export function withPullSecretOfServer(before: Hub, after: Hub, update: SentUpdate, nowMs: number): Hub {
  const isMoved = leadsElsewhere(before, after, update.secrets.get('kubeconfig'));
  const isValueDropped = isMoved && isRedacted(after.pullSecret);
  const isReferenceDropped = isMoved && after.pullSecretRef !== undefined && !update.sends('pull_secret_ref');
  const hasNone = (after.pullSecret === '' || isValueDropped) && (after.pullSecretRef === undefined || isReferenceDropped);
  const stored = hubConditionOf(before);
  const known = stored?.reason === serverChanged ? stored : undefined;
  const isMissing = hasNone && (known !== undefined || isValueDropped || isReferenceDropped);
  const result = clone(HubSchema, after);
  if (isValueDropped) result.pullSecret = '';
  if (isReferenceDropped) delete result.pullSecretRef;
  if (isMissing) {
    const since = known?.lastTransitionTime ?? timestampFromMs(nowMs);
    setHubCondition(result, { reason: serverChanged, message: serverChangedText }, since);
  } else if (hubConditionOf(result)?.reason === serverChanged) delete result.status;
  return result;
}

function leadsElsewhere(before: Hub, after: Hub, storedKubeconfig: Uint8Array | undefined): boolean {
  if (before.kubeconfig.length === 0 && before.kubeconfigRef === undefined) return false;
  if (after.kubeconfigRef !== undefined) return !isSameReference(before.kubeconfigRef, after.kubeconfigRef);
  if (after.kubeconfig.length === 0 || isRedacted(after.kubeconfig)) return false;
  const known = new Set(storedKubeconfig === undefined ? [] : kubeconfigServers(storedKubeconfig));
  return !kubeconfigServers(after.kubeconfig).every((server) => known.has(server));
}

const isSameReference = (one: SecretReference | undefined, other: SecretReference): boolean =>
  one !== undefined && equals(SecretReferenceSchema, one, other);
