import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, open, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { FakeClock, seededRandom } from '@quartermaster/kernel';
import { describe, expect, it, onTestFinished } from 'vitest';
import { h100Server } from '../../../test/machines/h100-server.ts';
import type { MemoryMachine } from '../../../test/machines/memory-machine.ts';
import { mi300xServer } from '../../../test/machines/other-machines.ts';
import { HostMachine } from '../machine/host-machine.ts';
import { discoverHardware } from './discover-hardware.ts';

const options = { agentVersion: '1', clock: new FakeClock() };

/** Writes a machine of texts to the disk. `spoil` may make something else of a file. */
async function onDisk(machine: MemoryMachine, spoil: (file: string) => Promise<boolean> = async () => false): Promise<HostMachine> {
  const root = await mkdtemp(join(tmpdir(), 'quartermaster-tree-'));
  onTestFinished(async () => await rm(root, { recursive: true, force: true }));
  for (const [path, entry] of machine.files) {
    const file = join(root, path);
    await mkdir(dirname(file), { recursive: true });
    if (await spoil(file)) continue;
    if (typeof entry === 'string' || entry instanceof Uint8Array) await writeFile(file, entry);
    else if ('link' in entry) await symlink(entry.link, file);
  }
  return new HostMachine({ root, searchPath: '' });
}

describe('discovery below the root of another machine', () => {
  it.each([
    ['an NVIDIA server', h100Server],
    ['an AMD server', mi300xServer],
  ])('finds on the disk what it finds in memory, for %s', async (_, make) => {
    const machine = make();
    // Tools of another root are not run here.
    machine.tools.clear();
    const [onMemory, fromDisk] = [await discoverHardware(machine, options), await discoverHardware(await onDisk(machine), options)];
    expect(fromDisk).toEqual(onMemory);
    expect(fromDisk.gpus).toHaveLength(8);
  });

  it('survives pipes, folders, circles, dead links, and files of a terabyte in the place of files', async () => {
    for (let seed = 1; seed <= 4; seed += 1) {
      const random = seededRandom(seed);
      const spoil = async (file: string): Promise<boolean> => {
        const dice = Math.floor(random.next() * 30);
        if (dice === 0) execFileSync('/usr/bin/mkfifo', [file]);
        else if (dice === 1) await mkdir(file);
        else if (dice === 2) await symlink(file, file);
        else if (dice === 3) await symlink('/nowhere', file);
        else if (dice === 4) await (await open(file, 'w')).close();
        else if (dice === 5) await sparse(file);
        else return false;
        return true;
      };
      const facts = await discoverHardware(await onDisk(h100Server(), spoil), options);
      expect(JSON.parse(JSON.stringify(facts))).toEqual(facts);
      expect(facts.gpus?.length).toBeLessThanOrEqual(8);
    }
  }, 60_000);
});

async function sparse(file: string): Promise<void> {
  const handle = await open(file, 'w');
  await handle.truncate(2 ** 40);
  await handle.close();
}
