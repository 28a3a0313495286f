import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const executable = fileURLToPath(new URL('../../apps/quartermaster/bin/quartermaster.mjs', import.meta.url));

/** A command that goes on, and what it has said so far. */
export class RunningCommand {
  out = '';
  err = '';
  readonly #child: ChildProcess;
  readonly #exit: Promise<unknown[]>;

  constructor(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
    const child = spawn(process.execPath, [executable, ...args], { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } });
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.out += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.err += text;
    });
    this.#child = child;
    this.#exit = once(child, 'close');
  }

  async interrupt(): Promise<unknown> {
    this.#child.kill('SIGINT');
    return await this.exitCode();
  }

  closeOutput(): void {
    this.#child.stdout?.destroy();
  }

  async exitCode(): Promise<unknown> {
    return (await this.#exit)[0];
  }
}
