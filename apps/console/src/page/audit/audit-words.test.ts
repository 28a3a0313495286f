import { describe, expect, it } from 'vitest';
import type { AuditEntry } from '../api/audit-entry.ts';
import { changesLine, changeWords, methodWord, outcomeWords, valueWords } from './audit-words.ts';

const entry: AuditEntry = {
  id: '1',
  at: '2026-01-01T00:00:00Z',
  actor: 'ann',
  role: 'provider',
  peer: '127.0.0.1',
  method: '/private.v1.Hosts/Update',
  kind: 'hosts',
  object_id: 'h1',
  object_name: 'host-1',
  changes: [],
  outcome: 'updated',
  request_id: 'r',
};
const rack = { path: 'spec.rack', before: '"r1"', after: '"r2"' };

describe('entries of the audit log in words', () => {
  it('say what became of the object, or that the call was refused', () => {
    expect(outcomeWords(entry).word).toBe('changed');
    expect(outcomeWords({ ...entry, outcome: 'archived' }).word).toBe('deleted');
    expect(outcomeWords({ ...entry, outcome: 'revealed' }).word).toBe('secrets opened');
    expect(outcomeWords({ ...entry, outcome: 'permission_denied' })).toEqual({ tone: 'failed', word: 'refused: permission denied' });
    expect(methodWord(entry)).toBe('Update');
  });

  it('show both sides of a change, and of a new value only what it is', () => {
    expect(changeWords(rack)).toBe('spec.rack: r1 → r2');
    expect(changeWords({ ...rack, before: '' })).toBe('spec.rack: r2');
    expect(changeWords({ ...rack, after: '' })).toBe('spec.rack: r1 → nothing');
    expect(changeWords({ path: 'spec.bmc.password', before: '"<redacted>"', after: '"<redacted>"' })).toBe(
      'spec.bmc.password: a secret → a secret',
    );
  });

  it('say the value of an enum without what the field says already', () => {
    const state = { path: 'status.state', before: '"HOST_STATE_READY"', after: '"HOST_STATE_FAILED"' };
    expect(changeWords(state)).toBe('status.state: ready → failed');
    expect(changeWords({ path: 'spec.power_state', before: '', after: '"HOST_POWER_STATE_ON"' })).toBe('spec.power_state: on');
    expect(changeWords({ ...state, path: 'metadata.name' })).toBe('metadata.name: HOST_STATE_READY → HOST_STATE_FAILED');
  });

  it('leave alone what is cut off or no text', () => {
    expect(valueWords('[1,2]')).toBe('[1,2]');
    expect(valueWords('"a long te…')).toBe('"a long te…');
  });

  it('fit in one line', () => {
    expect(changesLine({ ...entry, changes: [rack] })).toBe('spec.rack: r1 → r2');
    expect(changesLine({ ...entry, changes: [rack, rack, rack] })).toBe('spec.rack: r1 → r2, and 2 more fields');
    expect(changesLine({ ...entry, outcome: 'created', changes: [rack] })).toBe('1 field');
    expect(changesLine(entry)).toBe('');
  });
});
