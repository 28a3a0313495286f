import { readFile } from 'node:fs/promises';
import { type Clock, type Log, messageOf, StatusError } from '@quartermaster/kernel';
import type { ReviewToken } from '@quartermaster/kube';
import type { Authenticate } from '@quartermaster/rpc';
import { type AccessSettings, accessPolicyOf } from './access-settings.ts';
import { authenticator, type RefusedWrite } from './authenticator.ts';
import { IssuerKeys } from './issuer-keys.ts';
import { LocalTokens } from './local-tokens.ts';
import { jsonReader } from './read-json.ts';
import { TokenVerifier, type TrustedIssuer } from './token-verifier.ts';

export interface AccessOptions {
  readonly settings: AccessSettings;
  /** Whose a token of Kubernetes is; without it, service accounts are not known. */
  readonly reviewToken?: ReviewToken;
  readonly onRefusedWrite?: (refused: RefusedWrite) => void;
  readonly clock: Clock;
  readonly log: Log;
}

/** Who may call the service, as its settings say. */
export interface Access {
  readonly authenticate: Authenticate;
  /** Where clients log in. */
  readonly issuers: readonly string[];
  /** Issues tokens; undefined where the settings name no key for them. */
  readonly localTokens: LocalTokens | undefined;
  /** Takes over roles from newer settings: from the next call on, and for the streams that are open. */
  update(settings: AccessSettings): void;
  /** Calls back after every update; returns what ends that. */
  onUpdate(listener: () => void): () => void;
}

/** Reads the files that the settings name. Issuers are asked when their first token comes, so that one that is away keeps nobody else out. */
export async function openAccess(options: AccessOptions): Promise<Access> {
  const { settings, reviewToken, onRefusedWrite, clock, log } = options;
  const localKeyFile = settings['fulfillment-local-key-file'];
  const localTokens = localKeyFile === undefined ? undefined : await LocalTokens.open(localKeyFile, clock);
  const issuers = [...(await oidcIssuers(options)), ...(localTokens === undefined ? [] : [localTokens.trusted()])];
  let policy = accessPolicyOf(settings);
  const listeners = new Set<() => void>();
  return {
    authenticate: authenticator({
      verifier: new TokenVerifier({ issuers, clock }),
      ...(reviewToken === undefined ? {} : { reviewToken }),
      ...(onRefusedWrite === undefined ? {} : { onRefusedWrite }),
      policy: () => policy,
      clock,
      log,
    }),
    issuers: settings['fulfillment-issuers'],
    localTokens,
    update: (newer) => {
      policy = accessPolicyOf(newer);
      for (const listener of listeners) listener();
    },
    onUpdate: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

async function oidcIssuers({ settings, clock, log }: AccessOptions): Promise<readonly TrustedIssuer[]> {
  const ca = await authorities(settings['fulfillment-issuer-ca-file']);
  const readJson = jsonReader(ca === undefined ? {} : { ca });
  return settings['fulfillment-issuers'].map((issuer) => ({
    issuer,
    kind: 'oidc',
    audiences: settings['fulfillment-audiences'],
    keys: new IssuerKeys({ issuer, readJson, clock, log }),
    nameClaims: [...new Set([settings['fulfillment-username-claim'], 'preferred_username', 'sub'])],
    groupsClaim: settings['fulfillment-groups-claim'],
  }));
}

async function authorities(path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  try {
    return await readFile(path, 'utf8');
  } catch (thrown) {
    throw new StatusError('invalid_argument', `fulfillment-issuer-ca-file ${path} cannot be read: ${messageOf(thrown)}`);
  }
}
