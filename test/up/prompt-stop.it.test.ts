import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { isAlive, RunningUp } from './running-up.ts';
import { AdminConsole, playerOf } from './snapshots.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'up-prompt-stop-'));

/** With the time in which people are promised that it stops, which it has where nothing else takes its processors. */
describe('up that is told to stop', () => {
  let up: RunningUp;
  const start = async (): Promise<number> => {
    up = new RunningUp(['--data-dir', dataDir, '--port', '0'], undefined, 'promised');
    await up.ready();
    return await playerOf(up, dataDir);
  };

  afterAll(async () => {
    up.signal('SIGKILL');
    await up.exited();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const expectDone = async (player: number): Promise<void> => {
    expect(await up.stop()).toBe(0);
    expect(isAlive(player)).toBe(false);
    const stopped = up.events.at(-1);
    expect(stopped?.event).toBe('stopped');
    expect(Number(/after (\d+\.\d) s/.exec(stopped?.text ?? '')?.[1])).toBeLessThan(5);
  };

  it('stops every part in order, and is done within 5 s', async () => {
    const player = await start();
    // Whoever looks at it does not hold it up.
    const admin = await AdminConsole.open((await up.ready()).console, dataDir);
    onTestFinished(() => admin.close());
    await admin.nodes();
    await expectDone(player);
    // Nor was any part given up.
    expect(await up.errors()).toEqual([]);
  });

  it('kills a part that hangs when its time is over, and is done within 5 s', async () => {
    const player = await start();
    process.kill(player, 'SIGSTOP');
    await expectDone(player);
  });
});
