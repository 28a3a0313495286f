import { describe, expect, it } from 'vitest';
import { h100Server } from '../../test/machines/h100-server.ts';
import { h200Virtual } from '../../test/machines/h200-virtual.ts';
import { MemoryMachine } from '../../test/machines/memory-machine.ts';
import { printOnce } from './print-once.ts';

async function print(reader: MemoryMachine, json: boolean): Promise<{ code: number; text: string }> {
  const pieces: string[] = [];
  const code = await printOnce({ reader, json, agentVersion: '1.2.3', out: { write: (text) => pieces.push(text) } });
  return { code, text: pieces.join('') };
}

describe('printOnce', () => {
  it('prints JSON for programs', async () => {
    const { code, text } = await print(h200Virtual(), true);
    expect(code).toBe(0);
    expect(JSON.parse(text)).toMatchObject({ agentVersion: '1.2.3', gpus: [{ name: 'NVIDIA H200', cudaVersion: '13.0' }] });
  });

  it('prints sections with columns for people', async () => {
    const { text } = await print(h100Server(), false);
    expect(text).toContain(
      'gpus\n  0000:1b:00.0  10de:2330  NVIDIA H100 80GB HBM3  79.6 GiB  SXM  nvidia 550.90.07  CUDA 12.4  GPU-00000000',
    );
    expect(text).toContain('  socket 1  Intel(R) Xeon(R) Platinum 8480C  56 cores  112 threads  amd64\n');
    expect(text).toContain('  enp43s0f0  3c:ec:ef:12:34:56');
    expect(text).not.toContain('problems');
  });

  it('says what is unknown and fails when nothing could be read', async () => {
    const { code, text } = await print(new MemoryMachine({ files: { '/etc/empty': '' } }), false);
    expect(code).toBe(1);
    expect(text).toContain('gpus\n  unknown\n');
    expect(text).toContain('  /proc/cpuinfo could not be read: the processors are unknown\n');
  });
});
