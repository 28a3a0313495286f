import { isLoopback } from '@quartermaster/kernel';
import type { SettingsOf } from '@quartermaster/runtime';
import { type ConfigRule, duration } from '@quartermaster/service';
import * as z from 'zod';
import { signInWays } from '../session-view.ts';

const file = z.string().min(1).optional();

/** Tokens go there: over TLS, or within this machine. */
const safeUrl = z.url({ protocol: /^https?$/ }).refine((text) => {
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || isLoopback(hostname);
}, 'must be an https address, or one of this machine');
const origin = safeUrl.refine((text) => text.replace(/\/$/, '') === new URL(text).origin, 'must have no path: https://console.example.com');

const addressOrRange = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]);

export const consoleSettings = {
  'console-public-url': origin
    .optional()
    .describe('Where browsers open it: https://console.example.com. Beyond loopback, this or console-allowed-hosts is needed.'),
  'console-allowed-hosts': z
    .array(z.string().min(1))
    .default([])
    .describe('More names, without ports, that browsers may open it by. Names of loopback always are.'),
  'console-trusted-proxies': z
    .array(z.string().refine((text) => addressOrRange.safeParse(text).success, 'must be an IP address or a range: 10.0.0.0/8'))
    .default([])
    .describe(
      'Addresses, or ranges of them (10.0.0.0/8), of proxies whose X-Forwarded-For names the browser. Sign-ins that fail count against it. From others, the header counts for nothing.',
    ),
  'console-sign-in': z
    .array(z.enum(signInWays))
    .min(1)
    .default(['token'])
    .describe(
      'How people sign in. oidc: at an issuer of OpenID Connect. token: by pasting one. link: by a one-time link, which one replica keeps in its memory.',
    ),
  'console-session-lifetime': duration({ min: '1m', max: '7d' })
    .prefault('12h')
    .describe('How long a session lasts at most, whatever its token says.'),
  'console-key-ring-file': file.describe(
    'Keys that seal cookies: ID:BASE64 of 32 bytes, one in a line; the first seals, all open. The same for all replicas; made when the file is not there, and followed while it changes. Without it, sessions end with the process.',
  ),
  'console-oidc-issuer': safeUrl.optional().describe('Issuer of OpenID Connect, as the claim iss of its tokens has it.'),
  'console-oidc-client-id': z.string().min(1).optional().describe('What the issuer knows the console as.'),
  'console-oidc-client-secret-file': file.describe('File with the secret of that client. Without it, the client has none.'),
  'console-oidc-scopes': z
    .array(z.string().min(1))
    .min(1)
    .default(['openid'])
    .refine((scopes) => scopes.includes('openid'), 'must have openid among them')
    .describe('Scopes to ask for. With offline_access, most issuers let sessions be renewed.'),
  'console-oidc-parameters': z
    .array(z.string().regex(/^[a-z_]+=.+$/, 'must be NAME=VALUE'))
    .default([])
    .describe(
      'More parameters of requests to the issuer, as NAME=VALUE: audience or resource, so that the token is made for the services.',
    ),
  'console-oidc-token': z
    .enum(['access', 'id'])
    .default('access')
    .describe('Which token of the issuer the services take: the access token, or the ID token where access tokens are no JWTs.'),
  'console-oidc-ca-file': file.describe('PEM authorities of the issuer’s certificate; those that Node knows unless given.'),
  'console-fulfillment-url': safeUrl
    .optional()
    .describe('REST address of the fulfillment service: https://quartermaster-fulfillment:8001.'),
  'console-fulfillment-ca-file': file.describe('PEM authorities of its certificate. Followed while it changes.'),
  'console-inventory-url': safeUrl.optional().describe('REST address of the inventory operator: https://quartermaster-inventory:8080.'),
  'console-inventory-ca-file': file.describe('PEM authorities of its certificate. Followed while it changes.'),
  'console-cluster-url': safeUrl.optional().describe('REST address of the cluster service: https://quartermaster-cluster:8082.'),
  'console-cluster-ca-file': file.describe('PEM authorities of its certificate. Followed while it changes.'),
  'console-market-url': safeUrl.optional().describe('REST address of the market: https://quartermaster-market:8021.'),
  'console-market-ca-file': file.describe('PEM authorities of its certificate. Followed while it changes.'),
  'console-streams-per-session': z
    .number()
    .int()
    .min(0)
    .max(1_000)
    .default(20)
    .describe('Logs, events and shells of leases that each session may have open at a time; 0: none.'),
  'console-kubernetes': z
    .boolean()
    .default(false)
    .describe('Whether those who run the installation see pods, logs and Events, read with the account of the console.'),
};

export type ConsoleSettings = SettingsOf<typeof consoleSettings>;

const oidcNeeds = ['console-oidc-issuer', 'console-oidc-client-id', 'console-public-url'] as const;

export const consoleRules: readonly ConfigRule<ConsoleSettings>[] = oidcNeeds.map((key) => (config) => {
  if (!config['console-sign-in'].includes('oidc') || config[key] !== undefined) return undefined;
  return { key, message: 'must be given for console-sign-in oidc' };
});
