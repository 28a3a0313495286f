import type { CloseLeaseRequest, SubmitManifestRequest, TransferAddressRequest, TransferHostnameRequest } from '@quartermaster/api/cluster';
import { ingressPort } from '@quartermaster/api/lease-manifest';
import { type FieldViolation, invalidFields, invisible } from '@quartermaster/kernel';
import type { WantedHostname } from '../hostnames/hostname-book.ts';

/** It is stored in an object, beside what is made of it. */
const maxManifestBytes = 1024 * 1024;
const maxConfirmed = 256;
const maxText = 256;
const maxHostname = 253;

/** Says nothing of what is in it: it holds secrets. */
export function manifestOf(manifest: string): string {
  const bytes = Buffer.byteLength(manifest);
  if (bytes > maxManifestBytes) {
    const description = `has ${bytes} bytes; it must have at most ${maxManifestBytes}: have the services read long texts from their images or volumes`;
    throw invalidFields([{ field: 'manifest', description }]);
  }
  if (manifest.trim() === '') {
    throw invalidFields([{ field: 'manifest', description: 'is empty: give the JSON that the manifest of the deployment consists of' }]);
  }
  return manifest;
}

export function confirmedOf({ confirm }: Pick<SubmitManifestRequest, 'confirm'>): readonly string[] {
  if (confirm.length > maxConfirmed) {
    const description = `has ${confirm.length} entries; it must have at most ${maxConfirmed}: name each volume once`;
    throw invalidFields([{ field: 'confirm', description }]);
  }
  const description = 'must be service/volume, as the preview names what would be lost';
  const violations = confirm.flatMap((each, at): readonly FieldViolation[] =>
    /^[^/\s]+\/[^/\s]+$/.test(each) && each.length <= maxText ? [] : [{ field: `confirm[${at}]`, description }],
  );
  if (violations.length > 0) throw invalidFields(violations);
  return [...new Set(confirm)];
}

/** The tenant reads it. */
export function reasonOf({ reason }: Pick<CloseLeaseRequest, 'reason'>): string {
  const text = reason.trim();
  if (text.length > maxText) {
    const description = `has ${text.length} characters; it must have at most ${maxText}`;
    throw invalidFields([{ field: 'reason', description }]);
  }
  if (invisible.test(text)) {
    const description = 'has characters that cannot be seen, such as a line break: write one line of plain text';
    throw invalidFields([{ field: 'reason', description }]);
  }
  return text === '' ? 'the provider closed the lease' : text;
}

export function endpointOf({ endpoint }: Pick<TransferAddressRequest, 'endpoint'>): string {
  if (endpoint !== '' && endpoint.length <= maxHostname && !invisible.test(endpoint)) return endpoint;
  throw invalidFields([
    { field: 'endpoint', description: 'must be the endpoint of the address, by its name in the manifests of both leases' },
  ]);
}

export function wantedOf({ hostname, service }: Pick<TransferHostnameRequest, 'hostname' | 'service'>): WantedHostname {
  const violations: FieldViolation[] = [];
  if (hostname === '') violations.push({ field: 'hostname', description: 'is empty: give the hostname that is to move' });
  if (hostname.length > maxHostname) {
    const description = `has ${hostname.length} characters; it must have at most ${maxHostname}`;
    violations.push({ field: 'hostname', description });
  } else if (invisible.test(hostname) || /\s/.test(hostname)) {
    violations.push({ field: 'hostname', description: 'has blanks or characters that cannot be seen: give the hostname alone' });
  }
  if (service === '' || service.length > maxHostname) {
    violations.push({
      field: 'service',
      description: 'must be the service of the lease that gets the hostname, by its name in the manifest',
    });
  }
  if (violations.length > 0) throw invalidFields(violations);
  return { hostname, service, externalPort: ingressPort, isStatic: false };
}
