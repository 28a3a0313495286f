import type { TokenAccess } from './token-claims.ts';

/** Who called the gateway, and what proved it. */
export interface Tenant {
  /** The account, as the market knows it. */
  readonly owner: string;
  readonly proof: 'certificate' | 'token';
  /** Of the key among those of the owner that proved it: once it is gone, so is the right. */
  readonly fingerprint: string;
  /** When what was shown ends, wall clock, milliseconds. */
  readonly endsAt: number;
  /** What a token is for; a certificate is for everything. */
  readonly access: TokenAccess;
}
