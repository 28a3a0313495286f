import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@quartermaster/kernel';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { claimDirectory } from './directory-claim.ts';

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'claim-'));
});

afterEach(async () => {
  await rm(directory, { recursive: true, force: true });
});

/** The claim of a process that had the number of this one before. */
const gone = `owner-${process.pid}-1-00000000-0000-4000-8000-000000000000-11111111-1111-4111-8111-111111111111`;

const claim = () => claimDirectory(directory, systemClock);

describe('claimDirectory', () => {
  it('gives a directory to one at a time', async () => {
    const release = await claim();
    await expect(claim()).rejects.toMatchObject({
      code: 'failed_precondition',
      message: expect.stringContaining(`is used by process ${process.pid}`),
    });
    await release();
    const releaseAgain = await claim();
    await releaseAgain();
    expect(await readdir(directory)).toEqual([]);
  });

  it('never gives it to two of many that come at the same time after the death of a third', async () => {
    for (let round = 0; round < 5; round += 1) {
      await writeFile(join(directory, gone), '');
      const claims = await Promise.allSettled(Array.from({ length: 4 }, claim));
      const won = claims.filter((each) => each.status === 'fulfilled');
      expect(won.length).toBeLessThanOrEqual(1);
      for (const { value: release } of won) await release();
    }
  });

  it('takes over from a process that is gone', async () => {
    await writeFile(join(directory, gone), '');
    const release = await claim();
    expect(await readdir(directory)).not.toContain(gone);
    await release();
  });
});
