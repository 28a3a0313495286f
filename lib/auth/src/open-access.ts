import { readFile } from 'node:fs/promises';
import { type Clock, type Log, messageOf, StatusError } from '@quartermaster/kernel';
import type { Authenticate } from '@quartermaster/rpc';
import { type AccessSettings, accessPolicyOf, generalSettingsOf } from './access-settings.ts';
import type { AccessTable } from './access-table.ts';
import { authenticator, type RefusedWrite, type ReviewRight, type ReviewToken } from './authenticator.ts';
import type { CallerRoles } from './caller-role.ts';
import { IssuerKeys } from './issuer-keys.ts';
import { LocalTokens } from './local-tokens.ts';
import { jsonReader } from './read-json.ts';
import { TokenVerifier, type TrustedIssuer } from './token-verifier.ts';

export interface AccessOptions<Settings extends AccessSettings> {
  /** Prefix of its settings, and whom local tokens are made for: `fulfillment`. */
  readonly service: string;
  readonly roles: CallerRoles;
  /** The methods that it serves, as the settings have them: asked anew with every change of these. */
  readonly tableOf: (settings: Settings) => AccessTable;
  readonly settings: Settings;
  /** Whose a token of Kubernetes is; without it, service accounts are not known. */
  readonly reviewToken?: ReviewToken | undefined;
  /** Needed where a role is held by a right in the cluster. */
  readonly reviewRight?: ReviewRight | undefined;
  readonly onRefusedWrite?: ((refused: RefusedWrite) => void) | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** Who may call the service, as its settings say. */
export interface Access<Settings extends AccessSettings = AccessSettings> {
  readonly authenticate: Authenticate;
  /** The methods that are served, as of now. */
  readonly table: () => AccessTable;
  /** Where clients log in. */
  readonly issuers: readonly string[];
  /** Issues tokens; undefined where the settings name no key for them. */
  readonly localTokens: LocalTokens | undefined;
  /** Takes over roles from newer settings: from the next call on, and for the streams that are open. */
  update(settings: Settings): void;
  /** Calls back after every update; returns what ends that. */
  onUpdate(listener: () => void): () => void;
}

/** Reads the files that the settings name. Issuers are asked when their first token comes, so that one that is away keeps nobody else out. */
export async function openAccess<Settings extends AccessSettings>(options: AccessOptions<Settings>): Promise<Access<Settings>> {
  const { service, roles, tableOf, settings, reviewToken, reviewRight, onRefusedWrite, clock, log } = options;
  const general = generalSettingsOf(service, settings);
  const localKeyFile = general['local-key-file'];
  const localTokens =
    localKeyFile === undefined ? undefined : await LocalTokens.open(localKeyFile, { name: service, roles }, clock, { isNamed: true });
  const issuers = [...(await oidcIssuers(options)), ...(localTokens === undefined ? [] : [localTokens.trusted()])];
  let policy = accessPolicyOf(service, roles, settings);
  let table = tableOf(settings);
  const listeners = new Set<() => void>();
  return {
    authenticate: authenticator({
      verifier: new TokenVerifier({ issuers, clock }),
      reviewToken,
      reviewRight,
      onRefusedWrite,
      policy: () => policy,
      table: () => table,
      clock,
      log,
    }),
    table: () => table,
    issuers: general.issuers,
    localTokens,
    update: (newer) => {
      policy = accessPolicyOf(service, roles, newer);
      table = tableOf(newer);
      for (const listener of listeners) listener();
    },
    onUpdate: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

async function oidcIssuers({
  service,
  settings,
  clock,
  log,
}: Pick<AccessOptions<AccessSettings>, 'service' | 'settings' | 'clock' | 'log'>): Promise<readonly TrustedIssuer[]> {
  const general = generalSettingsOf(service, settings);
  const readJson = jsonReader({ ca: await authorities(`${service}-issuer-ca-file`, general['issuer-ca-file']) });
  return general.issuers.map((issuer) => ({
    issuer,
    kind: 'oidc',
    audiences: general.audiences,
    keys: new IssuerKeys({ issuer, readJson, clock, log }),
    nameClaims: [...new Set([general['username-claim'], 'preferred_username', 'sub'])],
    groupsClaim: general['groups-claim'],
  }));
}

async function authorities(setting: string, path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  try {
    return await readFile(path, 'utf8');
  } catch (thrown) {
    throw new StatusError('invalid_argument', `${setting} ${path} cannot be read: ${messageOf(thrown)}`);
  }
}
