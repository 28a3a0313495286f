import { create } from '@bufbuild/protobuf';
import { ClusterSchema } from '@quartermaster/api/private';
import { outputOnlyViolations, parseMask } from '@quartermaster/objects';
import { describe, expect, it } from 'vitest';

const outputOnly = [{ pattern: 'metadata.version' }, { pattern: 'status.node_sets.*.hosts', wayOut: 'claim hosts instead' }];

function violations(size: number, hosts: string[], ...paths: string[]) {
  const stored = create(ClusterSchema, { metadata: { version: 1n }, status: { nodeSets: { w: { size: 1, hosts: ['a'] } } } });
  const object = create(ClusterSchema, { metadata: { version: 2n }, status: { nodeSets: { w: { size, hosts } } } });
  return outputOnlyViolations(ClusterSchema, stored, object, parseMask(ClusterSchema, paths), outputOnly);
}

describe('outputOnlyViolations', () => {
  it('refuses a path that would change what only the service writes, and says who does', () => {
    expect(violations(1, ['b'], 'status.node_sets.w.hosts')).toEqual([
      { field: 'status.node_sets.w.hosts', description: 'is not written by updates; claim hosts instead' },
    ]);
  });

  it('passes over what is equal, what lies above, and what nobody takes for a wish', () => {
    expect(violations(1, ['a'], 'status.node_sets.w.hosts')).toEqual([]);
    expect(violations(2, ['b'], 'status.node_sets.w')).toEqual([]);
    expect(violations(1, ['a'], 'metadata.version')).toEqual([]);
  });
});
