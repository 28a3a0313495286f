import { expect, it } from 'vitest';
import { followSize, withRawTerminal } from './terminal.ts';
import { fakeShell } from './test/fake-shell.ts';

it('gives the terminal back after the work', async () => {
  const { streams, modes, written } = fakeShell({ isTTY: true });
  expect(await withRawTerminal(streams.stdin, streams.stdout, async () => [...modes])).toEqual([true]);
  expect(modes).toEqual([true, false]);
  expect(written.out).toBe('');
});

it('gives it back where the work fails, with a visible cursor and no colours', async () => {
  const { streams, modes, written } = fakeShell({ isTTY: true });
  const failing = withRawTerminal(streams.stdin, streams.stdout, () => Promise.reject(new Error('no')));
  await expect(failing).rejects.toThrow('no');
  expect(modes).toEqual([true, false]);
  expect(written.out).toContain('\u001B[?25h');
});

it('gives it back where the process ends in between, and listens for that no longer than needed', async () => {
  const { streams, modes } = fakeShell({ isTTY: true });
  const before = process.listeners('exit');
  await withRawTerminal(streams.stdin, streams.stdout, async () => {
    const [own] = process.listeners('exit').filter((listener) => !before.includes(listener));
    own?.(0);
  });
  expect(modes).toEqual([true, false, false]);
  expect(process.listeners('exit')).toEqual(before);
});

it('leaves a pipe alone', async () => {
  const { streams, modes } = fakeShell();
  expect(await withRawTerminal(streams.stdin, streams.stdout, async () => 7)).toBe(7);
  expect(modes).toEqual([]);
});

it('tells the size at once and when it changes, until it is not to', () => {
  const { streams, resize, ...shell } = fakeShell({ isTTY: true });
  const sizes: unknown[] = [];
  const stop = followSize(streams.stdout, (size) => sizes.push(size));
  resize(80, 24);
  stop();
  resize(1, 1);
  expect(sizes).toEqual([
    { width: 100, height: 30 },
    { width: 80, height: 24 },
  ]);
  expect(shell.listeners).toBe(0);
});
