import { type Clock, messageOf, sleep } from '@quartermaster/kernel';
import type { ContainerState, ContainerStatus } from '@quartermaster/kube/shapes';
import type { KubeletContainer } from '../pods/kubelet-pod.ts';
import { ContainerLog, lastWords } from './container-log.ts';
import type { ContainerContext, ContainerEnd, ContainerProgram } from './image-registry.ts';

type State =
  | { readonly kind: 'waiting'; readonly reason: string; readonly message?: string | undefined }
  | { readonly kind: 'running'; readonly startedMs: number }
  | ({
      readonly kind: 'ended';
      readonly startedMs: number;
      readonly endedMs: number;
      readonly message?: string | undefined;
    } & ContainerEnd);

export interface ContainerRunOptions {
  readonly clock: Clock;
  /** The node's way to write a time. */
  readonly isoOf: (wallMs: number) => string;
  readonly containerId: string;
  /** Told of every change of the state. */
  readonly changed: () => void;
}

/** One container of one pod through its starts and ends. Decides nothing: the pod says when it starts, and whether again. */
export class ContainerRun {
  readonly container: KubeletContainer;
  readonly #options: ContainerRunOptions;
  #state: State = { kind: 'waiting', reason: 'ContainerCreating' };
  #last: Extract<State, { kind: 'ended' }> | undefined;
  #starts = 0;
  #log = new ContainerLog();
  #previousLog: ContainerLog | undefined;
  #abort: AbortController | undefined;
  #finished: Promise<void> = Promise.resolve();

  constructor(container: KubeletContainer, options: ContainerRunOptions) {
    this.container = container;
    this.#options = options;
  }

  get isRunning(): boolean {
    return this.#state.kind === 'running';
  }

  get exitCode(): number | undefined {
    return this.#state.kind === 'ended' ? this.#state.exitCode : undefined;
  }

  /** Of the run before the present state, where that is a wait for the next. */
  get lastExitCode(): number | undefined {
    return this.#last?.exitCode;
  }

  get log(): ContainerLog {
    return this.#log;
  }

  get previousLog(): ContainerLog | undefined {
    return this.#previousLog;
  }

  wait(reason: string, message?: string): void {
    if (this.#state.kind === 'ended') this.#last = this.#state;
    this.#state = { kind: 'waiting', reason, message };
    this.#options.changed();
  }

  /** Takes over a container that another kubelet process started. */
  adopt(status: ContainerStatus): void {
    this.#starts = status.restartCount;
    this.#last = endedState(status.lastState);
    this.#state = endedState(status.state) ?? this.#state;
  }

  /** Resolves when the container has ended. */
  async start(program: ContainerProgram, context: Omit<ContainerContext, 'log'>): Promise<void> {
    const { clock } = this.#options;
    if (this.#state.kind === 'ended') this.#last = this.#state;
    if (this.#starts > 0) {
      this.#previousLog = this.#log;
      this.#log = new ContainerLog();
    }
    const log = this.#log;
    const startedMs = clock.now();
    const abort = new AbortController();
    this.#abort = abort;
    this.#starts += 1;
    this.#state = { kind: 'running', startedMs };
    this.#options.changed();
    this.#finished = (async () => {
      const write = (text: string): void => log.append(clock.now(), text);
      const end = await endOf(program, { ...context, log: write }, abort.signal);
      if (this.#abort === abort) this.#end(startedMs, end);
    })();
    await this.#finished;
  }

  /** Tells the container to end, and gives it up when it has not ended after `graceMs`. */
  async stop(graceMs: number): Promise<void> {
    if (this.#state.kind !== 'running') return;
    const { startedMs } = this.#state;
    const over = new AbortController();
    this.#abort?.abort(new Error('the container is told to stop'));
    const killed = sleep(this.#options.clock, graceMs, over.signal).catch(() => {});
    await Promise.race([this.#finished, killed]);
    over.abort();
    if (this.#state.kind === 'running') this.#kill(startedMs, 137);
  }

  /** Ends the container at once with this exit code, whatever it does. */
  fail(exitCode: number): void {
    if (this.#state.kind === 'running') this.#kill(this.#state.startedMs, exitCode);
  }

  status(): ContainerStatus {
    const { container } = this;
    const id = `simulated://${this.#options.containerId}-${this.#starts}`;
    return {
      name: container.name,
      image: container.image,
      imageID: this.#starts > 0 ? `simulated://${container.image}` : '',
      containerID: this.#starts > 0 ? id : undefined,
      ready: this.isRunning,
      started: this.isRunning,
      restartCount: Math.max(this.#starts - 1, 0),
      state: this.#stateObject(this.#state, id),
      lastState: this.#last === undefined ? undefined : this.#stateObject(this.#last, id),
    };
  }

  #kill(startedMs: number, exitCode: number): void {
    const abort = this.#abort;
    this.#abort = undefined;
    abort?.abort(new Error('the container was killed'));
    this.#end(startedMs, { exitCode });
  }

  #end(startedMs: number, { exitCode, reason }: ContainerEnd): void {
    const message = exitCode !== 0 && this.container.tellsLogOnError ? lastWords(this.#log.lines()) : undefined;
    this.#state = { kind: 'ended', startedMs, endedMs: this.#options.clock.now(), exitCode, reason, message };
    this.#log.end();
    this.#options.changed();
  }

  #stateObject(state: State, containerID: string): ContainerState {
    const { isoOf } = this.#options;
    switch (state.kind) {
      case 'waiting':
        return { waiting: { reason: state.reason, message: state.message } };
      case 'running':
        return { running: { startedAt: isoOf(state.startedMs) } };
      case 'ended':
        return {
          terminated: {
            exitCode: state.exitCode,
            reason: state.reason ?? (state.exitCode === 0 ? 'Completed' : 'Error'),
            message: state.message,
            startedAt: isoOf(state.startedMs),
            finishedAt: isoOf(state.endedMs),
            containerID,
          },
        };
    }
  }
}

async function endOf(program: ContainerProgram, context: ContainerContext, signal: AbortSignal): Promise<ContainerEnd> {
  try {
    const end = (await program(context, signal)) ?? 0;
    return typeof end === 'number' ? { exitCode: end } : end;
  } catch (thrown) {
    if (signal.aborted) return { exitCode: 143 };
    context.log(`the program failed: ${messageOf(thrown)}`);
    return { exitCode: 1 };
  }
}

function endedState(state: ContainerState | undefined): Extract<State, { kind: 'ended' }> | undefined {
  const ended = state?.terminated;
  if (ended === undefined) return undefined;
  const { exitCode, reason, message } = ended;
  const endedMs = Date.parse(ended.finishedAt ?? '') || 0;
  return { kind: 'ended', startedMs: Date.parse(ended.startedAt ?? '') || endedMs, endedMs, exitCode, reason, message };
}

/** The program of a container that does nothing. */
export function untilStopped(_context: ContainerContext, signal: AbortSignal): Promise<number> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(0), { once: true });
  });
}
