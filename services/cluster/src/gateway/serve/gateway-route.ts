import { StatusError } from '@quartermaster/kernel';
import type { TenantSocket } from '../streams/tenant-socket.ts';
import type { Tenant } from '../who/tenant.ts';
import type { HttpAnswer } from './http-answer.ts';

export interface RouteRequest {
  /** Named parts of the path, decoded. */
  readonly parts: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Of whoever connects, `192.0.2.7:51432`. */
  readonly peer: string;
  /** Aborts when the caller has gone. */
  readonly signal: AbortSignal;
}

export interface TenantRequest extends RouteRequest {
  readonly tenant: Tenant;
}

/** What is said on a stream, once it is open. Its end is the end of the stream; what it throws is told to the tenant. */
export type Talk = (socket: TenantSocket) => Promise<void>;

interface Place {
  readonly method: 'GET' | 'PUT' | 'POST';
  /** `/lease/{dseq}/status` */
  readonly path: string;
}

/** One thing that the gateway serves. */
export type GatewayRoute = Place &
  (
    | { readonly kind: 'public'; readonly answer: (request: RouteRequest) => Promise<HttpAnswer> }
    | {
        readonly kind: 'answer';
        readonly maxBodyBytes?: number;
        readonly answer: (request: TenantRequest, body: string) => Promise<HttpAnswer>;
      }
    /** Whatever can be said against it is said before the stream is open, where the protocol has a status for it. */
    | { readonly kind: 'stream'; readonly open: (request: TenantRequest) => Promise<Talk> }
  );

export interface FoundRoute {
  readonly route: GatewayRoute;
  readonly parts: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
}

interface Compiled {
  readonly route: GatewayRoute;
  readonly pattern: RegExp;
}

const longestPart = 253;

/** Finds what a request is for. */
export class RouteTable {
  readonly #routes: readonly Compiled[];

  constructor(routes: readonly GatewayRoute[]) {
    this.#routes = routes.map((route) => ({
      route,
      pattern: new RegExp(`^${route.path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => `(?<${name}>[^/]+)`)}$`),
    }));
  }

  /** Throws `not_found` for a path that is not served, `invalid_argument` for one that cannot be read. */
  find(method: string, url: string): FoundRoute {
    const at = url.indexOf('?');
    const path = at < 0 ? url : url.slice(0, at);
    for (const { route, pattern } of this.#routes) {
      const found = route.method === method ? pattern.exec(path) : null;
      if (found === null) continue;
      const parts = Object.fromEntries(Object.entries(found.groups ?? {}).map(([name, part]) => [name, decoded(name, part)]));
      return { route, parts, query: new URLSearchParams(at < 0 ? '' : url.slice(at + 1)) };
    }
    throw new StatusError('not_found', `nothing is served at ${method.slice(0, 16)} ${path.slice(0, 200)}`);
  }
}

function decoded(name: string, part: string): string {
  let text: string;
  try {
    text = decodeURIComponent(part);
  } catch {
    throw new StatusError('invalid_argument', `${name} in the path: has invalid percent-encoding`);
  }
  if (text.length <= longestPart) return text;
  throw new StatusError('invalid_argument', `${name} in the path: must have at most ${longestPart} characters`);
}
