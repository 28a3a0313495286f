import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { StatusError } from '@quartermaster/kernel';
import { runProgram } from '@quartermaster/quartermaster/program';

const executable = fileURLToPath(new URL('../../apps/quartermaster/bin/quartermaster.mjs', import.meta.url));

/** Less than a test may take, and more than `up` gives itself in either way. */
const lateMs = 50_000;

/** How long `up` gives itself to stop: as long as a busy machine may need for it, or the time that people are promised. */
const stopTimes = { patient: { QUARTERMASTER_TEST_STOP_MS: '40000' }, promised: {} } as const;

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

/**
 * The same in this process: for what a command says, which does not need a process to be started. What a process does with its output, its signals and
 * its end is not seen.
 */
export async function quartermasterInProcess(...args: readonly string[]): Promise<CommandResult> {
  const written = { out: '', err: '' };
  const stream = (name: 'out' | 'err') => ({ write: (words: string) => (written[name] += words) });
  const exitCode = await runProgram(args, { out: stream('out'), err: stream('err') });
  return { stdout: written.out, stderr: written.err, exitCode };
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
  readonly link?: string;
  readonly kubeconfig?: string;
}

export interface ReadyFacts {
  readonly console: string;
  /** To the console: signs in, once. */
  readonly link: string;
  readonly kubeconfig: string;
}

/** A real `quartermaster up --json` in a process of its own. */
export class RunningUp {
  readonly events: readonly UpEvent[];
  readonly #child: ChildProcess;
  readonly #exit: Promise<number | NodeJS.Signals>;
  readonly #stderr: Promise<string>;
  #said = '';
  readonly #ready: Promise<ReadyFacts>;

  /** `running` puts something before the words that start it, and may not start a process of its own. */
  constructor(
    args: readonly string[],
    running = (program: readonly [string, ...string[]]): readonly [string, ...string[]] => program,
    stopTime: keyof typeof stopTimes = 'patient',
  ) {
    const [command, ...words] = running([process.execPath, executable, 'up', '--json', ...args]);
    const child = spawn(command, words, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...stopTimes[stopTime] } });
    const events: UpEvent[] = [];
    this.#child = child;
    this.events = events;
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (this.#said += chunk));
    this.#stderr = once(child, 'close').then(() => this.#said);
    this.#exit = new Promise((resolve) => {
      child.once('close', (code, signal) => resolve(signal ?? code ?? -1));
    });
    const ready = new Promise<ReadyFacts>((resolve) => {
      createInterface({ input: child.stdout }).on('line', (line) => {
        const event = JSON.parse(line) as UpEvent;
        events.push(event);
        const { console: url = '', link = '', kubeconfig = '' } = event;
        if (event.event === 'ready') resolve({ console: url, link, kubeconfig });
      });
    });
    this.#ready = Promise.race([ready, this.#exit.then((code) => this.#failStart(code))]);
    // Who never asks whether it is ready has no use for the reason.
    this.#ready.catch(() => {});
  }

  get pid(): number {
    const { pid } = this.#child;
    if (pid === undefined) throw new StatusError('unavailable', 'up could not be started as a process');
    return pid;
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

  /** What it logged as an error, or said outside of its log. */
  async errors(): Promise<readonly string[]> {
    return (await this.#stderr).split('\n').filter((line) => line !== '' && !/"level":"(debug|info|warn)"/.test(line));
  }

  /** As Ctrl-C would; resolves with the exit code. One that does not end is a failure that says how far it came. */
  async stop(): Promise<number | NodeJS.Signals> {
    this.signal('SIGINT');
    const waiting = new AbortController();
    const late = delay(lateMs, undefined, { signal: waiting.signal }).then(() => {
      const { exitCode, signalCode } = this.#child;
      const process = exitCode ?? signalCode ?? readFileSync(`/proc/${this.pid}/status`, 'utf8').split('\n').slice(0, 3).join(' ');
      const events = this.events.slice(-3).map((event) => JSON.stringify(event));
      throw new StatusError(
        'unavailable',
        `up has not ended ${lateMs} ms after it was told to: ${[process, ...events, this.#said].join('\n')}`,
      );
    });
    return await Promise.race([this.#exit, late]).finally(() => waiting.abort());
  }

  async #failStart(code: number | NodeJS.Signals): Promise<never> {
    throw new StatusError('unavailable', `up ended with ${code} before it was ready: ${await this.#stderr}`);
  }
}
