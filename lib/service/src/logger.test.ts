import { FakeClock, StatusError } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { Secret } from './config/secret.ts';
import { createLogger, type LoggerOptions } from './logger.ts';

function capture(options: LoggerOptions = {}) {
  const lines: string[] = [];
  const log = createLogger({ clock: new FakeClock(), destination: { write: (line) => lines.push(line) }, ...options });
  return { log, lines, last: () => JSON.parse(lines.at(-1) ?? '{}') as Record<string, unknown> };
}

describe('createLogger', () => {
  it('writes one JSON object per line with time, level, message and fields', () => {
    const { log, lines } = capture();
    log.info('node added', { node: 'a', gpus: 8 });
    log.warn('node lost');
    expect(lines).toEqual([
      '{"level":"info","time":"2026-01-01T00:00:00.000Z","node":"a","gpus":8,"msg":"node added"}\n',
      '{"level":"warn","time":"2026-01-01T00:00:00.000Z","msg":"node lost"}\n',
    ]);
  });

  it('shows no secret, by type and by name, in fields, children, errors and messages', () => {
    const { log, lines } = capture();
    log.child({ token: 'SWORDFISH', session: { password: 'SWORDFISH' } }).error('connect to https://a:SWORDFISH@b failed', {
      value: new Secret('SWORDFISH'),
      list: [{ authorization: 'SWORDFISH' }],
      error: new StatusError('unavailable', 'refused', { cause: new Error('Basic SWORDFISH') }),
    });
    expect(lines.join('')).not.toContain('SWORDFISH');
    expect(lines.join('')).toContain('refused');
  });

  it('gives every line of a child its fields', () => {
    const { log, last } = capture();
    log.child({ role: 'inventory' }).child({ key: 'a/b' }).info('done', { afterMs: 5 });
    expect(last()).toMatchObject({ role: 'inventory', key: 'a/b', afterMs: 5, msg: 'done' });
  });

  it('changes the level of every child at run time', () => {
    const { log, lines } = capture();
    const child = log.child({ a: 1 });
    child.debug('unseen');
    log.setLevel('debug');
    child.debug('seen');
    child.setLevel('error');
    log.warn('unseen');
    expect(log.level).toBe('error');
    expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual(['seen']);
  });

  it('does not let a field take the place of a part of the line', () => {
    const { log, last } = capture();
    log.info('real', { msg: 'false', level: 'debug', time: 1 });
    expect(last()).toMatchObject({
      msg: 'real',
      level: 'info',
      time: '2026-01-01T00:00:00.000Z',
      msg_: 'false',
      level_: 'debug',
      time_: 1,
    });
  });

  it('writes a message as it is', () => {
    const { log, last } = capture();
    log.info('100%s of %d "quoted"\n', { a: 1 });
    expect(last()['msg']).toBe('100%s of %d "quoted"\n');
  });

  it('writes amounts beyond the exact range of numbers as text', () => {
    const { log, last } = capture();
    log.info('big', { bytes: 2n ** 80n, small: 5n });
    expect(last()).toMatchObject({ bytes: String(2n ** 80n), small: 5 });
  });

  it('writes for people when asked', () => {
    const { log, lines } = capture({ format: 'pretty', colour: false });
    log.warn('node lost', { node: 'a', reason: 'no heartbeat', error: new TypeError('x') });
    expect(lines[0]).toMatch(
      /^00:00:00\.000 WARN  node lost node=a reason="no heartbeat" error=\{"code":"internal",.*\}\n {4}TypeError: x\n {8}at /,
    );
  });

  it('colours the level when asked', () => {
    const { log, lines } = capture({ format: 'pretty', colour: true });
    log.error('bad');
    expect(lines[0]).toContain('\u001B[31mERROR\u001B[39m');
  });
});
