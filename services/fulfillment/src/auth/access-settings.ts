import { StatusError } from '@quartermaster/kernel';
import * as z from 'zod';
import { type AccessPolicy, parseSourceBinding, parseSubject, type SourceBinding, type Subject } from './access-policy.ts';
import { isSafe } from './issuer-keys.ts';

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

/** What the service can be told of who may call it. Part of its settings. */
export const accessShape = {
  'fulfillment-issuers': z
    .array(issuer)
    .default([])
    .describe(
      'Issuers of OpenID Connect whose tokens are accepted, as the claim iss of their tokens has them. The first one is where clients log in.',
    ),
  'fulfillment-issuer-ca-file': z
    .string()
    .min(1)
    .optional()
    .describe('PEM authorities of the issuers’ certificates; those that Node knows unless given.'),
  'fulfillment-audiences': z
    .array(z.string().min(1))
    .min(1)
    .default(['quartermaster'])
    .describe('A token of an issuer must be made for one of these: its claim aud.'),
  'fulfillment-username-claim': z
    .string()
    .min(1)
    .default('username')
    .describe('Claim that names the user. Without it, preferred_username counts, and without that, sub.'),
  'fulfillment-groups-claim': z
    .string()
    .min(1)
    .default('groups')
    .describe('Claim that lists the groups of the user, which are its tenants.'),
  'fulfillment-service-account-audiences': z
    .array(z.string().min(1))
    .default([])
    .describe('A token of a service account must be made for one of these; for the API server of its cluster unless given.'),
  'fulfillment-local-key-file': z
    .string()
    .min(1)
    .optional()
    .describe('Key that local tokens are signed with; made when the file is not there. Without it there are no local tokens.'),
  'fulfillment-admins': z
    .array(subject)
    .default(['group:admins'])
    .meta({ reloadable: true })
    .describe('Who may do everything: user:, group:, serviceaccount:NAMESPACE/NAME, certificate:, organization:.'),
  'fulfillment-emergency-accounts': z
    .array(subject)
    .default([])
    .meta({ reloadable: true })
    .describe('Administrators for when the issuer is gone, best service accounts or certificates. Each use is logged as a warning.'),
  'fulfillment-providers': z
    .array(subject)
    .default([])
    .meta({ reloadable: true })
    .describe('Who runs the datacenter: the private API, without reading secrets.'),
  'fulfillment-sources': z
    .array(sourceBinding)
    .default([])
    .meta({ reloadable: true })
    .describe('Who brings in the hosts of which source: SUBJECT=SOURCE, such as certificate:sync-bcm=bcm.'),
  'fulfillment-revoked-tokens': z
    .array(z.string().min(1))
    .default([])
    .meta({ reloadable: true })
    .describe('Tokens that are no longer accepted, although they have not ended: their ids, the claim jti.'),
  'fulfillment-tenants-write-hosts': z
    .boolean()
    .default(false)
    .meta({ reloadable: true })
    .describe('Whether tenants may change the hosts of their clusters through the public API.'),
} as const;

export type AccessSettings = z.output<z.ZodObject<typeof accessShape>>;

/** The part of the settings that may change while the service runs. */
export function accessPolicyOf(settings: AccessSettings): AccessPolicy {
  return {
    admins: settings['fulfillment-admins'].map(subjectOf),
    emergency: settings['fulfillment-emergency-accounts'].map(subjectOf),
    providers: settings['fulfillment-providers'].map(subjectOf),
    sources: settings['fulfillment-sources'].map(bindingOf),
    revokedTokens: new Set(settings['fulfillment-revoked-tokens']),
    mayTenantsWriteHosts: settings['fulfillment-tenants-write-hosts'],
  };
}

function subjectOf(text: string): Subject {
  return parseSubject(text) ?? malformed(text);
}

function bindingOf(text: string): SourceBinding {
  return parseSourceBinding(text) ?? malformed(text);
}

/** Settings have passed their schema, which refuses these. */
function malformed(text: string): never {
  throw new StatusError(
    'invalid_argument',
    `"${text}" names nobody: write user:NAME, group:NAME, serviceaccount:NAMESPACE/NAME or certificate:NAME`,
  );
}
