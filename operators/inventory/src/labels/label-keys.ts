import { createHash } from 'node:crypto';

/*
 * The keys by which nodes say what they have. `akash.network` marks a node that is sold from; `akash.network/capabilities.…` says what it has, in
 * two forms side by side: one key per vendor and one per model with the value "true", and one key per vendor and model whose
 * value is how many, with variants for memory and interface.
 */

export const managedLabel = 'akash.network';
export const gpuPresentLabel = 'nvidia.com/gpu.present';
const capabilityPrefix = 'akash.network/capabilities.';

/** Kubernetes allows so many characters after the slash of a label's key. */
const maxNameLength = 63;
const hashLength = 8;

/** True for keys of the kinds that are written here. Others under the same prefix are somebody else's. */
export function isManagedLabel(key: string): boolean {
  return key === managedLabel || isGpuLabel(key) || isStorageLabel(key);
}

export function isGpuLabel(key: string): boolean {
  return key === gpuPresentLabel || key.startsWith(`${capabilityPrefix}gpu.`);
}

export function isStorageLabel(key: string): boolean {
  return key.startsWith(`${capabilityPrefix}storage.class.`);
}

/**
 * `akash.network/capabilities.` and the parts with dots between. What would be longer than Kubernetes allows is cut and ends with a dash and
 * eight digits of its SHA-256: the same parts give the same key on every node and after every restart, and different parts different keys.
 */
export function capabilityKey(...parts: readonly string[]): string {
  const full = `${capabilityPrefix}${parts.join('.')}`;
  const domainLength = full.indexOf('/') + 1;
  if (full.length - domainLength <= maxNameLength) return full;
  const hash = createHash('sha256').update(full).digest('hex').slice(0, hashLength);
  const kept = full.slice(0, domainLength + maxNameLength - hashLength - 1).replace(/[^A-Za-z0-9]+$/, '');
  return `${kept}-${hash}`;
}
