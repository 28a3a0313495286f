import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { FakeClock, type Log, silentLog } from '@quartermaster/kernel';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { Lifecycle } from './lifecycle.ts';
import { attachProcess } from './process-lifecycle.ts';

/** A process that does not end. */
class PlayedProcess extends EventEmitter {
  readonly codes: number[] = [];

  exit(code: number): void {
    this.codes.push(code);
  }
}

describe('attachProcess', () => {
  let detach: () => void = () => {};
  afterEach(() => detach());

  function attach(stop: () => void | Promise<void>, log: Log = silentLog) {
    const clock = new FakeClock();
    const lifecycle = new Lifecycle({ clock, deadlineMs: 1000 });
    lifecycle.add({ name: 'part', stop });
    const host = new PlayedProcess();
    detach = attachProcess(lifecycle, { log, host, clock });
    return { clock, lifecycle, host };
  }

  it.each(['SIGINT', 'SIGTERM'])('stops in order at %s and ends with 0', async (signal) => {
    const { clock, lifecycle, host } = attach(() => {});
    host.emit(signal);
    expect((await lifecycle.ended).reason).toEqual({ kind: 'signal', signal });
    await clock.advance(0);
    expect(host.codes).toEqual([0]);
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ])('ends at once at a second signal %s with %i', async (signal, code) => {
    const { host, clock } = attach(() => new Promise(() => {}));
    host.emit('SIGTERM');
    await clock.advance(250);
    expect(host.codes).toEqual([]);
    host.emit(signal);
    expect(host.codes).toEqual([code]);
  });

  it('takes the same signal for an echo when it follows at once, and another one for what it is', () => {
    const { host } = attach(() => new Promise(() => {}));
    host.emit('SIGINT');
    host.emit('SIGINT');
    expect(host.codes).toEqual([]);
    host.emit('SIGTERM');
    expect(host.codes).toEqual([143]);
  });

  it('ends at once at a signal during a stop that a failure began', async () => {
    const { host, clock, lifecycle } = attach(() => new Promise(() => {}));
    void lifecycle.stop({ kind: 'failure', error: new Error('lost') });
    await clock.advance(10);
    host.emit('SIGINT');
    expect(host.codes).toEqual([130]);
  });

  it('ends with 1 when a part did not stop in time', async () => {
    const { clock, host } = attach(() => new Promise(() => {}));
    host.emit('SIGTERM');
    await clock.advance(1000);
    expect(host.codes).toEqual([1]);
  });

  it.each(['uncaughtException', 'unhandledRejection'])('logs an %s as a bug, stops in order and ends with 1', async (event) => {
    const lines: unknown[] = [];
    const { clock, lifecycle, host } = attach(() => {}, { ...silentLog, error: (message, fields) => lines.push([message, fields]) });
    const error = new TypeError('x');
    host.emit(event, error);
    await lifecycle.ended;
    await clock.advance(0);
    expect(lines).toEqual([['uncaught error, stopping', { event, error }]]);
    expect(host.codes).toEqual([1]);
  });

  it('leaves the process alone once it is detached', async () => {
    const { lifecycle, host } = attach(() => {});
    detach();
    await lifecycle.stop({ kind: 'request', by: 'test' });
    expect(host.eventNames()).toEqual([]);
    expect(host.codes).toEqual([]);
  });
});

// Processes that start at once need their time on a busy machine.
describe.concurrent('a real process', { timeout: 30_000 }, () => {
  const program = fileURLToPath(new URL('../test/stoppable-process.ts', import.meta.url));
  const children: ChildProcess[] = [];
  afterAll(() => {
    for (const child of children) child.kill('SIGKILL');
  });

  /** Collects the log and waits for lines of it. */
  function run(mode: string) {
    const child = spawn(process.execPath, [program, mode], { stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(child);
    let output = '';
    const grown = new EventEmitter();
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      grown.emit('more');
    });
    const line = async (message: string): Promise<void> => {
      while (!output.includes(`"msg":"${message}"`)) await once(grown, 'more');
    };
    const ended = once(child, 'close').then(([code, signal]: unknown[]) => ({ code, signal, output }));
    return { child, line, ended };
  }

  it('stops in order at SIGTERM', async () => {
    const { child, line, ended } = run('orderly');
    await line('ready');
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 0, signal: null, output: expect.stringContaining('"msg":"stopped"') });
  });

  it('ends at once at a second SIGINT while a part hangs', async () => {
    const { child, line, ended } = run('hung');
    await line('ready');
    child.kill('SIGINT');
    await line('stopping');
    // The same signal within a moment counts as one, so it is sent until it counts.
    const pressing = setInterval(() => child.kill('SIGINT'), 50);
    await ended.finally(() => clearInterval(pressing));
    expect(await ended).toMatchObject({ code: 130, output: expect.stringContaining('second signal, exiting immediately') });
  });

  it.each([
    ['throws', 'thrown by nobody'],
    ['rejects', 'rejected by nobody'],
  ])('stops in order with 1 when something in it %s', async (mode, message) => {
    const { ended } = run(mode);
    const { code, output } = await ended;
    expect(code).toBe(1);
    expect(output).toContain(message);
    expect(output).toContain('"msg":"stopped"');
  });
});
