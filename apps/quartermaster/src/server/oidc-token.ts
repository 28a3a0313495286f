import { type Clock, messageOf, StatusError, systemClock } from '@quartermaster/kernel';
import { isLoopback } from '@quartermaster/rpc';
import type { Configuration, TokenEndpointResponse } from 'openid-client';
import type { OidcLogin } from './contexts-file.ts';

export interface OidcClient {
  readonly issuer: string;
  readonly clientId: string;
  /** Sent with every request to the issuer: `scope`, `resource`, `audience`. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** What a person has to do for a login by device code. */
export interface DevicePrompt {
  /** Where to go; with the code in it where the issuer can do that. */
  readonly address: string;
  readonly code: string;
  readonly expiresInSeconds: number;
}

/** A token that is used up before its end is not worth sending. */
const marginMs = 30_000;

/** Shows a code to a person and waits until somebody has confirmed it at the issuer, on this or on another device. */
export async function deviceLogin(
  client: OidcClient,
  prompt: (prompt: DevicePrompt) => void,
  signal: AbortSignal,
  clock: Clock = systemClock,
): Promise<OidcLogin> {
  const { initiateDeviceAuthorization, pollDeviceAuthorizationGrant } = await import('openid-client');
  const configuration = await discovered(client);
  try {
    const started = await initiateDeviceAuthorization(configuration, client.parameters);
    prompt({
      address: started.verification_uri_complete ?? started.verification_uri,
      code: started.user_code,
      expiresInSeconds: started.expires_in,
    });
    return loginOf(client, await pollDeviceAuthorizationGrant(configuration, started, ofToken(client), { signal }), clock);
  } catch (thrown) {
    if (signal.aborted) throw new StatusError('failed_precondition', 'the login was interrupted: nothing was saved');
    const refusal = refusalOf(thrown);
    const text = deviceRefusals[refusal] ?? 'it refused';
    throw new StatusError('unauthenticated', `${client.issuer} gave no token: ${text} (${refusal}); log in again`, { cause: thrown });
  }
}

// What issuers answer instead of a token -> what happened
const deviceRefusals: Readonly<Record<string, string>> = {
  access_denied: 'the code was denied',
  expired_token: 'nobody confirmed the code in time',
};

/** The token of a saved login: as it is while it lasts, and renewed after that. `save` keeps what was renewed. */
export function oidcToken(login: OidcLogin, save: (login: OidcLogin) => void, clock: Clock = systemClock): () => Promise<string> {
  let current = login;
  let renewal: Promise<string> | undefined; // one at a time: a refresh token may be good for one use
  const renew = async (): Promise<string> => {
    current = await renewed(current, clock);
    save(current);
    return current.accessToken;
  };
  return async () => {
    if (current.expiresAt === undefined || current.expiresAt - marginMs > clock.now()) return current.accessToken;
    renewal ??= renew().finally(() => {
      renewal = undefined;
    });
    return await renewal;
  };
}

async function renewed(login: OidcLogin, clock: Clock): Promise<OidcLogin> {
  const { issuer, refreshToken } = login;
  const again = 'log in again with `quartermaster login ADDRESS`';
  if (refreshToken === undefined) throw new StatusError('unauthenticated', `the login at ${issuer} has ended: ${again}`);
  const { refreshTokenGrant } = await import('openid-client');
  const configuration = await discovered(login);
  try {
    const answer = await refreshTokenGrant(configuration, refreshToken, ofToken(login));
    return { ...loginOf(login, answer, clock), refreshToken: answer.refresh_token ?? refreshToken };
  } catch (thrown) {
    throw new StatusError('unauthenticated', `the login at ${issuer} could not be renewed (${refusalOf(thrown)}): ${again}`, {
      cause: thrown,
    });
  }
}

async function discovered({ issuer, clientId }: OidcClient): Promise<Configuration> {
  const address = URL.parse(issuer);
  if (address === null)
    throw new StatusError('invalid_argument', `the issuer "${issuer}" must be an address such as https://login.example.com`);
  // Marked as deprecated so that nobody uses it lightly. An issuer on this machine needs no certificate, and the service trusts such a one, too.
  // oxlint-disable-next-line typescript/no-deprecated
  const { allowInsecureRequests, discovery, None } = await import('openid-client');
  const execute = address.protocol === 'http:' && isLoopback(address.hostname) ? [allowInsecureRequests] : [];
  try {
    return await discovery(address, clientId, undefined, None(), { execute });
  } catch (thrown) {
    throw new StatusError('unavailable', `the issuer ${issuer} cannot be reached: ${messageOf(thrown)}`, { cause: thrown });
  }
}

function loginOf({ issuer, clientId, parameters }: OidcClient, answer: TokenEndpointResponse, clock: Clock): OidcLogin {
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: expiresIn } = answer;
  return {
    issuer,
    clientId,
    parameters: { ...parameters },
    accessToken,
    refreshToken,
    expiresAt: expiresIn === undefined ? undefined : clock.now() + expiresIn * 1000,
  };
}

/** Scopes belong to the first request only: a later one without them asks for the same. */
function ofToken({ parameters }: OidcClient): Record<string, string> {
  const { scope: _scope, ...rest } = parameters;
  return rest;
}

/** What the issuer says: `access_denied`, `expired_token`; never what was sent to it. */
function refusalOf(thrown: unknown): string {
  if (thrown instanceof Error && 'error' in thrown && typeof thrown.error === 'string') return thrown.error;
  return messageOf(thrown);
}
