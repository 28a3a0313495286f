import { create } from '@bufbuild/protobuf';
import { type Host, HostSchema } from '@quartermaster/api/private';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ownerOf } from './assertion.ts';
import { AssertionLedger } from './assertion-ledger.ts';
import { disputeOf } from './dispute.ts';
import { MachineCensus } from './machine-census.ts';

interface Drawn {
  readonly source: string;
  readonly serial: string;
  readonly mac: string;
  readonly unit: number;
  readonly height: number;
}

const macs = ['b8:3f:d2:00:00:01', 'b8:3f:d2:00:00:02', 'b8:3f:d2:00:00:03', 'b8:3f:d2:00:00:04'];
const drawn: fc.Arbitrary<Drawn> = fc.record({
  source: fc.constantFrom('', 'bcm', 'netbox'),
  // Often the same, so that it is on more hosts than a mark tells apart.
  serial: fc.oneof({ weight: 6, arbitrary: fc.constant('SN1') }, fc.constantFrom('', 'NA', 'SN1', 'SN2', 'SN3')),
  mac: fc.constantFrom('', ...macs),
  unit: fc.integer({ min: 0, max: 12 }),
  height: fc.integer({ min: 0, max: 3 }),
});

const hostOf = ({ source, serial, mac, unit, height }: Drawn, index: number): Host =>
  create(HostSchema, {
    id: `h${index}`,
    spec: { serial, bootMac: mac, rack: 'r1', rackUnit: unit, rackHeight: height },
    status: source === '' ? {} : { source: { name: source, id: `d${index}` } },
  });

/** The rule, said once more without any index: whether two of the hosts are the same machine or in the same place. */
function meet(one: Host, other: Host, hosts: readonly Host[]): boolean {
  const count = (has: (host: Host) => boolean): number => hosts.filter(has).length;
  const serial = one.spec?.serial ?? '';
  if (serial.startsWith('SN') && serial === other.spec?.serial && count(({ spec }) => spec?.serial === serial) <= 8) return true;
  const mac = one.spec?.bootMac ?? '';
  if (mac !== '' && mac === other.spec?.bootMac && count(({ spec }) => spec?.bootMac === mac) <= 2) return true;
  if (serial.startsWith('SN') && mac !== '') {
    const twins = hosts
      .filter(({ spec }) => spec?.serial === serial && spec.bootMac === mac)
      .map(({ id }) => id)
      .toSorted();
    const [a, b] = [twins.indexOf(one.id), twins.indexOf(other.id)];
    if (a >= 0 && b >= 0 && Math.abs(a - b) === 1) return true;
  }
  const owners = new Set([ownerOf(one), ownerOf(other), '']);
  const covers = ({ spec }: Host, unit: number): boolean => {
    const low = spec?.rackUnit ?? 0;
    return low > 0 && unit >= low && unit < low + Math.max(1, spec?.rackHeight ?? 0);
  };
  const isShared = (unit: number): boolean =>
    covers(one, unit) && covers(other, unit) && count((host) => covers(host, unit) && owners.has(ownerOf(host))) <= 2;
  return owners.size < 3 && Array.from({ length: 16 }, (_, unit) => unit).some(isShared);
}

describe('a census of machines', () => {
  it('finds for each host exactly those that are the same machine or in the same place', () => {
    fc.assert(
      fc.property(fc.array(drawn, { maxLength: 16 }), (all) => {
        const hosts = all.map(hostOf);
        const census = new MachineCensus(hosts);
        for (const host of hosts) {
          const expected = hosts.filter((other) => other !== host && meet(host, other, hosts));
          expect(new Set(census.alikeTo(host).map((alike) => alike.host.id))).toEqual(new Set(expected.map(({ id }) => id)));
        }
      }),
    );
  });

  it('leads to disputes on both of two or on neither, whatever was said before, and forgets who is gone', () => {
    fc.assert(
      fc.property(fc.array(drawn, { minLength: 2, maxLength: 14 }), fc.array(drawn, { minLength: 2, maxLength: 14 }), (before, after) => {
        const first = new AssertionLedger([]);
        const former = before.map(hostOf);
        for (const host of former) first.hearHost(host, new MachineCensus(former));
        const hosts = after.map(hostOf);
        const census = new MachineCensus(former);
        for (const { id } of former) census.remove(id);
        for (const host of hosts) census.put(host);
        const ledger = new AssertionLedger(
          first.changes().put.filter(({ byHost, hostId }) => [byHost, hostId].every((id) => hosts.some((host) => host.id === id))),
        );
        for (const host of hosts) ledger.hearHost(host, census);
        const fresh = new AssertionLedger([]);
        for (const host of hosts) fresh.hearHost(host, new MachineCensus(hosts));
        const assertions = fresh.changes().put;
        for (const host of hosts) {
          const isDisputed = hosts.some((other) => other !== host && meet(host, other, hosts));
          expect(disputeOf(host, assertions) !== undefined).toBe(isDisputed);
          expect(ledger.judge(host, 0)).toEqual(fresh.judge(host, 0));
        }
      }),
    );
  });

  it('takes what one source has on many machines for no mark of any, and counts machines that are no hosts', () => {
    const marks = { serial: '', systemUuid: '', macs: [macs[0] ?? ''] };
    const census = new MachineCensus([hostOf({ source: 'bcm', serial: '', mac: macs[0] ?? '', unit: 0, height: 0 }, 1)]);
    for (const source of ['netbox', 'ironic']) census.addMachine(source, '1', marks);
    const found = () => census.withMarks([{ kind: 'mac', value: macs[0] ?? '' }]);
    expect(found()).toMatchObject([{ host: { id: 'h1' }, mark: `MAC address ${macs[0]}` }]);
    for (const id of ['2', '3']) census.addMachine('netbox', id, marks);
    expect(found()).toEqual([]);
  });
});
