import { clone } from '@bufbuild/protobuf';
import { type Hub, HubSchema } from '@quartermaster/api/private';
import { isRedacted, kindRules, type Prepared, type SentUpdate, unlessMatches } from '@quartermaster/objects';
import { ipViolations, normalisedIp } from './addresses.ts';
import type { HostRuleOptions } from './host-rules.ts';
import { withPullSecretOfServer } from './hub-pull-secret.ts';
import { safeKubeconfigViolations } from './safe-kubeconfig.ts';
import { judgePair, pairViolation, type SecretPair } from './secret-pair.ts';
import { pullSecretViolations, secretReferenceViolations, sshPublicKeyViolations } from './secret-shapes.ts';

export function hubRules({ references, clock }: HostRuleOptions) {
  const prepared = (before: Hub | undefined, after: Hub, update?: SentUpdate): Prepared<typeof HubSchema> => {
    const { object, violations } = withOneOfEach(before, after);
    // The condition speaks of the kubeconfig that is stored. One that is sent has been looked at.
    if (!isRedacted(object.kubeconfig)) delete object.status;
    return {
      object: before === undefined || update === undefined ? object : withPullSecretOfServer(before, object, update, clock.now()),
      violations: [
        ...violations,
        ...references.violations('kubeconfig_ref', before?.kubeconfigRef, object.kubeconfigRef),
        ...references.violations('pull_secret_ref', before?.pullSecretRef, object.pullSecretRef),
      ],
    };
  };
  return kindRules(HubSchema, {
    normalise(hub) {
      hub.ip = normalisedIp(hub.ip);
      hub.sshPublicKey = hub.sshPublicKey.trim();
    },
    validate(hub) {
      const namespaceRule =
        'must be the name of a Kubernetes namespace: at most 63 lower-case letters, digits and "-", not beginning or ending with "-"';
      return [
        ...unlessMatches('namespace', hub.namespace, /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, namespaceRule),
        ...ipViolations('ip', hub.ip),
        ...sshPublicKeyViolations('ssh_public_key', hub.sshPublicKey),
        ...pullSecretViolations('pull_secret', hub.pullSecret),
        ...secretReferenceViolations('pull_secret_ref', hub.pullSecretRef),
        ...safeKubeconfigViolations('kubeconfig', hub.kubeconfig),
        ...secretReferenceViolations('kubeconfig_ref', hub.kubeconfigRef),
      ];
    },
    onCreate: (hub) => prepared(undefined, hub),
    onUpdate: (before, after, _referenced, update) => prepared(before, after, update),
    outputOnly: [{ pattern: 'status' }],
    reserved: ['kubeconfig', 'kubeconfig_ref'].map((field) => ({ field, roles: ['admin'], why: whereItIs })),
    lateFields: ['pull_secret', 'ssh_public_key', 'ip', 'kubeconfig_ref', 'pull_secret_ref'],
  });
}

const whereItIs = 'it says where the secrets of hosts and clusters are sent; ask an administrator';

const kubeconfigPair = (hub: Hub): SecretPair => ({ value: hub.kubeconfig, hasReference: hub.kubeconfigRef !== undefined });
const pullSecretPair = (hub: Hub): SecretPair => ({ value: hub.pullSecret, hasReference: hub.pullSecretRef !== undefined });

function withOneOfEach(before: Hub | undefined, after: Hub): Prepared<typeof HubSchema> {
  const kubeconfig = judgePair(before === undefined ? undefined : kubeconfigPair(before), kubeconfigPair(after));
  const pullSecret = judgePair(before === undefined ? undefined : pullSecretPair(before), pullSecretPair(after));
  const object = clone(HubSchema, after);
  if (kubeconfig === 'drop value') object.kubeconfig = new Uint8Array();
  if (kubeconfig === 'drop reference') delete object.kubeconfigRef;
  if (pullSecret === 'drop value') object.pullSecret = '';
  if (pullSecret === 'drop reference') delete object.pullSecretRef;
  const violations = [
    ...(kubeconfig === 'refuse' ? [pairViolation('kubeconfig', 'kubeconfig_ref')] : []),
    ...(pullSecret === 'refuse' ? [pairViolation('pull_secret', 'pull_secret_ref')] : []),
  ];
  return { object, violations };
}
