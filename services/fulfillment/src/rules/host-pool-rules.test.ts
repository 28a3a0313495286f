import { create } from '@bufbuild/protobuf';
import { HostPoolSchema } from '@quartermaster/api/private';
import { describe, expect, it } from 'vitest';
import { hostPoolRules } from './host-pool-rules.ts';

describe('a host pool', () => {
  it('says the class and the size of each host set', () => {
    const pool = create(HostPoolSchema, { spec: { hostSets: { a: { size: 1 }, b: { hostClass: 'c' }, c: { hostClass: 'c', size: 2 } } } });
    expect(hostPoolRules.validate(pool).map(({ field }) => field)).toEqual(['spec.host_sets.a.host_class', 'spec.host_sets.b.size']);
  });

  it('refers to classes by id or name; of an update only to those that changed', () => {
    const before = create(HostPoolSchema, { spec: { hostSets: { a: { hostClass: 'c1', size: 1 } } }, status: { hub: 'h1' } });
    const after = create(HostPoolSchema, {
      spec: { hostSets: { a: { hostClass: 'c1', size: 2 }, b: { hostClass: 'c2', size: 1 } } },
      status: { hub: 'h2' },
    });
    expect(hostPoolRules.references(after, before)).toEqual([
      { field: 'spec.host_sets.b.host_class', kind: 'host_classes', value: 'c2', isNameAllowed: true },
      { field: 'status.hub', kind: 'hubs', value: 'h2', isNameAllowed: false },
    ]);
  });
});
