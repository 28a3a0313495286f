import { expect, it } from 'vitest';
import type { AuditEntry } from '../api/audit-entry.ts';
import { lastOpenings } from './last-openings.ts';

const entry = (actor: string, role: string, at: string): AuditEntry => ({
  id: at,
  at,
  actor,
  role,
  peer: '',
  method: '/private.v1.Hosts/Get',
  kind: 'hosts',
  object_id: 'h',
  object_name: '',
  changes: [],
  outcome: 'revealed',
  request_id: 'r',
});

it('names everybody who opened an object once, with the last time and the number of hours', () => {
  const entries = [entry('bob', 'admin', '4'), entry('ctl', 'controller', '3'), entry('bob', 'admin', '2'), entry('bob', 'tenant', '1')];
  expect(lastOpenings(entries)).toEqual([
    { actor: 'bob', role: 'admin', at: '4', count: 2 },
    { actor: 'ctl', role: 'controller', at: '3', count: 1 },
    { actor: 'bob', role: 'tenant', at: '1', count: 1 },
  ]);
});
