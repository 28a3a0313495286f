import { describe, expect, it } from 'vitest';
import { hostClassKind, kindNamed, listHref, objectHref, templateKind } from './object-kind.ts';

describe('a kind of object', () => {
  it('is called as the API calls it, and as people do', () => {
    expect(hostClassKind).toEqual({
      name: 'host_classes',
      singular: 'host class',
      plural: 'host classes',
      service: 'HostClasses',
      message: 'HostClass',
      payload: 'host_class',
      href: '/host-classes',
    });
    expect(kindNamed('cluster_templates')).toBe(templateKind);
    expect(templateKind).toMatchObject({ plural: 'templates', service: 'ClusterTemplates', href: '/templates' });
  });

  it('has an address for each object and each filter', () => {
    expect(objectHref(hostClassKind, 'a/b')).toBe('/host-classes/a%2Fb');
    expect(listHref(templateKind, 'this.title == "a&b"')).toBe('/templates?q=this.title%20%3D%3D%20%22a%26b%22');
  });
});
