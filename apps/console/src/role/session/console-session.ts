import * as z from 'zod';
import { signInWays } from '../../session-view.ts';

/** Somebody who signed in, as the sealed cookie has it. */
export const sealedSession = z.object({
  way: z.enum(signInWays),
  /** What upstreams are asked with. */
  token: z.string().min(1),
  /** Of an issuer that gives one. */
  refreshToken: z.string().min(1).optional(),
  /** When the token ends, in milliseconds since the epoch; undefined where it does not say. */
  tokenEndsAt: z.number().optional(),
  /** How long its tokens last, for renewals that do not say. */
  tokenLifetimeMs: z.number().optional(),
  /** Of the key that the page of this sign-in has; see `newSessionKey`. */
  keyHash: z.string().min(1),
  /** When the session ends, whatever the token says. */
  endsAt: z.number(),
});

export type SealedSession = z.output<typeof sealedSession>;

/** The first moment in which the session is of no use: its token is renewed before, or it is over. */
export const endOf = ({ tokenEndsAt, endsAt }: SealedSession): number => Math.min(tokenEndsAt ?? endsAt, endsAt);
