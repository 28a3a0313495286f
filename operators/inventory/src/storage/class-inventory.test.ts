import { describe, expect, it } from 'vitest';
import { listedClasses, storageClassRefusal } from '../config/inventory-config.ts';
import { parseInventoryConfig } from '../config/parse-inventory-config.ts';
import { amount } from '../model/amount.ts';
import type { StorageReading } from '../model/storage-inventory.ts';
import { inventoryOf, type ReadClass } from './class-inventory.ts';
import { storageReason, storageReasons } from './querier/storage-reasons.ts';

const known: StorageReading = { known: true, amount: amount(100, 90, 10), counted: new Map(), space: 'pool', observedAt: 7 };

function read(name: string, reading: StorageReading | undefined, notListed?: ReadClass['notListed']): ReadClass {
  return {
    facts: { name, provisioner: 'p', parameters: {}, labels: {}, annotations: {} },
    promised: { bytes: 10, volumes: 1 },
    notListed,
    answer: reading && { querier: 'q', reading },
  };
}

describe('what is published of storage classes', () => {
  it('has figures, promises and no refusal for a class that is offered', () => {
    expect(inventoryOf([read('beta2', known)])).toEqual([
      {
        class: 'beta2',
        provisioner: 'p',
        backend: 'q',
        performance: 'beta2',
        amount: amount(100, 90, 10),
        promisedBytes: 10,
        volumes: 1,
        observedAt: 7,
      },
    ]);
  });

  it('tells which class claims get that name none', () => {
    const annotated = (name: string, annotations: Record<string, string>): ReadClass => {
      const each = read(name, known);
      return { ...each, facts: { ...each.facts, annotations } };
    };
    const classes = inventoryOf([
      annotated('a', { 'storageclass.kubernetes.io/is-default-class': 'true' }),
      annotated('b', { 'storageclass.beta.kubernetes.io/is-default-class': 'true' }),
      annotated('c', { 'storageclass.kubernetes.io/is-default-class': 'false' }),
      annotated('d', {}),
    ]);
    expect(classes.map(({ isDefault }) => isDefault)).toEqual([true, true, undefined, undefined]);
  });

  it('shows the figures of a class that the configuration does not offer, with that as the only reason', () => {
    const notListed = storageReason('ClassNotListed', 'class beta2 is not listed');
    const ill: StorageReading = { ...known, refusal: storageReason('BackendUnhealthy', 'Ceph is ill') };
    expect(inventoryOf([read('beta2', ill, notListed)])[0]).toMatchObject({ refusal: notListed, amount: { available: 80 } });
    expect(inventoryOf([read('beta2', ill)])[0]?.refusal?.code).toBe('BackendUnhealthy');
  });

  it('has no figures where nobody knows any, rather than zeros', () => {
    const [lonely] = inventoryOf([read('odd', undefined)]);
    expect(lonely).toMatchObject({ backend: '', refusal: { code: 'NoQuerier' } });
    expect(lonely).not.toHaveProperty('amount');
    const [unknown] = inventoryOf([read('odd', { known: false, reason: storageReason('AgentMissing', 'no agent') })]);
    expect(unknown).toMatchObject({ backend: 'q', refusal: { code: 'AgentMissing' } });
    expect(unknown).not.toHaveProperty('amount');
  });

  it('has a class that is listed and does not exist, with what to do, and no figures', () => {
    const [, missing] = inventoryOf([read('beta2', known)], ['beta9']);
    expect(missing).toMatchObject({ class: 'beta9', backend: '', refusal: { code: 'ClassMissing' } });
    expect(missing?.refusal?.message).toContain('create the StorageClass, or correct the name');
    expect(missing).not.toHaveProperty('amount');
    expect(listedClasses(parseInventoryConfig('cluster_storage: [beta2, ram]'))).toEqual(['beta2']);
    expect(listedClasses(parseInventoryConfig('version: v1'))).toEqual([]);
  });

  it('names the classes that draw on the same space', () => {
    const elsewhere: StorageReading = { ...known, space: 'other' };
    const shares = inventoryOf([read('c', known), read('a', known), read('b', elsewhere), read('d', undefined), read('e', undefined)]);
    expect(shares.map(({ class: name, sharesSpaceWith }) => [name, sharesSpaceWith])).toEqual([
      ['a', ['c']],
      ['b', undefined],
      ['c', ['a']],
      ['d', undefined],
      ['e', undefined],
    ]);
  });

  it('knows every reason for which the configuration does not offer a class', () => {
    const listed = parseInventoryConfig('cluster_storage: [beta1]');
    const unlisted = parseInventoryConfig('version: v1');
    const codes = [
      storageClassRefusal(listed, { name: 'beta2', labels: {} }),
      storageClassRefusal(unlisted, { name: 'fast', labels: {} }),
      storageClassRefusal(unlisted, { name: 'fast', labels: { 'akash.network': 'false' } }),
    ].map((reason) => reason?.code);
    expect(codes).toEqual(Object.keys(storageReasons).slice(1, 4));
  });

  it('has a hint in every reason', () => {
    for (const { means, hint } of Object.values(storageReasons)) expect([means, hint].every((text) => text.length > 10)).toBe(true);
    expect(storageReason('AgentMissing', 'no agent reports').message).toBe(`no agent reports: ${storageReasons.AgentMissing.hint}`);
  });
});
