import { isLoopback, StatusError } from '@quartermaster/kernel';
import * as z from 'zod';
import { type AccessPolicy, type Grant, parseSourceBinding, parseSubject } from './access-policy.ts';
import type { CallerRole, CallerRoles, RoleSetting } from './caller-role.ts';

const subject = z
  .string()
  .refine(
    (text) => parseSubject(text) !== undefined,
    'must be user:NAME, group:NAME, serviceaccount:NAMESPACE/NAME, certificate:COMMON-NAME or organization:NAME',
  );
const sourceBinding = z
  .string()
  .refine((text) => parseSourceBinding(text) !== undefined, 'must be SUBJECT=SOURCE, such as certificate:sync-bcm=bcm');
const issuer = z.url().refine((text) => isSafe(new URL(text)), 'must be an https address');

const emergencyAccounts = 'emergency-accounts';

const generalShape = {
  issuers: z
    .array(issuer)
    .default([])
    .describe(
      'Issuers of OpenID Connect whose tokens are accepted, as the claim iss of their tokens has them. The first one is where clients log in.',
    ),
  'issuer-ca-file': z
    .string()
    .min(1)
    .optional()
    .describe('PEM authorities of the issuers’ certificates; those that Node knows unless given.'),
  audiences: z
    .array(z.string().min(1))
    .min(1)
    .default(['quartermaster'])
    .describe('A token of an issuer must be made for one of these: its claim aud.'),
  'username-claim': z
    .string()
    .min(1)
    .default('username')
    .describe('Claim that names the user. Without it, preferred_username counts, and without that, sub.'),
  'groups-claim': z.string().min(1).default('groups').describe('Claim that lists the groups of the user, which are its tenants.'),
  'service-account-audiences': z
    .array(z.string().min(1))
    .default([])
    .describe(
      'A token of a service account must be made for one of these. Unless given: for the API server of its cluster. One for quartermaster- and the prefix of these settings is taken in any case.',
    ),
  'local-key-file': z
    .string()
    .min(1)
    .optional()
    .describe('Key that signs local tokens; created if the file does not exist. Without it there are no local tokens.'),
  [emergencyAccounts]: z
    .array(subject)
    .default([])
    .meta({ reloadable: true })
    .describe(
      'Administrators for when the issuer is unavailable, preferably service accounts or certificates. Each use is logged as a warning.',
    ),
  'revoked-tokens': z
    .array(z.string().min(1))
    .default([])
    .meta({ reloadable: true })
    .describe('Revoked tokens: the ids (claim jti) of tokens that are refused before they expire.'),
} as const;

const generalSettings = z.object(generalShape);
const holders = z.array(z.string());

type Holders = z.ZodDefault<z.ZodArray<z.ZodString>>;
type RoleSettingNames<Roles extends CallerRoles> = {
  [R in keyof Roles]: Roles[R] extends { readonly setting: { readonly name: infer Name extends string } } ? Name : never;
}[keyof Roles];

/** The settings of access of a service with this prefix: `fulfillment-issuers`, and a list of holders for each of its roles that has one. */
export type AccessShape<Prefix extends string, Roles extends CallerRoles> = {
  [Name in keyof typeof generalShape as `${Prefix}-${Name}`]: (typeof generalShape)[Name];
} & { [Name in RoleSettingNames<Roles> as `${Prefix}-${Name}`]: Holders };

/** What a service can be told of who may call it. Part of its settings. */
export function accessShape<const Prefix extends string, const Roles extends CallerRoles>(
  prefix: Prefix,
  roles: Roles,
): AccessShape<Prefix, Roles> {
  const lists = grantingRoles(roles).map(({ role, setting }): [string, Holders] => [
    setting.name,
    z
      .array(role.hasSource === true ? sourceBinding : subject)
      .default([...(setting.defaultHolders ?? [])])
      .meta({ reloadable: true })
      .describe(setting.description),
  ]);
  const all = [...Object.entries(generalShape), ...lists].map(([name, type]) => [`${prefix}-${name}`, type]);
  return Object.fromEntries(all) as AccessShape<Prefix, Roles>;
}

/** The settings of a service that have passed their schema, which holds an `accessShape`. */
export type AccessSettings = Readonly<Record<string, unknown>>;

/** The settings of access without the prefix. */
export function generalSettingsOf(prefix: string, settings: AccessSettings): z.output<typeof generalSettings> {
  const own = Object.entries(settings).filter(([name]) => name.startsWith(`${prefix}-`));
  return generalSettings.parse(Object.fromEntries(own.map(([name, value]) => [name.slice(prefix.length + 1), value])));
}

/** Whom tokens of service accounts must be made for; undefined where that is the API server of their cluster. */
export function serviceAccountAudiences(prefix: string, settings: AccessSettings): readonly string[] | undefined {
  const { 'service-account-audiences': audiences } = generalSettingsOf(prefix, settings);
  return audiences.length === 0 ? undefined : audiences;
}

/** The part of the settings that may change while the service runs. */
export function accessPolicyOf(prefix: string, roles: CallerRoles, settings: AccessSettings): AccessPolicy {
  const general = generalSettingsOf(prefix, settings);
  const [highest = ''] = Object.keys(roles);
  const listed = grantingRoles(roles).map(({ name, role, setting }) => ({ name, role, setting: `${prefix}-${setting.name}` }));
  const emergency = general[emergencyAccounts].map((text) => ({
    ...grantOf(highest, undefined, `${prefix}-${emergencyAccounts}`, text),
    isEmergency: true,
  }));
  const given = listed.flatMap(({ name, role, setting }) =>
    holders.parse(settings[setting]).map((text) => grantOf(name, role, setting, text)),
  );
  return {
    roles,
    grants: [...emergency, ...given],
    revokedTokens: new Set(general['revoked-tokens']),
    settingNames: listed.map(({ setting }) => setting),
  };
}

function grantingRoles(roles: CallerRoles): { readonly name: string; readonly role: CallerRole; readonly setting: RoleSetting }[] {
  return Object.entries(roles).flatMap(([name, role]) => (role.setting === undefined ? [] : [{ name, role, setting: role.setting }]));
}

function grantOf(role: string, declared: CallerRole | undefined, setting: string, text: string): Grant {
  const binding = declared?.hasSource === true ? parseSourceBinding(text) : { subject: parseSubject(text), source: undefined };
  if (binding?.subject !== undefined) return { role, setting, subject: binding.subject, source: binding.source };
  // Settings have passed their schema, which refuses these.
  throw new StatusError(
    'invalid_argument',
    `"${text}" is not a valid subject: write user:NAME, group:NAME, serviceaccount:NAMESPACE/NAME or certificate:NAME`,
  );
}

/** Whether keys may be trusted that come from this address: over TLS, or from this machine. */
export function isSafe(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
}
