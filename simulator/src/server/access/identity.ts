import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { Clock } from '@quartermaster/kernel';
import { badRequest, unauthorized } from '../../schema/api-status.ts';
import { type JsonObject, metaOf } from '../object/api-object.ts';
import type { Store } from '../store/store.ts';

export interface User {
  readonly username: string;
  readonly uid?: string | undefined;
  readonly groups: readonly string[];
  /** What else is known of who asks: the pod that a token is bound to, and its node. */
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

interface Named {
  readonly name: string;
  readonly uid: string;
}

interface TokenSubject extends Named {
  readonly namespace: string;
  /** The pod that the token is bound to: it ends with it. */
  readonly pod?: Named | undefined;
  /** Where that pod is. The uid is empty when there is no such node. */
  readonly node?: Named | undefined;
}

/** What a token says of its subject. */
interface TokenClaims {
  readonly namespace?: string | undefined;
  readonly serviceaccount?: Named | undefined;
  readonly pod?: Named | undefined;
  readonly node?: Named | undefined;
}

export const tokenIssuer = 'https://kubernetes.default.svc';
export const administrators = 'system:masters';

export interface IdentityParts {
  readonly store: Store;
  readonly clock: Clock;
  /** PEM of the key that signs the tokens of service accounts. */
  readonly tokenKey: string;
}

export const newTokenKey = (): string =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

/** Finds out who asks. What they may do is not its business: the simulator has no authorization. */
export class Identity {
  readonly #parts: IdentityParts;
  readonly #privateKey: KeyObject;
  readonly #publicKey: KeyObject;
  readonly #bySocket = new WeakMap<TLSSocket, User>(); // connection -> user of its certificate

  constructor(parts: IdentityParts) {
    this.#parts = parts;
    this.#privateKey = createPrivateKey(parts.tokenKey);
    this.#publicKey = createPublicKey(this.#privateKey);
  }

  /** The user of a request, acting for another where an administrator says so. Throws 401 for nobody known. */
  userOf(request: IncomingMessage): User {
    const user = this.#provenUser(request);
    const other = request.headers['impersonate-user'];
    if (other === undefined) return user;
    if (typeof other !== 'string' || !user.groups.includes(administrators)) throw unauthorized();
    const groups = request.headersDistinct['impersonate-group'] ?? [];
    return { username: other, groups: [...groups, 'system:authenticated'] };
  }

  /** The user of a token, or undefined when it is none of ours, has ended, or its account is gone. */
  userOfToken(token: string, audience = tokenIssuer): User | undefined {
    const claims = this.#claims(token);
    const subject = claims?.['kubernetes.io'] as TokenClaims | undefined;
    if (claims === undefined || subject?.namespace === undefined || subject.serviceaccount === undefined) return undefined;
    if (Number(claims['exp']) * 1000 <= this.#parts.clock.now()) return undefined;
    if (!((claims['aud'] ?? []) as readonly string[]).includes(audience)) return undefined;
    const { namespace, serviceaccount, pod } = subject;
    const isThere = (storageKey: string, { name, uid }: Named): boolean => {
      const object = this.#parts.store.get(storageKey, `${namespace}/${name}`);
      return object !== undefined && metaOf(object).uid === uid;
    };
    if (!isThere('/serviceaccounts', serviceaccount) || (pod !== undefined && !isThere('/pods', pod))) return undefined;
    return {
      username: `system:serviceaccount:${namespace}:${serviceaccount.name}`,
      uid: serviceaccount.uid,
      groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
      ...(pod === undefined ? {} : { extra: extraOf(subject) }),
    };
  }

  signToken({ namespace, name, uid, pod, node }: TokenSubject, audiences: readonly string[], expiresInSeconds: number): string {
    const now = Math.floor(this.#parts.clock.now() / 1000);
    const claims = {
      iss: tokenIssuer,
      aud: audiences,
      sub: `system:serviceaccount:${namespace}:${name}`,
      iat: now,
      nbf: now,
      exp: now + expiresInSeconds,
      'kubernetes.io': { namespace, serviceaccount: { name, uid }, pod, node },
    };
    const body = `${encode({ alg: 'ES256', typ: 'JWT' })}.${encode(claims)}`;
    const signature = sign('sha256', Buffer.from(body), { key: this.#privateKey, dsaEncoding: 'ieee-p1363' });
    return `${body}.${signature.toString('base64url')}`;
  }

  #provenUser(request: IncomingMessage): User {
    const { authorization } = request.headers;
    if (authorization !== undefined) {
      const [scheme = '', token = ''] = authorization.split(' ');
      const user = scheme.toLowerCase() === 'bearer' ? this.userOfToken(token.trim()) : undefined;
      if (user === undefined) throw unauthorized();
      return user;
    }
    const socket = request.socket as TLSSocket;
    const user = this.#bySocket.get(socket) ?? certificateUser(socket);
    if (user === undefined) throw unauthorized();
    this.#bySocket.set(socket, user);
    return user;
  }

  #claims(token: string): JsonObject | undefined {
    const [head = '', body = '', signature = ''] = token.split('.');
    const isOurs = verify(
      'sha256',
      Buffer.from(`${head}.${body}`),
      { key: this.#publicKey, dsaEncoding: 'ieee-p1363' },
      Buffer.from(signature, 'base64url'),
    );
    return isOurs ? (JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) as JsonObject) : undefined;
  }
}

const extraOf = ({ pod, node }: TokenClaims): Record<string, readonly string[]> => {
  const facts = { 'pod-name': pod?.name, 'pod-uid': pod?.uid, 'node-name': node?.name, 'node-uid': node?.uid };
  const known = Object.entries(facts).filter(([, value]) => value !== undefined && value !== '');
  return Object.fromEntries(known.map(([name, value]) => [`authentication.kubernetes.io/${name}`, [value ?? '']]));
};

/** Several organizations come as a list. */
interface CertificateSubject {
  readonly CN?: string | string[] | undefined;
  readonly O?: string | string[] | undefined;
}

function certificateUser(socket: TLSSocket): User | undefined {
  if (!socket.authorized) return undefined;
  const { CN, O = [] } = socket.getPeerCertificate().subject as CertificateSubject;
  return typeof CN === 'string' ? { username: CN, groups: [...(Array.isArray(O) ? O : [O]), 'system:authenticated'] } : undefined;
}

const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');

/** The length of a token's life as a TokenRequest asks for it. */
export function tokenSeconds(asked: number | undefined): number {
  if (asked === undefined) return 3600;
  if (asked < 600) throw badRequest('spec.expirationSeconds: may not specify a duration less than 10 minutes');
  return asked;
}
