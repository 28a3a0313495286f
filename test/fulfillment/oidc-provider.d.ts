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

  export interface ProviderConfiguration {
    readonly jwks: { readonly keys: readonly object[] };
    readonly clients: readonly object[];
    readonly cookies: { readonly keys: readonly string[] };
    readonly features: {
      readonly devInteractions: { readonly enabled: boolean };
      readonly clientCredentials: { readonly enabled: boolean };
      readonly resourceIndicators: {
        readonly enabled: boolean;
        getResourceServerInfo(context: unknown, resource: string): ResourceServer;
      };
    };
    extraTokenClaims(context: unknown, token: { readonly clientId: string }): Readonly<Record<string, unknown>> | undefined;
  }

  export class Provider {
    constructor(issuer: string, configuration: ProviderConfiguration);
    callback(): (request: IncomingMessage, response: ServerResponse) => void;
  }
}
