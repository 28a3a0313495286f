import { create, equals } from '@bufbuild/protobuf';
import { ClusterSchema, HostSchema, HubSchema } from '@quartermaster/api/private';
import { arbitraryMessage } from '@quartermaster/fulfillment/testing';
import { keepStored, mergeUnmasked, redacted } from '@quartermaster/objects';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const secrets = ['spec.bmc.password'];

describe('mergeUnmasked', () => {
  it('replaces what it has no rule for', () => {
    const messages = arbitraryMessage(ClusterSchema);
    fc.assert(
      fc.property(messages, messages, (stored, input) => equals(ClusterSchema, mergeUnmasked(ClusterSchema, stored, input, {}), input)),
    );
  });

  it('changes nothing when a caller sends back what it read', () => {
    const rules = {
      unknownToCaller: ['spec.rack', 'status.hub'],
      secrets,
      outputOnly: [{ pattern: 'metadata' }, { pattern: 'status.cluster' }],
    };
    fc.assert(fc.property(arbitraryMessage(HostSchema), (host) => equals(HostSchema, mergeUnmasked(HostSchema, host, host, rules), host)));
  });

  it('keeps fields that the caller does not know, also when it sends no part of the message around them', () => {
    const stored = create(HostSchema, { spec: { rack: 'r1', powerState: 1 }, status: { hub: 'h' } });
    const rules = { unknownToCaller: ['spec.rack', 'status.hub'] };
    expect(mergeUnmasked(HostSchema, stored, create(HostSchema), rules)).toMatchObject({
      spec: { rack: 'r1', powerState: 0 },
      status: { hub: 'h' },
    });
    const moved = create(HostSchema, { spec: { rack: 'r2' } });
    expect(mergeUnmasked(HostSchema, stored, moved, rules).spec?.rack).toBe('r2');
  });

  it('keeps a secret that is absent or shown in its place, and takes a new one', () => {
    const stored = create(HostSchema, { spec: { bmc: { url: 'u', password: 'old' } } });
    const merged = (password: string): string | undefined =>
      mergeUnmasked(HostSchema, stored, create(HostSchema, { spec: { bmc: { password } } }), { secrets }).spec?.bmc?.password;
    expect(merged('')).toBe('old');
    expect(merged(redacted)).toBe('old');
    expect(merged('new')).toBe('new');
  });

  it('never takes the mark for a value, nor where there is nothing that it stands for', () => {
    const input = create(HostSchema, { spec: { bmc: { password: redacted } } });
    expect(mergeUnmasked(HostSchema, create(HostSchema), input, { secrets }).spec?.bmc?.password).toBe('');
    const hub = create(HubSchema, { kubeconfig: new TextEncoder().encode(redacted) });
    const stored = create(HubSchema, { kubeconfig: new Uint8Array([1, 2]) });
    expect(mergeUnmasked(HubSchema, stored, hub, { secrets: ['kubeconfig'] }).kubeconfig).toEqual(new Uint8Array([1, 2]));
  });

  it('leaves what only the service writes as it is stored, in entries of maps too', () => {
    const stored = create(ClusterSchema, { metadata: { version: 3n }, status: { nodeSets: { w: { size: 1, hosts: ['h1'] } } } });
    const input = create(ClusterSchema, {
      metadata: { version: 1n },
      status: { nodeSets: { w: { size: 2, hosts: ['x'] }, v: { hosts: ['y'] } } },
    });
    const outputOnly = [{ pattern: 'metadata.version' }, { pattern: 'status.node_sets.*.hosts' }];
    const result = mergeUnmasked(ClusterSchema, stored, input, { outputOnly });
    expect(result).toMatchObject({ metadata: { version: 3n }, status: { nodeSets: { w: { size: 2, hosts: ['h1'] }, v: { hosts: [] } } } });
  });

  it('keeps fields of a newer release wherever they are, unless the caller sends them', () => {
    const stored = create(ClusterSchema, { spec: { nodeSets: { w: { size: 1 }, v: { size: 1 } } } });
    const unknown = (no: number, byte: number) => [{ no, wireType: 0, data: Uint8Array.of(byte) }];
    stored.$unknown = unknown(990, 1);
    if (stored.spec !== undefined) stored.spec.$unknown = unknown(991, 1);
    for (const set of Object.values(stored.spec?.nodeSets ?? {})) set.$unknown = unknown(992, 1);
    const input = create(ClusterSchema, { spec: { nodeSets: { w: { size: 2 } } } });
    input.$unknown = unknown(990, 7);
    const result = mergeUnmasked(ClusterSchema, stored, input, {});
    expect([result.$unknown, result.spec?.$unknown]).toEqual([unknown(990, 7), unknown(991, 1)]);
    expect(result.spec?.nodeSets['w']).toMatchObject({ size: 2, $unknown: unknown(992, 1) });
    expect(Object.keys(result.spec?.nodeSets ?? {})).toEqual(['w']);
  });
});

describe('keepStored', () => {
  it('lets a mask clear a secret, and restores one that was sent back as shown', () => {
    const stored = create(HostSchema, { spec: { bmc: { password: 'old' } } });
    const kept = (password: string): string | undefined =>
      keepStored(HostSchema, stored, create(HostSchema, { spec: { bmc: { password } } }), { secrets }).spec?.bmc?.password;
    expect(kept('')).toBe('');
    expect(kept(redacted)).toBe('old');
  });
});
