/** Who has which role, and what a role makes of its holder: pure. */
import { StatusError } from '@quartermaster/kernel';
import { type CallerRole, type CallerRoles, roleNamed } from './caller-role.ts';
import type { Principal } from './principal.ts';
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
  readonly role?: string | undefined;
  readonly source?: string | undefined;
  /** The role that its rights in the cluster bring a service account. */
  readonly roleByRight?: string | undefined;
  /** Of the token, where it has one. */
  readonly tokenId?: string | undefined;
  /** When the token or the certificate ends, in milliseconds since the epoch. */
  readonly endsAt?: number | undefined;
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

/** The settings give a role to somebody. */
export interface Grant {
  readonly role: string;
  /** The setting that says so. */
  readonly setting: string;
  readonly subject: Subject;
  readonly source?: string | undefined;
  /** For the day on which the issuer is gone; its use is logged as a warning. */
  readonly isEmergency?: boolean | undefined;
}

export interface AccessPolicy {
  readonly roles: CallerRoles;
  /** Those of the highest role first. */
  readonly grants: readonly Grant[];
  /** Ids of tokens that are refused. */
  readonly revokedTokens: ReadonlySet<string>;
  /** The settings that give roles, for messages. */
  readonly settingNames: readonly string[];
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

/** What the settings give the caller of the highest role that they give it. */
function grantsOf(caller: KnownCaller, { grants }: AccessPolicy): readonly Grant[] {
  if (caller.way === 'local') return [];
  const mine = grants.filter(({ subject }) => isAbout(subject, caller));
  return mine.filter(({ role }) => role === mine[0]?.role);
}

/** Whether the settings give the caller a role. */
export const isGranted = (caller: KnownCaller, policy: AccessPolicy): boolean => grantsOf(caller, policy).length > 0;

/** Whether the caller has its role for emergencies alone. */
export function isEmergency(caller: KnownCaller, policy: AccessPolicy): boolean {
  const grants = grantsOf(caller, policy);
  return grants.length > 0 && grants.every((grant) => grant.isEmergency === true);
}

/** The caller with the highest role that the policy gives it. Throws `permission_denied` when that is none. */
export function principalFor(caller: KnownCaller, policy: AccessPolicy): Principal {
  const { role, source } = roleOf(caller, policy);
  if (role === undefined) throw noRole(caller, policy);
  const declared = roleNamed(policy.roles, role);
  if (declared === undefined)
    throw new StatusError('permission_denied', `the token of ${caller.name} has the role ${role}, which does not exist here`);
  const { name } = caller;
  const { mayReadSecrets = false, readsSecretsUnasked } = declared;
  if (declared.tenants === 'all') {
    const assignableTenants = declared.assignableTenants ?? 'all';
    return {
      name,
      role,
      visibleTenants: 'all',
      assignableTenants,
      defaultTenants: [sharedTenant],
      source,
      mayReadSecrets,
      readsSecretsUnasked,
    };
  }
  const tenants = tenantsOf(caller, declared);
  if (tenants.length === 0) throw noRole(caller, policy);
  return {
    name,
    role,
    visibleTenants: [...tenants, sharedTenant],
    assignableTenants: tenants,
    defaultTenants: tenants,
    source,
    mayReadSecrets,
    readsSecretsUnasked,
  };
}

function roleOf(caller: KnownCaller, policy: AccessPolicy): { readonly role: string | undefined; readonly source?: string | undefined } {
  const common = Object.entries(policy.roles).findLast(([, { setting }]) => setting === undefined)?.[0];
  if (caller.way === 'local') {
    const { role: said = common, source } = caller;
    const role = said && (Object.entries(policy.roles).find(([, { alsoFor }]) => alsoFor?.includes(said))?.[0] ?? said);
    if (role === undefined || roleNamed(policy.roles, role)?.hasSource !== true) return { role };
    if (source !== undefined) return { role, source };
    throw new StatusError('permission_denied', `the token of ${caller.name} has the role ${role} and no source: issue one that has it`);
  }
  const grants = grantsOf(caller, policy);
  const [grant] = grants;
  if (grant === undefined) return { role: caller.roleByRight ?? common };
  const sources = new Set(grants.map(({ source }) => source));
  if (sources.size <= 1) return grant;
  throw new StatusError(
    'permission_denied',
    `${caller.name} is bound to the sources ${[...sources].join(', ')}, and may have only one: correct ${grant.setting}`,
  );
}

/** Groups of an issuer are tenants, and so is the namespace of a service account. A certificate belongs to nobody. */
function tenantsOf(caller: KnownCaller, { tenantlessNamespaces = [] }: CallerRole): readonly string[] {
  const { way, groups } = caller;
  const namespace = namespaceOf(caller);
  const isTenantless = tenantlessNamespaces.some((pattern) => isLike(namespace, pattern));
  const claimed = way === 'certificate' || isTenantless ? [] : way === 'service-account' ? [namespace] : groups;
  return [...new Set(claimed)].filter((tenant) => tenant !== '' && !reservedTenants.has(tenant));
}

/** Empty for who is no service account. */
const namespaceOf = ({ way, name }: KnownCaller): string => (way === 'service-account' ? (name.split(':')[2] ?? '') : '');

const isLike = (name: string, pattern: string): boolean =>
  pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;

/** Who has no role of its own, and none as a member of a tenant either. */
function noRole(caller: KnownCaller, { settingNames, roles }: AccessPolicy): StatusError {
  const { way, name } = caller;
  const settings = `${settingNames.slice(0, -1).join(', ')} or ${settingNames.at(-1)}`;
  const takesTenants = Object.values(roles).some(({ tenants }) => tenants === 'own');
  const rights = Object.values(roles).flatMap(({ right }) => (right === undefined ? [] : [`${right.verb} ${right.plural}.${right.group}`]));
  const byRight = rights.length === 0 ? '' : `, or allow it in the cluster to ${rights.toReversed().join(', or to ')}`;
  const ways = {
    issuer: `${takesTenants ? 'have it added to a group of the issuer, which is its tenant, or ' : ''}give it a role: ${settingNames.join(', ')}`,
    local: takesTenants ? 'issue a token with groups' : `issue a token with the role ${Object.keys(roles).join(' or ')}`,
    'service-account': `give it a role: serviceaccount:namespace/name in ${settings}${byRight}`,
    certificate: `give it a role: certificate:${name} in ${settings}`,
  };
  const tenantless = Object.values(roles).flatMap(({ tenantlessNamespaces }) => tenantlessNamespaces ?? []);
  const isTenantless = tenantless.some((pattern) => isLike(namespaceOf(caller), pattern));
  const why = isTenantless ? `, as no account of ${tenantless.join(', ')} does` : '';
  const what = takesTenants ? `has no role here and belongs to no tenant${why}` : 'has no role here';
  return new StatusError('permission_denied', `${name} ${what}: ${ways[way]}`);
}
