/*
 * What kubelets, registries, schedulers and admission webhooks say may name what is inside of the provider: pods of others, nodes, addresses. A tenant is told what is
 * known of it in words of ours, or the reason's code; the provider reads theirs.
 */

type KnownCauses = readonly (readonly [said: RegExp, known: string])[];

const pullCauses: KnownCauses = [
  [/toomanyrequests|rate limit/i, 'its registry allows no more requests at the moment'],
  [/unauthorized|denied|forbidden|authorization failed/i, 'its registry denies access to it'],
  [/no match for platform|no matching manifest/i, 'it is not made for the processor of the node'],
  [/not found|manifest unknown/i, 'its registry does not have it'],
  [/x509|certificate/i, 'the certificate of its registry is not trusted'],
  [/no such host|dial tcp|timeout|deadline exceeded/i, 'its registry cannot be reached'],
];

const startCauses: KnownCauses = [
  [/\bexec: .*(?:not found|no such file)/i, 'its command is not in its image'],
  [/\bexec: .*permission denied/i, 'its command may not be executed'],
  [/exec format error/i, 'it is not made for the processor of the node'],
];

/** Of the pod itself, in the words of a kubelet. */
const ownLimit =
  /^(?:Pod ephemeral local storage usage exceeds the total limit of containers \S+|Usage of EmptyDir volume "[^"]*" exceeds the limit "[^"]*"|Container \S+ exceeded its local ephemeral storage limit "[^"]*")\.\s*$/;
const shortage = /^The node was low on resource: ([a-z-]+)\b/;

const knownIn = (causes: KnownCauses, said: string): string | undefined => causes.find(([pattern]) => pattern.test(said))?.[1];

/** Its name is the tenant's: it says nothing of why. */
export const pullCause = (said: string, image: string): string | undefined => knownIn(pullCauses, said.replaceAll(image, ''));
export const startCause = (said: string): string | undefined => knownIn(startCauses, said);
/** What a node was short of. */
export const shortResource = (said: string): string | undefined => shortage.exec(said)?.[1];
/** The message itself, where nothing but the pod's own limit is in it. */
export const limitCause = (said: string): string | undefined => (ownLimit.test(said) ? said : undefined);
