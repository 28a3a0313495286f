import { durationMs } from '@bufbuild/protobuf/wkt';
import { maxServices, namePatterns } from '@quartermaster/api/lease-manifest';
import type { LeasesCreateTokenRequest } from '@quartermaster/api/market';
import { type FieldViolation, invalidFields } from '@quartermaster/kernel';

/** What a token is wanted for. */
export interface WantedToken {
  readonly scopes: readonly string[];
  /** Of the lease; empty: all. */
  readonly services: readonly string[];
  readonly lifetimeMs: number;
}

const knownScopes: readonly string[] = [
  'send-manifest',
  'get-manifest',
  'logs',
  'shell',
  'events',
  'status',
  'restart',
  'hostname-migrate',
  'ip-migrate',
];

const lifetimeMs = { least: 10_000, usual: 15 * 60_000, most: 24 * 60 * 60_000 };

/** Throws `invalid_argument` that names every field that is wrong. */
export function wantedToken(request: Pick<LeasesCreateTokenRequest, 'scopes' | 'services' | 'lifetime'>): WantedToken {
  const { scopes, services } = request;
  const wantedMs = request.lifetime === undefined ? lifetimeMs.usual : durationMs(request.lifetime);
  const violations: FieldViolation[] = [
    ...listFaults('scopes', scopes, { least: 1, most: knownScopes.length }),
    ...(scopes.every((scope) => knownScopes.includes(scope))
      ? []
      : [{ field: 'scopes', description: `must be among ${knownScopes.join(', ')}` }]),
    ...listFaults('services', services, { least: 0, most: maxServices }),
    ...(services.every((service) => namePatterns.service.test(service))
      ? []
      : [{ field: 'services', description: 'must be names of services, such as web; leave it empty for all of the lease' }]),
    ...(wantedMs >= lifetimeMs.least && wantedMs <= lifetimeMs.most
      ? []
      : [{ field: 'lifetime', description: 'must be from 10 s to 24 h; leave it out for 15 minutes' }]),
  ];
  if (violations.length > 0) throw invalidFields(violations);
  return { scopes, services, lifetimeMs: wantedMs };
}

function listFaults(
  field: string,
  entries: readonly string[],
  { least, most }: { readonly least: number; readonly most: number },
): FieldViolation[] {
  if (entries.length < least) return [{ field, description: `must have at least ${least}` }];
  if (entries.length > most) return [{ field, description: `must not have more than ${most}, and has ${entries.length}` }];
  return new Set(entries).size === entries.length ? [] : [{ field, description: 'must have each of them once' }];
}
