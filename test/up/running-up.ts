import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { StatusError } from '@quartermaster/kernel';

const executable = fileURLToPath(new URL('../../apps/quartermaster/bin/quartermaster.mjs', import.meta.url));

export interface CommandResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

/** Runs one command of the executable to its end. */
export async function quartermaster(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<CommandResult> {
  const child = spawn(process.execPath, [executable, ...args], { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } });
  const exit = once(child, 'close') as Promise<[number | null]>;
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), exit]);
  return { stdout, stderr, exitCode: code ?? -1 };
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** One line of `up --json`. */
export interface UpEvent {
  readonly event: string;
  readonly step?: string;
  readonly state?: string;
  readonly detail?: string;
  readonly text?: string;
  readonly console?: string;
  readonly kubeconfig?: string;
}

export interface ReadyFacts {
  readonly console: string;
  readonly kubeconfig: string;
}

/** A real `quartermaster up --json` in a process of its own. */
export class RunningUp {
  readonly events: readonly UpEvent[];
  readonly #child: ChildProcess;
  readonly #exit: Promise<number | NodeJS.Signals>;
  readonly #stderr: Promise<string>;
  readonly #ready: Promise<ReadyFacts>;

  constructor(args: readonly string[]) {
    const child = spawn(process.execPath, [executable, 'up', '--json', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    const events: UpEvent[] = [];
    this.#child = child;
    this.events = events;
    this.#stderr = text(child.stderr);
    this.#exit = new Promise((resolve) => {
      child.once('close', (code, signal) => resolve(signal ?? code ?? -1));
    });
    const ready = new Promise<ReadyFacts>((resolve) => {
      createInterface({ input: child.stdout }).on('line', (line) => {
        const event = JSON.parse(line) as UpEvent;
        events.push(event);
        const { console: url = '', kubeconfig = '' } = event;
        if (event.event === 'ready') resolve({ console: url, kubeconfig });
      });
    });
    this.#ready = Promise.race([ready, this.#exit.then((code) => this.#failStart(code))]);
    // Who never asks whether it is ready has no use for the reason.
    this.#ready.catch(() => {});
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  ready(): Promise<ReadyFacts> {
    return this.#ready;
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /** The exit code, or the signal that ended it. */
  exited(): Promise<number | NodeJS.Signals> {
    return this.#exit;
  }

  stderr(): Promise<string> {
    return this.#stderr;
  }

  /** As Ctrl-C would; resolves with the exit code. */
  async stop(): Promise<number | NodeJS.Signals> {
    this.signal('SIGINT');
    return await this.#exit;
  }

  async #failStart(code: number | NodeJS.Signals): Promise<never> {
    throw new StatusError('unavailable', `up ended with ${code} before it was ready: ${await this.#stderr}`);
  }
}
