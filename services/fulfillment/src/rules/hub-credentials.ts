import { clone, create } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { ConditionStatus } from '@quartermaster/api/fulfillment';
import { type Hub, type HubCondition, HubConditionSchema, HubConditionType, HubSchema, HubStatusSchema } from '@quartermaster/api/private';
import type { ReferencePolicy } from './reference-policy.ts';
import { safeKubeconfigViolations } from './safe-kubeconfig.ts';

const kubeconfigRefused = 'KubeconfigRefused';

/** What of a hub's credentials is not handed out, with the reason for programs and the sentence for people. */
interface Withheld {
  readonly reason: string;
  readonly message: string;
}

/** Takes out of a hub that is handed out what newer rules and settings do not allow, and says so in its condition. In place. */
export function withholdFromHub(hub: Hub, references: ReferencePolicy): void {
  const refused = refusedKubeconfig(hub.kubeconfig);
  const stored = hubConditionOf(hub);
  const withheld: Withheld[] = [];
  if (refused !== undefined) {
    hub.kubeconfig = new Uint8Array();
    withheld.push(refused);
  } else if (stored !== undefined) withheld.push({ reason: stored.reason ?? '', message: stored.message ?? '' });
  for (const [field, key] of [
    ['kubeconfig_ref', 'kubeconfigRef'],
    ['pull_secret_ref', 'pullSecretRef'],
  ] as const) {
    const reference = hub[key];
    const problem = reference === undefined ? undefined : references.problemOf(reference);
    if (problem === undefined) continue;
    delete hub[key];
    withheld.push({ reason: 'ReferenceNotAllowed', message: `${field} is not handed out: its ${problem.part} ${problem.rule}.` });
  }
  const [first] = withheld;
  if (first === undefined) return;
  const message = withheld.map((each) => each.message).join(' ');
  setHubCondition(hub, { reason: first.reason, message }, stored?.lastTransitionTime);
}

/** The hub with the condition that its stored kubeconfig asks for, or without one where that is fit to be handed out. */
export function withJudgedKubeconfig(hub: Hub, kubeconfig: Uint8Array, nowMs: number): Hub {
  const result = clone(HubSchema, hub);
  const refused = refusedKubeconfig(kubeconfig);
  if (refused !== undefined) setHubCondition(result, refused, hubConditionOf(hub)?.lastTransitionTime ?? timestampFromMs(nowMs));
  else if (hubConditionOf(hub)?.reason === kubeconfigRefused) delete result.status;
  return result;
}

function refusedKubeconfig(kubeconfig: Uint8Array): Withheld | undefined {
  const violations = safeKubeconfigViolations('kubeconfig', kubeconfig);
  if (violations.length === 0) return undefined;
  const rules = violations.map(({ description }) => description).join('; ');
  return {
    reason: kubeconfigRefused,
    message: `The stored kubeconfig is not handed out. Rules that it breaks: ${rules}. Store another one.`,
  };
}

export function hubConditionOf({ status }: Hub): HubCondition | undefined {
  return status?.conditions.find(({ type }) => type === HubConditionType.CREDENTIALS_UNUSABLE);
}

/** In place. */
export function setHubCondition(hub: Hub, { reason, message }: Withheld, lastTransitionTime: HubCondition['lastTransitionTime']): void {
  const type = HubConditionType.CREDENTIALS_UNUSABLE;
  const condition = create(HubConditionSchema, { type, status: ConditionStatus.TRUE, lastTransitionTime, reason, message });
  hub.status = create(HubStatusSchema, { conditions: [condition] });
}
