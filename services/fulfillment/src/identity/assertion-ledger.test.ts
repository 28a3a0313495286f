import { create } from '@bufbuild/protobuf';
import { type Host, HostSchema } from '@quartermaster/api/private';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Assertion, assertionKey } from './assertion.ts';
import { type Asserter, AssertionLedger } from './assertion-ledger.ts';
import { disputeCondition } from './dispute.ts';
import { marksOf } from './host-marks.ts';
import { MachineCensus } from './machine-census.ts';

const host = (id: string, source: string, serial: string): Host =>
  create(HostSchema, { id, spec: { serial }, status: { source: { name: source, id: `${source}-id` } } });

function asserter(source: string, serial: string, own?: Host): Asserter {
  return { source, sourceId: `${source}-id`, marks: { serial, systemUuid: '', macs: [] }, own, asked: undefined };
}

const apply = (stored: readonly Assertion[], { put, dropped }: ReturnType<AssertionLedger['changes']>): Assertion[] => {
  const rows = new Map(stored.map((assertion) => [assertionKey(assertion), assertion]));
  for (const assertion of dropped) rows.delete(assertionKey(assertion));
  for (const assertion of put) rows.set(assertionKey(assertion), assertion);
  return [...rows.values()];
};

describe('a ledger of assertions', () => {
  it('tells both hosts when two sources turn out to have brought one machine, and both again when they have not', () => {
    const [one, other] = [host('h1', 'bcm', 'SN1'), host('h2', 'netbox', 'SN1')];
    const ledger = new AssertionLedger([]);
    expect([...ledger.hear(asserter('netbox', 'SN1', other), new MachineCensus([one, other]))].toSorted()).toEqual(['h1', 'h2']);
    expect(disputeCondition(ledger.judge(one, 0))?.message).toContain('"netbox" has it as "netbox-id", host "h2"');
    expect(disputeCondition(ledger.judge(other, 0))?.message).toContain('"bcm" has it as "bcm-id"');
    const corrected = host('h2', 'netbox', 'SN2');
    const census = new MachineCensus([one, corrected]);
    expect([...ledger.hear(asserter('netbox', 'SN2', corrected), census)].toSorted()).toEqual(['h1', 'h2']);
    expect([one, corrected].map((each) => ledger.judge(each, 0))).toEqual([one, corrected]);
    expect(ledger.changes()).toEqual({ put: [], dropped: [] });
  });

  it('leaves a host alone that is being deleted', () => {
    const status = { source: { name: 'bcm', id: '1' } };
    const gone = create(HostSchema, { id: 'h1', metadata: { deletionTimestamp: {} }, spec: { serial: 'SN1' }, status });
    const ledger = new AssertionLedger([]);
    ledger.hear(asserter('netbox', 'SN1'), new MachineCensus([gone]));
    expect(ledger.judge(gone, 0)).toBe(gone);
  });

  it('comes to the same end whatever was asserted before and whoever speaks first, and then has nothing more to write', () => {
    const serials = fc.constantFrom('SN1', 'SN2', 'SN3');
    const world = fc.record({ bcm: serials, netbox: serials, ironic: serials, hasHost: fc.subarray(['bcm', 'netbox', 'ironic'] as const) });
    const order = fc.shuffledSubarray(['bcm', 'netbox', 'ironic'] as const, { minLength: 3 });
    fc.assert(
      fc.property(world, world, order, order, (before, after, first, second) => {
        const run = (stored: readonly Assertion[], { hasHost, ...serialOf }: typeof before, turns: typeof first) => {
          const ledger = new AssertionLedger(stored);
          const hosts = hasHost.map((source) => host(`host-of-${source}`, source, serialOf[source]));
          const own = (source: string) => hosts.find(({ id }) => id === `host-of-${source}`);
          const census = new MachineCensus(hosts);
          const changed = turns.flatMap((source) => [...ledger.hear(asserter(source, serialOf[source], own(source)), census)]);
          return {
            hosts,
            changed,
            rows: apply(stored, ledger.changes()),
            states: hosts.map((each) => disputeCondition(ledger.judge(each, 0))),
          };
        };
        const earlier = run([], before, first).rows;
        const { rows, states, hosts } = run(earlier, after, second);
        const again = run(rows, after, first);
        expect(again.changed).toEqual([]);
        expect(again.states).toEqual(states);
        expect(states).toEqual(run([], after, second).states);
        for (const [index, { spec, status }] of hosts.entries()) {
          const names = (['bcm', 'netbox', 'ironic'] as const).filter((source) => after[source] === marksOf(spec).serial);
          expect(states[index] !== undefined).toBe(new Set([...names, status?.source?.name]).size > 1);
        }
      }),
    );
  });
});
