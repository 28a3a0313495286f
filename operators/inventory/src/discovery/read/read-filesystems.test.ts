import { StatusError } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { h200Virtual } from '../../../test/machines/h200-virtual.ts';
import { MemoryMachine } from '../../../test/machines/memory-machine.ts';
import { startTestAgent } from '../../../test/start-test-agent.ts';
import { readFilesystems } from './read-filesystems.ts';
import { Readings } from './readings.ts';
import { steadyFilesystems } from './steady-filesystems.ts';

const gib = 2 ** 30;
const root = { sizeBytes: 500 * gib, device: '259:1', usedBytes: 42.5 * gib };
const data = { sizeBytes: 900 * gib, device: '259:2', usedBytes: 100 * gib };
const k3s = '/var/lib/rancher/k3s/storage';

const read = async (machine: MemoryMachine, paths: readonly string[], kubeletPath?: string) =>
  await readFilesystems(new Readings(machine), { paths, kubeletPath });

describe('the filesystems of a node', () => {
  const machine = new MemoryMachine({
    files: {},
    filesystems: { '/': root, '/var/lib/kubelet': root, [k3s]: root, '/data': data },
    folders: { [k3s]: { bytes: 12.9 * gib } },
  });

  it('are told with what is used, in steps: the whole rounded up, the volumes rounded down', async () => {
    expect(await read(machine, [k3s])).toEqual([
      { path: k3s, sizeBytes: 500 * gib, device: '259:1', usedBytes: 45 * gib, folderBytes: 10 * gib },
    ]);
  });

  it('have the one of the kubelet among them, whichever paths are configured', async () => {
    for (const paths of [[], ['/data'], ['/data/', '/var/lib/kubelet']]) {
      const found = await read(machine, paths, '/var/lib/kubelet');
      expect(found?.filter(({ holdsEphemeral }) => holdsEphemeral === true).map(({ path }) => path)).toEqual(['/var/lib/kubelet']);
    }
  });

  it('have none for a kubelet that keeps its folder elsewhere', async () => {
    expect((await read(machine, ['/data'], '/var/lib/k0s/kubelet'))?.map(({ path }) => path)).toEqual(['/data']);
  });

  it('answer for a folder that is not there yet, in which nothing is', async () => {
    expect(await read(machine, ['/opt/local-path-provisioner'])).toMatchObject([{ device: '259:1', folderBytes: 0 }]);
  });

  it('name the volumes that could not be counted', async () => {
    const folders = { '/data': { bytes: 40 * gib, uncounted: ['pvc-1', 'pvc-2', 'pvc-3', 'pvc-4', 'pvc-5'] } };
    const readings = new Readings(new MemoryMachine({ files: {}, filesystems: { '/data': data }, folders }));
    expect(await readFilesystems(readings, { paths: ['/data'] })).toMatchObject([{ folderBytes: 36 * gib }]);
    expect(readings.problems).toEqual([
      'volumes in /data are not counted, because they have too many files or cannot be read: pvc-1, pvc-2, pvc-3, 2 more',
    ]);
  });

  it('are never another one that happens to be above: a path that cannot be read has none', async () => {
    const broken = new MemoryMachine({
      files: {},
      filesystems: { '/': root, '/data': new StatusError('unavailable', '/data cannot be read: ESTALE') },
    });
    const readings = new Readings(broken);
    expect(await readFilesystems(readings, { paths: ['/data', '/data/volumes', '/other'], kubeletPath: '/data/kubelet' })).toEqual([
      expect.objectContaining({ path: '/other', device: '259:1' }),
    ]);
    expect(readings.problems).toEqual(['/data cannot be read: ESTALE']);
  });

  it('stay as they were last told while they cannot be read, also for an agent that starts anew, until they are gone', async () => {
    const disk = h200Virtual();
    const paths = { machine: disk, filesystemPaths: ['/data', '/data/absent'] };
    disk.filesystems.set('/data', data);
    const first = await startTestAgent(paths);
    const { server } = first;
    const told = () => server.objects.get('node-a')?.spec.filesystems?.map(({ path, device }) => `${path} ${device}`);
    expect(told()).toEqual(['/data 259:2', '/data/absent 259:2']);
    disk.filesystems.set('/data', new StatusError('unavailable', '/data cannot be read: EIO'));
    await first.clock.advance(120_000);
    expect(server.objects.get('node-a')?.spec.problems).toContain('/data cannot be read: EIO');
    expect(told()).toEqual(['/data 259:2', '/data/absent 259:2']);
    await first.stop();
    const second = await startTestAgent({ ...paths, server, filesystemPaths: ['/data'] });
    expect(told()).toEqual(['/data 259:2']);
    disk.filesystems.set('/', root);
    disk.filesystems.delete('/data');
    await second.clock.advance(120_000);
    expect(told()).toEqual(['/data 259:1']);
  });

  it('keep the figure of their volumes while those are being counted, also for an agent that starts anew, and nothing is written', async () => {
    const disk = h200Virtual();
    const paths = { machine: disk, filesystemPaths: ['/data'] };
    const counting = new StatusError('unavailable', 'the content of /data could not be read within 10000 ms');
    disk.filesystems.set('/data', data);
    disk.folders.set('/data', counting);
    const first = await startTestAgent(paths);
    const { server } = first;
    const told = () => server.objects.get('node-a')?.spec;
    const folderBytes = () => told()?.filesystems?.map((each) => each.folderBytes);
    expect([folderBytes(), told()?.problems]).toEqual([
      [undefined],
      expect.arrayContaining(['what lies in /data has not been counted yet']),
    ]);
    disk.folders.set('/data', { bytes: 90 * gib });
    await first.clock.advance(120_000);
    expect(folderBytes()).toEqual([90 * gib]);
    expect(told()?.problems ?? []).not.toContain('what lies in /data has not been counted yet');
    await first.stop();
    disk.folders.set('/data', counting);
    const second = await startTestAgent({ ...paths, server });
    await second.clock.advance(240_000);
    expect([second.agent.status.scans > 1, second.agent.status.writes, folderBytes()]).toEqual([true, 0, [90 * gib]]);
    disk.folders.set('/data', new StatusError('failed_precondition', '/data has too much in it to be counted'));
    await second.clock.advance(120_000);
    expect([folderBytes(), told()?.problems]).toEqual([[undefined], expect.arrayContaining(['/data has too much in it to be counted'])]);
    disk.folders.set('/data', counting);
    disk.filesystems.set('/data', { ...data, device: '259:9' });
    await second.clock.advance(120_000);
    expect(folderBytes()).toEqual([undefined]);
  });

  it('keep what was last told of their use while it is near, and the facts of a failed read', () => {
    const at = (used: number, folder = 0) => [
      { path: '/data', sizeBytes: 500 * gib, device: '259:1', usedBytes: used * gib, folderBytes: folder * gib },
    ];
    expect(steadyFilesystems(at(50), at(45))).toEqual(at(50));
    expect(steadyFilesystems(at(50), at(55))).toEqual(at(55));
    expect(steadyFilesystems(at(50), at(40))).toEqual(at(40));
    expect(steadyFilesystems(at(50, 5), at(50, 10))).toEqual(at(50, 5));
    expect(steadyFilesystems(at(50, 5), at(50, 0))).toEqual(at(50, 0));
    expect(steadyFilesystems(at(50), undefined)).toEqual(at(50));
    expect(steadyFilesystems(undefined, at(50))).toEqual(at(50));
  });
});
