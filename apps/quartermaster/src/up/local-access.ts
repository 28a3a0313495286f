import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { LocalTokenOptions, LocalTokens } from '@quartermaster/auth';
import type { Clock } from '@quartermaster/kernel';
import { writeWhole } from '../files/write-whole.ts';

const filesForMs = 30 * 86_400_000;
const consoleForMs = 86_400_000;

/** Tokens for those who use an installation on this machine: in files that its user alone can read, and one for its console. */
export class LocalAccess {
  readonly keyFile: string;
  readonly #directory: string;
  readonly #tokens: LocalTokens;
  readonly #clock: Clock;
  #ofConsole: { readonly token: Promise<string>; readonly until: number } | undefined;

  private constructor(directory: string, keyFile: string, tokens: LocalTokens, clock: Clock) {
    this.#directory = directory;
    this.keyFile = keyFile;
    this.#tokens = tokens;
    this.#clock = clock;
  }

  static async open(directory: string, clock: Clock): Promise<LocalAccess> {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const keyFile = join(directory, 'token-key');
    const { openLocalTokens } = await import('@quartermaster/fulfillment');
    return new LocalAccess(directory, keyFile, await openLocalTokens(keyFile, clock), clock);
  }

  /** Of the console: it sees what a provider sees, and reads no secrets. Renewed long before it ends. */
  async consoleToken(): Promise<string> {
    if (this.#ofConsole === undefined || this.#ofConsole.until <= this.#clock.monotonic()) {
      const token = this.#tokens.issue({ name: 'console', role: 'provider', lifetimeMs: consoleForMs });
      this.#ofConsole = { token, until: this.#clock.monotonic() + consoleForMs / 2 };
    }
    return await this.#ofConsole.token;
  }

  /** A token for this run, which is kept nowhere. */
  async issue(options: Omit<LocalTokenOptions, 'lifetimeMs'>): Promise<string> {
    return await this.#tokens.issue({ ...options, lifetimeMs: consoleForMs });
  }

  /** Writes a token of somebody to `tokens/NAME` and returns the path. */
  async issueFile(options: Omit<LocalTokenOptions, 'lifetimeMs'>): Promise<string> {
    const folder = join(this.#directory, 'tokens');
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const path = join(folder, options.name);
    writeWhole(path, `${await this.#tokens.issue({ ...options, lifetimeMs: filesForMs })}\n`);
    return path;
  }
}
