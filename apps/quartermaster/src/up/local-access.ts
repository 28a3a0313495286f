import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { LocalTokenOptions, LocalTokens, TokenVerifier } from '@quartermaster/auth';
import { type Clock, StatusError } from '@quartermaster/kernel';
import { writeWhole } from '../files/write-whole.ts';
import { tokenServices } from '../roles/token-services.ts';

const filesForMs = 30 * 86_400_000;
const runForMs = 86_400_000;

/** For all roles of the installation, unless it says for which. */
type TokenFacts = Omit<LocalTokenOptions, 'lifetimeMs'>;

/** Tokens for those who use an installation on this machine, good for all its roles: in files that its user alone can read. */
export class LocalAccess {
  readonly keyFile: string;
  readonly #directory: string;
  readonly #tokens: LocalTokens;
  readonly #verifier: TokenVerifier;

  private constructor(directory: string, keyFile: string, tokens: LocalTokens, verifier: TokenVerifier) {
    this.#directory = directory;
    this.keyFile = keyFile;
    this.#tokens = tokens;
    this.#verifier = verifier;
  }

  static async open(directory: string, clock: Clock): Promise<LocalAccess> {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const keyFile = join(directory, 'token-key');
    const [{ openLocalTokens }, auth] = await Promise.all([import('@quartermaster/fulfillment'), import('@quartermaster/auth')]);
    const tokens = await openLocalTokens(keyFile, clock);
    return new LocalAccess(directory, keyFile, tokens, new auth.TokenVerifier({ issuers: [tokens.trusted()], clock }));
  }

  /** Resolves for the token of an administrator. */
  async admit(token: string | undefined): Promise<void> {
    const shown = token === undefined ? undefined : await this.#verifier.verify(token);
    if (shown?.role === 'admin') return;
    const wayOut = 'send the header "authorization: Bearer <token>" with a token of an administrator, which `up` has in a file';
    throw shown === undefined
      ? new StatusError('unauthenticated', `not authenticated: ${wayOut}`)
      : new StatusError('permission_denied', `${shown.name} is no administrator: ${wayOut}`);
  }

  /** A token for this run, which is kept nowhere. */
  async issue(options: TokenFacts): Promise<string> {
    return await this.#tokens.issue({ services: tokenServices, ...options, lifetimeMs: runForMs });
  }

  /** Writes a token of somebody to `tokens/NAME` and returns the path. */
  async issueFile(options: TokenFacts): Promise<string> {
    const folder = join(this.#directory, 'tokens');
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const path = join(folder, options.name);
    writeWhole(path, `${await this.#tokens.issue({ services: tokenServices, ...options, lifetimeMs: filesForMs })}\n`);
    return path;
  }
}
