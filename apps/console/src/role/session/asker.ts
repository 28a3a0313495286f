import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SealedSession } from './console-session.ts';

/** Who asks, for a route behind the sign-in. */
export interface Asker {
  readonly session: SealedSession;
  /** Aborts when the browser has gone, the session has ended or the role stops. */
  readonly signal: AbortSignal;
  /** The signal for what goes on for long: it also aborts when no service knows the caller any more. */
  whileKnown(): AbortSignal;
  /** Throws unless it is one of those who run the installation. */
  requireStaff(): Promise<void>;
  /** Throws unless it is one of those who may see pods and Events; being staff is not enough. */
  requireClusterReader(): Promise<void>;
  /** Throws unless it is one of those who may read the logs of pods. */
  requireLogReader(): Promise<void>;
  /** The signal for what goes on for long: it also aborts when that right is taken away. */
  whileLogReader(): AbortSignal;
}

export type AskerOf = (request: FastifyRequest, reply: FastifyReply) => Asker;
