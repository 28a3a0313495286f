import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CallerFacts } from '../../console-session.ts';
import type { SealedSession } from './console-session.ts';

/** Who asks, for a route behind the sign-in. */
export interface Asker {
  readonly session: SealedSession;
  /** Aborts when the browser has gone, the session has ended or the role stops. */
  readonly signal: AbortSignal;
  /** Throws unless it is one of those who run the installation. */
  requireStaff(): Promise<CallerFacts>;
  /** Throws unless it is one of those who may see pods, logs and Events; being staff is not enough. */
  requireClusterReader(): Promise<void>;
  /** The signal for what goes on for long: it also aborts when that right is taken away. */
  whileClusterReader(): AbortSignal;
}

export type AskerOf = (request: FastifyRequest, reply: FastifyReply) => Asker;
