/** Who has which role, and what a role makes of its holder: pure. */
import { StatusError } from '@quartermaster/kernel';
import type { Principal, Role } from './principal.ts';
import { isSourceName } from './source-name.ts';
import { reservedTenants, sharedTenant } from './tenancy.ts';

/** What was proven of a caller, and by what. The same name proven in two ways is two callers. */
export interface KnownCaller {
  readonly way: 'issuer' | 'local' | 'service-account' | 'certificate';
  /** `system:serviceaccount:namespace:name` for a service account, the common name for a certificate. */
  readonly name: string;
  /** Organizations for a certificate. */
  readonly groups: readonly string[];
  /** Said by a token that the service issued itself. */
  readonly role?: Role;
  readonly source?: string;
  /** Of the token, where it has one. */
  readonly tokenId?: string;
  /** When the token or the certificate ends, in milliseconds since the epoch. */
  readonly endsAt?: number;
}

const subjectKinds = ['user', 'group', 'serviceaccount', 'certificate', 'organization'] as const;

/**
 * Whom a rule is about: `user:alice` and `group:admins` of an issuer, `serviceaccount:namespace/name`, `certificate:common-name`, `organization:name`
 * of certificates.
 */
export interface Subject {
  readonly kind: (typeof subjectKinds)[number];
  readonly name: string;
}

export interface SourceBinding {
  readonly subject: Subject;
  readonly source: string;
}

export interface AccessPolicy {
  readonly admins: readonly Subject[];
  /** Administrators for the day on which the issuer is gone; their use is logged as a warning. */
  readonly emergency: readonly Subject[];
  readonly providers: readonly Subject[];
  readonly sources: readonly SourceBinding[];
  /** Ids of tokens that are refused. */
  readonly revokedTokens: ReadonlySet<string>;
  readonly mayTenantsWriteHosts: boolean;
}

/** Reads `kind:name`; undefined when the text is none. */
export function parseSubject(text: string): Subject | undefined {
  const [, kind, name] = /^([a-z]+):(.+)$/.exec(text) ?? [];
  const known = subjectKinds.find((each) => each === kind);
  if (known === undefined || name === undefined) return undefined;
  if (known === 'serviceaccount' && !/^[^/:]+\/[^/:]+$/.test(name)) return undefined;
  return { kind: known, name };
}

/** Reads `kind:name=source`; undefined when the text is none. */
export function parseSourceBinding(text: string): SourceBinding | undefined {
  const [, left = '', source = ''] = /^(.+)=([^=]+)$/.exec(text) ?? [];
  const subject = parseSubject(left);
  return subject === undefined || !isSourceName(source) ? undefined : { subject, source };
}

/** Whether a rule is about the caller. */
function isAbout(subject: Subject, { way, name, groups }: KnownCaller): boolean {
  switch (subject.kind) {
    case 'user':
      return way === 'issuer' && subject.name === name;
    case 'group':
      return way === 'issuer' && groups.includes(subject.name);
    case 'serviceaccount':
      return way === 'service-account' && `system:serviceaccount:${subject.name.replace('/', ':')}` === name;
    case 'certificate':
      return way === 'certificate' && subject.name === name;
    case 'organization':
      return way === 'certificate' && groups.includes(subject.name);
    default:
      return subject.kind satisfies never;
  }
}

/** Whether the caller is an administrator for emergencies alone. */
export function isEmergency(caller: KnownCaller, { admins, emergency }: AccessPolicy): boolean {
  const isAmong = (subjects: readonly Subject[]): boolean => subjects.some((subject) => isAbout(subject, caller));
  return isAmong(emergency) && !isAmong(admins);
}

/** The highest role that the policy gives the caller. Throws `permission_denied` when that is none. */
export function principalFor(caller: KnownCaller, policy: AccessPolicy): Principal {
  const { role, source } = roleOf(caller, policy);
  const { name } = caller;
  if (role !== 'tenant') {
    return {
      name,
      role,
      visibleTenants: 'all',
      assignableTenants: role === 'sync' ? [sharedTenant] : 'all',
      defaultTenants: [sharedTenant],
      ...(source === undefined ? {} : { source }),
      mayReadSecrets: role === 'admin',
      mayWriteHosts: role !== 'sync',
    };
  }
  const tenants = tenantsOf(caller);
  if (tenants.length === 0) throw noTenant(caller);
  return {
    name,
    role,
    visibleTenants: [...tenants, sharedTenant],
    assignableTenants: tenants,
    defaultTenants: tenants,
    mayReadSecrets: false,
    mayWriteHosts: policy.mayTenantsWriteHosts,
  };
}

function roleOf(caller: KnownCaller, policy: AccessPolicy): { readonly role: Role; readonly source?: string } {
  const isAmong = (subjects: readonly Subject[]): boolean => subjects.some((subject) => isAbout(subject, caller));
  if (caller.way === 'local') {
    const { role = 'tenant', source } = caller;
    if (role !== 'sync') return { role };
    if (source !== undefined) return { role, source };
    throw new StatusError('permission_denied', `the token of ${caller.name} has the role sync and names no source: issue one that does`);
  }
  if (isAmong(policy.admins) || isAmong(policy.emergency)) return { role: 'admin' };
  if (isAmong(policy.providers)) return { role: 'provider' };
  const sources = new Set(policy.sources.filter(({ subject }) => isAbout(subject, caller)).map((binding) => binding.source));
  const [source] = sources;
  if (source === undefined) return { role: 'tenant' };
  if (sources.size === 1) return { role: 'sync', source };
  throw new StatusError(
    'permission_denied',
    `${caller.name} is bound to the sources ${[...sources].join(', ')}, and may speak for one: correct fulfillment-sources`,
  );
}

/** Groups of an issuer are tenants, and so is the namespace of a service account. A certificate belongs to nobody. */
function tenantsOf({ way, name, groups }: KnownCaller): readonly string[] {
  const claimed = way === 'certificate' ? [] : way === 'service-account' ? [name.split(':')[2] ?? ''] : groups;
  return [...new Set(claimed)].filter((tenant) => tenant !== '' && !reservedTenants.has(tenant));
}

function noTenant({ way, name }: KnownCaller): StatusError {
  const ways = {
    issuer: `have it added to a group of the issuer, which is its tenant, or give it a role: fulfillment-admins, fulfillment-providers, fulfillment-sources`,
    local: 'issue a token with groups',
    'service-account': `give it a role: serviceaccount:namespace/name in fulfillment-admins, fulfillment-providers or fulfillment-sources`,
    certificate: `give it a role: certificate:${name} in fulfillment-admins, fulfillment-providers or fulfillment-sources`,
  };
  return new StatusError('permission_denied', `${name} has no role here and belongs to no tenant: ${ways[way]}`);
}
