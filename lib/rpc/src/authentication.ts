import { isLoopback, StatusError } from '@quartermaster/kernel';

/** Who calls. */
export interface Identity {
  readonly kind: 'anonymous' | 'token' | 'certificate';
  readonly name: string;
  readonly groups: readonly string[];
  /** Of a token: who says whose it is. Only a name that the cluster's TokenReview gave is one that the cluster can be asked about. */
  readonly vouchedBy?: 'token-review' | 'issuer' | undefined;
}

export const anonymous: Identity = { kind: 'anonymous', name: '', groups: [] };

/** What a TLS handshake proved of the caller. */
export interface PeerCertificate {
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** SHA-256. */
  readonly fingerprint: string;
  /** In milliseconds since the epoch. Absent where who asks need not know. */
  readonly startsAt?: number | undefined;
  /** In milliseconds since the epoch. A connection may be older than that: it was checked when the connection was made. */
  readonly endsAt: number;
}

/** What a caller shows. */
export interface Caller {
  readonly method: string;
  readonly peer: string;
  /** Of the header `authorization: Bearer …`. */
  readonly token: string | undefined;
  /** The header as it came, also where it holds no token. */
  readonly authorization?: string | undefined;
  /** Verified against the server's authorities for clients. */
  readonly certificate: PeerCertificate | undefined;
  /** One that nobody vouches for, of a server that takes such ones: the caller has its key, and may have written into it what it likes. */
  readonly ownCertificate?: PeerCertificate | undefined;
  /** To be told who it is as soon as that is certain, whether or not it may call this. Throws `resource_exhausted` when it calls too often. */
  readonly known?: ((identity: Identity) => void) | undefined;
}

/** Says who a caller is, or throws `unauthenticated` or `permission_denied`. */
export type Authenticate = (caller: Caller, signal: AbortSignal) => Promise<Identity> | Identity;

/** Whoever comes, with the name of its certificate if it has one. */
export const trustEveryone: Authenticate = ({ certificate }) => (certificate === undefined ? anonymous : identityOf(certificate));

/** As Kubernetes reads a client certificate: the common name is the user, organizations are the groups. */
function identityOf(certificate: PeerCertificate): Identity {
  return { kind: 'certificate', name: certificate.commonName, groups: certificate.organizations };
}

/** How a server keeps its callers and what they send. */
export interface Exposure {
  readonly tls?: { serverOptions(): { readonly requestCert?: boolean | undefined } } | undefined;
  readonly authenticate?: Authenticate | undefined;
  /** A person said that what is in front of the server does both. */
  readonly allowInsecure?: boolean | undefined;
}

/** Refuses to serve others in plain text or without knowing who they are. */
export function checkExposure(host: string, { tls, authenticate, allowInsecure }: Exposure): void {
  if (isLoopback(host) || allowInsecure === true) return;
  const isKnown = authenticate !== undefined || tls?.serverOptions().requestCert === true;
  const missing = [...(tls === undefined ? ['TLS'] : []), ...(isKnown ? [] : ['authentication'])];
  if (missing.length === 0) return;
  throw new StatusError(
    'invalid_argument',
    `address ${host} is reachable from other machines and ${missing.join(' and ')} is not set up: set it up, listen on 127.0.0.1, or allow it explicitly`,
  );
}
