import { describe, expect, it } from 'vitest';
import { compactTypes } from './compact-openapi.ts';

const ref = (name: string) => ({ $ref: `#/components/schemas/io.k8s.api.core.v1.${name}` });

describe('a compact OpenAPI document', () => {
  it('holds what the roots need, by short names, without prose', () => {
    const types = compactTypes(
      {
        'io.k8s.api.core.v1.Root': { type: 'object', properties: { child: ref('Child'), self: ref('Root') } },
        'io.k8s.api.core.v1.Child': { type: 'object', properties: { a: { type: 'string' } } },
        'io.k8s.api.core.v1.Stranger': { type: 'object' },
      },
      ['io.k8s.api.core.v1.Root'],
    );
    expect(types).toEqual({
      'core.v1.Child': { type: 'object', properties: { a: { type: 'string' } } },
      'core.v1.Root': { type: 'object', properties: { child: { ref: 'core.v1.Child' }, self: { ref: 'core.v1.Root' } } },
    });
  });

  it('marks what the server always has: required fields and structs by value', () => {
    const properties = { name: { type: 'string', default: '' }, spec: { default: {}, allOf: [ref('Spec')] }, other: { type: 'string' } };
    const types = compactTypes({ 'io.k8s.api.core.v1.Root': { type: 'object', required: ['name'], properties } }, [
      'io.k8s.api.core.v1.Root',
    ]);
    expect(types['core.v1.Root']?.properties).toEqual({
      name: { type: 'string', default: '', alwaysPresent: true },
      spec: { ref: 'core.v1.Spec', default: {}, alwaysPresent: true },
      other: { type: 'string' },
    });
  });

  it('keeps merge keys, formats and enumerations', () => {
    const list = {
      type: 'array',
      items: { default: {}, allOf: [ref('Item')] },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      'x-kubernetes-patch-strategy': 'merge,retainKeys',
      'x-kubernetes-patch-merge-key': 'name',
    } as const;
    const count = { type: 'integer', format: 'int32', enum: [1, 2] };
    const quantity = { $ref: '#/components/schemas/io.k8s.apimachinery.pkg.api.resource.Quantity' };
    const types = compactTypes({ R: { type: 'object', properties: { list, count, quantity } } }, ['R']);
    expect(types['R']?.properties).toEqual({
      list: {
        type: 'array',
        items: { ref: 'core.v1.Item' },
        listType: 'map',
        listMapKeys: ['name'],
        patchStrategy: ['merge', 'retainKeys'],
        patchMergeKey: 'name',
      },
      count: { type: 'integer', rules: { format: 'int32', enum: [1, 2] } },
      quantity: { type: 'quantity' },
    });
  });
});
