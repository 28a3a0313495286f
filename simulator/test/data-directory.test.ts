import { appendFileSync, cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { kinds } from '@quartermaster/kube';
import { describe, expect, it } from 'vitest';
import { startSimulator, temporaryDirectory } from './running-simulator.ts';

const ref = { namespace: 'default', name: 'settings' };

/** What a process that was killed now would leave behind. */
async function asKilled(dataDirectory: string): Promise<string> {
  const copy = await temporaryDirectory();
  cpSync(dataDirectory, copy, { recursive: true });
  return copy;
}

describe('a data directory', () => {
  it('holds every write that was answered, also after a kill', async () => {
    const dataDirectory = await temporaryDirectory();
    const { client } = await startSimulator({ dataDirectory });
    const kept = await client.create(kinds.configMaps, { metadata: ref, data: { a: '1' } });
    await client.create(kinds.configMaps, { metadata: { ...ref, name: 'removed' } });
    await client.delete(kinds.configMaps, { ...ref, name: 'removed' });
    const { client: second } = await startSimulator({ dataDirectory: await asKilled(dataDirectory) });
    expect(await second.get(kinds.configMaps, ref)).toEqual(kept);
    expect(await second.find(kinds.configMaps, { ...ref, name: 'removed' })).toBeUndefined();
    const next = await second.create(kinds.configMaps, { metadata: { ...ref, name: 'next' } });
    expect(Number(next.metadata?.resourceVersion)).toBeGreaterThan(Number(kept.metadata?.resourceVersion));
  });

  it('keeps the identity of the server, so that old kubeconfigs work', async () => {
    const dataDirectory = await temporaryDirectory();
    const { server } = await startSimulator({ dataDirectory });
    const { server: second } = await startSimulator({ dataDirectory: await asKilled(dataDirectory) });
    expect(second.certificateAuthority).toBe(server.certificateAuthority);
  });

  it('may end in half a line, of a write that nobody was told about', async () => {
    const dataDirectory = await temporaryDirectory();
    const { client } = await startSimulator({ dataDirectory });
    await client.create(kinds.configMaps, { metadata: ref, data: { a: '1' } });
    const copy = await asKilled(dataDirectory);
    appendFileSync(join(copy, 'journal.jsonl'), '[99,"/configmaps","default/half",{"metadata":');
    const { client: second } = await startSimulator({ dataDirectory: copy });
    expect((await second.get(kinds.configMaps, ref)).data).toEqual({ a: '1' });
    expect(await second.find(kinds.configMaps, { ...ref, name: 'half' })).toBeUndefined();
  });

  it('of a newer version is refused, saying what to do', async () => {
    const dataDirectory = await temporaryDirectory();
    writeFileSync(join(dataDirectory, 'layout'), '2');
    await expect(startSimulator({ dataDirectory })).rejects.toThrow('was written by a newer version');
  });
});
