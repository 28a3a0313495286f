import { create } from '@bufbuild/protobuf';
import { ConditionStatus } from '@quartermaster/api/fulfillment';
import { type Host, HostConditionSchema, HostConditionType, HostSchema } from '@quartermaster/api/private';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { claimedBy, type HostClaim, ownerOf } from './host-claim.ts';
import { conflictOf, withSourceConflict } from './source-conflict.ts';

const claim = (source: string, serial: string, more: Partial<HostClaim> = {}): HostClaim => ({
  source,
  sourceId: `${source}-1`,
  hostId: 'h',
  marks: { serial, systemUuid: '', macs: [] },
  isById: false,
  ...more,
});
const host = (source: string, serial = 'SN1'): Host =>
  create(HostSchema, { id: 'h', spec: { serial }, status: source === '' ? {} : { source: { name: source, id: 'device-1' } } });

const sources = ['bcm', 'netbox', 'ironic'];
const arbitraryClaims = fc.uniqueArray(
  fc.record({ source: fc.constantFrom(...sources), sourceId: fc.constantFrom('1', '2'), serial: fc.constantFrom('SN1', 'SN2', '') }),
  { selector: ({ source, sourceId }) => `${source}/${sourceId}`, maxLength: 6 },
);
const arbitraryHost = fc.record({ owner: fc.constantFrom('', ...sources), serial: fc.constantFrom('SN1', 'SN2') });

describe('the condition of a conflict', () => {
  it('names the sources, what they call the machine and what it is the same by', () => {
    const disputed = withSourceConflict(host('bcm'), [claim('netbox', 'SN1')], 1_000);
    expect(conflictOf(disputed)).toMatchObject({
      type: HostConditionType.DEGRADED,
      status: ConditionStatus.TRUE,
      reason: 'SourceConflict',
      lastTransitionTime: { seconds: 1n },
      message:
        'More than one source claims this machine: "bcm" has it as "device-1", "netbox" has it as "netbox-1" (same serial SN1). Take it out of all but one, or correct what is wrong there.',
    });
  });

  it('also tells of two sources that claim a host which a person made, and of one that asks for it by its id', () => {
    expect(conflictOf(withSourceConflict(host(''), [claim('bcm', 'SN1')], 0))).toBeUndefined();
    const disputed = withSourceConflict(host(''), [claim('bcm', 'SN1'), claim('netbox', 'other', { isById: true })], 0);
    expect(conflictOf(disputed)?.message).toContain('"bcm" has it as "bcm-1" (same serial SN1), "netbox" has it as "netbox-1" (same id)');
  });

  it('keeps the time since when it is so while others join, and other conditions always', () => {
    const ready = host('bcm');
    ready.status?.conditions.push(create(HostConditionSchema, { type: HostConditionType.READY, status: ConditionStatus.TRUE }));
    const one = withSourceConflict(ready, [claim('netbox', 'SN1')], 1_000);
    const two = withSourceConflict(one, [claim('netbox', 'SN1'), claim('ironic', 'SN1')], 2_000);
    expect(two.status?.conditions.map(({ type }) => type)).toEqual([HostConditionType.READY, HostConditionType.DEGRADED]);
    expect(conflictOf(two)).toMatchObject({ lastTransitionTime: { seconds: 1n }, message: expect.stringContaining('"ironic"') });
    expect(withSourceConflict(two, [], 3_000)).toEqual(ready);
  });

  it('is there exactly while more than one source has the machine, and asking again changes nothing', () => {
    fc.assert(
      fc.property(arbitraryHost, arbitraryClaims, arbitraryClaims, ({ owner, serial }, before, after) => {
        const given = host(owner, serial);
        const claimsOf = (list: typeof before) => list.map(({ serial: mark, ...each }) => claim('', mark, each));
        const was = withSourceConflict(given, claimsOf(before), 1_000);
        const is = withSourceConflict(was, claimsOf(after), 2_000);
        const valid = claimsOf(after).filter((each) => claimedBy(each, given) !== undefined);
        const claimants = new Set([ownerOf(given), ...valid.map(({ source }) => source)].filter((source) => source !== ''));
        expect(conflictOf(is) !== undefined).toBe(claimants.size > 1);
        for (const source of claimants.size > 1 ? claimants : []) expect(conflictOf(is)?.message).toContain(`"${source}" has it`);
        expect(withSourceConflict(is, claimsOf(after).toReversed(), 3_000)).toBe(is);
        expect(withSourceConflict(is, [], 3_000)).toEqual(given);
      }),
    );
  });
});
