import { FakeClock, StatusError } from '@quartermaster/kernel';
import type { ExecOutput, PodExec } from '@quartermaster/kube';
import { describe, expect, it } from 'vitest';
import { FakeSocket } from '../../../test/fake-socket.ts';
import { frameOf } from './shell-frames.ts';
import { streamShell } from './shell-stream.ts';
import { TenantSocket } from './tenant-socket.ts';

/** A command that writes and ends as a test has it. */
class ScriptedExec implements PodExec {
  readonly heard: string[] = [];
  readonly #result = Promise.withResolvers<number>();
  readonly ended = this.#result.promise;
  readonly #output: ExecOutput[] = [];
  isClosed = false;
  taken = 0;
  #isOver = false;
  #news = Promise.withResolvers<void>();
  readonly output = this.#read();

  constructor() {
    this.ended.catch(() => {});
  }

  writes(channel: 'stdout' | 'stderr', text: string): void {
    this.#output.push({ channel, bytes: Buffer.from(text) });
    this.#news.resolve();
  }

  exits(code: number): void {
    this.#result.resolve(code);
    this.#end();
  }

  fails(thrown: unknown): void {
    this.#result.reject(thrown);
    this.#end();
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.heard.push(Buffer.from(bytes).toString());
  }

  endInput(): void {
    this.heard.push('(end)');
  }

  resize({ width, height }: { readonly width: number; readonly height: number }): void {
    this.heard.push(`(${width}x${height})`);
  }

  close(): void {
    this.isClosed = true;
    this.fails(broken);
  }

  #end(): void {
    this.#isOver = true;
    this.#news.resolve();
  }

  async *#read(): AsyncGenerator<ExecOutput, void> {
    for (;;) {
      for (let next = this.#output.shift(); next !== undefined; next = this.#output.shift()) {
        this.taken += 1;
        yield next;
      }
      if (this.#isOver) return;
      await this.#news.promise;
      this.#news = Promise.withResolvers();
    }
  }
}

const broken = new StatusError('unavailable', 'exec in Pod lease-1/web-1 on 10.0.0.7: the stream ended', {
  details: { kind: 'connection' },
});
const refusal = (code: 'not_found' | 'unavailable' | 'permission_denied', message: string, kind: string) =>
  new StatusError(code, `exec in Pod lease-1/web-1 on 10.0.0.7: ${message}`, { details: { kind } });
const stdin = (text: string): Buffer => frameOf('stdin', Buffer.from(text));
const size = Buffer.from([105, 0, 120, 0, 40]);

function shell({ tty = true, input = true, open = async (exec: PodExec): Promise<PodExec> => exec } = {}) {
  const clock = new FakeClock();
  const tenant = new FakeSocket();
  const socket = new TenantSocket({ socket: tenant.socket, clock, slowReaderMs: 30_000 });
  const exec = new ScriptedExec();
  let said = 0;
  const done = streamShell({ socket, open: () => open(exec), wish: { tty, stdin: input }, said: () => void (said += 1) }).then(
    (code) => code,
    (thrown: unknown) => thrown,
  );
  const frames = () => tenant.sent.map((frame) => `${Buffer.from(frame)[0]} ${Buffer.from(frame).subarray(1).toString()}`);
  return { clock, tenant, exec, done, frames, said: () => said };
}

