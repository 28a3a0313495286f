import { createHmac } from 'node:crypto';
import type { IssuedCertificate } from '../kube/certificates.ts';
import { type Deployed, provider } from '../leases/running-leases.ts';
import type { Asked, Shown } from './gateway-client.ts';
import type { SiteTenant } from './gateway-site.ts';
import { claimsOf, joinedToken, TenantKey } from './tenant-key.ts';

export const scopes = [
  ...['send-manifest', 'get-manifest', 'logs', 'shell', 'events', 'status', 'restart', 'hostname-migrate', 'ip-migrate', 'attestation'],
] as const;

/** One way to ask for a route. */
export interface MatrixRoute {
  /** As the gateway has it. */
  readonly route: string;
  /** Undefined: anybody may. */
  readonly scope?: (typeof scopes)[number];
  /** One service, those that the token is for, or the lease as a whole. */
  readonly of?: 'whole' | 'each' | { readonly service: 'api' | 'web' };
  readonly isStream?: boolean;
  readonly ask: (lease: Deployed, manifest: string) => Asked;
  /** For those who may, unless it is 200. */
  readonly answer?: number;
}

const lease = ({ order: { dseq, gseq, oseq } }: Deployed): string => `/lease/${dseq}/${gseq}/${oseq}`;
const at = '/lease/{dseq}/{gseq}/{oseq}';
const open = (path: string) => ({ route: `GET ${path}`, ask: () => ({ path }) });
const ofService = (service: 'api' | 'web') =>
  [
    {
      ...{ route: `GET ${at}/service/{service}/status`, scope: 'status', of: { service } },
      ask: (deployed) => ({ path: `${lease(deployed)}/service/${service}/status` }),
    },
    {
      ...{ route: `GET ${at}/shell`, scope: 'shell', of: { service }, isStream: true },
      ask: (deployed) => ({ path: `${lease(deployed)}/shell?cmd0=hostname&service=${service}` }),
    },
    {
      ...{ route: `GET ${at}/logs`, scope: 'logs', of: { service }, isStream: true },
      ask: (deployed) => ({ path: `${lease(deployed)}/logs?service=${service}` }),
    },
  ] satisfies readonly MatrixRoute[];

const migration = (what: 'hostname' | 'endpoint', scope: 'hostname-migrate' | 'ip-migrate'): readonly MatrixRoute[] => [
  {
    ...{ route: `POST /${what}/migrate`, scope, of: 'whole', answer: 422 },
    ask: ({ order: { dseq, gseq } }) => {
      // No manifest has it: whoever may migrate is told that, and nothing is moved.
      const wanted = { [`${what}s_to_migrate`]: ['nowhere.example.org'], destination_dseq: String(dseq), destination_gseq: gseq };
      return { method: 'POST', path: `/${what}/migrate`, body: JSON.stringify(wanted) };
    },
  },
];

export const matrixRoutes: readonly MatrixRoute[] = [
  open('/version'),
  open('/address'),
  open('/status'),
  {
    ...{ route: 'PUT /deployment/{dseq}/manifest', scope: 'send-manifest', of: 'whole' },
    ask: ({ order }, manifest) => ({ method: 'PUT', path: `/deployment/${order.dseq}/manifest`, body: manifest }),
  },
  { route: `GET ${at}/manifest`, scope: 'get-manifest', of: 'whole', ask: (deployed) => ({ path: `${lease(deployed)}/manifest` }) },
  { route: `GET ${at}/status`, scope: 'status', of: 'each', ask: (deployed) => ({ path: `${lease(deployed)}/status` }) },
  {
    ...{ route: `GET ${at}/kubeevents`, scope: 'events', of: 'whole', isStream: true },
    ask: (deployed) => ({ path: `${lease(deployed)}/kubeevents` }),
  },
  {
    ...{ route: `GET ${at}/logs`, scope: 'logs', of: 'each', isStream: true },
    ask: (deployed) => ({ path: `${lease(deployed)}/logs` }),
  },
  ...ofService('api'),
  ...ofService('web'),
  ...migration('hostname', 'hostname-migrate'),
  ...migration('endpoint', 'ip-migrate'),
];

/** Who asks, and what of the lease is theirs to ask for. */
export interface MatrixCaller {
  readonly shown: Shown;
  /** Counts for nothing, with this status. */
  readonly refused?: 400 | 401;
  /** Is an account, and another one than that of the lease. */
  readonly isOther?: boolean;
  /** All of them unless given. */
  readonly scopes?: readonly string[];
  /** Both of them unless given. */
  readonly service?: string;
}

/** The one rule: what the gateway answers, by what is asked for and who asks. */
export function expected(
  { scope, of, isStream, answer = 200 }: Omit<MatrixRoute, 'ask'>,
  { refused, isOther, scopes: held = scopes, service }: MatrixCaller,
) {
  if (scope === undefined) return answer;
  if (refused !== undefined) return refused;
  if (isOther === true) return isStream === true ? 4001 : 404;
  if (!held.includes(scope)) return 403;
  if (service !== undefined && of === 'whole') return 403;
  if (service !== undefined && typeof of === 'object' && of.service !== service) return 403;
  return isStream === true ? 1000 : answer;
}

export interface MatrixParties {
  readonly amy: SiteTenant;
  readonly bob: SiteTenant;
  /** Has an account at the market, and no lease here. */
  readonly zed: SiteTenant;
  /** Of amy, and what they ask about. */
  readonly lease: Deployed;
  /** Of amy, too. */
  readonly other: Deployed;
  /** Says that it is amy’s, and the market does not know it. */
  readonly unknown: IssuedCertificate;
}

