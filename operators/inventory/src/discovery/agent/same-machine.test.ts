import type { HardwareFacts } from '@quartermaster/api/node-hardware';
import { describe, expect, it } from 'vitest';
import { h200Virtual } from '../../../test/machines/h200-virtual.ts';
import type { MemoryMachine } from '../../../test/machines/memory-machine.ts';
import { startTestAgent as start } from '../../../test/start-test-agent.ts';
import { isSameMachine } from './same-machine.ts';

const facts = (more: Partial<HardwareFacts>): HardwareFacts => ({ observedAt: '', agentVersion: '1', machine: {}, ...more });
const nic = (mac: string): HardwareFacts['nics'] => [{ name: 'eth0', mac }];

describe('isSameMachine', () => {
  it.each<[string, Partial<HardwareFacts>, Partial<HardwareFacts>, boolean]>([
    ['the system UUID is the same', { machine: { systemUuid: 'a' }, nodeUid: '1' }, { machine: { systemUuid: 'a' }, nodeUid: '2' }, true],
    [
      'the system UUID is the same and no network card is: makers ship one UUID in many machines',
      { machine: { systemUuid: 'a' }, nics: nic('1') },
      { machine: { systemUuid: 'a' }, nics: nic('2') },
      false,
    ],
    ['the system UUID is another', { machine: { systemUuid: 'a' }, nodeUid: '1' }, { machine: { systemUuid: 'b' }, nodeUid: '1' }, false],
    ['the serial number is the same', { machine: { serial: 's' } }, { machine: { serial: 's' } }, true],
    ['the serial number is another', { machine: { serial: 's' }, nics: nic('1') }, { machine: { serial: 't' }, nics: nic('1') }, false],
    ['a network card is the same', { nics: nic('1') }, { nics: nic('1') }, true],
    ['no network card is the same', { nics: nic('1'), nodeUid: '1' }, { nics: nic('2'), nodeUid: '1' }, false],
    ['only the Node is the same', { nodeUid: '1', machine: { serial: 's' } }, { nodeUid: '1' }, true],
    ['only the Node is another', { nodeUid: '1' }, { nodeUid: '2' }, false],
    ['nothing tells', {}, {}, false],
  ])('when %s', (_, stored, scanned, expected) => {
    expect(isSameMachine(facts(stored), facts(scanned))).toBe(expected);
  });
});

describe('an agent on a machine that got the name of another', () => {
  /** Its tool hangs, and it says nothing of itself: much would have to be taken over. */
  function newcomer(): MemoryMachine {
    const machine = h200Virtual();
    for (const path of [...machine.files.keys()]) {
      if (path.includes('dmi') || path.includes('/sys/block') || path.includes('0000:00:06.0')) machine.files.delete(path);
    }
    machine.files.set('/sys/devices/pci0000:00/0000:00:03.0/net/eth0/address', '02:fc:00:00:99:99\n');
    return machine;
  }

  it('takes nothing over: no card, no disk, no identity', async () => {
    const old = h200Virtual();
    old.files.set('/sys/class/dmi/id/product_serial', 'C821GE0123456\n');
    old.files.set('/sys/class/dmi/id/product_uuid', '7a1b2c3d-0000-11ee-8000-3cecef123456\n');
    const first = await start({ machine: old, nodeUid: async () => 'node-1' });
    await first.stop();
    const { server } = first;
    expect(server.objects.get('node-a')?.spec).toMatchObject({ nodeUid: 'node-1', machine: { serial: 'C821GE0123456' } });
    const machine = newcomer();
    await start({ server, machine, nodeUid: async () => 'node-2' });
    const { nodeUid, machine: identity, gpus, disks } = server.objects.get('node-a')?.spec ?? {};
    expect(nodeUid).toBe('node-2');
    expect(identity).not.toHaveProperty('serial');
    expect(identity).not.toHaveProperty('systemUuid');
    expect(gpus).toEqual([]);
    expect(disks ?? []).toEqual([]);
  });

  it('tells another UID when its Node was created anew under it, and asks for it now and then', async () => {
    let asked = 0;
    let uid: string | undefined = 'node-1';
    const nodeUid = async (): Promise<string | undefined> => {
      asked += 1;
      return uid;
    };
    const { clock, server } = await start({ nodeUid });
    await clock.advance(9 * 60_000);
    expect(asked).toBe(1);
    uid = 'node-2';
    await clock.advance(5 * 60_000);
    expect(server.objects.get('node-a')?.spec.nodeUid).toBe('node-2');
    expect(server.writes).toEqual(['node-a/spec', 'node-a/spec']);
  });
});
