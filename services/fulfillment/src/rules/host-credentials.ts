import { clone, create } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { ConditionStatus } from '@quartermaster/api/fulfillment';
import {
  type Host,
  type HostCondition,
  HostConditionSchema,
  HostConditionType,
  HostSchema,
  HostStatusSchema,
} from '@quartermaster/api/private';
import { isRedacted } from '@quartermaster/objects';
import type { ReferencePolicy } from './reference-policy.ts';

const addressChanged = 'BmcAddressChanged';
const addressChangedText =
  'The address of the management controller changed, and the stored password or reference, which belonged to the old one, was removed. Set spec.bmc.password or spec.bmc.password_ref for the new address.';

/** The condition of a host that says that its management controller cannot be opened with what is stored. */
function credentialsConditionOf(host: Host | undefined): HostCondition | undefined {
  return host?.status?.conditions.find(({ type }) => type === HostConditionType.CREDENTIALS_UNUSABLE);
}

/**
 * A password belongs to the address that it was given for: whoever may change the address must not have it sent elsewhere. The host without the stored password, and without a reference to
 * one that the update does not send itself, where the
 * scheme, host or port of its management controller is another one, and with the condition that says so until a password or a reference is set. Nobody else writes that
 * condition or takes it away.
 */
export function withPasswordOfAddress(before: Host | undefined, after: Host, sendsReference: boolean, nowMs: number): Host {
  const [was, is] = [before?.spec?.bmc, after.spec?.bmc];
  // Without the verification of TLS any machine can have the address.
  const isMoved = addressOf(was?.url) !== addressOf(is?.url) || (is?.insecure === true && was?.insecure !== true);
  const isDropped = isMoved && isRedacted(is?.password);
  const isReferenceDropped = isMoved && before !== undefined && is?.passwordRef !== undefined && !sendsReference;
  const hasNone = is !== undefined && (is.passwordRef === undefined || isReferenceDropped) && (is.password === '' || isDropped);
  const hadOne = was !== undefined && (was.password !== '' || was.passwordRef !== undefined);
  const stored = credentialsConditionOf(before);
  const known = stored?.reason === addressChanged ? stored : undefined;
  const isMissing = hasNone && (known !== undefined || (isMoved && hadOne));
  if (!isDropped && !isReferenceDropped && !isMissing && credentialsConditionOf(after) === undefined) return after;
  const result = clone(HostSchema, after);
  if (isDropped && result.spec?.bmc !== undefined) result.spec.bmc.password = '';
  if (isReferenceDropped) delete result.spec?.bmc?.passwordRef;
  const condition = known ?? makeCredentialsCondition(addressChanged, addressChangedText, nowMs);
  setCredentialsCondition(result, isMissing ? condition : undefined);
  return result;
}

/** Takes the reference out of a host that is handed out where the settings do not allow it any more, and says so in its condition. In place. */
export function withholdFromHost(host: Host, references: ReferencePolicy): void {
  const reference = host.spec?.bmc?.passwordRef;
  const problem = reference === undefined ? undefined : references.problemOf(reference);
  if (problem === undefined) return;
  delete host.spec?.bmc?.passwordRef;
  const message = `spec.bmc.password_ref is not handed out: its ${problem.part} ${problem.rule}.`;
  // Since when is not known: the settings changed while nobody looked at the host.
  setCredentialsCondition(host, makeCredentialsCondition('ReferenceNotAllowed', message, undefined));
}

function makeCredentialsCondition(reason: string, message: string, nowMs: number | undefined): HostCondition {
  return create(HostConditionSchema, {
    type: HostConditionType.CREDENTIALS_UNUSABLE,
    status: ConditionStatus.TRUE,
    lastTransitionTime: nowMs === undefined ? undefined : timestampFromMs(nowMs),
    reason,
    message,
  });
}

/** In place. */
function setCredentialsCondition(host: Host, condition: HostCondition | undefined): void {
  const status = (host.status ??= create(HostStatusSchema));
  const others = status.conditions.filter(({ type }) => type !== HostConditionType.CREDENTIALS_UNUSABLE);
  status.conditions = condition === undefined ? others : [...others, condition];
}

/** Scheme, host and port. Of what is no URL all of it, so that any change of it counts. */
function addressOf(url = ''): string {
  const parsed = URL.parse(url);
  return parsed === null ? url : `${parsed.protocol}//${parsed.host.toLowerCase()}`;
}
