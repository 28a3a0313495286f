import { codeOf, messageOf } from '@quartermaster/kernel';
import { describe, expect, it } from 'vitest';
import { sampleRecord } from '../../test/sample-record.ts';
import { leaseNamespace } from '../model/lease-name.ts';
import { orderName } from '../reservations/order-name.ts';
import { readRecord, recordObject } from './record-object.ts';

const { lease, name, namespace } = sampleRecord();

function refusal(object: ReturnType<typeof recordObject>): readonly string[] {
  try {
    readRecord(object);
  } catch (thrown) {
    return [codeOf(thrown), messageOf(thrown)];
  }
  return [];
}

describe('the record of a lease', () => {
  it('is read as it was made, whatever the owner is called', () => {
    for (const owner of ['amy', 'Älice & Bob', 'a'.repeat(200)]) {
      const each = { ...lease, owner };
      const made = readRecord(recordObject(orderName(each), each, leaseNamespace(each)));
      expect(made).toMatchObject({ name: orderName(each), lease: each, namespace: leaseNamespace(each), state: 'Pending' });
    }
  });

  it('is refused where its dseq is none', () => {
    const made = recordObject(name, lease, namespace);
    const spec = { ...made.spec, lease: { ...made.spec.lease, dseq: 'x' } };
    expect(refusal({ ...made, spec })).toEqual(['failed_precondition', `TenantLease ${name} names no lease: its dseq is no number`]);
  });

  it('is refused where it has the name of another lease', () => {
    expect(refusal(recordObject('bob-7-1-1', lease, namespace))).toEqual([
      'failed_precondition',
      'TenantLease bob-7-1-1 is not that of the lease in its spec, which is called amy-7-1-1: delete it, and it is created again',
    ]);
  });

  it('is refused where it names a namespace that is not of its lease, which its end would delete', () => {
    for (const other of ['kube-system', 'lease-bob-7-1-1', ''])
      expect(refusal(recordObject(name, lease, other))).toEqual([
        'failed_precondition',
        `TenantLease amy-7-1-1 names the namespace "${other}", which is not that of its lease, lease-amy-7-1-1: delete it, and it is created again`,
      ]);
  });
});
