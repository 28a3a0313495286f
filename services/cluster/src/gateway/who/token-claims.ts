import * as z from 'zod';

/** What a token may be used for. `restart` and `attestation` are of the ecosystem, and nothing here asks for them. */
export const scopes = [
  'send-manifest',
  'get-manifest',
  'logs',
  'shell',
  'events',
  'status',
  'restart',
  'hostname-migrate',
  'ip-migrate',
  'attestation',
] as const;
export type Scope = (typeof scopes)[number];

const scope = z.array(z.enum(scopes)).min(1).max(scopes.length);
const name = z.string().min(1).max(256);
/** What another one can hold exactly. A sequence number beyond it is no number of JSON. */
const number = z.int().min(1);

const deployment = z
  .strictObject({
    dseq: number,
    gseq: number.optional(),
    oseq: number.optional(),
    services: z.array(name).min(1).max(64).optional(),
    scope,
  })
  .refine(({ gseq, oseq }) => oseq === undefined || gseq !== undefined, { error: 'oseq needs gseq' });

const permission = z.discriminatedUnion('access', [
  z.strictObject({ provider: name, access: z.literal('full') }),
  z.strictObject({ provider: name, access: z.literal('scoped'), scope }),
  z.strictObject({ provider: name, access: z.literal('granular'), deployments: z.array(deployment).min(1).max(1_000) }),
]);

const access = z.discriminatedUnion('access', [
  z.strictObject({ access: z.literal('full') }),
  z.strictObject({ access: z.literal('scoped'), scope }),
  z.strictObject({ access: z.literal('granular'), permissions: z.array(permission).min(1).max(100) }),
]);

/** Claims of a token of the ecosystem. What is not known is refused: it might say less than it seems to. */
export const tokenClaims = z.strictObject({
  iss: name,
  iat: z.int().min(0),
  nbf: z.int().min(0),
  exp: z.int().min(0),
  jti: z.string().min(1).max(256).optional(),
  version: z.literal('v1'),
  leases: access,
});

export type TokenClaims = z.infer<typeof tokenClaims>;
export type TokenAccess = TokenClaims['leases'];
export type TokenPermission = Extract<TokenAccess, { readonly access: 'granular' }>['permissions'][number];

export const fullAccess: TokenAccess = { access: 'full' };
