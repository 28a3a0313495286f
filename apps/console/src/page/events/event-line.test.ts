import { describe, expect, it } from 'vitest';
import { rowFilter } from '../../filter/row-filter.ts';
import type { AuditEntry } from '../api/audit-entry.ts';
import { hostClassKind } from '../api/object-kind.ts';
import { eventKeys, lineOfEntry, lineOfEvent } from './event-line.ts';

const line = lineOfEvent({
  id: 'e1',
  type: 'updated',
  payload: 'host_class',
  object: { id: 'hc1', metadata: { name: 'H100', tenants: [], version: '7' } },
  at: 3,
});
const entry: AuditEntry = {
  id: '1',
  at: '2026-01-01T00:00:00Z',
  actor: 'ann',
  role: 'provider',
  peer: '',
  method: '/private.v1.Hosts/Update',
  kind: 'hosts',
  object_id: 'h1',
  object_name: '',
  changes: [{ path: 'spec.rack', before: '"r1"', after: '"r2"' }],
  outcome: 'updated',
  request_id: 'r',
};

describe('a line of the page of events', () => {
  it('says what happened to which object', () => {
    expect(line).toMatchObject({ word: 'changed', kind: hostClassKind, objectName: 'H100', note: 'version 7', href: '/host-classes/hc1' });
  });

  it('of something earlier says who did it', () => {
    expect(lineOfEntry(entry)).toMatchObject({ word: 'changed', objectName: 'h1', note: 'spec.rack: r1 → r2 by ann' });
    expect(lineOfEntry({ ...entry, outcome: 'archived', changes: [] })).toMatchObject({
      word: 'deleted',
      href: undefined,
      note: 'by ann',
    });
  });

  it('is none for a call that was refused', () => {
    expect(lineOfEntry({ ...entry, outcome: 'permission_denied' })).toBeUndefined();
    expect(lineOfEntry({ ...entry, kind: '' })).toBeUndefined();
  });

  it('is found by a part of the name or id in any case, and by keys', () => {
    const isFound = (query: string): boolean => rowFilter(query, eventKeys).matches(line);
    expect(['', 'HC1', 'kind:class', 'what:changed name:h1', 'this.name == "H100"'].map(isFound)).toEqual([true, true, true, true, true]);
    expect(['x', 'kind:hub', 'what:"change"'].map(isFound)).toEqual([false, false, false]);
  });
});
