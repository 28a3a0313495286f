/**
 * Tokens that the service issues itself, for installations without an identity provider: an Ed25519 key in a file signs them, and they are verified
 * as those of any issuer. Whoever can read the file is an administrator.
 */
import { randomUUID } from 'node:crypto';
import { type Clock, messageOf, StatusError } from '@quartermaster/kernel';
import { type CryptoKey, createLocalJWKSet, exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose';
import * as z from 'zod';
import { type CallerRoles, roleNamed } from './caller-role.ts';
import { readOrMake, type SecretFileOptions } from './secret-file.ts';
import { isSourceName, sourceNameRule } from './source-name.ts';
import type { TrustedIssuer } from './token-verifier.ts';

const localIssuer = 'urn:quartermaster:local';
const algorithm = 'EdDSA';

const keyFile = z.object({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  kid: z.string().min(1),
  x: z.string().min(1),
  d: z.string().min(1),
});

export interface LocalTokenOptions {
  readonly name: string;
  readonly role: string;
  /** The tenants that the caller belongs to, for a role that does not see all of them. */
  readonly groups?: readonly string[] | undefined;
  /** The source that the caller speaks for, for a role that speaks for one. */
  readonly source?: string | undefined;
  readonly lifetimeMs: number;
  /** The services of the installation that take it, each with the role that it has there by this name; the one that issues it unless given. They read the same key file. */
  readonly services?: readonly string[] | undefined;
  /** By which it can be revoked; a new UUID unless given. */
  readonly id?: string | undefined;
}

/** The service that issues the tokens and accepts them. */
export interface LocalTokenService {
  /** Its name: a token is made for it, and for others only where that is said. */
  readonly name: string;
  readonly roles: CallerRoles;
}

export class LocalTokens {
  readonly #key: CryptoKey;
  readonly #publicKey: JWK;
  readonly #service: LocalTokenService;
  readonly #clock: Clock;

  private constructor(key: CryptoKey, publicKey: JWK, service: LocalTokenService, clock: Clock) {
    this.#key = key;
    this.#publicKey = publicKey;
    this.#service = service;
    this.#clock = clock;
  }

  /** Reads the key, and makes one when there is no file. Several processes may do so at once: one key wins, and all use it. */
  static async open(path: string, service: LocalTokenService, clock: Clock, file?: SecretFileOptions): Promise<LocalTokens> {
    const text = await readOrMake(path, newKey, file).catch((thrown: unknown) => {
      throw unusable(path, messageOf(thrown));
    });
    const jwk = parseKey(path, text);
    const key = await importJWK(jwk, algorithm).catch((thrown: unknown) => {
      throw unusable(path, messageOf(thrown));
    });
    if (key instanceof Uint8Array) throw unusable(path, 'it is not a key pair');
    const { kty, crv, kid, x } = jwk;
    return new LocalTokens(key, { kty, crv, kid, x, alg: algorithm, use: 'sig' }, service, clock);
  }

  async issue({
    name,
    role,
    groups = [],
    source,
    lifetimeMs,
    services = [this.#service.name],
    id = randomUUID(),
  }: LocalTokenOptions): Promise<string> {
    const declared = roleNamed(this.#service.roles, role);
    if (declared === undefined) {
      throw new StatusError('invalid_argument', `field "role": must be one of ${Object.keys(this.#service.roles).join(', ')}`);
    }
    if (declared.hasSource === true && source === undefined) {
      throw new StatusError('invalid_argument', `field "source": a token of the role ${role} requires a source`);
    }
    if (source !== undefined && !isSourceName(source)) throw new StatusError('invalid_argument', `field "source": ${sourceNameRule}`);
    if (declared.tenants === 'own' && groups.length === 0) {
      throw new StatusError('invalid_argument', `field "groups": a token of the role ${role} requires at least one tenant`);
    }
    const now = Math.floor(this.#clock.now() / 1000);
    const { kid = '' } = this.#publicKey;
    return await new SignJWT({ username: name, role, groups: [...groups], source })
      .setProtectedHeader({ alg: algorithm, kid, typ: 'JWT' })
      .setIssuer(localIssuer)
      .setAudience(services.map(audienceOf))
      .setSubject(name)
      .setJti(id)
      .setIssuedAt(now)
      .setExpirationTime(now + Math.floor(lifetimeMs / 1000))
      .sign(this.#key);
  }

  /** What makes a verifier accept them. */
  trusted(): TrustedIssuer {
    return {
      issuer: localIssuer,
      kind: 'local',
      audiences: [audienceOf(this.#service.name)],
      keys: { generation: 0, find: createLocalJWKSet({ keys: [this.#publicKey] }) },
      nameClaims: ['username'],
      groupsClaim: 'groups',
    };
  }
}

const audienceOf = (service: string): string => `urn:quartermaster:${service}`;

async function newKey(): Promise<string> {
  const { privateKey } = await generateKeyPair(algorithm, { crv: 'Ed25519', extractable: true });
  return `${JSON.stringify({ ...(await exportJWK(privateKey)), kid: randomUUID() })}\n`;
}

function parseKey(path: string, text: string): z.output<typeof keyFile> {
  try {
    return keyFile.parse(JSON.parse(text));
  } catch {
    // What went wrong could quote the key.
    throw unusable(path, 'it is not an Ed25519 private key in JWK form');
  }
}

function unusable(path: string, why: string): StatusError {
  return new StatusError(
    'invalid_argument',
    `the key of local tokens in ${path} cannot be used: ${why}. Remove the file to generate a new one`,
  );
}
