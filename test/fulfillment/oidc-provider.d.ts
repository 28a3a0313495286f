/** What the tests use of the package, which has no types of its own. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  export interface ResourceServer {
    readonly scope: string;
    readonly audience?: string;
    readonly accessTokenFormat: 'jwt';
    readonly accessTokenTTL?: number;
    readonly jwt: { readonly sign: { readonly alg: string } };
  }

  /** What a person has granted to a client. */
  export interface Grant {
    addOIDCScope(scope: string): void;
    save(): Promise<string>;
  }

  export interface OidcContext {
    readonly oidc: {
      readonly client: { readonly clientId: string };
      readonly session?: { readonly accountId?: string };
      readonly provider: Provider;
    };
  }

  export interface ProviderConfiguration {
    readonly jwks: { readonly keys: readonly object[] };
    readonly clients: readonly object[];
    readonly cookies: { readonly keys: readonly string[] };
    readonly features: {
      readonly devInteractions: { readonly enabled: boolean };
      readonly clientCredentials: { readonly enabled: boolean };
      readonly deviceFlow: { readonly enabled: boolean };
      readonly revocation: { readonly enabled: boolean; allowedPolicy(): boolean };
      readonly resourceIndicators: {
        readonly enabled: boolean;
        getResourceServerInfo(context: OidcContext, resource: string): ResourceServer;
      };
    };
    readonly interactions: { url(context: OidcContext, interaction: { readonly uid: string }): string };
    readonly ttl: Readonly<Record<string, (context: OidcContext, token: unknown, client: { readonly clientId: string }) => number>>;
    findAccount(context: OidcContext, id: string): { readonly accountId: string; claims(): { readonly sub: string } };
    loadExistingGrant(context: OidcContext): Promise<Grant>;
    issueRefreshToken(context: OidcContext, client: unknown, source: { readonly scopes: ReadonlySet<string> }): boolean;
    extraTokenClaims(
      context: OidcContext,
      token: { readonly clientId: string; readonly accountId?: string },
    ): Readonly<Record<string, unknown>> | undefined;
  }

  export class Provider {
    constructor(issuer: string, configuration: ProviderConfiguration);
    readonly Grant: new (parts: {
      readonly accountId: string | undefined;
      readonly clientId: string;
    }) => Grant;
    callback(): (request: IncomingMessage, response: ServerResponse) => void;
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>;
  }
}
