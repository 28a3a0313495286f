import { describe, expect, it } from 'vitest';
import type { Host } from './host.ts';
import { isSameMachine } from './same-machine.ts';

const host = (spec: NonNullable<Host['spec']>): Host => ({ id: 'h', metadata: { name: 'h', tenants: [], version: '1' }, spec });
const node = { machine: { serial: 'S1', systemUuid: 'AA-BB' }, nics: [{ name: 'eth0', mac: 'aa:bb:cc:dd:ee:01' }] };

describe('a host and a node', () => {
  it.each([
    ['by the UUID of the system, whatever its case', { system_uuid: 'aa-bb' }, true],
    ['by the serial number', { serial: 'S1' }, true],
    ['by the MAC that it boots from', { boot_mac: 'AA:BB:CC:DD:EE:01' }, true],
    ['by any MAC', { nics: [{ mac: 'aa:bb:cc:dd:ee:01', name: '', speed_mbps: '0' }] }, true],
    ['not by things that are not known', { system_uuid: '', serial: '', boot_mac: '' }, false],
    ['not by another serial number', { serial: 'S2' }, false],
  ])('are told to be the same %s', (_how, spec, isSame) => {
    expect(isSameMachine(host(spec), node)).toBe(isSame);
  });
});
