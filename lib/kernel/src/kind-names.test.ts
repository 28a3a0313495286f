import { expect, it } from 'vitest';
import { kindNames } from './kind-names.ts';

it('makes every name of a kind from that of its message', () => {
  expect(kindNames('HostClass')).toEqual({
    message: 'HostClass',
    service: 'HostClasses',
    field: 'host_class',
    stored: 'host_classes',
    singular: 'host class',
    plural: 'host classes',
  });
  expect(kindNames('Hub')).toMatchObject({ service: 'Hubs', field: 'hub', stored: 'hubs', singular: 'hub', plural: 'hubs' });
});