describe('a shell', () => {
  it('sends what the command writes, and then its exit code', async () => {
    const { clock, exec, done, frames, said } = shell();
    exec.writes('stdout', 'out');
    await clock.advance(0);
    exec.writes('stderr', 'err');
    exec.exits(7);
    expect(await done).toBe(7);
    expect(frames()).toEqual(['100 out', '101 err', '102 {"exit_code":7}']);
    expect([said(), exec.isClosed]).toEqual([2, true]);
  });

  it('has the command hear what the tenant says, in its order', async () => {
    const { clock, tenant, exec, said } = shell();
    for (const frame of [size, stdin('ls\n'), stdin('exit'), stdin('')]) tenant.says(frame);
    await clock.advance(0);
    expect([exec.heard, said()]).toEqual([['(120x40)', 'ls\n', 'exit', '(end)'], 4]);
  });

  it('keeps what the tenant says before the command runs', async () => {
    const gate = Promise.withResolvers<void>();
    const { clock, tenant, exec } = shell({
      open: async (opened) => {
        await gate.promise;
        return opened;
      },
    });
    for (const frame of [size, stdin('ls\n')]) tenant.says(frame);
    await clock.advance(0);
    expect(exec.heard).toEqual([]);
    gate.resolve();
    await clock.advance(0);
    expect(exec.heard).toEqual(['(120x40)', 'ls\n']);
  });

  it('without a terminal has no size', async () => {
    const { clock, tenant, exec } = shell({ tty: false });
    tenant.says(size);
    tenant.says(stdin('a'));
    await clock.advance(0);
    expect(exec.heard).toEqual(['a']);
  });

  it.each([
    ['says something without having asked for an input', { input: false }, stdin('a'), 'stdin was not asked for'],
    ['sends a frame of no kind', {}, Buffer.from([7]), 'frame 7 is unknown'],
    ['sends text', {}, 'ls', 'frames of a shell are binary'],
  ])('ends, and the command with it, when the tenant %s', async (_what, options, frame, reason) => {
    const { tenant, exec, done } = shell(options);
    tenant.says(frame);
    expect(await done).toMatchObject({ code: 1008, message: expect.stringContaining(reason) });
    expect([tenant.closed?.code, exec.isClosed, exec.heard]).toEqual([1008, true, []]);
  });

  it.each(['', 'a'])('ends the command when the tenant goes, after it wrote "%s"', async (text) => {
    const { clock, tenant, exec, done } = shell();
    if (text !== '') exec.writes('stdout', text);
    await clock.advance(0);
    tenant.emit('close');
    expect(await done).toMatchObject({ code: 1000 });
    expect(exec.isClosed).toBe(true);
  });

  it('ends the command when the tenant goes before it runs', async () => {
    const gate = Promise.withResolvers<PodExec>();
    const { clock, tenant, exec, done, frames } = shell({ open: () => gate.promise });
    tenant.emit('close');
    await clock.advance(0);
    gate.resolve(exec);
    expect(await done).toMatchObject({ code: 1000 });
    expect([exec.isClosed, frames()]).toEqual([true, []]);
  });

  it('takes what the command writes no faster than the tenant reads', async () => {
    const { clock, tenant, exec, done } = shell();
    tenant.isReading = false;
    tenant.bufferedAmount = 256 * 1024;
    for (let at = 0; at < 10; at += 1) exec.writes('stdout', 'x');
    await clock.advance(1_000);
    expect(exec.taken).toBe(1);
    await clock.advance(29_000);
    expect(await done).toMatchObject({ code: 4008 });
    expect(exec.isClosed).toBe(true);
  });

  const notFound =
    'OCI runtime exec failed: exec failed: unable to start container process: exec: "foo": executable file not found in $PATH: unknown';
  it.each([
    ['a pod that is gone', refusal('not_found', 'pods "web-1" not found', 'not-found'), 'the replica is gone: try again'],
    ['a refusal', refusal('permission_denied', 'forbidden by 10.0.0.7', 'forbidden'), 'the command could not be started: try again'],
    [
      'a command that is not there',
      refusal('unavailable', notFound, 'server'),
      'the command could not be started: its command is not in its image',
    ],
    ['a connection that broke', broken, 'the connection to the command broke: try again'],
  ])('tells of %s in words of ours, before it runs and after', async (_what, error, message) => {
    const before = shell({ open: () => Promise.reject(error) });
    const after = shell();
    after.exec.fails(error);
    for (const { done, frames } of [before, after]) {
      expect(await done).toMatchObject({ code: 4002, message });
      expect(frames()).toEqual([`103 ${JSON.stringify({ message })}`]);
    }
  });

  it('tells nothing of a bug', async () => {
    const bug = new TypeError('x');
    const { done, frames } = shell({ open: () => Promise.reject(bug) });
    expect(await done).toBe(bug);
    expect(frames()).toEqual([]);
  });
});
