import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { type HostFacts, HostFactsSchema } from '@quartermaster/api/fulfillment-extras';
import { type Host, HostSchema } from '@quartermaster/api/private';
import { describe, expect, it } from 'vitest';
import { listMarks } from '../identity/host-marks.ts';
import { MachineCensus } from '../identity/machine-census.ts';
import { marksOfFacts } from './known-hosts.ts';
import { type Match, matchHost } from './match-host.ts';

const facts = (init: MessageInitShape<typeof HostFactsSchema>): HostFacts => create(HostFactsSchema, { sourceId: 's1', ...init });
const host = (id: string, source: { name: string; id: string } | undefined, spec: MessageInitShape<typeof HostSchema>['spec'] = {}): Host =>
  create(HostSchema, { id, spec: spec ?? {}, status: source === undefined ? {} : { source } });

function match(given: HostFacts, hosts: readonly Host[], mayAdopt = false): Match {
  const known = {
    ofSource: (sourceId: string) => hosts.find(({ status }) => status?.source?.name === 'mine' && status.source.id === sourceId),
    withId: (id: string) => hosts.find((each) => each.id === id),
  };
  const alike = () => new MachineCensus(hosts).withMarks(listMarks(marksOfFacts(given)));
  return matchHost(given, alike, known, { source: 'mine', mayAdopt, comparesSecrets: true });
}

const mine = { name: 'mine', id: 's1' };
const theirs = { name: 'theirs', id: 't1' };

describe('matchHost', () => {
  it('finds the host that the source brought, whatever its marks say', () => {
    const own = host('h1', mine);
    expect(match(facts({ id: 'h2', serial: 'SN-X' }), [own, host('h2', theirs, { serial: 'SN-X' })])).toMatchObject({
      kind: 'known',
      host: { id: 'h1' },
      isTaken: false,
    });
  });

  it('makes a new host when nothing is like it', () => {
    expect(
      match(facts({ serial: 'SN-X' }), [
        host('h1', theirs, { serial: 'SN-Y' }),
        host('h2', { name: 'mine', id: 's2' }, { serial: 'SN-X' }),
      ]),
    ).toEqual({ kind: 'new' });
  });

  it.each([
    ['id', facts({ id: 'h1' }), {}],
    ['serial SN1', facts({ serial: ' SN1 ' }), { serial: 'SN1' }],
    ['system UUID', facts({ systemUuid: '4C4C4544-0042-3010-8044-B3C04F4E5A32' }), { systemUuid: '4c4c4544-0042-3010-8044-b3c04f4e5a32' }],
    ['MAC address b8:3f:d2:00:00:01', facts({ bootMac: 'B8-3F-D2-00-00-01' }), { nics: [{ mac: 'b8:3f:d2:00:00:01' }] }],
    ['MAC address b8:3f:d2:00:00:01', facts({ nics: { items: [{ mac: 'b83fd2000001' }] } }), { bootMac: 'b8:3f:d2:00:00:01' }],
  ])('never touches a host of another source or of a person that has the same %s', (by, given, spec) => {
    const other = match(given, [host('h1', theirs, spec)], true);
    expect(other).toMatchObject({ kind: 'conflict', id: 'h1', message: expect.stringContaining(`(same ${by}`) });
    expect(other).toMatchObject({ message: expect.stringContaining('belongs to source "theirs"; take it out of one of the two') });
    expect(match(given, [host('h1', undefined, spec)])).toMatchObject({
      kind: 'conflict',
      message: expect.stringContaining('was created by hand'),
    });
    expect(match(given, [host('h1', undefined, spec)], true)).toMatchObject({ kind: 'known', host: { id: 'h1' }, isTaken: true });
  });

  it('leaves it to a person when several hosts may be the one', () => {
    const hosts = [host('h1', undefined, { serial: 'SN-X' }), host('h2', undefined, { bootMac: 'b8:3f:d2:00:00:01' })];
    expect(match(facts({ serial: 'SN-X', bootMac: 'b8:3f:d2:00:00:01' }), hosts, true)).toMatchObject({
      kind: 'conflict',
      message: expect.stringContaining('"h1", "h2"'),
    });
  });

  it('does not take what firmware shows in place of a serial number for one', () => {
    expect(match(facts({ serial: 'To be filled by O.E.M.' }), [host('h1', theirs, { serial: 'To be filled by O.E.M.' })])).toEqual({
      kind: 'new',
    });
  });

  it('leaves a host alone that is being deleted, and one that the source knows by another id', () => {
    const deleted = create(HostSchema, { id: 'h1', metadata: { deletionTimestamp: {} }, status: { source: mine } });
    expect(match(facts({}), [deleted])).toMatchObject({ kind: 'conflict', message: expect.stringContaining('is being deleted') });
    expect(match(facts({ id: 'h1' }), [host('h1', { name: 'mine', id: 's9' })])).toMatchObject({
      kind: 'conflict',
      message: expect.stringContaining('as "s9"'),
    });
  });
});
