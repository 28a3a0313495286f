import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLog } from './progress.mjs';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function recorder(isTTY: boolean) {
  const written: string[] = [];
  const log = createLog({ isTTY, columns: 30, write: (text) => written.push(text) });
  return { log, written, take: () => written.splice(0).join('') };
}

describe('away from a terminal', () => {
  it('writes a line when a step starts and one with the elapsed time when it ends', () => {
    const { log, take } = recorder(false);
    const step = log.step('build');
    expect(take()).toBe('build ...\n');
    vi.advanceTimersByTime(2500);
    step.done('4 binaries');
    expect(take()).toBe('✓ build: 4 binaries (2.5 s)\n');
  });

  it('shows every 15 seconds that a step still moves', () => {
    const { log, take } = recorder(false);
    const step = log.step('build');
    step.update('2 of 4');
    take();
    vi.advanceTimersByTime(31_000);
    expect(take()).toBe('  build: 2 of 4 (15.0 s)\n  build: 2 of 4 (30.0 s)\n');
    step.fail();
    expect(take()).toBe('✗ build: failed (31.0 s)\n');
  });

  it('says nothing more of a step that has ended', () => {
    const { log, take } = recorder(false);
    const step = log.step('build');
    step.done();
    take();
    step.fail('late');
    vi.advanceTimersByTime(60_000);
    expect(take()).toBe('');
  });
});

describe('on a terminal', () => {
  it('rewrites the lines of the running steps in place, cut to the width', () => {
    const { log, take } = recorder(true);
    const first = log.step('build');
    const second = log.step('install');
    second.update('a text that is longer than the terminal is wide');
    vi.advanceTimersByTime(100);
    take();
    vi.advanceTimersByTime(100);
    const [, lastDrawing = ''] = take().split('\u001b[J').slice(-2);
    const lines = lastDrawing.split('\n');
    expect(lines[0]).toMatch(/build \(0\.2 s\)$/);
    expect(lines[1]).toHaveLength(29);
    first.done();
    second.done();
  });

  it('keeps what ended above what still runs', () => {
    const { log, take } = recorder(true);
    const first = log.step('build');
    const second = log.step('install');
    vi.advanceTimersByTime(100);
    take();
    first.done('fine');
    expect(take()).toMatch(/✓ build: fine \(0\.1 s\)\n. install \(0\.1 s\)$/);
    second.done();
    expect(take()).toMatch(/✓ install \(0\.1 s\)\n$/);
  });
});
