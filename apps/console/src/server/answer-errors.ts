import { httpStatus, type Log, messageOf, StatusError } from '@quartermaster/kernel';
import type { FastifyInstance } from 'fastify';

/** Every failure is `{ code, message, details }`; one that nobody expected is logged and says nothing of itself. */
export function answerErrors(server: FastifyInstance, log: Log): void {
  server.setNotFoundHandler((request) => {
    throw new StatusError('not_found', `there is no ${request.method} ${request.url}`);
  });
  server.setErrorHandler((error, _request, reply) => {
    if (error instanceof StatusError && error.code !== 'internal') {
      const { code, message, details } = error;
      return reply.code(httpStatus[code]).send({ code, message, details });
    }
    // Whoever asked has gone, or may ask no longer: no failure of the console.
    if (error instanceof Error && error.name === 'AbortError')
      return reply.code(503).send({ code: 'unavailable', message: 'the request was cancelled: send it again' });
    const status = statusOf(error);
    if (status < 500) return reply.code(status).send({ code: 'invalid_argument', message: messageOf(error) });
    log.error('the console failed to answer', { error: messageOf(error) });
    return reply.code(500).send({ code: 'internal', message: 'the console failed to answer; its log says why' });
  });
}

function statusOf(error: unknown): number {
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined;
  return typeof status === 'number' && status >= 400 ? status : 500;
}
