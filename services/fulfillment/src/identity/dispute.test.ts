import { create } from '@bufbuild/protobuf';
import { ConditionStatus } from '@quartermaster/api/fulfillment';
import { type Host, HostConditionSchema, HostConditionType, HostSchema } from '@quartermaster/api/private';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Assertion, ownerOf, sameBy } from './assertion.ts';
import { disputeCondition, withDispute, withKeptDispute } from './dispute.ts';

const assertion = (source: string, serial: string, more: Partial<Assertion> = {}): Assertion => ({
  source,
  sourceId: `${source}-1`,
  hostId: 'h',
  marks: { serial, systemUuid: '', macs: [] },
  byHost: '',
  isById: false,
  mark: '',
  ...more,
});
const host = (source: string, serial = 'SN1'): Host =>
  create(HostSchema, { id: 'h', spec: { serial }, status: source === '' ? {} : { source: { name: source, id: 'device-1' } } });

const sources = ['bcm', 'netbox', 'ironic'];
const arbitraryAssertions = fc.uniqueArray(
  fc.record({ source: fc.constantFrom(...sources), sourceId: fc.constantFrom('1', '2'), serial: fc.constantFrom('SN1', 'SN2', '') }),
  { selector: ({ source, sourceId }) => `${source}/${sourceId}`, maxLength: 6 },
);
const arbitraryHost = fc.record({ owner: fc.constantFrom('', ...sources), serial: fc.constantFrom('SN1', 'SN2') });

describe('the condition of a dispute', () => {
  it('names the sources, what they call the machine and what it is the same by', () => {
    const disputed = withDispute(host('bcm'), [assertion('netbox', 'SN1')], 1_000);
    expect(disputeCondition(disputed)).toMatchObject({
      type: HostConditionType.DISPUTED,
      status: ConditionStatus.TRUE,
      reason: 'SourceConflict',
      lastTransitionTime: { seconds: 1n },
      message:
        'More than one source claims this machine: "bcm" has it as "device-1", "netbox" has it as "netbox-1" (same serial SN1). Take it out of all but one, or correct what is wrong there.',
    });
  });

  it('also tells of two sources that say they have a host which a person made, and of one that asks for it by its id', () => {
    expect(disputeCondition(withDispute(host(''), [assertion('bcm', 'SN1')], 0))).toBeUndefined();
    const disputed = withDispute(host(''), [assertion('bcm', 'SN1'), assertion('netbox', 'other', { isById: true })], 0);
    expect(disputeCondition(disputed)?.message).toContain(
      '"bcm" has it as "bcm-1" (same serial SN1), "netbox" has it as "netbox-1" (same id)',
    );
  });

  it('keeps the time since when it is so while others join, and other conditions always', () => {
    const ready = host('bcm');
    ready.status?.conditions.push(create(HostConditionSchema, { type: HostConditionType.READY, status: ConditionStatus.TRUE }));
    const one = withDispute(ready, [assertion('netbox', 'SN1')], 1_000);
    const two = withDispute(one, [assertion('netbox', 'SN1'), assertion('ironic', 'SN1')], 2_000);
    expect(two.status?.conditions.map(({ type }) => type)).toEqual([HostConditionType.READY, HostConditionType.DISPUTED]);
    expect(disputeCondition(two)).toMatchObject({ lastTransitionTime: { seconds: 1n }, message: expect.stringContaining('"ironic"') });
    expect(withDispute(two, [], 3_000)).toEqual(ready);
  });

  it('names the other host where no two sources are at odds, and its place where that is all they share', () => {
    const twin = assertion('bcm', 'SN1', { sourceId: 'device-2', byHost: 'h2', mark: 'serial SN1' });
    const neighbour = assertion('', '', { sourceId: 'h3', byHost: 'h3', mark: 'height unit 7 of rack r1' });
    expect(disputeCondition(withDispute(host('bcm'), [twin, neighbour], 0))).toMatchObject({
      reason: 'SameMachine',
      message:
        'Host "h2" is the same machine (same serial SN1). Host "h3" is in the same place (height unit 7 of rack r1). Delete one of them, or correct what is wrong.',
    });
    expect(disputeCondition(withDispute(host('bcm'), [neighbour], 0))?.reason).toBe('SamePlace');
    expect(disputeCondition(withDispute(host(''), [twin], 0))?.reason).toBe('SameMachine');
  });

  it('leaves other reasons for being degraded where they are, and replaces the form of the release before', () => {
    const [type, status] = [HostConditionType.DEGRADED, ConditionStatus.TRUE];
    const broken = host('bcm');
    broken.status?.conditions.push(create(HostConditionSchema, { type, status, reason: 'FanFailed' }));
    const disputed = withDispute(broken, [assertion('netbox', 'SN1')], 1_000);
    expect(disputed.status?.conditions.map(({ reason }) => reason)).toEqual(['FanFailed', 'SourceConflict']);
    expect(withDispute(disputed, [], 2_000)).toEqual(broken);
    const former = host('bcm');
    former.status?.conditions.push(create(HostConditionSchema, { type, status, reason: 'SourceConflict' }));
    expect(withDispute(former, [], 2_000)).toEqual(host('bcm'));
  });

  it('is what it was, whatever a writer makes of the conditions', () => {
    const disputed = withDispute(host('bcm'), [assertion('netbox', 'SN1')], 1_000);
    const forged = host('bcm');
    forged.status?.conditions.push(create(HostConditionSchema, { type: HostConditionType.DISPUTED, reason: 'Mine' }));
    expect(withKeptDispute(disputed, host('bcm'))).toEqual(disputed);
    expect(withKeptDispute(disputed, forged)).toEqual(disputed);
    expect(withKeptDispute(host('bcm'), forged)).toEqual(host('bcm'));
    expect(withKeptDispute(undefined, forged)).toEqual(host('bcm'));
  });

  it('is there exactly while more than one source has the machine, and asking again changes nothing', () => {
    fc.assert(
      fc.property(arbitraryHost, arbitraryAssertions, arbitraryAssertions, ({ owner, serial }, before, after) => {
        const given = host(owner, serial);
        const assertionsOf = (list: typeof before) => list.map(({ serial: mark, ...each }) => assertion('', mark, each));
        const was = withDispute(given, assertionsOf(before), 1_000);
        const is = withDispute(was, assertionsOf(after), 2_000);
        const valid = assertionsOf(after).filter((each) => sameBy(each, given) !== undefined);
        const origins = new Set([ownerOf(given), ...valid.map(({ source }) => source)].filter((source) => source !== ''));
        expect(disputeCondition(is) !== undefined).toBe(origins.size > 1);
        for (const source of origins.size > 1 ? origins : []) expect(disputeCondition(is)?.message).toContain(`"${source}" has it`);
        expect(withDispute(is, assertionsOf(after).toReversed(), 3_000)).toBe(is);
        expect(withDispute(is, [], 3_000)).toEqual(given);
      }),
    );
  });
});