/** name -> caller. */
export function matrixCallers({ amy, bob, zed, lease: { order }, other, unknown }: MatrixParties): ReadonlyMap<string, MatrixCaller> {
  const { owner } = amy;
  const soon = Math.floor(Date.now() / 1000) + 600;
  const all = [...scopes];
  const claims = (changed: object = {}): Record<string, unknown> => claimsOf(owner, changed);
  const token = (leases: object): Shown => ({ token: amy.token({ leases }) });
  const permitted = (...permissions: readonly object[]): Shown => token({ access: 'granular', permissions });
  const here = (...deployments: readonly object[]): Shown => permitted({ provider, access: 'granular', deployments });
  const refused = (text: string, status: 400 | 401 = 401): MatrixCaller => ({ shown: { token: text }, refused: status });
  const dseq = Number(order.dseq);
  const hmac = (() => {
    const unsigned = joinedToken({ alg: 'HS256', typ: 'JWT' }, claims(), Buffer.alloc(0)).slice(0, -1);
    return `${unsigned}.${createHmac('sha256', Buffer.from(amy.key.publicKey, 'base64')).update(unsigned).digest('base64url')}`;
  })();
  return new Map<string, MatrixCaller>([
    ['nobody', { shown: {}, refused: 401 }],
    ['its token', { shown: { token: amy.token() } }],
    ['its token as wallets sign it', { shown: { token: amy.key.token(claims(), 'ES256KADR36') } }],
    ['its certificate', { shown: { certificate: amy.certificate } }],
    ...scopes.map((scope) => [`its token for ${scope}`, { shown: token({ access: 'scoped', scope: [scope] }), scopes: [scope] }] as const),
    ...scopes.map((scope) => [`its token for ${scope} of the lease`, { shown: here({ dseq, scope: [scope] }), scopes: [scope] }] as const),
    ['its token for all of the lease', { shown: here({ dseq, gseq: 1, oseq: 1, scope: all }) }],
    ['its token for this provider', { shown: permitted({ provider, access: 'full' }) }],
    [
      'its token for logs of this provider and for status of the lease',
      {
        shown: permitted(
          { provider, access: 'scoped', scope: ['logs'] },
          { provider, access: 'granular', deployments: [{ dseq, scope: ['status'] }] },
        ),
        scopes: ['logs', 'status'],
      },
    ],
    ['its token for one service', { shown: here({ dseq, services: ['api'], scope: all }), service: 'api' }],
    ['its token for a service that is not there', { shown: here({ dseq, services: ['db'], scope: all }), service: 'db' }],
    ['its token for another lease', { shown: here({ dseq: Number(other.order.dseq), scope: all }), scopes: [] }],
    ['its token for another group', { shown: here({ dseq, gseq: 2, scope: all }), scopes: [] }],
    ['its token for another order', { shown: here({ dseq, gseq: 1, oseq: 2, scope: all }), scopes: [] }],
    ['its token for another provider', { shown: permitted({ provider: 'elsewhere', access: 'full' }), scopes: [] }],
    ['another account', { shown: { token: bob.token() }, isOther: true }],
    ['the certificate of another account', { shown: { certificate: bob.certificate }, isOther: true }],
    ['an account without leases here', refused(zed.token())],
    ['the certificate of an account without leases here', { shown: { certificate: zed.certificate }, refused: 401 }],
    ['a certificate in its name that is not registered', { shown: { certificate: unknown }, refused: 401 }],
    ['its certificate and its token', { shown: { certificate: amy.certificate, token: amy.token() }, refused: 400 }],
    ['its certificate and no token that counts', { shown: { certificate: amy.certificate, token: 'a.b.c' }, refused: 400 }],
    ['a token in its name of a strange key', refused(new TenantKey().token(claims()))],
    ['a token in its name of the key of another account', refused(bob.key.token(claims()))],
    ['a token of its key in the name of another account', refused(amy.key.token(claimsOf(bob.owner)))],
    ['a token of nobody that says it needs no key', refused(joinedToken({ alg: 'none', typ: 'JWT' }, claims()))],
    ['a token without a signature', refused(joinedToken({ alg: 'none' }, claims(), Buffer.alloc(0)))],
    ['a token whose key is its public one', refused(hmac)],
    ['a token that says ES256', refused(amy.key.token(claims(), 'ES256K', { alg: 'ES256' }))],
    ['a token that was signed for the other algorithm', refused(amy.key.token(claims(), 'ES256K', { alg: 'ES256KADR36' }))],
    ['a token with a key in its header', refused(new TenantKey().token(claims(), 'ES256K', { jwk: { kty: 'EC' }, kid: '1' }))],
    ['a token that has to be understood', refused(amy.key.token(claims(), 'ES256K', { crit: ['exp'] }))],
    ['a token that has expired', refused(amy.token({ exp: soon - 700 }))],
    ['a token that is not valid yet', refused(amy.token({ nbf: soon }))],
    ['a token from the future', refused(amy.token({ iat: soon }))],
    ['a token of another version', refused(amy.token({ version: 'v2' }))],
    ['a token with a claim that nobody knows', refused(amy.token({ aud: 'somebody' }))],
    ['a token without access', refused(amy.token({ leases: { access: 'granular', permissions: [] } }))],
    ['no token', refused('nonsense', 400)],
  ]);
}
