import { describe, expect, it } from 'vitest';
import type { ApiField } from '../../api-field.ts';
import { completeCel } from './complete-cel.ts';

const fields: readonly ApiField[] = [
  { path: 'id', type: 'text' },
  { path: 'spec.rack', type: 'text', description: 'The rack it stands in. Free text.' },
  { path: 'spec.rack_unit', type: 'number' },
  { path: 'spec.class', type: 'text' },
  { path: 'spec.bmc.insecure', type: 'bool' },
  { path: 'status.state', type: 'enum', values: ['HOST_STATE_READY', 'HOST_STATE_FAILED'] },
  { path: 'status.source.last_seen', type: 'time' },
  { path: 'metadata.tenants', type: 'list' },
  { path: 'status.conditions', type: 'messages' },
  { path: 'metadata.labels', type: 'map' },
];
const complete = completeCel(fields, { 'spec.class': new Map([['gpu', 'gpu-h100']]) });

/** What the text is after the first completion of it is taken; `|` is the caret. */
function taken(text: string, choice = 0): string | undefined {
  const caret = text.includes('|') ? text.indexOf('|') : text.length;
  const plain = text.replace('|', '');
  const found = complete(plain, caret);
  const option = found?.options[choice];
  return found === undefined || option === undefined ? undefined : plain.slice(0, found.from) + option.insert + plain.slice(found.to);
}
const labels = (text: string): readonly (string | undefined)[] =>
  complete(text, text.length)?.options.map(({ label, insert }) => label ?? insert) ?? [];

describe('completions of the API’s filter language', () => {
  it('finds a field by its path or by any part of it', () => {
    expect(taken('this.spec.ra')).toBe('this.spec.rack == ');
    expect(taken('rack')).toBe('this.spec.rack == ');
    expect(labels('rack')).toEqual(['this.spec.rack', 'this.spec.rack_unit']);
    expect(taken('this.status.state == HOST_STATE_READY && clas')).toBe('this.status.state == HOST_STATE_READY && this.spec.class == ');
  });

  it('says in one sentence what a field is', () => {
    expect(complete('rack', 4)?.options[0]?.note).toBe('The rack it stands in');
  });

  it('offers the values that a field can have', () => {
    expect(labels('this.status.state == ')).toEqual(['HOST_STATE_READY', 'HOST_STATE_FAILED']);
    expect(labels('this.status.state != fail')).toEqual(['HOST_STATE_FAILED']);
    expect(labels('this.spec.class == ')).toEqual(['""', '"gpu"']);
    expect(taken('this.spec.class == "g')).toBe('this.spec.class == "gpu"');
    expect(taken('this.status.source.last_seen > ')).toBe('this.status.source.last_seen > now - duration("1h")');
  });

  it('offers what compares and what joins where one of them must come', () => {
    expect(labels('this.spec.rack ')).toEqual(['==', '!=']);
    expect(labels('this.spec.rack == "r1" ')).toEqual(['&&', '||']);
    expect(labels('this.status.state == HOST_STATE_READY ')).toEqual(['&&', '||']);
    expect(labels('this.spec.rack == "r1" && ')).toContain('this.spec.rack');
  });

  it('asks lists, maps and truths in their own ways', () => {
    expect(taken('tenants')).toBe('this.metadata.tenants.exists(each, each == ');
    expect(taken('conditions')).toBe('this.status.conditions.exists(each, each.');
    expect(taken('labels')).toBe('this.metadata.labels["');
    expect(taken('insecure')).toBe('this.spec.bmc.insecure');
  });

  it('completes where the caret is and leaves the rest alone', () => {
    expect(taken('rac| && this.id == "x"')).toBe('this.spec.rack ==  && this.id == "x"');
  });

  it('is silent within a text of its own, at what it does not know, and when all is said', () => {
    expect(labels('this.spec.rack == "rac')).toEqual([]);
    expect(labels('this.nothing == ')).toEqual([]);
    expect(labels('this.status.state == HOST_STATE_READY')).toEqual([]);
    expect(labels('this.spec.rack == "r1"')).toEqual([]);
    expect(labels('this.metadata.name.startsWith("')).toEqual([]);
  });
});
