import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeClock } from '@quartermaster/kernel';
import { expect, it, onTestFinished } from 'vitest';
import { podNetwork } from './agent-network.ts';

it('reads the token again when its file changes, and says what is wrong with the file', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'agent-token-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const tokenFile = join(directory, 'token');
  const clock = new FakeClock();
  const { signal } = new AbortController();
  const network = podNetwork({ tokenFile, clock });
  await expect(network.token(signal)).rejects.toThrow('mount a token of the audience quartermaster-discovery there, or name its file in');
  await writeFile(tokenFile, '\n');
  await clock.advance(10_000);
  await expect(network.token(signal)).rejects.toThrow('is empty: it must hold a token');
  for (const token of ['first', 'second']) {
    await writeFile(tokenFile, `${token}\n`);
    await clock.advance(10_000);
    expect(await network.token(signal)).toBe(token);
  }
});

it('reaches no agent whose pod has no address', async () => {
  const network = podNetwork({ tokenFile: '/nonexistent', clock: new FakeClock() });
  const asked = network.connect({ namespace: 'a', name: 'b', address: '' }, 1, new AbortController().signal);
  await expect(asked).rejects.toThrow('its pod has no address yet');
});
