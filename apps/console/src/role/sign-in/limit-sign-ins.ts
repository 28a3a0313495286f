import type { Clock } from '@quartermaster/kernel';
import { CallLimits } from '@quartermaster/rpc';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { sessionPath } from '../../console-session.ts';

/** Twenty guesses at once and five a second, each of which a service is asked about. A tenth of it is for those who are not known. */
const perSecond = 50;

/**
 * Turns browsers away that keep signing in with what nobody knows. The services see all of them come from the console's address, and would count what one
 * guesses against everybody who signs in here. A sign-in that succeeds counts for nothing. One that comes to nothing counts whatever the reason: while one service
 * cannot be asked, guesses that another refuses are told apart from it by nobody.
 */
export function limitSignIns(server: FastifyInstance, clock: Clock): void {
  const limits = new CallLimits({ perSecond, clock });
  server.addHook('onRequest', async (request) => {
    if (isSignIn(request)) limits.arrived(peerOf(request), undefined);
  });
  server.addHook('onResponse', async (request, { statusCode }) => {
    if (statusCode < 400 && isSignIn(request)) limits.admitted(peerOf(request));
  });
}

/** With a token, the code of a link or an issuer, or for a link. */
const isSignIn = ({ method, routeOptions: { url = '' } }: FastifyRequest): boolean =>
  method === 'POST' && (url === sessionPath || url.startsWith(`${sessionPath}/`));

const peerOf = ({ ip, socket }: FastifyRequest): string => `${ip}:${socket.remotePort ?? ''}`;
