import { describe, expect, it } from 'vitest';
import { sessionOf } from '../session/session.ts';
import { objectKinds } from './object-kind.ts';
import { macPart, searchesFor, searchRank, uuidPart } from './search-objects.ts';

const rights = (api: string): readonly string[] => objectKinds.map(({ service }) => `/${api}.v1.${service}/List`);
const caller = { name: 'ann', tenants: ['*'], version: '', default_tenants: [], may_read_secrets: false };
const staff = sessionOf({ signIn: [] }, { ...caller, role: 'provider', rights: rights('private') });
const tenant = sessionOf({ signIn: [] }, { ...caller, role: 'tenant', rights: rights('fulfillment') });

describe('what is asked of the API for a text', () => {
  it('is every kind by name and id, and hosts by what is of one machine alone', () => {
    const searches = searchesFor(staff, 'SN-10');
    expect(new Set(searches.map(({ kind }) => kind.name))).toEqual(new Set(objectKinds.map(({ name }) => name)));
    expect(searches.map(({ filter }) => filter).join('\n')).toContain(
      'this.spec.serial.contains("SN-10") || this.spec.serial.contains("sn-10")',
    );
  });

  it('knows MACs and UUIDs however they are written', () => {
    expect(['525400AA', '52:54:00:aa', '52-54-00-AA', '5254.00aa'].map(macPart)).toEqual(Array(4).fill('52:54:00:aa'));
    expect(['gpu', '525', '52:54:00:aa:bb:cc:dd'].map(macPart)).toEqual([undefined, undefined, undefined]);
    expect(uuidPart('4C4C45440043-4d10-8032-C4C04F564433')).toBe('4c4c4544-0043-4d10-8032-c4c04f564433');
    expect(uuidPart('4c4c')).toBeUndefined();
  });

  it('asks for a whole MAC or UUID as such, which an index finds', () => {
    const machine = (text: string): string =>
      searchesFor(staff, text).find(({ filter }) => filter.includes('this.spec.serial'))?.filter ?? '';
    const mac = '52:54:00:aa:bb:cc';
    expect(machine('525400AABBCC')).toBe(
      `this.spec.boot_mac == "${mac}" || this.spec.nics.exists(nic, nic.mac == "${mac}") || this.spec.serial in ["525400AABBCC", "525400aabbcc"]`,
    );
    expect(machine('4C4C4544-0043-4D10-8032-C4C04F564433')).toContain('this.spec.system_uuid == "4c4c4544-0043-4d10-8032-c4c04f564433"');
    for (const text of [mac, '4c4c4544-0043-4d10-8032-c4c04f564433']) expect(machine(text)).not.toContain('contains');
    expect(machine('5254')).toContain('nic.mac.contains("52:54")');
  });

  it('does not ask a tenant’s API for what it does not have', () => {
    expect(searchesFor(tenant, '52:54:00').every(({ filter }) => !filter.includes('this.spec'))).toBe(true);
  });

  it('puts exact names before those that begin with the text, and those before the rest', () => {
    const ranks = ['r1', 'r10', 'row-r1', 'x'].map((label) => searchRank({ label, id: '7' }, 'R1'));
    expect(ranks).toEqual([0, 1, 2, 3]);
  });
});
