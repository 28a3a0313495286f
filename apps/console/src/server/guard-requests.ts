import { randomBytes } from 'node:crypto';
import { StatusError } from '@quartermaster/kernel';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { consoleHeader } from '../console-session.ts';
import { loopbackSite, refusalOf, type Site } from './request-guard.ts';
import { securityHeaders } from './security-headers.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Allows the inline styles of this one answer. */
    nonce: string;
  }
}

/** Gives every answer its headers, and refuses requests that come from elsewhere than the console's own pages. */
export function guardRequests(server: FastifyInstance, site: Site = loopbackSite): void {
  server.decorateRequest('nonce', '');
  server.addHook('onRequest', async (request, reply) => {
    const nonce = randomBytes(16).toString('base64');
    request.nonce = nonce;
    reply.headers(securityHeaders(nonce, { isSecure: site.scheme === 'https' }));
    const refusal = refusalOf(
      {
        host: request.headers.host,
        origin: request.headers.origin,
        fetchSite: isNavigation(request) ? undefined : headerOf(request, 'sec-fetch-site'),
      },
      site,
    );
    if (refusal !== undefined) throw new StatusError('permission_denied', refusal);
  });
}

/** What changes something comes from our own pages alone, and they say so. */
export function requireOwnPage({ method, headers }: FastifyRequest, site: Site = loopbackSite): void {
  if (method === 'GET' || method === 'HEAD') return;
  if (isOfOwnOrigin(headers, site) && headers[consoleHeader] !== undefined) return;
  throw new StatusError(
    'permission_denied',
    `only the console's own pages may change something here: use the service itself, or send its Origin and ${consoleHeader}`,
  );
}

/** A WebSocket, which pages of every origin may open with the cookies of this one, is for our own pages: browsers always say whose page asks. */
export function requireOwnOrigin({ headers }: FastifyRequest, site: Site = loopbackSite): void {
  if (isOfOwnOrigin(headers, site)) return;
  throw new StatusError('permission_denied', "only the console's own pages may open a WebSocket here: send its Origin");
}

const isOfOwnOrigin = ({ origin, host }: FastifyRequest['headers'], site: Site): boolean =>
  origin !== undefined && host !== undefined && site.isOwnOrigin(origin, host);

/** A link on another site may open the console: what it opens, that site cannot read. */
const isNavigation = (request: FastifyRequest): boolean => headerOf(request, 'sec-fetch-mode') === 'navigate';

function headerOf(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}
