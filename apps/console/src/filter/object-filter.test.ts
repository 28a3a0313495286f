import { describe, expect, it } from 'vitest';
import type { ApiField } from '../api-field.ts';
import { fieldKeys, objectFilter } from './object-filter.ts';

const fields: readonly ApiField[] = [
  { path: 'id', type: 'text' },
  { path: 'metadata.name', type: 'text' },
  { path: 'metadata.tenants', type: 'list' },
  { path: 'spec.class', type: 'text' },
  { path: 'spec.rack', type: 'text' },
  { path: 'spec.rack_unit', type: 'number' },
  { path: 'status.state', type: 'enum', values: ['HOST_STATE_UNSPECIFIED', 'HOST_STATE_READY', 'HOST_STATE_FAILED'] },
  { path: 'status.source.name', type: 'text' },
];
const known = { 'spec.class': new Map([['gpu', 'gpu-h100']]) };
const compiled = (query: string): string => objectFilter(query, fields, known);

describe('the filter of objects', () => {
  it('leaves an expression as it is, and asks for nothing when nothing is asked', () => {
    expect(['this.spec.rack == "r1"', ''].map(compiled)).toEqual(['this.spec.rack == "r1"', '']);
  });

  it('has a key for each field, of several with one name the shallowest', () => {
    expect(fieldKeys(fields).get('name')?.path).toBe('metadata.name');
  });

  it('turns keys into comparisons by the type of the field', () => {
    expect(compiled('state:failed')).toBe('this.status.state in [HOST_STATE_FAILED]');
    expect(compiled('rack_unit:7')).toBe('this.spec.rack_unit == 7');
    expect(compiled('tenant:acme')).toBe('this.metadata.tenants.exists(each, each.contains("acme"))');
    expect(compiled('rack:"1"')).toBe('(this.spec.rack in ["1"])');
    expect(compiled('class:h100')).toBe(
      '(this.spec.class.contains("h100") || this.spec.class.contains("H100") || this.spec.class in ["gpu"])',
    );
  });

  it('looks for words wherever people name things', () => {
    expect(compiled('7')).toBe(
      '(this.id.contains("7") || this.metadata.name.contains("7") || this.spec.rack.contains("7") || this.status.source.name.contains("7"))',
    );
    expect(compiled('7 state:ready')).toMatch(/^\(.*\) && this\.status\.state in \[HOST_STATE_READY\]$/);
  });
});
