import type { ManifestService } from './manifest-group.ts';

export const namePatterns = {
  service: /^[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?$/,
  volume: /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/,
  storageClass: /^[a-z0-9](?:[-.a-z0-9]{0,61}[a-z0-9])?$/,
  endpoint: /^[a-z][-_a-z0-9]{0,252}$/,
  /** As Kubernetes has it. */
  variable: /^[-._a-zA-Z][-._a-zA-Z0-9]*$/,
  /** What looks like another image than it is deceives whoever reads it. */
  image: /^[\x21-\x7e]+$/,
  gpu: /^vendor\/[a-z0-9]+\/model\/(?:\*|[a-zA-Z0-9][\w.-]{0,63})(?:\/ram\/[1-9][0-9]{0,8}[KMGT]i)?(?:\/interface\/[a-z0-9]{1,32})?$/,
} as const;

export const serviceNameRule = 'must have 1 to 63 of a-z, 0-9 and -, begin with a letter and not end with -';

export const imageRule = 'must be letters, digits and punctuation of ASCII, without spaces';

/** As Kubernetes names the claims of a StatefulSet, but for the number of the replica. */
export const claimNames = ({ name, resources }: ManifestService): readonly string[] =>
  resources.volumes.flatMap((volume) => (volume.kind === 'persistent' ? [`${name}-${volume.name}-${name}`] : []));
