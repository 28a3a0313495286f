import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestFulfillment } from '@quartermaster/fulfillment/testing';
import { vi } from 'vitest';
import { run } from './run-program.ts';

/** Where the command line of a test file keeps its logins, and the test its files. */
export class LoginFolder {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  static make(): LoginFolder {
    return new LoginFolder(mkdtempSync(join(tmpdir(), 'quartermaster-cli-')));
  }

  /** From here on commands find their logins here, until the environment is put back. */
  use(): void {
    vi.stubEnv('XDG_CONFIG_HOME', join(this.path, 'config'));
  }

  file(name: string, text: string): string {
    const path = join(this.path, name);
    writeFileSync(path, text);
    return path;
  }

  /** As somebody who logged in with a token. */
  async add(service: TestFulfillment, name: string, caller: Parameters<TestFulfillment['token']>[0]) {
    const tokenFile = this.file(`${name}.token`, `${await service.token(caller)}\n`);
    return await run('login', service.grpcAddress, '--name', name, '--token-file', tokenFile);
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
