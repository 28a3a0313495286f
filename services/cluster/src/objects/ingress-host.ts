import { createHash } from 'node:crypto';
import { type LeaseId, leasePath } from '../model/lease.ts';
import { base32Hex } from './base32-hex.ts';

/** The namespace of DNS names of RFC 9562. */
const dnsNamespace = Buffer.from('6ba7b8109dad11d180b400c04fd430c8', 'hex');

/** The label under deployment-ingress-domain that belongs to a service of a lease: of its UUID of version 5. */
export function ingressHost(lease: LeaseId, service: string): string {
  const uuid = createHash('sha1')
    .update(dnsNamespace)
    .update(`${leasePath(lease)}${service}`)
    .digest()
    .subarray(0, 16);
  uuid[6] = ((uuid[6] ?? 0) & 0x0f) | 0x50;
  uuid[8] = ((uuid[8] ?? 0) & 0x3f) | 0x80;
  return base32Hex(uuid);
}
