import { describe, expect, it } from 'vitest';
import { builtInKinds, schemaOf } from './built-in-schemas.ts';

describe('the built-in kinds', () => {
  it('have a schema each, with an identity and metadata where they are stored', () => {
    for (const { group, version, kind, verbs } of builtInKinds()) {
      const schema = schemaOf(group, version, kind);
      expect(schema?.type, kind).toBe('object');
      if (verbs.includes('get'))
        expect(schema?.properties?.['metadata']?.properties?.['labels']?.additional, kind).toMatchObject({ type: 'string' });
    }
  });

  it('are described as discovery describes them', () => {
    expect(builtInKinds().find(({ kind }) => kind === 'Deployment')).toMatchObject({
      group: 'apps',
      version: 'v1',
      plural: 'deployments',
      singular: 'deployment',
      namespaced: true,
      shortNames: ['deploy'],
      categories: ['all'],
      subresources: [
        { name: 'scale', group: 'autoscaling', version: 'v1', kind: 'Scale' },
        { name: 'status', group: 'apps', version: 'v1', kind: 'Deployment' },
      ],
    });
  });

  it('know how lists are merged and which key has a default', () => {
    const containers = schemaOf('', 'v1', 'Pod')?.properties?.['spec']?.properties?.['containers'];
    expect(containers).toMatchObject({ listType: 'map', listMapKeys: ['name'], patchStrategy: ['merge'], patchMergeKey: 'name' });
    const ports = containers?.items?.properties?.['ports'];
    expect(ports).toMatchObject({ listMapKeys: ['containerPort', 'protocol'] });
    expect(ports?.items?.properties?.['protocol']?.default).toBe('TCP');
  });

  it('resolve types that contain themselves', () => {
    const schema = schemaOf('apiextensions.k8s.io', 'v1', 'CustomResourceDefinition')?.properties?.['spec']?.properties?.['versions']
      ?.items;
    const props = schema?.properties?.['schema']?.properties?.['openAPIV3Schema'];
    expect(props?.properties?.['not']?.properties?.['not']?.properties?.['type']).toMatchObject({ type: 'string' });
  });

  it('are no others', () => {
    expect(schemaOf('apps', 'v1', 'Pod')).toBeUndefined();
    expect(schemaOf('', 'v2', 'Pod')).toBeUndefined();
  });
});
