import type { ApiCondition, ApiObject } from '../api/api-object.ts';

/** A hub by the names of the contract. Its secrets are never read here: a field that is set says `<redacted>`. */
export interface HubObject extends ApiObject {
  readonly namespace: string;
  readonly ip: string;
  readonly ssh_public_key: string;
  readonly kubeconfig: string;
  readonly pull_secret: string;
  readonly kubeconfig_ref?: SecretReference | undefined;
  readonly pull_secret_ref?: SecretReference | undefined;
  readonly status?: { readonly conditions: readonly ApiCondition[] } | undefined;
}

export interface SecretReference {
  readonly kubernetes_secret?: { readonly namespace: string; readonly name: string; readonly key: string } | undefined;
  readonly file?: string | undefined;
}

/** Where a secret is, without what it says. */
export function secretWords(value: string, reference: SecretReference | undefined): string {
  if (reference?.file !== undefined) return `in the file ${reference.file}`;
  const secret = reference?.kubernetes_secret;
  if (secret !== undefined) return `in the Secret ${secret.namespace}/${secret.name}, key ${secret.key}`;
  return value === '' ? 'not set' : 'set';
}
